r"""Mistakes of every subtree beyond those that are expected of one of its size, and the subtrees with the most of them.

Also the numbers of several nodes together.

Conventions
-----------
The excess of a node is its cost minus what an average subtree of as many samples costs, as for `hierviz.diagnosis.slices`:

    excess(v) = cost(v) - |T(v)| * cost(root) / |T(root)|.

Where samples have several truths or answers the cost is the number of missed samples, of which the root has none and deep
classes have more: they are compared with all classes of their depth.

Functions
---------
excess, worst_subtrees, pooled
"""

from __future__ import annotations

import numpy as np

from hierviz.diagnosis._node_table import NODE_COLUMNS, NodeTable, cost_key
from hierviz.metrics.node_pairs import ratio

# A subtree is judged with so many samples inside and outside, as a slice is.
FEWEST = 10
# Of shares: the columns of which they are the ratio, and how often the first is counted.
RATIOS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "correct": ("n_correct", ("support",), 1),
    "recall": ("hits", ("support",), 1),
    "precision": ("hits", ("answered",), 1),
    "f1": ("hits", ("support", "answered"), 2),
}


def excess(table: NodeTable, cost: str | None = None) -> np.ndarray:
    """Cost of every node beyond what is expected of its support, shape (n_nodes,); nan where the cost is not known.

    Parameters
    ----------
    table : NodeTable
    cost : str, optional
        'n_wrong', 'missed' or 'win_lost'; `cost_key` of the table by default.

    Returns
    -------
    ndarray of float, shape (n_nodes,)
        Above 0 is worse than expected.
    """
    key = cost_key(table) if cost is None else cost
    costs, support = np.asarray(getattr(table, key), dtype=float), table.support.astype(float)
    if key != "missed":
        return costs - support * (costs[0] / max(support[0], 1))
    depth = table.taxonomy.depth
    rate = ratio(np.bincount(depth, costs), np.bincount(depth, support), 0.0)
    return costs - support * rate[depth]


def worst_subtrees(table: NodeTable, root: int = 0, most: int = 1, cost: str | None = None) -> np.ndarray:
    """Nodes below a node with an `excess` above 0, the largest first; of equal ones the smaller, then the later one.

    Parameters
    ----------
    table : NodeTable
    root : int
    most : int
        So many at most.
    cost : str, optional
        See `excess`.

    Returns
    -------
    ndarray of int, shape (n,)
        With `FEWEST` samples at or below them and as many elsewhere; those with fewer come after all of these.
    """
    found = np.nan_to_num(excess(table, cost))
    inside = table.taxonomy.subtree(root)
    inside = inside[(inside != root) & (inside != 0) & (found[inside] > 1e-9)]
    n = table.support[inside]
    is_small = (n < FEWEST) | (table.support[0] - n < FEWEST)
    return inside[np.lexsort((-inside, n, -np.round(found[inside], 9), is_small))[:most]]


def pooled(table: NodeTable, key: str, nodes: np.ndarray, without: np.ndarray | None = None) -> float:
    """A column of `NODE_COLUMNS` for the samples of several nodes together, as if they were one.

    Parameters
    ----------
    table : NodeTable
        Of a tree; a sample that several of the nodes have counts for each.
    key : str
    nodes : ndarray of int
    without : ndarray of int, optional
        Nodes whose samples do not count: the children of a node, for its own samples.

    Returns
    -------
    float
        nan where there is no such number: of errors of calibration, and of 0/0.
    """
    sign = [(nodes, 1.0)] if without is None else [(nodes, 1.0), (without, -1.0)]

    def total(column):
        return sum(of * float(np.nansum(column[some])) for some, of in sign)

    if NODE_COLUMNS[key].kind in ("count", "sum"):
        return total(getattr(table, key))
    if key == "mean_win":
        n = total(table.support)
        return float(ratio(n - total(table.win_lost), n, np.nan)) if np.isfinite(table.mean_win).any() else np.nan
    if key not in RATIOS:
        return np.nan
    part, whole, times = RATIOS[key]
    column = getattr(table, part)
    if not np.isfinite(column).any():
        return np.nan
    return float(ratio(times * total(column), sum(total(getattr(table, name)) for name in whole), np.nan))
