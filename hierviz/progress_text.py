"""How far a piece of work is, in words: rows, resamples or steps done, their rate, and the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable

# Before this many seconds a rate says little.
SETTLED = 1.0


class ProgressText:
    """The text of one piece of work, from its start on.

    Parameters
    ----------
    clock : callable
        Gives seconds; started now.
    unit : str
        What is counted, in the plural.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, unit: str = "rows") -> None:
        self._clock, self._start, self._unit = clock, clock(), unit

    def __call__(self, done: int, total: int) -> str:
        """For example ``12,000 of 100,000 rows, 6,000 a second, 15 s left``; without a rate in the first second."""
        text = f"{done:,} of {total:,} {self._unit}"
        seconds = self._clock() - self._start
        if seconds < SETTLED or not 0 < done < total:
            return text
        rate = done / seconds
        pace = f"{round(rate):,}" if rate >= 1 else "under 1"
        return f"{text}, {pace} a second, {_left((total - done) / rate)} left"


def _left(seconds):
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
