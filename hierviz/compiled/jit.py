"""How loops are compiled: without fast-math, without the interpreter's lock, and kept on disk."""

from __future__ import annotations

import numba


def compiled(function):
    """`function` compiled when it is first called; kept on disk where a folder for it can be written."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba finds no folder
        return numba.njit(nogil=True)(function)
