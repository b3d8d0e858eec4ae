"""Probabilities against outcomes in bins: errors of calibration, and what a calibrated model would show in the same bins.

Conventions
-----------
`p` are probabilities and `events` booleans of the same samples, shape (n,). The expected calibration error is

    ECE = sum over bins of n_bin / n |rate of events - mean p|,

in [0, 1], dimensionless, lower is better. It is not 0 for a calibrated model, whose events are draws from p: it is compared
with the ECE of outcomes redrawn from p in the same bins. Adaptive bins have equal numbers of samples, static ones equal widths.

The squared error has an estimate without that bias: with the rate y and the mean probability p of a bin,

    sum over bins of n_bin / n ((y - p)^2 - y (1 - y) / (n_bin - 1)),

which is 0 on average where p is the rate of every bin, slightly below where p differs within bins, and may be negative.

Functions
---------
bin_ends, calibration_of, CalibrationBins, calibration_error, static_calibration,
event_losses

References
----------
.. [1] A. Kumar, P. Liang, T. Ma, Verified uncertainty calibration, NeurIPS 2019, definition 4.1 and section 4.
.. [2] J. Nixon et al., Measuring calibration in deep learning, CVPR workshops 2019 (adaptive and static bins).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import at_least

# Up to so many samples are redrawn one by one; more in groups of nearly equal p: so many a bin that the variance of its events is
# right to a thousandth where p is spread evenly over it, and at most 20. Where few p are far from the others it is too large.
ONE_BY_ONE, GROUPS_A_BIN, TOLERANCE = 1500, 20, 1e-3
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
        # Of k equal parts the variance is too large by about the variance of p in the bin over k², if p is spread evenly.
        mean = sums / n
        spread = np.maximum(np.add.reduceat(p * p, start) / n - mean * mean, 0)
        needed = np.sqrt(spread / np.maximum(TOLERANCE * mean * (1 - mean), np.finfo(float).tiny))
        parts = np.minimum(n, np.clip(np.ceil(needed), 1, GROUPS_A_BIN).astype(np.intp))
        # Given by where they start.
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
        if len(p) <= ONE_BY_ONE:
            drawn = (rng.random(shape) < share).astype(np.intp)
        else:
            # All outcomes of a group one after the other: numpy prepares each group once.
            drawn = rng.binomial(sizes[:, None], share[:, None], shape[::-1]).T
        null[some] = np.abs(np.add.reduceat(drawn, first, axis=1) - sums).sum(axis=1) / len(p)
    return null


# Bins, and samples that one has at least, of the errors of a model; redrawn outcomes and their seed.
N_BINS, MIN_SAMPLES, N_REDRAWS, SEED = 15, 20, 200, 0


CALIBRATION_ERRORS = (
    *("calibration_error_squared", "ece_adaptive", "ece_adaptive_calibrated"),
    *("ece_static", "ece_static_calibrated"),
)


def calibration_error(key, p, events):
    """An error of some probabilities, or what a calibrated model would have.

    Parameters
    ----------
    key : str
        Of `CALIBRATION_ERRORS`; those that end in ``_calibrated`` are means over outcomes that are redrawn from p.
    p : ndarray of float, shape (n,)
        In [0, 1]; rounding beyond is cut.
    events : ndarray of bool, shape (n,)

    Returns
    -------
    float
        Dimensionless, lower is better; nan where there are fewer than `MIN_SAMPLES`.
    """
    if len(p) < MIN_SAMPLES:
        return np.nan
    rng, is_redrawn = np.random.default_rng(SEED), key.endswith("_calibrated")
    n_redraws = N_REDRAWS if is_redrawn else 0
    if key.startswith("ece_static"):
        error, null = static_calibration(p, events, N_BINS, n_redraws, rng)
        return float(null.mean() if is_redrawn else error)
    bins = calibration_of(p, events, N_BINS, MIN_SAMPLES, n_redraws, rng)
    if key.startswith("ece_adaptive"):
        return float(bins.null_ece.mean() if is_redrawn else bins.ece)
    rate = bins.events / bins.n
    squared = (rate - bins.mean_p) ** 2 - rate * (1 - rate) / (bins.n - 1)
    return float((bins.n * squared).sum() / len(p))


def static_calibration(p, events, n_bins, n_redraws, rng):
    """(ECE, that of redrawn outcomes) in bins of equal width, each with its lower end; 1 is in the last one. n >= 1."""
    order = np.argsort(p, kind="stable")
    p, events = np.clip(p[order], 0, 1), events[order]
    start = np.unique(np.searchsorted(p, np.arange(n_bins) / n_bins))
    start = start[start < len(p)]
    sums = np.add.reduceat(p, start)
    error = np.abs(np.add.reduceat(events.astype(np.intp), start) - sums).sum() / len(p)
    return error, _redrawn(p, start, np.diff(np.append(start, len(p))), sums, n_redraws, rng)


# What a probability of 0 of what happens counts as.
LEAST_P = 1e-12


def event_losses(p, events):
    """Brier score and log loss of the probability of an event of each sample.

    Parameters
    ----------
    p : ndarray of float, shape (n,)
        In [0, 1].
    events : ndarray of bool, shape (n,)

    Returns
    -------
    dict of str to ndarray of float, shape (n,)
        ``brier``: (p - event)^2; ``log_loss``: in nats, where what happens had the probability 0 that of `LEAST_P`. Lower is
        better.
    """
    return {"brier": (p - events) ** 2, "log_loss": -np.log(np.clip(np.where(events, p, 1 - p), LEAST_P, 1))}
