r"""Do the metrics agree? Kendall's tau-b between the orders in which they put the methods.

Conventions
-----------
Values of metrics in which less is better are negated. With P concordant and Q discordant pairs of methods and X, Y the
pairs tied in one metric alone,

.. math:: \tau_b = \frac{P - Q}{\sqrt{(P + Q + X)(P + Q + Y)}}

over the methods that have both values. With fewer than `FEWEST` of these the coefficient takes few values and is left out:
"2 of 3 pairs reversed" says as much. Values that differ by rounding alone are tied.

Functions
---------
kendall, kendall_by_chance, agreement, Agreement

References
----------
.. [1] M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945) 239-251.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.comparison.columns import Column
from hierviz.comparison.methods import Method, difference, gains_of
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import rounded

FEWEST = 5
# Methods of which all orders are counted.
MOST_ORDERED = 7
# Pairs of methods that a sentence names.
NAMED = 3


def kendall(x: ArrayLike, y: ArrayLike) -> float | None:
    """Kendall's tau-b of two lists of numbers.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        nan where there is no value: such pairs are left out. Infinities are ordered as numbers are.

    Returns
    -------
    float or None
        In [-1, 1]; None where one of them is constant, or fewer than two pairs are left.

    Raises
    ------
    PredictionsError
        If the lengths differ.

    Examples
    --------
    >>> kendall([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    x, y = rounded(x), rounded(y)
    if x.shape != y.shape or x.ndim != 1:
        raise PredictionsError(
            f"kendall: expected two lists of one length, got shapes {x.shape} and {y.shape}. Align them."
        )
    first, second = _orders(x, y)
    products, untied_x, untied_y = int((first * second).sum()), int((first != 0).sum()), int((second != 0).sum())
    if not untied_x or not untied_y:
        return None
    return products / math.sqrt(untied_x * untied_y)


def kendall_by_chance(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> tuple[float, float, float] | None:
    """What Kendall's tau-b of unrelated lists of these numbers would be.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        As in `kendall`.
    level : float
        Of the range, in (0, 1).

    Returns
    -------
    (p, low, high) or None
        Share of all orders of `y` whose tau-b is at least as far from 0 as that of the order given, in (0, 1], and the range of
        tau-b that holds at least the share `level` of the orders. None where `kendall` is.

    Notes
    -----
    Exact up to `MOST_ORDERED` numbers; of more, 10,000 orders drawn with a fixed seed.
    """
    tau = kendall(x, y)
    if tau is None:
        return None
    first, second = _orders(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    known = ~(np.isnan(x) | np.isnan(y))
    ranks, n = np.unique(np.asarray(y)[known], return_inverse=True)[1], int(known.sum())
    if n <= MOST_ORDERED:
        orders = np.array(list(itertools.permutations(range(n))))
    else:
        orders = np.random.default_rng(0).permuted(np.tile(np.arange(n), (10_000, 1)), axis=1)
        orders[0] = np.arange(n)  # the order given is one of them
    a, b = np.triu_indices(n, 1)
    products = np.sign(ranks[orders[:, a]] - ranks[orders[:, b]]) @ first
    untied = math.sqrt(np.count_nonzero(first) * np.count_nonzero(second))
    taus, beyond = np.sort(products) / untied, int((1 - level) / 2 * (len(products) - 1))
    share = float((np.abs(products) >= abs(int((first * second).sum()))).mean())
    return share, float(taus[beyond]), float(taus[-1 - beyond])


def _orders(x, y):
    """Sign of the difference of every pair that has both values, in x and in y."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    a, b = np.triu_indices(len(x), 1)

    def order(values):
        return (values[a] > values[b]).astype(int) - (values[a] < values[b]).astype(int)

    return order(x), order(y)


@dataclass(frozen=True, eq=False)
class Agreement(Short):
    """How far metrics agree in the order of methods.

    Attributes
    ----------
    columns : list of Column
        Metrics in which more or less is better.
    n_methods : int
    kendall : list of list of (float or None)
        Of each pair of columns; None below `FEWEST` methods with both values.
    reversed : list of list of int
        Pairs of methods that the two metrics put in opposite orders.
    pairs : list of list of int
        Pairs of methods that have both values.
    sentence : str
        Which two metrics disagree most, and on which methods: by paired intervals that exclude 0 with opposite signs.
        Where there is no such pair of methods, which two metrics order the methods least alike.
    """

    columns: list[Column]
    n_methods: int
    kendall: list[list[float | None]]
    reversed: list[list[int]]
    pairs: list[list[int]]
    sentence: str

    def to_dict(self) -> dict:
        """As the JSON of a table has it."""
        keys = [column.key for column in self.columns]
        return {"keys": keys, **{name: getattr(self, name) for name in ("kendall", "reversed", "pairs", "sentence")}}


def agreement(methods: Sequence[Method], columns: Sequence[Column], level: float = 0.95) -> Agreement:
    """The Agreement of some metrics on some methods.

    Parameters
    ----------
    methods : sequence of Method
    columns : sequence of Column
        Those in which neither higher nor lower is better are left out.
    level : float
        Of the intervals by which the sentence calls two methods different.

    Returns
    -------
    Agreement
    """
    columns = [column for column in columns if column.sign]
    gains = np.array([gains_of(methods, column) for column in columns]).reshape(len(columns), len(methods))
    n = len(columns)
    taus: list[list[float | None]] = [[None] * n for _ in range(n)]
    reversed_pairs, pairs = ([[0] * n for _ in range(n)] for _ in range(2))
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        first, second = _orders(gains[i], gains[j])
        n_both = int((~np.isnan(gains[i]) & ~np.isnan(gains[j])).sum())
        taus[i][j] = taus[j][i] = kendall(gains[i], gains[j]) if n_both >= FEWEST else None
        reversed_pairs[i][j] = reversed_pairs[j][i] = int((first * second < 0).sum())
        pairs[i][j] = pairs[j][i] = len(first)
    sentence = _sentence(methods, columns, taus, reversed_pairs, pairs, level)
    return Agreement(columns, len(methods), taus, reversed_pairs, pairs, sentence)


def _sentence(methods, columns, taus, reversed_pairs, pairs, level):
    if len(methods) < 2:
        return "Only one method: the metrics cannot disagree."
    places = [(i, j) for i in range(len(columns)) for j in range(i) if reversed_pairs[i][j]]
    if not places:
        return "No two metrics put two methods in opposite orders."
    two = list(itertools.combinations(methods, 2))
    signs = np.array([[_clear_sign(*pair, column, level) for pair in two] for column in columns])

    def agree(place):
        """No clear reversal; Kendall's coefficient, or, of few methods, the share in one order less that of reversed pairs."""
        i, j = place
        share = reversed_pairs[i][j] / pairs[i][j]
        tau = 1 - 2 * share if taus[i][j] is None else taus[i][j]
        return not (signs[i] * signs[j] < 0).any(), tau, -share, place

    i, j = min(places, key=agree)
    one, other = columns[j], columns[i]
    n_reversed, n_pairs, tau = reversed_pairs[i][j], pairs[i][j], taus[i][j]
    share = f"{n_reversed} of {n_pairs} pairs of methods reversed"
    how = share if tau is None else f"τ-b {tau:.2f}, {share}".replace("-0", "−0").replace("-1", "−1")
    start = f"{_called(one, columns)} and {_called(other, columns)}"
    clear = np.flatnonzero(signs[j] * signs[i] < 0)
    if not len(clear):
        start = f"{start} agree least on the order of the methods ({how})."
        if not all(column.key in method.draws for method in methods for column in (one, other)):
            return f"{start} Without intervals it is unknown whether a pair differs clearly by both."
        return f"{start} No pair differs clearly by both: no two paired intervals exclude 0 with opposite signs."
    named = "; ".join(
        f"{a.name} is better than {b.name} by {one.label}, and worse by {other.label}"
        for a, b in (two[k] if signs[j, k] > 0 else two[k][::-1] for k in clear[:NAMED])
    )
    more = f", and {len(clear) - NAMED} more" if len(clear) > NAMED else ""
    return f"{start} disagree most ({how}). By paired {100 * level:g} % intervals that exclude 0, {named}{more}."


def _called(column, columns):
    """The label, with the block where another column has the same one."""
    same = [other for other in columns if other.label == column.label]
    return column.label if len(same) == 1 else f"{column.label} ({column.key})"


def _clear_sign(a, b, column, level):
    """1 where a is better than b by a paired interval that excludes 0, -1 where it is worse, else 0."""
    found = difference(a, b, column)
    return 0 if found is None or not found.is_clear(level) else int(np.sign(column.sign * found.estimate))
