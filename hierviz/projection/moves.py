"""How the nodes of a file became those that predictions are judged on: other files about the samples are read in the same way.

Conventions
-----------
A move is one projection: onto a part of a taxonomy (`ToPart`), or to leaves for inner truths (`ToOthers`). `Predictions.moves`
has them in order.

Classes
-------
ReadableNodes : the nodes that a file about the samples may name, and where they went.
ToPart, ToOthers
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions
from hierviz.projection.taxonomy_part import TaxonomyPart, with_leaves
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class ToPart:
    """Nodes go to their nearest ancestor in a part; where `is_left_out`, truths outside are left out instead."""

    part: TaxonomyPart
    is_left_out: bool = False

    @property
    def before(self) -> Taxonomy:
        """The taxonomy of the nodes that are moved."""
        return self.part.whole

    def truths(self, lists: NodeLists) -> NodeLists:
        """Truths of samples, with the truths of a part."""
        return NodeLists.of(self.part.project(self.inside(lists) if self.is_left_out else lists))

    def inside(self, lists: NodeLists) -> NodeLists:
        """Without the nodes that are not in the part."""
        return lists.only((self.part.number[lists.nodes] >= 0) | (lists.nodes < 0))


@dataclass(frozen=True, eq=False, repr=False)
class ToOthers(Short):
    """Inner nodes below which no other node of a list lies go to a leaf of their own.

    Attributes
    ----------
    before : Taxonomy
    moved : ndarray of int, shape (n_nodes,)
        Where each node goes.
    """

    before: Taxonomy
    moved: np.ndarray

    def truths(self, lists: NodeLists) -> NodeLists:
        """Truths, or labels, of samples at the leaves."""
        inside = is_end(self.before, lists)
        return NodeLists(lists.offsets, np.where(inside, self.moved[np.maximum(lists.nodes, 0)], lists.nodes))


def is_end(taxonomy: Taxonomy, lists: NodeLists) -> np.ndarray:
    """Which nodes are known and have no other node of the same list below them, shape (n,) of bool."""
    inside, n = lists.nodes >= 0, taxonomy.n_nodes
    if not len(lists) or lists.lengths.max() <= 1:
        return inside
    row = lists.rows
    above = taxonomy.ancestors(lists.nodes[inside])
    node = np.repeat(lists.nodes[inside], above.lengths)
    keys = (np.repeat(row[inside], above.lengths) * n + above.nodes)[above.nodes != node]
    return inside & ~np.isin(row * n + lists.nodes, keys)


@dataclass(frozen=True, eq=False)
class ReadableNodes:
    """All classes that a file about the samples of some predictions may name, and where they went.

    Parameters
    ----------
    predictions : Predictions
    """

    predictions: Predictions

    @property
    def whole(self) -> Taxonomy:
        """The taxonomy before all moves."""
        moves = self.predictions.moves
        return moves[0].before if moves else self.predictions.taxonomy

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The nodes: those of `whole`, then the leaves for inner truths."""
        now, whole = self.predictions.taxonomy, self.whole
        new = [] if now is whole else [node for node, name in enumerate(now.names) if name not in whole.index]
        above = [whole.index[now.names[now.parent[node]]] for node in new]
        return with_leaves(whole, np.array(above), [now.names[node] for node in new]) if new else whole

    def truths(self, lists: NodeLists) -> NodeLists:
        """Truths of samples, moved as those of the predictions were; a list for each list of nodes of `taxonomy`."""
        lists = self._in_whole(lists)
        for move in self.predictions.moves:
            lists = move.truths(lists)
        return lists

    def answers(self, lists: NodeLists) -> tuple[NodeLists, NodeLists]:
        """Answers to samples, on the taxonomy of the predictions.

        Returns
        -------
        (NodeLists, NodeLists)
            With inner classes as they are, and at their leaf where they have one. Of an answer that names such a leaf both are
            that leaf.
        """
        plain = at_leaves = self._in_whole(lists)
        for move in self.predictions.moves:
            if isinstance(move, ToPart):
                plain, at_leaves = (NodeLists.of(move.part.project(one)) for one in (plain, at_leaves))
            else:
                at_leaves = move.truths(at_leaves)
        places = np.arange(len(lists))
        places[lists.rows[lists.nodes >= self.whole.n_nodes]] += len(lists)
        return NodeLists.concatenate([plain, at_leaves]).take(places), at_leaves

    def _in_whole(self, lists):
        """With the class above in the place of each leaf for inner truths."""
        if (lists.nodes < self.whole.n_nodes).all():
            return lists
        n = self.whole.n_nodes
        above = np.arange(self.taxonomy.n_nodes)
        above[n:] = self.taxonomy.edges[-(len(above) - n) :, 0]
        return NodeLists(lists.offsets, above[lists.nodes])
