"""The one pass over the node probabilities of a model, in blocks of rows: what an `Evaluation` keeps of them.

Functions
---------
one_pass
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierviz.compiled.tree_pass import is_used, tree_pass
from hierviz.inference.pareto_table import ParetoTable, pareto_table, table_of_block
from hierviz.inference.rules import top_down
from hierviz.metrics.sets.label_sets import LabelSetCounts, areas_outside
from hierviz.metrics.sets.node_sets import closed_lists, node_weights
from hierviz.metrics.win import leaf_ranks, win
from hierviz.predictions.outside import OUTSIDE, outside_mass
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.node_lists import offsets_of
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.taxonomy.tree_sums import sum_in_order


def one_pass(
    predictions: Predictions,
    judged: np.ndarray,
    progress: Callable[[int, int], object] | None,
    threshold: float | None,
    threads: int | None,
    corpus: tuple[np.ndarray, float] | None,
) -> dict[str, Any]:
    """Fields of an `Evaluation` of scores by name; arguments as `Evaluation.from_predictions`, all checked there."""
    taxonomy, n = predictions.taxonomy, predictions.n_samples
    single_truth = predictions.truth if isinstance(predictions.truth, np.ndarray) and taxonomy.is_tree else None
    best_leaf, leaf_mass = np.zeros(n, dtype=np.intp), np.zeros(n)
    wins, raw_wins, p_truth = (np.full(n, np.nan) for _ in range(3))
    leaf_rank = np.full(n, -1, dtype=np.int32)
    counts = LabelSetCounts(taxonomy, threshold, corpus) if threshold is not None and judged.any() else None
    tables = []
    for block in blocks(predictions, single_truth, judged, counts, threads):
        rows = block if isinstance(block, slice) else block.rows
        if isinstance(block, slice):
            p = predictions.node_probabilities(rows)
            tables.append(pareto_table(taxonomy, p))
            best_leaf[rows] = top_down(taxonomy, p)
            leaf_mass[rows] = sum_in_order(p[:, taxonomy.leaves])
            known = judged[rows]
            places = np.arange(rows.start, rows.stop)[known]
            if single_truth is not None:
                truth = single_truth[rows][known]
                wins[places] = win(taxonomy, truth, p[known])
                raw_wins[places] = (p[known, 0] + wins[places]) / 2
                p_truth[places] = p[known, truth]
                leaf_rank[places] = leaf_ranks(taxonomy, truth, p[known])
            if counts is not None:
                count_block(counts, predictions, judged, block, p)
        else:
            tables.append(table_of_block(predictions, block))
            best_leaf[rows], leaf_mass[rows] = block.best_leaf, block.leaf_mass
            wins[rows], p_truth[rows] = block.win, block.p_truth
            raw_wins[rows] = (block.p_root + block.win) / 2
            leaf_rank[rows] = block.leaf_rank
            if counts is not None:
                count_block(counts, predictions, judged, block)
        if progress:
            progress(rows.stop, n)
    table = ParetoTable.concatenate(tables) if tables else pareto_table(taxonomy, predictions)
    if predictions.best_outside is not None:
        # At every threshold these samples are answered outside the taxonomy.
        table = table.with_outside(predictions.best_outside, outside_mass(leaf_mass))
        best_leaf = np.where(predictions.best_outside, OUTSIDE, best_leaf)
        leaf_rank += predictions.best_outside & (leaf_rank >= 0)
    found: dict[str, Any] = {"table": table, "best_leaf": best_leaf, "leaf_mass": leaf_mass}
    if counts is not None:
        counts.put_together()
        found["_label_counts"] = {counts.threshold: counts}
    if single_truth is None:
        return found
    return found | {"win": wins, "raw_win": raw_wins, "p_truth": p_truth, "leaf_rank": leaf_rank}


def _truth_of(predictions, rows):
    """True node of some rows, or NodeLists where the truth lists several."""
    return predictions.truth[rows] if predictions.has_single_truth else predictions.truth.take(rows)


def count_block(counts, predictions, judged, block, p=None):
    """Add the judged samples of a block of `blocks` to LabelSetCounts; `p` where a slice's probabilities are known already."""
    rows = block if isinstance(block, slice) else block.rows
    known = np.flatnonzero(judged[rows])
    truth = _truth_of(predictions, known + rows.start)
    outside = None if predictions.best_outside is None else predictions.best_outside[known + rows.start]
    if isinstance(block, slice):
        counts.add(truth, (predictions.node_probabilities(rows) if p is None else p)[known], outside)
    else:
        areas = block.areas[:, known]
        if outside is not None and outside.any():
            some = np.flatnonzero(outside)
            p = predictions.node_probabilities(known[some] + rows.start)
            areas = np.array(areas)
            areas[:, some] = areas_outside(counts.taxonomy, _truth_of(predictions, known[some] + rows.start), p)
        counts.add_block(truth, block.sets.take(known), areas, outside)


def blocks(predictions, single_truth, judged, counts, threads):
    """Results of one pass, block by block: PassBlock, or a slice of rows for numpy."""
    if not is_used(predictions, with_labels=counts is not None):
        return predictions.blocks()
    if counts is None:
        return tree_pass(predictions, truth=single_truth, threads=threads)
    taxonomy, rows = predictions.taxonomy, np.flatnonzero(judged)
    closed = closed_lists(taxonomy, _truth_of(predictions, rows))
    lengths = np.zeros(predictions.n_samples, dtype=np.intp)
    lengths[rows] = closed.lengths
    true_lists = NodeLists(offsets_of(lengths), closed.nodes)
    bits = node_weights(taxonomy, "information")
    return tree_pass(
        predictions, truth=single_truth, threshold=counts.threshold, true_lists=true_lists, bits=bits, threads=threads
    )
