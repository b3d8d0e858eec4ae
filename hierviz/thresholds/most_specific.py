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
    points = {key: choose(curve, subject_to={"correct": level}) for key, curve in means.items()}
    reached = {key: point.values["info_recall"] for key, point in points.items() if point.is_feasible}
    if not reached:
        return None
    key = max(reached, key=lambda key: rounded(reached[key]))
    return MostSpecific(key, points[key], means[key].at(0.0), len(runs[key]), runs[key][0].n_samples)


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
    share, strong = f"{100 * level:.6g} %", bold.format
    if found is None:
        return f"No model has {share} correct answers at any threshold."
    if found.n_samples < FEWEST:
        return f"{found.n_samples} samples are too few to recommend a model and a threshold: it takes {FEWEST}."
    runs = f" (mean of its {found.n_runs} runs)" if found.n_runs > 1 else ""
    if not found.choice.threshold:
        best = f"the most specific model is {strong(name)}{runs}" if n_models > 1 else f"{strong(name)}{runs}"
        return (
            f"{strong(f'At least {share} of the answers are correct')} without any threshold: {best}"
            f"{', with a leaf as every answer' if n_models > 1 else ' can give a leaf as every answer'} (τ = 0). This costs no "
            f"specificity: the answers contain {percent_text(found.choice.values['info_recall'], 1)} of the information of the "
            f"true classes (information recall), and {percent_text(found.choice.values['correct'], 1)} are correct."
        )
    best = f"the most specific model is {strong(name)}{runs}, at" if n_models > 1 else f"{name}{runs} needs"
    answered = answered_text(found.choice.values["no_answer"], found.choice.values["correct"])
    return (
        f"{strong(f'With at least {share} of the answers correct')}, {best} {strong(f'τ = {threshold}')}; there, "
        f"{strong(answered)}. {_cost(found.choice.values, found.leaf, strong)}"
    )


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
