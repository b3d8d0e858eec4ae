"""Charts and tables as files in memory: PNG, SVG, Vega-Lite JSON, CSV. No browser and no network (vl-convert)."""

from __future__ import annotations

import altair as alt

from hierviz.charts.theme import finish
from hierviz.csv_cells import safe_frame_csv


def to_vega_lite(chart, dark=False):
    """Vega-Lite specification of a chart as a dict, data included.

    Parameters
    ----------
    chart : altair chart
        As a builder returned it, or finished.
    dark : bool
        Theme to finish it in; made with the same `dark`.

    Returns
    -------
    dict
    """
    finished = chart if chart.config is not alt.Undefined else finish(chart, dark)
    with alt.data_transformers.enable("default", max_rows=None):
        return finished.to_dict()


def to_svg(chart, dark=False):
    """The chart as SVG text."""
    import vl_convert

    return vl_convert.vegalite_to_svg(to_vega_lite(chart, dark))


def to_png(chart, dark=False, ppi=144):
    """The chart as PNG bytes, at `ppi` pixels an inch (72 is one pixel a pixel)."""
    import vl_convert

    return vl_convert.vegalite_to_png(to_vega_lite(chart, dark), ppi=ppi)


def to_csv(table):
    """A table behind a chart as UTF-8 CSV bytes: header, comma, LF; empty where unknown; no text is a formula."""
    return safe_frame_csv(table).encode("utf-8")
