"""Charts and tables as files in memory: PNG, SVG, JSON of Vega-Lite or Vega, CSV. No browser and no network (vl-convert)."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import itertools
import json
import math
import threading
from typing import Any

import altair as alt
import pandas as pd
from altair.utils.schemapi import debug_mode

from hierviz.charts._plain_spec import NotPlainError, plain_spec
from hierviz.charts._sketch import Sketch, Slot, columns_of
from hierviz.charts.picture_process import picture
from hierviz.charts.theme import drawn, finish, surroundings
from hierviz.messages.csv_cells import safe_frame_csv


def to_vega_lite(chart, dark=None):
    """Specification of a chart as a dict, data included: Vega-Lite, of `example` Vega (its ``$schema`` says which).

    Parameters
    ----------
    chart : Figure, altair chart, or dict
        Finished or not; a Vega specification is returned as it is. A chart of your own is checked against Vega-Lite's schema.
    dark : bool, optional
        Theme to finish it in; None: that of the figure, else light.

    Returns
    -------
    dict
    """
    # Those of figures are checked by the tests: it takes longer than all else.
    is_own = isinstance(chart, alt.TopLevelMixin)
    chart, dark = drawn(chart, dark)
    if isinstance(chart, dict):
        return chart
    finished = chart if chart.config is not alt.Undefined else finish(chart, dark)
    with _ALTAIR, alt.data_transformers.enable("default", max_rows=None):
        return finished.to_dict(validate=is_own)


def to_spec(chart, pack, dark=None, keep=lambda layout, write: write()):
    """Vega-Lite specification of a chart for a page, its tables aside: not validated, which takes longest.

    Parameters
    ----------
    chart : Figure, or altair chart
        Finished or not.
    pack : callable
        PlainColumns, or a DataFrame, as bytes, as they are sent to the browser.
    dark : bool, optional
        Theme to finish it in; None: that of the figure, else light.
    keep : callable
        Called with what a specification depends on, a text, and a function that writes it: `write()`, or its earlier result. What
        is drawn again with other rows need not be written again.

    Returns
    -------
    spec : dict
        Names its data.
    tables : dict of str to bytes
        By these names, which are hashes of their contents.
    """
    if not isinstance(chart, Sketch | alt.TopLevelMixin):
        dark = chart.dark if dark is None else dark
        chart = chart.sketch(dark)
    if not isinstance(chart, Sketch):
        return _filled(_written(chart if chart.config is not alt.Undefined else finish(chart, dark)), pack)
    if not chart.has_layout:
        return _filled(_written(chart.plain, dark), pack)
    # Views may share a table.
    places = list(map(id, chart.tables))
    layout = f"{bool(dark)} {[places.index(place) for place in places]} {chart.layout}"

    def write():
        # A slot is a text, which Altair does not take for a number.
        with debug_mode(False):
            return _written(chart.form, dark, chart.tables)

    spec, own = keep(layout, write)
    return _filled((spec, dict(enumerate(chart.tables)) | own), pack, chart.values)


def _written(chart, dark=False, known=()):
    """(specification of a finished chart or a Sketch, whose tables are named by `Slot`; those that are not `known`, by slot)."""
    places = {id(table): place for place, table in reversed(list(enumerate(known)))}
    tables: dict[Any, Any] = {}

    def aside(table):
        # Where Altair writes the chart it has the DataFrame of PlainColumns.
        table = columns_of(table, known)
        # The table is kept with its place: another one could get its number.
        place = places.setdefault(id(table), f"own {len(places)}")
        if place not in range(len(known)):
            tables[place] = table
        return {"name": Slot(place)}

    with _ALTAIR:
        alt.data_transformers.register("aside", aside)
        with alt.data_transformers.enable("aside"), alt.theme.enable("none"):
            return _spec(chart, dark), tables


def _spec(chart, dark):
    if isinstance(chart, Sketch):
        try:
            return plain_spec(chart, _surroundings(bool(dark)))
        except NotPlainError:
            chart = finish(chart, dark)
    return chart.to_dict(validate=False)


@functools.cache
def _surroundings(dark):
    found = surroundings(dark)
    return found | {"config": found["config"].to_dict(validate=False)}


def _filled(written, pack, values=()):
    """(specification with the values in its slots, its tables named by hashes of their contents; the tables as bytes by name)."""
    (spec, tables), packed_tables = written, {}
    names = {("own", place): value for place, value in enumerate(values)}
    for place, table in tables.items():
        content = pack(table)
        names[place] = hashlib.sha256(content).hexdigest()[:32]
        packed_tables[names[place]] = content
    spec = _named(spec, names)
    # Rows that a chart holds itself have a name that Altair gave them.
    packed_tables |= {name: pack(pd.DataFrame(rows)) for name, rows in spec.pop("datasets", {}).items()}
    return spec, packed_tables


def _named(part, names):
    """A copy with names of tables and values in their slots."""
    if isinstance(part, dict):
        return {key: _named(value, names) for key, value in part.items()}
    if isinstance(part, list):
        return [_named(value, names) for value in part]
    return names[part.place] if isinstance(part, Slot) else part


@functools.cache
def browser_library():
    """Vega, Vega-Lite and vega-embed as text for a script element of a page, about 0.9 MB."""
    import vl_convert

    return vl_convert.javascript_bundle().replace("</script", "<\\/script")


# How Altair handles data is one setting for all threads.
_ALTAIR = threading.Lock()


def to_svg(chart, dark=None):
    """The chart as SVG text; FileError where it cannot be drawn."""
    return _picture("svg", chart, dark).decode()


def to_png(chart, dark=None, ppi=144):
    """The chart as PNG bytes, at `ppi` pixels an inch (72: pixels of the chart); FileError where it cannot be drawn."""
    return _picture("png", chart, dark, ppi=ppi)


def _picture(kind, chart, dark, **options):
    spec = to_vega_lite(chart, dark)
    language = "vegalite" if "/vega-lite/" in spec["$schema"] else "vega"
    return picture(f"{language}_to_{kind}", spec, **options)


def to_csv(table):
    """A table, or that of a Figure, as UTF-8 CSV bytes: header, comma, LF; empty where unknown; no text is a formula."""
    return safe_frame_csv(getattr(table, "table", table)).encode("utf-8")


def picture_url(png):
    """A picture inside its own address: it travels with the page and cannot be gone when the browser asks for it."""
    return png and "data:image/png;base64," + base64.b64encode(png).decode()


# Pixels: on a screen, and on a phone.
WIDE, NARROW = 1040, 344


def packed_chart(figure):
    """Specifications of one figure for every look.

    Parameters
    ----------
    figure : Figure

    Returns
    -------
    str
        `packed` of ``data`` (rows by name) and ``specs``: Vega-Lite by "light-wide", "dark-wide", "light-narrow" and
        "dark-narrow", which name their data. Of `example`: one Vega specification for all looks, and its ``record``.
    """
    return packed(figure.looks())


def looks_of(draw, themes=(False, True), wide=WIDE):
    """A figure in some themes and in two widths, whose tables are there once.

    Parameters
    ----------
    draw : callable
        Takes `dark` and `width`, gives a chart.
    themes : sequence of bool
        Which are dark.
    wide : int
        Pixels of the wider one.

    Returns
    -------
    dict
        ``data``: rows by name. ``specs``: Vega-Lite by look, which name their data.
    """
    data, specs = {}, {}
    for dark, (name, width) in itertools.product(themes, (("wide", wide), ("narrow", NARROW))):
        if name == "narrow" and wide <= NARROW:
            continue
        with debug_mode(False):
            spec, tables = to_spec(draw(dark, width), _rows, dark)
        data |= {key: json.loads(rows) for key, rows in tables.items()}
        specs[f"{'dark' if dark else 'light'}-{name}"] = spec
    return {"data": data, "specs": specs}


def packed(value):
    """A value as JSON, compressed, in letters that need no escaping in HTML; the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Level 9 makes it a twentieth smaller, and takes six times as long.
    content = gzip.compress(text.encode("utf-8", "backslashreplace"), 6, mtime=0)
    return base64.b64encode(content).decode("ascii")


def _rows(table):
    """A table as JSON; what is no finite number is null, as Vega-Lite takes it."""
    columns = {name: list(map(_plain, table[name].tolist())) for name in table}
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _plain(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value
