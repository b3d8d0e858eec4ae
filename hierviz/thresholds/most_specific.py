"""Which of several models is the most specific where enough of its answers are correct, and what its threshold costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text, points_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.ties import rounded
from hierviz.thresholds.selection import Choice, choose
from hierviz.uncertainty.repeats import curve_of_runs
from hierviz.uncertainty.resamples import FEWEST


@dataclass(frozen=True)
class MostSpecific(Short):
    """The model, its threshold, and its answers without one.

    Attributes
    ----------
    key : str
        Of the model.
    choice : Choice
        Its most specific threshold at which enough answers are correct.
    leaf : dict of str to float
        Every mean of its curve where each answer is a leaf.
    n_runs : int
        Runs that all these are means of.
    n_samples : int
        Samples of each curve.
    """

    key: str
    choice: Choice
    leaf: dict[str, float]
    n_runs: int = 1
    n_samples: int = FEWEST


def most_specific(
    curves: Mapping[str, OperatingCurve | Sequence[OperatingCurve]], level: float = 0.95
) -> MostSpecific | None:
    """The most specific model at which at least this share of the answers is correct.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, or to the curves of the runs of a method
        By model, of the same samples. A method is judged by the mean of its runs at each threshold, never by its best run.
    level : float
        In [0, 1].

    Returns
    -------
    MostSpecific or None
        The first with the highest information recall; None where no model has so many correct answers at any threshold.

    Raises
    ------
    PredictionsError
        If the level is not in [0, 1].
    """
    runs = {key: [one] if isinstance(one, OperatingCurve) else list(one) for key, one in curves.items()}
    means = {key: curve_of_runs(of_method) for key, of_method in runs.items()}
    points = equally_correct(means, level)
    if not points:
        return None
    key = max(points, key=lambda key: rounded(points[key].values["info_recall"]))
    return MostSpecific(key, points[key], means[key].at(0.0), len(runs[key]), runs[key][0].n_samples)


def equally_correct(curves: Mapping[str, OperatingCurve], level: float) -> dict[str, Choice]:
    """The most specific threshold of each model at which at least this share of its answers is correct.

    There models can be compared: at the same threshold they cannot, as their scores are on different scales.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
        By model, of the same samples.
    level : float
        In [0, 1].

    Returns
    -------
    dict of str to Choice
        Of the models that have such a threshold.

    Raises
    ------
    PredictionsError
        If the level is not in [0, 1].
    """
    points = {key: choose(curve, subject_to={"correct": level}) for key, curve in curves.items()}
    return {key: point for key, point in points.items() if point.is_feasible}


def most_specific_text(
    found: MostSpecific | None, name: str, threshold: str, n_models: int, level: float = 0.95, bold: str = "{}"
) -> str:
    """What `most_specific` found, in sentences.

    Parameters
    ----------
    found : MostSpecific or None
    name, threshold : str
        How the model and the threshold are written.
    n_models : int
        How many were compared.
    level : float
    bold : str
        How what matters most is marked, such as ``"**{}**"``.
    """
    if found is None:
        return f"No model has {100 * level:.6g} % correct answers at any threshold."
    if found.n_samples < FEWEST:
        return f"{found.n_samples} samples are too few to recommend a model and a threshold: it takes {FEWEST}."
    recommended = recommendation_text(found, name, threshold, n_models, level, bold)
    return f"{recommended} {cost_text(found, bold)}"


def recommendation_text(
    found: MostSpecific, name: str, threshold: str, n_models: int, level: float = 0.95, bold: str = "{}"
) -> str:
    """The model and the threshold that are recommended, with the share without an answer, in one sentence.

    Parameters as of `most_specific_text`; `found` is of enough samples.
    """
    share, strong = f"{100 * level:.6g} %", bold.format
    runs = f" (mean of its {found.n_runs} runs)" if found.n_runs > 1 else ""
    if not found.choice.threshold:
        best = f"the most specific model is {strong(name)}{runs}" if n_models > 1 else f"{strong(name)}{runs}"
        every = ", with a leaf as every answer" if n_models > 1 else " can give a leaf as every answer"
        return f"{strong(f'At least {share} of the answers are correct')} without any threshold: {best}{every} (τ = 0)."
    best = f"the most specific model is {strong(name)}{runs}, at" if n_models > 1 else f"{name}{runs} needs"
    values = found.choice.values
    none, correct = values["no_answer"], values["correct"]
    answered = answered_text(none, correct)
    if 0 < none < 1:
        # Samples without an answer count as correct: the share without them would look like another one of the same.
        answered = (
            f"{percent_text(correct - none, 1)} get a correct answer, {percent_text(none, 1)} none (counted as correct)"
        )
    return (
        f"{strong(f'With at least {share} of the answers correct')}, {best} {strong(f'τ = {threshold}')}; there, "
        f"{strong(answered)}."
    )


def cost_text(found: MostSpecific, bold: str = "{}") -> str:
    """What the recommended threshold costs in specificity and gives in correct answers, in sentences."""
    values = found.choice.values
    if not found.choice.threshold:
        specific, correct = percent_text(values["info_recall"], 1), percent_text(values["correct"], 1)
        return (
            f"This costs no specificity: the answers contain {specific} of the information of the true classes (information "
            f"recall), and {correct} are correct."
        )
    return _cost(values, found.leaf, bold.format)


def _cost(values, leaf, strong):
    """What a threshold costs in specificity and gives in correct answers, against a leaf as every answer."""
    (specific, before), (correct, fewer) = (
        (percent_text(values[name], 1), percent_text(leaf[name], 1)) for name in ("info_recall", "correct")
    )
    lost, gained = leaf["info_recall"] - values["info_recall"], values["correct"] - leaf["correct"]
    if not lost and not gained:
        return f"This costs no specificity ({specific}): no threshold is needed."
    less, more = (points_text(values[name], leaf[name], 1) for name in ("info_recall", "correct"))
    price = strong(f"Cost in specificity: {'' if lost >= 0 else '−'}{less}" if lost else "No cost in specificity")
    gain = strong(f"{more} {'more' if gained >= 0 else 'fewer'} answers are correct")
    return (
        f"{price}: the answers contain {specific} of the information of the true classes (information recall), instead of "
        f"{before} without a threshold (a leaf as every answer). In return {gain}: {correct} instead of {fewer}."
    )
