"""What each answer of a Pareto table is worth, and where the thresholds of its samples lie: the parts of operating curves.

Functions
---------
checked_table, answer_kinds, kind_values, range_of, breakpoints, has_breakpoints, repeated_table
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.compiled.curve_sums import descending, lowest_common_ancestors, numbered
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import NodePairs, truncated
from hierviz.metrics.path import check_nodes
from hierviz.metrics.registry import METRICS
from hierviz.predictions.outside import OUTSIDE
from hierviz.taxonomy.checks import check_taxonomy, one_truth_each

# Kinds of answers whose metrics are computed at a time, so that they stay in the processor's cache (no power of two: columns
# would share places there); and answers that are put into kinds at a time.
WORK_KINDS, ANSWERS_AT_ONCE = 15_000, 1 << 19
# Pairs of a truth and any node for each answer, and pairs in all, up to which each pair has a place in a table.
PAIRS_AN_ANSWER, MOST_PAIRS = 4, 1 << 31
# What takes longest is done once for each table, and kept there.
_BREAKPOINTS, _KINDS = "breakpoints", "kinds"


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
    check_nodes(taxonomy, "predicted", table.nodes, lowest=OUTSIDE)
    return truth, table


@dataclass(frozen=True, eq=False)
class AnswerKinds(Short):
    """The different pairs of truth and answer of a table: answers of one kind have the same metrics.

    Attributes
    ----------
    truth, node : ndarray of int, shape (n_kinds,)
    of_answer : ndarray of int32, shape (n_elements,)
        Kind of each answer of the table.
    """

    truth: np.ndarray
    node: np.ndarray
    of_answer: np.ndarray


def answer_kinds(taxonomy, truth, table, progress=None):
    """AnswerKinds of what `checked_table` gives, kept with the table; `progress` is called with (answers done, n_elements)."""
    n_nodes, of_truth, kinds = table.kept.get(_KINDS, (0, None, None))
    if n_nodes != taxonomy.n_nodes or not np.array_equal(of_truth, truth):
        kinds = _answer_kinds(taxonomy, truth, table, progress)
        table.kept[_KINDS] = taxonomy.n_nodes, truth.copy(), kinds
    return kinds


def _answer_kinds(taxonomy, truth, table, progress):
    # The last place is that of answers outside the taxonomy.
    n_nodes, n_answers = taxonomy.n_nodes + 1, len(table.nodes)
    truths = np.flatnonzero(np.bincount(truth))
    row = np.empty(taxonomy.n_nodes, dtype=np.intp)
    row[truths] = np.arange(len(truths))
    n_pairs, of_answer = len(truths) * n_nodes, np.empty(n_answers, dtype=np.int32)
    blocks = _pairs(row[truth] * n_nodes, n_nodes - 1, table, progress)
    if n_pairs <= min(PAIRS_AN_ANSWER * n_answers, MOST_PAIRS):
        is_there = np.zeros(n_pairs, dtype=bool)
        for rows, pairs in blocks:
            of_answer[rows] = pairs
            is_there[pairs] = True
        kinds = np.flatnonzero(is_there)
        number = np.empty(n_pairs, dtype=np.int32)
        number[kinds] = np.arange(len(kinds), dtype=np.int32)
        of_answer = number[of_answer]
    else:
        # Few answers of many that there can be: these are sorted.
        parts = []
        for rows, pairs in blocks:
            of_block, of_answer[rows] = numbered(pairs)
            parts.append((rows, of_block))
        kinds = parts[0][1]
        if len(parts) > 1:
            kinds = np.unique(np.concatenate([of_block for _, of_block in parts]))
            for rows, of_block in parts:
                of_answer[rows] = np.searchsorted(kinds, of_block)[of_answer[rows]]
    row, node = np.divmod(kinds, n_nodes)
    return AnswerKinds(truths[row], np.where(node == taxonomy.n_nodes, OUTSIDE, node), of_answer)


def _pairs(first, outside, table, progress):
    """Yield (slice of the answers, number of the pair of each).

    `first`, shape (n_samples,), is that with node 0, `outside` what is added to it for an answer outside the taxonomy.
    """
    offsets, n_answers = table.offsets, len(table.nodes)
    for start in range(0, n_answers, ANSWERS_AT_ONCE):
        stop = min(start + ANSWERS_AT_ONCE, n_answers)
        low, high = np.searchsorted(offsets, start, side="right") - 1, np.searchsorted(offsets, stop, side="left")
        lengths = np.diff(np.clip(offsets[low : high + 1], start, stop))
        nodes = table.nodes[start:stop]
        yield slice(start, stop), np.repeat(first[low:high], lengths) + np.where(nodes < 0, outside, nodes)
        if progress:
            progress(stop, n_answers)


def kind_values(taxonomy, kinds, keys):
    """Metrics of each kind of answer.

    Parameters
    ----------
    taxonomy : Taxonomy
    kinds : AnswerKinds
    keys : sequence of str
        Of `path_keys`.

    Returns
    -------
    values : ndarray of float64, shape (n_kinds, n_keys)
    bounds : ndarray of float64, shape (2, n_keys)
        Smallest and largest of each.
    """
    values, ranges = np.empty((len(kinds.node), len(keys))), []
    ancestors, room = lowest_common_ancestors(taxonomy, kinds.truth, kinds.node), np.empty((len(keys), WORK_KINDS))
    for start in range(0, len(values), WORK_KINDS):
        rows = slice(start, start + WORK_KINDS)
        truth, node, common = kinds.truth[rows], kinds.node[rows], ancestors[rows]
        # Answers below the truth are replaced by the truth, as in `path_metrics`.
        pairs = NodePairs(taxonomy, truth, truncated(truth, node, common), common, node)
        # Columns are written together: one at a time goes through all of the memory once for each.
        columns = room[:, : len(node)]
        for column, key in zip(columns, keys, strict=True):
            column[:] = METRICS[key].function(pairs)
        values[rows] = columns.T
        ranges.append(range_of(columns.T))
    ranges = np.array(ranges)
    return values, np.array([ranges[:, 0].min(axis=0), ranges[:, 1].max(axis=0)])


def range_of(values):
    """Smallest and largest of each column, shape (2, n_keys)."""
    return np.array([values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)])


def breakpoints(table):
    """Where answers change; kept with the table.

    Returns
    -------
    threshold : ndarray of float64, shape (J,)
        Strictly descending.
    order : ndarray of int32, shape (n_steps,)
        Answers but the first of each sample, in falling order of their scores.
    ends : ndarray of int, shape (J,)
        How many of them each later point of a curve includes.
    """
    if _BREAKPOINTS not in table.kept:
        table.kept[_BREAKPOINTS] = _breakpoints(table)
    return table.kept[_BREAKPOINTS]


def repeated_table(row, n):
    """The ParetoTable of one row (a ParetoTable of one sample) `n` times, with its breakpoints: they need no sort."""
    size = len(row.nodes)
    table = ParetoTable(np.arange(n + 1) * size, np.tile(row.nodes, n), np.tile(row.scores, n))
    threshold, order, ends = breakpoints(row)
    if len(threshold) == len(order):
        every = np.arange(0, n * size, size, dtype=np.int32 if n * size < 1 << 31 else np.intp)
        table.kept[_BREAKPOINTS] = threshold, (order[:, None] + every).ravel(), ends * n
    return table


def has_breakpoints(table):
    """Whether `breakpoints` are known already: to find them takes a sort."""
    return _BREAKPOINTS in table.kept


def _breakpoints(table):
    later = np.ones(len(table.nodes), dtype=bool)
    later[table.offsets[:-1]] = False
    later = np.flatnonzero(later).astype(np.int32 if len(later) < 1 << 31 else np.intp)
    scores, order = descending(table.scores[later])
    order = later[order]
    # One point per distinct score: the last entry of each run.
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else np.empty(0, np.intp)
    threshold = scores[ends]
    ends += 1
    return threshold, order, ends
