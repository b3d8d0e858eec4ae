"""Rows of numbers that come one after the other: in memory, or in a temporary file as soon as they are too many."""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.readers import limits
from hierviz.readers.scratch import Scratch

# Numbers that are made room for at first, and that are written at a time (8 MB).
FIRST_NUMBERS, NUMBERS_AT_ONCE = 1024, 1 << 20


class NumberRows:
    """A growing array of float64.

    Parameters
    ----------
    where : str
        The file that they are from, as errors call it.
    width : int
        Numbers of a row.
    most : int
        Rows that may come.
    may_stay : bool
        Beyond `limits.MEMORY_BYTES` they go to a temporary file.
    """

    def __init__(self, where, width, most, may_stay):
        self.where, self.width, self.most, self.may_stay = where, width, most, may_stay
        self._block, self._n_rows = np.empty((min(most, max(1, FIRST_NUMBERS // max(1, width))), width)), 0
        self._scratch, self._n_written = None, 0

    def next(self):
        """The next row, shape (width,), to be filled."""
        if self._n_rows == len(self._block):
            if self._scratch is not None:
                self._write()
            elif self.may_stay and self._block.nbytes + self._block.nbytes // 2 > limits.MEMORY_BYTES:
                self._scratch = Scratch(self.where)
                self._write()
                self._block = np.empty((max(1, NUMBERS_AT_ONCE // self.width), self.width))
            else:
                n = self._n_rows + self._n_rows // 2 + 1
                self._block.resize((min(self.most, n), self.width), refcheck=False)
        self._n_rows += 1
        return self._block[self._n_rows - 1]

    def _write(self):
        self._scratch.append(self._block[: self._n_rows])
        self._n_written += self._n_rows
        self._n_rows = 0
        if self._n_written * self.width * 8 > limits.SCRATCH_BYTES:
            raise FileError(
                f"{self.where}: expected at most {limits.size_words(limits.SCRATCH_BYTES)} of scores, got more. "
                "Save them as .npy, which is read in place."
            )

    def finish(self):
        """All rows that came: ndarray, or StoredArray, of shape (n_rows, width)."""
        if self._scratch is None:
            self._block.resize((self._n_rows, self.width), refcheck=False)
            return self._block
        self._write()
        return self._scratch.array((self._n_written, self.width), np.float64)
