"""What a prediction file holds, before it meets the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hierviz.listed_entries import ListedEntries
from hierviz.readers.truth_file import Truth
from hierviz.taxonomy import NodeLists


@dataclass(frozen=True, eq=False)
class RawPredictions:
    """Rows of a prediction file.

    Parameters
    ----------
    where : str
        The file's name.
    form : str
        Key of `predictions_file.FORMS`.
    scores : array, shape (n_rows, n_scores), optional
    scored_nodes : ndarray of int, shape (n_scores,), optional
        None where the file does not name its columns.
    labels : NodeLists, optional
        Instead of scores.
    is_hard : bool
    ids : ndarray of str, shape (n_rows,), optional
    truth : Truth, optional
        From the same file, row by row.
    attributes : mapping of str to ndarray, each shape (n_rows,)
    detected : mapping of str to str
    notes : tuple of str
    listed : ListedEntries, optional
        Instead of scores: those of some classes.
    """

    where: str
    form: str
    scores: object | None = None
    scored_nodes: np.ndarray | None = None
    labels: NodeLists | None = None
    is_hard: bool = False
    ids: np.ndarray | None = None
    truth: Truth | None = None
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    detected: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    listed: ListedEntries | None = None

    def __len__(self):
        if self.listed is not None:
            return self.listed.n_rows
        return len(self.labels) if self.scores is None else self.scores.shape[0]
