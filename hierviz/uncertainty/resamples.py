"""Resamples of a data set, and the interval of a number that they give.

Two parts of the samples: one to choose on, one to check on.

Conventions
-----------
A resample takes n_samples samples with replacement, or as many whole groups as there are where samples come in groups
(users, documents, sites). It is held as counts: how often each sample is taken. Resample b depends on the seed, on b and
on the number of samples (or the groups) alone: all models share the resamples, and differences of models are paired.

An interval of level 1 - alpha lies between two order statistics of the R values over the resamples, the percentile
interval [1]_ without interpolation: 0-based, floor((R - 1) alpha / 2) and ceil((R - 1) (1 - alpha / 2)); for R = 1000
and 95 % the 25th from either end. Intervals are too narrow where fewer than about five samples (or groups) differ from all
others, such as the wrong answers near threshold 1: means of 0/1 values have Wilson's interval instead (`bootstrap_means`).

There is no interval with fewer than `FEWEST` samples, or groups; where more than `MOST_LACKING` of the draws lack the number
or every draw is infinite; and at a share of correct answers that leaves fewer than `FEWEST_WRONG` wrong ones. Where one end is
infinite, the other is the percentile of the finite draws. Numbers that differ by `TIE` or less are equal: sums depend on the
order of samples.

Functions
---------
Resamples, Interval, percentile_ends, share_at_bound, bound_caution, leaves_too_few_wrong, group_numbers, unit_numbers,
fold_numbers, split_samples

References
----------
.. [1] B. Efron, R. J. Tibshirani, An introduction to the bootstrap, Chapman & Hall 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.metrics.ties import TIE, at_least
from hierviz.predictions.column_text import as_text, is_missing
from hierviz.taxonomy.checks import check_kind, check_seed, check_whole

# Samples or groups, and wrong answers, with fewer of which there is no interval.
FEWEST, FEWEST_WRONG = 10, 10
# Share of the draws that may lack a number.
MOST_LACKING = 0.025
# Draws of every number are held, and more change no digit that is shown.
MOST_RESAMPLES = 100_000
# Samples up to which resamples are remembered, so many at a time: 32 MB at most.
MOST_REMEMBERED, DRAWN_AT_ONCE = 5_000, 100


@dataclass(frozen=True, eq=False)
class Resamples(Short):
    """Which samples each resample takes, computed on demand; those of few samples are remembered for the next model.

    Attributes
    ----------
    n_samples, n_resamples, seed : int
    group_of : ndarray of int, shape (n_samples,), or None
        Group of each sample, from 0; None where samples are resampled one by one.
    """

    n_samples: int
    n_resamples: int
    seed: int
    group_of: np.ndarray | None = None

    @classmethod
    def draw(cls, n_samples: int, n_resamples: int = 1000, seed: int = 0, groups: ArrayLike | None = None) -> Resamples:
        """Resamples of samples, or of groups.

        Parameters
        ----------
        n_samples : int
            At least one.
        n_resamples : int
            At least two, at most 100,000.
        seed : int
            >= 0. The first resamples of a larger number are the same ones.
        groups : array_like, shape (n_samples,), optional
            A label for each sample, numbers or texts: samples of one label are taken or left together. A resample then
            has the number of groups, not of samples, of the data.

        Returns
        -------
        Resamples

        Raises
        ------
        PredictionsError
            If a number is out of range, groups have another length, a label is missing, or all labels are the same.
        """
        for what, value, least in (("n_samples", n_samples, 1), ("n_resamples", n_resamples, 2), ("seed", seed, 0)):
            check_whole(what, value, least, MOST_RESAMPLES if what == "n_resamples" else None)
        group_of = None if groups is None else group_numbers(groups, n_samples)
        return cls(int(n_samples), int(n_resamples), int(seed), group_of)

    @property
    def n_units(self) -> int:
        """Samples, or groups, that are drawn."""
        return self.n_samples if self.group_of is None else int(self.group_of.max()) + 1

    @property
    def why_no_interval(self) -> str | None:
        """Why no number has an interval, in words; None when numbers have one."""
        return too_few_units(self.n_units, self.group_of is not None)

    def counts(self, index: int) -> np.ndarray:
        """How often resample `index` takes each sample: ndarray of int, shape (n_samples,)."""
        n = self.n_units
        if n <= MOST_REMEMBERED:
            counts = _remembered(self.seed, n, index // DRAWN_AT_ONCE)[index % DRAWN_AT_ONCE].astype(np.intp)
        else:
            counts = _drawn(self.seed, n, index)
        return counts if self.group_of is None else counts[self.group_of]

    def is_same(self, other: Resamples) -> bool:
        """Whether `other` takes the same samples, so that values over both are paired."""
        numbers = ("n_samples", "n_resamples", "seed")
        same = all(getattr(self, name) == getattr(other, name) for name in numbers)
        return same and np.array_equal(np.asarray(self.group_of), np.asarray(other.group_of))

    def each(self, progress: Callable[[int, int], object] | None = None) -> Iterator[tuple[int, np.ndarray]]:
        """Pairs (index, counts) of all resamples; `progress` is called with (done, n_resamples) about 100 times."""
        every = -(-self.n_resamples // 100)
        for index in range(self.n_resamples):
            yield index, self.counts(index)
            done = index + 1
            if progress and (done % every == 0 or done == self.n_resamples):
                progress(done, self.n_resamples)


def _drawn(seed, n, index):
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    return np.bincount(rng.integers(0, n, n), minlength=n)


@lru_cache(maxsize=32)
def _remembered(seed, n, block):
    """Counts of `DRAWN_AT_ONCE` resamples: every model, and most numbers of each, ask for the same ones."""
    some = range(block * DRAWN_AT_ONCE, (block + 1) * DRAWN_AT_ONCE)
    return np.stack([_drawn(seed, n, index) for index in some]).astype(np.uint16)


def group_numbers(groups, n_samples):
    """Group labels as numbers from 0, shape (n_samples,); an error unless there is one for each and two differ.

    None where no two samples share a label: groups of one sample each are no groups.
    """
    labels = as_text(groups)
    if labels.shape != (n_samples,):
        raise PredictionsError(
            f"groups: expected one label for each of the {n_samples} samples, got shape {labels.shape}. Align them."
        )
    # Columns of files mix texts, numbers and gaps: as text all of them can be sorted.
    names, numbers = np.unique(labels, return_inverse=True)
    missing = np.flatnonzero(is_missing(groups))
    if len(missing):
        raise PredictionsError(
            f"groups: expected a label for every sample, got none in rows {listed(missing)}. Fill them, or leave them out."
        )
    if len(names) < 2:
        raise PredictionsError(
            f"groups: expected at least two groups, got only {str(names[0])!r}. Nothing can be resampled: choose other groups."
        )
    return None if len(names) == n_samples else numbers


def unit_numbers(groups, n_samples):
    """What is drawn or folded together, as numbers from 0, shape (n_samples,): the `group_numbers`, or each sample alone."""
    numbers = None if groups is None else group_numbers(groups, n_samples)
    return np.arange(n_samples) if numbers is None else numbers


def fold_numbers(unit_of, n_folds, rng):
    """Fold of each sample, drawn by `rng`, shape (n_samples,) of int; what has one number in `unit_of` is in one fold.

    Raises
    ------
    PredictionsError
        If there are fewer samples, or groups, than folds.
    """
    n_units = int(unit_of.max()) + 1
    if n_units < n_folds:
        raise PredictionsError(
            f"folds: expected at least {n_folds} samples or groups, got {n_units}. Choose fewer folds, or add samples."
        )
    fold_of = np.empty(n_units, dtype=np.intp)
    fold_of[rng.permutation(n_units)] = np.arange(n_units) % n_folds
    return fold_of[unit_of]


@dataclass(frozen=True, eq=False)
class Interval(Short):
    """A number, or an array of numbers of any shape, with its interval.

    The percentile interval of the draws where `from_draws` made it; what returns one says where it is another, as that of
    Wilson for means of 0/1 values.

    Attributes
    ----------
    estimate : ndarray of float
        From all samples, each once.
    lower, upper : ndarray of float
        Same shape; both nan where there is no interval.
    draws : ndarray of float, shape (n_resamples, ...)
        The number in each resample.
    level : float
        In (0, 1).
    resamples : Resamples
    """

    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    draws: np.ndarray
    level: float
    resamples: Resamples

    @classmethod
    def from_draws(cls, estimate, draws, resamples, level=0.95):
        """The interval of any number computed from resamples, such as a ratio of two `bootstrap_means`.

        Raises
        ------
        PredictionsError
            If the level is not inside (0, 1).
        """
        check_level(level)
        estimate = np.asarray(estimate, dtype=np.float64)
        has_none = np.isnan(estimate) | (resamples is not None and resamples.n_units < FEWEST)
        return cls(estimate, *percentile_ends(draws, level), draws, level, resamples).without(has_none)

    def without(self, has_none: ArrayLike) -> Interval:
        """The same numbers, but none of the intervals that a mask says."""
        lower, upper = (np.where(has_none, np.nan, ends) for ends in (self.lower, self.upper))
        return replace(self, lower=lower, upper=upper)

    def part(self, place: Any) -> Interval:
        """Some of a row of numbers (an index, a slice or an array) with their intervals."""
        numbers = {name: getattr(self, name)[place] for name in ("estimate", "lower", "upper")}
        return replace(self, **numbers, draws=self.draws[:, place])

    def caution(self, limits: tuple[float, float]) -> str | None:
        """That the interval of a single number may be too short since many draws lie at an end of its range, in words.

        None where that is not so, where there is no interval, and where it is none of percentiles, as Wilson's.
        """
        ends = percentile_ends(self.draws, self.level)
        return bound_caution(self.draws, limits) if np.array_equal(ends, (self.lower, self.upper)) else None


def percentile_ends(draws, level):
    """Ends of the percentile interval along the first axis, as the conventions say.

    Parameters
    ----------
    draws : ndarray of float, shape (n_resamples, ...)
        nan where a draw lacks the number.
    level : float
        In (0, 1).

    Returns
    -------
    lower, upper : ndarray of float, shape (...)
        nan where too many draws lack the number, or none is finite.
    """
    tail = (1 - level) / 2

    def places(n):
        # Rounding, as in 999 * (1 - 0.2 / 2), must not move a whole number to the next one.
        low, high = np.floor((n - 1) * tail + 1e-9), np.ceil((n - 1) * (1 - tail) - 1e-9)
        return np.maximum(low, 0).astype(int), np.maximum(high, 0).astype(int)

    if np.isfinite(draws).all():
        return tuple(np.partition(draws, (ends := places(len(draws))), axis=0)[list(ends)])

    def of(some):
        """Of these draws alone, nan where there are none."""
        # nan is sorted behind all numbers.
        ordered = np.sort(np.where(some, draws, np.nan), axis=0)
        return (np.take_along_axis(ordered, at[None], axis=0)[0] for at in places(some.sum(axis=0)))

    known, finite = ~np.isnan(draws), np.isfinite(draws)
    lower, upper = of(known)
    is_open = np.isinf(lower) | np.isinf(upper)
    low, high = of(finite)
    lower = np.where(is_open & (lower != -np.inf), low, lower)
    upper = np.where(is_open & (upper != np.inf), high, upper)
    has_none = ((~known).mean(axis=0) > MOST_LACKING) | ~finite.any(axis=0)
    return np.where(has_none, np.nan, lower), np.where(has_none, np.nan, upper)


def bound_caution(draws, limits):
    """That an interval of percentiles may be too short since many draws lie at an end of the range, in words; else None."""
    found = [(float((np.abs(draws - bound) <= TIE).mean()), bound) for bound in limits if np.isfinite(bound)]
    share, bound = max(found, default=(0.0, np.nan))
    if share <= MOST_LACKING:
        return None
    return f"its interval may be too short: {percent_text(share, 1)} of the resamples are at {bound:g}, the end of its range"


def too_few_units(n_units, are_groups):
    """Why so many samples, or groups, have no interval, in words; None when they have one."""
    what = "group" if are_groups else "sample"
    few = f"{n_units} {what}{' is' if n_units == 1 else 's are'} too few: an interval needs at least {FEWEST}"
    return few if n_units < FEWEST else None


def leaves_too_few_wrong(n_samples, correct):
    """Whether so many correct answers (a share, or an array of them) leave fewer than `FEWEST_WRONG` wrong ones."""
    return ~np.asarray(at_least(n_samples * (1 - np.asarray(correct)), FEWEST_WRONG, scale=n_samples))


def check_resamples(resamples, level):
    """Raise a PredictionsError unless these are Resamples, and `level` is inside (0, 1)."""
    check_level(level)
    check_kind("resamples", resamples, Resamples, "hierviz.uncertainty.Resamples.draw makes them.")


def check_drawn_for(resamples, n_samples):
    """Raise a PredictionsError unless the resamples are those of so many samples."""
    if n_samples != resamples.n_samples:
        raise PredictionsError(
            f"resamples: expected those of {n_samples} samples, got {resamples.n_samples}. Draw them for these."
        )


def check_level(level):
    """Raise a PredictionsError unless `level` is inside (0, 1)."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise PredictionsError(f"level: expected a number between 0 and 1, got {level!r}. 0.95 is usual.")


def split_samples(n_samples, fraction=0.5, *, seed=0, groups=None):
    """Rows of a random part of the samples, and the others.

    Parameters
    ----------
    n_samples : int
    fraction : float
        Of the samples, or of the groups, in the first part; strictly between 0 and 1. At least one is on each side.
    seed : int
        The same seed gives the same parts.
    groups : array_like, shape (n_samples,), optional
        Label of each sample, for example the place where a picture was taken; no group is on both sides.

    Returns
    -------
    first, second : ndarray of int
        Ascending; together all rows.

    Raises
    ------
    PredictionsError
        If fraction or seed is out of range, a label is missing, or there are fewer than two samples, or groups, to part.
    """
    if not isinstance(fraction, (float, np.floating)) or not 0 < fraction < 1:
        raise PredictionsError(f"fraction: expected a number between 0 and 1, got {fraction!r}. Choose one.")
    check_seed(seed)
    unit_of = unit_numbers(groups, n_samples)
    units = int(unit_of.max(initial=-1)) + 1
    if units < 2:
        raise PredictionsError(f"split: expected at least two samples, got {units}. Add more, or do not split.")
    order = np.random.default_rng(seed).permutation(units)
    n_first = min(max(round(fraction * units), 1), units - 1)
    in_first = np.zeros(units, dtype=bool)
    in_first[order[:n_first]] = True
    is_first = in_first[unit_of]
    return np.flatnonzero(is_first), np.flatnonzero(~is_first)
