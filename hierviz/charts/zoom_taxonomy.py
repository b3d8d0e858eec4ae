"""The icicle and the treemap of a taxonomy as records that one zooms into: all classes, with the colours of the drawings.

Functions
---------
icicle_record, treemap_record
"""

from __future__ import annotations

import numpy as np

from hierviz.charts._value_colours import ENOUGH, value_colours
from hierviz.charts.theme import palette
from hierviz.charts.zoom_layout import icicle_rectangles, treemap_rectangles
from hierviz.charts.zoom_record import LOOKS, rows_of, texts_of, zoom_record
from hierviz.diagnosis._excess import pooled
from hierviz.diagnosis._node_table import NODE_COLUMNS, number_text_of, usable_columns

# Colours differ where shares differ by this much.
STEP = 1e-3


def icicle_record(table, value, marked, words):
    """Record of the icicle of a NodeTable, coloured by a column; `marked` nodes, the first outlined, and what it is called."""
    layout = icicle_rectangles(table.taxonomy, table.support)
    values = np.asarray(getattr(table, value), dtype=float)[layout.rows.node]
    notes = [{"kind": "note", "label": "height: samples"}]
    return _record("icicle", table, layout, value, values, values, value, marked, words, notes)


def treemap_record(table, cost, value, marked, words, *, aspect, area):
    """Record of the treemap of a cost; `area` says in words what areas are."""
    layout = treemap_rectangles(table.taxonomy, getattr(table, cost), aspect=aspect)
    values = np.asarray(getattr(table, value), dtype=float)[layout.rows.node]
    taxonomy, rows = table.taxonomy, layout.rows
    for row in np.flatnonzero(rows.is_own).tolist():
        node = int(rows.node[row])
        own = pooled(table, value, np.array([node]), taxonomy.children[node]) if taxonomy.is_tree else np.nan
        values[row] = own
    notes = [{"kind": "note", "label": f"area: {area}"}]
    return _record("treemap", table, layout, value, values, rows.size, cost, marked, words, notes)


def _record(kind, table, layout, value, values, numbers, said_key, marked, words, notes):
    """`values` are behind the colours, `numbers` in the cells, those of a column `said_key`."""
    taxonomy, rows = table.taxonomy, layout.rows
    n = np.asarray(table.answered if value == "precision" else table.support, dtype=float)[rows.node]
    for row in np.flatnonzero(rows.is_own).tolist():
        n[row] -= float(table.support[taxonomy.children[int(rows.node[row])]].sum())
    single = np.unique(rows.node[1:][~rows.is_own[1:]]).tolist()
    colours = {look: value_colours(table, value, single or [0], dark) for look, dark in LOOKS.items()}
    outlined = rows_of(rows, marked[:1])

    def legend(dark):
        of = colours["dark" if dark else "light"]
        worst = {"kind": "outline", "label": f"worst: {words['worst']}", "colour": palette(dark).ink}
        return [of.legend(*notes, *([worst] if outlined else []), most="the most of a class")]

    fills = _fills(colours, values, n)
    texts = {
        "said": texts_of(numbers, lambda number: number_text_of(said_key, number)),
        "count": texts_of(n, lambda number: f"{round(number):,} sample{'s' * (number != 1)}"),
        "tips": _tips(table, rows, said_key, numbers),
    }
    return zoom_record(kind, taxonomy, layout, fills, texts, legend=legend, marked=marked, file=words["file"])


def _fills(colours, values, n):
    """Colour of each row by theme: a colour for each different pair of a value and its samples."""
    isnan, few = np.isnan(values), np.clip(n, 0, ENOUGH)
    step = STEP if colours["light"].is_share else 1e-9
    pairs = np.stack([np.where(isnan, -1, np.round(np.nan_to_num(values) / step)), few], axis=1)
    _, first, places = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    of_pairs = list(zip(values[first].tolist(), few[first].tolist(), strict=True))
    found = {look: np.array([of.fill(*pair) for pair in of_pairs]) for look, of in colours.items()}
    return {look: of[places.ravel()].tolist() for look, of in found.items()}


def _tips(table, rows, said_key, numbers):
    """All numbers of each row, of own rows that in their cell alone."""
    taxonomy, tips = table.taxonomy, {}
    lengths = taxonomy.children.lengths[rows.node]
    tips["Children"] = texts_of(np.where(rows.is_own, 0, lengths), lambda n: f"{round(n):,}" if n else "")
    for key in usable_columns(table):
        of_rows = np.asarray(getattr(table, key), dtype=float)[rows.node]
        texts = texts_of(of_rows, lambda number, key=key: number_text_of(key, number))
        for row in np.flatnonzero(rows.is_own).tolist():
            texts[row] = number_text_of(key, float(numbers[row])) if key == said_key else ""
        tips[NODE_COLUMNS[key].label] = texts
    return tips
