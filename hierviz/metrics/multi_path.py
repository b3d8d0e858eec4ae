r"""The hierarchical confusion matrix of several predicted paths against several true labels, in trees and graphs.

Conventions
-----------
Per sample: `truth`, an ordered list of nodes (repeats dropped), and `predicted`, an ordered list of paths from the root.
The root is never counted. A pair of a predicted path q and a true path p with their common prefix of k nodes, the last of
them z, counts

    TP = k - 1,  FP = |q \ p|,  FN = |p \ q|,
    TN = |siblings of the nodes of the prefix \ p| + |children of z \ (p | q)|,

siblings being nodes with a common parent; the two parts of TN are added, so a node may count twice in a graph.

Matching is greedy. Predictions come in the order of m, the longest prefix they share with a path to any of the truths,
longest first; on ties the path whose list of names is larger (by code point) comes first, -1 having the empty name. Each
takes, among the truths still free, the one it shares the longest prefix with, on ties the first in the order of the
truth; p is the path to that truth that shares this prefix, on ties the first in depth-first order. A prediction that
shares nothing takes a truth all the same. When no truth is left, all nodes of q are FP and nothing is TN. A truth that is
left over adds the nodes of its shortest path as FN.

No path is enumerated: the prefix shared with a path to t are the nodes of q that are t or above it, and p continues
through the first child that is t or above it.

Where the reference implementation [1]_ stops or guesses, we do this: a true label outside the taxonomy, a path that does
not start at the root and one that skips a level are errors; a sample without any path is an error here and the root-only
path in `PathLists.from_lists`, `PathLists.from_nodes` and `greedy_cover`.

Functions
---------
confusion_paths, best_constant_path

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.errors import PredictionsError, listed
from hierviz.metrics.confusion import CELLS, HierarchicalConfusion, _siblings_on_path
from hierviz.metrics.path import ratio
from hierviz.metrics.path_lists import PathLists, Towards, grouped, is_in, joined, padded, without_repeats
from hierviz.taxonomy import NodeLists

# Neighbours in a graph are counted for so many of them at once (32 MB an array).
BLOCK_VALUES = 4_000_000


@dataclass(frozen=True)
class MatchedPair:
    """A predicted path, the true path it is judged by, and the nodes behind the counts.

    Attributes
    ----------
    predicted, true : ndarray of int
        Paths from the root; -1 in `predicted` is a node outside the taxonomy.
    tp, tn, fp, fn : ndarray of int
        Nodes, ascending. In a graph a node may stand twice in `tn`: it counts twice.
    """

    predicted: np.ndarray
    true: np.ndarray
    tp: np.ndarray
    tn: np.ndarray
    fp: np.ndarray
    fn: np.ndarray


@dataclass(frozen=True)
class SamplePairs:
    """What a sample's counts are made of.

    Attributes
    ----------
    pairs : tuple of MatchedPair
        In the order of matching.
    surplus : tuple of ndarray of int
        Predicted paths for which no truth was left, in the order of matching: their nodes below the root are FP.
    left_over : tuple of ndarray of int
        A shortest path to each truth that no prediction took, in the order of the truth: its nodes below the root are FN.
    """

    pairs: tuple[MatchedPair, ...]
    surplus: tuple[np.ndarray, ...]
    left_over: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class PathConfusion(HierarchicalConfusion):
    """Hierarchical confusion of the predicted paths against the true labels of each sample.

    Attributes
    ----------
    taxonomy : Taxonomy
    truth : NodeLists
        True labels without repeats, shape (n_samples,).
    predicted : PathLists
    tp, tn, fp, fn : ndarray of int, shape (n_samples,)
        Numbers of nodes, summed over the pairs of a sample.
    turn, taken : ndarray of int, shape (n_paths,)
        Of each path listed in `predicted`: its place in the order of matching of its sample, and the place in
        ``truth.nodes`` of the truth it took, -1 if none was left.
    """

    turn: np.ndarray = None
    taken: np.ndarray = None

    def pairs(self, row):
        """What the counts of one sample are made of.

        Parameters
        ----------
        row : int

        Returns
        -------
        SamplePairs
        """
        first, last = self.predicted.offsets[row], self.predicted.offsets[row + 1]
        listed = first + np.argsort(self.turn[first:last])
        pairs, surplus = [], []
        for place in listed.tolist():
            path = self.predicted.paths[self.predicted.which[place]]
            if self.taken[place] < 0:
                surplus.append(path)
            else:
                pairs.append(_pair(self.taxonomy, path, self.truth.nodes[self.taken[place]]))
        places = np.arange(self.truth.offsets[row], self.truth.offsets[row + 1])
        left = self.truth.nodes[np.setdiff1d(places, self.taken[first:last])]
        return SamplePairs(tuple(pairs), tuple(surplus), tuple(_shortest_path(self.taxonomy, node) for node in left))

    def node_sets(self, row):
        """The nodes behind the four counts of one sample, over all its paths.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of str to ndarray of int
            ``tp``, ``tn``, ``fp``, ``fn``, each ascending; a node stands as often as it counts, and with several paths
            it may stand under several cells. See `pairs` for each path.
        """
        found = self.pairs(row)
        more = {"tp": (), "tn": (), "fp": found.surplus, "fn": found.left_over}
        return {
            cell: np.sort(
                np.concatenate(
                    [
                        np.empty(0, np.intp),
                        *(getattr(pair, cell) for pair in found.pairs),
                        *(path[1:] for path in more[cell]),
                    ]
                )
            )
            for cell in CELLS
        }


def confusion_paths(taxonomy, truth, predicted):
    """Hierarchical confusion of several predicted paths against several true labels per sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    truth : NodeLists, or ndarray of int, shape (n_samples,)
        True labels in the order of the source, leaves or inner nodes. None at all is allowed.
    predicted : PathLists
        At least one path a sample; the root-only path is no prediction. Nothing is truncated or covered here.

    Returns
    -------
    PathConfusion

    Raises
    ------
    PredictionsError
        If the lengths differ, a truth is not a node number, a sample has no path, or a path is none.

    Notes
    -----
    The work is done on the different (path, truth) combinations and, for the matching, in rounds: the first path of all
    samples, then the second. Time and memory grow with the number of path-truth pairs within samples.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> found = confusion_paths(taxonomy, NodeLists.from_lists([[2, 4]]), PathLists.from_lists([[[0, 1, 3], [0, 1]]]))
    >>> found.counts
    {'tp': 1, 'tn': 1, 'fp': 2, 'fn': 2}
    >>> [(pair.predicted.tolist(), pair.true.tolist()) for pair in found.pairs(0).pairs]
    [([0, 1, 3], [0, 1, 2]), ([0, 1], [0, 4])]
    """
    if not isinstance(truth, NodeLists):
        truth = NodeLists(np.arange(len(truth) + 1), np.asarray(truth))
    _check(taxonomy, truth, predicted)
    truth = without_repeats(truth)
    turn, taken = _match(taxonomy, truth, predicted)
    counts = _count(taxonomy, truth, predicted, taken)
    return PathConfusion(taxonomy, truth, predicted, *(counts[cell] for cell in CELLS), turn, taken)


def best_constant_path(taxonomy, truth):
    """The one path that, always predicted, has the highest F1: what a model must beat.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph; in a graph each node is tried with its first path in depth-first order.
    truth : NodeLists, or ndarray of int, shape (n_samples,)

    Returns
    -------
    node : int
        The end of that path; the lowest node number on ties.
    PathConfusion
        Of predicting it for every sample.

    Notes
    -----
    TP of a constant path are, summed over its nodes, the samples with a truth at or below the node. TP + FN is at least
    the sum of the shortest paths to all truths, and equal to it in a tree. In a graph this bounds F1 from above, and only
    nodes whose bound reaches the best F1 found so far are tried.
    """
    if not isinstance(truth, NodeLists):
        truth = NodeLists(np.arange(len(truth) + 1), np.asarray(truth))
    _check_truth(taxonomy, truth)
    truth = without_repeats(truth)
    n = len(truth)
    n_samples_below = _samples_below(taxonomy, truth)
    n_samples_below[0] = 0
    candidates = np.append(0, np.flatnonzero(n_samples_below))
    paths = Towards(taxonomy, candidates).first_paths()
    hits = np.add.reduceat(n_samples_below[paths.nodes], paths.offsets[:-1])
    claimed = n * (paths.lengths - 1)
    bound = ratio(2 * hits, claimed + int(taxonomy.depth[truth.nodes].sum()), empty=0.0)
    best = None
    for place in np.argsort(-bound, kind="stable").tolist():
        if best is not None and (taxonomy.is_tree or bound[place] < best[0]):
            break
        always = PathLists(np.arange(n + 1), np.zeros(n, dtype=np.intp), paths.take(np.array([place])))
        found = confusion_paths(taxonomy, truth, always)
        f1, node = found.measures["f1"] or 0.0, int(candidates[place])
        if best is None or (f1, -node) > (best[0], -best[1]):
            best = f1, node, found
    return best[1], best[2]


def _samples_below(taxonomy, truth):
    """Number of samples with a truth at or below each node, shape (n_nodes,)."""
    n_nodes = taxonomy.n_nodes
    targets, target = np.unique(truth.nodes, return_inverse=True)
    above = Towards(taxonomy, targets).above
    row = np.repeat(np.arange(len(truth)), truth.lengths)
    is_alone = truth.lengths[row] == 1
    n_alone = np.repeat(np.bincount(target[is_alone], minlength=len(targets)), above.lengths)
    total = np.zeros(n_nodes, dtype=np.intp)
    np.add.at(total, above.nodes, n_alone)
    # With several truths, what lies above two of them counts once.
    row, above = row[~is_alone], above.take(target[~is_alone])
    return total + np.bincount(
        np.unique(np.repeat(row, above.lengths) * n_nodes + above.nodes) % n_nodes, minlength=n_nodes
    )


def _check(taxonomy, truth, predicted):
    if len(truth) != len(predicted):
        raise PredictionsError(
            f"truth and predicted: expected as many samples in both, got {len(truth)} and {len(predicted)}. Align them."
        )
    _check_truth(taxonomy, truth)
    predicted.check(taxonomy)


def _check_truth(taxonomy, truth):
    nodes = truth.nodes
    if len(nodes) and (
        not np.issubdtype(nodes.dtype, np.integer) or nodes.min() < 0 or nodes.max() >= taxonomy.n_nodes
    ):
        bad = nodes[(nodes < 0) | (nodes >= taxonomy.n_nodes)]
        raise PredictionsError(
            f"truth: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {listed(bad.tolist()) or nodes.dtype}. "
            "Use Taxonomy.nodes to look names up."
        )


def _match(taxonomy, truth, predicted):
    """Turn of every listed path in its sample, and the place in ``truth.nodes`` of the truth it takes or -1."""
    n_paths, n_truths = len(predicted.which), len(truth.nodes)
    sample = np.repeat(np.arange(len(truth)), predicted.lengths)
    turn, taken = np.arange(n_paths) - predicted.offsets[:-1][sample], np.full(n_paths, -1)
    # All pairs within samples, path by path.
    pairs = NodeLists(truth.offsets, np.arange(n_truths)).take(sample)
    prefix = _prefix(taxonomy, predicted, np.repeat(predicted.which, pairs.lengths), truth.nodes[pairs.nodes])
    if len(turn) and turn.max():
        longest = np.zeros(n_paths, dtype=np.intp)
        np.maximum.at(longest, np.repeat(np.arange(n_paths), pairs.lengths), prefix)
        order = np.lexsort((-_name_order(taxonomy, predicted.paths)[predicted.which], -longest, sample))
        turn = np.empty(n_paths, dtype=np.intp)
        turn[order] = np.arange(n_paths) - predicted.offsets[:-1][sample[order]]
    # The longer prefix wins, then the earlier truth: one number says both.
    value = prefix * (n_truths + 1) + n_truths - pairs.nodes
    is_free = np.ones(n_truths, dtype=bool)
    with_truth = np.flatnonzero(pairs.lengths)
    with_truth = with_truth[np.argsort(turn[with_truth], kind="stable")]
    for paths in np.split(with_truth, np.flatnonzero(np.diff(turn[with_truth])) + 1) if len(with_truth) else ():
        here = NodeLists(pairs.offsets, value).take(paths)
        free = is_free[n_truths - here.nodes % (n_truths + 1)]
        best = np.maximum.reduceat(np.where(free, here.nodes, -1), here.offsets[:-1])
        paths, best = paths[best >= 0], best[best >= 0]
        taken[paths] = n_truths - best % (n_truths + 1)
        is_free[taken[paths]] = False
    return turn, taken


def _prefix(taxonomy, predicted, which, target):
    """Number of nodes that path `which` shares with the nearest path to `target`, the root included, pair by pair."""
    keys, place = np.unique(which * taxonomy.n_nodes + target, return_inverse=True)
    which, target = np.divmod(keys, taxonomy.n_nodes)
    if taxonomy.is_tree:
        return (taxonomy.depth[taxonomy.lca(_known_end(predicted)[which], target)] + 1)[place]
    up = Towards(taxonomy, np.unique(target))
    nodes = predicted.paths.take(which)
    shared = up.is_above(nodes.nodes, np.repeat(target, nodes.lengths))
    # What is above a node of the prefix is above the target too: the nodes shared are the prefix.
    return np.add.reduceat(shared, nodes.offsets[:-1], dtype=np.intp)[place]


def _known_end(predicted):
    """The last node of the taxonomy on each of ``predicted.paths``."""
    return predicted.paths.nodes[predicted.paths.offsets[:-1] + predicted.known_lengths - 1]


def _name_order(taxonomy, paths):
    """Rank of each path among all of them, as lists of names, by code point; -1 is the empty name."""
    used = np.unique(paths.nodes[paths.nodes >= 0]).tolist()
    rank = np.zeros(taxonomy.n_nodes + 1, dtype=np.intp)
    # Index -1 is the last one: names are never empty, so it comes before all of them and after the end of a path.
    rank[sorted(used, key=taxonomy.names.__getitem__)] = np.arange(2, len(used) + 2)
    rank[-1] = 1
    table = padded(NodeLists(paths.offsets, rank[paths.nodes]), 0)
    position = np.empty(len(paths), dtype=np.intp)
    position[np.lexsort(table.T[::-1])] = np.arange(len(paths))
    return position


def _count(taxonomy, truth, predicted, taken):
    """The four counts of each sample."""
    n, n_nodes = len(truth), taxonomy.n_nodes
    sample = np.repeat(np.arange(n), predicted.lengths)
    of_path = {cell: np.zeros(len(taken), dtype=np.intp) for cell in CELLS}
    of_path["fp"] = predicted.paths.lengths[predicted.which] - 1
    matched = np.flatnonzero(taken >= 0)
    if len(matched):
        keys, place = np.unique(predicted.which[matched] * n_nodes + truth.nodes[taken[matched]], return_inverse=True)
        which, target = np.divmod(keys, n_nodes)
        if taxonomy.is_tree:
            tp, tn, fn = _count_in_tree(taxonomy, _known_end(predicted)[which], target)
        else:
            tp, tn, fn = _count_in_graph(taxonomy, predicted, which, target)
        of_path["tp"][matched], of_path["tn"][matched], of_path["fn"][matched] = tp[place], tn[place], fn[place]
        of_path["fp"] -= of_path["tp"]
    found = {}
    for cell, values in of_path.items():
        found[cell] = np.zeros(n, dtype=np.intp)
        np.add.at(found[cell], sample, values)
    is_left = np.ones(len(truth.nodes), dtype=bool)
    is_left[taken[matched]] = False
    np.add.at(found["fn"], np.repeat(np.arange(n), truth.lengths)[is_left], taxonomy.depth[truth.nodes[is_left]])
    return found


def _count_in_tree(taxonomy, end, target):
    """TP, TN and FN of each pair of the last known node of a predicted path and a truth."""
    common = taxonomy.lca(end, target)
    tn = _siblings_on_path(taxonomy)[common] + taxonomy.children.lengths[common] - (target != common) - (end != common)
    return taxonomy.depth[common], tn, taxonomy.depth[target] - taxonomy.depth[common]


def _count_in_graph(taxonomy, predicted, which, target):
    """TP, TN and FN of each pair of a predicted path and a truth."""
    n_nodes, n_children = taxonomy.n_nodes, taxonomy.children.lengths
    prefix = _prefix(taxonomy, predicted, which, target)
    starts = predicted.paths.offsets[which]
    z = predicted.paths.nodes[starts + prefix - 1]
    rest = Towards(taxonomy, np.unique(target)).rest(z, target)
    # Neighbours are listed one by one, so pairs are worked on in blocks.
    n_near = np.bincount(taxonomy.edges[:, 1], n_children[taxonomy.edges[:, 0]], n_nodes).astype(np.intp)
    shared = _heads(predicted.paths.take(which), prefix)
    size = np.add.reduceat(n_near[shared.nodes], shared.offsets[:-1]) + n_children[z]
    tn = np.zeros(len(which), dtype=np.intp)
    for rows in np.split(np.arange(len(which)), np.flatnonzero(np.diff(np.cumsum(size) // BLOCK_VALUES)) + 1):
        head = shared.take(rows)
        true, answer = joined(head, rest.take(rows)), predicted.paths.take(which[rows])
        on_true, on_answer = (np.sort(_keys(one, n_nodes)) for one in (true, answer))
        above = _expand(head, taxonomy.parents)
        siblings = np.unique(_keys(_expand(_lists_once(above, n_nodes), taxonomy.children), n_nodes))
        below = _keys(taxonomy.children.take(z[rows]), n_nodes)
        siblings = siblings[~is_in(on_true, siblings)]
        below = below[~is_in(on_true, below) & ~is_in(on_answer, below)]
        tn[rows] = np.bincount(np.concatenate([siblings, below]) // n_nodes, minlength=len(rows))
    return prefix - 1, tn, rest.lengths


def _heads(lists, lengths):
    """The first `lengths` nodes of each list, as NodeLists."""
    place = np.arange(len(lists.nodes)) - np.repeat(lists.offsets[:-1], lists.lengths)
    return NodeLists(
        np.append(0, np.cumsum(lengths)).astype(np.intp), lists.nodes[place < np.repeat(lengths, lists.lengths)]
    )


def _keys(lists, n_nodes):
    """Number of the list * n_nodes + node, for each node of the taxonomy in lists."""
    known = lists.nodes >= 0
    return np.repeat(np.arange(len(lists)), lists.lengths)[known] * n_nodes + lists.nodes[known]


def _expand(lists, neighbours):
    """Per list the neighbours of all its nodes, as NodeLists."""
    found = neighbours.take(lists.nodes)
    return NodeLists(found.offsets[lists.offsets], found.nodes)


def _lists_once(lists, n_nodes):
    row, node = np.divmod(np.unique(_keys(lists, n_nodes)), n_nodes)
    return grouped(row, node, len(lists))


def _pair(taxonomy, path, target):
    """The MatchedPair of one predicted path and one truth."""
    up = Towards(taxonomy, np.array([target]))
    k = int(np.isin(path, up.above.nodes).sum())
    true = np.concatenate([path[:k], up.rest(path[k - 1 : k], up.targets).nodes])
    siblings = taxonomy.children.take(np.unique(taxonomy.parents.take(path[:k]).nodes)).nodes
    below = np.setdiff1d(taxonomy.children[path[k - 1]], np.concatenate([true, path]))
    tn = np.concatenate([np.setdiff1d(siblings, true), below])
    return MatchedPair(path, true, np.sort(path[1:k]), np.sort(tn), np.sort(path[k:]), np.sort(true[k:]))


def _shortest_path(taxonomy, node):
    """One of the shortest paths from the root to a node, through the first parent that is near enough."""
    path = [int(node)]
    while path[-1]:
        parents = taxonomy.parents[path[-1]]
        path.append(int(parents[np.argmax(taxonomy.depth[parents] < taxonomy.depth[path[-1]])]))
    return np.array(path[::-1])
