"""Counts of an evaluated model's predicted sets at any threshold and by any rule that answers with sets, kept for the next call.

Functions
---------
label_counts, set_counts
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hierviz.evaluation.one_pass import blocks, count_block
from hierviz.inference.registry import inference_rule
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.taxonomy.taxonomy import NodeLists

# Samples of the counts at several thresholds that are kept, a hundred bytes each.
MOST_COUNTED = 4_000_000


def label_counts(
    evaluation: Any, threshold: float = 0.5, progress: Callable[[int, int], object] | None = None
) -> LabelSetCounts:
    """LabelSetCounts of the sets {score > threshold}, or of the label lists; kept for the next call.

    `progress` is called with (rows done, n_samples) where the scores have to be read for it.
    """
    key = threshold if evaluation.predictions.has_scores else None
    found = evaluation._label_counts.get(key)
    if found is not None:
        return found
    counts = _counted(evaluation, threshold, progress)
    for other in list(evaluation._label_counts.values())[:1]:
        counts.share(other)
    return _kept(evaluation, key, counts, 1)


def _kept(evaluation, key, counts, n_spared):
    """The LabelSetCounts, kept while there is room: those asked for first leave, but the first `n_spared` of their kind.

    Counts of a rule have a tuple as key. Several threads may ask.
    """
    others = [other for other in list(evaluation._label_counts) if isinstance(other, tuple) == isinstance(key, tuple)]
    room = max(MOST_COUNTED // max(evaluation.n_judged, 1) - 1, n_spared)
    for other in others[n_spared:][: max(len(others) - room, 0)]:
        evaluation._label_counts.pop(other, None)
    evaluation._label_counts[key] = counts
    return counts


def set_counts(
    evaluation: Any, choice: Mapping[str, Any], progress: Callable[[int, int], object] | None = None
) -> LabelSetCounts:
    """LabelSetCounts of the sets that a rule answers with where it chooses them itself, else `label_counts`.

    Parameters
    ----------
    choice : mapping
        rule, threshold and parameters of the rule.
    progress : callable, optional
        As of `label_counts`.

    Returns
    -------
    LabelSetCounts
        Areas are those of the scores in any case.
    """
    counts = evaluation.label_counts(choice["threshold"], progress)
    rule = inference_rule(choice["rule"])
    if not evaluation.predictions.has_scores or not rule.returns_sets or rule.needs_threshold:
        return counts
    settings = rule.settings({name: value for name, value in choice.items() if name not in ("rule", "threshold")})
    key = (rule.key, choice["threshold"], *settings.items())
    found = evaluation._label_counts.get(key)
    if found is None:
        answers = evaluation.answers(**choice, progress=progress)
        assert isinstance(answers, NodeLists)
        expected = getattr(answers, "expected", None) if evaluation.predictions.has_single_truth else None
        made = LabelSetCounts.of_sets(
            evaluation.taxonomy, evaluation.truth, answers.take(evaluation.rows), counts, evaluation.corpus
        )
        if "beta" in settings:
            made.beta, made.expected = settings["beta"], None if expected is None else expected[evaluation.rows]
        found = _kept(evaluation, key, made, 0)
    return found


def _counted(evaluation, threshold, progress):
    predictions = evaluation.predictions
    if not predictions.has_scores:
        counts = LabelSetCounts(evaluation.taxonomy, corpus=evaluation.corpus)
        is_hard = predictions.is_hard or predictions.is_by_level
        counts.add_lists(evaluation.truth, predictions.answer_labels.take(evaluation.rows), is_hard=is_hard)
        return counts
    counts = LabelSetCounts(evaluation.taxonomy, threshold, evaluation.corpus)
    for block in blocks(predictions, None, evaluation.judged, counts, None):
        count_block(counts, predictions, evaluation.judged, block)
        if progress:
            progress((block if isinstance(block, slice) else block.rows).stop, predictions.n_samples)
    counts.put_together()
    return counts
