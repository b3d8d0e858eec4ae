"""What outlives a run: memories of a session, and results that are slow to make."""

from __future__ import annotations

import streamlit as st

from hierviz.app.state.current import session
from hierviz.app.state.server import server
from hierviz.app.state.visits import visit


def memory(name):
    """A dict of this session that outlives page changes; what only one page needs and no link carries."""
    return visit().memories.setdefault(name, {})


def kept(name, field, default=None, **widget):
    """Keywords that tie a widget to an entry of a memory: its key, value and callback."""
    key, store = f"kept_{name}_{field}", memory(name)
    session[key] = store.get(field, default)

    def changed():
        store[field] = session[key]

    return {"key": key, "on_change": changed, **widget}


def computed(name, key, make):
    """`make()` once per name and key, for all sessions; the key holds the digest of the data set it is made of."""
    return server().results.get((name, key), make, visit())


def answered(key, make):
    """`make()` once per model and sample."""
    return server().answers.get(key, make, visit())


def opened_model(key, make):
    """`make()` once per model and what was said about it."""

    def opened():
        with st.spinner("Reading the model …"):
            return make()

    return server().models.get(key, opened, visit())
