"""How loops are compiled: without fast-math, without the interpreter's lock, and kept on disk."""

from __future__ import annotations

import numba


def compiled(function):
    """`function` compiled when it is first called; kept on disk where a folder for it can be written."""
    return _compiled(function, no_cfunc_wrapper=True)


def inner(function):
    """As `compiled`, for functions that only compiled ones call: without an entry from Python, which takes long to compile."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True)


def _compiled(function, **options):
    # As numpy divides: code that raises for a division by 0 takes longer to compile and to run.
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba finds no folder
        return numba.njit(**options)(function)
