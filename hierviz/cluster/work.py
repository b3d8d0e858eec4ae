"""Partitions that go to the workers of a cluster, and what a worker does with one."""

from __future__ import annotations

import os
import pickle
import socket
from dataclasses import replace
from typing import Any

import numpy as np

from hierviz._version import version
from hierviz.compiled.tree_pass import WORTH_COMPILING
from hierviz.evaluation.pieces import EvaluationPiece
from hierviz.messages.errors import HiervizError
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import ArrayRows, CheckedScores
from hierviz.readers.parquet_parts import ParquetRows
from hierviz.readers.shared_file import SharedFile
from hierviz.readers.stored_array import StoredArray
from hierviz.readers.temporary_files import Scratch
from hierviz.taxonomy.node_lists import NodeLists

# Scores of a partition that is read from files: enough for compiled loops to pay, few enough to lose with a worker.
LEAST, MOST = WORTH_COMPILING, 10 * WORTH_COMPILING
# Where that leaves workers idle; and scores of a partition that is sent: 8 MB of float32.
SMALL = 2_000_000
# Partitions for each thread of the cluster, so that a slow one holds up little.
PER_THREAD = 4
# Rows of a partition of labels.
LABEL_ROWS = 100_000


class RowRange(ArrayRows):
    """Some rows of an array whose values are not checked yet; `start` and `stop` are rows of `array`."""

    def __init__(self, array, start, stop):
        self.array, self.start, self.stop = array, start, stop
        self.shape, self.dtype = (stop - start, array.shape[1]), array.dtype

    def __getitem__(self, key):
        """Rows by slice, or array of numbers that are not negative."""
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self.array[self.start + start : self.start + stop : step]
        return self.array[self.start + np.asarray(key)]


def _stored(predictions):
    """The scores as they are stored: workers check what they read."""
    scores = predictions.scores
    return scores.stored if isinstance(scores, CheckedScores) else scores


def is_in_files(predictions: Predictions) -> bool:
    """Whether workers read the scores themselves."""
    return _is_in_files(_stored(predictions))


def _is_in_files(scores):
    # What lies in a temporary file without a name no other process can open.
    is_array = isinstance(scores, StoredArray) and not isinstance(scores.source, Scratch)
    return is_array or isinstance(scores, ParquetRows)


def place_of(predictions: Predictions) -> str:
    """What errors call the scores."""
    scores: Any = _stored(predictions)
    source = scores.source if isinstance(scores, StoredArray) else scores
    return getattr(source, "where", predictions.name) if is_in_files(predictions) else predictions.name


def partitions(predictions: Predictions, n_threads: int, n_partitions: int | None = None) -> list[slice]:
    """Runs of rows that together are all of them.

    Parameters
    ----------
    predictions : Predictions
        With at least one sample.
    n_threads : int
        Of all workers.
    n_partitions : int, optional
        How many, in place of what suits the number of threads; fewer where there are fewer rows or row groups.

    Returns
    -------
    list of slice
    """
    n = predictions.n_samples
    if n_partitions is None:
        rows = LABEL_ROWS
        if predictions.has_scores:
            n_scores = n * predictions.scores.shape[1]
            at_once = SMALL
            if is_in_files(predictions):
                at_once = min(max(n_scores // (PER_THREAD * n_threads), LEAST), MOST)
                at_once = min(at_once, max(n_scores // n_threads, SMALL))
            rows = max(1, at_once // predictions.scores.shape[1])
        n_partitions = -(-n // rows)
    wanted = np.linspace(0, n, min(n_partitions, n) + 1).round().astype(np.int64)
    scores = _stored(predictions)
    if isinstance(scores, ParquetRows):
        starts = np.unique(scores.starts)
        wanted = np.unique(starts[np.searchsorted(starts, wanted)])
    return [slice(start, stop) for start, stop in zip(wanted[:-1].tolist(), wanted[1:].tolist())]


def fields_of(predictions: Predictions, rows: slice) -> dict[str, Any]:
    """Fields of the Predictions of a run of rows but the taxonomy, without what no number needs: attributes, pictures, notes."""
    truth = predictions.truth
    return {
        "name": predictions.name,
        "scores": _scores_of(_stored(predictions), rows),
        "parametrisation": predictions.parametrisation,
        "scored_nodes": predictions.scored_nodes,
        "labels": None if predictions.labels is None else predictions.labels.take(rows),
        "is_hard": predictions.is_hard,
        "is_by_level": predictions.is_by_level,
        "best_outside": None if predictions.best_outside is None else predictions.best_outside[rows],
        "truth": truth if truth is None else truth.take(rows) if isinstance(truth, NodeLists) else truth[rows],
        "sample_ids": predictions.ids[rows],
    }


def _scores_of(scores, rows):
    if isinstance(scores, ParquetRows):
        part, first = scores.part(rows.start, rows.stop)
        return RowRange(part, rows.start - first, rows.stop - first)
    if _is_in_files(scores):
        return RowRange(_shared(scores), rows.start, rows.stop)
    if isinstance(scores, StoredArray):
        return RowRange(scores[rows], 0, rows.stop - rows.start)
    if isinstance(scores, ListedScores):
        return scores.part(rows)
    return scores if scores is None else np.asarray(scores[rows])


def _shared(scores):
    """A StoredArray whose file any process can open."""
    source = scores.source
    if source.stamp is None:
        return scores
    file = SharedFile.from_path(os.path.abspath(source.path))
    return replace(scores, source=replace(source, pipe=file, stamp=None))


def unpacked(shared: bytes) -> Any:
    """The taxonomy and the choice of rule and threshold, once for each worker process."""
    return pickle.loads(shared)


def evaluated(shared: Any, fields: dict[str, Any], where: str) -> tuple[str, Any]:
    """Evaluate one partition.

    Parameters
    ----------
    shared : (Taxonomy, dict)
        From `unpacked`.
    fields : dict
        From `hierviz.cluster.work.fields_of`.
    where : str
        What errors call the scores.

    Returns
    -------
    what : str
        The version of hierviz that did it; or ``"FileError"`` or another class of `hierviz.messages.errors` that
        says what is wrong.
    piece : EvaluationPiece, or the message of the error
        An error is an answer: trying again would change nothing.
    """
    taxonomy, choice = shared
    try:
        predictions = Predictions(taxonomy, **fields)
        # Scores in memory were checked where they were made; a pass checks these with what it computes anyway.
        if isinstance(predictions.scores, RowRange):
            predictions = predictions.replace(scores=CheckedScores(predictions, where))
        return version(), EvaluationPiece.from_predictions(predictions, threads=1, **choice)
    except HiervizError as error:
        # The receiver knows the classes of this file only.
        kinds = (kind for kind in type(error).__mro__ if kind.__module__ == "hierviz.messages.errors")
        return next(kinds).__name__, error.template
    except MemoryError:
        return "ClusterError", (
            f"worker on {socket.gethostname()}: expected memory for {fields['name']}, got none. Start workers with more memory "
            "or fewer threads, or write smaller row groups."
        )
