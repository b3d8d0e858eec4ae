"""The menu Save in the header of every page, with reports, the file of one view, the story and session files; the copied link."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.components import component
from hierviz.app.state.escape import escape
from hierviz.app.state.session_file import session_of, why_no_session
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.save_report import (
    MEMORY,
    asked_report,
    file_start,
    n_looks_asked,
    offer_report,
    report_settings,
    shown_sample,
    story_flag,
)
from hierviz.app.widgets.save_view import VIEWED, view_file, view_key
from hierviz.app.widgets.table import download
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.view import NAME_OF_DEMO, foreign_fields
from hierviz.reports.view_pages import IN_REPORTS
from hierviz.reports.view_pages import PAGES as RECORDS

SAVE_VIEW = "Save this view as a file"
# Key -> what can be saved, and what for.
CHOICES = {
    "view": (
        "This view",
        "To send this page: one HTML file with exactly what it shows, which opens anywhere, without hierviz.",
    ),
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
    offered = [key for key in CHOICES if key != "view" or (page or "overview") in VIEWED]
    with menu:
        chosen = st.radio(
            "What to save, and what it is for",
            offered,
            format_func=lambda key: CHOICES[key][0],
            captions=[CHOICES[key][1] for key in offered],
            **state.kept(MEMORY, "what of " + "-".join(offered), offered[0]),
        )
        st.divider()
        parts = {"view": _view, "report": _report, "story": _story, "session": _session}
        parts[chosen](data, page or "overview")


def _view(data, page):
    memory, now = state.memory(MEMORY), view_key(data, page)
    st.button("Make the file", icon=":material/description:", on_click=memory.update, args=({"view wanted": now[:-1]},))
    # A page that is drawn again may show something else: its file is made when it is asked for.
    if memory.pop("view wanted", None) == now[:-1] or memory.get("view made", (None,))[0] == now:
        view_file(data, page, "get-view-of-menu")


def _is_requested(name, now, label):
    """A button, and whether it was pressed for what the page shows now; once that is something else, it must be pressed again."""
    memory = state.memory(MEMORY)
    st.button(label, icon=":material/description:", on_click=memory.update, args=({name: now},))
    if memory.get(name) != now:
        memory.pop(name, None)
    return name in memory


def _report(data, page):
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
    samples = ReportSamples(int(worst), int(random), int(seed), chosen, most)
    n_looks = n_looks_asked(data)
    words = [*story_flag(data, steps), *(["--sensitivity", str(n_looks)] if n_looks else [])]
    settings = report_settings(data, steps, words, samples, title=title, notes=notes)
    if _is_requested("asked", asked_report(data, settings), "Make the report"):
        made = offer_report(data, settings, file_start(title or data.title), "get-report", n_looks)
        if made is not None and made.left_out:
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
        return session_of(data, page, view, memories, steps).to_json()

    download("Save the session file", content, f"{file_start(data.title)}.hierviz.json", "get-session", "bookmark")


def can_save(page):
    """Whether the copied link needs a file in its place, and a report can show this page."""
    return state.is_local_visit() and page in IN_REPORTS


def save_view(data, page):
    """The dialog with the file, where it was requested and the page still shows the same."""
    if state.memory("save view").get("asked") == (page, state.link()):
        _dialog(data, page)


@st.dialog(SAVE_VIEW, on_dismiss=lambda: state.memory("save view").clear())
def _dialog(data, page):
    st.caption(
        "One HTML file with exactly what this page shows. It opens anywhere, without hierviz and without a network."
    )
    view_file(data, page, "get-view")


def copy_link(page):
    """Draw the button; the link holds data, model, rule, threshold, filters, sample and the open part of the page.

    Fields that other pages use and this one does not are left out.

    Parameters
    ----------
    page : str
        Of the address, such as "curves".
    """
    where = "on this machine" if state.is_local_visit() else "for everybody who can open this server"
    until = "" if state.view().data in NAME_OF_DEMO or state.is_startup() else ", while these files are open"
    help = f"The link shows this page as it is now, {where}{until}: same data, model, threshold, filters and sample."
    with st.container(key="copy-link"):
        component(__file__, "copy_link")(
            key="copy-link-button",
            data={
                "help": help,
                "reach": reach(until, can_save(page)),
                "file": SAVE_VIEW if can_save(page) else "",
                "drop": foreign_fields(page),
            },
            on_file_change=lambda: state.memory("save view").update(asked=(page, state.link())),
        )


def reach(until, has_file):
    """Where the copied link opens, in one sentence; empty where it opens everywhere and stays.

    Parameters
    ----------
    until : str
        How long the data are here: empty, or ", while ...".
    has_file : bool
        Whether the note offers the view as a file.
    """
    if state.is_local_visit():
        while_open = " and these files are open" if until else ""
        others = "To send this view to somebody else:" if has_file else "For others, save a report under Save."
        return f"This link opens on this machine only, while hierviz runs{while_open}. {others}"
    return f"This link opens for everybody who can reach this server{until}." if until else ""
