"""Scores of some classes only: the k best of each sample, or those that a file happens to list.

Class and score entries of samples, as files and pipelines list them, on their way to scores.

Conventions
-----------
Row i lists the columns ``columns[offsets[i]:offsets[i + 1]]`` with their values; memory grows with what is listed. Slices of rows
are dense arrays in which a score that is not listed is 0. Whether it *is* 0 says `missing`: with ``"zero"`` it is, with
``"unknown"`` it is only left out, and `hierviz.evaluation.top_k_bounds` says what it could change.

Entries are in the order of their source. A list is falling when no score is larger than the one before it in the same sample:
then the classes that it leaves out are taken for the least probable ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.predictions.parametrisation import SUM_TOLERANCE, default_columns, probabilities_of
from hierviz.taxonomy.node_lists import entries_of, offsets_of
from hierviz.taxonomy.taxonomy import Taxonomy

NOTHING_LISTED = "List its most probable class, or leave the sample out: it then counts as one without a prediction."


@dataclass(frozen=True, eq=False)
class ListedEntries(Short):
    """One entry for each class that is listed for a sample.

    Parameters
    ----------
    row, node : ndarray of int, shape (n_entries,)
        Sample and class.
    value : ndarray of float, shape (n_entries,)
    n_rows : int
    is_top_k : bool
        Each sample lists its best classes.
    """

    row: np.ndarray
    node: np.ndarray
    value: np.ndarray
    n_rows: int
    is_top_k: bool

    def words(self) -> str:
        """How much is listed, in words."""
        lengths = np.bincount(self.row, minlength=self.n_rows)
        least, most = (int(lengths.min()), int(lengths.max())) if self.n_rows else (0, 0)
        count = f"{most}" if least == most else f"{least} to {most}"
        return f"the {count} best classes of each sample" if self.is_top_k else f"{count} classes of each sample"

    def note(self, taxonomy: Taxonomy, where: str) -> str | None:
        """What is odd about the listed classes: a single inner class among leaves, possibly misnamed; None if nothing."""
        inner = self.node[~taxonomy.is_leaf[self.node] & (self.node > 0)]
        if not len(inner) or (inner != inner[0]).any() or len(inner) == len(self.node):
            return None
        times = "once" if len(inner) == 1 else f"{len(inner):,} times"
        return (
            f"{where} lists one class that is no leaf ({taxonomy.names[inner[0]]}, {times}): its scores are therefore read as "
            "probabilities of nodes, which need not sum to 1. Check that it is the name of a leaf."
        )

    def scores(
        self, taxonomy: Taxonomy, where: str, parametrisation: str | None = None, missing: str | None = None
    ) -> tuple[ListedScores, np.ndarray, str]:
        """The entries as ListedScores, with the node of each column and the key of the parametrisation.

        Parameters
        ----------
        taxonomy : Taxonomy
        where : str
            How errors call the source.
        parametrisation : str, optional
            Without it scores are probabilities: of the leaves where all listed classes are leaves, else of all nodes.
        missing : {"unknown", "zero"}, optional
            What a score that is not listed is: unknown when absent.

        Raises
        ------
        PredictionsError
            If a listed class has no score in the parametrisation, or `missing` is another word.
        """
        require_missing(missing)
        parametrisation = parametrisation or probabilities_of(taxonomy, self.node)
        columns = default_columns(taxonomy, parametrisation)
        # The root is 1 where nothing else is said, and adds nothing here.
        is_kept = self.node > 0 if parametrisation == "node_probabilities" else np.ones(len(self.node), dtype=bool)
        place = np.full(taxonomy.n_nodes, -1)
        place[columns] = np.arange(len(columns))
        strange = np.unique(self.node[is_kept & (place[self.node] < 0)])
        if len(strange):
            raise PredictionsError(
                f"{where}: expected classes that have a score with {parametrisation} ({len(columns)}), got "
                f"{listed([taxonomy.names[node] for node in strange])}. Choose another {{parametrisation}}."
            )
        made = ListedScores.from_entries(
            self.row[is_kept],
            place[self.node[is_kept]],
            self.value[is_kept],
            (self.n_rows, len(columns)),
            missing=missing or "unknown",
            is_top_k=self.is_top_k,
        )
        return made, columns, parametrisation


def require_missing(missing):
    """Raise a PredictionsError unless `missing` is None or one of `MISSING`."""
    if missing is not None and missing not in MISSING:
        raise PredictionsError(f"expected {{missing={' | '.join(MISSING)}}}, got {missing!r}. Choose one of them.")


def is_falling(row, value):
    """True when no value is larger than the one before it in the same row; entries of a row are in order."""
    order = np.argsort(row, kind="stable")
    row, value = row[order], value[order]
    return not ((row[1:] == row[:-1]) & (value[1:] > value[:-1])).any()


def first_repeat(row, node):
    """Place of the first entry whose row and node came before, None when there is none."""
    order = np.lexsort((node, row))
    twice = order[1:][(np.diff(row[order]) == 0) & (np.diff(node[order]) == 0)]
    return int(twice.min()) if len(twice) else None


def label_entries(lists: Iterable[Any], where: str) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Row, label and score of every ``{"label": ..., "score": ...}`` in lists, one list a sample.

    Returns
    -------
    row : ndarray of int, shape (n_entries,)
    labels : list of str
    value : ndarray of float, shape (n_entries,)

    Raises
    ------
    PredictionsError
        If a list is none or empty, an entry lacks a key, or a score is no number; names the sample.
    """
    rows, labels, values = array("q"), [], array("d")
    known: dict[str, str] = {}
    for row, entries in enumerate(lists):
        if not isinstance(entries, (list, tuple)) or not entries or not all(isinstance(e, Mapping) for e in entries):
            got = "an empty list" if isinstance(entries, (list, tuple)) and not entries else type(entries).__name__
            advice = "Write one list per sample; a pipeline gives them for a list of inputs with top_k=5, None for all."
            raise PredictionsError(
                f"{where}, sample {row}: expected a list of its classes, each {{'label': ..., 'score': ...}}, got {got}. "
                f"{NOTHING_LISTED if got == 'an empty list' else advice}"
            )
        for entry in entries:
            if not {"label", "score"} <= set(entry):
                raise PredictionsError(
                    f"{where}, sample {row}: expected the keys label and score, got {listed(entry)}. "
                    "Pass what the pipeline returns."
                )
            score, label, got = entry["score"], str(entry["label"]), ""
            try:
                if isinstance(score, bool) or not isinstance(score, (int, float, np.integer, np.floating)):
                    got = repr(score)
                else:
                    values.append(float(score))
            except OverflowError:
                got = f"an integer of {int(score).bit_length()} bits"
            if got:
                raise PredictionsError(
                    f"{where}, sample {row}, label {label!r}: expected a number as score, got {got}. Correct it."
                )
            rows.append(row)
            labels.append(known.setdefault(label, label))
    return np.array(rows, dtype=np.intp), labels, np.array(values, dtype=np.float64)


MISSING = ("unknown", "zero")


@dataclass(frozen=True, eq=False)
class ListedScores(Short):
    """Listed scores of each sample, an array of shape (n_samples, n_columns) that is kept by its entries.

    Parameters
    ----------
    offsets : ndarray of int, shape (n_samples + 1,)
    columns : ndarray of int, shape (n_entries,)
        No column twice in a row.
    values : ndarray of float, shape (n_entries,)
    n_columns : int
    missing : {"unknown", "zero"}
        What a score that is not listed is.
    is_top_k : bool
        No score that is not listed is larger than the smallest one listed in its row.
    """

    offsets: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    n_columns: int
    missing: str = "unknown"
    is_top_k: bool = True

    @classmethod
    def from_entries(
        cls,
        rows: np.ndarray,
        columns: np.ndarray,
        values: np.ndarray,
        shape: tuple[int, int],
        *,
        missing: str = "unknown",
        is_top_k: bool = True,
    ) -> Self:
        """From the row, column and value of each entry, in any order of the rows."""
        order = np.argsort(rows, kind="stable")
        offsets = offsets_of(np.bincount(rows, minlength=shape[0]))
        return cls(offsets, np.asarray(columns)[order].astype(np.int32), values[order], shape[1], missing, is_top_k)

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_columns)"""
        return len(self.offsets) - 1, self.n_columns

    @property
    def dtype(self) -> np.dtype:
        """Type of the values."""
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Number of entries of each row, shape (n_samples,)."""
        return np.diff(self.offsets)

    def entries(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(place in `rows`, column, value) of every entry of some rows (ndarray of int), each of shape (n,)."""
        offsets, entry = entries_of(self.offsets, rows)
        place = np.repeat(np.arange(len(rows)), np.diff(offsets))
        return place, self.columns[entry].astype(np.intp), self.values[entry]

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Dense rows, shape (n_rows, n_columns): 0 where nothing is listed."""
        chosen = np.arange(len(self))[rows]
        place, column, value = self.entries(chosen)
        dense = np.zeros((len(chosen), self.n_columns), dtype=self.dtype)
        dense[place, column] = value
        return dense

    def part(self, rows: slice) -> Self:
        """ListedScores of a run of rows: what is not listed stays unknown, or zero."""
        first, last, _ = rows.indices(len(self))
        offsets = self.offsets[first : max(first, last) + 1]
        entries = slice(offsets[0], offsets[-1])
        return replace(self, offsets=offsets - offsets[0], columns=self.columns[entries], values=self.values[entries])

    def mass(self, rows: np.ndarray) -> np.ndarray:
        """Sum of the listed values of some rows, shape (n_rows,)."""
        place, _, value = self.entries(rows)
        return np.bincount(place, value, minlength=len(rows))

    def largest_unlisted(self, rows: np.ndarray) -> np.ndarray:
        """The most that a probability that is not listed can be, shape (n_rows,): the smallest listed one, or 1."""
        most = np.ones(len(rows))
        if self.is_top_k:
            place, _, value = self.entries(rows)
            np.minimum.at(most, place, value)
        return most

    def off_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows that are no distribution: what is listed sums to more than 1; what is not listed cannot make up for the rest."""
        rows = np.arange(len(self))
        mass = self.mass(rows)
        above = np.flatnonzero(mass > 1 + SUM_TOLERANCE)
        if self.missing == "zero" or not len(rows):
            return above, rows[:0]
        n_unlisted = self.n_columns - self.lengths
        return above, np.flatnonzero(mass + n_unlisted * self.largest_unlisted(rows) < 1 - SUM_TOLERANCE)

    def check(
        self, where: str, is_distribution: bool, name: Callable[[int], str], sample: Callable[[int], Any]
    ) -> None:
        """Check every listed probability once.

        Parameters
        ----------
        where : str
        is_distribution : bool
            The scores of a row sum to 1.
        name, sample : callable
            Name of a column, id of a row.

        Raises
        ------
        PredictionsError
            If a value is not in [0, 1]; or, for a distribution, the listed mass is above 1, or so small that the scores that are
            not listed cannot make up for it.
        """
        wrong = np.flatnonzero(~((self.values >= 0) & (self.values <= 1)))
        if len(wrong):
            entry = wrong[0]
            row = int(np.searchsorted(self.offsets, entry, side="right")) - 1
            is_percent = bool(((self.values >= 0) & (self.values <= 100)).all())
            advice = "If they are percent, read the file with {percent}." if is_percent else ""
            raise PredictionsError(
                f"{where}, sample {sample(row)!r}, class {name(int(self.columns[entry]))!r}: expected a probability from 0 to 1, "
                f"got {float(self.values[entry])!r}. Such values: {len(wrong)}. "
                f"{advice or 'Lists of some classes need probabilities.'}"
            )
        if not is_distribution:
            return
        above, below = self.off_sums()
        if len(above):
            row = int(above[0])
            mass = self.mass(above[:1])[0]
            raise PredictionsError(
                f"{where}, sample {sample(row)!r}: expected listed probabilities that sum to at most 1, got {mass:.6g}. "
                f"Such samples: {len(above)}. If they are independent of each other, pass {{parametrisation=node_probabilities}}."
            )
        if len(below):
            row, n_unlisted = int(below[0]), self.n_columns - int(self.lengths[below[0]])
            mass, largest = self.mass(below[:1])[0], self.largest_unlisted(below[:1])[0]
            most = f" and {n_unlisted} other leaves of at most {largest:.6g}" if n_unlisted else ""
            raise PredictionsError(
                f"{where}, sample {sample(row)!r}: expected leaf probabilities that sum to 1, got {mass:.6g} listed{most}. "
                f"Such samples: {len(below)}. If the rest is 0, pass {{missing=zero}}; if they are independent of each other, "
                "pass {parametrisation=node_probabilities}."
            )
