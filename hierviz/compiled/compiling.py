"""How loops are compiled, and which have been on this machine: a mark on disk for each module and each type of values.

Loops are compiled without fast-math, without the interpreter's lock, and kept on disk.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import logging
import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType

import numpy as np

from hierviz.messages.new_files import kept_folder

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


def module_of(name: str, value_type: np.dtype, part: str = "") -> ModuleType:
    """The module `name` of `hierviz.compiled`; says when its kernels, or a part of them, are going to be compiled."""
    if not is_compiled(name, value_type, part):
        once = "once" if _is_kept(name, value_type) else "at each start, because no folder to keep it in can be written"
        logging.getLogger("hierviz").warning(f"compiling for this processor, about ten seconds, {once} ...")
    return importlib.import_module(f"hierviz.compiled.{name}")


def is_compiled(name: str, value_type: np.dtype, part: str = "") -> bool:
    """Whether the kernels of a module have been compiled from these sources for values of this type.

    A kernel that is compiled once more for other arguments is a `part` of its own.
    """
    return _mark(name, value_type, part).exists()


def _is_kept(name, value_type):
    """Whether a mark can be left: then the next start knows that it need not compile."""
    folder = _mark(name, value_type).parent
    while not folder.exists():
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


@contextlib.contextmanager
def first_call(name: str, value_type: np.dtype, was_compiled: bool, part: str = "") -> Iterator[None]:
    """Around the calls of kernels, which compile unless `was_compiled`: leaves a mark when the call has returned.

    A call that is interrupted while it compiles leaves none. One process compiles at a time: others wait and read what it kept.
    """
    if was_compiled:
        yield
        return
    mark = _mark(name, value_type, part)
    with _alone(mark):
        yield from _compiling(mark)


def _compiling(mark):
    # A compiler makes many objects that refer to each other and are all needed to its end.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()
    # A folder that cannot be written: nothing can be kept, and every start compiles.
    with contextlib.suppress(OSError):
        mark.touch()


@contextlib.contextmanager
def _alone(mark):
    """Hold the lock of a mark; without locks, or a folder for one, processes compile next to each other."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            mark.parent.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context(open(mark.with_suffix(".lock"), "w"))
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _mark(name, value_type, part=""):
    # numba keeps what it compiled next to the sources or in the folder of this variable.
    digest = _digest(name, value_type.name, part, os.environ.get("NUMBA_CACHE_DIR", ""))
    return kept_folder() / f"compiled-{digest}"


@functools.cache
def _digest(name, value_type, part, folder_of_numba):
    """Of sources, versions, machine and places: once a process, for it takes longer than a small curve."""
    folder = Path(__file__).parent
    sources = [path.read_bytes() for path in sorted({folder / f"{file}.py" for file in ("kernels", "compiling", name)})]
    versions = metadata.version("numba"), sys.version, platform.node(), value_type, part
    what = [*map(str.encode, (str(folder), folder_of_numba)), *sources, *map(str.encode, versions)]
    return hashlib.sha256(b"\0".join(what)).hexdigest()[:16]


def compiled(function):
    """`function` compiled when it is first called; kept on disk where a folder for it can be written."""
    return _compiled(function, no_cfunc_wrapper=True)


def inner(function):
    """As `compiled`, for functions that only compiled ones call: without an entry from Python, which takes long to compile."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def _compiled(function, **options):
    import numba

    # As numpy divides: code that raises for a division by 0 takes longer to compile and to run.
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba finds no folder
        return numba.njit(**options)(function)
