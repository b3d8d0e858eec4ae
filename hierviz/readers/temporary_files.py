"""Files of our own on disk: copies of what can be read only once, such as pipes, and what is too large for memory.

A reader opens a file several times: to see what it is, to find its separator, to read it. What cannot be rewound is copied
into a private file first. What is too large for memory and cannot be read in place is set aside in another. Neither has a
name, so that it is gone however the process ends: by an error, by Ctrl-C or by a signal that cannot be caught. They lie in the
folder for temporary files (``TMPDIR``), which should be a disk and not memory.

Functions
---------
rewindable : a path as it is, or the copy of what it gives.
require_file : refuses what cannot be rewound.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import stat
import tempfile
import threading
import weakref

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.readers import file_limits
from hierviz.readers.stored_array import StoredArray

_BYTES_AT_ONCE = 1 << 20
# Names of what a program has open: a file behind one of them may begin where another reader stopped.
_DESCRIPTOR = re.compile(r"/dev/(stdin|stdout|stderr|fd/.*)|/proc/[^/]+/(task/[^/]+/)?fd/.*")


class Spooled(os.PathLike):
    """What a pipe gave, as a file without a name.

    Parameters
    ----------
    path : str or path
        Read to its end.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self._copy, self.size = tempfile.TemporaryFile(prefix="hierviz-"), 0  # noqa: SIM115
        weakref.finalize(self, self._copy.close)
        with open(path, "rb") as stream:
            while some := stream.read(_BYTES_AT_ONCE):
                self.size += len(some)
                if self.size > file_limits.PIPE_BYTES:
                    raise FileError(
                        f"{self.path}: expected at most {file_limits.PIPE_BYTES // file_limits.MB} MB from a pipe, got more. "
                        "Save it to a file and name that."
                    )
                self._copy.write(some)
        self._copy.flush()

    def __fspath__(self):
        return self.path

    def open(self):
        """The bytes from the beginning, as a binary file; each has a place of its own."""
        return io.BufferedReader(Positioned(self._copy, self))


class Held:
    """A file that is open for as long as it is read: however often it is read, it is opened once.

    It is closed with the last `Source` that has it; a copy in another process has none, and opens the file again.

    Parameters
    ----------
    path : path, optional
    """

    def __init__(self, path=None):
        # Where no reader can have a place of its own, each opens the file itself.
        can_share = path is not None and hasattr(os, "preadv")
        self.file = open(path, "rb", buffering=0) if can_share else None  # noqa: SIM115
        if can_share:
            weakref.finalize(self, self.file.close)

    def __reduce__(self):
        return Held, ()

    def open(self):
        """The bytes from the beginning, as a binary file with a place of its own."""
        return Positioned(self.file, self)


# Where the system cannot read at a place (Windows), one reader at a time moves that of the file.
_moving = threading.Lock()


def read_at(file, buffer, place):
    """Fill a buffer with the bytes of an unbuffered file from a place on; their number."""
    if hasattr(os, "preadv"):
        return os.preadv(file.fileno(), [buffer], place)
    with _moving:
        file.seek(place)
        return file.readinto(buffer)


def write_at(file, view, place):
    """Write bytes to an unbuffered file from a place on; the number of those that were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(file.fileno(), view, place)
    with _moving:
        file.seek(place)
        return file.write(view)


class Positioned(io.RawIOBase):
    """Reads an open file without moving the place of any other reader of it; `owner` would close the file when it goes."""

    def __init__(self, file, owner):
        self.file, self.owner, self.place = file, owner, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=os.SEEK_SET):
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: os.fstat(self.file.fileno()).st_size}[whence]
        self.place = max(0, start + offset)
        return self.place

    def tell(self):
        return self.place

    def readinto(self, buffer):
        n = read_at(self.file, buffer, self.place)
        self.place += n
        return n


def rewindable(path):
    """`path` when it can be opened again and again, else a `Spooled` copy of what it gives.

    Parameters
    ----------
    path : str, path, Spooled or None

    Raises
    ------
    FileError
        If it is a device or a socket, or gives more than `file_limits.PIPE_BYTES`.
    """
    if path is None or isinstance(path, Spooled):
        return path
    if kind_of_stream(path) == "a pipe" and hasattr(os, "preadv"):
        return Spooled(path)
    require_file(path)
    return path


def require_file(path):
    """Raise a FileError for a pipe, a device and a socket: where a file is needed that stays, or no program waits to fill it."""
    if kind := kind_of_stream(path):
        raise FileError(f"{path}: expected a file, got {kind}. Save what it gives to a file and name that.")


def kind_of_stream(path):
    """What a path is in words when it cannot be opened again and again; None for files, folders and what is not there."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # opening it says what is wrong
        return None
    is_descriptor = _DESCRIPTOR.fullmatch(os.path.abspath(path)) is not None
    if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not is_descriptor):
        return None
    return "a pipe" if stat.S_ISFIFO(mode) or stat.S_ISREG(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


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
                n = write_at(self.file, view[: 1 << 30], place)
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


def too_much_scratch(where):
    """The FileError about scores that would need a larger temporary file than may be."""
    return FileError(
        f"{where}: expected at most {file_limits.size_words(file_limits.SCRATCH_BYTES)} of scores, got more. "
        "Save them as .npy, which is read in place."
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
            raise too_much_scratch(self.where)

    def finish(self):
        """All rows that came: ndarray, or StoredArray, of shape (n_rows, width)."""
        if self._scratch is None:
            self._block.resize((self._n_rows, self.width), refcheck=False)
            return self._block
        self._write()
        return self._scratch.array((self._n_written, self.width), np.float64)
