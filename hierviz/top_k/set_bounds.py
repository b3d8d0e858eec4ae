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
from hierviz.metrics.sets.node_sets import above, highest_below, node_weights, truth_keys


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
        n, n_nodes = low.shape
        keys = truth_keys(self.taxonomy, truth)
        true = np.zeros(n * n_nodes, dtype=bool)
        true[keys] = True
        true = true.reshape(n, n_nodes)
        sets = [above(values, self.threshold) for values in (low, high)]
        self.n_samples += n
        self._n_empty += [np.sum(~inside.any(axis=1)) for inside in sets[::-1]]
        hits, false = ([inside & part for inside in sets] for part in (true, ~true))
        self._of_nodes += np.array([cells.sum(axis=0) for cells in (true, *hits, *false)])
        self._parts["plain"].append(self._sums(true, hits, false, None))
        if not self.is_distribution:
            sets = [above(highest_below(self.taxonomy, values), self.threshold) for values in (low, high)]
            hits, false = ([inside & part for inside in sets] for part in (true, ~true))
        for name in ("nodes", "information"):
            self._parts[name].append(self._sums(true, hits, false, node_weights(self.taxonomy, name)))

    def _sums(self, true, hits, false, weights):
        """Weight of the true nodes, and lowest and highest of hits and of false ones: shape (5, n_rows)."""
        weights = np.ones(self.taxonomy.n_nodes) if weights is None else weights
        due, surely, possibly, wrong = (cells @ weights for cells in (true, *hits, false[0]))
        if np.isinf(self._most_of_depth):
            return np.array([due, surely, possibly, wrong, false[1] @ weights])
        most = np.zeros(len(true))
        for level in self.taxonomy.levels[1:]:
            cells = false[1][:, level]
            count = np.minimum(cells.sum(axis=1), self._most_of_depth)
            most += np.minimum(count * np.where(cells, weights[level], 0).max(axis=1), cells @ weights[level])
        return np.array([due, surely, possibly, wrong, np.maximum(wrong, most)])

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
