"""Arrays that stay on disk: each block of rows is read when it is asked for, from the file that was opened and no other.

Conventions
-----------
The file is not mapped into memory: a mapped page that is gone ends the whole process, and one that was overwritten gives
other numbers without a word. The file's identity, size and time of change are compared before and after each block, so that
numbers of two files never meet.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import prod
from numbers import Integral
from pathlib import Path

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.predictions.score_rows import ArrayRows

# File systems note the time of a change in steps of up to 10 ms.
_STEP_NS = 20_000_000


class ChangedFileError(FileError):
    """A file that was opened is not the same any more. `path` is the file; opening it again reads it as it is now."""

    def __init__(self, message, path):
        super().__init__(message)
        self.path = Path(path)


@dataclass(frozen=True)
class Stamp:
    """What distinguishes a file from another one, and from itself after a change."""

    device: int
    inode: int
    size: int
    changed: int

    @classmethod
    def from_file(cls, file):
        """Of an open file, or of what a path leads to."""
        status = os.stat(file if isinstance(file, os.PathLike) else file.fileno())
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def settle(self):
        """Wait until a later change gets a later modification time: at most 20 ms, only for a file that was written just now."""
        if 0 <= (age := time.time_ns() - self.changed) < _STEP_NS:
            time.sleep((_STEP_NS - age) / 1e9)

    def require(self, file, where, path):
        """Raise a ChangedFileError unless the open `file` is still this one."""
        stamp = Stamp.from_file(file)
        if stamp == self:
            return
        got = "one that was saved again"
        if stamp.size < self.size:
            got = f"a shorter one of {stamp.size} bytes"
        elif stamp.size > self.size:
            got = f"a longer one of {stamp.size} bytes"
        raise ChangedFileError(
            f"{where}: expected the file of {self.size} bytes that was opened, got {got}. Open it again to read it as it is now.",
            path,
        )


@contextmanager
def unchanged(path, stamp, where, held=None):
    """A file for reading, as long as it is the one of `stamp` before and after; `held` has it open, else it is opened."""
    is_held = held is not None and held.file is not None
    try:
        file = held.open() if is_held else open(path, "rb", buffering=0)  # noqa: SIM115
        if is_held:
            stamp.require(path, where, path)
    except FileNotFoundError:
        raise ChangedFileError(
            f"{where}: expected the file that was opened, got nothing there: it was moved or deleted. Put it back.",
            path,
        ) from None
    looked_at = held.file if is_held else file
    with file:
        stamp.require(looked_at, where, path)
        yield file
        stamp.require(looked_at, where, path)


class RunRows(ArrayRows):
    """An array whose rows are read by runs of rows that lie together: `_read(n_rows, runs)`."""

    def __getitem__(self, key):
        """Rows by number, slice, or array of numbers or of bool; then the columns, as in ``scores[:10, 3]``.

        Raises
        ------
        ChangedFileError
            If the file is not the one that was opened any more.
        """
        rows, *others = key if isinstance(key, tuple) else (key,)
        if isinstance(rows, Integral) and not isinstance(rows, bool):
            return self[np.array([rows])][(0, *others)]
        block = self._read(*rows_and_runs(rows, len(self)))
        return block[(slice(None), *others)] if others else block


@dataclass(frozen=True, eq=False)
class StoredArray(RunRows):
    """An array in a file; indexing reads rows of it into memory.

    Parameters
    ----------
    source : Source
        With its stamp.
    start : int
        Byte at which the values begin.
    shape : tuple of int
        At least one axis.
    dtype : numpy.dtype
    is_fortran : bool
        True when the first axis is the fastest one.
    """

    source: object
    start: int
    shape: tuple
    dtype: np.dtype
    is_fortran: bool = False

    def __repr__(self):
        return f"<StoredArray {self.source.where!r}: {' x '.join(map(str, self.shape))} {self.dtype}>"

    def __getitem__(self, key):
        """As `RunRows`; ``scores[..., None]``, and ``scores[..., 0]`` of a last axis of one, read nothing."""
        rows, *others = key if isinstance(key, tuple) else (key,)
        if rows is Ellipsis and others == [None]:
            return replace(self, shape=(*self.shape, 1))
        if rows is Ellipsis and others == [0] and self.shape[-1] == 1 and self.ndim > 1:
            return replace(self, shape=self.shape[:-1])
        if others and not isinstance(rows, (slice, Integral)):
            raise IndexError("index rows first, then the other axes: scores[rows][:, columns]")
        return super().__getitem__(key)

    def _read(self, n, runs):
        tail, width, size = self.shape[1:], prod(self.shape[1:]), self.dtype.itemsize
        block = np.empty((width, n) if self.is_fortran else (n, width), self.dtype)
        if not block.size:
            return block.reshape(n, *tail)
        view = memoryview(block.reshape(-1).view(np.uint8))
        with self.source.open_stored() as file:
            if self.is_fortran:
                # One axis after the other: the rows of one place lie together.
                pieces = ((k * len(self) + start, count) for k in range(width) for start, count in runs)
            else:
                pieces = ((start * width, count * width) for start, count in runs)
            done = 0
            for place, count in pieces:
                _fill(file, self.start + place * size, view[done : done + count * size])
                done += count * size
            if len(runs) == 1 and not self.is_fortran:
                # Lets the system read the next rows while these are worked on; not every system has it, and a copy of a pipe
                # has no descriptor of its own.
                with suppress(AttributeError, OSError):
                    following = self.start + (runs[0][0] + n) * width * size
                    os.posix_fadvise(file.fileno(), following, len(view), os.POSIX_FADV_WILLNEED)
        require_characters(block, self.source.where)
        return block.reshape(*tail[::-1], n).T if self.is_fortran else block.reshape(n, *tail)


def rows_and_runs(key, n):
    """How many of `n` rows a slice, or an array of numbers or of bool, asks for, and where they are.

    Returns
    -------
    n_rows : int
    runs : list of (int, int)
        First row and number of rows of each run of rows that lie together, in the order asked for.
    """
    if isinstance(key, slice):
        start, stop, step = key.indices(n)
        if step == 1:
            return max(stop - start, 0), [(start, max(stop - start, 0))]
        key = np.arange(start, stop, step)
    rows = np.asarray(key)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise IndexError("rows are a number, a slice, or an array of numbers or of one bool for each row")
    if rows.size and not (-n <= rows.min() and rows.max() < n):
        raise IndexError(f"rows from {-n} to {n - 1} are there, not {rows.min()} to {rows.max()}")
    rows = np.where(rows < 0, rows + n, rows).astype(np.int64)
    first = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    counts = np.diff(np.append(first, len(rows)))
    return len(rows), list(zip(rows[first].tolist(), counts.tolist(), strict=True))


def require_characters(array, where):
    """Raise a FileError for an array of text with a number that is no character, or half of one."""
    if array.dtype.kind != "U" or not array.size:
        return
    codes = np.ascontiguousarray(array).reshape(-1).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    strange = codes[(codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))]
    if len(strange):
        raise FileError(
            f"{where}: expected text, got {strange[0]:#x}, which is no Unicode character. Save the array again."
        )


def _fill(file, place, view):
    file.seek(place)
    done = 0
    while done < len(view):
        got = file.readinto(view[done : done + (1 << 30)])
        if not got:
            return  # a shorter file: it is said when it is closed
        done += got
