"""Answers of the rules that have a compiled loop, for all samples of a Predictions at once.

Answers of rules that need all node probabilities, compiled, in one pass over the scores of a Predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.tree_pass import Values, in_blocks
from hierviz.inference.registry import infer
from hierviz.inference.rules import TIE
from hierviz.predictions.predictions import Predictions

# Of the kernels, in this folder.
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
            is_complete, answers = kernels.run_rules(*values.arguments(scores), arrays, plurality, weights, tie)
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
