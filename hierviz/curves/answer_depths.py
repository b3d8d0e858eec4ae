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
# Samples, and elements of a table, that are looked at a time: what is made of all at once takes much memory.
SAMPLES_AT_ONCE, ELEMENTS_AT_ONCE = 1 << 16, 1 << 18


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
    kinds = with_outside(np.asarray(kinds), n_kinds - 1)
    n_cells = (len(thresholds) + 1) * n_kinds
    steps = np.zeros(n_cells, dtype=np.intp)
    place = _places(table, thresholds[order])
    for _, elements, first, later in _blocks(table, n_cells):
        kind_of, cell = kinds[table.nodes[elements]], place[elements][later].astype(np.intp) * n_kinds
        steps += np.bincount(cell + kind_of[later], minlength=n_cells)
        steps -= np.bincount(cell + kind_of[later - 1], minlength=n_cells)
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
    if weights is None and has_breakpoints(table) and thresholds is breakpoints(table)[0]:
        return _means_at_all_steps(table, values)
    sets = np.ones((1, table.n_samples)) if weights is None else np.atleast_2d(weights)
    place = _places(table, thresholds)
    sums = np.zeros((len(sets), len(thresholds) + 1))
    for samples, elements, _, later in _blocks(table):
        points, of_block = place[elements][later], values[elements]
        gains = of_block[later] - of_block[later - 1]
        n_later = np.diff(table.offsets[samples.start : samples.stop + 1]) - 1
        for own, of_set in zip(sums, sets, strict=True):
            np.add.at(own, points, gains if weights is None else gains * np.repeat(of_set[samples], n_later))
    for own, of_set in zip(sums, sets, strict=True):
        own[0] += (values[table.offsets[:-1]] * of_set).sum()
    means = np.cumsum(sums, axis=1, out=sums)
    means /= sets.sum(axis=1)[:, None]
    return means if np.ndim(weights) == 2 else means[0]


def _means_at_all_steps(table, values):
    """`step_means` at the thresholds of the table itself: what its elements add, in falling order of their scores."""
    _, order, ends = breakpoints(table)
    sums = np.empty(len(ends) + 1)
    sums[0] = reached = values[table.offsets[:-1]].sum(dtype=float)
    for start in range(0, len(order), ELEMENTS_AT_ONCE):
        block = order[start : start + ELEMENTS_AT_ONCE]
        gains = np.subtract(values[block], values[block - 1], dtype=float)
        gains[0] += reached
        np.cumsum(gains, out=gains)
        inside = slice(*np.searchsorted(ends, [start, start + len(block)], side="right"))
        sums[1:][inside], reached = gains[ends[inside] - start - 1], gains[-1]
    return np.divide(sums, table.n_samples, out=sums)


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


def _blocks(table, least=0):
    """Yield (slice of the samples, slice of their elements, and in it the first of each sample and all others).

    A block has at least `least` samples, where there are so many.
    """
    at_once = max(SAMPLES_AT_ONCE, least)
    for start in range(0, table.n_samples, at_once):
        samples = slice(start, min(start + at_once, table.n_samples))
        offsets = table.offsets[samples.start : samples.stop + 1]
        is_later, first = np.ones(offsets[-1] - offsets[0], dtype=bool), offsets[:-1] - offsets[0]
        is_later[first] = False
        yield samples, slice(offsets[0], offsets[-1]), first, np.flatnonzero(is_later)


def _places(table, thresholds):
    """Point of the descending thresholds at which each element takes over, shape (n_elements,); of a first one any.

    An element is the answer from the first threshold strictly below its score on, until the next element is.
    """
    thresholds, place = np.asarray(thresholds), np.zeros(len(table.nodes), dtype=np.int32)
    if len(thresholds) <= FEW_THRESHOLDS and not has_breakpoints(table):
        rising = -thresholds
        for start in range(0, len(place), ELEMENTS_AT_ONCE):
            block = slice(start, start + ELEMENTS_AT_ONCE)
            place[block] = np.searchsorted(rising, -table.scores[block], side="right")
        return place
    own, order, ends = breakpoints(table)
    # How many of the elements, in falling order of their scores, have taken over at each point.
    until = np.append(0, ends)
    if thresholds is not own:
        above = len(own) - np.searchsorted(own[::-1], thresholds, side="right")
        until = np.append(until[above], len(order))
    for start in range(0, len(order), ELEMENTS_AT_ONCE):
        stop = min(start + ELEMENTS_AT_ONCE, len(order))
        low, high = np.searchsorted(until, [start, stop], side="right")
        n_each = np.diff(np.append(until[low:high], stop), prepend=start)
        place[order[start:stop]] = np.repeat(np.arange(low, high + 1), n_each)
    return place


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
