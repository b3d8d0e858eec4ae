"""What every page shares: navigation, what is open, errors in words, and the bar of a story that is played."""

import contextlib
import html

import streamlit as st

from hierviz.app import state
from hierviz.app.state import entry, opened, story, visits
from hierviz.app.state.components import component, style_sheet
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets import frame, recommended
from hierviz.app.widgets.links import go_to, page
from hierviz.app.widgets.mapping_panel import review_button
from hierviz.app.widgets.session_panel import session_panel
from hierviz.app.widgets.ways_out import ways_out_of_startup
from hierviz.charts import threshold_text
from hierviz.messages.errors import HiervizError
from hierviz.opening.options import field, flag
from hierviz.predictions.outside_lines import outside_lines
from hierviz.readers.stored_array import ChangedFileError
from hierviz.reports.view_pages import PAGES

LEFT_OPEN = (
    "The model given on the command line needs more information, or cannot be run. Until this is solved the demo is open. "
    "See the page **Model**, where the model is selected."
)


# Fields of a view that say which part of its page is shown, and what hides the former one, but for the row of the title.
PARTS_OF_PAGES = ("comparison", "contrast", "part", "aspect")
BELOW = ":has(> .st-key-title-row) ~ "
FORMER = f"{BELOW}[data-stale=true], {BELOW}* [data-stale=true] {{display: none !important}}"
# Of `stop`.
NO_MATCH = "No sample matches these filters. Remove one.", "filter_alt_off"


class PageEnd(Exception):
    """A page has nothing more to show."""


def stop(why="", icon="info"):
    """End the page here, after `why` in Markdown; unlike `st.stop` what all pages share is still drawn below."""
    if why:
        st.info(why, icon=f":material/{icon}:")
    raise PageEnd


@visits.callbacks_of_this_run()
def run(pages):
    """Draw the shared parts and the requested page."""
    frame.look()
    now = st.navigation(pages, position="top")
    # Where the first run fails, it is for what the command line names.
    if state.session.pop("could_not_begin", False):
        # What is below every page made a view then, that of the demo: this run is about the same files again.
        state.session.pop("view", None)
    words = flag if opened.startup_files() and "view" not in state.session else field
    try:
        entry.begin(now.url_path)
        if entry.must_ask(now.url_path):
            st.switch_page(page("model"))
        opened.reopen()
        to = story.take_step(state.data()) if story.is_asked() else None
        if to is not None:
            go_to(to)
        if not now.url_path:
            recommended.open_there()
        with st.container(key="viewport"):
            entry.width()
            # Without the server the menu of pages closes on narrow windows, and a dismissed greeting is remembered.
            greeted = entry.GREETED if entry.is_hint_read() else ""
            component(__file__, "browser_part")(key="browser-part", data={"greeted": greeted})
            ended = _hide_former(now.url_path)
        _not_here()
        _hint(now)
        state.begin_seen()
        with contextlib.suppress(PageEnd):
            now.run()
        frame.name_data(now.url_path)
        ended()
    except HiervizError as error:
        st.error(escape(in_form_words(error, is_of_path=True, words=words)), icon=":material/error:")
        if isinstance(error, ChangedFileError) and opened.may_reopen():
            st.button("Read the files again", icon=":material/refresh:", on_click=opened.request_reopen)
        if opened.startup_files():
            if "view" not in state.session:
                state.session.could_not_begin = True
                # No page began, which would have asked for it.
                entry.width()
                ways_out_of_startup(error, opened.startup_files())
            st.page_link(pages[0], label="Open the demo instead", query_params={"data": "demo"})
    story_bar()
    frame.credit()
    st.caption(frame.privacy())
    threshold, data = (html.escape(text) for text in (threshold_text(state.view().threshold), state.view().data))
    # A page that could not begin has none.
    width = st.session_state.get("px", "")
    st.html(f'<p id="hierviz-view" hidden data-threshold="{threshold}" data-data="{data}" data-width="{width}"></p>')


def _hide_former(url_path):
    """Where a run shows another part of a page, hide what the browser still has of the former one.

    Streamlit leaves it, pale, below what is new until the run ends: a picture of one part would be seen under another one.

    Returns
    -------
    callable
        To be called where the run ends.
    """
    now = (url_path, *(getattr(state.view(), name) for name in PARTS_OF_PAGES))
    place = st.empty()
    if state.session.get("shown_part", now) != now:
        # A style alone would not be in this place: Streamlit keeps it until the next run.
        place.html(f"<i hidden></i><style>{FORMER}</style>")

    def ended():
        # Not where a run is interrupted: the next one may still find what was there before.
        state.session.shown_part = now
        # With the next press, all of this part waits for the server and is stale in the same way.
        place.empty()

    return ended


def _not_here():
    lost = entry.told_not_here()
    if lost:
        words = f"Not found here: {', '.join(map(escape, lost))}. The page shows something else instead."
        st.warning(words, icon=":material/link_off:")
    else:
        st.empty()  # see `frame.greeting`


def _hint(page):
    if opened.startup_cancelled() and state.view().data == "demo":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/cancel: Opening the files of the command line was cancelled. The demo is open.")
            st.button("Open them", icon=":material/refresh:", key="restart", on_click=opened.restart_startup)
    if opened.asked_files():
        if page.url_path != "model" and state.view().data == "demo":
            st.info(LEFT_OPEN, icon=":material/help:")
        return
    frame.greeting(page)


def open_data():
    """The open Dataset; stops the page with a sentence where the data of its link are not open."""
    dataset = state.data()
    if dataset is None:
        where = "on this machine" if state.is_local_visit() else "on this server"
        st.info(
            f"The files of this link are not open {where}: they were closed, not used for some time, or there was no room for "
            "them. Open them again under **Open files**, open a session file, or go to the demo.",
            icon=":material/link_off:",
        )
        is_where_files_are_opened = state.session.get("page") == "open"
        with st.container(horizontal=True):
            if not is_where_files_are_opened:
                st.page_link(page("open"), label="Open the files again", icon=":material/folder_open:")
            st.button("Show the demo", on_click=opened.show_data, args=("demo",))
        if not is_where_files_are_opened:
            st.markdown(
                "A **session file**, saved earlier with the button Save, opens this page again with the same files:"
            )
            session_panel()
        stop()
    outside_line(dataset)
    return dataset


def outside_line(dataset):
    """Next to all numbers: samples left out, answers outside the taxonomy, and which share was mapped."""
    models = [one.predictions for one in dataset.models.values()]
    lines = outside_lines(models, by_name=not state.is_narrow())
    if lines:
        is_mapped = any(one.mapped_words for one in models)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="outside-line"):
            st.caption(f":material/spellcheck: {' · '.join(map(escape, lines))}")
            if is_mapped and state.session.get("page") != "open":
                review_button()


def story_bar():
    """Draw the bar while a story is played."""
    dataset = state.data() if state.memory(story.PLAYED) else None
    playing = story.played(dataset)
    if playing is None:
        return
    place, step, n = playing
    st.html(style_sheet(__file__, "story_playing"))

    def moved():
        # Between two pages there is no bar: the browser asks again.
        word = (st.session_state.get("story-bar") or {}).get("go")
        if word == "end":
            story.go(None)
        elif word and word.isdecimal():
            story.go(int(word) - 1)

    shown = {"caption": story.caption(dataset, step), "place": place + 1, "n": n, "figure": PAGES[step.page].is_figure}
    with st.container(key="story-played"):
        component(__file__, "story_bar")(key="story-bar", data=shown, on_go_change=moved)
