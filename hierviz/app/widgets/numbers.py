"""Numbers that open to their definition, formula, source and, for a sample, their arithmetic."""

import math
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS

LEARN = Path(__file__).parents[1] / "pages" / "learn.py"


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
    """A button with label and value, or its `text`, that opens to where the number comes from."""
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
    st.page_link(
        LEARN,
        label="Terms and symbols",
        icon=":material/menu_book:",
        query_params=state.link(lesson="glossary", step=""),
    )


def definitions(keys, where, title=""):
    """A row of buttons after a title, one per number, each opening to its definition."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if title:
            st.markdown(title, width="content")
        for key in keys:
            with st.popover(METRICS[key].label, type="tertiary", key=f"definition-{where}-{key}"):
                definition(key)
