"""Mistakes in a ranked list or as a gallery, by a severity that can be chosen."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.mistakes_page.asked import capital
from hierviz.app.state.escape import escape
from hierviz.app.widgets import filters, selection, shell
from hierviz.app.widgets.figure import picture_url
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.number_text import value_text

SHOWN = {"list": "List", "gallery": "Gallery"}
CARD = 172


def draw(asked):
    """Filters, order, and the samples."""
    offered = [key for key in ("wrong", "coarse", "no_answer") if key in asked.whole.outcomes]
    # What nobody chose is not in the address: writing it there would be a step of the browser's history, which Back returns to.
    outcome = state.view().outcome if state.view().outcome in offered else "wrong"
    chosen = selection.select(asked.model, asked.choice, (asked.data.digest, asked.key), outcome=outcome)
    counts = {key: chosen.counts[key] for key in offered}
    severities = asked.severities
    severity = state.view().order if state.view().order in severities else severities[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Show",
            list(counts),
            format_func=lambda key: f"{filters.brief_outcome(key)} {counts[key]:,}",
            required=True,
            help=filters.OUTCOMES_HELP,
            **state.bound("outcome", value=outcome),
        )
        st.selectbox(
            "Rank by",
            severities,
            format_func=lambda key: capital(SEVERITIES[key].label),
            help="  \n".join(f"**{SEVERITIES[key].label}**: {SEVERITIES[key].sentence}" for key in severities),
            **state.bound("order", value=severity, width=210),
        )
        st.segmented_control(
            "As", list(SHOWN), format_func=SHOWN.get, required=True, **state.kept("mistakes", "as", "list")
        )
    rows = asked.ranked(chosen.rows, severity)
    if state.memory("mistakes").get("as") == "gallery":
        gallery(asked, rows, severity, outcome)
    else:
        view = state.view()
        key = "list-" + str([outcome, *(getattr(view, name) for name in view.filters)])
        sample_table.draw(asked, rows, severity, key, outcome=outcome)


def gallery(asked, rows, severity, outcome):
    """Pictures or texts of the samples of an outcome, some at a time, each with a link to the whole story."""
    if not len(rows):
        st.info("No sample fits.", icon=":material/filter_alt_off:")
        return
    memory, most = state.memory(asked.mark("gallery")), 8 if state.is_narrow() else 18
    start = min(memory.get("start", 0), (len(rows) - 1) // most * most)
    shown = rows[start : start + most]
    places, predictions, answers = asked.places(shown), asked.predictions, asked.whole
    titles = [list(sample_table.named(asked.taxonomy, nodes, places)) for nodes in (answers.truth, answers.predicted)]
    values = asked.severity(severity)[places].tolist()
    st.markdown(f"**{start + 1:,} to {start + len(shown):,}** of {len(rows):,}")
    with st.container(horizontal=True, gap="medium"):
        for place, row in enumerate(shown.tolist()):
            sample_id = predictions.sample_id(row)
            with st.container(width=CARD, border=True):
                picture, text = predictions.picture(row), predictions.text(row)
                if picture:
                    st.image(picture_url(picture), width=CARD - 36, alt=f"Sample {sample_id}")
                else:
                    st.caption(escape(text[:140] if text else sample_id))
                truth, answer = (escape(names[place]) for names in titles)
                st.markdown(f"{truth}  \n→ :orange[{answer}]")
                st.caption(f"{SEVERITIES[severity].label} {value_text(values[place])}")
                link = state.link(sample=sample_id, model=asked.key, outcome=outcome)
                st.page_link(shell.page("example"), label="Details", icon=":material/account_tree:", query_params=link)
    with st.container(horizontal=True):
        for label, to in (("Previous", start - most), ("Next", start + most)):
            st.button(
                f"{label} {most}",
                key=f"gallery-{label}",
                on_click=memory.update,
                args=({"start": to},),
                disabled=not 0 <= to < len(rows),
            )
    st.markdown("Below each sample: the truth, and in orange after the arrow the answer.")
