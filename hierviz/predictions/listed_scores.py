"""Scores of some classes only: the k best of each sample, or those that a file happens to list.

Conventions
-----------
Row i lists the columns ``columns[offsets[i]:offsets[i + 1]]`` with their values; memory grows with what is listed. Slices of rows
are dense arrays in which a score that is not listed is 0. Whether it *is* 0 says `missing`: with ``"zero"`` it is, with
``"unknown"`` it is only left out, and `hierviz.evaluation.top_k_bounds` says what it could change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.predictions.parametrisation import SUM_TOLERANCE
from hierviz.taxonomy.node_lists import entries_of, offsets_of

MISSING = ("unknown", "zero")


def require_missing(missing):
    """Raise a PredictionsError unless `missing` is None or one of `MISSING`."""
    if missing is not None and missing not in MISSING:
        raise PredictionsError(f"expected {{missing={' | '.join(MISSING)}}}, got {missing!r}. Choose one of them.")


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
    outside : ndarray of float, shape (n_samples,), optional
        Sum of the scores of classes outside the taxonomy, which are not among the entries: no other class can have it.
    """

    offsets: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    n_columns: int
    missing: str = "unknown"
    is_top_k: bool = True
    outside: np.ndarray | None = None

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
        outside: np.ndarray | None = None,
    ) -> Self:
        """From the row, column and value of each entry, in any order of the rows."""
        order = np.argsort(rows, kind="stable")
        offsets = offsets_of(np.bincount(rows, minlength=shape[0]))
        columns = np.asarray(columns)[order].astype(np.int32)
        return cls(offsets, columns, values[order], shape[1], missing, is_top_k, outside)

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
        outside = None if self.outside is None else self.outside[rows]
        columns, values = self.columns[entries], self.values[entries]
        return replace(self, offsets=offsets - offsets[0], columns=columns, values=values, outside=outside)

    def take(self, rows: np.ndarray) -> Self:
        """ListedScores of some rows (ndarray of int), in that order."""
        offsets, entries = entries_of(self.offsets, rows)
        outside = None if self.outside is None else self.outside[rows]
        return replace(
            self, offsets=offsets, columns=self.columns[entries], values=self.values[entries], outside=outside
        )

    def with_empty_rows(self, n: int) -> Self:
        """The same with `n` rows after the others that list nothing."""
        outside = None if self.outside is None else np.append(self.outside, np.zeros(n))
        return replace(self, offsets=np.append(self.offsets, np.full(n, self.offsets[-1])), outside=outside)

    def mass(self, rows: np.ndarray) -> np.ndarray:
        """Sum of the listed values of some rows, with those of classes outside the taxonomy, shape (n_rows,)."""
        place, _, value = self.entries(rows)
        listed = np.bincount(place, value, minlength=len(rows))
        return listed if self.outside is None else listed + self.outside[rows]

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
