"""What each answer of a Pareto table is worth, and where the thresholds of its samples lie: the parts of operating curves.

Functions
---------
checked_table, answer_kinds, kind_values, range_of, breakpoints
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from hierviz.checks import check_taxonomy, one_truth_each
from hierviz.compiled.curve_sums import descending_order, lowest_common_ancestors
from hierviz.errors import PredictionsError
from hierviz.inference.pareto_table import as_table
from hierviz.metrics.node_pairs import NodePairs
from hierviz.metrics.path import check_nodes
from hierviz.metrics.registry import METRICS

# Kinds of answers whose metrics are worked out at a time, so that they stay in the processor's cache; and answers that are
# put into kinds at a time.
WORK_KINDS, ANSWERS_AT_ONCE = 1 << 15, 1 << 19
# Pairs of nodes for which there is a table (128 MB).
MOST_PAIRS = 1 << 25
# What takes longest is done once for each table.
_BREAKPOINTS: WeakKeyDictionary = WeakKeyDictionary()
_KINDS: WeakKeyDictionary = WeakKeyDictionary()


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


@dataclass(frozen=True, eq=False)
class AnswerKinds:
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
    n_nodes, of_truth, kinds = _KINDS.get(table, (0, None, None))
    if n_nodes != taxonomy.n_nodes or not np.array_equal(of_truth, truth):
        kinds = _answer_kinds(taxonomy, truth, table, progress)
        _KINDS[table] = taxonomy.n_nodes, truth.copy(), kinds
    return kinds


def _answer_kinds(taxonomy, truth, table, progress):
    n_nodes, n_answers = taxonomy.n_nodes, len(table.nodes)
    of_answer = np.empty(n_answers, dtype=np.int32)
    if n_nodes * n_nodes <= MOST_PAIRS:
        # One place for each pair there can be, which needs no sorting.
        number = np.zeros(n_nodes * n_nodes, dtype=np.int32)
        for _, truths, nodes in _blocks(truth, table, ANSWERS_AT_ONCE):
            number[truths * n_nodes + nodes] = 1
        kinds = np.flatnonzero(number)
        number[kinds] = np.arange(len(kinds), dtype=np.int32)
        for rows, truths, nodes in _blocks(truth, table, ANSWERS_AT_ONCE):
            of_answer[rows] = number[truths * n_nodes + nodes]
            if progress:
                progress(rows.stop, n_answers)
    else:
        parts = []
        for rows, truths, nodes in _blocks(truth, table, ANSWERS_AT_ONCE):
            of_block, of_answer[rows] = np.unique(truths * n_nodes + nodes, return_inverse=True)
            parts.append((rows, of_block))
            if progress:
                progress(rows.stop, n_answers)
        kinds = np.unique(np.concatenate([of_block for _, of_block in parts]))
        for rows, of_block in parts:
            of_answer[rows] = np.searchsorted(kinds, of_block)[of_answer[rows]]
    return AnswerKinds(*np.divmod(kinds, n_nodes), of_answer)


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
    values = np.empty((len(kinds.node), len(keys)))
    for start in range(0, len(values), WORK_KINDS):
        rows = slice(start, start + WORK_KINDS)
        truth, node = kinds.truth[rows], kinds.node[rows]
        common = lowest_common_ancestors(taxonomy, truth, node)
        # Answers below the truth are replaced by the truth, as in `path_metrics`.
        pairs = NodePairs(taxonomy, truth, np.where(common == truth, truth, node), common)
        for place, key in enumerate(keys):
            values[rows, place] = METRICS[key].function(pairs)
    return values, range_of(values)


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
    if table not in _BREAKPOINTS:
        _BREAKPOINTS[table] = _breakpoints(table)
    return _BREAKPOINTS[table]


def _breakpoints(table):
    later = np.ones(len(table.nodes), dtype=bool)
    later[table.offsets[:-1]] = False
    later = np.flatnonzero(later).astype(np.int32 if len(later) < 1 << 31 else np.intp)
    scores = table.scores[later]
    order = descending_order(scores)
    scores, order = scores[order], later[order]
    # One point per distinct score: the last entry of each run.
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else np.empty(0, np.intp)
    threshold = scores[ends]
    ends += 1
    return threshold, order, ends


def _blocks(truth, table, size):
    """Yield (slice of the answers, their truth, their nodes)."""
    offsets = table.offsets
    for start in range(0, len(table.nodes), size):
        stop = min(start + size, len(table.nodes))
        first, last = np.searchsorted(offsets, start, side="right") - 1, np.searchsorted(offsets, stop, side="left")
        lengths = np.diff(np.clip(offsets[first : last + 1], start, stop))
        nodes = table.nodes[start:stop].astype(np.intp, copy=False)
        yield slice(start, stop), np.repeat(truth[first:last], lengths), nodes
