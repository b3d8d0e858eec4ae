"""What each answer of a Pareto table is worth, and where the thresholds of its samples lie: the parts of operating curves.

Functions
---------
checked_table, distinct_answers, common_ancestors, answer_values, first_values, breakpoints
"""

from __future__ import annotations

import numpy as np

from hierviz.checks import check_taxonomy, one_truth_each
from hierviz.compiled.curve_sums import descending, lowest_common_ancestors
from hierviz.errors import PredictionsError
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.metrics.node_pairs import NodePairs
from hierviz.metrics.path import check_nodes
from hierviz.metrics.registry import METRICS

# Answers whose metrics are worked out at a time, so that they stay in the processor's cache; and whose common ancestors are.
WORK_ANSWERS, ANCESTORS_AT_ONCE = 1 << 15, 1 << 20
# Pairs of a truth and any node for each answer, up to which equal answers are looked for.
PAIRS_AN_ANSWER = 4


def checked_table(taxonomy, truth, table):
    """`truth` as an array and `table` as a ParetoTable; the errors of `operating_curve` unless they fit."""
    check_taxonomy(taxonomy)
    taxonomy.require_tree("operating curve")
    truth, table = one_truth_each(truth, "the table"), as_table(taxonomy, table)
    if table.n_samples == 0 or len(truth) != table.n_samples:
        raise PredictionsError(
            f"truth: expected one node for each of the {table.n_samples} samples (at least one), got {len(truth)}. "
            "Align them."
        )
    check_nodes(taxonomy, "truth", truth)
    check_nodes(taxonomy, "predicted", table.nodes)
    return truth, table


def distinct_answers(taxonomy, truth, table):
    """Every answer to a truth once, where there are many answers to few truths.

    Parameters
    ----------
    taxonomy, truth, table
        From `checked_table`.

    Returns
    -------
    truths : ndarray of int, shape (n_truths,)
        The true nodes, ascending; `truth` itself where the answers stay as they are.
    answers : ParetoTable
        The answers to each of them, ascending, without scores; `table` itself where they stay as they are.
    rows : ndarray of int32, shape (n_elements,), or None
        Place among them of each answer of `table`; None where they stay as they are.
    """
    is_true = np.zeros(taxonomy.n_nodes, dtype=bool)
    is_true[truth] = True
    truths = np.flatnonzero(is_true)
    n_pairs = len(truths) * taxonomy.n_nodes
    if n_pairs > min(PAIRS_AN_ANSWER * len(table.nodes), 2**31 - 1):
        return truth, table, None
    base = np.cumsum(is_true, dtype=np.int32) * np.int32(taxonomy.n_nodes) - np.int32(taxonomy.n_nodes)
    pair = np.repeat(base[truth], np.diff(table.offsets))
    pair += table.nodes
    is_answer = np.zeros(n_pairs, dtype=bool)
    is_answer[pair] = True
    pairs = np.flatnonzero(is_answer)
    row = np.empty(n_pairs, dtype=np.int32)
    row[pairs] = np.arange(len(pairs))
    offsets = np.searchsorted(pairs, np.arange(len(truths) + 1) * taxonomy.n_nodes)
    answers = ParetoTable(offsets, (pairs % taxonomy.n_nodes).astype(np.int32), np.empty(0))
    return truths, answers, row[pair]


def common_ancestors(taxonomy, truth, table):
    """Lowest common ancestor of the truth and each answer of a table, shape (n_elements,) of int32."""
    common = np.empty(len(table.nodes), dtype=np.int32)
    for rows, truths, nodes in _blocks(truth, table, ANCESTORS_AT_ONCE):
        common[rows] = lowest_common_ancestors(taxonomy, truths, nodes)
    return common


def answer_values(taxonomy, truth, table, common, keys, more=None):
    """Metrics of each answer.

    Parameters
    ----------
    taxonomy, truth, table
        From `checked_table`.
    common : ndarray of int, shape (n_elements,)
        From `common_ancestors`.
    keys : sequence of str
        Of `path_keys`.
    more : dict of str to array, shape (n_elements,), optional
        Further values.

    Returns
    -------
    values : ndarray of float64, shape (n_elements, n_keys)
    bounds : ndarray of float64, shape (2, n_keys)
        Smallest and largest of each.
    """
    columns = (*keys, *(more or {}))
    # One row an answer: the rows, and not each column, are read in the order of the thresholds.
    values, bounds = np.empty((len(table.nodes), len(columns))), np.empty((2, len(columns)))
    bounds[0], bounds[1] = np.inf, -np.inf
    for rows, truths, nodes in _blocks(truth, table, WORK_ANSWERS):
        pairs = _truncated(taxonomy, truths, nodes, common[rows])
        for place, key in enumerate(columns):
            column = METRICS[key].function(pairs) if key in keys else np.asarray(more[key])[rows]
            values[rows, place] = column
            bounds[0, place] = min(bounds[0, place], column.min())
            bounds[1, place] = max(bounds[1, place], column.max())
    return values, bounds


def first_values(taxonomy, truth, table, common, keys):
    """`answer_values` of the first answer of each sample, which holds above all thresholds, shape (n_samples, n_keys).

    common : ndarray of int, shape (n_samples,), of these answers
    """
    first = table.offsets[:-1]
    values = np.empty((table.n_samples, len(keys)))
    for start in range(0, table.n_samples, WORK_ANSWERS):
        rows = slice(start, start + WORK_ANSWERS)
        pairs = _truncated(taxonomy, truth[rows], table.nodes[first[rows]], common[rows])
        for place, key in enumerate(keys):
            values[rows, place] = METRICS[key].function(pairs)
    return values


def breakpoints(table):
    """Where answers change.

    Returns
    -------
    threshold : ndarray of float64, shape (J,)
        Strictly descending.
    order : ndarray of int, shape (n_steps,)
        Answers but the first of each sample, in falling order of their scores.
    ends : ndarray of int, shape (J,)
        How many of them each later point of a curve includes.
    """
    later = np.ones(len(table.nodes), dtype=bool)
    later[table.offsets[:-1]] = False
    later = np.flatnonzero(later)
    scores = table.scores[later]
    scores, order = descending(scores)
    order = later[order]
    # One point per distinct score: the last entry of each run.
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else np.empty(0, np.intp)
    threshold = scores[ends]
    ends += 1
    return threshold, order, ends


def _truncated(taxonomy, truth, nodes, common):
    """NodePairs of answers, those below the truth replaced by the truth, as in `path_metrics`."""
    return NodePairs(taxonomy, truth, np.where(common == truth, truth, nodes), common)


def _blocks(truth, table, size):
    """Yield (slice of the answers, their truth, their nodes)."""
    offsets = table.offsets
    for start in range(0, len(table.nodes), size):
        stop = min(start + size, len(table.nodes))
        first, last = np.searchsorted(offsets, start, side="right") - 1, np.searchsorted(offsets, stop, side="left")
        lengths = np.diff(np.clip(offsets[first : last + 1], start, stop))
        nodes = table.nodes[start:stop].astype(np.intp, copy=False)
        yield slice(start, stop), np.repeat(truth[first:last], lengths), nodes
