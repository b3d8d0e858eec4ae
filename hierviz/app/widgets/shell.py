"""What every page shares: navigation, what is open, tables of metrics, and errors in words."""

import contextlib
import html
from pathlib import Path

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state import story
from hierviz.app.state.components import component
from hierviz.app.state.escape import escape
from hierviz.app.widgets import frame
from hierviz.app.widgets.form_words import in_form_words
from hierviz.app.widgets.metric_table import Row, ranked
from hierviz.app.widgets.metric_table import metric_table as draw_table
from hierviz.app.widgets.session_panel import session_panel
from hierviz.app.widgets.story_bar import story_bar
from hierviz.charts import threshold_text, to_csv
from hierviz.messages.errors import HiervizError
from hierviz.opening.parameter_words import field, flag
from hierviz.readers.stored_array import ChangedFileError

PAGES = Path(__file__).parents[1] / "pages"
LEFT_OPEN = (
    "The model given on the command line needs more information, or cannot be run. Until this is solved the demo is open. "
    "See the page **Model**, where the model is selected."
)


class PageEnd(Exception):
    """A page has said all it can say."""


def stop():
    """End the page here; unlike `st.stop` what all pages share is still drawn below."""
    raise PageEnd


def run(pages):
    """Draw the shared parts and the page that is asked for."""
    with state.callbacks_of_this_run():
        _draw(pages)


def _draw(pages):
    frame.look()
    page = st.navigation(pages, position="top")
    # Where the first run fails, it is for what the command line names.
    words = flag if state.startup_files() and "view" not in state.session else field
    try:
        state.begin(page.url_path)
        if state.must_ask(page.url_path):
            st.switch_page(PAGES / "model.py")
        state.reopen()
        to = story.take_step(state.data()) if story.is_asked() else None
        if to is not None:
            state.publish()
            st.switch_page(PAGES / f"{to}.py", query_params=state.link())
        with st.container(key="viewport"):
            state.width()
            # The menu of pages closes on narrow windows, and a dismissed greeting is remembered, without the server.
            greeted = state.GREETED if state.is_hint_read() else ""
            component(__file__, "browser_part")(key="browser-part", data={"greeted": greeted})
        _not_here()
        _hint(page)
        with contextlib.suppress(PageEnd):
            page.run()
        frame.name_data(page.url_path)
    except HiervizError as error:
        st.error(escape(in_form_words(error, is_of_path=True, words=words)), icon=":material/error:")
        if isinstance(error, ChangedFileError) and state.may_reopen():
            st.button("Read the files again", icon=":material/refresh:", on_click=state.request_reopen)
        if state.startup_files():
            st.page_link(pages[0], label="Open the demo instead", query_params={"data": "demo"})
    story_bar()
    frame.credit()
    st.caption(frame.privacy())
    threshold, data = (html.escape(text) for text in (threshold_text(state.view().threshold), state.view().data))
    st.html(f'<p id="hierviz-view" hidden data-threshold="{threshold}" data-data="{data}"></p>')


def _not_here():
    lost = state.told_not_here()
    if lost:
        told = f"Not here, of what the address asks for: {', '.join(map(escape, lost))}. The page shows something else instead."
        st.warning(told, icon=":material/link_off:")
    else:
        st.empty()  # see `frame.greeting`


def _hint(page):
    if state.startup_cancelled() and state.view().data == "demo":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/cancel: Opening the files of the command line was cancelled. The demo is open.")
            st.button("Open them", icon=":material/refresh:", key="restart", on_click=state.restart_startup)
    if state.asked_files():
        if page.url_path != "model" and state.view().data == "demo":
            st.info(LEFT_OPEN, icon=":material/help:")
        return
    frame.greeting(page, PAGES)


def page(name):
    """Path of a page for links, by its file name."""
    return PAGES / f"{name}.py"


def metric_table(models, keys, key, unranked=(), never=None, bounds=None):
    """Models against metrics, the best number of each column marked; sortable, with a download.

    Parameters
    ----------
    models : dict of model name to dict of metric key to value
    keys : sequence of str
    key : str
        Of the widget.
    unranked : sequence of str
        Metrics without a best one.
    never : dict of model name to tuple of str, optional
        Metrics whose share of correct answers no threshold reaches.
    bounds : dict of model name to dict of metric key to (low, high) or None, optional
        What unknown scores could make of a number.
    """
    never, bounds = never or {}, bounds or {}
    rows = [
        Row({"model": name}, values, never=never.get(name, ()), bounds=bounds.get(name, {}))
        for name, values in models.items()
    ]
    draw_table(ranked(rows, keys, unranked), keys, key)
    st.download_button(
        "CSV",
        to_csv(pd.DataFrame([_cells(row, keys) for row in rows])),
        "models.csv",
        "text/csv",
        key=f"get-{key}",
        on_click="ignore",
        icon=":material/download:",
    )


def _cells(row, keys):
    """A row of the download: numbers, and the bounds of those that have some."""
    pairs = {key: pair for key, pair in row.bounds.items() if pair is not None}
    bounds = {f"{key}_{side}": pair[k] for key, pair in pairs.items() for k, side in enumerate(("low", "high"))}
    return row.lead | {key: row.values.get(key) for key in keys} | bounds


def open_data():
    """The open Dataset; stops the page with a sentence when the link's data are not here."""
    dataset = state.data()
    if dataset is None:
        where = "on this machine" if state.is_local_visit() else "on this server"
        st.info(
            f"The files of this link are not open {where}: they were closed, no page has shown them for some time, "
            "or there was no room for them. Open them again under **Open files**, open a session file, or look at the demo.",
            icon=":material/link_off:",
        )
        is_where_files_are_opened = state.session.get("page") == "open"
        with st.container(horizontal=True):
            if not is_where_files_are_opened:
                st.page_link(page("open"), label="Open the files again", icon=":material/folder_open:")
            st.button("Show the demo", on_click=state.show_data, args=("demo",))
        if not is_where_files_are_opened:
            st.markdown(
                "A **session file**, saved with the button Save before, opens this page again with the same files:"
            )
            session_panel()
        stop()
    return dataset
