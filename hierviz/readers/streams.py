"""Files that can be read only once, such as pipes.

A reader opens a file several times: to see what it is, to find its separator, to read it. What cannot be rewound is copied
into a private file first, which has no name and goes with the object, however the process ends.

Functions
---------
rewindable : a path as it is, or the copy of what it gives.
require_file : refuses what cannot be rewound.
"""

from __future__ import annotations

import io
import os
import re
import stat
import tempfile
import weakref

from hierviz.messages.errors import FileError
from hierviz.readers import file_limits

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
        n = os.preadv(self.file.fileno(), [buffer], self.place)
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
