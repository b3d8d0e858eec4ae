"""The menu Save in the header of every page: a report of what is open, and a session file of what is shown."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.escape import escape
from hierviz.app.state.session_file import session_of, why_no_session
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.report_offer import (
    asked_report,
    file_start,
    made_report,
    offer_report,
    report_settings,
    shown_sample,
    story_flag,
    view_file,
)
from hierviz.app.widgets.table import download
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.view_pages import IN_REPORTS
from hierviz.reports.view_pages import PAGES as RECORDS

MEMORY = "save"
# Key -> what can be saved, and what for.
CHOICES = {
    "view": ("This view", "To send this page: one HTML file that begins with it and opens anywhere, without hierviz."),
    "report": (
        "Report",
        "To send or keep all results: one HTML file with numbers, curves, examples, matrix and taxonomy.",
    ),
    "story": ("Story", "To present: views in an order with captions, played in full screen."),
    "session": (
        "Session file",
        "To continue later or elsewhere: opens this page again with the same files; contains no data.",
    ),
}


@st.fragment
def save_menu(data, page):
    """Draw the menu.

    Parameters
    ----------
    data : Dataset
    page : str
        Of the address, such as "curves".
    """
    with st.container(key="save-menu"):
        # Drawn while it is shut: a popover that reports when it is closed does so to the page that was left, too late.
        menu = st.popover("Save", icon=":material/save:", type="tertiary", key="save")
    offered = [key for key in CHOICES if key != "view" or (page or "overview") in IN_REPORTS]
    with menu:
        chosen = st.radio(
            "What to save, and what it is for",
            offered,
            format_func=lambda key: CHOICES[key][0],
            captions=[CHOICES[key][1] for key in offered],
            **state.kept(MEMORY, "what of " + "-".join(offered), offered[0]),
        )
        st.divider()
        parts = {"view": _view, "report": lambda data, _: _report(data), "story": _story, "session": _session}
        parts[chosen](data, page or "overview")


def _view(data, page):
    asked = (data.digest, data.key, page, state.link())
    memory = state.memory(MEMORY)
    st.button("Make the file", icon=":material/description:", on_click=memory.update, args=({"view": asked},))
    if _is_asked(memory, "view", asked):
        view_file(data, page, "get-view-of-menu")


def _is_asked(memory, name, now):
    """Whether a file was requested for what the page shows now; once it shows something else, it must be requested again."""
    if memory.get(name) != now:
        memory.pop(name, None)
    return name in memory


def _report(data):
    kept = state.kept
    title = st.text_input("Title", **kept(MEMORY, f"title of {data.key}", data.title))
    notes = st.text_area("Notes", placeholder="What the reader should know", height=90, **kept(MEMORY, "notes", ""))
    with st.container(horizontal=True):
        worst = st.number_input("Worst answers", 0, 50, step=1, **kept(MEMORY, "worst", 6, width=130))
        random = st.number_input("Random samples", 0, 50, step=1, **kept(MEMORY, "random", 3, width=130))
        seed = st.number_input("Seed", 0, 2**31, step=1, **kept(MEMORY, "seed", 0, width=100))
        most = st.number_input("Pictures, MB at most", 0.0, 100.0, step=1.0, **kept(MEMORY, "max_mb", 5.0, width=150))
    chosen = shown_sample(data)
    if chosen and not st.toggle(f"With sample {escape(chosen[0])}", **kept(MEMORY, "with_sample", True)):
        chosen = ()
    steps = story.steps(data)
    own = bool(story.own_steps(data))
    wanted = state.kept(MEMORY, "with_own_story" if own else "with_story", own)
    if steps and not st.toggle(f"With the story ({len(steps)} views)", **wanted):
        steps = ()
    settings = report_settings(
        data,
        steps,
        story_flag(data, steps),
        ReportSamples(int(worst), int(random), int(seed), chosen, most),
        title=title,
        notes=notes,
    )
    memory, asked = state.memory(MEMORY), asked_report(data, settings)
    st.button("Make the report", icon=":material/description:", on_click=memory.update, args=({"asked": asked},))
    if not _is_asked(memory, "asked", asked):
        return
    made = made_report(data, settings)
    if made is None:
        return
    offer_report(made, file_start(title or data.title), "get-report")
    if made.left_out:
        st.caption(escape(made.left_out))


def _story(data, page):
    n = len(story.steps(data))
    st.caption(
        "Session files and reports contain the story. "
        + (f"It has {'1 view' if n == 1 else f'{n} views'}." if n else "It has no views yet.")
    )
    if page != "story":
        if not RECORDS[page].section:
            st.caption("Played in the app like any other page; in a report a view of this page is its caption only.")
        st.text_area("Caption", placeholder="What to see here", height=70, **state.kept(MEMORY, "caption", ""))
        st.button("Add this view", icon=":material/playlist_add:", key="add-view", on_click=_add, args=(data, page))
    link_to("story", "Arrange and play", "slideshow")


def _add(data, page):
    memory = state.memory(MEMORY)
    story.add_view(data, page, memory.get("caption", ""))
    memory["caption"] = ""


def _session(data, page):
    why = why_no_session(data)
    if why:
        st.caption(escape(why))
        return
    st.caption(
        "It contains the choices of this page, and names and SHA-256 of the files. Open it under **Open files**."
    )

    # The file is made outside the session: what it needs is read now.
    memories = {name: dict(values) for name, values in state.memories().items()}
    view, steps = state.view(), story.own_steps(data)

    def content():
        return session_of(data, page or "overview", view, memories, steps).to_json()

    download("Save the session file", content, f"{file_start(data.title)}.hierviz.json", "get-session", "bookmark")
