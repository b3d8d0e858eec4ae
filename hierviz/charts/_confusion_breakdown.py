"""The four cells of one sample's hierarchical confusion, with the names of the nodes in each."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._canvas import boxes, hover, texts
from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._text import wrap_items
from hierviz.charts.theme import SIZE, SMALL, palette
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

# tp and fn are on the true path (first row), tp and fp on the answer's path (first column).
CELLS = ("tp", "fn", "fp", "tn")
TITLES = {
    "tp": "answered and true",
    "fn": "true, not answered",
    "fp": "answered, not true",
    "tn": "siblings on neither path",
}
NARROW, GAP, INSET, LINE = 560, 6, 12, 17


def confusion_breakdown(taxonomy, confusion, row, *, dark=None, width=1000, most_lines=None):
    """True and false positives and negatives of one sample as four cells that name their nodes.

    Parameters
    ----------
    taxonomy : Taxonomy
    confusion : HierarchicalConfusion
        From `hierviz.confusion`.
    row : int
        The sample.
    dark : bool, optional
    width : int
        Pixels; below 560 the cells are one below the other.
    most_lines : int, optional
        Lines of names a cell holds, the rest is counted: 4, or 6 where the cells are stacked.

    Returns
    -------
    Figure
        Its table: ``cell`` (tp, fn, fp, tn), ``node``, ``name``, ``depth``; one row a node.
    """
    sets = confusion.node_sets(row)
    draw = functools.partial(_drawn, taxonomy, sets, most_lines)
    sentence = functools.partial(_sentence, taxonomy, confusion, row)
    return Figure(draw, lambda: _table(taxonomy, sets), sentence, dark, width)


def _drawn(taxonomy, sets, most_lines, dark, width):
    look = palette(dark)
    width -= 8
    columns = 2 if width >= NARROW else 1
    most_lines = most_lines or (4 if columns == 2 else 6)
    cell_width = (width - GAP * (columns - 1)) / columns
    sets = {cell: [taxonomy.title(node) for node in nodes] for cell, nodes in sets.items()}
    lines = {
        cell: wrap_items(names, cell_width - 2 * INSET - 4, SIZE, most_lines=most_lines) for cell, names in sets.items()
    }
    lines = {cell: names or ["none"] for cell, names in lines.items()}
    heights = {cell: 44 + LINE * len(names) for cell, names in lines.items()}
    shapes, words, tips, y = [], [], [], 0.0
    for start in range(0, 4, columns):
        together = CELLS[start : start + columns]
        tall = max(heights[cell] for cell in together)
        for k, cell in enumerate(together):
            x = k * (cell_width + GAP)
            ink = look.text_on(cell)
            place = {"x": x, "x2": x + cell_width, "y": y, "y2": y + tall}
            shapes.append({**place, "colour": look.outcome(cell)})
            words.append(
                {"x": x + INSET, "y": y + 19, "text": f"{len(sets[cell]):,}", "colour": ink, "size": 20, "weight": 600}
            )
            lead = 20 + 12 * len(f"{len(sets[cell]):,}")
            room = cell_width - INSET - lead - 6
            words.append(
                {"x": x + lead, "y": y + 14, "text": METRICS[cell].label, "colour": ink, "weight": 600, "limit": room}
            )
            words.append(
                {"x": x + lead, "y": y + 29, "text": TITLES[cell], "colour": ink, "size": SMALL, "limit": room}
            )
            for i, line in enumerate(lines[cell]):
                words.append(
                    {"x": x + INSET, "y": y + 48 + LINE * i, "text": line, "colour": ink, "limit": cell_width - INSET}
                )
            names = ", ".join(sets[cell][:40]) + (f" and {len(sets[cell]) - 40:,} more" if len(sets[cell]) > 40 else "")
            tips.append({**place, "cell": METRICS[cell].label, "names": names or "none"})
        y += tall + GAP
    counts = {cell: len(names) for cell, names in sets.items()}
    for text in (
        _fraction(
            "hP", counts["tp"], counts["tp"] + counts["fp"], "of the answer's nodes are true", "nothing is predicted"
        ),
        _fraction(
            "hR", counts["tp"], counts["tp"] + counts["fn"], "of the true nodes are answered", "the truth is the root"
        ),
    ):
        y += 18
        words.append({"x": 0, "y": y - 4, "text": text, "colour": look.ink, "limit": width})
    height = y + 8
    return layer(
        boxes(shapes, width, height, radius=4),
        texts(words, width, height),
        hover(tips, width, height, {"cell": "Cell", "names": "Nodes"}),
    ).properties(width=width, height=height)


def _table(taxonomy, sets):
    rows = [(cell, int(node)) for cell in CELLS for node in sets[cell]]
    return frame(
        {
            "cell": [cell for cell, _ in rows],
            "node": [node for _, node in rows],
            "name": [taxonomy.title(node) for _, node in rows],
            "depth": [int(taxonomy.depth[node]) for _, node in rows],
        }
    )


def _sentence(taxonomy, confusion, row):
    """One plain sentence: how many nodes of answer and truth agree."""
    tp, fp, fn = (int(getattr(confusion, cell)[row]) for cell in ("tp", "fp", "fn"))
    truth, predicted = _ends(taxonomy, confusion.truth[row]), _ends(taxonomy, confusion.predicted[row])
    if tp + fp == 0:
        missing = f"{_nodes(fn)} on the way to {truth} {'is' if fn == 1 else 'are'} missed"
        return f"Nothing below the root is answered; {missing if fn else 'and the truth is the root itself'}."
    return (
        f"Of the {_nodes(tp + fp)} on the way to the answer {predicted}, {tp} {'is' if tp == 1 else 'are'} true; "
        f"of the {_nodes(tp + fn)} on the way to the truth {truth}, {tp} {'is' if tp == 1 else 'are'} answered."
    )


def _ends(taxonomy, paths):
    """Name of a node, or of all ends of several nodes or paths."""
    ends = [paths] if isinstance(paths, (int, np.integer)) else [np.ravel(path)[-1] for path in paths]
    names = [taxonomy.title(int(end)) if end >= 0 else "(empty)" for end in ends]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names) or "(nothing)"


def _nodes(n):
    return "one node" if n == 1 else f"{n} nodes"


def _fraction(name, part, whole, words, empty):
    return f"{name} = {part}/{whole} = {value_text(part / whole)} {words}" if whole else f"{name} = 1: {empty}"
