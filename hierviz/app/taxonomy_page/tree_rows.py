"""The rows of the table of a taxonomy: the nodes that are open, level by level, and never all siblings at once.

A row is known by its path, the node numbers from the root of the table joined by "/": in a graph a node can be under each of
its parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.diagnosis._node_table import worst_first

# Children of a node that are shown first, and that are added by each press on "more".
FIRST, MORE = 30, 100


@dataclass(frozen=True)
class TreeRow:
    """One row: a node, or how many more there are.

    Attributes
    ----------
    path : str
        Of a row "more" that of the parent.
    node : int
        -1 in a row "more".
    level : int
        1 at the root of the table.
    kind : str
        'open', 'closed', 'leaf' or 'more'.
    n_more : int
        Nodes that are not shown.
    """

    path: str
    node: int
    level: int
    kind: str
    n_more: int = 0


def tree_rows(table, root, opened, shown, order="support", reverse=False):
    """Rows of the open part of a subtree.

    Parameters
    ----------
    table : NodeTable
    root : int
    opened : collection of str
        Paths that are open.
    shown : dict of str to int
        Children that are shown of a path; `FIRST` where none is given.
    order : str
        Column by which siblings are sorted, worst first; "tree" for the order of the source.
    reverse : bool
        The better end first.

    Returns
    -------
    list of TreeRow
    """
    children, rows = table.taxonomy.children, []
    stack = [TreeRow(str(root), root, 1, "closed")]
    while stack:
        row = stack.pop()
        if row.kind == "more":
            rows.append(row)
            continue
        below = children[row.node]
        kind = "leaf" if not len(below) else "open" if row.path in opened else "closed"
        rows.append(TreeRow(row.path, row.node, row.level, kind))
        if kind != "open":
            continue
        below = below if order == "tree" else worst_first(table, below, order, reverse=reverse)
        some = below[: shown.get(row.path, FIRST)]
        if len(some) < len(below):
            stack.append(TreeRow(row.path, -1, row.level + 1, "more", len(below) - len(some)))
        stack += [TreeRow(f"{row.path}/{node}", node, row.level + 1, "closed") for node in some.tolist()[::-1]]
    return rows


def flat_rows(table, nodes, shown, order="support", reverse=False):
    """Rows of some nodes without their tree, the first `shown` of them.

    Parameters
    ----------
    table : NodeTable
    nodes : ndarray of int
    shown : int
    order, reverse
        As in `tree_rows`.

    Returns
    -------
    list of TreeRow
    """
    ordered = nodes if order == "tree" else worst_first(table, nodes, order, reverse=reverse)
    is_leaf = table.taxonomy.is_leaf
    rows = [TreeRow(str(node), node, 1, "leaf" if is_leaf[node] else "closed") for node in ordered[:shown].tolist()]
    if shown < len(ordered):
        rows.append(TreeRow("", -1, 1, "more", len(ordered) - shown))
    return rows


def named(taxonomy, nodes, words):
    """Those of some nodes whose name or title holds all the words, whatever their case: ndarray of int."""
    words = words.casefold().split()

    def holds(node):
        text = f"{taxonomy.names[node]} {taxonomy.title(node)}".casefold()
        return all(word in text for word in words)

    return np.array([node for node in nodes.tolist() if holds(node)], dtype=np.intp)
