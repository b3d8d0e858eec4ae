r"""Lowest and highest metrics of the sets {p > threshold} when only some scores of a sample are listed.

Conventions
-----------
A node is surely predicted when its lowest probability is above the threshold, and can be predicted when its highest one is.
With h the true nodes in the set, f the false ones and y the true ones, F1 = 2 h / (h + f + y), precision and recall grow
with h and fall with f, so bounds of h and f, per sample or per node, give theirs. Of leaf probabilities, which sum to 1
within `ROUNDING`, less than 1 / threshold nodes of one depth can be above the threshold, or one more; this limits f.

Functions
---------
SetBounds
"""

from __future__ import annotations

import numpy as np

from hierviz.evaluation.unknown_mass import ROUNDING
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.sets.node_sets import above, highest_below, is_member, node_weights, truth_keys


class SetBounds:
    """Bounds of block ``labels``, added up in blocks of samples.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    threshold : float
    is_distribution : bool
        Leaf probabilities: the sets hold the ancestors of their nodes.
    """

    def __init__(self, taxonomy, threshold, is_distribution):
        self.taxonomy, self.threshold, self.is_distribution = taxonomy, threshold, is_distribution
        self.n_samples = 0
        # Samples in which each node is true, surely and possibly hit, surely and possibly predicted falsely.
        self._of_nodes = np.zeros((5, taxonomy.n_nodes), dtype=np.int64)
        self._n_empty = np.zeros(2, dtype=np.int64)
        # Sums over samples, of which each is (lowest, highest).
        self._sums = {"plain": {}, "nodes": {}, "information": {}}
        self._most_of_depth = np.inf
        if is_distribution and threshold > 0:
            self._most_of_depth = np.ceil((1 + ROUNDING) / threshold) - 1

    def add(self, truth, low, high):
        """Add samples: truth of shape (n_rows,) or NodeLists, node bounds of shape (n_rows, n_nodes)."""
        true = truth_keys(self.taxonomy, truth)
        cells = self._cells(true, low, high)
        row, node, is_sure, is_true = cells
        n, n_nodes = low.shape
        self.n_samples += n
        groups = (is_true & is_sure, is_true, ~is_true & is_sure, ~is_true)
        nodes = (true % n_nodes, *(node[cells_of_group] for cells_of_group in groups))
        self._of_nodes += np.array([np.bincount(of_part, minlength=n_nodes) for of_part in nodes])
        self._n_empty += [n - len(np.unique(row)), n - len(np.unique(row[is_sure]))]
        self._add_sums("plain", n, true, cells, np.ones(n_nodes))
        if not self.is_distribution:
            cells = self._cells(true, highest_below(self.taxonomy, low), highest_below(self.taxonomy, high))
        for name in ("nodes", "information"):
            self._add_sums(name, n, true, cells, node_weights(self.taxonomy, name))

    def _cells(self, true, low, high):
        """(row, node, whether it is surely above the threshold, whether it is true) of every node that can be above it."""
        row, node = np.nonzero(above(high, self.threshold))
        is_sure = low[row, node] > self.threshold
        return row, node, is_sure, is_member(row * low.shape[1] + node, true)

    def _add_sums(self, name, n, true, cells, weights):
        """Add what is due, hit and false, and precision, recall and F1 of each sample."""
        due, hits, false = self._of_samples(n, true, cells, weights)
        values = {
            "due": np.array([due, due]),
            "hits": hits,
            "false": false,
            "precision": ratio(hits, hits + false[::-1]),
            "recall": ratio(hits, due),
            "f1": _f1(hits, false[::-1], due),
            # Surely, and possibly, all of the true nodes and no others.
            "equal": np.array([(hit == due) & (wrong == 0) for hit, wrong in zip(hits, false[::-1])], dtype=float),
        }
        before = self._sums[name]
        self._sums[name] = {key: before.get(key, 0) + pair.sum(axis=1) for key, pair in values.items()}

    def _of_samples(self, n, true, cells, weights):
        """Weight of the true nodes, shape (n_rows,); lowest and highest of hits and of false ones, shape (2, n_rows)."""
        row, node, is_sure, is_true = cells
        weight = weights[node]

        def total(which):
            return np.bincount(row[which], weight[which], minlength=n)

        due = np.bincount(true // self.taxonomy.n_nodes, weights[true % self.taxonomy.n_nodes], minlength=n)
        surely_false = total(~is_true & is_sure)
        false = total(~is_true)
        if np.isfinite(self._most_of_depth):
            width = self.taxonomy.max_depth + 1
            level, of_level = np.unique((row * width + self.taxonomy.depth[node])[~is_true], return_inverse=True)
            sums, most = np.bincount(of_level, weight[~is_true], minlength=len(level)), np.zeros(len(level))
            np.maximum.at(most, of_level, weight[~is_true])
            most *= np.minimum(np.bincount(of_level, minlength=len(level)), self._most_of_depth)
            false = np.maximum(surely_false, np.bincount(level // width, np.minimum(most, sums), minlength=n))
        return due, np.array([total(is_true & is_sure), total(is_true)]), np.array([surely_false, false])

    def summary(self):
        """Intervals of the numbers of block ``labels`` that have one: dict of [low, high]."""
        plain, cells = self._sums["plain"], self.n_samples * (self.taxonomy.n_nodes - 1)
        due, hits, wrong = plain["due"][0], plain["hits"], plain["false"]
        true, *node_hits, node_low, node_high = self._of_nodes[:, 1:]
        node_f1 = [_f1(hit, miss, true) for hit, miss in zip(node_hits, (node_high, node_low))]
        supported = true > 0
        found = {
            "micro_precision": ratio(hits, hits + wrong[::-1], empty=0.0).tolist(),
            "micro_recall": ratio(hits, due, empty=0.0).tolist(),
            "micro_f1": _f1(hits, wrong[::-1], due).tolist(),
            "macro_f1": [f1.mean() for f1 in node_f1],
            "hamming_loss": ((wrong + due - hits[::-1]) / cells).tolist(),
            "n_empty": self._n_empty.tolist(),
        }
        if supported.any():
            found["macro_f1_supported"] = [f1[supported].mean() for f1 in node_f1]
        if self.is_distribution:
            for suffix in ("", "_strict"):
                found[f"c_f1_micro{suffix}"], found[f"c_f1_macro{suffix}"] = found["micro_f1"], found["macro_f1"]
            found["n_incoherent"] = [0, 0]
        for prefix, name in (("h", "nodes"), ("ih", "information")):
            sums = self._sums[name]
            found[f"{prefix}f1_samples"] = (sums["f1"] / self.n_samples).tolist()
            found[f"{prefix}f1_micro"] = _f1(sums["hits"], sums["false"][::-1], sums["due"]).tolist()
        sums = self._sums["nodes"]
        found["hp_micro"] = ratio(sums["hits"], sums["hits"] + sums["false"][::-1], empty=0.0).tolist()
        found["hr_micro"] = ratio(sums["hits"], sums["due"], empty=0.0).tolist()
        found["subset_accuracy"] = (plain["equal"] / self.n_samples).tolist()
        for key, name in (("hp_samples", "precision"), ("hr_samples", "recall")):
            found[key] = (self._sums["nodes"][name] / self.n_samples).tolist()
        return found


def _f1(hit, wrong, due):
    """2 hit / (hit + wrong + due), 0 where nothing is true or predicted."""
    return ratio(2 * hit, hit + wrong + due, empty=0.0)
