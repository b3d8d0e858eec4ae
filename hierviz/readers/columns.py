"""The cells of a table by column, and what can be said about them.

Text and Parquet tables both give `Columns`, so that nothing after them needs to know which it was.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import FileError, PredictionsError, listed, near_miss, shown

# Advice where a table has too few or too many scores.
EVERY_SCORE = "Every sample needs a score for every class."


@dataclass(frozen=True)
class Columns:
    """The cells of a table.

    Parameters
    ----------
    where : str
    names : list of str
    text : dict of int to list of str, each of length n_rows
        By place of the column.
    numbers : ndarray, shape (n_rows, n_number_columns), optional
    lines : ndarray of int, shape (n_rows,)
        Line on which each row starts; the number of the row or sample where a file has no lines.
    unit : {"line", "row", "sample"}
        What they are numbers of.
    """

    where: str
    names: list
    text: dict
    numbers: np.ndarray | None
    lines: np.ndarray
    unit: str = "line"

    def __len__(self):
        return len(self.lines)

    def require_rows(self):
        """Raise a PredictionsError for a table without rows."""
        if len(self) == 0:
            raise no_rows(self.where)

    def single_text(self, place):
        """The cells of a column that takes one value in each row; FileError when it holds lists."""
        cells = self.text[place]
        if not all(isinstance(cell, str) for cell in cells):
            raise FileError(
                f"{self.where}, column {self.names[place]!r}: expected one value in each row, got lists. Save it as text."
            )
        return cells

    def place(self, row):
        """How errors call a row."""
        return place_of(self.where, self.lines[row], self.unit)


def place_of(where, line, unit):
    """How errors call a line, row or sample."""
    if unit == "sample":
        return sample_place(where, line)
    return f"{where}:{line}" if unit == "line" else f"{where}, {unit} {line}"


def sample_place(where, number, sample=""):
    """How errors call a sample of a list, `number` from 0: counted from 1 as in the file, with its id where it has one."""
    return f"{where}, sample number {number + 1}{f' ({shown(sample)})' if sample else ''}"


def named_place(names, accepted, but=()):
    """Place of the first of the `accepted` words that a column is called by, none of `but`; None when there is none."""
    folded = [name.casefold() for name in names]
    places = (folded.index(word) for word in accepted if word in folded)
    return next((place for place in places if place not in but), None)


def unfit_keys(keys):
    """Keys that do not say which row is meant, in the order of the rows: a strict reader raises at the first, `doctor` takes all.

    Parameters
    ----------
    keys : iterable of (place, key)
        A key of None is missing.

    Yields
    ------
    place, first
        Of a missing key, with None; of one that came before, with its first place.
    """
    seen = {}
    for place, key in keys:
        first = None if key is None else seen.setdefault(key, place)
        if first != place:
            yield place, first


def joined(cell):
    """A cell as text; the values of a list with ; between them."""
    return cell if isinstance(cell, str) else ";".join(cell)


def as_number(cell):
    """The number a cell holds, or None."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def no_numbers(cells, places):
    """Those of some places of a row whose cells hold no number, in order."""
    return [place for place in places if as_number(cells[place]) is None]


def looks_numeric(cells):
    """True when there is a cell that is not empty and all such cells are numbers."""
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and all(as_number(cell) is not None for cell in filled)


def require_names(columns_names, where):
    """Raise a FileError unless every column has a name of its own."""
    names = [name.strip() for name in columns_names]
    if "" in names:
        raise FileError(
            f"{where}: expected a name for every column, got none for column {names.index('') + 1}. "
            "If it is a row number that pandas wrote, save with index=False; if it is the sample's id, call it 'sample_id'."
        )
    require_once(names, where)


def require_once(names, where):
    """Raise a FileError where two columns have one name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"{where}: expected every column once, got {listed(twice)} more than once. Rename or remove one."
        )


def no_rows(where):
    """The error about a table of samples without rows."""
    return PredictionsError(
        f"{where}: expected a row for every sample, got none below the header. Is the file complete?"
    )


def require_truth_column(names, column, where, what="column"):
    """Raise a PredictionsError unless the column that is said to hold the truth is there, or none is said."""
    if column is not None and column not in names:
        raise PredictionsError(
            f"{where}: expected the {what} {column!r} of {{truth_column}}, got {listed(names)}."
            f"{near_miss(column, names)} Name one of the {what}s."
        )
