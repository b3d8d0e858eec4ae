r"""Lowest and highest metrics of the sets {p > threshold} when only some scores of a sample are listed.

Conventions
-----------
A node is surely predicted when its lowest probability is above the threshold, and can be predicted when its highest one is.
With h the true nodes in the set, f the false ones and y the true ones, F1 = 2 h / (h + f + y), precision and recall grow
with h and fall with f, so bounds of h and f, per sample or per node, give theirs. Of leaf probabilities less than
1 / threshold nodes of one depth can be above the threshold, which limits f.

Functions
---------
SetBounds
"""

from __future__ import annotations

import numpy as np

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
        self._parts = {"plain": [], "nodes": [], "information": []}
        self._most_of_depth = np.inf
        if is_distribution and threshold > 0:
            self._most_of_depth = np.ceil(1 / threshold) - 1

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
        self._parts["plain"].append(self._sums(n, true, cells, np.ones(n_nodes)))
        if not self.is_distribution:
            cells = self._cells(true, highest_below(self.taxonomy, low), highest_below(self.taxonomy, high))
        for name in ("nodes", "information"):
            self._parts[name].append(self._sums(n, true, cells, node_weights(self.taxonomy, name)))

    def _cells(self, true, low, high):
        """(row, node, whether it is surely above the threshold, whether it is true) of every node that can be above it."""
        row, node = np.nonzero(above(high, self.threshold))
        is_sure = low[row, node] > self.threshold
        return row, node, is_sure, is_member(row * low.shape[1] + node, true)

    def _sums(self, n, true, cells, weights):
        """Weight of the true nodes, and lowest and highest of hits and of false ones: shape (5, n_rows)."""
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
        return np.array([due, total(is_true & is_sure), total(is_true), surely_false, false])

    def summary(self):
        """Intervals of the numbers of block ``labels`` that have one: dict of [low, high]."""
        due, *hits, wrong_low, wrong_high = np.concatenate(self._parts["plain"], axis=1).sum(axis=1)
        wrong = (wrong_low, wrong_high)
        cells = self.n_samples * (self.taxonomy.n_nodes - 1)
        true, *node_hits, node_low, node_high = self._of_nodes[:, 1:]
        node_f1 = [_f1(hit, miss, true) for hit, miss in zip(node_hits, (node_high, node_low))]
        supported = true > 0
        found = {
            "micro_precision": [_share(hit, miss) for hit, miss in zip(hits, wrong[::-1])],
            "micro_recall": [_share(hit, due - hit) for hit in hits],
            "micro_f1": [float(_f1(hit, miss, due)) for hit, miss in zip(hits, wrong[::-1])],
            "macro_f1": [f1.mean() for f1 in node_f1],
            "hamming_loss": [(miss + due - hit) / cells for hit, miss in zip(hits[::-1], wrong)],
            "n_empty": self._n_empty.tolist(),
        }
        if supported.any():
            found["macro_f1_supported"] = [f1[supported].mean() for f1 in node_f1]
        if self.is_distribution:
            for suffix in ("", "_strict"):
                found[f"c_f1_micro{suffix}"], found[f"c_f1_macro{suffix}"] = found["micro_f1"], found["macro_f1"]
            found["n_incoherent"] = [0, 0]
        for prefix, name in (("h", "nodes"), ("ih", "information")):
            due, *hits, wrong_low, wrong_high = np.concatenate(self._parts[name], axis=1)
            pairs = list(zip(hits, (wrong_high, wrong_low)))
            found[f"{prefix}f1_samples"] = [_f1(hit, miss, due).mean() for hit, miss in pairs]
            found[f"{prefix}f1_micro"] = [float(_f1(hit.sum(), miss.sum(), due.sum())) for hit, miss in pairs]
            if prefix == "h":
                found["hp_samples"] = [ratio(hit, hit + miss).mean() for hit, miss in pairs]
                found["hr_samples"] = [ratio(hit, due).mean() for hit in hits]
        return found


def _f1(hit, wrong, due):
    """2 hit / (hit + wrong + due), 0 where nothing is true or predicted."""
    return ratio(2 * hit, hit + wrong + due, empty=0.0)


def _share(part, rest):
    return float(part / (part + rest)) if part + rest else 0.0
