r"""One temperature for a model, fitted on samples that are not judged, so that two models are compared when both are calibrated.

Conventions
-----------
Logits are divided by T; probabilities of leaves become p ** (1 / T), divided by their sum. T minimises the mean of
-ln p(truth) over the samples it is fitted on; where that falls on to an end of the range that is searched, no temperature fits
and the scores are left as they are. A temperature of the leaves changes sums over them, so that curves and
areas change: it is no mere change of scale.

Functions
---------
fit_temperature, at_temperature

References
----------
.. [1] C. Guo, G. Pleiss, Y. Sun, K. Weinberger, On calibration of modern neural networks, ICML 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import ArrayRows
from hierviz.taxonomy.checks import check_kind, is_number

# Natural logarithms of the temperatures that are tried first, and steps of the golden section after that.
GRID, STEPS = np.linspace(-4, 4, 33), 30
# So near to an end of them the smallest loss is the end itself.
NEAR_END = 1e-4
GOLDEN = (5**0.5 - 1) / 2


class ScaledScores(ArrayRows):
    """Scores of a Predictions at a temperature, computed when rows are read."""

    def __init__(self, source: Predictions, temperature: float):
        self.source, self.temperature = source, temperature
        self.shape, self.dtype = tuple(source.scores.shape), np.dtype(np.float64)

    def __getitem__(self, rows: Any) -> np.ndarray:
        # In C order, or the order of the sum would depend on that of the file.
        scores = np.ascontiguousarray(self.source.scores[rows], dtype=np.float64)
        if self.source.parametrisation != "leaf_probabilities":
            return scores / self.temperature
        # Divided by the largest first, so that no power underflows.
        raised = (scores / scores.max(axis=-1, keepdims=True)) ** (1 / self.temperature)
        return raised / raised.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class Temperature(Short):
    """A fitted temperature.

    Attributes
    ----------
    value : float
        Above 1 the model was too sure of itself. 1 where no temperature fits, which leaves the scores as they are.
    n_samples, n_left_out : int
        Samples it was fitted on, and those without probability on the truth, which no temperature helps.
    before, after : float
        Mean -ln p(truth) on these samples, in nats.
    fits : bool
        Whether the loss is smallest within the range that is searched and not at an end of it: probabilities that are the
        better the flatter, or the sharper, they are have no temperature.
    """

    value: float
    n_samples: int
    n_left_out: int
    before: float
    after: float
    fits: bool = True

    @property
    def said(self) -> str:
        """The temperature with three digits, or that there is none."""
        if self.fits:
            return f"{self.value:.3g}"
        low, high = np.exp(GRID[[0, -1]])
        return f"no temperature between {low:.2g} and {high:.2g} fits; left as it is"


def at_temperature(predictions: Predictions, temperature: float) -> Predictions:
    """The Predictions with all scores at a temperature.

    Parameters
    ----------
    predictions : Predictions
        Logits, or probabilities of all leaves.
    temperature : float
        Above 0.

    Raises
    ------
    PredictionsError
        If the temperature is not above 0, or these are labels, probabilities of nodes, or lists of some classes.
    """
    _require_logits(predictions)
    if not is_number(temperature) or temperature <= 0:
        raise PredictionsError(f"temperature: expected a number above 0, got {shown(temperature)}. 1 changes nothing.")
    note = f"scores of {predictions.name} were divided by the temperature {float(temperature):.6g}"
    return predictions.replace(scores=ScaledScores(predictions, float(temperature)), notes=(*predictions.notes, note))


def fit_temperature(predictions: Predictions, rows: ArrayLike) -> Temperature:
    """The temperature with the smallest mean -ln p(truth) on some samples [1]_.

    Parameters
    ----------
    predictions : Predictions
        Logits, or probabilities of all leaves, with one truth a sample.
    rows : array_like of int
        Samples to fit on; judge the model on others.

    Returns
    -------
    Temperature

    Raises
    ------
    PredictionsError
        As `at_temperature`, or if none of these samples has one known truth with a probability above 0.
    """
    _require_logits(predictions)
    if not predictions.has_single_truth:
        raise PredictionsError(
            f"{predictions.name}: expected one true class a sample, got several or none. Fit nothing."
        )
    chosen = np.asarray(rows)
    chosen = chosen[predictions.has_truth[chosen]]
    part = predictions.replace(
        scores=np.asarray(predictions.scores[chosen]),
        truth=np.asarray(predictions.truth)[chosen],
        sample_ids=None,
        attributes={},
        notes=(),
    )

    def p_truth(log_t):
        scaled = at_temperature(part, float(np.exp(log_t)))
        parts = [
            scaled.node_probabilities(block)[np.arange(block.stop - block.start), part.truth[block]]
            for block in part.blocks()
        ]
        return np.concatenate([np.empty(0), *parts])

    known = p_truth(0.0) > 0

    def loss(log_t):
        with np.errstate(divide="ignore"):
            return float(-np.log(p_truth(log_t)[known]).mean())

    if not known.any():
        raise PredictionsError(
            f"{predictions.name}: expected samples with a known truth of a probability above 0, got none. Choose other samples."
        )
    losses = [loss(log_t) for log_t in GRID]
    best = int(np.nanargmin(losses))
    low, high = GRID[max(best - 1, 0)], GRID[min(best + 1, len(GRID) - 1)]
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    log_t = (low + high) / 2
    fits = bool(GRID[0] + NEAR_END < log_t < GRID[-1] - NEAR_END)
    log_t = log_t if fits else 0.0
    return Temperature(float(np.exp(log_t)), int(known.sum()), int((~known).sum()), loss(0.0), loss(log_t), fits)


def _require_logits(predictions):
    check_kind("predictions", predictions, Predictions)
    other = "lists of some classes" if isinstance(predictions.scores, ListedScores) else None
    what = {None: "labels", "node_probabilities": "probabilities of nodes"}.get(predictions.parametrisation, other)
    if what is not None:
        raise PredictionsError(
            f"{predictions.name}: expected logits or probabilities of all leaves for a temperature, got {what}. Leave it out."
        )
