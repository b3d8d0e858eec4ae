"""Progress of slow work on a page: a bar with the work done, and a Cancel button.

Files named at the start are opened once for all visitors, in a separate thread, while each of them sees the progress.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from functools import partial

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.messages.progress import ProgressText

# Shorter work shows nothing; the browser hears of progress, and a shared opening is checked, this often. Seconds.
SHOWN_AFTER, BETWEEN = 0.4, 0.15


class Stages:
    """The bar and the button of a piece of work that runs in the page's own run, while a `with` block lasts.

    Calling it with the name of a stage gives the `progress` function of that stage. A press of the button ends the run of
    the page at the next report, and with it the work: nothing of it is kept.

    Parameters
    ----------
    key : str
        Of the button.
    on_cancel : callable
        Called before the page runs again.
    args : tuple
        Of `on_cancel`.
    after : float
        Seconds before anything is shown.
    meanwhile : callable, optional
        Called once the bar is there, to show what can be shown before the work is done.
    """

    def __init__(self, key, on_cancel, args=(), after=SHOWN_AFTER, meanwhile=None):
        self._place, self._meanwhile = st.empty(), meanwhile
        self._key, self._on_cancel, self._args = key, on_cancel, args
        self._from, self._told, self._bar = time.monotonic() + after, 0.0, None

    def __call__(self, stage, unit="rows"):
        """`progress(done, total)` of a stage, which is shown from now on; `unit` is what it counts, in the plural."""
        self._told = 0.0  # what is new is shown at once
        return stage_progress(self.show, stage, unit)

    def show(self, share, text):
        """Show a share of the bar and a text, unless the browser has just heard of them."""
        now = time.monotonic()
        if self._bar is None and now >= self._from:
            with self._place.container(horizontal=True, vertical_alignment="center"):
                st.button("Cancel", icon=":material/close:", key=self._key, on_click=self._on_cancel, args=self._args)
                self._bar = st.empty()
        if self._bar is not None and now - self._told >= BETWEEN:
            self._told = now
            self._bar.progress(min(share, 1.0), escape(text))
            if self._meanwhile is not None:
                draw, self._meanwhile = self._meanwhile, None
                draw()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Take the bar and the button away, unless the run of the page was ended, which draws no more."""
        if kind is None or issubclass(kind, Exception):
            self._place.empty()


def stage_progress(show, stage, unit="rows"):
    """`progress(done, total)` of a stage that starts now, for a function that shows a share and a text."""
    show(0.0, f"{stage} …")
    text = ProgressText(unit=unit)
    return lambda done, total: show(done / total if total else 1.0, f"{stage}: {text(done, total)}")


class OpeningCancelledError(Exception):
    """Nobody waits for the files any more."""


class SharedOpening:
    """What `make(files, stage)` gives, once for all visitors until `clear`.

    Parameters
    ----------
    make : callable
        Of files and a function that is called with the name of each stage and gives its `progress`. What it raises is raised
        for all who wait, and the next one tries again.
    """

    def __init__(self, make):
        self._make, self._lock = make, threading.RLock()
        self.clear()

    def __call__(self, files, show=None):
        """What is made, or None where it was cancelled; `show(share, text)` is called meanwhile."""
        with self._lock:
            run = self.begin(files)
            run.n_waiting += 1
        try:
            while wait([run.made], BETWEEN).not_done:
                if show is not None:
                    show(*run.now)
        finally:
            with self._lock:
                run.n_waiting -= 1
        try:
            return run.made.result()
        except OpeningCancelledError:
            return None
        except BaseException:
            with self._lock:
                if self._run is run:
                    self._run = None
            raise

    def begin(self, files):
        """Begin without waiting, unless it has begun; an error is raised for the first who asks."""
        with self._lock:
            if self._run is None or self._run.files != files:
                self._run = _FileOpening(self._make, files)
            return self._run

    @property
    def is_done(self):
        """Whether it has ended, in whatever way."""
        run = self._run
        return run is not None and run.made.done()

    @property
    def was_cancelled(self):
        """Whether it was cancelled and nobody has asked for it since."""
        return self.is_done and isinstance(self._run.made.exception(), OpeningCancelledError)

    def cancel(self):
        """End the work, unless somebody else waits for it."""
        with self._lock:
            if self._run is not None and self._run.n_waiting == 0:
                self._run.is_cancelled = True

    def clear(self):
        """Make it again when it is next asked for."""
        with self._lock:
            self._run = None


class _FileOpening:
    def __init__(self, make, files):
        self.files, self.now, self.n_waiting, self.is_cancelled = files, (0.0, "Opening files …"), 0, False
        self.made: Future = Future()
        threading.Thread(target=self._work, args=(make,), daemon=True).start()

    def _work(self, make):
        try:
            self.made.set_result(make(self.files, partial(stage_progress, self._tell)))
        except BaseException as error:
            self.made.set_exception(error)

    def _tell(self, *now):
        if self.is_cancelled:
            raise OpeningCancelledError
        self.now = now
