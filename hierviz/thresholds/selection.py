r"""Choosing the threshold by what it should achieve.

Conventions
-----------
Every breakpoint of an operating curve is checked, not a grid. A point of the curve holds on an interval of
thresholds; its threshold lies inside and has as few decimals as possible, so that it can be typed,
and ``curve.at`` gives exactly these values there. Values less than 1e-12 apart are equal; the largest threshold,
the most careful one, wins ties. All numbers are those of the samples the curve is made of: `hierviz.thresholds.risk_control` says
what holds for new ones.

Functions
---------
choose, smallest_lambda, with_costs, with_shallow_answers, cost_metrics, typeable
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves._rule_curve import DartsCurve
from hierviz.curves.answer_depths import step_means
from hierviz.curves.answer_values import answer_kinds, checked_table, kind_values
from hierviz.curves.operating_curve import OperatingCurve
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import with_outside
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.metrics.ties import at_least, at_most
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_kind, check_share, check_taxonomy, check_whole, is_number
from hierviz.taxonomy.taxonomy import Taxonomy

COST_SENTENCE = (
    "A wrong answer has its full cost. A correct answer costs the missing share of the true class's information times the "
    "cost of answering only the root: nothing for the true class itself, all of it for the root."
)


@dataclass(frozen=True)
class Choice(Short):
    """A threshold that was chosen, or why there is none.

    Attributes
    ----------
    threshold : float or None
        In [0, 1]; None when the goal cannot be reached.
    values : dict of str to float
        Every mean of the curve at that threshold, so also ``no_answer``, the share of the samples without an answer, which
        count as correct; empty when there is none.
    why_not : str or None
        One sentence, when there is none.
    """

    threshold: float | None
    values: dict[str, float] = field(default_factory=dict)
    why_not: str | None = None

    @property
    def is_feasible(self) -> bool:
        """True when a threshold was found."""
        return self.threshold is not None


def choose(
    curve: OperatingCurve, maximise: str = "info_recall", subject_to: Mapping[str, float] | None = None
) -> Choice:
    """The threshold with the best mean of a metric, among those where others are good enough.

    Parameters
    ----------
    curve : OperatingCurve
        From `with_costs` for ``cost`` and ``missing``, from `with_shallow_answers` for ``above_depth``.
    maximise : str
        A key of the curve. The largest mean wins, the smallest where `METRICS` says that lower is better.
    subject_to : mapping of str to float, optional
        By key of the curve what its mean has to reach, or where lower is better may not exceed: shares in [0, 1], others in
        their unit.

    Returns
    -------
    Choice
        Always feasible without conditions. Of thresholds with equally good means the largest.

    Raises
    ------
    PredictionsError
        If the curve has no such key, or a bound is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from hierviz import Taxonomy, operating_curve, pareto_table
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> table = pareto_table(taxonomy, np.array([[1, 0.75, 0.4375, 0.3125, 0.25], [1, 0.125, 0.125, 0, 0.875]]))
    >>> curve = operating_curve(taxonomy, taxonomy.nodes("dog", "newt"), table)
    >>> choice = choose(curve, subject_to={"correct": 0.95})
    >>> choice.threshold, choice.values["correct"], choice.values["exact"], choice.values["no_answer"]
    (0.5, 1.0, 0.5, 0.0)
    """
    check_kind("curve", curve, OperatingCurve, "It comes first.")
    conditions = {} if subject_to is None else subject_to
    check_kind("subject_to", conditions, Mapping, 'Pass {"correct": 0.95}, or leave it out.')
    gain, (low, high) = _gain("maximise", curve, maximise), _interval(curve)
    # Points that a threshold in [0, 1] can reach: scores below 0 or above 1 have breakpoints beyond.
    usable = (low <= 1) & (low < high)
    allowed = usable.copy()
    for key, bound in conditions.items():
        gained = _gain("subject_to", curve, key)
        if METRICS[key].is_share:
            check_share(key, bound, with_ends=True)
        elif not is_number(bound):
            raise PredictionsError(f"{key}: expected a number, got {shown(bound)}. Choose one.")
        is_upper = METRICS[key].better == "lower"
        here = at_most(-gained, bound) if is_upper else at_least(gained, bound)
        if not (usable & here).any():
            best = float((gained if key in ("correct", "cost") else gained[usable]).max())
            return Choice(None, {}, _why_not(curve, key, bound, -best if is_upper else best))
        allowed &= here
    if not allowed.any():
        return Choice(None, {}, "At no threshold do all conditions hold together.")
    point = int(np.argmax(allowed & at_least(gain, gain[allowed].max())))
    threshold = typeable(low[point], high[point])
    return Choice(threshold, {key: float(values[point]) for key, values in curve.values.items()})


def _why_not(curve, key, bound, best):
    """The sentence that says which condition no threshold fulfils, and the nearest to it."""
    if key == "correct":
        return f"At no threshold are {_percent(bound)} of the answers correct; the highest share is {_percent(best)}."
    if key == "cost":
        return f"At no threshold is the mean cost {bound:.6g} or less; the lowest is {best:.6g}."
    if isinstance(curve, CurveAboveDepth) and key == "above_depth":
        return (
            f"At no threshold do {_percent(bound)} of the answers or fewer stop above depth {curve.depth}; "
            f"the lowest share is {_percent(best)}."
        )
    wanted, nearest = ("or less", "lowest") if METRICS[key].better == "lower" else ("or more", "highest")
    return f"At no threshold is {METRICS[key].name} {bound:.6g} {wanted}; the {nearest} is {best:.6g}."


def smallest_lambda(curve: DartsCurve, level: float = 0.95) -> Choice:
    """The smallest λ of rule `darts` at which at least this share of the answers is correct: the most specific answers.

    Parameters
    ----------
    curve : DartsCurve
        Of samples to choose on; ``other_curve.at(choice.threshold)`` says what the λ yields on others.
    level : float
        In [0, 1].

    Returns
    -------
    Choice
        ``threshold`` is λ in bits, at most a thousandth above the breakpoint that it begins at, with few decimals; ``values``
        the means there. None where no λ is correct enough. Correct need not grow with λ: every breakpoint is checked.

    Raises
    ------
    PredictionsError
        If the level is not in [0, 1] or `curve` is another curve.
    """
    check_kind("curve", curve, DartsCurve, "hierviz.curves.rule_curve(..., rule='darts') gives it.")
    check_share("level", level, with_ends=True)
    correct = curve.values["correct"]
    reached = np.flatnonzero(at_least(correct, level))
    if not len(reached):
        most = _percent(correct.max())
        return Choice(None, {}, f"At no λ are {_percent(level)} of the answers correct; the highest share is {most}.")
    point = int(reached[-1])
    low = float(curve.threshold[point]) if point < len(curve.threshold) else 0.0
    high = float(curve.threshold[point - 1]) if point else np.inf
    # At the breakpoint itself two answers are equally good, and the other one may win.
    lam = typeable(low * (1 + 1e-9), min(high, low * 1.001)) if low else 0.0
    return Choice(lam, {key: float(values[point]) for key, values in curve.values.items()})


def with_costs(
    curve: OperatingCurve,
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: ArrayLike | Predictions | ParetoTable,
    *,
    wrong: float = 1.0,
    vague: float = 1.0,
) -> OperatingCurve:
    """The curve with the mean cost of the answers.

    Parameters
    ----------
    curve : OperatingCurve
        Of `table` and `truth`.
    taxonomy : Taxonomy
    truth : ndarray of int, shape (n_samples,)
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    wrong, vague : float
        Cost of a wrong answer and of answering only the root, >= 0, in any unit.

    Returns
    -------
    OperatingCurve
        With the keys ``missing`` (mean over samples of Correct × (1 - information recall), in [0, 1]) and ``cost``
        (``wrong`` × (1 - Correct) + ``vague`` × ``missing``); lower is better.

    Raises
    ------
    PredictionsError
        If a cost is negative or no number, or `table` and `truth` are not those of the curve.

    Notes
    -----
    For a curve that has ``missing`` already only the cost is computed again. `COST_SENTENCE` says the same for people.
    """
    check_kind("curve", curve, OperatingCurve, "It comes first.")
    check_taxonomy(taxonomy, "It comes after the curve.")
    for what, price in (("wrong", wrong), ("vague", vague)):
        if not is_number(price) or price < 0:
            raise PredictionsError(f"cost of a {what} answer: expected a number >= 0, got {price!r}. Choose one.")
    missing = curve.values.get("missing")
    if missing is None:
        truth, table = checked_table(taxonomy, truth, table)
        _require_table(curve, table)
        kinds = answer_kinds(taxonomy, truth, table)
        correct, recall = kind_values(taxonomy, kinds, ("correct", "info_recall"))[0].T
        means = step_means(table, curve.threshold, (correct * (1 - recall))[kinds.of_answer])
        missing = np.clip(means, 0, 1)
    cost = wrong * (1 - curve.values["correct"]) + vague * missing
    return replace(curve, values={**curve.values, "missing": missing, "cost": cost})


def cost_metrics(
    taxonomy: Taxonomy, truth: ArrayLike, answers: ArrayLike, *, wrong: float = 1.0, vague: float = 1.0
) -> dict[str, np.ndarray]:
    """The path metrics of single answers, and ``cost``: what each costs, as `with_costs` has it.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth, answers : ndarray of int, shape (n_samples,)
    wrong, vague : float
        As in `with_costs`.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
    """
    metrics = path_metrics(taxonomy, truth, answers)
    missing = np.clip(metrics["correct"] * (1 - metrics["info_recall"]), 0, 1)
    return {**metrics, "cost": wrong * (1 - metrics["correct"]) + vague * missing}


@dataclass(frozen=True, eq=False)
class CurveAboveDepth(OperatingCurve):
    """An operating curve with the key ``above_depth``: the share of the answers at a smaller depth than `depth`."""

    depth: int = 0


def with_shallow_answers(
    curve: OperatingCurve, taxonomy: Taxonomy, table: ArrayLike | Predictions | ParetoTable, depth: int
) -> CurveAboveDepth:
    """The curve with the share of the answers that lie above a depth.

    Parameters
    ----------
    curve : OperatingCurve
        Of `table`.
    taxonomy : Taxonomy
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    depth : int
        In edges from the root, from 0 to max_depth; an answer at a smaller depth lies above it.

    Returns
    -------
    CurveAboveDepth
        With the key ``above_depth``, in [0, 1], lower is better. Answers are counted as they were given, also where the truth
        itself lies higher.

    Raises
    ------
    PredictionsError
        If the depth is not one of the taxonomy, or `table` is not that of the curve.
    """
    check_kind("curve", curve, OperatingCurve, "It comes first.")
    check_taxonomy(taxonomy, "It comes after the curve.")
    check_whole("depth", depth, 0, taxonomy.max_depth)
    table = as_table(taxonomy, table)
    _require_table(curve, table)
    above = step_means(
        table, curve.threshold, (with_outside(taxonomy.depth, np.inf)[table.nodes] < depth).astype(float)
    )
    return CurveAboveDepth(curve.threshold, {**curve.values, "above_depth": above}, curve.n_samples, int(depth))


def typeable(low, high):
    """The number in [low, high) with the fewest decimals, the smallest of them; `low` and `high` in [0, 1], or inf."""
    # As it would be typed: 0.4 is a little more than four tenths in binary, and stays 0.4.
    typed = Decimal(repr(float(low)))
    for decimals in range(18):
        # Rounding up and then to the nearest double cannot fall below `low`, but may reach `high`.
        rounded = float(typed.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_CEILING, context=Context(prec=400)))
        if low <= rounded < high:
            return rounded
    return float(low)


def _interval(curve):
    """Thresholds from `low` to below `high` in [0, 1] belong to each point, shape (J + 1,)."""
    low = np.maximum(np.append(curve.threshold, -np.inf), 0.0)
    return low, np.append(np.inf, curve.threshold)


def _gain(what, curve, key):
    """Values of a key at every point, turned so that larger is better."""
    if not isinstance(key, str) or key not in curve.values:
        advice = {
            "cost": "hierviz.thresholds.with_costs adds it.",
            "missing": "hierviz.thresholds.with_costs adds it.",
            "above_depth": "hierviz.thresholds.with_shallow_answers adds it.",
        }
        raise PredictionsError(
            f"{what}: expected one of {', '.join(curve.values)}, got {shown(key)}. {advice.get(str(key), 'Choose one.')}"
        )
    return -curve.values[key] if METRICS[key].better == "lower" else curve.values[key]


def _require_table(curve, table):
    if table.n_samples != curve.n_samples:
        raise PredictionsError(
            f"table: expected the {curve.n_samples} samples of the curve, got {table.n_samples}. Pass the same table."
        )


def _percent(value):
    return f"{100 * float(value):.6g} %"
