r"""Tail probabilities of many tests at once, and their correction.

Conventions
-----------
Arrays have shape (n_tests,). Tests are one-sided, a small p-value says "more than by chance", but for that of discordant pairs.

Functions
---------
ManyTests, hypergeometric_tail, discordant_p_values, adjusted, holm, log_factorial

References
----------
.. [1] Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995.
.. [2] Y. Benjamini, D. Yekutieli, The control of the false discovery rate in multiple testing under dependency,
   Ann. Statist. 29, 2001.
.. [3] Q. McNemar, Note on the sampling error of the difference between correlated proportions, Psychometrika 12, 1947.
.. [4] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979) 65-70.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_one_of, check_seed, check_share, check_whole

CORRECTIONS = {"bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


@dataclass(frozen=True)
class ManyTests(Short):
    """How many tests at once are made and judged.

    Attributes
    ----------
    q : float
        False discovery rate, in (0, 1).
    correction : 'bh' or 'by'
        Benjamini-Hochberg or Benjamini-Yekutieli.
    n_draws : int, optional
        How often the null distribution is drawn; each function says how often it is by default.
    seed : int
        Of the draws.
    """

    q: float = 0.05
    correction: str = "bh"
    n_draws: int | None = None
    seed: int = 0

    def __post_init__(self):
        check_share("q", self.q)
        check_one_of("correction", self.correction, CORRECTIONS)
        if self.n_draws is not None:
            check_whole("n_draws", self.n_draws, 1)
        check_seed(self.seed)


USUAL_TESTS = ManyTests()
# Below this the logarithm of a factorial is a sum; above, the series has errors below 1e-16 of it.
_EXACT_UNTIL = 256
_LOG_FACTORIALS = np.append(0.0, np.cumsum(np.log(np.arange(1, _EXACT_UNTIL))))


def log_factorial(n):
    """log(n!) by Stirling's series of log gamma(n + 1), shape of n; n are whole numbers >= 0."""
    n = np.asarray(n, dtype=np.float64)
    large = np.maximum(n, _EXACT_UNTIL) + 1
    series = (1 / 12 - (1 / 360 - 1 / (1260 * large**2)) / large**2) / large
    stirling = (large - 0.5) * np.log(large) - large + 0.5 * np.log(2 * np.pi) + series
    return np.where(n < _EXACT_UNTIL, _LOG_FACTORIALS[np.minimum(n, _EXACT_UNTIL - 1).astype(np.intp)], stirling)


def hypergeometric_tail(hits, drawn, marked, total):
    r"""Probability of at least `hits` marked samples among the drawn ones: the one-sided Fisher test.

    Parameters
    ----------
    hits, drawn : ndarray of int, shape (n_tests,)
    marked, total : int
        How many of all samples are marked, and how many there are.

    Returns
    -------
    ndarray of float, shape (n_tests,)
        In [0, 1].

    Notes
    -----
    .. math:: P(X \ge a) = \sum_{x \ge a} \binom{K}{x} \binom{N - K}{n - x} \Big/ \binom{N}{n}

    The first term by log gamma, the others by their ratio, away from the mean on the side where they fall.

    Examples
    --------
    >>> hypergeometric_tail(np.array([2, 0]), np.array([2, 2]), 2, 4).round(6)
    array([0.166667, 1.      ])
    """
    hits, drawn = (np.asarray(values, dtype=np.float64) for values in (hits, drawn))
    others = total - marked
    least, most = np.maximum(0, drawn - others), np.minimum(drawn, marked)
    is_upper = hits > drawn * (marked / total if total else 0)
    start = np.clip(np.where(is_upper, hits, hits - 1), least, most)
    log_first = (
        log_factorial(marked) - log_factorial(start) - log_factorial(marked - start)
        + log_factorial(others) - log_factorial(drawn - start) - log_factorial(others - drawn + start)
        - log_factorial(total) + log_factorial(drawn) + log_factorial(total - drawn)
    )  # fmt: skip
    # Fewer hits are more of the others that are drawn.
    start, marked, others = (
        np.where(is_upper, *pair) for pair in ((start, drawn - start), (marked, others), (others, marked))
    )

    def ratio(some, step):
        x = start[some] + step
        return (drawn[some] - x) * (marked[some] - x) / ((x + 1) * (others[some] - drawn[some] + x + 1))

    tail = np.exp(log_first) * _falling_sum(len(drawn), ratio)
    tail = np.where(is_upper, tail, 1 - tail)
    return np.clip(np.where(hits <= least, 1.0, np.where(hits > most, 0.0, tail)), 0, 1)


def _falling_sum(n, ratio):
    """1 + the sum of the terms after the first over it, shape (n,).

    `ratio` takes places of tests and the number of a step, and gives each term over the one before; the terms fall.
    """
    sums, going = np.ones(n), np.arange(n)
    term, step = np.ones(n), 0
    while len(going):
        term, step = term * ratio(going, step), step + 1
        sums[going] += term
        more = term > 1e-17 * sums[going]
        going, term = going[more], term[more]
    return sums


def discordant_p_values(gained, lost):
    r"""Two-sided exact binomial test of discordant pairs, McNemar's exact test [3]_.

    Parameters
    ----------
    gained, lost : ndarray of int, shape (n_tests,)
        Samples where the second of two 0/1 values alone is 1, and where the first alone is.

    Returns
    -------
    ndarray of float, shape (n_tests,)
        In (0, 1]; 1 without discordant pairs.

    Notes
    -----
    .. math:: p = \min\Big(1,\; 2 \sum_{k=0}^{\min(b, c)} \binom{b + c}{k} 2^{-(b + c)}\Big)

    where b and c are the discordant pairs of each kind.

    Examples
    --------
    >>> discordant_p_values(np.array([1, 0, 3]), np.array([7, 0, 3])).round(4)
    array([0.0703, 1.    , 1.    ])
    """
    gained, lost = (np.asarray(counts, dtype=np.float64) for counts in (gained, lost))
    fewer, total = np.minimum(gained, lost), gained + lost
    log_first = log_factorial(total) - log_factorial(fewer) - log_factorial(total - fewer) - total * np.log(2)

    def ratio(some, step):
        k = fewer[some] - step
        return k / (total[some] - k + 1)

    sums = _falling_sum(len(total), ratio)
    return np.where(gained == lost, 1.0, np.minimum(1.0, 2 * np.exp(log_first) * sums))


def adjusted(p_values, correction="bh"):
    """p-values that may be compared with a false discovery rate q, in [0, 1].

    Parameters
    ----------
    p_values : ndarray of float, shape (n_tests,)
    correction : 'bh' or 'by'
        Benjamini-Hochberg [1]_, for tests that are independent or positively dependent, as those of nested subtrees are
        assumed to be; or Benjamini-Yekutieli [2]_, for any dependence.

    Returns
    -------
    ndarray of float, shape (n_tests,)

    Raises
    ------
    PredictionsError
        If the correction is unknown.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.5, 0.03]))
    array([0.03 , 0.5  , 0.045])
    """
    check_one_of("correction", correction, CORRECTIONS)
    p_values = np.asarray(p_values, dtype=np.float64)
    n = len(p_values)
    if not n:
        return p_values
    order = np.argsort(p_values, kind="stable")
    factor = n / np.arange(1, n + 1) * (np.sum(1 / np.arange(1, n + 1)) if correction == "by" else 1)
    values = np.empty(n)
    values[order] = np.minimum(np.minimum.accumulate((p_values[order] * factor)[::-1])[::-1], 1)
    return values


def holm(p_values):
    """p-values that may be compared with the chance of any false finding, by Holm's steps [4]_; whatever the dependence.

    Parameters
    ----------
    p_values : array_like of float, shape (n_tests,)
        nan is no test and stays nan.

    Returns
    -------
    ndarray of float, shape (n_tests,)
        In [0, 1].

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.array(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(values))
    order = tested[np.argsort(values[tested], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return values
