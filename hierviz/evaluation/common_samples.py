"""Samples that several models are judged on, in one order: what intervals, paired differences and facets are made of.

Conventions
-----------
`places` are positions among the judged samples, `rows` positions in the Predictions of one model. Facets are columns of
the sample table, and `SEEN`: whether the true class had training samples (attribute ``train_count`` of the nodes).

Functions
---------
judged_samples, common_rows, facets, facet_columns, group_columns, curves_by
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.curves.operating_curve import OperatingCurve, operating_curve
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.predictions.column_text import as_text, is_missing
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.projection.projected import SEEN as KNOWN
from hierviz.uncertainty.repeats import curve_of_runs

SEEN = "class seen in training"
# What a facet is called where its value is missing.
NO_VALUE = "no value"
# Areas of label sets do not depend on a threshold; 0.5 is the one whose counts other screens keep.
SETS_AT = 0.5


@dataclass(frozen=True, eq=False)
class JudgedSamples(Short):
    """Some judged samples of one model.

    Attributes
    ----------
    model : Evaluation
        With an operating curve.
    rows : ndarray of int, shape (n_samples,)
        Rows of its Predictions, all of them judged.
    """

    model: Evaluation
    rows: np.ndarray

    @property
    def name(self):
        """Name of the model."""
        return self.model.predictions.name

    @property
    def taxonomy(self):
        """The taxonomy."""
        return self.model.taxonomy

    @property
    def n_samples(self):
        """Number of samples."""
        return len(self.rows)

    @cached_property
    def table(self):
        """ParetoTable of these samples."""
        if np.array_equal(self.rows, self.model.rows):
            return self.model.judged_table
        return self.model.table.take(self.rows)

    @cached_property
    def truth(self):
        """True node of each sample, shape (n_samples,)."""
        return self.model.predictions.truth[self.rows]

    @cached_property
    def curve(self):
        """OperatingCurve of these samples."""
        if np.array_equal(self.rows, self.model.rows):
            return self.model.curve
        return operating_curve(self.taxonomy, self.truth, self.table)

    @cached_property
    def single(self):
        """Numbers of single samples that no curve holds, shape (n_samples,): ``hf1_auc`` (nan where nothing is true) and
        ``softmax_win``."""
        areas = self.model.label_counts(SETS_AT).of_samples("hf1_auc")
        return {
            "hf1_auc": areas[np.searchsorted(self.model.rows, self.rows)],
            "softmax_win": self.model.win[self.rows],
        }

    def take(self, places):
        """Some of these samples (ndarray of int), in that order."""
        return JudgedSamples(self.model, self.rows[places])

    def groups(self, column):
        """Labels of a column of the sample table as they are, shape (n_samples,), for `hierviz.uncertainty.resamples`."""
        return np.asarray(self.model.predictions.attributes[column])[self.rows]

    def labels(self, column):
        """Value of a facet for each sample as text, shape (n_samples,); `NO_VALUE` where it is missing."""
        if column == SEEN:
            counts = _train_counts(self.taxonomy)[self.truth]
            return np.where(np.isnan(counts), NO_VALUE, np.where(counts > 0, "seen", "unseen"))
        values = np.asarray(self.model.predictions.attributes[column])[self.rows]
        return np.where(is_missing(values), NO_VALUE, as_text(values))


def judged_samples(models):
    """The samples that all models judge, in the order of the first.

    Parameters
    ----------
    models : sequence of Evaluation
        Of one taxonomy, each with an operating curve. Samples are met by their ids, without ids by their place.

    Returns
    -------
    list of JudgedSamples
        One a model; sample i is the same in all.

    Raises
    ------
    PredictionsError
        If there is no model, one has no operating curve, or they share no sample.
    """
    models = list(models)
    if not models:
        raise PredictionsError("models: expected at least one, got none. Choose one.")
    for model in models:
        model.require_curve()
    return [JudgedSamples(model, rows) for model, rows in zip(models, common_rows(models), strict=True)]


def common_rows(models):
    """Rows of the samples that all models judge, in the order of the first.

    Parameters
    ----------
    models : sequence of Evaluation
        At least one, of one taxonomy. Samples are met by their ids, without ids by their place.

    Returns
    -------
    list of ndarray of int, shape (n_samples,)
        One a model; sample i is the same in all.

    Raises
    ------
    PredictionsError
        If they share no sample.
    """
    first, others = models[0], models[1:]
    rows = [first.rows]
    for other in others:
        if first.predictions.sample_ids is None or other.predictions.sample_ids is None:
            rows.append(first.rows)
            continue
        rows.append(rows_of(first.predictions.ids[first.rows], other.predictions.ids))
    known = np.ones(first.n_judged, dtype=bool)
    for model, places in zip(models, rows, strict=True):
        inside = (places >= 0) & (places < len(model.judged))
        known &= inside & model.judged[np.where(inside, places, 0)]
    if not known.any():
        names = listed([model.predictions.name for model in models])
        raise PredictionsError(f"models: expected samples that all of {names} judge, got none. Choose fewer models.")
    return [places[known] for places in rows]


def facet_columns(samples, most=12):
    """Facets with at least two and at most `most` values among the samples, `SEEN` first; keys for `facets`."""
    return [column for column in _columns(samples) if 2 <= _n_values(samples, column) <= most]


def group_columns(samples):
    """Columns of the sample table that put samples into at least two groups, some of them together."""
    attributes = samples.model.predictions.attributes
    return [column for column in attributes if 2 <= _n_values(samples, column) < samples.n_samples]


def facets(samples, column):
    """Places of the samples of every value of a facet.

    Parameters
    ----------
    samples : JudgedSamples
    column : str
        `SEEN`, or a key of the attributes of the predictions.

    Returns
    -------
    dict of str to ndarray of int
        By value in alphabetical order, `NO_VALUE` last; all places together are all samples.

    Raises
    ------
    PredictionsError
        If there is no such column.
    """
    known = _columns(samples)
    if column not in known:
        raise PredictionsError(f"facet: expected one of {listed(known, 20)}, got {column!r}. Choose one.")
    labels = samples.labels(column)
    values = sorted(np.unique(labels).tolist(), key=lambda value: (value == NO_VALUE, value))
    return {value: np.flatnonzero(labels == value) for value in values}


def _n_values(samples, column):
    return len(np.unique(samples.labels(column)))


def _columns(samples):
    seen = () if _train_counts(samples.taxonomy) is None else (SEEN,)
    return [*seen, *samples.model.predictions.attributes]


def _train_counts(taxonomy):
    """Training samples of every node, nan where unknown; None when the taxonomy has no such numbers."""
    try:
        return np.array(taxonomy.attributes["train_count"], dtype=float)
    except (KeyError, TypeError, ValueError):
        return None


def rows_of(wanted, ids):
    """Row of each wanted id among ids, -1 where there is none."""
    row_of = {}
    for row, sample_id in enumerate(as_text(ids).tolist()):
        row_of.setdefault(sample_id, row)
    return np.array([row_of.get(sample_id, -1) for sample_id in as_text(wanted).tolist()], dtype=np.intp)


def curves_by(
    models: Evaluation | Predictions | Sequence[Evaluation | Predictions], by: str | None = None
) -> Mapping[str, Mapping[str, OperatingCurve]]:
    """Operating curves of every model on each part of the samples that all models judge.

    Parameters
    ----------
    models : Evaluation, Predictions, or sequence of them
        Of one taxonomy, each with an operating curve. Those of one name are runs of one method.
    by : str, optional
        An attribute of the samples, among them ``truth known to the model`` (`hierviz.projection.only_known`), or ``class seen in
        training`` where the nodes have ``train_count``. The first of these two that divides the samples when absent.

    Returns
    -------
    dict of str to dict of str to OperatingCurve
        By model, then by value in alphabetical order, missing values last. Of several runs the mean at every threshold, whose
        `summary` has the means over the runs, and `spread` the standard deviations between them.

    Raises
    ------
    PredictionsError
        If a model has no operating curve, or there is nothing of that name to divide by.

    Examples
    --------
    >>> import numpy as np
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> p = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    >>> light, truth = np.array(["day", "night", "day"]), taxonomy.nodes("cat", "cat", "dog")
    >>> model = Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, attributes={"light": light})
    >>> {value: curve.n_samples for value, curve in curves_by(model, "light")["model"].items()}
    {'day': 2, 'night': 1}
    """
    evaluated = [as_evaluation("models", one) for one in listed_models(models)]
    samples = judged_samples(evaluated)
    if by is None:
        by = next((column for column in facet_columns(samples[0]) if column in (KNOWN, SEEN)), None)
    if by is None:
        raise PredictionsError(
            f"by: expected something to divide the samples by ({listed(facet_columns(samples[0]), 20) or 'there is none'}), got "
            "none, and all samples are of seen classes or nothing is known about that. Name one."
        )
    parts = facets(samples[0], by)
    methods: dict[str, list[JudgedSamples]] = {}
    for one in samples:
        methods.setdefault(one.name, []).append(one)
    return {
        name: {value: curve_of_runs([run.take(places).curve for run in runs]) for value, places in parts.items()}
        for name, runs in methods.items()
    }
