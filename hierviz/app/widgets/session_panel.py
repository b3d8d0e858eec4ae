"""Open a session file: what it needs, what is missing or has changed, and then its page."""

from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.state.opened import open_and_put, open_elsewhere
from hierviz.app.state.session_file import ROLES, matched, open_already, read_session, session_files, show_session
from hierviz.app.widgets.links import go_to
from hierviz.messages.errors import FileError, HiervizError
from hierviz.reports.view import DEMO

MEMORY = "session"


def session_panel():
    """Draw the uploaders of a session file and its files, and open it on request."""
    given = state.kept_upload(
        "session", "Session file", help="Saved with the button Save of a page: what it shows, without the data."
    )
    if given is None:
        return
    try:
        saved = read_session(given.paths[0])
    except FileError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return
    if saved.is_demo:
        which = "demo" if saved.demo == DEMO else "demo of texts"
        st.markdown(f"A session on the {which}, page **{escape(saved.page)}**.")
        paths, dataset, is_ready = [], None, True
    else:
        st.markdown(f"A session on **{escape(saved.title)}**, page **{escape(saved.page)}**, with these files:")
        dataset = open_already(saved)
        paths, is_ready = ([], True) if dataset is not None else _files(saved)
        if dataset is not None:
            _parts(saved, [True] * len(saved.parts))
            st.caption("These files are open.")
    memory = state.memory(MEMORY)
    look = {"type": "primary", "icon": ":material/bookmark:", "disabled": not is_ready}
    st.button("Open the session", on_click=memory.update, args=({"asked": True},), **look)
    if memory.pop("asked", False) and is_ready:
        _open(saved, dataset, paths)


def _files(saved):
    """(paths of the parts or None, whether all are there)."""
    if any(part.role == "model" for part in saved.parts):
        _parts(saved, [None] * len(saved.parts))
        st.info(
            "These data come from a model run: open the model and its inputs below, then open the session file again.",
            icon=":material/info:",
        )
        return [], False
    uploads = state.kept_upload("session_files", "Files of the session", several=True)
    paths = [] if uploads is None else list(uploads.paths)
    if state.may_open_paths():
        folder = st.text_input(
            "or the folder on this machine that holds them", key="session-folder", placeholder="/folder"
        ).strip()
        if folder:
            try:
                named = [Path(state.allowed_path(str(Path(folder) / part.name))) for part in saved.parts]
                paths += [path for path in named if path.exists()]
            except FileError as error:
                st.error(escape(str(error)), icon=":material/error:")
    found, problems = matched(saved.parts, paths)
    _parts(saved, found)
    for problem in problems if paths else ():
        st.warning(escape(problem), icon=":material/difference:")
    return found, not problems


def _parts(saved, found):
    signs = (":material/check:" if one else ":material/radio_button_unchecked:" for one in found)
    st.markdown(
        "  \n".join(
            f"{sign} {escape(part.name)}: {ROLES[part.role]}, SHA-256 {part.sha256[:12]}…"
            for sign, part in zip(signs, saved.parts, strict=True)
        )
    )


def _open(saved, dataset, paths):
    try:
        if dataset is None and not saved.is_demo:
            dataset = open_and_put(session_files(saved, paths), open_elsewhere)
        show_session(saved, dataset)
    except HiervizError as error:
        st.error(escape(in_form_words(error)), icon=":material/error:")
    else:
        go_to(saved.page)
