r"""LCA-F: two sets of labels, compared by themselves and by the ways from each label to the nearest one of the other set.

Conventions
-----------
Both sets are reduced to their most specific labels; a set without a label is the root alone. A label of both sets needs no way.
From any other label all ways up are walked until they meet the other set: the first node on each that is a label of it, or above
one. Of these nodes those count by which the nearest label of the other set is fewest edges away, up and down together: they are
the lowest common ancestors (LCA) of the label, of it and of each of these nearest labels.

An LCA that no label needs, because each label that it links has another one, is left out, those near the root first, of equal
depth the last in the order of nodes. Then each label is linked to the deepest of its LCAs that are left, the first in the order
of nodes; and where an LCA is linked with labels of one set only, it is linked with the nearest label of the other. With Y and H
the labels of truth and prediction together with the nodes of the shortest way from each to its LCA (of equally short ways the
one whose nodes, from the LCA down, come first), the LCA included,

    LCA-P = |H & Y| / |H|,    LCA-R = |H & Y| / |Y|,    LCA-F = 2 |H & Y| / (|H| + |Y|).

The root counts like any node, so no value is 0. Trees and graphs. -1 is a label outside the taxonomy: a node of its own, directly
under the root.

With a maximum distance of D edges no way is longer: where a way has no end within it, it ends one edge further, at a node above
all classes, which counts like any other. Without, all ways meet at the root at the latest.

Functions
---------
lca_scores

References
----------
.. [1] A. Kosmopoulos, I. Partalas, E. Gaussier, G. Paliouras, I. Androutsopoulos, Evaluation measures for hierarchical
       classification: a unified view and novel approaches, Data Mining and Knowledge Discovery 29, 2015, section 4.2.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.path import check_nodes
from hierviz.metrics.sets.node_sets import most_specific, same_length
from hierviz.taxonomy.node_lists import NodeLists, distinct, is_member, offsets_of

# Labels and their ancestors that are worked on at a time: about 100 bytes each.
PAIRS_AT_ONCE = 300_000
TRUE, PREDICTED = 0, 1


def lca_scores(taxonomy, truth, predicted, max_distance=None):
    """LCA precision, recall and F1 of every sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth : NodeLists, or ndarray of int, shape (n_samples,)
    predicted : NodeLists, length n_samples
        -1 is a label outside the taxonomy.
    max_distance : int, optional
        Edges, at least 1; no maximum when absent.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        ``lca_precision``, ``lca_recall`` and ``lca_f1`` in (0, 1], dimensionless, higher is better.

    Raises
    ------
    PredictionsError
        If lengths differ, a value is not a node number, or `max_distance` is no whole number from 1.

    Examples
    --------
    Cat for dog: each set is its label and mammal, where the two meet. Newt besides cat meets cat at the root, and the way from
    the true cat to it has mammal too.

    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> predicted = NodeLists.from_lists([taxonomy.nodes("cat"), taxonomy.nodes("cat", "newt")])
    >>> found = lca_scores(taxonomy, taxonomy.nodes("dog", "cat"), predicted)
    >>> found["lca_precision"].round(3).tolist(), found["lca_f1"].round(3).tolist()
    ([0.5, 0.667], [0.5, 0.667])
    """
    same_length(truth, predicted)
    if max_distance is not None and not (isinstance(max_distance, int) and max_distance >= 1):
        raise PredictionsError(
            f"max_distance: expected a whole number from 1, got {max_distance!r}. Give one, or None."
        )
    check_nodes(taxonomy, "truth", NodeLists.of(truth).nodes)
    check_nodes(taxonomy, "predicted", predicted.nodes, lowest=-1)
    sides = tuple(most_specific(taxonomy, NodeLists.of(nodes)) for nodes in (truth, predicted))
    n_pairs = np.cumsum(sum(_n_above(taxonomy, lists) for lists in sides))
    parts = [np.empty((3, 0))]
    start = 0
    while start < len(predicted):
        before = n_pairs[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(n_pairs, before + PAIRS_AT_ONCE, side="right")))
        parts.append(_Links(taxonomy, [lists.take(slice(start, stop)) for lists in sides], max_distance).sizes())
        start = stop
    shared, claimed, due = np.concatenate(parts, axis=1)
    return {
        "lca_precision": ratio(shared, claimed),
        "lca_recall": ratio(shared, due),
        "lca_f1": ratio(2 * shared, claimed + due),
    }


def _n_above(taxonomy, lists):
    """How many nodes the labels of each list and their ancestors are, at least 2, shape (n_lists,)."""
    known = lists.nodes >= 0
    different, place = np.unique(lists.nodes[known], return_inverse=True)
    lengths = np.full(len(lists.nodes), 2)
    lengths[known] = taxonomy.ancestors(different).lengths[place] + 1
    return 2 + np.bincount(lists.rows, lengths, minlength=len(lists)).astype(np.intp)


class _Links:
    """The links between the labels of two sets of some samples.

    An entry is one label of one set of a sample. Pairs are keys ``entry * width + node``, with two kinds of nodes after those of
    the taxonomy: the one above all classes, and labels outside the taxonomy.
    """

    def __init__(self, taxonomy, sides, max_distance):
        self.n, self.max_distance, self.top = len(sides[TRUE]), max_distance, taxonomy.n_nodes
        self.is_tree = taxonomy.is_tree
        most_outside = int(np.bincount(sides[PREDICTED].rows[sides[PREDICTED].nodes < 0], minlength=1).max())
        self.width = taxonomy.n_nodes + 1 + most_outside
        lengths = np.concatenate([[1], taxonomy.parents.lengths[1:], [0], np.ones(most_outside, np.intp)])
        above = np.concatenate([[self.top], taxonomy.parents.nodes, np.zeros(most_outside, np.intp)])
        self.parents = NodeLists(offsets_of(lengths), above.astype(np.intp))
        self.depth = np.concatenate([taxonomy.depth, [-1], np.ones(most_outside, np.intp)])
        labels = [self._labels(lists) for lists in sides]
        self.row, self.node = np.divmod(np.concatenate(labels), self.width)
        self.side = np.repeat([TRUE, PREDICTED], [len(keys) for keys in labels])
        self.is_alone = ~np.concatenate([is_member(*labels), is_member(*labels[::-1])])
        # Of all ways up from each label: the nodes, how far they are, and which node is before them on the shortest way.
        self.keys, self.distance, self.before = self._climbed(np.arange(len(self.node)))

    def _labels(self, lists):
        """Keys ``row * width + node`` of labels, ascending: the root only where it is alone, numbers for labels outside."""
        row, node = lists.rows, lists.nodes.astype(np.intp)
        outside = np.flatnonzero(node < 0)
        place = np.arange(len(outside)) - np.searchsorted(row[outside], row[outside])
        node[outside] = self.top + 1 + place
        row, node = row[node > 0], node[node > 0]
        empty = np.flatnonzero(np.bincount(row, minlength=self.n) == 0)
        return distinct(np.append(row * self.width + node, empty * self.width))

    def _climbed(self, entries, is_end=None):
        """Keys of all nodes on the ways up from some entries, ascending, the edges to them, and the node before each.

        `is_end`, of entries and nodes, says where ways end; then keys of these nodes alone, and nothing else, are given.
        """
        key, before = entries * self.width + self.node[entries], np.full(len(entries), -1)
        found, distance = [], 0
        while len(key):
            entry, node = np.divmod(key, self.width)
            ends = np.zeros(len(key), dtype=bool) if is_end is None else is_end(entry, node)
            found.append((key, np.full(len(key), distance), before) if is_end is None else (key[ends],))
            goes_on = ~ends & (node != self.top)
            entry, node = entry[goes_on], node[goes_on]
            if distance == self.max_distance:
                key, before = entry * self.width + self.top, node
            else:
                near = self.parents.take(node)
                key = np.repeat(entry * self.width, near.lengths) + near.nodes
                before = np.repeat(node, near.lengths)
            key, before = _firsts(key, before)
            if is_end is None and not self.is_tree:
                # What a shorter way has reached.
                is_new = ~is_member(key, np.sort(np.concatenate([level[0] for level in found])))
                key, before = key[is_new], before[is_new]
            distance += 1
        columns = [np.concatenate(column) for column in zip(*found)] or [np.empty(0, np.intp)] * 3
        if is_end is not None:
            return distinct(columns[0])
        order = np.argsort(columns[0])
        return tuple(column[order] for column in columns)

    def _place(self, keys):
        """Where keys of an entry and a node above it are among `keys`."""
        return np.searchsorted(self.keys, keys)

    def _linked(self):
        """Keys of each label with its LCAs, and of each LCA with the nearest labels of both sets, ascending."""
        entry, node = np.divmod(self.keys, self.width)
        of_set = (self.row[entry] * 2 + self.side[entry]) * self.width + node
        order = np.lexsort((self.distance, of_set))
        reached, first = np.unique(of_set[order], return_index=True)
        nearest = self.distance[order][first]

        def other_set(entry, node):
            return (self.row[entry] * 2 + 1 - self.side[entry]) * self.width + node

        met = self._climbed(
            np.flatnonzero(self.is_alone), lambda entry, node: is_member(other_set(entry, node), reached)
        )
        entry, node = np.divmod(met, self.width)
        place = np.searchsorted(reached, other_set(entry, node))
        total = self.distance[self._place(met)] + nearest[place]
        fewest = np.full(len(self.node), np.iinfo(np.intp).max)
        np.minimum.at(fewest, entry, total)
        is_lowest = total == fewest[entry]
        wanted = distinct(reached[place[is_lowest]])
        is_near = is_member(of_set, wanted)
        is_near[is_near] = self.distance[is_near] == nearest[np.searchsorted(reached, of_set[is_near])]
        return distinct(np.append(met[is_lowest], self.keys[is_near]))

    def _without_needless(self, links):
        """The links without those of LCAs that no label needs."""
        entry, node = np.divmod(links, self.width)
        lcas, lca = np.unique(self.row[entry] * self.width + node, return_inverse=True)
        needs = self.is_alone[entry]
        count = np.bincount(entry, minlength=len(self.node))
        has_others = np.ones(len(lcas), dtype=bool)
        has_others[lca[needs & (count[entry] < 2)]] = False
        # Few are in doubt: the n-th of each sample are decided at a time.
        doubtful = np.flatnonzero(has_others)
        row, node = np.divmod(lcas[doubtful], self.width)
        order = np.lexsort((-node, self.depth[node], row))
        doubtful, row = doubtful[order], row[order]
        turn = np.full(len(lcas), -1)
        turn[doubtful] = np.arange(len(row)) - np.searchsorted(row, row)
        is_kept = np.ones(len(lcas), dtype=bool)
        of_turn = np.argsort(turn[lca], kind="stable")
        ends = np.searchsorted(turn[lca][of_turn], np.arange(turn.max(initial=-1) + 2))
        for begin, end in pairwise(ends.tolist()):
            places = of_turn[begin:end]
            is_kept[lca[places]] = False
            is_kept[lca[places[needs[places] & (count[entry[places]] < 2)]]] = True
            np.subtract.at(count, entry[places[~is_kept[lca[places]]]], 1)
        return links[is_kept[lca]]

    def _used(self, links):
        """The links that are drawn: each label with one LCA, and each LCA with a label of both sets."""
        entry, node = np.divmod(links, self.width)
        order = np.lexsort((node, -self.depth[node], entry))
        first = order[np.unique(entry[order], return_index=True)[1]]
        is_used = np.zeros(len(links), dtype=bool)
        is_used[first[self.is_alone[entry[first]]]] = True
        of_side = (self.row[entry] * self.width + node) * 2 + self.side[entry]
        order = np.lexsort((self.node[entry], self.distance[self._place(links)], of_side))
        sides, first = np.unique(of_side[order], return_index=True)
        is_used[order[first[~is_member(sides, distinct(of_side[is_used]))]]] = True
        return links[is_used]

    def sizes(self):
        """Nodes that both sets of each sample have, that the predicted one and that the true one has, shape (3, n)."""
        entry, node = np.divmod(self._used(self._without_needless(self._linked())), self.width)
        of_set = [(self.row * 2 + self.side) * self.width + self.node]
        while len(entry):
            of_set.append((self.row[entry] * 2 + self.side[entry]) * self.width + node)
            is_below = node != self.node[entry]
            entry, node = entry[is_below], node[is_below]
            node = self.before[self._place(entry * self.width + node)]
        row, node = np.divmod(distinct(np.concatenate(of_set)), self.width)
        row, side = np.divmod(row, 2)
        true, predicted = ((row * self.width + node)[side == which] for which in (TRUE, PREDICTED))
        kept = predicted[is_member(predicted, true)], predicted, true
        return np.array([np.bincount(keys // self.width, minlength=self.n) for keys in kept], dtype=float)


def _firsts(key, before):
    """Different keys, ascending, each with the smallest of its values."""
    order = np.lexsort((before, key))
    key, before = key[order], before[order]
    is_first = np.append(True, key[1:] != key[:-1])[: len(key)]
    return key[is_first], before[is_first]
