"""Probabilities along one path: at each depth the node, its best sibling and the rest.

Functions
---------
lane_bars, LaneBars
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.path import check_nodes
from hierviz.taxonomy.checks import check_taxonomy, checked_probabilities, one_each
from hierviz.taxonomy.taxonomy import Taxonomy

# Probabilities in files have few decimals: children that exceed their parent by less are rounded, not incoherent.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class LaneBars(Rows):
    """Bars along one path, one a depth from 1 on; arrays of shape (n_depths,).

    Attributes
    ----------
    taxonomy : Taxonomy
    node : ndarray of int
        The path without the root.
    p : ndarray of float
    sibling : ndarray of int
        The most probable other child of the node's parent on the path, the lowest of equal ones; -1 where there is none.
    p_sibling : ndarray of float
        nan where there is none.
    rest : ndarray of float
        What the parent's p leaves beside these two and the nodes with bars of their own, at least 0; nan where it is negative.
    is_incoherent : ndarray of bool
        Where it is negative by more than rounding: the children are together more probable than their parent.
    """

    taxonomy: Taxonomy
    node: np.ndarray
    p: np.ndarray
    sibling: np.ndarray
    p_sibling: np.ndarray
    rest: np.ndarray
    is_incoherent: np.ndarray

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a depth, nodes by name."""
        names = (*self.taxonomy.names, "")
        columns: dict[str, Any] = {"node": [names[node] for node in self.node.tolist()], "p": self.p}
        columns |= {"sibling": [names[node] for node in self.sibling.tolist()], "p_sibling": self.p_sibling}
        return frame(columns | {"rest": self.rest, "is_incoherent": self.is_incoherent})


def lane_bars(taxonomy: Taxonomy, p: ArrayLike, path: ArrayLike, besides: Sequence[int] | np.ndarray = ()) -> LaneBars:
    """Probabilities along a path from the root, with what the parent's probability leaves at each depth.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    p : array_like of float, shape (n_nodes,)
        Node probabilities of one sample.
    path : array_like of int, shape (n_depths + 1,)
        From the root down along edges.
    besides : sequence of int
        Nodes with bars of their own, such as those of the true path: they are neither best sibling nor rest.

    Returns
    -------
    LaneBars

    Raises
    ------
    PredictionsError
        If `p` has another shape, a node is none, or `path` does not lead from the root down.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> bars = lane_bars(taxonomy, [1, 0.75, 0.5, 0.25, 0.125], taxonomy.path(2))
    >>> bars.p, [taxonomy.names[node] for node in bars.sibling], bars.rest
    (array([0.75, 0.5 ]), ['newt', 'dog'], array([0.125, 0.   ]))
    """
    check_taxonomy(taxonomy)
    (row,) = checked_probabilities(taxonomy, np.asarray(p)[None])
    nodes, own_bars = _nodes(taxonomy, "path", path), _nodes(taxonomy, "besides", besides)
    children = taxonomy.children.take(nodes[:-1])
    depth, child = children.rows, children.nodes
    is_node = child == nodes[1:][depth]
    if not len(nodes) or nodes[0] or (np.bincount(depth[is_node], minlength=len(nodes) - 1) != 1).any():
        raise PredictionsError(
            f"path: expected nodes from the root (node 0) down along edges, got {listed(nodes.tolist())}. Use Taxonomy.path."
        )
    n = len(nodes) - 1
    is_own = is_node | np.isin(child, own_bars)
    # The best sibling of each depth comes first: the most probable, the lowest of equal ones.
    order = np.lexsort((child, -row[child], is_own, depth))
    first = order[children.offsets[:-1]] if n else np.empty(0, np.intp)
    has_sibling = ~is_own[first]
    sibling = np.where(has_sibling, child[first], -1)
    p_sibling = np.where(has_sibling, row[child[first]], np.nan)
    own = np.bincount(depth, np.where(is_own, row[child], 0.0), n)
    rest = row[nodes[:-1]] - own - np.where(has_sibling, p_sibling, 0.0)
    is_incoherent = rest < -ROUNDING
    rest = np.where(is_incoherent, np.nan, np.maximum(rest, 0.0))
    return LaneBars(taxonomy, nodes[1:], row[nodes[1:]], sibling, p_sibling, rest, is_incoherent)


def _nodes(taxonomy, what, nodes):
    """Node numbers as an array of int, which may be empty."""
    found = one_each(what, nodes)
    check_nodes(taxonomy, what, found)
    return found.astype(np.intp)
