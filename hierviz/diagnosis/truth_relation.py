"""How a node of each sample stands to its truth: above it or equal, below it, or beside it."""

from __future__ import annotations

import numpy as np

from hierviz.metrics.sets.node_sets import is_member, truth_keys
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


class TruthRelation:
    """The truth of some samples, against which nodes can be held.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth : ndarray of int, or NodeLists
        Of all samples.
    rows : ndarray of int, shape (n_rows,)
        Samples with a known truth.
    """

    def __init__(self, taxonomy: Taxonomy, truth: np.ndarray | NodeLists, rows: np.ndarray):
        self.taxonomy, self.rows = taxonomy, np.arange(len(rows))
        self.truth = truth.take(rows) if isinstance(truth, NodeLists) else truth[rows]
        self.is_simple = taxonomy.is_tree and not isinstance(truth, NodeLists)
        if not self.is_simple:
            lists = NodeLists.of(self.truth)
            self.own = np.sort(np.repeat(self.rows, lists.lengths) * taxonomy.n_nodes + lists.nodes)
            self.above = truth_keys(taxonomy, lists)

    def of(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether a truth is at or below the node of each sample; whether none is and one is a proper ancestor of it.

        Parameters
        ----------
        nodes : ndarray of int, shape (n_rows,)

        Returns
        -------
        is_event, is_unknown : ndarray of bool, shape (n_rows,)
        """
        taxonomy = self.taxonomy
        if self.is_simple:
            truth = np.asarray(self.truth)
            is_event = taxonomy.is_ancestor(nodes, truth)
            return is_event, ~is_event & taxonomy.is_ancestor(truth, nodes)
        is_event = (nodes == 0) | is_member(self.rows * taxonomy.n_nodes + nodes, self.above)
        different, place = np.unique(nodes, return_inverse=True)
        lists = taxonomy.ancestors(different).take(place)
        row = np.repeat(self.rows, lists.lengths)
        has_truth = is_member(row * taxonomy.n_nodes + lists.nodes, self.own)
        return is_event, ~is_event & (np.bincount(row[has_truth], minlength=len(nodes)) > 0)
