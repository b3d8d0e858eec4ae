"""Fields for answers about a model, whose values are kept for the session."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.opening.parameter_words import LABELS

MEMORY = "answers-widgets"


def name_of(source, key, taxonomy=None):
    """Key of a field's value, which is another one for each taxonomy that it is about."""
    return f"{source.path}-{key}" + (f"-{taxonomy.sha256}" if taxonomy else "")


def radio(key, name, options, captions, format_func=str):
    """A choice of one, with a line about each."""
    return st.radio(
        LABELS[key],
        options,
        captions=captions,
        format_func=format_func,
        label_visibility="collapsed",
        **state.kept(MEMORY, name),
    )


def number(source, key, label, start=None, **widget):
    """A field for a number."""
    return st.number_input(label, **widget, **state.kept(MEMORY, f"{name_of(source, key)}-{label}", start))


def text(source, key, label, start="", **widget):
    """A field for a line of text."""
    return st.text_input(label, **widget, **state.kept(MEMORY, f"{name_of(source, key)}-{label}", start))


def fill(source, key, values):
    """Give fields of a question other values: by label, or the choice of one under None."""
    memory = state.memory(MEMORY)
    for label, value in values.items():
        memory[name_of(source, key) + (f"-{label}" if label else "")] = value
