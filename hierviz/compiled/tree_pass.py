"""One pass over the scores of a Predictions, compiled, in blocks of rows and on several threads.

`is_used` says whether it pays: numba has to be there, and its compiled kernels too unless there is much to do.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled, module_of
from hierviz.compiled.kernel_arrays import KernelArrays, tile_arrays
from hierviz.messages.processors import n_processors
from hierviz.predictions.parametrisation import PARAMETRISATIONS, prepared
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import CheckedScores, looks_right, sums_look_right
from hierviz.taxonomy.node_lists import NodeLists, frozen, offsets_of
from hierviz.taxonomy.tree_sums import TreeLayout

# Below this many scores importing numba takes longer than it saves; below the second compiling does.
WORTH_IMPORTING, WORTH_COMPILING = 2_000_000, 10_000_000
# Scores of a block: 16 MB of float32.
BLOCK_SCORES = 1 << 22
# Of the kernels, in this folder, and the part that sets and areas need.
MODULE, WITH_LABELS = "kernels", "labels"
# As the kernels number them.
KINDS = {"leaf_mass": 0, "own_mass": 1, "conditional": 2, "given": 3}


@dataclass(frozen=True, eq=False)
class PassBlock:
    """Results of one pass over some rows; the arrays are per row unless said otherwise.

    Attributes
    ----------
    rows : slice
    nodes, scores, sizes : ndarray
        Pareto sets: node and probability of each element, in the order of a ParetoTable; elements a row.
    best_leaf, leaf_mass, win, p_root, p_truth : ndarray
        nan where the truth is not known.
    leaf_rank : ndarray of int32
        As of `hierviz.metrics.win.leaf_ranks`; -1 where the truth is not known.
    sets : NodeLists or None
        Nodes with p above the threshold, without the root.
    areas : ndarray of float, shape (3, n_rows), or None
        Under the set curves: hF1, ihF1, and hF1 without ancestors added.
    """

    rows: slice
    nodes: np.ndarray
    scores: np.ndarray
    sizes: np.ndarray
    best_leaf: np.ndarray
    leaf_mass: np.ndarray
    win: np.ndarray
    p_root: np.ndarray
    p_truth: np.ndarray
    leaf_rank: np.ndarray
    sets: NodeLists | None
    areas: np.ndarray | None


def is_used(predictions: Predictions, module: str = MODULE, *, with_labels: bool = False) -> bool:
    """Whether `tree_pass`, or another module of kernels, serves: scores on a tree, numba installed, and enough for it to pay.

    `with_labels` asks for sets and areas too, which are compiled when they are first wanted.
    The environment variable HIERVIZ_COMPILED says 0 (never) or 1 (always).
    """
    if not predictions.has_scores or not predictions.taxonomy.is_tree or predictions.taxonomy.n_leaves < 2:
        return False
    said = os.environ.get("HIERVIZ_COMPILED", "")
    if said == "0" or importlib.util.find_spec("numba") is None:
        return False
    n_scores = predictions.n_samples * predictions.scores.shape[1]
    if said == "1" or n_scores >= WORTH_COMPILING:
        return True
    part = WITH_LABELS if with_labels else ""
    return n_scores >= WORTH_IMPORTING and is_compiled(module, _value_type(predictions), part)


def compiles(predictions: Predictions, *, with_labels: bool = False) -> bool:
    """Whether `tree_pass` is used and has to compile first, which takes seconds."""
    part = WITH_LABELS if with_labels else ""
    is_asked = is_used(predictions, with_labels=with_labels)
    return is_asked and not is_compiled(MODULE, _value_type(predictions), part)


def tree_pass(
    predictions: Predictions,
    *,
    truth: np.ndarray | None = None,
    threshold: float | None = None,
    true_lists: NodeLists | None = None,
    bits: np.ndarray | None = None,
    threads: int | None = None,
) -> Iterator[PassBlock | slice]:
    """Everything that needs the scores, block by block in order; a slice where a block has to go another way.

    Parameters
    ----------
    predictions : Predictions
        Scores on a tree.
    truth : ndarray of int, shape (n_samples,), optional
        True nodes, -1 where not known: gives win, p_truth and leaf_rank.
    threshold : float, optional
        Gives the sets.
    true_lists : NodeLists, optional
        True nodes of each sample with all ancestors, without the root: gives the areas, with `bits` as weights of ihF1.
    threads : int, optional
        Blocks that are worked on at a time; all processors when None.

    Yields
    ------
    PassBlock, or slice
        The rows of a block in which a value is negative or not finite, which the numpy path judges.
    """
    work = _Work(predictions, truth, threshold, true_lists, bits)
    # What is checked when it is read costs nothing here: the pass reads every score anyway.
    stored = predictions.scores if work.checked is None else work.checked.stored
    return in_blocks(predictions, work.block, threads, stored)


def in_blocks(
    predictions: Predictions, work: Callable[[slice, np.ndarray], Any], threads: int | None, stored: Any = None
) -> Iterator[Any]:
    """``work(rows, scores)`` of every block of rows, in order; files are read here, the work is on threads.

    `stored` is what the scores are read from, those of the Predictions when None.
    """
    stored = predictions.scores if stored is None else stored
    threads = threads or n_processors()
    step = block_rows(predictions.scores.shape[1])
    starts = range(0, predictions.n_samples, step)
    blocks = (slice(start, min(start + step, predictions.n_samples)) for start in starts)
    if threads == 1:
        for rows in blocks:
            yield work(rows, np.asarray(stored[rows]))
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque = deque()
        for rows in blocks:
            waiting.append(pool.submit(work, rows, np.asarray(stored[rows])))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def block_rows(n_scores: int) -> int:
    """Rows of a block."""
    return max(8, BLOCK_SCORES // n_scores // 8 * 8)


class Values:
    """What a kernel reads: the values of a block, their columns and places, and how they become probabilities."""

    def __init__(self, predictions):
        entry = PARAMETRISATIONS[predictions.parametrisation]
        self.predictions, self.value_type = predictions, _value_type(predictions)
        self.layout = TreeLayout.from_taxonomy(predictions.taxonomy)
        self.kind = KINDS[entry.combine]
        # Where some scores are unknown the root is 1 all the same, as in `Predictions.node_probabilities`.
        self.is_normalised = entry.is_normalised or predictions.has_unknown
        self.is_coherent = entry.combine != "given"
        # Of every block the same.
        self.columns: tuple[np.ndarray, np.ndarray] | None = None

    def arguments(self, scores):
        """The first argument of a kernel: values, columns, places, kind, is_normalised."""
        predictions = self.predictions
        values, nodes = prepared(predictions.taxonomy, scores, predictions.parametrisation, predictions.scored_nodes)
        if self.columns is None:
            columns = np.arange(len(nodes))
            if self.kind == KINDS["leaf_mass"]:
                # Leaves are read in the order of classes.
                columns = np.argsort(nodes)
                nodes = nodes[columns]
            # Read-only as the arrays of a layout: a kernel is compiled for each type.
            self.columns = frozen(columns.astype(np.int32)), frozen(np.ascontiguousarray(self.layout.place[nodes]))
        values = np.ascontiguousarray(values, dtype=self.value_type)
        return values, *self.columns, self.kind, self.is_normalised


class _Work:
    """The arguments of the kernel that all blocks share."""

    def __init__(self, predictions, truth, threshold, true_lists, bits):
        taxonomy = predictions.taxonomy
        self.predictions, self.values = predictions, Values(predictions)
        self.part = "" if threshold is None and true_lists is None else WITH_LABELS
        self.was_compiled = is_compiled(MODULE, self.values.value_type, self.part)
        self.kernels = module_of(MODULE, self.values.value_type, self.part)
        layout = self.values.layout
        self.layout = tuple(getattr(layout, name) for name in _LAYOUT)
        self.place = layout.place
        self.truth = None if truth is None else np.where(truth < 0, -1, layout.place[truth]).astype(np.int32)
        self.threshold = threshold
        # The nodes with p > threshold are those with p >= the next number.
        self.set_bound = 1.0 if threshold is None else float(np.nextafter(float(threshold), np.inf))
        self.true_lists = true_lists
        bits = np.zeros(taxonomy.n_nodes) if bits is None else np.ascontiguousarray(bits[layout.node])
        self.weights = bits, 2.0 ** -taxonomy.depth[layout.node].astype(np.float64)
        self.checked = predictions.scores if isinstance(predictions.scores, CheckedScores) else None
        # Of each thread, from block to block: new memory is slow.
        self.kept = threading.local()

    def block(self, rows, scores):
        """PassBlock of some rows, or `rows` where the kernel does not judge them; raises for wrong scores."""
        if scores.dtype == np.float16:
            from hierviz.compiled.kernels import as_float32

            scores = as_float32(scores)
        is_new = self.checked is not None and not self.checked.is_checked(rows)
        is_judged_later = is_new and self.predictions.parametrisation == "leaf_probabilities"
        if is_new and not is_judged_later:
            self.checked.check(rows, looks_right(scores, self.predictions.parametrisation))
        made = self._block(rows, scores)
        if is_judged_later:
            # None is below 0, their sum is near 1, and the last of a Pareto set is the most probable leaf.
            is_right = not isinstance(made, slice) and sums_look_right(made.leaf_mass)
            is_right = is_right and bool((made.scores[np.cumsum(made.sizes) - 1] <= 1).all())
            self.checked.check(rows, is_right)
        return made

    def _block(self, rows, scores):
        offsets, true_places = np.empty(0, np.int64), np.empty(0, np.int32)
        if self.true_lists is not None:
            lists = self.true_lists.take(rows)
            offsets, true_places = lists.offsets.astype(np.int64), self.place[lists.nodes]
        truth = np.empty(0, np.int32) if self.truth is None else self.truth[rows]
        given, is_coherent, has_sets = (
            self.values.arguments(scores),
            self.values.is_coherent,
            self.threshold is not None,
        )
        if not hasattr(self.kept, "tile"):
            has_areas = self.true_lists is not None
            self.kept.tile = tile_arrays(len(self.place), is_coherent=is_coherent, has_areas=has_areas)
        arrays = KernelArrays.of(len(scores), self.kept.tile, has_sets=has_sets, true_offsets=offsets)
        asked, row = (given, is_coherent, self.layout, self.weights, np.ascontiguousarray(truth)), 0
        labels = (has_sets, self.set_bound, offsets, np.ascontiguousarray(true_places)) if self.part else None
        while True:
            with first_call(MODULE, self.values.value_type, self.was_compiled, self.part):
                results = arrays.per_row, arrays.listed, arrays.areas
                row = self.kernels.run(*asked, labels, row, arrays.scratch, *results)
            if row < 0:
                self.kept.tile[0].fill(1)  # or what is not finite stays there
                return rows
            if row == len(scores):
                break
            arrays.grow()
        nodes, values, set_nodes, ends = arrays.listed
        sizes, set_sizes, *per_row = arrays.per_row
        sets = NodeLists(offsets_of(set_sizes), set_nodes[: ends[1]].astype(np.intp)) if has_sets else None
        areas = arrays.areas if len(offsets) else None
        return PassBlock(rows, nodes[: ends[0]].copy(), values[: ends[0]].copy(), sizes, *per_row, sets, areas)


_LAYOUT = ("node", "parent", "first", "n_children", "inner", "leaves", "rank", "by_rank", "n_leaves_below")


def _value_type(predictions):
    """Type of the values that the kernel gets: float32 where that loses nothing, else float64."""
    is_prepared = PARAMETRISATIONS[predictions.parametrisation].is_prepared
    is_short = predictions.scores.dtype in (np.float16, np.float32)
    return np.dtype(np.float32 if is_short and not is_prepared else np.float64)
