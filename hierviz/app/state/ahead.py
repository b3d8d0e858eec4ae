"""What a visitor is likely to want next, computed one after the other in a thread while no page is being drawn."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from functools import partial

from hierviz.app.state.stages import BETWEEN, OpeningCancelledError, stage_progress

# Seconds between two looks whether pages are still being drawn.
PAUSE = 0.05


class Ahead:
    """Work that is done before it is asked for, and that whoever asks for it meanwhile waits for with its progress.

    Parameters
    ----------
    is_busy : callable
        Whether pages are being drawn: work that nobody waits for pauses meanwhile, at its next report.

    Attributes
    ----------
    is_on : bool
        For callers: whether to ask for anything.
    """

    def __init__(self, is_busy=lambda: False):
        self.is_on, self._is_busy, self._lock = False, is_busy, threading.Lock()
        self._queue, self._now = {}, None

    def want(self, key, make):
        """Do `make(stage)` when its turn comes, unless it has been asked for; `stage` is as of `Stages`."""
        with self._lock:
            if key in self._queue or (self._now is not None and self._now.key == key):
                return
            self._queue[key] = _WorkAhead(key, make, self._is_busy)
            if self._now is None:
                self._now = self._queue.pop(key)
                threading.Thread(target=self._run, name="hierviz-ahead", daemon=True).start()

    def wait(self, key, show):
        """Wait while work is under way, `show(share, text)` its progress; what has not begun is left to the caller."""
        with self._lock:
            self._queue.pop(key, None)
            work = self._now
            if work is None or work.key != key:
                return
            work.n_waiting += 1
        try:
            while wait([work.is_over], BETWEEN).not_done:
                show(*work.now)
        finally:
            with self._lock:
                work.n_waiting -= 1

    def cancel(self, is_meant):
        """End the work whose key this function is true of, unless somebody waits for it."""
        with self._lock:
            for key in [key for key in self._queue if is_meant(key)]:
                del self._queue[key]
            if self._now is not None and is_meant(self._now.key) and not self._now.n_waiting:
                self._now.is_cancelled = True

    def _run(self):
        while True:
            self._now.run()
            with self._lock:
                self._now = self._queue.pop(next(iter(self._queue))) if self._queue else None
                if self._now is None:
                    return


class _WorkAhead:
    def __init__(self, key, make, is_busy):
        self.key, self.now, self.n_waiting, self.is_cancelled = key, (0.0, "…"), 0, False
        self._make, self._is_busy = make, is_busy
        self.is_over: Future = Future()

    def run(self):
        """Errors are for whoever asks for it, and makes it again."""
        try:
            self._make(partial(stage_progress, self._tell))
        except Exception:
            pass
        finally:
            self.is_over.set_result(None)

    def _tell(self, *now):
        self.now = now
        while self._is_busy() and not self.n_waiting and not self.is_cancelled:
            time.sleep(PAUSE)
        if self.is_cancelled:
            raise OpeningCancelledError
