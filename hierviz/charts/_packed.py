"""A chart in several widths and both themes, packed for a page that draws it in the browser.

Tables that the drawings share are there once, and all of it is compressed: a page unpacks what comes into sight.
"""

from __future__ import annotations

import base64
import gzip
import json
import math

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
    data, specs = {}, {}
    for theme in ("light", "dark"):
        for name, width in (("wide", WIDE), ("narrow", NARROW)):
            with debug_mode(False):
                spec, tables = to_spec(finish(draw(theme == "dark", width), theme == "dark"), _rows)
            data |= {key: json.loads(rows) for key, rows in tables.items()}
            specs[f"{theme}-{name}"] = spec
    return packed({"data": data, "specs": specs})


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
