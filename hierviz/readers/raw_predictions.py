"""What a prediction file holds, before it meets the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hierviz.predictions.listed_scores import ListedEntries
from hierviz.predictions.score_rows import ArrayRows
from hierviz.readers.truth_file import Truth
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


class _Shares(ArrayRows):
    """Scores that are read from percent when rows are asked for."""

    def __init__(self, percent):
        self.percent, self.shape, self.dtype = percent, tuple(percent.shape), np.dtype(np.float64)

    def __getitem__(self, key):
        return self.percent[key] / 100


@dataclass(frozen=True, eq=False)
class Reading:
    """How a prediction file is read.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth_column : str, optional
        Of the file; found out when absent.
    form : str, optional
        Key of `predictions_file.FORMS`; found out when absent.
    missing : {"unknown", "zero"}, optional
        What classes are that a sample does not list.
    classes : ndarray of int, shape (n_scores,), optional
        Node of each column of scores, whatever the columns are called.
    numbers : mapping of int to int, optional
        Node of each number of a class list: what labels that are numbers mean.
    keep_empty : bool
        Whether an empty label is a label outside the taxonomy, -1.
    """

    taxonomy: Taxonomy
    truth_column: str | None = None
    form: str | None = None
    missing: str | None = None
    classes: np.ndarray | None = None
    numbers: Mapping[int, int] | None = None
    keep_empty: bool = False


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

    def as_shares(self):
        """The same where scores are percent: divided by 100, when they are read."""
        if self.labels is not None:
            return replace(self, notes=(*self.notes, f"{self.where} holds labels: that scores are percent is ignored"))
        detected = {**self.detected, "scores": "percent, divided by 100"}
        if self.listed is not None:
            return replace(self, listed=replace(self.listed, value=self.listed.value / 100), detected=detected)
        scores = self.scores / 100 if isinstance(self.scores, np.ndarray) else _Shares(self.scores)
        return replace(self, scores=scores, detected=detected)

    def __len__(self):
        if self.listed is not None:
            return self.listed.n_rows
        return len(self.labels) if self.scores is None else self.scores.shape[0]
