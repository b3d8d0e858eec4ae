r"""What the answers look like at many thresholds at once: how deep they are, and how many stop short of a leaf.

Conventions
-----------
Answers are those of rule `threshold`, before truncation at the truth, so no truth is needed. As the threshold falls a
sample steps through its elements of the `ParetoTable`; every step is counted once, at the first of the thresholds that
lies below its score, and running sums give all thresholds together. Trees and graphs.

Functions
---------
answer_counts, answer_depths, share_not_at_leaf, step_means
"""

from __future__ import annotations

import numpy as np

from hierviz.curves.answer_values import breakpoints, has_breakpoints
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import with_outside
from hierviz.taxonomy.checks import array_of_numbers, check_threshold

# With more thresholds than that the answers are worth sorting.
FEW_THRESHOLDS = 10_000


def answer_counts(table, thresholds, kinds, n_kinds):
    """How many answers are of each kind, at every threshold.

    Parameters
    ----------
    table : ParetoTable
    thresholds : array_like of float, shape (n_thresholds,)
        In [0, 1], any order.
    kinds : ndarray of int, shape (n_nodes,)
        Kind of every node, from 0 to n_kinds - 1.
    n_kinds : int

    Returns
    -------
    ndarray of int, shape (n_thresholds, n_kinds)
        Every row sums to the number of samples.

    Raises
    ------
    PredictionsError
        If a threshold is not in [0, 1], or they are no list of numbers.
    """
    thresholds = checked_thresholds(thresholds)
    order = np.argsort(-thresholds, kind="stable")
    # What lies outside the taxonomy is as specific as a leaf, the most specific kind of node.
    kind_of = with_outside(np.asarray(kinds), n_kinds - 1)[table.nodes]
    first, later, place = _steps(table, thresholds[order])
    n_cells = (len(thresholds) + 1) * n_kinds
    steps = np.bincount(place * n_kinds + kind_of[later], minlength=n_cells)
    steps -= np.bincount(place * n_kinds + kind_of[later - 1], minlength=n_cells)
    steps[:n_kinds] += np.bincount(kind_of[first], minlength=n_kinds)
    counts = np.empty((len(thresholds), n_kinds), dtype=np.intp)
    counts[order] = np.cumsum(steps.reshape(-1, n_kinds), axis=0)[:-1]
    return counts


def step_means(table, thresholds, values, weights=None):
    """Mean of a value of the answers, at every point of a curve.

    Parameters
    ----------
    table : ParetoTable
        At least one sample.
    thresholds : ndarray of float, shape (J,)
        Descending, for example `OperatingCurve.threshold`.
    values : ndarray of float, shape (n_elements,)
        Value of each element of the table.
    weights : ndarray of float, shape (n_samples,) or (n_sets, n_samples), optional
        Weight of each sample, or several sets of them; equal ones if not given.

    Returns
    -------
    ndarray of float, shape (J + 1,), or of sets of weights (n_sets, J + 1)
        Point j holds at ``thresholds[j]``, the last one below all of them; correct up to rounding of the running sum.
    """
    first, later, place = _steps(table, thresholds)
    gains, n_points = values[later] - values[later - 1], len(thresholds) + 1
    sets = np.ones((1, table.n_samples)) if weights is None else np.atleast_2d(weights)
    sums = np.empty((len(sets), n_points))
    for own, of_set in zip(sums, sets, strict=True):
        changes = gains if weights is None else gains * np.repeat(of_set, np.diff(table.offsets) - 1)
        own[:] = np.bincount(place, weights=changes, minlength=n_points)
        own[0] += values[first] @ of_set
    means = np.cumsum(sums, axis=1) / sets.sum(axis=1)[:, None]
    return means if np.ndim(weights) == 2 else means[0]


def answer_depths(taxonomy, table, thresholds):
    """Depth histogram of the answers at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
    table : ParetoTable
    thresholds : array_like of float, shape (n_thresholds,)
        In [0, 1], any order.

    Returns
    -------
    ndarray of int, shape (n_thresholds, max_depth + 1)
        Number of samples whose answer has that depth in edges; every row sums to the number of samples.

    Raises
    ------
    PredictionsError
        If a threshold is not in [0, 1], or they are no list of numbers.

    Examples
    --------
    >>> from hierviz import Taxonomy, pareto_table
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> table = pareto_table(taxonomy, np.array([[1, 0.75, 0.5, 0.25, 0.25], [1, 0.125, 0.125, 0, 0.875]]))
    >>> answer_depths(taxonomy, table, [0.8, 0.6, 0.4])
    array([[1, 1, 0], [0, 2, 0], [0, 1, 1]])
    """
    return answer_counts(table, thresholds, taxonomy.depth, taxonomy.max_depth + 1)


def share_not_at_leaf(taxonomy, table, thresholds):
    """Share of the samples whose answer is not a leaf, at every threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
    table : ParetoTable
        At least one sample.
    thresholds : array_like of float, shape (n_thresholds,)
        In [0, 1], any order.

    Returns
    -------
    ndarray of float, shape (n_thresholds,)
        In [0, 1]; lower means that more answers name one class.

    Raises
    ------
    PredictionsError
        If there is no sample, a threshold is not in [0, 1], or they are no list of numbers.
    """
    if table.n_samples == 0:
        raise PredictionsError("answers: expected at least one sample, got none. Pass predictions with rows.")
    return answer_counts(table, thresholds, taxonomy.is_leaf.astype(np.intp), 2)[:, 0] / table.n_samples


def _steps(table, thresholds):
    """(first element of each sample, all other elements, point of the descending thresholds at which each takes over)."""
    first = table.offsets[:-1]
    later = np.ones(len(table.nodes), dtype=bool)
    later[first] = False
    later = np.flatnonzero(later)
    # An element is the answer from the first threshold strictly below its score on, until the next element is.
    thresholds = np.asarray(thresholds)
    if len(thresholds) <= FEW_THRESHOLDS and not has_breakpoints(table):
        return first, later, np.searchsorted(-thresholds, -table.scores[later], side="right")
    own, order, ends = breakpoints(table)
    above = np.arange(len(own)) if thresholds is own else np.searchsorted(-own, -thresholds)
    until = np.append(np.append(0, ends)[above], len(order))
    place = np.empty(len(table.nodes), dtype=np.intp)
    place[order] = np.repeat(np.arange(len(until)), np.diff(until, prepend=0))
    return first, later, place[later]


def checked_thresholds(thresholds, least=0):
    """`thresholds` as an array; a PredictionsError unless they are a list of at least so many numbers in [0, 1]."""
    thresholds = array_of_numbers(thresholds, "thresholds")
    if thresholds.ndim != 1 or len(thresholds) < least:
        got = f"shape {thresholds.shape}. Pass at least one."
        if thresholds.ndim != 1:
            got = f"an array of shape {thresholds.shape}. Pass one axis."
        raise PredictionsError(f"thresholds: expected a list of numbers from 0 to 1, got {got}")
    for threshold in thresholds[~((thresholds >= 0) & (thresholds <= 1))][:1].tolist():
        check_threshold(threshold)
    return thresholds
