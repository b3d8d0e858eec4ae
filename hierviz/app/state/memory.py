"""What outlives a run: memories of a session, uploads, and results that are slow to make."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import streamlit as st

from hierviz.app.numbers import escape
from hierviz.app.state.current import session
from hierviz.app.uploads import Uploads

MOST_RESULTS = 32


@st.cache_resource(max_entries=64, show_spinner=False)
def cached(name, key, _make):
    """`_make()` once per name and key; for charts and tables that are slow to build."""
    return _make()


def memory(name):
    """A dict of this session that outlives page changes; what only one page needs and no link carries."""
    return session.setdefault(f"memory_{name}", {})


def kept(name, field, default=None, **widget):
    """Keywords that tie a widget to an entry of a memory: its key, value and callback."""
    key, store = f"kept_{name}_{field}", memory(name)
    session[key] = store.get(field, default)

    def changed():
        store[field] = session[key]

    return {"key": key, "on_change": changed, **widget}


@st.cache_resource
def _upload_folder():
    folder = Path(tempfile.mkdtemp(prefix="hierviz-uploads-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def kept_upload(slot, label, *, several=False, **widget):
    """A file uploader whose files stay when the page changes and go with the session or with the next upload.

    Returns
    -------
    Uploads or None
    """
    key, store = f"upload_{slot}", memory("uploads")

    def changed():
        given = session[key]
        given = given if several else [given] if given else []
        store[slot] = Uploads(given, _upload_folder()) if given else None

    st.file_uploader(label, key=key, accept_multiple_files=several, on_change=changed, **widget)
    found = store.get(slot)
    if found is not None and not session.get(key):
        # The browser's list is empty after a change of page.
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Still here: {escape(', '.join(path.name for path in found.paths))}")
            st.button("Remove", on_click=store.pop, args=(slot,), type="tertiary", key=f"forget_{slot}")
    return found


@st.cache_resource(max_entries=8, show_spinner="Looking at the model …")
def opened_model(key, _make):
    """`_make()` once per model and what was said about it."""
    return _make()


@st.cache_resource(max_entries=256, show_spinner=False)
def answered(key, _make):
    """`_make()` once per model and sample."""
    return _make()


@st.cache_resource
def _worked_out():
    """Results of `computed` for all sessions; the oldest leave first."""
    return {}


def computed(name, key, make):
    """As `cached`, for what shows its progress on the page while it works."""
    shelf = _worked_out()
    if (name, key) not in shelf:
        found = make()
        while len(shelf) >= MOST_RESULTS:
            shelf.pop(next(iter(shelf)), None)
        shelf[name, key] = found
    return shelf[name, key]
