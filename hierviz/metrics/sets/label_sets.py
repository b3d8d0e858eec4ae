r"""Metrics of predicted sets of nodes: every node but the root is one label that is on or off.

Conventions
-----------
The truth Y of a sample is closed under ancestors. The predicted set H is {score > threshold} (strict), or a list of
labels as listed. The root is never counted.

- micro: precision, recall and F1 of TP, FP, FN summed over samples and nodes; 0 where undefined.
- macro: mean over **all** nodes of 2TP / (2TP + FP + FN), 0 for a node that is neither true nor predicted; supported:
  mean over the nodes with a true sample.
- Hamming loss: (FP + FN) / (n_samples * nodes).
- C-F1: a predicted node is valid when all its ancestors are predicted too. Prune, the default, drops the others; strict
  keeps them in the predicted count and never as true positives.
- hF1, ihF1: `hierviz.metrics.sets.node_sets`; areas: `hierviz.metrics.sets.set_curves`.
- ICM [2]_: of closed sets in bits of the corpus, 2 I(H) + 2 I(Y) - 3 I(H u Y) = 3 I(H n Y) - I(H) - I(Y), with I the sum of
  `hierviz.metrics.sets.node_sets.corpus_weights`; ICM-Norm: (ICM + g) / 2g, at least 0, with g = ICM(Y, Y). Trees only: on a
  graph classes have several deepest common ancestors.
- Empty prediction: F1 0; precision 1 in ``hp_samples``. Nothing true (truth at the root): recall 1, F1 0, no area.
- A label -1 is a predicted label outside the taxonomy, always a false positive and always valid: it adds 1 to the
  predicted count of micro, C-F1 and hF1 and to FP of the Hamming loss, `log2(n_leaves)` bits to ihF1, and plays no part
  in the macro means, which run over the nodes of the taxonomy. A prediction of only -1 is not empty and not incoherent.

On a graph with several parents a node needs all its ancestors; the keys ``ihf1_*`` and ``macro_f1_by_depth`` are None
there.

Functions
---------
LabelSetCounts

References
----------
.. [1] R. Plaud, M. Labeau, A. Saillenfest, T. Bonald, Revisiting hierarchical text classification: inference and
       metrics, CoNLL 2024.
.. [2] E. Amigo, A. Delgado, Evaluating extreme hierarchical multi-label classification, ACL 2022, section 4.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.parts import ByNode, Mean, OfSums, OnDemand, Total
from hierviz.metrics.registry import METRICS, OPTIMAL_SET_METRICS, keys_of
from hierviz.metrics.sets.node_sets import (
    above,
    closed_keys,
    complete_below,
    highest_below,
    node_weights,
    outside_weight,
    predicted_keys,
    rows_of,
    same_length,
    set_scores,
    truth_keys,
    valid_keys,
    work_blocks,
)
from hierviz.metrics.sets.set_curves import block_areas
from hierviz.taxonomy.checks import check_threshold, check_truth_first, checked_probabilities
from hierviz.taxonomy.node_lists import is_member

AREAS = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")
# Columns of the truth and of the scores, which no threshold changes.
_OF_ANY_THRESHOLD = (*AREAS, "n_true", "nodes_due", "information_due", "corpus_due")
# Samples whose columns are kept together while more are added: large enough for the system to get their memory back.
SAMPLES_TOGETHER = 1 << 19
_BY_NODE = ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit")
_SIZES = ("shared", "claimed", "due")
_SUMS = (*_BY_NODE, "n_samples")


class LabelSetCounts:
    """Counts of predicted against true sets, added up in blocks of samples; every number of block ``labels``.

    Parameters
    ----------
    taxonomy : Taxonomy
        Counts of bits and depths need a tree; the rest works on a graph.
    threshold : float
        In [0, 1]; a node is predicted when its score is above it.
    corpus : (ndarray, float), optional
        Of `hierviz.metrics.sets.node_sets.corpus_weights`, of all samples; without it there is no ICM.

    Attributes
    ----------
    n_true, n_predicted, n_hit, n_valid, n_valid_hit : ndarray of int, shape (n_nodes,)
        Samples in which a node is true, predicted, both, predicted with all its ancestors, and that and true.
    n_samples : int
    beta : float or None
        Of the rule that made the sets to maximise an expected hF_beta: adds ``hf_beta_samples`` and ``hf_beta_expected``.
    expected : ndarray of float, shape (n_samples,), or None
        What each of these sets was expected to yield; None where samples have several true classes.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> counts = LabelSetCounts(taxonomy)
    >>> counts.add(taxonomy.nodes("cat", "newt"), np.array([[1, 0.75, 0.25, 0.5, 0.25], [1, 0, 0, 0, 1]]))
    >>> found = counts.summary()
    >>> found["micro_precision"], found["micro_recall"], found["hf1_auc"]
    (1.0, 0.6666666666666666, 0.875)
    """

    def __init__(self, taxonomy, threshold=0.5, corpus=None):
        check_threshold(threshold)
        self.taxonomy, self.threshold = taxonomy, float(threshold)
        for name in _BY_NODE:
            setattr(self, name, np.zeros(taxonomy.n_nodes, dtype=np.int64))
        self.n_samples = 0
        self.beta, self.expected = None, None
        self._weights = {"nodes": node_weights(taxonomy)}
        if taxonomy.is_tree:
            self._weights["information"] = node_weights(taxonomy, "information")
        self._outside = {name: outside_weight(taxonomy, name) for name in self._weights}
        if corpus is not None:
            self._weights["corpus"], self._outside["corpus"] = corpus
        # Blocks of columns: those of many samples first, then small ones, which have so many samples.
        self._blocks, self._n_large, self._n_in_small = [], 0, 0

    @classmethod
    def of_sets(cls, taxonomy, truth, predicted, of_scores, corpus=None):
        """Counts of sets that a rule has chosen, with the areas of the scores.

        Parameters
        ----------
        taxonomy : Taxonomy
        truth : ndarray of int, shape (n_samples,), or NodeLists
        predicted : NodeLists
        of_scores : LabelSetCounts
            Of the same samples, by a threshold of their scores.
        corpus
            As of the class.
        """
        counts = cls(taxonomy, of_scores.threshold, corpus)
        counts.add_lists(truth, predicted)
        columns = of_scores.counted()[1]
        counts._blocks[-1] |= {key: columns[key] for key in AREAS if key in columns}
        return counts

    # Adding samples ------------------------------------------------------------------------------------------------

    def add(self, truth, p, outside=None):
        """Add samples with scores.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
            True nodes; ancestors are added.
        p : ndarray of float, shape (n_rows, n_nodes)
            Node probabilities; they need not be coherent. Any number of rows: work is done in smaller blocks.
        outside : ndarray of bool, shape (n_rows,), optional
            Which sets have a label outside the taxonomy too.

        Raises
        ------
        PredictionsError
            If shapes do not fit, or a truth is not a node number (leave out samples without a known truth).
        """
        taxonomy, n_nodes = self.taxonomy, self.taxonomy.n_nodes
        check_truth_first(truth)
        p = checked_probabilities(taxonomy, p)
        same_length(truth, p)
        true = truth_keys(taxonomy, truth)
        for rows in work_blocks(len(p), n_nodes):
            block = p[rows]
            here = rows_of(true, rows.start, rows.stop, n_nodes)
            closed = highest_below(taxonomy, block)
            inside = above(block, self.threshold)
            augmented = np.flatnonzero(above(closed, self.threshold))
            predicted = np.flatnonzero(inside)
            # Nothing was added by the ancestors: the block is coherent at this threshold, and all nodes are valid.
            is_coherent = len(augmented) == len(predicted)
            valid = predicted if is_coherent else np.flatnonzero(complete_below(taxonomy, inside) & inside)
            beyond = _numbers(outside, rows, len(block))
            self._count(len(block), predicted, augmented, valid, here, beyond)
            self._blocks[-1] |= block_areas(taxonomy, block, closed, here, beyond)

    def add_lists(self, truth, predicted, *, is_hard=False):
        """Add samples with lists of predicted nodes.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
        predicted : NodeLists
            Taken as listed; -1 is a label outside the taxonomy, the root is not counted, repeated nodes count once.
        is_hard : bool
            A label means its whole path: ancestors are added before anything is counted.

        Raises
        ------
        PredictionsError
            If lengths differ or a value is not a node number.
        """
        same_length(truth, predicted)
        keys, outside = predicted_keys(self.taxonomy, predicted)
        self._add_keys(truth, keys, outside, is_hard)

    def add_block(self, truth, predicted, areas, outside=None):
        """Add samples whose predicted sets and areas are known, from `hierviz.compiled.tree_pass`.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
        predicted : NodeLists
            The nodes with a score above the threshold, without the root.
        areas : ndarray of float, shape (3, n_rows)
            ``hf1_auc``, ``ihf1_auc`` and ``hf1_auc_raw``.
        outside
            As of `add`.
        """
        row = predicted.rows
        keys = np.sort(row * self.taxonomy.n_nodes + predicted.nodes)
        self._add_keys(truth, keys, _numbers(outside, slice(None), len(predicted)), is_hard=False)
        self._blocks[-1] |= dict(zip(AREAS, areas, strict=True))

    def _add_keys(self, truth, keys, outside, is_hard):
        """Add samples from the keys ``row * n_nodes + node`` of their predicted sets, ascending."""
        taxonomy = self.taxonomy
        augmented = closed_keys(taxonomy, keys)
        if is_hard:
            keys = augmented
        valid = keys if len(augmented) == len(keys) else valid_keys(taxonomy, keys)
        self._count(len(outside), keys, augmented, valid, truth_keys(taxonomy, truth), outside)

    def _count(self, n, predicted, augmented, valid, true, outside):
        """Add a block from keys ``row * n_nodes + node``."""
        n_nodes = self.taxonomy.n_nodes
        is_shared = is_member(true, augmented)
        hit, valid_hit = (true[is_member(true, keys)] for keys in (predicted, valid))
        of_part = dict(zip(_BY_NODE, (true, predicted, hit, valid, valid_hit), strict=True))
        for name, keys in of_part.items():
            getattr(self, name)[:] += np.bincount(keys % n_nodes, minlength=n_nodes)
        self.n_samples += n

        def per_row(keys, weights=None):
            row, node = np.divmod(keys, n_nodes)
            return np.bincount(row, None if weights is None else weights[node], minlength=n)

        block = {name: per_row(keys) for name, keys in of_part.items()}
        block["n_incoherent"], block["n_outside"] = per_row(augmented) > block["n_predicted"], outside
        for name in ("n_predicted", "n_valid"):
            block[name] = block[name] + outside
        for name, weights in self._weights.items():
            block[f"{name}_shared"] = per_row(true[is_shared], weights)
            block[f"{name}_claimed"] = per_row(augmented, weights) + outside * self._outside[name]
            block[f"{name}_due"] = per_row(true, weights)
        # Counts of nodes are whole numbers, which take half the room.
        whole = [name for name in block if name.startswith(("n_", "nodes_")) and name != "n_incoherent"]
        block |= {name: block[name].astype(np.int32) for name in whole}
        # Thousands of small arrays would leave holes in memory.
        if self._n_in_small >= SAMPLES_TOGETHER:
            self._join(self._n_large)
        self._blocks.append(block)
        self._n_in_small += n

    # Parts ---------------------------------------------------------------------------------------------------------

    def counted(self):
        """What was counted, without the taxonomy: two dicts, sums and per-sample columns, for `from_counted`."""
        return {name: getattr(self, name) for name in _SUMS}, {key: self._column(key) for key in self._keys}

    @property
    def _keys(self):
        return list(self._whole)

    def _column(self, key):
        return self._whole[key]

    @property
    def _whole(self):
        """The columns of all samples."""
        self.put_together()
        return self._blocks[0] if self._blocks else {}

    def put_together(self):
        """Keep the columns of all samples as one block: for whoever has added all, before others use it."""
        if len(self._blocks) > 1:
            self._join(0)

    def share(self, other):
        """Keep in memory once what no threshold changes: it is that of other counts of the same samples and scores."""
        mine, theirs = self._whole, other._whole
        mine |= {key: theirs[key] for key in _OF_ANY_THRESHOLD if key in mine and key in theirs}

    def _join(self, first):
        """Make one block of those from a place on."""
        blocks = [dict(block) for block in self._blocks[first:]]
        keys = [key for key in blocks[0] if all(key in block for block in blocks)]
        # Each column is freed in turn, so that few are in memory twice.
        del self._blocks[first:]
        self._blocks.append({key: np.concatenate([block.pop(key) for block in blocks]) for key in keys})
        self._n_large, self._n_in_small = len(self._blocks), 0

    @classmethod
    def from_counted(cls, taxonomy, threshold, parts):
        """The counts of the samples of several parts, in their order.

        Parameters
        ----------
        taxonomy : Taxonomy
        threshold : float
        parts : sequence of (dict, dict)
            From `counted`, on this taxonomy and at this threshold; of columns any mapping. Sums over samples are whole
            numbers, so that a division into parts changes nothing.

        Returns
        -------
        LabelSetCounts
        """
        merged = cls(taxonomy, threshold)
        for sums, columns in parts:
            for name in _SUMS:
                setattr(merged, name, getattr(merged, name) + sums[name])
            if sums["n_samples"]:
                merged._blocks.append(columns)
        merged.put_together()
        return merged

    # Numbers -------------------------------------------------------------------------------------------------------

    def summary(self):
        """Block ``labels`` of the JSON: a dict with exactly the keys `METRICS`, those of optimal sets and beta where it is known.

        Values are plain numbers; None where the input has no such number: areas of label lists, bits and depths on a
        graph, means over nothing. ``macro_f1_by_depth`` is an object, depth as text -> macro_f1, macro_f1_supported,
        n_nodes.
        """
        parts, numbers = OnDemand(self._parts()), {}
        for key in keys_of("labels", Mean, Total, OfSums, ByNode):
            if key in OPTIMAL_SET_METRICS and self.beta is None:
                continue
            made = METRICS[key].made
            if isinstance(made, ByNode):
                numbers[key] = self._by_node(made)
            else:
                has_parts = all(name in parts for name in made.parts)
                numbers[key] = made.total(parts) if has_parts else None
        return numbers if self.beta is None else numbers | {"beta": float(self.beta)}

    def parts(self):
        """Parts of every sample that the numbers are put together from: dict of arrays of shape (n_samples,).

        Returns
        -------
        dict of str to ndarray
            `per_sample`, what was counted, and what follows from it; without what a graph, or labels, have not.
        """
        return dict(OnDemand(self._parts()))

    def _parts(self):
        """What makes each of `parts`, by its name: of millions of samples not all need be in memory."""
        counted = {key: partial(self._column, key) for key in self._keys}
        makers = {}
        if not self.n_samples:
            sizes = (f"{weight}_{what}" for weight in self._weights for what in _SIZES)
            makers = dict.fromkeys((*_BY_NODE, "n_incoherent", "n_outside", *sizes), partial(np.zeros, 0))
        of = OnDemand(makers | counted)
        makers |= {
            "n_wrong": lambda: of["n_predicted"] + of["n_true"] - 2 * of["n_hit"],
            "n_cells": lambda: np.full(self.n_samples, self.taxonomy.n_nodes - 1),
            "subset_accuracy": lambda: ((hit := of["n_hit"]) == of["n_predicted"]) & (hit == of["n_true"]),
            "n_empty": lambda: of["n_predicted"] == 0,
            "outside_share": lambda: (of["n_outside"] > 0).astype(float),
        }
        if "corpus_shared" in counted:
            makers["icm"] = lambda: 3 * of["corpus_shared"] - of["corpus_claimed"] - of["corpus_due"]
        return makers | counted | self._per_sample()

    def _by_node(self, made):
        """A number that is made of those of nodes."""
        if made.over == "depth":
            return self._by_depth()
        f1 = self.node_f1(made.reading)
        return _mean(f1[self._is_supported] if made.over == "supported" else f1)

    def per_sample(self):
        """Arrays over the samples in the order in which they were added, shape (n_samples,).

        Returns
        -------
        dict of str to ndarray
            ``hp_samples``, ``hr_samples``, ``hf1_samples``, ``n_predicted``; on trees ``ihf1_samples``; for scores
            ``hf1_auc``, ``hf1_auc_raw`` and on trees ``ihf1_auc`` (nan where nothing is true); for sets that maximise an
            expected hF_beta ``hf_beta_samples`` and, with one true class a sample, ``hf_beta_expected``.
        """
        return dict(OnDemand(self._per_sample()))

    def of_samples(self, key):
        """One of the arrays of `per_sample`, without the work of the others."""
        return self._per_sample()[key]()

    def _per_sample(self):
        """What makes each of `per_sample`, by its name."""
        keys, makers = self._keys, {}

        def sizes(weight):
            return [self._column(f"{weight}_{what}") for what in _SIZES]

        for prefix, weight, shown in (("h", "nodes", ("p", "r", "f1")), ("ih", "information", ("f1",))):
            if f"{weight}_shared" in keys:
                for place, name in enumerate(("p", "r", "f1")):
                    if name in shown:
                        makers[f"{prefix}{name}_samples"] = partial(
                            lambda weight, place: set_scores(*sizes(weight))[place], weight, place
                        )
        if self.beta is not None:
            square = self.beta**2

            def of_beta():
                shared, claimed, due = sizes("nodes")
                return ratio((1 + square) * shared, claimed + square * due, empty=0.0)

            makers["hf_beta_samples"] = of_beta
        if self.expected is not None:
            makers["hf_beta_expected"] = lambda: self.expected
        return makers | {key: partial(self._column, key) for key in ("n_predicted", *AREAS) if key in keys}

    def node_f1(self, reading="plain"):
        """F1 of every node but the root, 0 where it is neither true nor predicted, shape (n_nodes - 1,).

        ``reading``: 'plain', or path-constrained 'prune' or 'strict'.
        """
        hit, predicted = {
            "plain": (self.n_hit, self.n_predicted),
            "prune": (self.n_valid_hit, self.n_valid),
            "strict": (self.n_valid_hit, self.n_predicted),
        }[reading]
        return ratio(2 * hit, predicted + self.n_true, empty=0.0)[1:]

    def _by_depth(self):
        """Macro F1 of the nodes of each depth [1]_, Figure 3; None on a graph."""
        if not self.taxonomy.is_tree:
            return None
        f1, depth, n_depths = self.node_f1(), self.taxonomy.depth[1:], self.taxonomy.max_depth + 1
        sizes, means = np.bincount(depth, minlength=n_depths), {}
        for key, inside in (("macro_f1", depth > 0), ("macro_f1_supported", self._is_supported)):
            n, total = (np.bincount(depth[inside], weights, n_depths) for weights in (None, f1[inside]))
            means[key] = [float(value) if of else None for value, of in zip(ratio(total, n), n)]
        return {
            str(level): {**{key: of_depth[level] for key, of_depth in means.items()}, "n_nodes": int(sizes[level])}
            for level in range(1, n_depths)
        }

    @property
    def _is_supported(self):
        return self.n_true[1:] > 0


def areas_outside(taxonomy, truth, p):
    """`AREAS` of samples whose sets have one label outside the taxonomy besides, shape (3, n_rows).

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_rows,), or NodeLists
    p : ndarray of float, shape (n_rows, n_nodes)
    """
    true, areas = truth_keys(taxonomy, truth), np.empty((len(AREAS), len(p)))
    for rows in work_blocks(len(p), taxonomy.n_nodes):
        block, here = p[rows], rows_of(true, rows.start, rows.stop, taxonomy.n_nodes)
        found = block_areas(taxonomy, block, highest_below(taxonomy, block), here, np.ones(len(block)))
        areas[:, rows] = [found[key] for key in AREAS]
    return areas


def _numbers(outside, rows, n):
    """How many labels outside the taxonomy the sets of some rows have, shape (n,)."""
    return np.zeros(n, dtype=np.int64) if outside is None else np.asarray(outside)[rows].astype(np.int64)


def _mean(values):
    return float(values.mean()) if len(values) else None
