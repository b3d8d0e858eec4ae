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
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.sets.node_sets import ratio_of_sums, set_scores
from hierviz.metrics.sets.set_counts import AREAS, SetCounts

LABEL_KEYS = (
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_f1",
    "macro_f1_supported",
    "hamming_loss",
    "c_f1_micro",
    "c_f1_macro",
    "c_f1_micro_strict",
    "c_f1_macro_strict",
    "hf1_samples",
    "hf1_micro",
    "hp_samples",
    "hr_samples",
    "hp_micro",
    "hr_micro",
    "subset_accuracy",
    "ihf1_samples",
    "ihf1_micro",
    "n_empty",
    "n_incoherent",
    "hf1_auc",
    "ihf1_auc",
    "hf1_auc_raw",
    "macro_f1_by_depth",
)


class LabelSetCounts(SetCounts):
    """Counts of predicted against true sets, added up in blocks of samples; every number of block ``labels``.

    Parameters and attributes as in `SetCounts`.

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

    def _overlap(self, weight):
        """shared, claimed, due of every sample, or None."""
        sums = [self._column(f"{weight}_{what}") for what in ("shared", "claimed", "due")]
        return None if sums[0] is None else sums

    def summary(self):
        """Block ``labels`` of the JSON: a dict with exactly the keys `LABEL_KEYS`.

        Values are plain numbers; None where the input has no such number: areas of label lists, bits and depths on a
        graph, means over nothing. ``macro_f1_by_depth`` is an object, depth as text -> macro_f1, macro_f1_supported,
        n_nodes.
        """
        precision, recall, f1 = ratio_of_sums(self.n_hit.sum(), self._n_predicted_total, self.n_true.sum())
        cells = self.n_samples * (self.taxonomy.n_nodes - 1)
        missed = int(self._n_predicted_total + self.n_true.sum() - 2 * self.n_hit.sum())
        n_valid = self.n_valid.sum() + self.n_outside
        n_empty = self._column("n_predicted")
        incoherent = self._column("is_incoherent")
        numbers = {
            "micro_precision": precision,
            "micro_recall": recall,
            "micro_f1": f1,
            "macro_f1": _mean(self.node_f1()),
            "macro_f1_supported": _mean(self.node_f1()[self._is_supported]),
            "hamming_loss": missed / cells if cells else None,
            "c_f1_micro": ratio_of_sums(self.n_valid_hit.sum(), n_valid, self.n_true.sum())[2],
            "c_f1_macro": _mean(self.node_f1("prune")),
            "c_f1_micro_strict": ratio_of_sums(self.n_valid_hit.sum(), self._n_predicted_total, self.n_true.sum())[2],
            "c_f1_macro_strict": _mean(self.node_f1("strict")),
            "n_empty": 0 if n_empty is None else int((n_empty == 0).sum()),
            "n_incoherent": 0 if incoherent is None else int(incoherent.sum()),
            "macro_f1_by_depth": self._summary_by_depth(),
            "subset_accuracy": self.subset_accuracy,
        }
        for prefix, weight in (("h", "nodes"), ("ih", "information")):
            family = self.family(weight)
            numbers[f"{prefix}f1_samples"] = family and family["f1_samples"]
            numbers[f"{prefix}f1_micro"] = family and family["f1_micro"]
            numbers[f"{prefix}p_samples"] = family and family["precision_samples_empty1"]
            numbers[f"{prefix}r_samples"] = family and family["recall_samples"]
            numbers[f"{prefix}p_micro"] = family and family["precision_micro"]
            numbers[f"{prefix}r_micro"] = family and family["recall_micro"]
        for key in AREAS:
            values = self._column(key)
            # Samples with nothing to find have no area.
            numbers[key] = None if values is None else _mean(values[~np.isnan(values)])
        return {key: numbers[key] for key in LABEL_KEYS}

    def per_sample(self):
        """Arrays over the samples in the order in which they were added, shape (n_samples,).

        Returns
        -------
        dict of str to ndarray
            ``hp``, ``hr``, ``hf1``, ``n_predicted``; on trees ``ihf1``; for scores ``hf1_auc``, ``hf1_auc_raw`` and on
            trees ``ihf1_auc`` (nan where nothing is true).
        """
        columns = {}
        for name, weight in (("hf1", "nodes"), ("ihf1", "information")):
            overlap = self._overlap(weight)
            if overlap is not None:
                hp, hr, f1 = set_scores(*overlap)
                columns |= {"hp": hp, "hr": hr, "hf1": f1} if name == "hf1" else {name: f1}
        for key in ("n_predicted", *AREAS):
            values = self._column(key)
            if values is not None:
                columns[key] = values
        return columns

    def family(self, weight="nodes"):
        """The hF1 (``weight="nodes"``) or ihF1 (``"information"``) family as a dict; None on a graph or without samples.

        Keys: precision_samples_empty1 and precision_samples_empty0 (an empty prediction counted as 1 or as 0),
        recall_samples, f1_samples (means over samples), precision_micro, recall_micro, f1_micro (ratios of sums).
        """
        overlap = self._overlap(weight)
        if overlap is None:
            return None
        precision, recall, f1 = set_scores(*overlap)
        micro = ratio_of_sums(*overlap)
        return {
            "precision_samples_empty1": _mean(precision),
            "precision_samples_empty0": _mean(set_scores(*overlap, empty=0.0)[0]),
            "recall_samples": _mean(recall),
            "f1_samples": _mean(f1),
            "precision_micro": micro[0],
            "recall_micro": micro[1],
            "f1_micro": micro[2],
        }

    @property
    def n_supported(self):
        """Number of nodes with a true sample."""
        return int(self._is_supported.sum())

    @property
    def samples_f1_plain(self):
        """Mean of the F1 of every sample without adding ancestors; 0 for an empty prediction, None without samples."""
        hit, predicted, true = (self._column(key) for key in ("n_hit", "n_predicted", "n_true"))
        return None if hit is None else _mean(ratio(2 * hit, predicted + true, empty=0.0))

    @property
    def subset_accuracy(self):
        """Share of samples whose predicted set is the true one; None without samples."""
        hit, predicted, true = (self._column(key) for key in ("n_hit", "n_predicted", "n_true"))
        return None if hit is None else _mean((hit == predicted) & (hit == true))

    def level_accuracy(self):
        """Share of samples whose predicted nodes of a depth are the true ones, shape (max_depth,); children of the root first.

        Samples with neither a true nor a predicted node there count as right, so deep levels look very good
        ("acc level k" of the authors' `evaluate_fast`, who count levels from 0). Labels outside the taxonomy stand at
        depth 1.
        """
        return ratio(self._level_right[1:], self.n_samples, empty=np.nan)

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

    def macro_f1_by(self, group, n_groups):
        """Macro F1 within groups of nodes.

        Parameters
        ----------
        group : ndarray of int, shape (n_nodes - 1,)
            Group of every node but the root, from 0 to n_groups - 1.

        Returns
        -------
        list of dict
            n_nodes, macro_f1, n_supported, macro_f1_supported; None for the mean of no node.
        """
        f1, supported = self.node_f1(), self._is_supported
        counts = np.bincount(group, minlength=n_groups), np.bincount(group[supported], minlength=n_groups)
        sums = np.bincount(group, f1, n_groups), np.bincount(group[supported], f1[supported], n_groups)
        return [
            {
                "n_nodes": int(n),
                "macro_f1": float(total / n) if n else None,
                "n_supported": int(m),
                "macro_f1_supported": float(among / m) if m else None,
            }
            for n, total, m, among in zip(counts[0], sums[0], counts[1], sums[1])
        ]

    def macro_f1_by_depth(self):
        """Macro F1 of the nodes of each depth [1]_, Figure 3: dict of depth (1, 2, ...) to `macro_f1_by`; trees only."""
        self.taxonomy.require_tree("macro F1 by depth")
        depth = self.taxonomy.depth[1:]
        return dict(enumerate(self.macro_f1_by(depth - 1, self.taxonomy.max_depth), 1))

    def macro_f1_by_train_count(self, train_count, bins=4):
        """Macro F1 of nodes grouped by quantiles of their number of training samples [1]_, Figure 4.

        Parameters
        ----------
        train_count : ndarray, shape (n_nodes,)
            Training samples that carry each node, inner nodes included; the root's is not used.
        bins : int
            At least 1. Edges are quantiles k / bins (linear); a node's bin is the number of edges strictly below its
            count, so equal counts stay together and bins can be empty.

        Returns
        -------
        dict
            ``edges``, shape (bins - 1,), and ``bins``: a list of dicts bin, n_nodes, min_count, max_count, macro_f1,
            n_supported, macro_f1_supported; None where the bin is empty.

        Raises
        ------
        PredictionsError
            If there is not one count per node, or a count is missing.
        """
        counts = np.asarray(train_count)
        if counts.shape != (self.taxonomy.n_nodes,):
            raise PredictionsError(
                f"train counts: expected {self.taxonomy.n_nodes} values (one per node), got shape {counts.shape}. "
                "Give one count per node."
            )
        try:
            counts = counts[1:].astype(np.float64)
        except (TypeError, ValueError):
            counts = np.full(len(counts) - 1, np.nan)
        if not np.isfinite(counts).all():
            raise PredictionsError(
                "train counts: expected a number for every node, got missing or other values "
                f"({self.taxonomy.names[1 + int(np.argmin(np.isfinite(counts)))]!r}). Fill them in, 0 where never seen."
            )
        edges = np.quantile(counts, np.arange(1, bins) / bins)
        group = np.searchsorted(edges, counts, side="left")
        by_bin = self.macro_f1_by(group, bins)
        low, high = np.full(bins, np.inf), np.full(bins, -np.inf)
        np.minimum.at(low, group, counts)
        np.maximum.at(high, group, counts)
        return {
            "edges": edges.tolist(),
            "bins": [
                {
                    "bin": k,
                    "n_nodes": means["n_nodes"],
                    "min_count": _number(low[k]) if means["n_nodes"] else None,
                    "max_count": _number(high[k]) if means["n_nodes"] else None,
                    "macro_f1": means["macro_f1"],
                    "n_supported": means["n_supported"],
                    "macro_f1_supported": means["macro_f1_supported"],
                }
                for k, means in enumerate(by_bin)
            ],
        }

    @property
    def _n_predicted_total(self):
        return int(self.n_predicted.sum()) + self.n_outside

    @property
    def _is_supported(self):
        return self.n_true[1:] > 0

    def _summary_by_depth(self):
        if not self.taxonomy.is_tree:
            return None
        return {
            str(depth): {key: means[key] for key in ("macro_f1", "macro_f1_supported", "n_nodes")}
            for depth, means in self.macro_f1_by_depth().items()
        }


def _mean(values):
    return float(values.mean()) if len(values) else None


def _number(value):
    return int(value) if float(value).is_integer() else float(value)
