r"""Is one model better than another? Differences at equal correctness, at equal specificity, and of whole curves, paired.

Conventions
-----------
`curves.equal_levels` defines what is compared: S(c) and C(x), steps over the points of exact curves. Every resample is
taken of both models, both curves are computed again, and the difference is taken then. At one level chosen beforehand the
interval is pointwise; for a sentence about a range of levels `over_range` gives a band that holds along all of it (sup-t).
A method with several runs is compared by the mean over them, and its interval also says how much they vary
(`uncertainty.repeats.with_runs`).

There is no interval where more than 2.5 % of the draws lack the number, or at a share c of correct answers that leaves
fewer than 10 wrong ones, n (1 - c) < 10. The same threshold is never compared: scores of two models are on two scales.

Functions
---------
ModelDifference, difference_of_models, difference_sentence, difference_verdict, runs_sentence
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.equal_levels import correctness_at, specificity_at
from hierviz.curves.operating_curve import SUMMARY, CurveSteps
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import array_of_numbers
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.comparison import no_clear_difference, simultaneous
from hierviz.uncertainty.repeats import with_runs
from hierviz.uncertainty.resamples import (
    Interval,
    Resamples,
    check_drawn_for,
    check_resamples,
    leaves_too_few_wrong,
)

AREAS = ("ac", "ap")
# What a curve is made from.
Scored = np.ndarray | Predictions | ParetoTable


@dataclass(frozen=True, eq=False)
class ModelDifference(Short):
    """The first model less the second; intervals are nan where there is none.

    Attributes
    ----------
    key : str
        What specific means.
    correct : ndarray of float, shape (n_c,)
    at_correct : Interval, arrays of shape (n_c,)
        Difference of S(c), in the unit of `key`.
    unreached : tuple of ndarray of bool, each shape (n_c,)
        Where the first and the second model, or one of its runs, have no point that is so correct, and S(c) is 0.
    specificity : ndarray of float, shape (n_x,)
    at_specificity : Interval, arrays of shape (n_x,)
        Difference of C(x); nan where one of the curves ends before.
    summary : dict of str to Interval
        ``ac`` and ``ap``.
    """

    key: str
    correct: np.ndarray
    at_correct: Interval
    unreached: tuple[np.ndarray, np.ndarray]
    specificity: np.ndarray
    at_specificity: Interval
    summary: dict[str, Interval]

    def over_range(self, low: float, high: float, *, of: str = "correct") -> Interval:
        """The differences at levels from `low` to `high` with a band that holds at all of them at once.

        Parameters
        ----------
        low, high : float
        of : {"correct", "specificity"}

        Returns
        -------
        Interval
            Arrays over the levels in the range that have an interval.

        Raises
        ------
        PredictionsError
            If no level in the range has one.
        """
        if of not in ("correct", "specificity"):
            raise PredictionsError(f"of: expected 'correct' or 'specificity', got {of!r}. Choose one.")
        levels = self.correct if of == "correct" else self.specificity
        found = self.at_correct if of == "correct" else self.at_specificity
        inside = (levels >= low) & (levels <= high) & ~np.isnan(found.lower)
        if not inside.any():
            raise PredictionsError(
                f"range: expected levels with an interval from {low} to {high}, got none. Compare at other levels, or on more "
                "samples."
            )
        part = found.part(inside)
        # The few draws that lack a number at some level say nothing about the range.
        return simultaneous(replace(part, draws=part.draws[~np.isnan(part.draws).any(axis=1)]))


def difference_of_models(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    first: Scored | Sequence[Scored],
    second: Scored | Sequence[Scored],
    resamples: Resamples,
    *,
    correct: ArrayLike = (0.8, 0.85, 0.9, 0.95),
    specificity: ArrayLike = (),
    key: str = "info_recall",
    level: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> ModelDifference:
    """Paired differences of two models on the same samples.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    first, second : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable; or list of them
        A list holds the runs of a method.
    resamples : Resamples
        Of these samples, or of groups of them.
    correct : array_like of float, shape (n_c,)
        Shares of correct answers at which S(c) is compared.
    specificity : array_like of float, shape (n_x,)
        Values of `key` at which C(x) is compared.
    key : str
        Measure of specificity, more is better.
    level : float
    progress : callable, optional
        Called with (resamples done, n_resamples).

    Returns
    -------
    ModelDifference
        Exactly 0 in every draw where one model's node scores are a strictly increasing map of the other's.

    Raises
    ------
    PredictionsError, TaxonomyError
        As `hierviz.uncertainty.bootstrap_curve`.
    """
    check_resamples(resamples, level)
    levels, values = (
        array_of_numbers(given, what).reshape(-1)
        for given, what in ((correct, "correct"), (specificity, "specificity"))
    )
    keys = tuple(dict.fromkeys(("correct", "info_recall", "info_precision", key)))
    methods = [
        [CurveSteps.from_table(taxonomy, truth, as_table(taxonomy, run), keys=keys) for run in _runs(of)]
        for of in (first, second)
    ]
    for runs in methods:
        for one in runs:
            check_drawn_for(resamples, len(one.first))

    def numbers(one, counts):
        curve = one.curve(counts)
        at_levels = specificity_at(curve, levels, key), correctness_at(curve, values, key)
        return np.concatenate([*at_levels, [SUMMARY[area][1](curve) for area in AREAS]])

    def of_runs(counts=None):
        return [np.array([numbers(one, counts) for one in runs]) for runs in methods]

    def apart(of_both):
        return of_both[0].mean(axis=0) - of_both[1].mean(axis=0)

    draws = np.array([apart(of_runs(counts)) for _, counts in resamples.each(progress)])
    of_all = of_runs()
    found = with_runs(Interval.from_draws(apart(of_all), draws, resamples, level), of_all)[0]
    ends = len(levels), len(levels) + len(values)
    first_reached, second_reached = (
        np.all([at_least(one.curve().values["correct"].max(), levels) for one in runs], axis=0) for runs in methods
    )
    return ModelDifference(
        key,
        levels,
        found.part(slice(0, ends[0])).without(leaves_too_few_wrong(resamples.n_samples, levels)),
        (~first_reached, ~second_reached),
        values,
        found.part(slice(*ends)),
        {name: found.part(ends[1] + place) for place, name in enumerate(AREAS)},
    )


def _runs(of):
    """The runs of a method as a list: a list of rows of numbers is one run."""
    is_list = isinstance(of, (list, tuple)) and all(
        np.ndim(one) == 2 or (isinstance(one, Scored) and np.ndim(one) == 0) for one in of
    )
    return list(of) if is_list and len(of) else [of]


def difference_sentence(
    names: tuple[str, str], difference: Interval, what: str, n_runs: tuple[int, int] | None = None
) -> str:
    """What a difference of two models says, in one sentence that never calls them equal.

    Parameters
    ----------
    names : (str, str)
        Of the first model and the second.
    difference : Interval
        Of one number, better when higher.
    what : str
        For example ``"AC"`` or ``"information recall at 95 % correct"``.
    n_runs : (int, int), optional
        Runs of each that the difference is made from: said in a second sentence.

    Returns
    -------
    str
    """
    if not np.isfinite(difference.estimate):
        return f"{what}: not defined for both models."
    value = _signed(difference.estimate)
    if np.isnan(difference.lower):
        return f"{what}: {names[0]} less {names[1]} is {value}; too few samples for an interval."
    span = f"[{_signed(difference.lower)}, {_signed(difference.upper)}]"
    details = (
        f"{value}, {100 * difference.level:g} % interval {span}, {difference.resamples.n_resamples:,} paired resamples"
    )
    if not no_clear_difference(difference):
        details += f" for {names[0]} less {names[1]}"
    verdict = difference_verdict(names, difference)
    return f"{what}: {verdict} ({details}).{f' {runs_sentence(names, n_runs)}' if n_runs else ''}"


def runs_sentence(names: tuple[str, str], n_runs: tuple[int, int]) -> str:
    """Whether a difference holds for other trainings of two methods, by the runs it is made from; empty with one run of each."""
    if max(n_runs) == 1:
        return ""
    counts = " and ".join(f"{n} run{'s' * (n != 1)} of {name}" for name, n in zip(names, n_runs, strict=True))
    single = [name for name, n in zip(names, n_runs, strict=True) if n == 1]
    warning = f"; one run of {single[0]} says nothing about its retraining" if single else ""
    return f"Means over {counts}; the interval also contains the spread between the runs{warning}."


def difference_verdict(names: tuple[str, str], difference: Interval) -> str:
    """Which of two models is better, or that there is no clear difference, in words for the inside of a sentence.

    Parameters
    ----------
    names, difference
        As in `difference_sentence`; a number that both models have, with an interval.

    Returns
    -------
    str
    """
    if no_clear_difference(difference):
        return f"no clear difference between {names[0]} and {names[1]}"
    better, worse = names if difference.estimate > 0 else names[::-1]
    return f"{better} is clearly better than {worse}"


def _signed(value):
    return f"{float(value):+.4f}".replace("-", "−")
