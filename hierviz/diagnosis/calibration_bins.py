"""Whether more or fewer events happen than probabilities say, and an example of four leaves: why calibrated ones do not make
calibrated parents.

Functions
---------
directions, judged_pairs, calibration_example
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from hierviz.diagnosis.many_tests import adjusted
from hierviz.metrics.calibration import calibration_of
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import offsets_of
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.risk_bounds import wilson
from hierviz.uncertainty.student import t_tail

# Outcomes that are redrawn from p unless tests say otherwise.
N_REDRAWS = 999


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


# Samples of each of the six pairs of leaves, a multiple of 10: the shares of the law then hold exactly.
SAMPLES_A_PAIR = 200


def judged_pairs(pairs, bins, confidence, tests, rng, done=lambda place: None):
    """Several probabilities against their events, in bins and on average.

    Parameters
    ----------
    pairs : list of (ndarray of float, ndarray of bool)
        p and events of the samples of each, which may be other ones.
    bins : (int, int)
        At most so many, of at least so many samples.
    confidence : float
        Of Wilson's intervals.
    tests : ManyTests
        Of all pairs together.
    rng : numpy.random.Generator
        Redraws outcomes.
    done : callable
        Called with the number of pairs that are done.

    Returns
    -------
    dict
        The fields ``n`` to ``bin_columns`` of `hierviz.diagnosis.reliability`, without ``n_left_out``.
    """
    found, parts = [], []
    for place, (p, events) in enumerate(pairs):
        means = (values.mean() if len(values) else np.nan for values in (p, events))
        parts.append((len(p), *means, p.sum(), events.sum(), (p * (1 - p)).sum()))
        found.append(calibration_of(p, events, *bins, tests.n_draws or N_REDRAWS, rng))
        done(place + 1)
    n, mean_p, rate, said, events, variance = np.array(parts, dtype=float).reshape(-1, 6).T
    lower, upper, _, direction = directions(n, said, events, variance, confidence, tests)
    p_value = np.array([one.p_value for one in found])
    known = np.isfinite(p_value)
    p_adjusted = np.full(len(p_value), np.nan)
    p_adjusted[known] = adjusted(p_value[known], tests.correction)

    def of_null(function):
        return np.array([function(one.null_ece) if len(one.null_ece) else np.nan for one in found])

    kinds = {"low": float, "high": float, "mean_p": float, "n": np.intp, "events": np.intp}
    columns = {
        key: np.concatenate([np.empty(0, kind), *(getattr(one, key) for one in found)]) for key, kind in kinds.items()
    }
    columns["p"] = columns["mean_p"]
    columns["rate"] = columns["events"] / np.maximum(columns["n"], 1)
    columns["lower"], columns["upper"] = wilson(columns["events"], columns["n"], confidence)
    return {
        "n": n.astype(np.intp),
        "mean_p": mean_p,
        "rate": rate,
        "lower": lower,
        "upper": upper,
        "direction": direction,
        "ece": np.array([one.ece for one in found]),
        "null_mean": of_null(np.mean),
        "null_high": of_null(lambda values: np.quantile(values, 0.95)),
        "p_value": p_value,
        "p_adjusted": p_adjusted,
        "is_flagged": known & (np.where(known, p_adjusted, 1) <= tests.q),
        "offsets": offsets_of([len(one.n) for one in found]),
        "bin_columns": {name: columns[name] for name in ("low", "high", "p", "rate", "lower", "upper", "n", "events")},
    }


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
