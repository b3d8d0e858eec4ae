"""The passes over the scores of one model: in blocks of rows, with the sets of labels counted on the way."""

from __future__ import annotations

import numpy as np

from hierviz.compiled.tree_pass import is_used, tree_pass
from hierviz.metrics.sets.node_sets import closed_lists, node_weights
from hierviz.taxonomy.taxonomy import NodeLists


def _truth_of(predictions, rows):
    """True node of some rows, or NodeLists where the truth lists several."""
    return predictions.truth[rows] if predictions.has_single_truth else predictions.truth.take(rows)


def count_block(counts, predictions, judged, block, p=None):
    """Add the judged samples of a block of `blocks` to LabelSetCounts; `p` where a slice's probabilities are known already."""
    rows = block if isinstance(block, slice) else block.rows
    known = np.flatnonzero(judged[rows])
    truth = _truth_of(predictions, known + rows.start)
    if isinstance(block, slice):
        counts.add(truth, (predictions.node_probabilities(rows) if p is None else p)[known])
    else:
        counts.add_block(truth, block.sets.take(known), block.areas[:, known])


def blocks(predictions, single_truth, judged, counts, threads):
    """What one pass leaves behind, block by block: PassBlock, or a slice of rows for numpy."""
    if not is_used(predictions):
        return predictions.blocks()
    if counts is None:
        return tree_pass(predictions, truth=single_truth, threads=threads)
    taxonomy, rows = predictions.taxonomy, np.flatnonzero(judged)
    closed = closed_lists(taxonomy, _truth_of(predictions, rows))
    lengths = np.zeros(predictions.n_samples, dtype=np.intp)
    lengths[rows] = closed.lengths
    true_lists = NodeLists(np.concatenate([[0], np.cumsum(lengths)]), closed.nodes)
    bits = node_weights(taxonomy, "information")
    return tree_pass(
        predictions, truth=single_truth, threshold=counts.threshold, true_lists=true_lists, bits=bits, threads=threads
    )
