"""A file of our own on disk, for what is too large for memory and cannot be read in place.

It has no name, so that it is gone however the process ends: by an error, by Ctrl-C or by a signal that cannot be caught.
It lies in the folder for temporary files (``TMPDIR``), which should be a disk and not memory.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.readers import file_limits
from hierviz.readers.stored_array import StoredArray
from hierviz.readers.streams import Positioned


class Scratch:
    """Bytes that were set aside.

    Parameters
    ----------
    where : str
        The file that they are from, as errors call it.
    n_bytes : int, optional
        As many as will be written, where that is known.

    Raises
    ------
    FileError
        If the folder for temporary files has no room for them.
    """

    def __init__(self, where, n_bytes=0):
        self.where = where
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free
        if n_bytes > free:
            raise _no_room(where, folder, n_bytes, free)
        self.file = tempfile.TemporaryFile(prefix="hierviz-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self.file.close)

    def append(self, values):
        """Write an array, or bytes, behind what is there."""
        self.write(values, self.file.seek(0, os.SEEK_END))

    def write(self, values, place):
        """Write an array, or bytes, from byte `place` on; FileError when the disk is full."""
        if isinstance(values, np.ndarray):
            values = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        view = memoryview(values)
        try:
            while len(view):
                n = os.pwrite(self.file.fileno(), view[: 1 << 30], place)
                view, place = view[n:], place + n
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            folder = tempfile.gettempdir()
            raise _no_room(self.where, folder, place + len(view), shutil.disk_usage(folder).free) from None

    def open_stored(self):
        """The bytes from the beginning, as a context; each has a place of its own."""
        return Positioned(self.file, self)

    def array(self, shape, dtype, is_fortran=False):
        """The bytes as a StoredArray."""
        return StoredArray(self, 0, tuple(shape), np.dtype(dtype), is_fortran)


def _no_room(where, folder, n_bytes, free):
    return FileError(
        f"{where}: expected {file_limits.size_words(n_bytes)} of free space for a temporary file in {folder}, got "
        f"{file_limits.size_words(free)}. Name a folder on a larger disk with the environment variable TMPDIR."
    )


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
        Beyond `file_limits.MEMORY_BYTES` they go to a temporary file.
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
            elif self.may_stay and self._block.nbytes + self._block.nbytes // 2 > file_limits.MEMORY_BYTES:
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
        if self._n_written * self.width * 8 > file_limits.SCRATCH_BYTES:
            raise FileError(
                f"{self.where}: expected at most {file_limits.size_words(file_limits.SCRATCH_BYTES)} of scores, got more. "
                "Save them as .npy, which is read in place."
            )

    def finish(self):
        """All rows that came: ndarray, or StoredArray, of shape (n_rows, width)."""
        if self._scratch is None:
            self._block.resize((self._n_rows, self.width), refcheck=False)
            return self._block
        self._write()
        return self._scratch.array((self._n_written, self.width), np.float64)
