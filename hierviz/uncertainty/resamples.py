r"""Resamples of a data set, and the interval of a number that they give.

Conventions
-----------
A resample takes n_samples samples with replacement, or as many whole groups as there are where samples come in groups
(users, documents, sites). It is held as counts: how often each sample is taken. Resample b depends on the seed, on b and
on the number of samples (or the groups) alone: all models share the resamples, and differences of models are paired.

An interval of level 1 - alpha lies between two order statistics of the R values over the resamples, the percentile
interval [1]_ without interpolation: 0-based, floor((R - 1) alpha / 2) and ceil((R - 1) (1 - alpha / 2)); for R = 1000
and 95 % the 25th from either end. Two limits: one sample gives intervals of no width, and intervals are too narrow where
fewer than about five samples (or groups) differ from all others, such as the wrong answers near threshold 1.

Functions
---------
Resamples, Interval, group_numbers, as_text

References
----------
.. [1] B. Efron, R. J. Tibshirani, An introduction to the bootstrap, Chapman & Hall 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.errors import PredictionsError, listed
from hierviz.notebook_html import Short

# What a group label of a file looks like where it is missing.
MISSING = ("", "nan", "None", "<NA>", "NaT")


@dataclass(frozen=True, eq=False)
class Resamples(Short):
    """Which samples each resample takes, worked out when asked for: nothing of size n_resamples x n_samples is held.

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
            At least two.
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
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
                raise PredictionsError(f"{what}: expected a whole number >= {least}, got {value!r}. Choose one.")
        group_of = None if groups is None else group_numbers(groups, n_samples)
        return cls(int(n_samples), int(n_resamples), int(seed), group_of)

    def counts(self, index: int) -> np.ndarray:
        """How often resample `index` takes each sample: ndarray of int, shape (n_samples,)."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,)))
        n = self.n_samples if self.group_of is None else int(self.group_of.max()) + 1
        counts = np.bincount(rng.integers(0, n, n), minlength=n)
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


def group_numbers(groups, n_samples):
    """Group labels as numbers from 0, shape (n_samples,); an error unless there is one for each and two differ."""
    labels = as_text(groups)
    if labels.shape != (n_samples,):
        raise PredictionsError(
            f"groups: expected one label for each of the {n_samples} samples, got shape {labels.shape}. Align them."
        )
    # Columns of files mix texts, numbers and gaps: as text all of them can be sorted.
    names, numbers = np.unique(labels, return_inverse=True)
    missing = np.flatnonzero(np.isin(names, MISSING)[numbers])
    if len(missing):
        raise PredictionsError(
            f"groups: expected a label for every sample, got none in rows {listed(missing)}. Fill them, or leave them out."
        )
    if len(names) < 2:
        raise PredictionsError(
            f"groups: expected at least two groups, got only {str(names[0])!r}. Nothing can be resampled: choose other groups."
        )
    return numbers


@dataclass(frozen=True, eq=False)
class Interval(Short):
    """A number, or an array of numbers of any shape, with its percentile interval.

    Attributes
    ----------
    estimate : ndarray of float
        From all samples, each once.
    lower, upper : ndarray of float
        Same shape; both nan where the number is nan in a resample.
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
        """The interval of any number worked out from resamples, such as a ratio of two `bootstrap_means`.

        Raises
        ------
        PredictionsError
            If the level is not inside (0, 1).
        """
        check_level(level)
        tail, last = (1 - level) / 2, len(draws) - 1
        # Rounding, as in 999 * (1 - 0.2 / 2), must not move a whole number to the next one.
        low, high = int(np.floor(last * tail + 1e-9)), int(np.ceil(last * (1 - tail) - 1e-9))
        lower, upper = np.partition(draws, (low, high), axis=0)[[low, high]]
        unknown = np.isnan(draws).any(axis=0)
        lower, upper = np.where(unknown, np.nan, lower), np.where(unknown, np.nan, upper)
        return cls(np.asarray(estimate, dtype=np.float64), lower, upper, draws, level, resamples)


def check_level(level):
    """Raise a PredictionsError unless `level` is inside (0, 1)."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise PredictionsError(f"level: expected a number between 0 and 1, got {level!r}. 0.95 is usual.")


def as_text(values):
    """Values as an array of text, with Python's own texts where a fixed width would make room for the longest in every row."""
    is_mixed = not isinstance(values, np.ndarray) and any(isinstance(value, str) for value in values)
    values = np.asarray(values, dtype=object if is_mixed else None)
    if values.dtype != object:
        return values.astype(str)
    texts = np.empty(values.shape, dtype=object)
    texts.flat = [str(value) for value in values.flat]
    return texts
