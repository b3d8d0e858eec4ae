"""Arrays in numpy files: ``.npy`` stays on disk, arrays of an ``.npz`` are read when they are asked for.

What is larger than `file_limits.MEMORY_BYTES` and compressed is unpacked once, to a temporary file.

Conventions
-----------
Objects are never unpickled. An array is refused before memory is asked for when its header states more than the file
holds, or than `file_limits` allows.

Functions
---------
open_npy : the array of an ``.npy`` file.
open_npz : the arrays of an ``.npz`` file by name.
"""

from __future__ import annotations

import io
import tokenize
import warnings
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

import numpy as np

from hierviz.messages.errors import FileError, listed
from hierviz.messages.progress import tell
from hierviz.readers import file_limits
from hierviz.readers.file_limits import GUNZIP, require_deflate
from hierviz.readers.sources import ARRAYS_WITHOUT_OBJECTS, in_command, translated
from hierviz.readers.stored_array import StoredArray, require_characters
from hierviz.readers.temporary_files import Scratch

_BYTES_AT_ONCE = 1 << 24
_LONGEST_HEADER = 10_000  # of numpy.load
_MOST_AXES = 32
_AS_NPY = "Save it as .npy, which stays on disk."


def open_npy(source):
    """The array of an ``.npy`` file, which stays on disk and is read by rows (a gzipped one is unpacked first).

    Parameters
    ----------
    source : Source

    Returns
    -------
    StoredArray, or ndarray

    Raises
    ------
    FileError
        If the file is cut off, broken or holds objects, or unpacks to far too many bytes.
    """
    with translated(source.where), source.open(file_limits.SCRATCH_BYTES) as file:
        header = Header.read(file, source.where, source.path.name)
        if source.is_gzipped:
            header.require_data()
            if header.n_bytes > file_limits.MEMORY_BYTES:
                return _unpacked_to_disk(file, header, source.size, GUNZIP)
            file_limits.require_unpacked(source.where, header.n_bytes, source.size, GUNZIP)
            return header.values(file)
        start = file.tell()
        header.require_data(source.size - start)
        if not header.shape or not prod(header.shape):  # nothing to leave on disk
            return header.values(file)
    return StoredArray(source.to_keep(), start, header.shape, header.dtype, header.is_fortran)


@contextmanager
def open_npz(source):
    """The arrays of an ``.npz`` file, as a context.

    Parameters
    ----------
    source : Source

    Yields
    ------
    Npz
        What is not asked for stays unread.

    Raises
    ------
    FileError
        If the file is no archive of arrays, cut off, or has far too many.
    """
    where = source.where
    with (
        translated(where),
        source.open(file_limits.SCRATCH_BYTES) as file,
        zipfile.ZipFile(_seekable(source, file)) as archive,
    ):
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if not members:
            raise FileError(
                f"{where}: expected arrays, got a zip archive of {listed(archive.namelist()) or 'nothing'}. "
                "Save arrays with numpy.savez, or unpack the table."
            )
        if len(members) > file_limits.ARRAYS:
            raise FileError(
                f"{where}: expected at most {file_limits.ARRAYS:,} arrays, got {len(members):,}. Save fewer."
            )
        yield Npz(source, archive, {member.filename.removesuffix(".npy"): member for member in members})


def _unpacked_to_disk(file, header, packed, advice):
    """A StoredArray of the values that follow in an open file of `packed` bytes."""
    file_limits.require_unpacked(header.where, header.n_bytes, packed, advice, file_limits.SCRATCH_BYTES)
    scratch = Scratch(header.where, header.n_bytes)
    left = header.n_bytes
    while left:
        some = file.read(min(left, _BYTES_AT_ONCE))
        if not some:
            raise EOFError
        scratch.append(some)
        left -= len(some)
        tell(header.shape[0] * (header.n_bytes - left) // header.n_bytes, header.shape[0])
    return scratch.array(header.shape, header.dtype, header.is_fortran)


def _seekable(source, file):
    """The open file itself, or what it unpacks to: an archive is read from its end."""
    if not source.is_gzipped:
        return file
    content = io.BytesIO()
    while some := file.read(_BYTES_AT_ONCE):
        content.write(some)
        if content.tell() > file_limits.MEMORY_BYTES:
            scratch = Scratch(source.where)
            scratch.append(content.getvalue())
            while some := file.read(_BYTES_AT_ONCE):
                scratch.append(some)
            return io.BufferedReader(scratch.open_stored())
    return content


class Npz:
    """Arrays by name: their headers, and those that are asked for.

    Attributes
    ----------
    headers : dict of str to Header
    """

    def __init__(self, source, archive, members):
        self.source, self.archive, self.members, self.asked = source, archive, members, {}
        self.headers = {}
        require_deflate(source.where, members.values())
        for key in members:
            with self._open(key) as (_, header):
                self.headers[key] = header

    @contextmanager
    def _open(self, key):
        """An array as an open file, behind its header, and the header."""
        with self.archive.open(self.members[key]) as file:
            yield file, Header.read(file, f"{self.source.where}, array {key!r}", self.source.path.name)

    def __getitem__(self, key):
        """The values of an array; FileError when it holds objects or, with those before it, unpacks to far too many bytes."""
        self.asked[key] = self.members[key]
        unpacked = sum(member.file_size for member in self.asked.values())
        file_limits.require_unpacked(self.source.where, unpacked, self.source.size, _AS_NPY)
        with self._open(key) as (file, header):
            header.require_data(self.members[key].file_size - file.tell())
            return header.values(file)

    def stored(self, key):
        """The values of an array, which stay on disk where they are more than `file_limits.MEMORY_BYTES`.

        An array that is not compressed is read where it is, its checksum is then not checked; a compressed one is unpacked
        once. FileErrors as for ``npz[key]``.
        """
        member, header = self.members[key], self.headers[key]
        if header.n_bytes <= file_limits.MEMORY_BYTES or not header.shape:
            return self[key]
        with self._open(key) as (file, header):
            header.require_data(member.file_size - file.tell())
            if member.compress_type != zipfile.ZIP_STORED or self.source.is_gzipped:
                return _unpacked_to_disk(file, header, self.source.size, _AS_NPY)
            start = _first_byte(self.archive, member) + file.tell()
            # What the directory of an archive states may be more than there is.
            header.require_data(min(member.compress_size - file.tell(), self.source.size - start))
        return StoredArray(self.source.to_keep(), start, header.shape, header.dtype, header.is_fortran)


def _first_byte(archive, member):
    """Place in the file where an uncompressed member begins, after its name and the extra field."""
    file = archive.fp
    file.seek(member.header_offset + 26)
    lengths = file.read(4)
    return member.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")


@dataclass(frozen=True)
class Header:
    """What an array in a file is, before it is read.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    is_fortran : bool
    where : str
        What errors call the array.
    name : str
        What errors call the file.
    """

    shape: tuple
    dtype: np.dtype
    is_fortran: bool
    where: str
    name: str

    @classmethod
    def read(cls, file, where, name):
        """The header at the beginning of an open file; FileError when there is none."""
        shape, is_fortran, dtype = _header(file, where)
        return cls(shape, dtype, is_fortran, where, name)

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def n_bytes(self):
        """Bytes of all values."""
        return prod(self.shape) * self.dtype.itemsize

    def require_data(self, size=None):
        """Raise a FileError for objects, and where fewer than the promised bytes follow (`size`, when that is known)."""
        if self.dtype.hasobject:
            raise FileError(
                f"{self.where}: expected numbers or text, got Python objects (a pickle), which are not opened. Where you trust "
                f"it, convert it once: {ARRAYS_WITHOUT_OBJECTS.format(name=in_command(self.name))}"
            )
        if size is not None and self.n_bytes > size:
            raise FileError(
                f"{self.where}: expected the {self.n_bytes} bytes that the header states, got {size}. "
                "The file is truncated or damaged: save or copy it again."
            )

    def values(self, file):
        """The values that follow in an open file, shape `shape`."""
        array = np.empty(prod(self.shape), dtype=self.dtype)
        view = memoryview(array.view(np.uint8)) if array.nbytes else memoryview(b"")
        done = 0
        while done < len(view):
            got = file.readinto(view[done : done + _BYTES_AT_ONCE])
            if not got:
                raise EOFError
            done += got
        require_characters(array, self.where)
        return array.reshape(self.shape[::-1]).T if self.is_fortran else array.reshape(self.shape)


def _header(file, where):
    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"format version {version}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with warnings.catch_warnings():
            # Headers that Python 2 wrote are read all the same.
            warnings.simplefilter("ignore")
            shape, is_fortran, dtype = read(_header_bytes(file, 2 * version[0]))
    except (
        ValueError,
        TypeError,
        SyntaxError,
        LookupError,
        ArithmeticError,
        RecursionError,
        tokenize.TokenError,
    ) as error:
        raise _broken(where, error) from None
    if len(shape) > _MOST_AXES or not all(type(length) is int and 0 <= length < 1 << 62 for length in shape):
        raise _broken(where, f"shape {shape}")
    if dtype.subdtype is not None or dtype.itemsize == 0:
        raise _broken(where, f"values of type {dtype}")
    return shape, is_fortran, dtype


def _header_bytes(file, n_bytes):
    """The length of the header, of `n_bytes`, and the header; ValueError before a header of gigabytes is asked for."""
    length = file.read(n_bytes)
    if int.from_bytes(length, "little") > _LONGEST_HEADER:
        raise ValueError(f"a header of {int.from_bytes(length, 'little')} bytes")
    return io.BytesIO(length + file.read(int.from_bytes(length, "little")))


def _broken(where, error):
    words = " ".join(str(error).split()).rstrip(".")[:200]
    return FileError(f"{where}: expected a numpy array, got one that cannot be read ({words}). Save it again.")
