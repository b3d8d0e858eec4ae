"""One threshold for sets of classes against the set of largest expected hF1: what each reaches, in numbers and one sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.curves._set_curve import set_curve
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import value_text
from hierviz.messages.progress import Progress
from hierviz.uncertainty.student import t_quantile

# Thresholds of which the best one is found in hindsight: twelve, from 0.05 to 0.6.
TRIED = tuple(round(0.05 * step, 2) for step in range(1, 13))


@dataclass(frozen=True)
class SetRules(Short):
    """Mean hF1 of sets by three ways to choose them.

    Attributes
    ----------
    name : str
        Of the model.
    at_half : float
        The classes above 0.5.
    best, best_threshold : float
        The classes above the best of `TRIED` on the same samples, the largest on ties; and that threshold.
    optimal : float
        The sets of rule ``hf_optimal``, with nothing tuned.
    expected : float or None
        What these were expected to reach if the probabilities are right; None for several true classes a sample.
    is_off : bool
        Whether the 95 % interval of the mean difference of both leaves out 0.
    """

    name: str
    at_half: float
    best: float
    best_threshold: float
    optimal: float
    expected: float | None
    is_off: bool = False

    @property
    def sentence(self) -> str:
        """The numbers in words, and what follows where a threshold is better."""
        off = "" if self.expected is None else f" (expected: {value_text(self.expected)})"
        text = (
            f"{self.name}: hF1 is {value_text(self.at_half)} at τ = 0.5, {value_text(self.best)} at the best of {len(TRIED)} "
            f"thresholds in hindsight (τ = {self.best_threshold:g}), and {value_text(self.optimal)}{off} by the sets of largest "
            "expected hF1, with nothing tuned."
        )
        if self.best > self.optimal and self.expected is not None:
            text += " A threshold is better here, " + (
                "and what was expected and what is reached clearly differ: the probabilities are off."
                if self.is_off
                else "which may be luck: it was chosen in hindsight, and what was expected is reached."
            )
        return text


def set_rules(model: Evaluation, progress: Progress = None) -> SetRules:
    """Mean hF1 at 0.5, at the best threshold in hindsight, and by rule `hf_optimal`.

    Parameters
    ----------
    model : Evaluation or Predictions
        With scores and a known truth, one a sample or several.
    progress : callable, optional
        Called with (rows done, rows in all) by each pass over the scores.

    Raises
    ------
    PredictionsError
        If the input has no curve of sets; says why.
    """
    model = as_evaluation("model", model)
    curve = set_curve(model, TRIED, progress)
    best = curve.best_threshold("hf1_samples")
    assert best is not None
    values = dict(zip(curve.exact_at.tolist(), curve.values["hf1_samples"].tolist(), strict=True))
    columns = model.set_counts({"rule": "hf_optimal", "threshold": 0.5}, progress).per_sample()
    reached, expected = columns["hf1_samples"], columns.get("hf_beta_expected")
    apart = None if expected is None else np.asarray(expected) - reached
    is_off = apart is not None and len(apart) > 1 and abs(apart.mean()) > _half_width(apart)
    return SetRules(
        model.predictions.name,
        values[0.5],
        values[best],
        best,
        float(np.mean(reached)),
        None if expected is None else float(np.mean(expected)),
        bool(is_off),
    )


def _half_width(values):
    """Half of the 95 % interval of a mean."""
    return t_quantile(0.95, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
