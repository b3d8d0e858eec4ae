"""The button in the header that copies the address of what is shown."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.components import component
from hierviz.app.widgets.report_offer import SAVE_VIEW, ask_for_file, can_save
from hierviz.reports.view import NAME_OF_DEMO, foreign_fields


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
            on_file_change=lambda: ask_for_file(page),
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
