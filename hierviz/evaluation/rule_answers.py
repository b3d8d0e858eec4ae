"""The answers of an evaluated model by inference rules: from its Pareto table, from what was kept, or in one more pass.

Functions
---------
answers_by_rule, kept_answers, rule_pass, fast_answers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks, is_used
from hierviz.inference.registry import infer, inference_rule
from hierviz.inference.rules import TIE
from hierviz.messages.errors import PredictionsError
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import frozen
from hierviz.taxonomy.taxonomy import NodeLists

# Answers of other rules that are kept: reading all scores again takes long.
KEPT_ANSWERS = 6


def answers_by_rule(
    evaluation: Any,
    rules: Sequence[str],
    threshold: float,
    progress: Callable[[int, int], object] | None,
    parameters: Mapping[str, Any],
) -> dict[str, np.ndarray | NodeLists]:
    """`Evaluation.answers_by_rule`, which says what the arguments are; `evaluation` keeps answers that took a pass."""
    taxonomy, predictions, table = evaluation.taxonomy, evaluation.predictions, evaluation.table
    made: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for rule in rules:
        if table is None or evaluation.best_leaf is None:
            raise PredictionsError(f"{predictions.name}: expected scores for rule {rule!r}, got labels. Use scores.")
        given = inference_rule(rule).settings({"threshold": threshold, **parameters})
        if rule in ("threshold", "majority"):
            made[rule] = table.nodes_at(threshold if rule == "threshold" else 0.5)
        elif rule == "leaf":
            made[rule] = table.nodes[table.offsets[1:] - 1].astype(np.intp)
        elif rule == "top_down":
            made[rule] = frozen(evaluation.best_leaf)
        elif rule == "information_threshold":
            made[rule] = table.nodes_from_bits(taxonomy, given["bits"])
        else:
            kept = kept_answers(evaluation, rule, given)
            if kept is not None:
                made[rule] = kept
            else:
                rest[rule] = given
    slow = dict(rest)
    fast = {rule: rest.pop(rule) for rule in FAST_RULES if rule in rest} if is_used(predictions) else {}
    n, n_passes = predictions.n_samples, bool(fast) + bool(rest)
    if fast:
        made |= fast_answers(predictions, fast, None, progress and (lambda done, _: progress(done, n_passes * n)))
    parts: dict[str, list[Any]] = {rule: [] for rule in rest}
    for rows in (predictions.blocks() or [slice(0, 0)]) if rest else []:
        p = predictions.node_probabilities(rows)
        for rule, given in rest.items():
            parts[rule].append(infer(taxonomy, p, rule, **given))
        if progress:
            progress((n_passes - 1) * n + rows.stop, n_passes * n)
    for rule, answers in parts.items():
        returns_sets = inference_rule(rule).returns_sets
        made[rule] = NodeLists.concatenate(answers) if returns_sets else np.concatenate(answers)
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


def kept_answers(evaluation: Any, rule: str, given: Mapping[str, Any]) -> np.ndarray | NodeLists | None:
    """Answers that an earlier call has left, else None."""
    for of_rule, settings, answers in evaluation._answers:
        if (of_rule, settings) == (rule, given):
            return answers
    return None


# Of the kernels, in `hierviz.compiled`.
MODULE = "rule_kernels"
_LAYOUT = ("node", "first", "n_children", "inner", "rank", "by_rank", "n_leaves_below")


def rule_pass(
    predictions: Predictions, *, plurality: bool, weights: np.ndarray, tie: float, threads: int | None = None
) -> Iterator[tuple[slice, np.ndarray | None]]:
    """Answers of plurality and of the largest product of p and weight, block by block in order.

    Parameters
    ----------
    predictions : Predictions
        Scores on a tree.
    plurality : bool
        Whether its answers come, first.
    weights : ndarray of float, shape (n_products, n_nodes)
        Not negative; one row for each further rule.
    tie : float
        Share of the largest value within which values are equal.
    threads : int, optional
        Blocks that are processed at a time; all processors when None.

    Yields
    ------
    rows : slice
    answers : ndarray of int, shape (n_rules, n_rows), or None
        None for a block in which a value is negative or not finite, which the numpy path judges.
    """
    values = Values(predictions)
    was_compiled, kernels = is_compiled(MODULE, values.value_type), module_of(MODULE, values.value_type)
    layout = values.layout
    weights = np.ascontiguousarray(weights[:, layout.node])
    arrays = tuple(getattr(layout, name) for name in _LAYOUT)

    def work(rows, scores):
        with first_call(MODULE, values.value_type, was_compiled):
            is_complete, answers = kernels.run_rules(values.arguments(scores), arrays, plurality, weights, tie)
        return rows, answers.astype(np.intp) if is_complete else None

    return in_blocks(predictions, work, threads)


FAST_RULES = ("plurality", "expected_information", "darts")


def fast_answers(
    predictions: Predictions,
    rules: Mapping[str, Mapping[str, Any]],
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, np.ndarray]:
    """Answers of some of `FAST_RULES`, each with its keywords; as of `infer`.

    Parameters
    ----------
    predictions : Predictions
        Scores on a tree, for which `hierviz.compiled.tree_pass.is_used`.
    rules : mapping of str to mapping
        Keywords of each rule.
    threads : int, optional
        Blocks of rows that are processed at a time; all processors when None.
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
    if not order or not predictions.n_samples:
        return {rule: np.empty(0, np.intp) for rule in order}
    weights = [taxonomy.information + float(rules[rule].get("lam", 0.0)) for rule in order if rule != "plurality"]
    blocks = rule_pass(
        predictions,
        plurality="plurality" in rules,
        weights=np.reshape(weights, (len(weights), taxonomy.n_nodes)),
        tie=TIE,
        threads=threads,
    )
    parts: dict[str, list[np.ndarray]] = {rule: [] for rule in order}
    for rows, answers in blocks:
        if answers is None:
            p = predictions.node_probabilities(rows)
            answers = np.array([infer(taxonomy, p, rule, **rules[rule]) for rule in order])
        for place, rule in enumerate(order):
            parts[rule].append(answers[place])
        if progress:
            progress(rows.stop, predictions.n_samples)
    return {rule: np.concatenate(part) for rule, part in parts.items()}
