"""Conformal nodes of an evaluated model: calibrated on a share of its samples, on other predictions of it, or for one sample.

Functions
---------
conformal_of_model, conformal_of_sample, conformal_parts, why_no_conformal
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.inference.leaf_paths import LeafPaths
from hierviz.messages.errors import PredictionsError, listed, near_miss, shown
from hierviz.predictions.predictions import Predictions
from hierviz.uncertainty.conformal import ConformalNodes, conformal_nodes
from hierviz.uncertainty.resamples import group_numbers

# What groups of top classes are called in place of a column.
BY_CLASS = "class"


def why_no_conformal(model: Evaluation) -> str | None:
    """Why this input has no conformal nodes, in words; None when it has them."""
    return model.why_no_curve()


def conformal_of_model(
    model: Evaluation | Predictions,
    alpha: float = 0.1,
    *,
    calibration: float | Evaluation | Predictions = 0.5,
    seed: int = 0,
    by: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ConformalNodes:
    """Conformal nodes of the samples of a model that are not used for calibration.

    Parameters
    ----------
    model : Evaluation or Predictions
        Scores on a tree, one true class a sample.
    alpha : float
        In (0, 1).
    calibration : float, Evaluation or Predictions
        A share of the samples with a known truth, drawn at random; or predictions of the same model for other samples, of
        which all with a known truth are used.
    seed : int
        Of the random draw.
    by : str, optional
        ``class`` for a q of each top class, or a column of the samples whose values are groups.
    progress : callable, optional
        Called with (rows done, rows in all) while scores are read.

    Returns
    -------
    ConformalNodes
        Its `rows` are those of the model's Predictions.

    Raises
    ------
    PredictionsError
        If this input has no conformal nodes, calibration samples are among those of the model, or an argument is not valid.
    """
    evaluated = _checked(model)
    truth, paths = np.asarray(evaluated.predictions.truth), evaluated.leaf_paths(progress)
    how: dict[str, Any] = {"by_class": by == BY_CLASS, "seed": seed}
    groups = None if by is None or by == BY_CLASS else _column(evaluated, by)
    if isinstance(calibration, (float, np.floating)):
        return conformal_nodes(evaluated.taxonomy, truth, paths, alpha, calibration=calibration, groups=groups, **how)
    other = _checked(calibration)
    if other.taxonomy.sha256 != evaluated.taxonomy.sha256:
        raise PredictionsError(
            f"{other.predictions.name}: expected calibration predictions on the same taxonomy, got another one. Use one."
        )
    _require_others(evaluated, other)
    if groups is not None:
        groups = np.concatenate([groups, _column(other, by)[other.rows]])
    both = LeafPaths.concatenate([paths, other.leaf_paths(progress).take(other.rows)])
    is_other = np.arange(both.n_samples) >= len(truth)
    truths = np.concatenate([truth, np.asarray(other.truth)])
    return conformal_nodes(evaluated.taxonomy, truths, both, alpha, calibration=is_other, groups=groups, **how)


def conformal_of_sample(model: Evaluation, row: int, alpha: float = 0.1, *, by: str | None = None) -> ConformalNodes:
    """The conformal node of one sample, calibrated on all other samples with a known truth.

    Parameters
    ----------
    model : Evaluation
    row : int
        Of its Predictions.
    alpha, by
        As of `conformal_of_model`; of groups, the whole group of the sample is left out, of classes all but its own.

    Returns
    -------
    ConformalNodes
        Of this sample alone. It is exchangeable with the others, so that the probability holds for it as for a new sample.
    """
    model = _checked(model)
    truth = np.asarray(model.predictions.truth)
    is_other, groups = model.judged & (np.arange(len(truth)) != row), None
    if by is not None and by != BY_CLASS:
        groups = group_numbers(_column(model, by), len(truth))
        if groups is not None:
            is_other = model.judged & (groups != groups[row])
    if by == BY_CLASS:
        of = model.leaf_paths().top_classes
        is_other &= of == of[row]
    kept = is_other | (np.arange(len(truth)) == row)
    return conformal_nodes(
        model.taxonomy,
        truth[kept],
        model.leaf_paths().take(np.flatnonzero(kept)),
        alpha,
        calibration=is_other[kept],
        groups=None if groups is None else groups[kept],
        by_class=by == BY_CLASS,
    )


def conformal_parts(model: Evaluation, found: ConformalNodes) -> dict[str, np.ndarray]:
    """Parts of the numbers of block ``conformal``; nan for calibration samples.

    Parameters
    ----------
    model : Evaluation
    found : ConformalNodes
        Of its samples, as `conformal_of_model` gives them.

    Returns
    -------
    dict of str to ndarray of float, shape (n_judged,)
        By key, and ``weight``: 1, or 1 over the judged new samples of the group.
    """
    taxonomy, n = model.taxonomy, model.predictions.n_samples
    is_own = found.rows < n
    nodes, units = np.full(n, -1), np.arange(n)
    nodes[found.rows[is_own]] = found.nodes[is_own]
    if found.unit_of is not None:
        units[found.rows[is_own]] = n + found.unit_of[is_own]
    answers, units = nodes[model.rows], units[model.rows]
    is_new = answers >= 0
    answers = np.where(is_new, answers, 0)
    holds = lowest_common_ancestors(taxonomy, np.asarray(model.truth), answers) == answers
    values = {
        "held": holds,
        "root_share": answers == 0,
        "leaf_share": taxonomy.is_leaf[answers],
        "mean_information": taxonomy.information[answers],
        "mean_depth": taxonomy.depth[answers],
    }
    _, of_unit, size = np.unique(units, return_inverse=True, return_counts=True)
    return {key: np.where(is_new, of, np.nan) for key, of in values.items()} | {"weight": 1 / size[of_unit]}


def _checked(model):
    """The Evaluation; an error that says why it has no conformal nodes."""
    model = as_evaluation("model", model)
    reason = why_no_conformal(model)
    if reason:
        raise PredictionsError(f"{model.predictions.name}: expected a model with conformal nodes, got none: {reason}.")
    return model


def _require_others(model, other):
    """Raise a PredictionsError where the promise would be about samples that are calibrated on."""
    ids, others = model.predictions.sample_ids, other.predictions.sample_ids
    both = [] if ids is None or others is None else np.intersect1d(ids, others[other.rows]).tolist()
    if both or model.predictions is other.predictions:
        which = f"{len(both):,} that are in both ({listed(both)})" if both else "the same ones"
        raise PredictionsError(
            f"{other.predictions.name}: expected calibration samples that {model.predictions.name} does not have, got {which}. "
            "Leave them out of one, or calibrate on a share."
        )


def _column(model, name):
    """Values of a column of the samples of a model."""
    columns = model.predictions.attributes
    if name not in columns:
        known = [BY_CLASS, *columns]
        raise PredictionsError(
            f"conformal groups: expected {BY_CLASS!r} or a column of the samples ({listed(list(columns)) or 'there are none'}), "
            f"got {shown(name)}.{near_miss(name, known)} Choose one."
        )
    return np.asarray(columns[name])
