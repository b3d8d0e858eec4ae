"""Numbers that need the probabilities of all nodes once more: of the best leaves, of random cuts, of the classes of each level.

They are computed when a block asks for them, in one pass for all blocks that are wanted, and kept by the Evaluation.

Functions
---------
SCORE_BLOCKS, MORE, score_numbers, block_numbers, level_answers, why_no_levels, rule_of_sets, label_sets
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hierviz.inference.registry import inference_rule
from hierviz.metrics.best_leaves import SIZES, best_leaf_numbers, best_leaves
from hierviz.metrics.cut_probabilities import level_numbers
from hierviz.metrics.level_answers import path_levels
from hierviz.metrics.random_cuts import cut_accuracies, random_cuts
from hierviz.predictions.outside import OUTSIDE, outside_mass
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.taxonomy.tree_sums import sum_in_order


def _best_leaves(taxonomy, truth, p, outside):
    leaves = best_leaves(taxonomy, p, max(SIZES))
    if outside is not None:
        # The first of these is a class that the taxonomy does not hold.
        leaves[outside, 1:] = leaves[outside, :-1]
        leaves[outside, 0] = OUTSIDE
    return best_leaf_numbers(taxonomy, truth, leaves)


def _random_cuts(taxonomy):
    cuts = random_cuts(taxonomy)

    def accuracies(truth, p, outside):
        right = cut_accuracies(taxonomy, truth, p, cuts)
        return {"treecut_accuracy": right if outside is None else np.where(outside, 0.0, right)}

    return accuracies


def _probabilities(taxonomy, truth, p, outside):
    found = level_numbers(taxonomy, truth, p)
    if outside is not None:
        # The most probable class of every level is one that the taxonomy does not hold, and never right.
        mass = outside_mass(sum_in_order(p[:, taxonomy.leaves]))
        for level in range(1, taxonomy.max_depth + 1):
            found[f"answer.{level}"] = np.where(outside, OUTSIDE, found[f"answer.{level}"])
            found[f"confidence.{level}"] = np.where(outside, mass, found[f"confidence.{level}"])
            found[f"is_right.{level}"] = np.where(outside, 0.0, found[f"is_right.{level}"])
    return found


# Block -> function of the taxonomy, which gives one of (truth, p, which are answered outside the taxonomy, or None) of some
# samples: dict of name to ndarray, shape (n_samples,).
SCORE_BLOCKS: dict[str, Callable[[Any], Callable[[np.ndarray, np.ndarray, Any], dict[str, np.ndarray]]]] = {
    "best_leaves": lambda taxonomy: partial(_best_leaves, taxonomy),
    "random_cuts": _random_cuts,
    "probabilities": lambda taxonomy: partial(_probabilities, taxonomy),
}
# Blocks that are there only where they are asked for: they read all probabilities once more, or the path to the best leaf.
MORE = (*SCORE_BLOCKS, "levels", "lca", "selective")
# Answers with all classes above a threshold, which are the sets of labels of scores.
SETS_OF_SCORES = "threshold_set"


def score_numbers(
    evaluation: Any, blocks: Sequence[str], progress: Callable[[int, int], object] | None = None
) -> dict[str, dict[str, np.ndarray]]:
    """Numbers of every judged sample, by block and name; those that were not asked for before are computed in one pass.

    Parameters
    ----------
    evaluation : Evaluation
        Of scores with one truth a sample on a tree.
    blocks : sequence of str
        Keys of `SCORE_BLOCKS`.
    progress : callable, optional
        Called with (rows done, n_samples).

    Returns
    -------
    dict of str to dict of str to ndarray of float, shape (n_judged,)
    """
    kept, predictions, truth = evaluation.kept_numbers, evaluation.predictions, np.asarray(evaluation.predictions.truth)
    outside = predictions.best_outside
    functions = {block: SCORE_BLOCKS[block](evaluation.taxonomy) for block in blocks if block not in kept}
    parts: dict[str, list[dict[str, np.ndarray]]] = {block: [] for block in functions}
    for rows in predictions.blocks() if functions else ():
        known = np.arange(rows.start, rows.stop)[evaluation.judged[rows]]
        p = predictions.node_probabilities(rows)[known - rows.start]
        for block, function in functions.items():
            parts[block].append(function(truth[known], p, None if outside is None else outside[known]))
        if progress:
            progress(rows.stop, predictions.n_samples)
    kept |= {block: {key: np.concatenate([part[key] for part in of]) for key in of[0]} for block, of in parts.items()}
    return {block: kept[block] for block in blocks}


def level_answers(evaluation: Any) -> np.ndarray:
    """The answer of each level to each judged sample, shape (n_judged, max_depth); -1 for none.

    Of scores the most probable class of each level, with the leaves above it; of labels in columns of levels what they say, and
    of other labels their path.
    """
    predictions, taxonomy = evaluation.predictions, evaluation.taxonomy
    if predictions.has_scores:
        found = score_numbers(evaluation, ("probabilities",))["probabilities"]
        levels = range(1, taxonomy.max_depth + 1)
        return np.stack([found[f"answer.{level}"] for level in levels], axis=1).astype(np.intp)
    if predictions.level_labels is not None:
        return predictions.level_labels[evaluation.rows]
    return path_levels(taxonomy, evaluation.label_paths()[evaluation.rows])


def why_no_levels(evaluation: Any) -> str | None:
    """Why there is no answer for each level, in words; None where there is."""
    reason = evaluation.why_not_one_truth()
    if reason or evaluation.predictions.has_scores or evaluation.predictions.level_labels is not None:
        return reason
    several = "they need one answer for each level, and these label lists hold several"
    return several if evaluation.label_paths() is None else None


def rule_of_sets(rule: str) -> str:
    """The rule that makes the sets of block ``labels`` from scores: one that chooses sets itself, else all above a threshold."""
    entry = inference_rule(rule)
    return rule if entry.returns_sets and not entry.needs_threshold else SETS_OF_SCORES


def label_sets(
    evaluation: Any, choice: Mapping[str, Any], progress: Callable[[int, int], object] | None = None
) -> NodeLists:
    """The labels of each judged sample that block ``labels`` judges; `choice` is rule, threshold and parameters of the rule.

    `progress` is called with (rows done, rows in all) where scores are read for it.
    """
    predictions = evaluation.predictions
    if not predictions.has_scores:
        return predictions.answer_labels.take(evaluation.rows)
    rule = rule_of_sets(choice["rule"])
    given = dict(choice) if rule == choice["rule"] else {"rule": rule, "threshold": choice["threshold"]}
    return evaluation.answers(**given, progress=progress).take(evaluation.rows)


def block_numbers(evaluation: Any, block: str) -> dict[str, np.ndarray]:
    """`score_numbers` of one block, under the names that its metrics ask for."""
    found = score_numbers(evaluation, (block,))[block]
    if block != "probabilities":
        return found
    depth = evaluation.taxonomy.max_depth
    return found | {key: found[f"{key}.{depth}"] for key in ("brier", "log_loss", "confidence", "is_right")}
