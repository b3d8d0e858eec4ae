"""Macro averages and path-constrained F1 of resampled label sets, from the nodes of every sample."""

from __future__ import annotations

import numpy as np

from hierviz.metrics.node_pairs import ratio
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.node_sets import closed_keys, is_member, predicted_keys, truth_keys, valid_keys
from hierviz.taxonomy.taxonomy import NodeLists


class NodeCounts:
    """True, predicted and hit nodes of each sample, counted again for any weights of the samples.

    Parameters
    ----------
    model : Evaluation
    rows : ndarray of int, shape (n_samples,)
        Rows of its Predictions.
    threshold : float
        Of the sets of score files.
    """

    def __init__(self, model, rows, threshold):
        predictions, taxonomy = model.predictions, model.taxonomy
        self.taxonomy, self.n_nodes = taxonomy, taxonomy.n_nodes
        truth = predictions.truth.take(rows) if isinstance(predictions.truth, NodeLists) else predictions.truth[rows]
        lists = model.answers("threshold_set", threshold) if predictions.has_scores else predictions.labels
        predicted, self.outside = predicted_keys(taxonomy, lists.take(rows))
        if predictions.is_hard:
            predicted = closed_keys(taxonomy, predicted)
        true, valid = truth_keys(taxonomy, truth), valid_keys(taxonomy, predicted) if len(predicted) else predicted
        keys = {
            "true": true,
            "predicted": predicted,
            "hit": true[is_member(true, predicted)],
            "valid": valid,
            "valid_hit": true[is_member(true, valid)],
        }
        self._row_and_node = {name: np.divmod(of, self.n_nodes) for name, of in keys.items()}

    def numbers(self, counts, columns):
        """The numbers of one draw: dict of the keys of some Columns to float, nan where there is none."""
        n = {name: np.bincount(node, counts[row], self.n_nodes)[1:] for name, (row, node) in self._row_and_node.items()}
        f1 = {
            "plain": ratio(2 * n["hit"], n["predicted"] + n["true"], empty=0.0),
            "prune": ratio(2 * n["valid_hit"], n["valid"] + n["true"], empty=0.0),
            "strict": ratio(2 * n["valid_hit"], n["predicted"] + n["true"], empty=0.0),
        }
        outside = float(counts @ self.outside)
        sums = {name: of.sum() for name, of in n.items()} | {"outside": outside}
        return {column.key: self._number(column, f1, n["true"] > 0, sums) for column in columns}

    def _number(self, column, f1, is_supported, sums):
        made = METRICS[column.metric].made
        if made.over == "sums":
            claimed = sums["predicted" if made.reading == "strict" else "valid"] + sums["outside"]
            return float(ratio(2 * sums["valid_hit"], claimed + sums["true"], empty=0.0))
        values = f1[made.reading]
        if made.over == "nodes":
            return _mean(values)
        if made.over == "supported":
            return _mean(values[is_supported])
        parts = column.key.split(".")
        inside = self.taxonomy.depth[1:] == int(parts[2])
        return _mean(values[inside & is_supported if len(parts) > 3 else inside])


def _mean(values):
    return float(values.mean()) if len(values) else float("nan")
