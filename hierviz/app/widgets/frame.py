"""What surrounds every page: look, product and data set in the header, the greeting of a first visit, privacy."""

import contextlib
import html

import streamlit as st

from hierviz.app import state
from hierviz.app.state import entry, story
from hierviz.app.state.components import style_sheet
from hierviz.app.state.escape import escape
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.save_menu import copy_link, save_menu, save_view
from hierviz.findings.finding import counted
from hierviz.reports.view import DEMO

FOCUS = {True: "#7fd6b4", False: "#1d6b52"}
# White text on it has a contrast above 4.5; in the dark theme it is brighter than what is not selected.
SELECTED = {True: "#26835f", False: "#1d6b52"}
# Letters of the name of a data set in the greeting, which is one line.
LONG_TITLE = 32
NAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="84" height="24" viewBox="0 0 84 24">'
    '<text x="0" y="18" font-family="Source Sans, sans-serif" font-size="21" font-weight="700" fill="{ink}">hierviz</text></svg>'
)


def look():
    """Style and product name; the first thing of every run."""
    dark = state.is_dark()
    st.html(style_sheet(__file__, "frame").replace("FOCUS", FOCUS[dark]).replace("SELECTED", SELECTED[dark]))
    st.logo(NAME.format(ink="#eceae6" if dark else "#1f2328"), size="medium")


@contextlib.contextmanager
def title_row(title):
    """The title of a page with its controls next to it, or below it where there is no room: at most 64 pixels high.

    Gives the place of the row, for controls of a part of the page that are drawn later.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", key="title-row")
    with row:
        st.title(title, width="content", anchor=False)
        yield row


def chart_and_controls():
    """Places for a chart and for its controls, which are next to it where there is room, else above.

    Returns
    -------
    (container of the chart, container of the controls, pixels that the chart may be wide)
    """
    px = state.session.px
    width = {1600: 1230, 1200: 970, 900: 670}.get(px)
    if width is None:
        controls = st.container()
        return st.container(), controls, px
    chart, controls = st.columns([0.78, 0.22], gap="medium")
    return chart, controls, width


def segments():
    """A row of segments with other controls; in a narrow window one below the other, as such rows do not wrap."""
    return st.container(horizontal=not state.is_narrow(), vertical_alignment="center")


def side_by_side(*shares):
    """Places next to each other with these shares of the width, or below each other in a narrow window."""
    return [st.container() for _ in shares] if state.is_narrow() else st.columns(list(shares), gap="large")


def unfolded(label, key, fill, icon=None):
    """A folded part of a page whose content `fill` draws once it is opened: nothing of it is computed before."""
    place = st.expander(label, icon=icon, key=key, on_change="rerun")
    if place.open:
        with place:
            fill()


def name_data(page):
    """The name of the open data set, in the header, the menu that saves, and the button that copies the address."""
    dataset = state.data()
    if dataset is not None:
        title = html.escape(dataset.title)
        st.html(f'<div class="hierviz-open"><span title="{title}">{title}</span></div>')
        save_menu(dataset, page)
        copy_link(page or "overview")
        save_view(dataset, page or "overview")


def greeting(page):
    """One line on the page where a visit starts: what is open, and where to go; it can be dismissed."""
    dataset = state.data() if entry.first_visit(page.url_path) else None
    if dataset is None:
        # What is drawn outside a page stays while the next one loads, unless something replaces it.
        st.empty()
        return
    open_now = f"{counted(len(dataset.models), 'model')} on {counted(dataset.first.predictions.n_samples, 'sample')}"
    title = dataset.title if len(dataset.title) <= LONG_TITLE else f"{dataset.title[: LONG_TITLE - 1]}…"
    is_wide = not state.is_narrow()
    is_new = "New here? " * (dataset.key == DEMO)
    # On a phone the greeting is one line too.
    text = f"{is_new}*{escape(title)}* is open: {open_now}." if is_wide else is_new or f"*{escape(title)}*"
    has_curve = any(not (model.why_no_curve() and model.why_no_set_curve()) for model in dataset.models.values())
    links = (
        ("mistakes", "The mistakes", dataset.first.n_judged > 0),
        ("curves", "Drag the threshold", is_wide and has_curve),
        ("model", "Run a model", is_wide),
        ("open", "Open your own files", is_wide),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="greeting"):
        st.markdown(text, width="content")
        if dataset.key == DEMO and is_wide:
            st.button("Story", icon=":material/slideshow:", type="tertiary", on_click=story.play, args=(dataset,))
        for name, label, is_offered in links:
            if is_offered and name != (page.url_path or "overview"):
                link_to(name, label)
        st.button("Dismiss", icon=":material/close:", type="tertiary", key="hint", on_click=entry.dismiss_hint)


def credit():
    """Whose the open data are, where they are not the visitor's."""
    dataset = state.data()
    if dataset is not None and dataset.credit:
        st.caption(f"{dataset.credit} [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)")


def privacy():
    """Where the visitor's data are."""
    if state.is_local_visit():
        return "Your data stay on this machine: nothing is sent anywhere."
    return (
        "Files that you upload are sent to the server that runs this page, and it sends them nowhere else. "
        "Everybody with the link of opened files can see them while they are open."
    )
