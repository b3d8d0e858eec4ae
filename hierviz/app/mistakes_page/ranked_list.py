"""Mistakes in a ranked list or as a gallery, by a severity that can be chosen."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.mistakes_page.asked import capital
from hierviz.app.widgets import filters, selection, table
from hierviz.app.widgets.controls import explained, pick
from hierviz.app.widgets.gallery import gallery
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.number_text import value_text


def draw(asked):
    """Filters, order, and the samples."""
    offered = [key for key in ("wrong", "coarse", "no_answer") if key in asked.whole.outcomes]
    # What nobody chose is not in the address: writing it there would be a step of the browser's history, which Back returns to.
    outcome = state.view().outcome if state.view().outcome in offered else "wrong"
    chosen = selection.select(asked.model, asked.choice, (asked.data.digest, asked.key), outcome=outcome)
    severities = asked.severities
    with st.container(horizontal=True, vertical_alignment="bottom"):
        outcomes = {key: f"{filters.brief_outcome(key)} {chosen.counts[key]:,}" for key in offered}
        pick("Show", outcomes, "outcome", "wrong", segmented=True, help=filters.OUTCOMES_HELP)
        labels = {key: capital(SEVERITIES[key].label) for key in severities}
        help = explained(SEVERITIES[key] for key in severities)
        severity = pick("Rank by", labels, "order", width=210, help=help)
        shown = pick("As", {"list": "List", "gallery": "Gallery"}, ("mistakes", "as"), segmented=True)
    rows = asked.ranked(chosen.rows, severity)
    if shown == "list":
        key = "list-" + str([outcome, *(getattr(state.view(), name) for name in state.view().filters)])
        sample_table.draw(asked, rows, severity, key, outcome=outcome)
    elif len(rows):
        _gallery(asked, rows, severity, outcome)
    else:
        st.info("No sample fits.", icon=":material/filter_alt_off:")


def _gallery(asked, rows, severity, outcome):
    """Some of the samples at a time."""
    most, memory = 8 if state.is_narrow() else 18, state.memory(asked.mark("gallery"))
    part, buttons = table.pages_of(len(rows), most, memory, "gallery")
    places, answers = asked.places(rows[part]), asked.whole
    titles = [sample_table.named(asked.taxonomy, nodes, places) for nodes in (answers.truth, answers.predicted)]
    values = asked.severity(severity)[places].tolist()
    st.markdown(f"**{part.start + 1:,} to {part.stop:,}** of {len(rows):,}")
    notes = [f"{SEVERITIES[severity].label} {value_text(value)}" for value in values]
    gallery(asked.model, asked.key, rows[part], list(zip(*titles, strict=True)), outcome, notes)
    buttons()
    st.markdown("Below each sample: the truth, and in orange after the arrow the answer.")
