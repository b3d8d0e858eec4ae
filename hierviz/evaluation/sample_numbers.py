"""Parts of every judged sample of an evaluated model, which its numbers are put together from, and those that are numbers.

Functions
---------
parts_of, totals_of, per_sample, number_keys
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.curves._selective_curve import differing_share
from hierviz.evaluation.score_numbers import SCORE_BLOCKS, block_numbers, label_sets, level_answers, why_no_levels
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.metrics.level_answers import level_answer_numbers
from hierviz.metrics.node_pairs import truncated
from hierviz.metrics.outcomes import outcome_indicators
from hierviz.metrics.parts import Mean, MeanByDepth, OfAll, OfSums, OnDemand, Total
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, SIZES, keys_of
from hierviz.metrics.sets.lca_sets import lca_scores
from hierviz.metrics.win import best_leaf_makers, node_heights

# Of how many most probable leaves one has to be right for top-5 accuracy.
TOP = 5
# Of wrong samples alone: no number of every sample.
OVER_ERRORS = ("error_lca_height", *(f"lca_{of}_{k}" for of in ("depth", "information") for k in SIZES))


def parts_of(model: Any, block: str, choice: Mapping[str, Any]) -> Mapping[str, np.ndarray]:
    """Parts of the numbers of a block; nan where a sample has none.

    Parameters
    ----------
    model : Evaluation
        One to which the block applies.
    block : str
    choice : dict
        rule, threshold and parameters of the rule.

    Returns
    -------
    mapping of str to ndarray, shape (n_judged,)
        By the names that `made` of the entries of `METRICS` asks for.
    """
    return _PARTS[block](model, choice)


def totals_of(model: Any, block: str, choice: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a block that follow from sums of `parts_of`, in the order of `METRICS`; None where undefined."""
    parts = parts_of(model, block, choice)
    return {key: METRICS[key].made.total(parts) for key in keys_of(block, Mean, MeanByDepth, OfAll, Total, OfSums)}


def _distribution(model, choice):
    parts = model.distribution_per_sample()

    def finite():
        losses = parts["cross_entropy"]
        return np.where(np.isinf(losses), np.nan, losses)

    made = {
        **{key: partial(parts.__getitem__, key) for key in parts},
        **{
            f"{key}_infinite": partial(lambda key: np.isinf(parts[key]), key)
            for key in ("neg_log_win", "cross_entropy")
        },
        "cross_entropy_finite_mean": finite,
    }
    return OnDemand(made)


def _top_down(model, choice):
    taxonomy, truth, leaf = model.taxonomy, model.truth, model.of_judged(np.asarray(model.answers("leaf")))
    common = lowest_common_ancestors(taxonomy, truth, leaf)
    of_leaves = {
        "argmax_leaf_accuracy": lambda: (truncated(truth, leaf, common) == truth).astype(float),
        "top5_leaf_accuracy": lambda: (model.of_judged(model.leaf_rank) < TOP).astype(float),
        # Height of the lowest common ancestor of truth and most probable leaf.
        "error_lca_height": lambda: np.where((common == truth) & (leaf >= 0), np.nan, node_heights(taxonomy)[common]),
    }
    return OnDemand(best_leaf_makers(taxonomy, truth, model.of_judged(model.best_leaf)) | of_leaves)


def _predicted(model, choice):
    metrics = path_metrics(model.taxonomy, np.asarray(model.truth), np.asarray(model.answers(**choice))[model.rows])
    return metrics | outcome_indicators(metrics)


def _selective(model, choice):
    share = differing_share(model.climbed, model.judged_table)
    return {"climbing_differs": (share > 0).astype(float), "climbing_differs_mean": share}


def _of_block(block):
    return lambda model, choice: block_numbers(model, block)


_PARTS = {
    "distribution": _distribution,
    "top_down": _top_down,
    "predicted": _predicted,
    **{block: _of_block(block) for block in SCORE_BLOCKS},
    "levels": lambda model, choice: level_answer_numbers(model.taxonomy, np.asarray(model.truth), level_answers(model)),
    "selective": _selective,
    "lca": lambda model, choice: lca_scores(model.taxonomy, model.truth, label_sets(model, choice)),
    "labels": lambda model, choice: model.set_counts(choice).parts(),
    "confusion": lambda model, choice: model.confusion(**choice).per_sample,
}


def per_sample(
    evaluation: Any, rule: str | None = None, threshold: float | None = None, *, more: bool = False, **parameters: Any
) -> dict[str, np.ndarray]:
    """Every number of every judged sample; `rule`, `threshold` and `parameters` are those of `Evaluation.answers`.

    `more` adds the numbers of the blocks that `hierviz.evaluate` adds for it.

    Returns
    -------
    dict of str to ndarray, shape (n_judged,)
        ``row`` (place in the Predictions), ``sample_id``; node numbers ``truth``, ``predicted``, ``top_down``,
        ``argmax_leaf``; the keys of the JSON that are means over samples, as values of one sample, so that the mean
        of a column is the number in the JSON; ``tp, tn, fp, fn, hp, hr, hf1`` of the paths and ``n_predicted`` of
        the set. Only what applies to the input is there.
    """
    rule, threshold = rule_and_threshold(rule, threshold)
    rows, choice = evaluation.rows, {"rule": rule, "threshold": threshold, **parameters}
    columns = {"row": rows, "sample_id": evaluation.predictions.ids[rows]}
    if not evaluation.n_judged:
        return columns
    if evaluation.predictions.has_single_truth:
        columns["truth"] = evaluation.truth
    if evaluation.best_leaf is not None:
        if not inference_rule(rule).returns_sets:
            columns["predicted"] = np.asarray(evaluation.answers(**choice))[rows]
        columns["top_down"] = evaluation.best_leaf[rows]
        columns["argmax_leaf"] = np.asarray(evaluation.answers("leaf"))[rows]
    elif (ends := evaluation.label_paths()) is not None:
        columns["predicted"] = ends[rows]
    if evaluation.why_no_curve() is None:
        columns |= evaluation.distribution_per_sample()
        for block in _score_blocks("predicted" in columns, more):
            parts = parts_of(evaluation, block, choice)
            columns |= {key: parts[key] for key in _of_every_sample(block)}
    if more and why_no_levels(evaluation) is None:
        parts = parts_of(evaluation, "levels", choice)
        columns |= {key: parts[key] for key in keys_of("levels", Mean)}
    if more:
        columns |= parts_of(evaluation, "lca", choice)
    return {**columns, **parts_of(evaluation, "confusion", choice), **evaluation.set_counts(choice).per_sample()}


def number_keys(
    evaluation: Any, rule: str | None = None, threshold: float | None = None, **parameters: Any
) -> list[str]:
    """Keys of the numbers of `per_sample`, in its order; those of blocks that take long are not computed."""
    rule, threshold = rule_and_threshold(rule, threshold)
    if not evaluation.n_judged:
        return []
    choice, keys = {"rule": rule, "threshold": threshold, **parameters}, []
    if evaluation.why_no_curve() is None:
        is_set = evaluation.best_leaf is not None and inference_rule(rule).returns_sets
        has_answer = not is_set and (evaluation.best_leaf is not None or evaluation.label_paths() is not None)
        keys = [*evaluation.distribution_per_sample()]
        keys += [key for block in _score_blocks(has_answer) for key in _of_every_sample(block)]
    return list(
        dict.fromkeys([*keys, *parts_of(evaluation, "confusion", choice), *evaluation.set_counts(choice).per_sample()])
    )


def _score_blocks(has_answer, more=False):
    """Blocks of scores on a tree with numbers of single samples."""
    return ("top_down", *(SCORE_BLOCKS if more else ()), *(("predicted",) if has_answer else ()))


def _of_every_sample(block):
    return [key for key in keys_of(block, Mean) if key not in OVER_ERRORS]
