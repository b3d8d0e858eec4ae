"""Limits of the server (bytes of a file, files of a visitor, bytes of all that is open), and the size of objects in memory."""

from __future__ import annotations

import functools
import gc
import types
from dataclasses import dataclass

import numpy as np

GIGA = 10**9
MEGA = 2**20  # Streamlit counts the size of an upload in these.
# Of more parts of an object that are no arrays about so many are measured, all over it; the rest is assumed to be like them.
MOST_PARTS = 100
_NOT_DATA = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    types.FrameType,
)
# Kinds of things that may be large by themselves.
ARRAYS = ("array", "table")
# They refer to nothing.
_PLAIN = (str, bytes, int, float, bool, type(None))


@dataclass(frozen=True)
class ServerLimits:
    """Limits of uploads and opened data.

    Parameters
    ----------
    upload : int
        Bytes of one uploaded file.
    data : int
        Bytes of all uploads on disk and of all opened data in memory, of all visitors together.
    files : int
        Uploaded files of one visitor.
    """

    upload: int
    data: int
    files: int

    @property
    def visitor(self):
        """Bytes of the uploads and opened data of one visitor: half of all."""
        return self.data // 2

    @property
    def upload_words(self):
        """The largest file, in the megabytes of `--max-upload-mb` and of the uploaders."""
        return f"{self.upload / MEGA:,.4g} MB"

    @property
    def words(self):
        """The limits as sentences."""
        return (
            f"Limits: {self.upload_words} per file; {self.files} files and {size_text(self.visitor)} of files and opened data "
            f"per visitor; {size_text(self.data)} for all visitors together."
        )


def size_text(n_bytes):
    """A number of bytes for people: "1.5 GB"; 1,000 bytes are a kB."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if n_bytes >= 1000**power:
            return f"{n_bytes / 1000**power:.3g} {unit}"
    return f"{n_bytes} bytes"


def size_in_memory(*things):
    """Bytes that things take in memory with all they refer to, each array once.

    Arrays are counted exactly; of a long list, dict or set about `MOST_PARTS` entries are extrapolated.
    """
    return _size(things, set())


def _size(things, seen):
    total, stack = 0, list(things)
    while stack:
        thing = stack.pop()
        kind = _kind(type(thing))
        if kind == "not data" or id(thing) in seen:
            continue
        seen.add(id(thing))
        if kind == "array":
            if isinstance(thing.base, np.ndarray):
                stack.append(thing.base)
                continue
            total += thing.nbytes
            parts, n_parts = (thing.flat, thing.size) if thing.dtype == object else ((), 0)
        elif kind == "table" and isinstance(getattr(thing, "nbytes", None), int | np.integer):
            total += int(thing.nbytes)
            continue
        else:
            # A DataFrame would add up what it refers to, which is counted below.
            total += object.__sizeof__(thing) if kind == "table" else thing.__sizeof__()
            if kind == "plain":
                continue
            if kind == "dict":
                parts, n_parts = (part for pair in thing.items() for part in pair), 2 * len(thing)
            else:
                parts = thing if kind == "list" else gc.get_referents(thing)
                n_parts = len(parts)
        if n_parts > MOST_PARTS:
            others, arrays = list(parts), []
            if any(_kind(kind) in ARRAYS for kind in set(map(type, others))):
                # One of them may be larger than all others.
                arrays = [part for part in others if _kind(type(part)) in ARRAYS]
                others = [part for part in others if _kind(type(part)) not in ARRAYS]
            # Every odd one: of a dict keys and values take turns.
            some = others[:: len(others) // MOST_PARTS | 1]
            total += _size(some, seen) * len(others) // max(len(some), 1)
            parts = arrays
        stack.extend(parts)
    return total


@functools.cache
def _kind(kind):
    """How things of a type are counted; asked once a type, as a result may hold a hundred thousand."""
    # A chart shares its tables with what is sent to the browser, which is counted.
    if issubclass(kind, _NOT_DATA) or kind.__module__.startswith("altair."):
        return "not data"
    if issubclass(kind, np.ndarray):
        return "array"
    if kind.__module__.startswith(("pyarrow", "pandas")):
        return "table"
    if issubclass(kind, dict):
        return "dict"
    if issubclass(kind, list | tuple | set | frozenset):
        return "list"
    return "plain" if kind in _PLAIN else "object"
