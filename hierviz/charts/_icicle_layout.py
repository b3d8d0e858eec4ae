"""Heights of an icicle: one scale for all cells, in pixels for a probability of 1.

At one depth a cell of a larger probability is never lower than one of a smaller, and the cells of the children lie within
that of their parent. What is too improbable to draw is left out, unless it is on a path or kept for another reason: then it
gets the least height. It, and what it makes taller by more than `TOLERANCE`, is marked as not to scale.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

# Pixels of a cell with one line of text, and with a second line for its tag.
ROW, TAGGED = 27, 42
# Pixels for a probability of 1: at least, at most, and less where else the budget of the whole figure would not hold.
LEAST, MOST, COARSEST, BUDGET = 400, 560, 54, 900
# A cell may be so much taller than its probability, as a share and in pixels, before it is marked.
TOLERANCE, SLACK = 0.1, 2


@dataclass(frozen=True)
class IcicleLayout:
    """Positions of the cells of folded rows, from above.

    Attributes
    ----------
    rows : list of dict
        As of `folding.fold`, in its order; ``hidden`` also counts what is left out here.
    top, height : list of float
        Pixels; the height of what is left out is 0.
    to_scale : list of bool
        False for a cell that is taller than its probability.
    scale : float
        Pixels for a probability of 1.
    """

    rows: list
    top: list
    height: list
    to_scale: list
    scale: float

    @property
    def total(self):
        """Pixels of the whole."""
        return self.height[0]

    @property
    def drawn(self):
        """The rows that are not left out."""
        return [row for row, tall in zip(self.rows, self.height, strict=True) if tall]

    @property
    def least(self):
        """Probability from which on every row is drawn."""
        return ROW / self.scale


def icicle_layout(folded, *, min_p, max_rows, whole=1.0):
    """The layout of one sample, or None when it does not fit into `BUDGET` pixels and a line for each row that is kept.

    Parameters
    ----------
    folded : callable
        `folding.fold` of the sample, takes ``min_p`` and ``max_rows``, gives a list of dicts with ``tag``.
    min_p, max_rows
        See `folding.fold`.
    whole : float
        Probability of the first row.

    Returns
    -------
    IcicleLayout or None
    """
    rows = folded(min_p=min_p, max_rows=max_rows)
    beside = [row["p"] for row in rows if row["p"] > 0 and not _on_path(row)]
    scale = min(MOST, max(LEAST, ROW / min(beside, default=whole) * whole)) / whole
    rows = folded(min_p=max(min_p, ROW / scale / whole), max_rows=max_rows)
    fitting = _largest_scale(rows, scale, whole)
    return None if fitting is None else _placed(rows, _heights(rows, fitting), fitting)


def _largest_scale(rows, scale, whole):
    """The largest scale, up to the one wished for, at which the rows fit; None when none does."""
    budget = BUDGET + ROW * sum(row["kept"] for row in rows)
    if _heights(rows, scale)[0] <= budget:
        return scale
    low, high = COARSEST / whole, scale
    if _heights(rows, low)[0] > budget:
        return None
    while (high - low) * whole > 1:
        middle = (low + high) / 2
        low, high = (middle, high) if _heights(rows, middle)[0] <= budget else (low, middle)
    return low


def _mass(row):
    return row["p"] if row["p"] > 0 else 0.0  # unknown is nothing


def _on_path(row):
    return row["on_truth"] or row["on_answer"] or row["kept"] or row["parent_row"] < 0


def _heights(rows, scale):
    """Least heights that hold the text, the probability, the children, and that grow with p at every depth."""
    height, inside = [0.0] * len(rows), [0.0] * len(rows)
    by_depth = sorted(rows, key=lambda row: (-row["depth"], _mass(row)))
    for _, level in itertools.groupby(by_depth, key=lambda row: row["depth"]):
        least = 0.0
        for _, alike in itertools.groupby(level, key=_mass):
            alike = [row for row in alike if _on_path(row) or scale * _mass(row) >= ROW or inside[row["row"]]]
            for row in alike:
                text = TAGGED if row["tag"] else ROW
                least = max(least, text, scale * _mass(row), inside[row["row"]])
            for row in alike:
                height[row["row"]] = least
                if row["parent_row"] >= 0:
                    inside[row["parent_row"]] += least
    return height


def _placed(rows, height, scale):
    top, used = [0.0] * len(rows), [0.0] * len(rows)
    for row in rows[1:]:
        i, parent = row["row"], row["parent_row"]
        top[i] = top[parent] + used[parent]
        used[parent] += height[i]
    for row in reversed(rows):
        if not height[row["row"]]:
            rows[row["parent_row"]]["hidden"] += row["hidden"] + (row["node"] >= 0)
    to_scale = [tall <= (1 + TOLERANCE) * scale * _mass(row) + SLACK for row, tall in zip(rows, height, strict=True)]
    return IcicleLayout(rows, top, height, to_scale, scale)
