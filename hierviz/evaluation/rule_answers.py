"""The answers of an evaluated model by inference rules: from its Pareto table, from what was kept, or in one more pass.

Functions
---------
answers_by_rule, kept_answers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hierviz.compiled.tree_pass import is_used
from hierviz.inference.fast_answers import FAST_RULES, fast_answers
from hierviz.inference.registry import infer, inference_rule
from hierviz.messages.errors import PredictionsError
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
