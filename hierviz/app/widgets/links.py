"""Links from page to page, each with the view that it shows there."""

from pathlib import Path

import streamlit as st

from hierviz.app import state

PAGES = Path(__file__).parents[1] / "pages"


def page(name):
    """Path of a page for links, by its file name."""
    return PAGES / f"{name}.py"


def link_to(name, label, icon="", **fields):
    """Draw a link to a page: the current view with other `fields`; `icon` is the name of a Material symbol."""
    icon = f":material/{icon}:" if icon else None
    st.page_link(page(name), label=label, icon=icon, query_params=state.link(**fields))


def go_to(name, **fields):
    """Leave this run for another page, with the current view and other `fields`; Back shows the page as it was."""
    state.publish()
    state.enter_with(name, **fields)
    # Streamlit gives the page that is left the query too, as a step of the browser's history.
    st.switch_page(page(name), query_params=state.link())


def link_to_sample(label, **fields):
    """As `link_to`, for samples on the page Examples."""
    link_to("example", label, "account_tree", **fields)
