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

from hierviz.curves.answer_values import breakpoints
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.node_pairs import with_outside
from hierviz.taxonomy.checks import array_of_numbers, check_threshold

# With more thresholds than that they are likely to be those of the table itself.
FEW_THRESHOLDS = 10_000
# Samples, and points of a curve, that are looked at a time: what is made of all at once takes much memory.
SAMPLES_AT_ONCE, POINTS_AT_ONCE = 1 << 16, 1 << 18


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
    rising = -thresholds[order]
    for _, elements, first, later in _blocks(table, n_cells):
        kind_of, place = kinds[table.nodes[elements]], _places(rising, table.scores[elements][later])
        steps += np.bincount(place * n_kinds + kind_of[later], minlength=n_cells)
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
    weights : ndarray of float, shape (n_samples,), optional
        Weight of each sample; they sum to 1. Equal ones if not given.

    Returns
    -------
    ndarray of float, shape (J + 1,)
        Point j holds at ``thresholds[j]``, the last one below all of them; correct up to rounding of the running sum.
    """
    firsts = values[table.offsets[:-1]]
    start, scale = (firsts.sum(), table.n_samples) if weights is None else (firsts @ weights, 1)
    steps = np.zeros(len(thresholds) + 1)
    # What is added at one point is added in the order of the samples in both cases.
    own, order, ends = (
        breakpoints(table) if weights is None and len(thresholds) > FEW_THRESHOLDS else (None, None, None)
    )
    if own is not None and (own is thresholds or np.array_equal(own, thresholds)):
        for low in range(0, len(ends), POINTS_AT_ONCE):
            points, before = ends[low : low + POINTS_AT_ONCE], ends[low - 1] if low else 0
            later, place = (
                order[before : points[-1]],
                np.repeat(np.arange(len(points)), np.diff(points, prepend=before)),
            )
            steps[low + 1 :][: len(points)] = np.bincount(place, values[later] - values[later - 1])
    else:
        rising = -np.asarray(thresholds)
        for samples, elements, _, later in _blocks(table):
            of_block = values[elements]
            gains = of_block[later] - of_block[later - 1]
            if weights is not None:
                gains *= np.repeat(weights[samples], np.diff(table.offsets[samples.start : samples.stop + 1]) - 1)
            np.add.at(steps, _places(rising, table.scores[elements][later]), gains)
    steps[0] += start
    return np.cumsum(steps, out=steps) / scale


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


def _places(rising, scores):
    """At which point of descending thresholds, given with their signs changed, elements of these scores take over.

    An element is the answer from the first threshold strictly below its score on, until the next element is.
    """
    return np.searchsorted(rising, -scores, side="right")


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
