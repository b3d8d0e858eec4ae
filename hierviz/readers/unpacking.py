"""Compressed files, unpacked no further than `file_limits` allows, whatever they say about themselves.

Functions
---------
unpacked : the bytes of a gzip file.
require_moderate_text : whether they are text that can be read in reasonable time.
require_deflate : whether members of a zip can be read at all.
"""

from __future__ import annotations

import gzip
import io
import zipfile

from hierviz.messages.errors import FileError
from hierviz.readers import file_limits

GUNZIP = "Unpack it first (gunzip) and open that."
_BUFFER_BYTES = 1 << 18


class _Counted(io.RawIOBase):
    """A gzip file that stops with a FileError where it has unpacked to more than it may."""

    def __init__(self, stored, where, packed, most):
        self.file, self.where, self.packed, self.count = gzip.GzipFile(fileobj=stored), where, packed, 0
        self.stored, self.most = stored, most

    def readable(self):
        return True

    def readinto(self, buffer):
        n = self.file.readinto(buffer)
        self.count += n
        file_limits.require_unpacked(self.where, self.count, self.packed, GUNZIP, self.most)
        return n


def unpacked(stored, where, packed, most=None):
    """The unpacked bytes of an open gzip file of `packed` bytes, as a binary file.

    Raises
    ------
    FileError
        While reading, beyond `file_limits.most_unpacked(packed, most)`.
    """
    return io.BufferedReader(_Counted(stored, where, packed, most), _BUFFER_BYTES)


def stored_place(file):
    """Bytes that have been read of what is stored, for a file from `Source.open`."""
    raw = file.raw
    return raw.stored.tell() if isinstance(raw, _Counted) else raw.tell()


def require_moderate_text(file, where, packed):
    """Raise a FileError for unpacked text of far too many bytes or lines, before any of it is parsed.

    Parameters
    ----------
    file : binary file
        From `unpacked`; it is read to its end.
    where : str
    packed : int
    """
    most, lines = max(file_limits.FREE_LINES, file_limits.LINES_PER_BYTE * packed), 0
    while some := file.read(_BUFFER_BYTES):
        lines += some.count(b"\n")
        if lines > most:
            raise FileError(f"{where}: expected at most {most:,} lines when unpacked, got more. {GUNZIP}")


def require_deflate(where, members):
    """Raise a FileError for members of a zip that have a password, or a compression that may ask for any memory.

    Parameters
    ----------
    where : str
    members : iterable of zipfile.ZipInfo
    """
    for member in members:
        if member.flag_bits & 1:
            raise FileError(f"{where}: expected an open archive, got one with a password. Save it without.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            name = zipfile.compressor_names.get(member.compress_type, f"method {member.compress_type}")
            raise FileError(
                f"{where}: expected an archive packed with deflate, as numpy and most programs do, got {name}. Pack it again."
            )
