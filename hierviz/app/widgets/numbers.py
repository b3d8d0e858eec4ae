"""Numbers that open their definition, formula, source and, for a sample, their arithmetic."""

import math

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.widgets.links import link_to
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS


def shown(key, value):
    """A value as text: yes or no, a count, or decimals; – where undefined."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if value in ("Infinity", math.inf):
        return "∞"
    if METRICS[key].is_binary and value in (0, 1):
        return "yes" if value else "no"
    if METRICS[key].unit in ("nodes", "samples", "points", "edges") and float(value).is_integer():
        return f"{int(value):,}"
    return value_text(float(value))


def number(key, value, arithmetic=None, *, label=None, where="", text=None):
    """A button with label and value, or its `text`, that opens the definition of the number."""
    entry = METRICS[key]
    with st.popover(f"{label or entry.label}  **{text or shown(key, value)}**", key=f"number-{where}-{key}"):
        if arithmetic:
            st.markdown(f"**This sample:** {escape(arithmetic)}")
        definition(key)


def definition(key):
    """Sentence, formula, range and source of a number."""
    entry = METRICS[key]
    st.markdown(f"**{entry.label}.** {escape(entry.sentence)}")
    st.latex(entry.formula)
    low, high = ("∞" if math.isinf(bound) else f"{bound:g}" for bound in entry.range)
    unit = f" {entry.unit}" if entry.unit else ""
    better = {"higher": "higher is better", "lower": "lower is better", "neither": ""}[entry.better]
    st.caption(f"From {low} to {high}{unit}{'; ' + better if better else ''}. Source: {entry.source}.")
    link_to("learn", "Terms and symbols", "menu_book", lesson="glossary", step="")


def definitions(keys, where, title=""):
    """A row of buttons after a title, one for each number, that open its definition."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if title:
            st.markdown(title, width="content")
        for key in keys:
            with st.popover(METRICS[key].label, type="tertiary", key=f"definition-{where}-{key}"):
                definition(key)
