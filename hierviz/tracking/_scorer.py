"""`hierviz.metrics.scorer`: any number of `hierviz.evaluate` as a scorer of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.comparison.columns import Column, columns_of, file_numbers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.node_names import truth_nodes
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True)
class Scorer:
    """A scorer in the manner of scikit-learn: called with an estimator, X and y it returns a number that is better when higher.

    Attributes
    ----------
    column : hierviz.comparison.columns.Column
        The number.
    taxonomy : Taxonomy
    choice : dict
        rule, threshold and parameters of the rule.
    classes : tuple of str, or None
        Of the numbers 0, 1, 2, ..., where the estimator is trained on numbers.
    """

    column: Column
    taxonomy: Taxonomy = field(repr=False)
    choice: dict[str, Any]
    classes: tuple[str, ...] | None = field(default=None, repr=False)

    @property
    def sign(self) -> int:
        """-1 where lower is better."""
        return self.column.sign

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: None = None) -> float:
        """The number of the estimator's answers to X, with the truth y; with its sign changed where lower is better."""
        if sample_weight is not None:
            raise PredictionsError(
                "sample_weight: expected None, as every sample counts alike, got weights. Leave them out of the scorer."
            )
        predictions = predictions_of(estimator, X, y, self.taxonomy, self.classes)
        evaluation = Evaluation.from_predictions(predictions)
        without = np.flatnonzero(~evaluation.judged)
        # A number of some samples would pass for that of all.
        if len(without):
            raise PredictionsError(
                f"y: expected a class of every sample, got none in rows {listed(without)} (from 0). Leave these samples out."
            )
        found = file_numbers(evaluation, [self.column], self.choice)
        value = found.values[self.column.key]
        if value is None:
            raise PredictionsError(
                f"scorer: expected a number for {self.column.key}, got none: {found.reasons[self.column.key]}. Choose another"
                " (for labels one of the blocks labels, lca and confusion)."
            )
        return self.sign * value


def scorer(
    metric: str,
    taxonomy: Taxonomy,
    rule: str | None = None,
    threshold: float | None = None,
    *,
    classes: Sequence[str] | None = None,
    **parameters: Any,
) -> Scorer:
    """A scorer for `cross_val_score`, `GridSearchCV` and all that takes ``scoring=`` in scikit-learn.

    Parameters
    ----------
    metric : str
        Key of `hierviz.METRICS` that `hierviz.evaluate` gives, such as ``info_f1``, ``curve.ac`` or ``accuracy_by_depth.2``.
    taxonomy : Taxonomy
    rule, threshold, **parameters
        As of `hierviz.evaluate`; they matter where an estimator has ``predict_proba``.
    classes : sequence of str, optional
        Names of the classes 0, 1, 2, ... where y holds such numbers, as of a LabelEncoder; names of nodes else.

    Returns
    -------
    Scorer
        Called with (estimator, X, y). The estimator has ``predict_proba`` and ``classes_``, or ``predict``, whose answers may be
        inner classes. A leaf that was in no training sample of a fold has probability 0. Lower-is-better numbers have their sign
        changed, as scikit-learn does, so that higher is better.

    Raises
    ------
    PredictionsError
        If the metric or the rule is unknown or the metric has no better direction; when called, if the metric has no
        value or a sample has no truth (None, nan, an empty text).

    Examples
    --------
    >>> from hierviz import Taxonomy, metrics
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> metrics.scorer("info_f1", taxonomy).sign, metrics.scorer("brier", taxonomy).sign
    (1, -1)
    """
    check_taxonomy(taxonomy, "It comes after the metric.")
    if not isinstance(metric, str):
        raise PredictionsError(f"metric: expected a key, got {type(metric).__name__}. Pass a text such as 'info_f1'.")
    columns = columns_of(taxonomy, None, [metric])
    if len(columns) > 1:
        raise PredictionsError(
            f"metric: expected one number, got {len(columns)} of {metric!r}. Add a depth, such as {columns[0].key}."
        )
    (column,) = columns
    if not column.sign:
        raise PredictionsError(
            f"metric: expected a number that is better when higher or lower, got {metric!r}, which is neither. Choose another."
        )
    rule, threshold = rule_and_threshold(rule, threshold)
    inference_rule(rule).settings({"threshold": threshold, **parameters})
    names = None if classes is None else tuple(map(str, classes))
    return Scorer(column, taxonomy, {"rule": rule, "threshold": threshold, **parameters}, names)


def predictions_of(
    estimator: Any, X: Any, y: Any, taxonomy: Taxonomy, classes: Sequence[str] | None = None, name: str | None = None
) -> Predictions:
    """Predictions of an estimator for X with the truth y; see `scorer`."""
    name = type(estimator).__name__ if name is None else name
    truth = _named(y, classes)
    if not hasattr(estimator, "predict_proba"):
        answers = np.asarray(estimator.predict(X))
        if answers.ndim > 1:  # one column a level
            return Predictions.from_level_labels(taxonomy, answers, truth=truth, name=name)
        nodes = taxonomy.nodes(*map(str, _named(answers, classes)))
        return Predictions.from_labels(taxonomy, nodes, truth=truth_nodes(truth, taxonomy), name=name)
    probabilities, columns = estimator.predict_proba(X), estimator.classes_
    if isinstance(probabilities, (list, tuple)):
        return Predictions.from_predict_proba(taxonomy, probabilities, columns, truth=truth, name=name)
    return predictions_of_arrays(probabilities, _named(columns, classes), truth, taxonomy, name)


def predictions_of_arrays(
    probabilities: Any, columns: list[str], truth: Any, taxonomy: Taxonomy, name: str
) -> Predictions:
    """Predictions of probabilities by class; leaves without a column have probability 0 where all columns are leaves."""
    leaves, given = [taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist()], set(columns)
    missing = [leaf for leaf in leaves if leaf not in given] if given <= set(leaves) else []
    if missing and np.shape(probabilities)[1:] == (len(columns),):
        probabilities = np.asarray(probabilities)
        probabilities = np.hstack([probabilities, np.zeros((len(probabilities), len(missing)))])
        columns = [*columns, *missing]
    return Predictions.from_predict_proba(taxonomy, probabilities, columns, truth=truth, name=name)


def _named(values, classes):
    """Names of classes: list of str; numbers are places in `classes`."""
    values = np.asarray(values)
    if classes is None:
        return values.tolist()
    if values.dtype.kind not in "iu" or (values.size and not 0 <= values.min() <= values.max() < len(classes)):
        raise PredictionsError(
            f"y: expected numbers from 0 to {len(classes) - 1}, as `classes` are given, got others. Leave it out for names."
        )
    return [classes[k] for k in values.tolist()]
