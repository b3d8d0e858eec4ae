"""How far a piece of work is: reported from inside the readers, and in words with the rate and the time that is left.

A total that is a float is an estimate: of a text, whose rows are counted when it has been read, by the bytes that are left.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar

from hierviz.messages.errors import printable

# Before this many seconds a rate says little.
SETTLED = 1.0

# Called with (done, in all); None where nobody asks.
Progress = Callable[[int, int], object] | None


class ProgressText:
    """The text of one piece of work, from its start on.

    Parameters
    ----------
    clock : callable
        Gives seconds.
    unit : str
        What is counted, in the plural.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, unit: str = "rows") -> None:
        self._clock, self._unit = clock, unit
        self._first: tuple[float, float] | None = None

    def __call__(self, done: float, total: float) -> str:
        """For example ``12,000 of 100,000 rows, 6,000 a second, 15 s left``.

        The rate counts from the first call on, so that loops that are compiled before it are not in it; in the second after
        that there is none. A `total` that is a float is an estimate: "of about 99,900 rows".
        """
        is_estimate = isinstance(total, float)
        text = f"{done:,} of {'about ' * is_estimate}{_three_digits(total) if is_estimate else total:,} {self._unit}"
        now = self._clock()
        if self._first is None:
            self._first = now, done
        seconds, new = now - self._first[0], done - self._first[1]
        if seconds < SETTLED or new <= 0 or done >= total:
            return text
        rate = new / seconds
        pace = f"{round(rate):,}" if rate >= 1 else "under 1"
        return f"{text}, {pace} a second, {_left((total - done) / rate)} left"


def _three_digits(number):
    return int(float(f"{number:.3g}"))


def _left(seconds):
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


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
