"""What a worker does: it evaluates the rows of one partition, on one thread."""

from __future__ import annotations

import pickle
import socket
from typing import Any

from hierviz._version import version
from hierviz.cluster.partitions import RowRange
from hierviz.evaluation.pieces import EvaluationPiece
from hierviz.messages.errors import HiervizError
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import ArrayRows


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
        From `hierviz.cluster.partitions.fields_of`.
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
        # Scores in memory were checked where they were made.
        if isinstance(predictions.scores, RowRange):
            predictions = predictions.replace(scores=_CheckedRows(predictions, where))
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


class _CheckedRows(ArrayRows):
    """The scores of a partition, each block of which is checked when it is read: nothing is read for the check alone."""

    def __init__(self, predictions, where):
        self.predictions, self.where = predictions, where
        self.shape, self.dtype = predictions.scores.shape, predictions.scores.dtype

    def __getitem__(self, rows):
        values = self.predictions.scores[rows]
        ids = self.predictions.ids[rows]
        self.predictions.replace(scores=values, sample_ids=ids, truth=None).check_scores(self.where)
        return values
