"""Charts and tables as files in memory: PNG, SVG, Vega-Lite JSON, CSV. No browser and no network (vl-convert)."""

from __future__ import annotations

import functools
import hashlib
import threading

import altair as alt
import pandas as pd

from hierviz.charts.picture_process import picture
from hierviz.charts.theme import drawn, finish
from hierviz.messages.csv_cells import safe_frame_csv


def to_vega_lite(chart, dark=None):
    """Vega-Lite specification of a chart as a dict, data included.

    Parameters
    ----------
    chart : Figure, or altair chart
        Finished or not.
    dark : bool, optional
        Theme to finish it in; None: that of the figure, else light.

    Returns
    -------
    dict
    """
    chart, dark = drawn(chart, dark)
    finished = chart if chart.config is not alt.Undefined else finish(chart, dark)
    with _ALTAIR, alt.data_transformers.enable("default", max_rows=None):
        return finished.to_dict()


def to_spec(chart, pack):
    """Vega-Lite specification of a finished chart for a page, its tables aside: not validated, which takes longest.

    Parameters
    ----------
    chart : altair chart
    pack : callable
        A DataFrame as bytes, as they are sent to the browser.

    Returns
    -------
    spec : dict
        Names its data.
    tables : dict of str to bytes
        By these names, which are hashes of their contents.
    """
    tables: dict[str, bytes] = {}
    named: dict[int, tuple[str, pd.DataFrame]] = {}

    def aside(table):
        # Layers share tables. The table is kept with its name: another one could get its number.
        if id(table) not in named:
            packed = pack(table)
            name = hashlib.sha256(packed).hexdigest()[:32]
            tables[name], named[id(table)] = packed, (name, table)
        return {"name": named[id(table)][0]}

    with _ALTAIR:
        alt.data_transformers.register("aside", aside)
        with alt.data_transformers.enable("aside"), alt.theme.enable("none"):
            spec = chart.to_dict(validate=False)
    # Rows that a chart holds itself stand there by a name that Altair gave them.
    tables |= {name: pack(pd.DataFrame(rows)) for name, rows in spec.pop("datasets", {}).items() if name not in tables}
    return spec, tables


@functools.cache
def browser_library():
    """Vega, Vega-Lite and vega-embed as text that can stand in a script element of a page, about 0.9 MB."""
    import vl_convert

    return vl_convert.javascript_bundle().replace("</script", "<\\/script")


# What Altair is told to do with data holds for all threads.
_ALTAIR = threading.Lock()


def to_svg(chart, dark=None):
    """The chart as SVG text; FileError where it cannot be drawn."""
    return picture("vegalite_to_svg", to_vega_lite(chart, dark)).decode()


def to_png(chart, dark=None, ppi=144):
    """The chart as PNG bytes, at `ppi` pixels an inch (72 is one pixel a pixel); FileError where it cannot be drawn."""
    return picture("vegalite_to_png", to_vega_lite(chart, dark), ppi=ppi)


def to_csv(table):
    """A table, or that of a Figure, as UTF-8 CSV bytes: header, comma, LF; empty where unknown; no text is a formula."""
    return safe_frame_csv(getattr(table, "table", table)).encode("utf-8")
