"""Arrays for a model from ``.npy``, which stays on disk, and ``.npz`` files. Objects are never unpickled."""

from __future__ import annotations

import zipfile
import zlib

import numpy as np

from hierviz.errors import FileError
from hierviz.readers.sources import MOST_BYTES

# What numpy and zipfile raise on broken files; NotImplementedError is a RuntimeError.
UNREADABLE = (ValueError, OSError, EOFError, MemoryError, SyntaxError, RuntimeError, zipfile.BadZipFile, zlib.error)


def open_npy(path):
    """The array of an ``.npy`` file, mapped into memory; FileError when it is damaged or holds objects."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE as error:
        raise FileError(_no_array(path.name, error)) from None


def read_npz(path):
    """The arrays of an ``.npz`` file by name; FileError when it is damaged, too large or holds objects."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > MOST_BYTES:
                raise FileError(
                    f"{path.name}: expected at most {MOST_BYTES >> 30} GB of arrays, got {unpacked / 2**30:.1f} GB when "
                    "unpacked. Save the array as .npy, which is read piece by piece."
                )
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except UNREADABLE as error:
        raise FileError(_no_array(path.name, error)) from None


def _no_array(where, error):
    if any(words in str(error) for words in ("allow_pickle", "Object arrays", "Python objects")):
        load = f"np.load({where!r}, allow_pickle=True)"
        convert = f"np.save('plain.npy', {load}.astype('float32'))"
        if where.lower().endswith(".npz"):
            convert = f"np.savez('plain.npz', **{{name: one.astype('float32') for name, one in {load}.items()}})"
        return (
            f"{where}: expected plain numbers or text, got pickled Python objects, which may run code when loaded. "
            f"Convert it once, where you trust it: {convert}."
        )
    words = " ".join(str(error).split())[:120].rstrip(".")
    return f"{where}: expected a numpy array, got a damaged or different file ({words}). Save it again."
