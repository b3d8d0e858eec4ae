"""How far a file is read, reported from inside the readers.

A total that is a float is an estimate: of a text, whose rows are counted when it has been read, by the bytes that are left.

Functions
---------
telling, tell, told_records, name_of
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar

from hierviz.messages.errors import printable

_progress: ContextVar = ContextVar("progress", default=None)
# Cells of a text between two reports, about a tenth of a second.
CELLS_BETWEEN = 200_000


@contextmanager
def telling(progress):
    """Reports of what is read inside go to `progress(rows done, rows in all)`; None for nobody."""
    token = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(token)


def tell(done, total):
    """Report; what the receiver raises ends the reading."""
    progress = _progress.get()
    if progress is not None:
        progress(done, total)


def name_of(path):
    """What a stage calls a file: its name without its folder."""
    return printable(os.path.basename(os.fspath(path).rstrip("/"))) or "a file"


def told_records(records, width, source, place):
    """Yield `records` of a text; short ones are not reported.

    Parameters
    ----------
    records : iterable
    width : int
        Cells of a record.
    source : Source
    place : callable
        Gives the bytes that have been read.
    """
    if _progress.get() is None:
        yield from records
        return
    size, every, done = source.size, max(1, CELLS_BETWEEN // max(1, width)), 0
    for done, record in enumerate(records, 1):
        yield record
        if done % every == 0:
            tell(done, max(done + 1.0, done * size / max(1, place())))
    if done >= every:
        tell(done, done)
