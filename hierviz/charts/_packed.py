"""A chart in several widths and both themes, packed for a page that draws it in the browser.

Tables that the drawings share are there once, and all of it is compressed: a page unpacks what comes into sight.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import math

import altair as alt
from altair.utils.schemapi import debug_mode

from hierviz.charts.export import to_spec
from hierviz.charts.theme import finish

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
        "dark-narrow", which name their data.
    """
    return packed(looks_of(figure.draw))


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
            chart = draw(dark, width)
            finished = chart if chart.config is not alt.Undefined else finish(chart, dark)
            spec, tables = to_spec(finished, _rows)
        data |= {key: json.loads(rows) for key, rows in tables.items()}
        specs[f"{'dark' if dark else 'light'}-{name}"] = spec
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
