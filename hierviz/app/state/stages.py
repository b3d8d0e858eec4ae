"""What a page shows while it works for more than a moment: a bar with what is done, and a button that cancels it."""

from __future__ import annotations

import time

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.messages.progress_text import ProgressText

# Shorter work shows nothing, and the browser hears of progress this often. Seconds.
SHOWN_AFTER, BETWEEN = 0.4, 0.15


class Stages:
    """The bar and the button of a piece of work that runs in the page's own run.

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
    """

    def __init__(self, key, on_cancel, args=(), after=SHOWN_AFTER):
        self._place = st.empty()
        self._key, self._on_cancel, self._args = key, on_cancel, args
        self._from, self._told, self._bar = time.monotonic() + after, 0.0, None

    def __call__(self, stage, unit="rows"):
        """`progress(done, total)` of a stage, which is shown from now on; `unit` is what it counts, in the plural."""
        self.show(0.0, f"{stage} …", is_new=True)
        text = stage_text(stage, unit)

        def progress(done, total):
            self.show(done / total if total else 1.0, text(done, total))

        return progress

    def show(self, share, text, is_new=False):
        """Show a share of the bar and a text, unless the browser has just heard of them."""
        now = time.monotonic()
        if self._bar is None and now >= self._from:
            with self._place.container(horizontal=True, vertical_alignment="center"):
                st.button("Cancel", icon=":material/close:", key=self._key, on_click=self._on_cancel, args=self._args)
                self._bar = st.empty()
        if self._bar is not None and (is_new or now - self._told >= BETWEEN):
            self._told = now
            self._bar.progress(min(share, 1.0), escape(text))

    def end(self):
        """Take the bar and the button away."""
        self._place.empty()


def stage_text(stage, unit):
    """(done, total) -> what is told of a stage that starts now."""
    text = ProgressText(unit=unit)
    return lambda done, total: f"{stage}: {text(done, total)}"
