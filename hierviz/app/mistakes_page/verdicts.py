"""What the visitor says of an answer to a sample: a verdict and a note, their export, and a file that is read again."""

from __future__ import annotations

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.state.kept_review import add, forget_review, review_of, review_problem, say
from hierviz.app.widgets.table import download
from hierviz.evaluation._review import VERDICTS, ReviewRow
from hierviz.evaluation._reviewed import projected_review
from hierviz.messages.errors import HiervizError
from hierviz.readers.review_file import load_review
from hierviz.taxonomy.taxonomy import NodeLists

LONGEST_NOTE = 1000
HELP = (
    "Wrong label: the truth of this sample is wrong; numbers with the review leave the sample out. Acceptable: this answer is "
    "right, too, and counts as exact. Model wrong: the truth is right."
)


def row_of(asked, row, verdict="", note=""):
    """The ReviewRow that says this of the answer to a sample; `row` is of the Predictions."""
    place, answers = np.array([int(asked.places(np.array([row]))[0])]), asked.whole
    answer, truth = (
        (nodes if isinstance(nodes, NodeLists) else NodeLists.of(nodes)).take(place)[0]
        for nodes in (answers.predicted, answers.truth)
    )
    answer = () if (answer < 0).any() else tuple(answer.tolist())
    return ReviewRow(
        asked.predictions.sample_id(row), verdict, note, asked.predictions.name, answer, tuple(truth.tolist())
    )


def said_of(asked, row):
    """What was said of the answer to a sample, as a ReviewRow without verdict and note where nothing was."""
    now = row_of(asked, row)
    return review_of(asked.data).of(now.sample_id, now.answer) or now


def offered(asked, row):
    """Verdicts that apply to the answer to a sample: not acceptable where it is exact or no class."""
    now = row_of(asked, row)
    return {key: label for key, label in VERDICTS.items() if key != "acceptable" or now.answer not in ((), now.truth)}


def verdict_controls(asked, row):
    """Verdict and note of one sample, next to a list."""
    now, options = said_of(asked, row), offered(asked, row)
    keys = {field: f"said-{field}-{asked.data.key}-{row}-{now.answer}" for field in ("verdict", "note")}
    state.session[keys["verdict"]] = now.verdict if now.verdict in options else None
    state.session[keys["note"]] = now.note

    def changed():
        say(asked.data, row_of(asked, row, state.session[keys["verdict"]] or "", state.session[keys["note"]]))

    label = "Verdict of an expert"
    st.segmented_control(label, options, format_func=options.get, key=keys["verdict"], on_change=changed, help=HELP)
    st.text_input("Note", key=keys["note"], on_change=changed, max_chars=LONGEST_NOTE, placeholder="for the export")
    if len(review_of(asked.data)):
        st.caption("Export verdicts and notes under *Review*.")


def export_button(asked):
    """Saves what was said in all."""
    review = review_of(asked.data)
    download("Export", review.to_frame, "review.csv", "get-review", disabled=not len(review))


def review_files(asked):
    """What was said in all: counts, a file to read, and how the numbers follow from the export."""
    data, review = asked.data, review_of(asked.data)
    if problem := review_problem(data):
        st.error(escape(problem), icon=":material/error:")
    counts = ", ".join(f"{n:,} {VERDICTS[key].lower()}" for key, n in review.counts.items())
    kept = "on this machine" if state.is_local_visit() else "for this browser until these data are closed: export it"
    st.markdown(f"**{len(review):,} {'answer' if len(review) == 1 else 'answers'} reviewed** ({counts}). Kept {kept}.")
    with st.container(horizontal=True):
        with st.popover("Read a review", icon=":material/upload_file:"):
            _reading(data)
        with st.popover("Delete", icon=":material/delete:", disabled=not len(review)):
            st.markdown("Deletes all verdicts and notes of these data.")
            st.button("Delete the review", on_click=forget_review, args=(data,), type="primary")
    st.caption(
        "`hierviz evaluate --review review.csv` gives the numbers with accepted answers as exact and without samples whose "
        "label is wrong. *Filters* on every page show samples by verdict."
    )


def _reading(data):
    st.markdown("A file that this page exported. Its verdicts replace those that are here for the same answers.")
    uploads = state.kept_upload("review", "Review (CSV)")
    seen = state.memory("review files")
    if uploads is None or seen.get("read") is uploads:
        if seen.get("problem"):
            st.error(escape(seen["problem"]), icon=":material/error:")
        return
    seen |= {"read": uploads, "problem": ""}
    try:
        predictions = data.first.predictions
        add(data, projected_review(load_review(uploads.paths[0], predictions), predictions))
    except HiervizError as error:
        seen["problem"] = str(error)
    st.rerun()
