"""A bar for work of more than a moment, with rows done, rate, time left, and a button that cancels it."""

from __future__ import annotations

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.progress_text import ProgressText


class Stages:
    """The bar and the button of a piece of work that runs in the page's own run.

    Calling it with the name of a stage gives the `progress` function of that stage. A press of the button ends the run of
    the page at the next report, and with it the work: nothing of it is kept.

    Parameters
    ----------
    key : str
        Of the button.
    on_cancel : callable
    """

    def __init__(self, key, on_cancel):
        self._place = st.container(horizontal=True, vertical_alignment="center")
        self._button = self._place.empty()
        self._bar = self._place.empty()
        self._button.button("Cancel", icon=":material/close:", key=key, on_click=on_cancel)

    def __call__(self, stage):
        """`progress(done, total)` of a stage, which is shown from now on."""
        text = ProgressText()
        self._bar.progress(0.0, escape(f"{stage} …"))

        def progress(done, total):
            self._bar.progress(done / total if total else 1.0, escape(f"{stage}: {text(done, total)}"))

        return progress

    def end(self):
        """Take the bar and the button away."""
        self._bar.empty()
        self._button.empty()
