"""Answers of the rules that have a compiled loop, for all samples of a Predictions at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hierviz.compiled.rule_pass import rule_pass
from hierviz.inference.registry import infer
from hierviz.inference.rules import TIE
from hierviz.predictions.predictions import Predictions

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
        Blocks of rows that are worked on at a time; all processors when None.
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
