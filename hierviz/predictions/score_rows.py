"""Scores whose rows are read when they are asked for, and what scores have to be: finite and, for probabilities, in range.

They are checked block by block, with one error for all paths.

Functions
---------
check_rows : raises for the first wrong score of some rows.
wrong_scores : all wrong scores of some rows.
looks_right : a quick check that never passes a wrong score.
taken_rows : scores of some rows.
ArrayRows : length, size and conversion of such an array.
CheckedScores : scores on disk that are checked when they are first read.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.parametrisation import SUM_TOLERANCE, column_nodes

PROBABILITIES = ("leaf_probabilities", "node_probabilities")
# Sums in another order differ by rounding: rows this near the tolerance are added up again.
_ROUNDING = 1e-9
# Bits of float16: 1, infinity, and all but the sign. Values that are added up at a time.
_ONE, _INFINITE, _MAGNITUDE = 0x3C00, 0x7C00, np.uint16(0x7FFF)
_VALUES_AT_ONCE = 1 << 20


def check_rows(predictions: Any, rows: slice, where: str) -> None:
    """Check the scores of some rows.

    Parameters
    ----------
    predictions : Predictions
        With scores.
    rows : slice
    where : str
        How the error begins.

    Raises
    ------
    PredictionsError
        As `Predictions.check_scores`.
    """
    block, taxonomy = np.asarray(predictions.scores[rows]), predictions.taxonomy
    if looks_right(block, predictions.parametrisation):
        return
    if not np.issubdtype(block.dtype, np.number) or np.iscomplexobj(block):
        raise PredictionsError(f"{where}: expected real numbers, got values of type {block.dtype}. Convert them.")
    is_probability = predictions.parametrisation in PROBABILITIES
    wrong = wrong_scores(block, predictions.parametrisation)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        nodes = column_nodes(taxonomy, predictions.parametrisation, block.shape[1], predictions.scored_nodes)
        expected = "a probability from 0 to 1" if is_probability else "a finite score"
        advice = "Correct them, or leave these samples out."
        # Raw scores are finite, too.
        if is_probability and np.isfinite(block[wrong]).any():
            advice = "If the file holds raw scores, declare them with {parametrisation}."
            # Raw scores are rarely all from 0 to 100, some of each row being above 1.
            if not (block < 0).any() and (block <= 100).all() and (block.max(axis=1) > 1).all():
                advice = "If they are percent, divide them by 100, or read the file with {percent}; if raw scores, declare them "
                advice += "with {parametrisation}."
        raise PredictionsError(
            f"{where}, sample {predictions.sample_id(rows.start + row)!r}, column {taxonomy.names[nodes[column]]!r}: "
            f"expected {expected}, got {float(block[row, column])!r}. Such values in this block: {int(wrong.sum())}. {advice}"
        )
    if predictions.parametrisation == "leaf_probabilities":
        total = block.sum(axis=1, dtype=np.float64)
        far = np.abs(total - 1) > SUM_TOLERANCE
        if far.any():
            row = int(np.argmax(far))
            raise PredictionsError(
                f"{where}, sample {predictions.sample_id(rows.start + row)!r}: expected leaf probabilities that sum to 1, "
                f"got a sum of {total[row]:.6g}. Such rows in this block: {int(far.sum())}. "
                "If they are raw scores or independent probabilities, declare them with {parametrisation}."
            )


def wrong_scores(block: np.ndarray, parametrisation: str) -> np.ndarray:
    """Which scores of a block are not finite or, for probabilities, outside 0 to 1: of its shape, bool."""
    wrong = ~np.isfinite(block)
    return wrong | (block < 0) | (block > 1) if parametrisation in PROBABILITIES else wrong


def looks_right(block: np.ndarray, parametrisation: str) -> bool:
    """Whether all scores of a block are surely what `check_rows` accepts.

    Parameters
    ----------
    block : ndarray, shape (n_rows, n_scores)
    parametrisation : str

    Returns
    -------
    bool
        False where only a full check can decide.
    """
    if not block.size or block.dtype.kind not in "fiu":
        return False
    if block.dtype == np.float16:
        return _halves_look_right(block, parametrisation)
    # nan is smallest and largest as soon as there is one, and all comparisons with it are False.
    least, most = float(block.min()), float(block.max())
    if parametrisation not in PROBABILITIES:
        return bool(-np.inf < least and most < np.inf)
    if not (least >= 0 and most <= 1):
        return False
    return parametrisation == "node_probabilities" or sums_look_right(block.sum(axis=1, dtype=np.float64))


def _halves_look_right(block, parametrisation):
    """`looks_right` of float16, by their bits: processors without this type take ten times as long for its numbers."""
    bits = np.ascontiguousarray(block).view(np.uint16)
    if parametrisation not in PROBABILITIES:
        return int((bits & _MAGNITUDE).max()) < _INFINITE
    # Bits of numbers that are not negative ascend with them.
    if int(bits.max()) > _ONE:
        return False
    if parametrisation == "node_probabilities":
        return True
    step = max(1, _VALUES_AT_ONCE // bits.shape[1])
    table = np.arange(_ONE + 1, dtype=np.uint16).view(np.float16).astype(np.float32)
    blocks = (table[bits[start : start + step]] for start in range(0, len(bits), step))
    return all(sums_look_right(values.sum(axis=1, dtype=np.float64)) for values in blocks)


def sums_look_right(totals: np.ndarray) -> bool:
    """Whether sums of leaf probabilities, in whatever order they were added up, are surely within the tolerance."""
    return bool((np.abs(totals - 1) <= SUM_TOLERANCE - _ROUNDING).all())


class ArrayRows:
    """Length, size and conversion of an array-like with `shape`, `dtype` and ``[rows]``, read when they are asked for."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)


class TakenRows(ArrayRows):
    """Some rows of an array that are read when they are asked for."""

    def __init__(self, source, rows):
        self.source, self.rows = source, np.asarray(rows, dtype=np.intp)
        self.shape, self.dtype = (len(self.rows), *source.shape[1:]), source.dtype

    def __getitem__(self, key):
        rows, *others = key if isinstance(key, tuple) else (key,)
        return self.source[(self.rows[rows], *others)] if others else self.source[self.rows[rows]]


def taken_rows(scores: Any, rows: np.ndarray) -> Any:
    """Scores of some rows (ndarray of int): of arrays and lists at once, of others when they are asked for."""
    if isinstance(scores, np.ndarray) and not isinstance(scores, np.memmap):
        return scores[rows]
    return scores.take(rows) if hasattr(scores, "entries") else TakenRows(scores, rows)


class CheckedScores(ArrayRows):
    """Scores on disk that are checked when they are first read, so that a long file is read once.

    No row is handed out before it is checked, so that no number is made of a wrong one.

    Parameters
    ----------
    predictions : Predictions
        With the `stored` scores, which the errors are about.
    where : str
        How errors begin.

    Attributes
    ----------
    stored : array that can be sliced by rows
        The scores unchecked, for callers that call `check` on the rows afterwards.
    shape, dtype
        Of the stored scores.
    """

    def __init__(self, predictions, where):
        self.predictions, self.where, self.stored = predictions, where, predictions.scores
        self.shape, self.dtype = tuple(self.stored.shape), self.stored.dtype
        self._is_checked = np.zeros(len(self.stored), dtype=bool)

    def __repr__(self):
        return f"<CheckedScores {self.where!r}: {' x '.join(map(str, self.shape))} {self.dtype}>"

    def __getitem__(self, key):
        rows = key[0] if isinstance(key, tuple) else key
        if self._is_checked[rows].all():
            return self.stored[key]
        block = self.stored[rows]
        self.check(rows, looks_right(np.atleast_2d(block), self.predictions.parametrisation))
        if not isinstance(key, tuple):
            return block
        return block[key[1:] if block.ndim == 1 else (slice(None), *key[1:])]

    def is_checked(self, rows):
        """True when all of some rows have been checked."""
        return bool(self._is_checked[rows].all())

    def check(self, rows, is_right):
        """Note that rows were read and are right, or raise the error about them.

        Parameters
        ----------
        rows : int, slice or ndarray
        is_right : bool
            They are known to be right. If not, the blocks of `Predictions.blocks` that they lie in are read and judged, so
            that an error is the same whichever rows were read first.

        Raises
        ------
        PredictionsError
            As `Predictions.check_scores`.
        """
        if not is_right:
            blocks = self.predictions.blocks()
            step = blocks[0].stop
            for place in np.unique(np.arange(len(self))[rows] // step).tolist():
                check_rows(self.predictions, blocks[place], self.where)
        self._is_checked[rows] = True
