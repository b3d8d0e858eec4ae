"""What is suspicious about a method: worse than a constant answer, answers that contradict the truth, or hardly any answers.

Functions
---------
alarms
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hierviz.comparison.columns import Column
from hierviz.comparison.constants import ONE_SIDED, Constants
from hierviz.diagnosis.constant_answers import contradicting
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.number_text import percent_text, value_text
from hierviz.metrics.ties import rounded
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.uncertainty.resamples import FEWEST

# Share of samples without an answer, and of one class among all answers, from which on there is a warning.
MANY_EMPTY, ONE_CLASS = 0.1, 0.9
# Distinct answers as a share of the distinct truths, below which they are few.
FEW_CLASSES = 0.5
NAMED = 4


def alarms(
    model: Evaluation, values: dict[str, float | None], columns: Sequence[Column], constants: Constants, choice: dict
) -> list[str]:
    """Warnings about one method, as sentences.

    Parameters
    ----------
    model : Evaluation
        Its first run.
    values : dict of str to (float or None)
        Of the method by key.
    columns : sequence of Column
        In which it is compared with `constants`; numbers that show one side of a trade-off alone raise no alarm.
    constants : Constants
    choice : dict
        rule, threshold and parameters.

    Returns
    -------
    list of str
    """
    if model.n_judged < FEWEST:
        return _of_answers(model, choice)
    found = []
    worse = [column for column in columns if _is_not_better(column, values, constants)]
    if worse:
        named = ", ".join(
            f"{column.label} {value_text(values[column.key])} (constant {value_text(constants.values[column.key])})"
            for column in worse[:NAMED]
        )
        more = f", and {len(worse) - NAMED} more" if len(worse) > NAMED else ""
        found.append(f"Not better than a constant answer by {named}{more}.")
    return found + contradicting(model.confusion(**choice).measures["mcc"]) + _of_answers(model, choice)


def _is_not_better(column, values, constants):
    value, constant = values.get(column.key), constants.values.get(column.key)
    if value is None or constant is None or column.metric in ONE_SIDED:
        return False
    value, constant, perfect = rounded([value, constant, column.range[0 if column.sign < 0 else 1]])
    return bool(value != perfect and column.sign * value <= column.sign * constant)


def _of_answers(model, choice):
    """Few distinct classes, one class for most samples, and many empty answers."""
    rule, found = choice["rule"], []
    labels = model.predictions.answer_labels
    answers = model.answers(**choice) if labels is None else labels
    answers = answers.take(model.rows) if isinstance(answers, NodeLists) else answers[model.rows]
    is_list = isinstance(answers, NodeLists)
    # What lies outside the taxonomy is no class.
    nodes = answers.nodes[answers.nodes > 0] if is_list else answers[answers >= 0]
    truth = model.truth.nodes if isinstance(model.truth, NodeLists) else np.asarray(model.truth)
    n_true = len(np.unique(truth))
    distinct, counts = np.unique(nodes, return_counts=True)
    if len(distinct) < FEW_CLASSES * n_true:
        classes = "1 class is" if len(distinct) == 1 else f"{len(distinct)} different classes are"
        found.append(f"Only {classes} predicted; the truth has {n_true}.")
    if len(distinct) and n_true > 1 and not (is_list and answers.lengths.max() > 1):
        most, true_share = int(np.argmax(counts)), np.bincount(truth).max() / len(truth)
        share = counts[most] / model.n_judged
        if share > ONE_CLASS and share > true_share:
            found.append(f"{percent_text(share, 1)} of the answers are {model.taxonomy.title(int(distinct[most]))}.")
    # Lists without a class below the root, as `hierviz.metrics.outcomes` says.
    n_empty = 0
    if is_list:
        says_something = answers.rows[answers.nodes != 0]
        n_empty = model.n_judged - len(np.unique(says_something))
    if n_empty > MANY_EMPTY * max(1, model.n_judged):
        of_rule = f" by rule {rule}" if model.predictions.has_scores else ""
        found.append(f"{n_empty} of {model.n_judged} answers{of_rule} are empty or the root alone.")
    return found
