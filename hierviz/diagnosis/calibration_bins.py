"""Probabilities against outcomes in bins of equal size, and what a calibrated model would show in them.

Why calibrated leaves do not make calibrated parents: an example of four leaves.

Conventions
-----------
`p` are probabilities and `events` booleans of the same samples, shape (n,). The expected calibration error is

    ECE = sum over bins of n_bin / n |rate of events - mean p|,

in [0, 1], dimensionless, lower is better. It is not 0 for a calibrated model, whose events are draws from p: it is compared
with the ECE of outcomes redrawn from p in the same bins.

Functions
---------
bin_ends, calibration_of, CalibrationBins, directions, calibration_example
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hierviz.diagnosis.many_tests import adjusted
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import at_least
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.risk_bounds import wilson
from hierviz.uncertainty.student import t_tail

# Up to so many samples are redrawn one by one; more in groups of nearly equal p, so many a bin.
ONE_BY_ONE, GROUPS_A_BIN = 1500, 20
# Outcomes that are redrawn at a time.
REDRAWN_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class CalibrationBins(Short):
    """Bins of one event, ascending in p, and its error; arrays of shape (n_bins,).

    Attributes
    ----------
    low, high, mean_p : ndarray of float
        Smallest, largest and mean p of each bin.
    n, events : ndarray of int
        Samples, and how many of them have the event.
    ece : float
        nan where there are too few samples for a bin.
    null_ece : ndarray of float, shape (n_redraws,)
        The error of redrawn outcomes.
    """

    low: np.ndarray
    high: np.ndarray
    mean_p: np.ndarray
    n: np.ndarray
    events: np.ndarray
    ece: float
    null_ece: np.ndarray

    @property
    def p_value(self) -> float:
        """Share of outcomes, the data themselves included, whose error is at least as large; nan without bins."""
        if not len(self.n):
            return np.nan
        # Equal errors differ by rounding.
        return float((1 + at_least(self.null_ece, self.ece).sum()) / (1 + len(self.null_ece)))


def bin_ends(ordered, n_bins, min_samples):
    """Where bins of equal size end in ascending values, equal values in one bin.

    Parameters
    ----------
    ordered : ndarray of float, shape (n,)
    n_bins, min_samples : int
        At most so many bins, of at least so many samples each.

    Returns
    -------
    ndarray of int
        Ascending, the last one n; empty where there are fewer than `min_samples`.
    """
    n = len(ordered)
    if n < min_samples:
        return np.empty(0, dtype=np.intp)
    size = max(min_samples, -(-n // n_bins))
    # The ends of runs of equal values are the places where a bin may end.
    runs = np.append(np.flatnonzero(np.diff(ordered)) + 1, n)
    ends = []
    while not ends or ends[-1] < n:
        start = ends[-1] if ends else 0
        place = np.searchsorted(runs, start + size)
        ends.append(int(runs[min(place, len(runs) - 1)]))
    if len(ends) > 1 and n - ends[-2] < min_samples:
        del ends[-2]
    return np.array(ends, dtype=np.intp)


def directions(n, said, events, variance, confidence, tests):
    """Where more, or fewer, events happen than probabilities say.

    Parameters
    ----------
    n, said, events, variance : ndarray of float, shape (n_rows,)
        Samples, the sum of their p, how many have the event, and the sum of p (1 - p).
    confidence : float
        Of Wilson's intervals of the shares.
    tests : ManyTests
        Of all rows together.

    Returns
    -------
    lower, upper, p_adjusted, direction : ndarray, each of shape (n_rows,)
        Interval of the share of events; two-sided p-value of a sum of independent draws from p, by the normal distribution with
        half an event less; 1 where p is clearly too high, -1 where it is too low, 0 where neither is clear. nan without samples.
    """
    has_some, least = n > 0, np.maximum(n, 1)
    lower, upper = (np.where(has_some, ends, np.nan) for ends in wilson(events, least, confidence))
    off = np.maximum(np.abs(events - said) - 0.5, 0.0)
    z = np.divide(off, np.sqrt(variance), out=np.where(off > 0, np.inf, 0.0), where=variance > 0)
    p_value = np.array([t_tail(one, np.inf) for one in z.tolist()])
    p_adjusted = np.full(len(z), np.nan)
    p_adjusted[has_some] = adjusted(p_value[has_some], tests.correction)
    mean = said / least
    clear = has_some & (np.where(has_some, p_adjusted, 1) <= tests.q) & ((mean < lower) | (mean > upper))
    return lower, upper, p_adjusted, np.where(clear, np.sign(said - events), 0).astype(np.intp)


def calibration_of(p, events, n_bins, min_samples, n_redraws, rng):
    """The CalibrationBins of one event.

    Parameters
    ----------
    p : ndarray of float, shape (n,)
        In [0, 1]; rounding beyond is cut.
    events : ndarray of bool, shape (n,)
    n_bins, min_samples : int
        See `bin_ends`.
    n_redraws : int
        How often outcomes are redrawn from p. Where there are more than `ONE_BY_ONE` samples, a bin is redrawn in groups of
        nearly equal p.
    rng : numpy.random.Generator
    """
    order = np.argsort(p, kind="stable")
    p, events = np.clip(p[order], 0, 1), events[order]
    ends = bin_ends(p, n_bins, min_samples)
    if not len(ends):
        nothing, none = np.empty(0), np.empty(0, dtype=np.intp)
        return CalibrationBins(nothing, nothing, nothing, none, none, np.nan, nothing)
    start = np.append(0, ends[:-1])
    n, hits = ends - start, np.add.reduceat(events.astype(np.intp), start)
    sums = np.add.reduceat(p, start)
    ece = float(np.abs(hits - sums).sum() / len(p))
    null = _redrawn(p, start, n, sums, n_redraws, rng)
    return CalibrationBins(p[start], p[ends - 1], sums / n, n, hits, ece, null)


def _redrawn(p, start, n, sums, n_redraws, rng):
    """ECE of outcomes drawn from p, shape (n_redraws,)."""
    if len(p) <= ONE_BY_ONE:
        first, sizes, share = start, np.ones(len(p), dtype=np.intp), p
    else:
        # Each bin in equal parts, given by where they start.
        parts = np.minimum(n, GROUPS_A_BIN)
        bin_of = np.repeat(np.arange(len(n)), parts)
        first = np.cumsum(parts) - parts
        step = np.arange(len(bin_of)) - first[bin_of]
        begins = start[bin_of] + step * n[bin_of] // parts[bin_of]
        sizes = np.diff(np.append(begins, len(p)))
        share = np.clip(np.add.reduceat(p, begins) / sizes, 0, 1)
    null = np.empty(n_redraws)
    step = max(1, REDRAWN_AT_ONCE // len(share))
    for begin in range(0, n_redraws, step):
        some = slice(begin, min(begin + step, n_redraws))
        shape = (some.stop - some.start, len(share))
        drawn = (
            (rng.random(shape) < share).astype(np.intp) if len(p) <= ONE_BY_ONE else rng.binomial(sizes, share, shape)
        )
        null[some] = np.abs(np.add.reduceat(drawn, first, axis=1) - sums).sum(axis=1) / len(p)
    return null


# Samples of each of the six pairs of leaves, a multiple of 10: the shares of the law then hold exactly.
SAMPLES_A_PAIR = 200


def calibration_example() -> Predictions:
    """Scores of a model whose leaves are calibrated and whose parents are not.

    Leaves a and b are children of u, c and d of w. Each of the six pairs of leaves has p = 0.4 in `SAMPLES_A_PAIR` samples,
    and the other two leaves have 0.1. The truth of a pair under one parent is each of the two with a share of 0.2 and each of
    the others with 0.3; that of a pair under both parents is each of the two with 0.5.

    Returns
    -------
    Predictions

    Notes
    -----
    A leaf with p = 0.4 is true in 0.2 of the samples of one pair and 0.5 of those of two: 0.4 on average; with p = 0.1 in
    0.3, 0 and 0: 0.1. The parents' p of 0.8, 0.5 and 0.2 occur with shares of 0.4, 0.5 and 0.6, so that their expected
    calibration error is (0.4 + 0.4) / 6.
    """
    taxonomy = Taxonomy.from_edges([("root", "u"), ("root", "w"), ("u", "a"), ("u", "b"), ("w", "c"), ("w", "d")])
    tenth, p, truth = SAMPLES_A_PAIR // 10, [], []
    for pair in combinations("abcd", 2):
        is_together = set(pair) in ({"a", "b"}, {"c", "d"})
        for leaf in "abcd":
            share = (2 if is_together else 5) if leaf in pair else (3 if is_together else 0)
            truth += [leaf] * (share * tenth)
        p += [[0.4 if leaf in pair else 0.1 for leaf in "abcd"]] * (10 * tenth)
    return Predictions.from_scores(taxonomy, np.array(p), "leaf_probabilities", truth=taxonomy.nodes(*truth))
