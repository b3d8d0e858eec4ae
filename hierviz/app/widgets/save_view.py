"""One HTML file that begins with the current page, offered where a copied link opens on this machine only."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.widgets.report_offer import (
    file_start,
    made_report,
    offer_report,
    report_settings,
    shown_sample,
    story_flag,
)
from hierviz.reports.story_step import StoryStep, link_of_step, step_from_link, texts
from hierviz.reports.view_pages import IN_REPORTS

MEMORY, SAVE_VIEW = "save view", "Save this view as a file"


def can_save(page):
    """Whether the copied link needs a file in its place, and a report can show this page."""
    return state.is_local_visit() and page in IN_REPORTS


def ask_for_file(page):
    """Let the next run offer the file of the current view."""
    state.memory(MEMORY)["asked"] = (page, state.link())


def save_view(data, page):
    """The dialog with the file, where it was requested and the page still shows the same."""
    if state.memory(MEMORY).get("asked") == (page, state.link()):
        _dialog(data, page)


def _forget():
    state.memory(MEMORY).clear()


@st.dialog(SAVE_VIEW, on_dismiss=_forget)
def _dialog(data, page):
    st.caption("One HTML file that begins with this page and opens anywhere, without hierviz and without a network.")
    view_file(data, page, "get-view")


def view_file(data, page, name):
    """Make the file with its progress, and offer it.

    Parameters
    ----------
    data : Dataset
    page : str
        One of `IN_REPORTS`.
    name : str
        Key of the button.
    """
    # The page chooses models where the address names none.
    shown = tuple(state.shown_models(data)) if page == "curves" else state.view().models
    step = step_from_link(link_of_step(StoryStep(page, texts(state.link(models=shown)))), bool(data.first.n_judged))
    own = story.own_steps(data)
    of_story = ["--view", link_of_step(step), *story_flag(data, own)]
    made = made_report(data, report_settings(data, (step, *own), of_story, samples=shown_sample(data)))
    if made is not None:
        offer_report(made, f"{file_start(data.title)}-{page}", name)
