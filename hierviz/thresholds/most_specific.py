"""Which of several models is the most specific where enough of its answers are correct, and what its threshold costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hierviz.curves.operating_curve import OperatingCurve
from hierviz.number_text import percent_text, points_text
from hierviz.thresholds.selection import Choice, at_least_correct


@dataclass(frozen=True)
class MostSpecific:
    """The model, its threshold, and its answers without one.

    Attributes
    ----------
    key : str
        Of the model.
    choice : Choice
        Its most specific threshold at which enough answers are correct.
    leaf : dict of str to float
        Every mean of its curve where each answer is a leaf.
    """

    key: str
    choice: Choice
    leaf: dict[str, float]

    @property
    def price(self) -> tuple[str, str] | None:
        """What the threshold costs in specificity and gives in correct answers, in words; None where it changes neither."""
        values, leaf = self.choice.values, self.leaf
        lost, gained = leaf["info_recall"] - values["info_recall"], values["correct"] - leaf["correct"]
        if not lost and not gained:
            return None
        specific, correct = (points_text(values[name], leaf[name], 1) for name in ("info_recall", "correct"))
        return (
            f"{specific} {'less' if lost >= 0 else 'more'} specific",
            f"{correct} {'more' if gained >= 0 else 'fewer'} correct answers",
        )


def most_specific(curves: Mapping[str, OperatingCurve], level: float = 0.95) -> MostSpecific | None:
    """The most specific model at which at least this share of the answers is correct.

    Parameters
    ----------
    curves : dict of str to OperatingCurve
        By model, of the same samples.
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
    points = {key: at_least_correct(curve, level) for key, curve in curves.items()}
    reached = [key for key, point in points.items() if point.is_feasible]
    if not reached:
        return None
    key = max(reached, key=lambda key: points[key].values["info_recall"])
    return MostSpecific(key, points[key], curves[key].at(0.0))


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
    share, strong = percent_text(level), bold.format
    if found is None:
        return f"No model has {share} correct answers at any threshold."
    values, leaf = found.choice.values, found.leaf
    best = f"the most specific model is {strong(name)}, at" if n_models > 1 else f"{name} needs"
    price = found.price
    cost = ""
    if price is not None:
        cost = f" The threshold makes them {strong(price[0])} for {strong(price[1])} ({percent_text(values['correct'], 1)})."
    return (
        f"With at least {share} of the answers correct, {best} {strong(f'τ = {threshold}')}: its answers contain "
        f"{strong(percent_text(values['info_recall'], 1))} of the information of the true classes (information recall). "
        f"Without a threshold, with a leaf as every answer, it would be {percent_text(leaf['info_recall'], 1)}, with "
        f"{percent_text(leaf['correct'], 1)} correct.{cost}"
    )
