"""Arrays in numpy files: ``.npy`` stays on disk, ``.npz`` is unpacked.

Conventions
-----------
Objects are never unpickled. An array is refused before memory is asked for when its header promises more than the file
holds.

Functions
---------
open_npy : the array of an ``.npy`` file.
read_npz_arrays : the arrays of an ``.npz`` file by name.
"""

from __future__ import annotations

import io
import tokenize
import warnings
import zipfile
from math import prod

import numpy as np

from hierviz.errors import FileError, listed
from hierviz.readers.sources import ARRAYS_WITHOUT_OBJECTS, MOST_BYTES, translated


def open_npy(source):
    """The array of an ``.npy`` file, mapped into memory and never read as a whole (a gzipped one is).

    Parameters
    ----------
    source : Source

    Returns
    -------
    ndarray

    Raises
    ------
    FileError
        If the file is cut off, broken or holds objects.
    """
    if source.is_gzipped:
        data = source.read_bytes()
        with translated(source.where):
            return _read_array(io.BytesIO(data), len(data), source.where, source.path.name)
    with translated(source.where), open(source.path, "rb") as file:
        shape, is_fortran, dtype = _header(file, source.where)
        start = file.tell()
        _require_data(dtype, shape, source.path.stat().st_size - start, source.where, source.path.name)
    if not prod(shape):  # nothing to map
        return np.empty(shape, dtype)
    with translated(source.where):
        return np.memmap(source.path, dtype, "r", start, shape, "F" if is_fortran else "C")


def read_npz_arrays(source):
    """The arrays of an ``.npz`` file by name.

    Parameters
    ----------
    source : Source

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    FileError
        If the file is no archive of arrays, cut off, far too large, has a password or holds objects.
    """
    where = source.where
    data = io.BytesIO(source.read_bytes()) if source.is_gzipped else source.path
    with translated(where), zipfile.ZipFile(data) as archive:
        members = [one for one in archive.infolist() if one.filename.endswith(".npy")]
        if not members:
            raise FileError(
                f"{where}: expected arrays, got a zip archive of {listed(archive.namelist()) or 'nothing'}. "
                "Save arrays with numpy.savez, or unpack the table."
            )
        size = sum(one.file_size for one in members)
        if size > MOST_BYTES:
            raise FileError(
                f"{where}: expected arrays of at most {MOST_BYTES >> 20} MB, got {size >> 20} MB. Save them as .npy."
            )
        arrays = {}
        for one in members:
            if one.flag_bits & 1:
                raise FileError(f"{where}: expected an open archive, got one with a password. Save it without.")
            key = one.filename.removesuffix(".npy")
            with archive.open(one) as file:
                arrays[key] = _read_array(file, one.file_size, f"{where}, array {key!r}", where)
    return arrays


def _read_array(file, size, where, name):
    """One array from an open ``.npy`` file of `size` bytes."""
    shape, is_fortran, dtype = _header(file, where)
    _require_data(dtype, shape, size - file.tell(), where, name)
    array = np.empty(prod(shape), dtype=dtype)
    view = memoryview(array.view(np.uint8)) if array.nbytes else memoryview(b"")
    done = 0
    while done < len(view):
        got = file.readinto(view[done : done + (1 << 24)])
        if not got:
            raise EOFError
        done += got
    return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)


def _header(file, where):
    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"format version {version}")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with warnings.catch_warnings():
            # Headers that Python 2 wrote are read all the same.
            warnings.simplefilter("ignore", UserWarning)
            return read(file)
    except (ValueError, TypeError, SyntaxError, KeyError, RecursionError, tokenize.TokenError) as error:
        raise _broken(where, error) from None


def _broken(where, error):
    words = " ".join(str(error).split()).rstrip(".")[:200]
    return FileError(f"{where}: expected a numpy array, got one that cannot be read ({words}). Save it again.")


def _require_data(dtype, shape, size, where, name):
    if dtype.hasobject:
        raise FileError(
            f"{where}: expected numbers or text, got Python objects (a pickle), which are not opened. Where you trust it, "
            f"convert it once: {ARRAYS_WITHOUT_OBJECTS.format(name=name)}"
        )
    if any(length < 0 for length in shape) or prod(shape) * dtype.itemsize > size:
        raise FileError(
            f"{where}: expected the {prod(shape) * dtype.itemsize} bytes that the header promises, got {size}. "
            "The file is cut off or broken: save or copy it again."
        )
