r"""Predicted sets of nodes against true sets, counted block by block.

Conventions
-----------
As in `hierviz.metrics.sets.label_sets`, which makes numbers of the counts.

Functions
---------
SetCounts
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.sets.node_sets import (
    above,
    closed_keys,
    complete_below,
    highest_below,
    is_member,
    node_weights,
    outside_weight,
    predicted_keys,
    rows_of,
    same_length,
    truth_keys,
    valid_keys,
    work_blocks,
)
from hierviz.metrics.sets.set_curves import block_areas
from hierviz.taxonomy.checks import check_threshold, check_truth_first, checked_probabilities

AREAS = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")
_SUMS = ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit", "n_outside", "n_samples")


class SetCounts:
    """Counts of predicted against true sets, added up in blocks of samples.

    Parameters
    ----------
    taxonomy : Taxonomy
        Counts of bits and depths need a tree; the rest works on a graph.
    threshold : float
        In [0, 1]; a node is predicted when its score is above it.

    Attributes
    ----------
    n_true, n_predicted, n_hit, n_valid, n_valid_hit : ndarray of int, shape (n_nodes,)
        Samples in which a node is true, predicted, both, predicted with all its ancestors, and that and true.
    n_outside : int
        Predicted labels outside the taxonomy.
    n_samples : int
    """

    def __init__(self, taxonomy, threshold=0.5):
        check_threshold(threshold)
        self.taxonomy, self.threshold = taxonomy, float(threshold)
        names = ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit")
        for name in names:
            setattr(self, name, np.zeros(taxonomy.n_nodes, dtype=np.int64))
        self.n_outside = self.n_samples = 0
        self._weights = {"nodes": node_weights(taxonomy)}
        if taxonomy.is_tree:
            self._weights["information"] = node_weights(taxonomy, "information")
        self._blocks = []

    # Adding samples ------------------------------------------------------------------------------------------------

    def add(self, truth, p):
        """Add samples with scores.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
            True nodes; ancestors are added.
        p : ndarray of float, shape (n_rows, n_nodes)
            Node probabilities; they need not be coherent. Any number of rows: work is done in smaller blocks.

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
            outside = np.zeros(len(block), dtype=np.int64)
            self._count(len(block), predicted, augmented, valid, here, outside)
            self._blocks[-1] |= block_areas(taxonomy, block, closed, here)

    def add_lists(self, truth, predicted, *, is_hard=False):
        """Add samples with lists of predicted nodes.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
        predicted : NodeLists
            Taken as listed; -1 is a label outside the taxonomy, the root is not counted, repeated nodes count once.
        is_hard : bool
            A label stands for its whole path: ancestors are added before anything is counted.

        Raises
        ------
        PredictionsError
            If lengths differ or a value is not a node number.
        """
        same_length(truth, predicted)
        keys, outside = predicted_keys(self.taxonomy, predicted)
        self._add_keys(truth, keys, outside, is_hard)

    def add_block(self, truth, predicted, areas):
        """Add samples whose predicted sets and areas are known, from `hierviz.compiled.tree_pass`.

        Parameters
        ----------
        truth : ndarray of int, shape (n_rows,), or NodeLists
        predicted : NodeLists
            The nodes with a score above the threshold, without the root.
        areas : ndarray of float, shape (3, n_rows)
            ``hf1_auc``, ``ihf1_auc`` and ``hf1_auc_raw``.
        """
        row = np.repeat(np.arange(len(predicted)), predicted.lengths)
        keys = np.sort(row * self.taxonomy.n_nodes + predicted.nodes)
        self._add_keys(truth, keys, np.zeros(len(predicted), dtype=np.int64), is_hard=False)
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
        is_hit, is_shared = is_member(true, predicted), is_member(true, augmented)
        hit, valid_hit = true[is_hit], true[is_member(true, valid)]
        for name, keys in (
            ("n_true", true),
            ("n_predicted", predicted),
            ("n_hit", hit),
            ("n_valid", valid),
            ("n_valid_hit", valid_hit),
        ):
            getattr(self, name)[:] += np.bincount(keys % n_nodes, minlength=n_nodes)
        self.n_outside += int(outside.sum())
        self.n_samples += n

        def per_row(keys, weights=None):
            row, node = np.divmod(keys, n_nodes)
            return np.bincount(row, None if weights is None else weights[node], minlength=n)

        inside = per_row(predicted)
        block = {
            "n_predicted": inside + outside,
            "n_true": per_row(true),
            "n_hit": per_row(hit),
            "is_incoherent": per_row(augmented) > inside,
        }
        for name, weights in self._weights.items():
            block[f"{name}_shared"] = per_row(true[is_shared], weights)
            block[f"{name}_claimed"] = per_row(augmented, weights) + outside * outside_weight(self.taxonomy, name)
            block[f"{name}_due"] = per_row(true, weights)
        self._blocks.append(block)

    # Parts ---------------------------------------------------------------------------------------------------------

    def counted(self):
        """What was counted, without the taxonomy: two dicts, sums and per-sample columns, for `from_counted`."""
        keys = [key for key in (self._blocks[0] if self._blocks else ()) if self._column(key) is not None]
        return {name: getattr(self, name) for name in _SUMS}, {key: self._column(key) for key in keys}

    @classmethod
    def from_counted(cls, taxonomy, threshold, parts):
        """The counts of the samples of several parts, in their order.

        Parameters
        ----------
        taxonomy : Taxonomy
        threshold : float
        parts : sequence of (dict, dict)
            From `counted`, on this taxonomy and at this threshold. Sums over samples are whole numbers, so that a
            division into parts changes nothing.

        Returns
        -------
        SetCounts
        """
        merged = cls(taxonomy, threshold)
        for sums, columns in parts:
            for name in _SUMS:
                setattr(merged, name, getattr(merged, name) + sums[name])
            if sums["n_samples"]:
                merged._blocks.append(columns)
        return merged

    def _column(self, key):
        """One per-sample array over all blocks; None when a block does not have it."""
        if not self._blocks or any(key not in block for block in self._blocks):
            return None
        return np.concatenate([block[key] for block in self._blocks])
