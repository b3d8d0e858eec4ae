"""A chart in several widths and both themes, packed for a page that draws it in the browser.

Tables that the drawings share are there once, and all of it is compressed: a page unpacks what comes into sight.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
import math

import altair as alt
from altair.utils.schemapi import debug_mode

from hierviz.charts.export import to_spec
from hierviz.charts.theme import finish

# Pixels: on a screen, and on a phone.
WIDE, NARROW = 1040, 344


def packed_chart(draw):
    """Specifications of one figure for every look.

    Parameters
    ----------
    draw : callable
        Takes `dark` and `width`, gives an unconfigured chart.

    Returns
    -------
    str
        `packed` of ``data`` (rows by name) and ``specs``: Vega-Lite by "light-wide", "dark-wide", "light-narrow" and
        "dark-narrow", which name their data.
    """
    sizes = {"wide": WIDE, "narrow": NARROW}
    drawings = {
        f"{theme}-{name}": functools.partial(draw, theme == "dark", width)
        for theme in ("light", "dark")
        for name, width in sizes.items()
    }
    return packed(figure_of(drawings))


def figure_of(drawings):
    """Drawings of one figure whose tables are there once.

    Parameters
    ----------
    drawings : dict of str to callable
        Look, which begins with "light" or "dark", to what gives the chart.

    Returns
    -------
    dict
        ``data``: rows by name. ``specs``: Vega-Lite by look, which name their data.
    """
    data, specs = {}, {}
    for look, draw in drawings.items():
        is_dark = look.startswith("dark")
        with debug_mode(False):
            chart = draw()
            finished = chart if chart.config is not alt.Undefined else finish(chart, is_dark)
            spec, tables = to_spec(finished, _rows)
        data |= {key: json.loads(rows) for key, rows in tables.items()}
        specs[look] = spec
    return {"data": data, "specs": specs}


def packed(value):
    """A value as JSON, compressed, in letters that need no escaping in HTML; the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), mtime=0)).decode("ascii")


def _rows(table):
    """A DataFrame as JSON; what is no finite number is null, as Vega-Lite takes it."""
    columns = {name: list(map(_plain, table[name].tolist())) for name in table}
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _plain(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value
