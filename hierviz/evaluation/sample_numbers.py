"""Every number of every judged sample of an evaluated model.

Functions
---------
numbers_of_samples
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hierviz.inference.registry import inference_rule
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.metrics.win import best_leaf_metrics

# Of how many most probable leaves one has to be right for top-5 accuracy.
TOP = 5


def numbers_of_samples(
    evaluation: Any, rule: str, threshold: float, parameters: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """`Evaluation.per_sample`, which says what the arguments and the columns are."""
    columns = {"row": evaluation.rows, "sample_id": evaluation.predictions.ids[evaluation.rows]}
    if not evaluation.n_judged:
        return columns
    if evaluation.predictions.has_single_truth:
        columns["truth"] = evaluation.truth
    if evaluation.best_leaf is not None:
        if not inference_rule(rule).returns_sets:
            columns["predicted"] = np.asarray(evaluation.answers(rule, threshold, **parameters))[evaluation.rows]
        columns["top_down"] = evaluation.best_leaf[evaluation.rows]
        columns["argmax_leaf"] = np.asarray(evaluation.answers("leaf"))[evaluation.rows]
    elif (ends := evaluation.label_paths()) is not None:
        columns["predicted"] = ends[evaluation.rows]
    if evaluation.why_no_curve() is None:
        columns |= evaluation.distribution_per_sample()
        best = best_leaf_metrics(evaluation.taxonomy, evaluation.truth, columns["top_down"])
        keys = ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
        columns |= {key: best[key] for key in keys}
        leaf = best_leaf_metrics(evaluation.taxonomy, evaluation.truth, columns["argmax_leaf"])
        columns["argmax_leaf_accuracy"] = leaf["finest_accuracy"]
        assert evaluation.leaf_rank is not None
        columns["top5_leaf_accuracy"] = (evaluation.leaf_rank[evaluation.rows] < TOP).astype(float)
        if "predicted" in columns:
            metrics = path_metrics(evaluation.taxonomy, np.asarray(evaluation.truth), columns["predicted"])
            columns |= {key: metrics[key] for key in path_keys()}
    columns |= evaluation.confusion(rule, threshold, **parameters).per_sample
    names = {"hf1": "hf1_samples", "ihf1": "ihf1_samples", "hp": "hp_samples", "hr": "hr_samples"}
    sets = evaluation.label_counts(threshold).per_sample()
    return columns | {names.get(key, key): values for key, values in sets.items() if values is not None}
