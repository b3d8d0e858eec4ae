"""The answers of an evaluated model by inference rules: from its Pareto table, from what was kept, or in one more pass.

Functions
---------
answers_by_rule, kept_answers, fast_answers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks, is_used
from hierviz.evaluation.optimal_answers import optimal_answers
from hierviz.inference.registry import infer, inference_rule
from hierviz.inference.truth_mass import TIE
from hierviz.messages.errors import PredictionsError
from hierviz.predictions.outside import OUTSIDE
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import frozen, offsets_of
from hierviz.taxonomy.taxonomy import NodeLists

# Rules whose answers need no pass over the scores, from an evaluation of scores and the settings of the rule.
OF_TABLE: Mapping[str, Callable[[Any, Mapping[str, Any]], np.ndarray]] = {
    "threshold": lambda evaluation, given: evaluation.table.nodes_at(given["threshold"]),
    "majority": lambda evaluation, given: evaluation.table.nodes_at(0.5),
    "leaf": lambda evaluation, given: evaluation.table.nodes[evaluation.table.offsets[1:] - 1].astype(np.intp),
    "top_down": lambda evaluation, given: frozen(evaluation.best_leaf),
    "information_threshold": lambda evaluation, given: evaluation.table.nodes_from_bits(
        evaluation.taxonomy, given["bits"]
    ),
}
# The rule whose answers come with an expectation.
OPTIMAL = "hf_optimal"
# Answers of other rules that are kept: reading all scores again takes long.
KEPT_ANSWERS = 6


def answers_by_rule(
    evaluation: Any,
    rules: Sequence[str],
    threshold: float = 0.5,
    *,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> dict[str, np.ndarray | NodeLists]:
    """`Evaluation.answers` of several rules: those that need all node probabilities share one pass over the scores.

    `progress` is called with (rows done, rows in all) where there is such a pass, whose answers the evaluation keeps.

    Returns
    -------
    dict of str to ndarray of int, shape (n_samples,), or NodeLists
    """
    predictions = evaluation.predictions
    made: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for rule in rules:
        if evaluation.table is None:
            raise PredictionsError(f"{predictions.name}: expected scores for rule {rule!r}, got labels. Use scores.")
        given = inference_rule(rule).settings({"threshold": threshold, **parameters})
        if rule in OF_TABLE:
            made[rule] = OF_TABLE[rule](evaluation, given)
        elif (kept := kept_answers(evaluation, rule, given)) is not None:
            made[rule] = kept
        else:
            rest[rule] = given
    slow = dict(rest)
    fast = {rule: rest.pop(rule) for rule in FAST_RULES if rule in rest} if is_used(predictions, MODULE) else {}
    best = rest.pop(OPTIMAL, None)
    n, n_passes = predictions.n_samples, bool(fast) + bool(best) + bool(rest)
    if fast:
        made |= fast_answers(predictions, fast, progress and (lambda done, _: progress(done, n_passes * n)))
    if best:
        before = bool(fast) * n
        made[OPTIMAL] = optimal_answers(
            predictions, best["beta"], progress and (lambda done, _: progress(before + done, n_passes * n))
        )
    parts: dict[str, list[Any]] = {rule: [] for rule in rest}
    for rows in (predictions.blocks() or [slice(0, 0)]) if rest else []:
        p = predictions.node_probabilities(rows)
        for rule, given in rest.items():
            parts[rule].append(infer(predictions.taxonomy, p, rule, **given))
        if progress:
            progress((n_passes - 1) * n + rows.stop, n_passes * n)
    for rule, answers in parts.items():
        returns_sets = inference_rule(rule).returns_sets
        made[rule] = NodeLists.concatenate(answers) if returns_sets else np.concatenate(answers)
    if predictions.best_outside is not None:
        # The others are those of the table.
        made |= {rule: outside_taxonomy(made[rule], predictions.best_outside) for rule in slow}
    for rule, given in slow.items():
        # What is kept is given out again.
        for array in vars(made[rule]).values() if isinstance(made[rule], NodeLists) else (made[rule],):
            frozen(array)
        if isinstance(made[rule], NodeLists):
            # Lists take more room than single nodes: those of one choice are kept.
            evaluation._answers[:] = [kept for kept in evaluation._answers if not isinstance(kept[2], NodeLists)]
        evaluation._answers[: max(0, len(evaluation._answers) + 1 - KEPT_ANSWERS)] = []
        evaluation._answers.append((rule, given, made[rule]))
    return made


def outside_taxonomy(answers: np.ndarray | NodeLists, rows: np.ndarray) -> np.ndarray | NodeLists:
    """Answers of which some (ndarray of bool, shape (n_samples,)) lie outside the taxonomy; a set has one label more there."""
    if not isinstance(answers, NodeLists):
        return np.where(rows, OUTSIDE, answers)
    row = np.append(answers.rows, np.flatnonzero(rows))
    order = np.argsort(row, kind="stable")
    nodes = np.append(answers.nodes, np.full(int(rows.sum()), OUTSIDE))[order]
    offsets = offsets_of(answers.lengths + rows)
    # What the sets of a rule are expected to yield stays what it was.
    return replace(answers, offsets=offsets, nodes=nodes)


def kept_answers(evaluation: Any, rule: str, given: Mapping[str, Any]) -> np.ndarray | NodeLists | None:
    """Answers that an earlier call has left, else None."""
    for of_rule, settings, answers in evaluation._answers:
        if (of_rule, settings) == (rule, given):
            return answers
    return None


# Of the kernels, in `hierviz.compiled`.
MODULE = "rule_kernels"
_LAYOUT = ("node", "first", "n_children", "inner", "rank", "by_rank", "n_leaves_below")


FAST_RULES = ("plurality", "expected_information", "darts")


def fast_answers(
    predictions: Predictions,
    rules: Mapping[str, Mapping[str, Any]],
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, np.ndarray]:
    """Answers of some of `FAST_RULES`, each with its keywords; as of `infer`.

    All but plurality answer with the largest product of p and a weight that is not negative.

    Parameters
    ----------
    predictions : Predictions
        Scores on a tree, for which `hierviz.compiled.tree_pass.is_used`.
    rules : mapping of str to mapping
        Keywords of each rule.
    progress : callable, optional
        Called with (rows done, n_samples).

    Returns
    -------
    dict of str to ndarray of int, shape (n_samples,)
    """
    taxonomy = predictions.taxonomy
    some = np.full((1, taxonomy.n_nodes), 1.0)
    for rule, keywords in rules.items():
        infer(taxonomy, some, rule, **keywords)  # says what is wrong with a keyword
    order = [rule for rule in FAST_RULES if rule in rules]
    if not predictions.n_samples:
        return {rule: np.empty(0, np.intp) for rule in order}
    values = Values(predictions)
    was_compiled, kernels = is_compiled(MODULE, values.value_type), module_of(MODULE, values.value_type)
    layout = values.layout
    products = [taxonomy.information + float(rules[rule].get("lam", 0.0)) for rule in order if rule != "plurality"]
    weights = np.reshape(products, (len(products), taxonomy.n_nodes))
    weights = np.ascontiguousarray(weights[:, layout.node])
    arrays = tuple(getattr(layout, name) for name in _LAYOUT)

    def work(rows, scores):
        with first_call(MODULE, values.value_type, was_compiled):
            found = kernels.run_rules(values.arguments(scores), arrays, "plurality" in rules, weights, TIE)
        return rows, *found

    parts: dict[str, list[np.ndarray]] = {rule: [] for rule in order}
    for rows, is_complete, answers in in_blocks(predictions, work, None):
        if not is_complete:
            # A value is negative or not finite, which the numpy path judges.
            p = predictions.node_probabilities(rows)
            answers = [infer(taxonomy, p, rule, **rules[rule]) for rule in order]
        for rule, of_rule in zip(order, answers, strict=True):
            parts[rule].append(np.asarray(of_rule).astype(np.intp))
        if progress:
            progress(rows.stop, predictions.n_samples)
    return {rule: np.concatenate(part) for rule, part in parts.items()}
