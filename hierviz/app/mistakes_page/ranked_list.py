"""Mistakes in a ranked list or as a gallery, by a severity that can be chosen, and candidates for wrong truths."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page import sample_table
from hierviz.app.mistakes_page.asked import capital
from hierviz.app.state.escape import escape
from hierviz.app.widgets import filters, selection, table
from hierviz.app.widgets.controls import behind_a_press, explained, pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.progress import worked_out
from hierviz.app.widgets.sample import gallery, shades_of_runs
from hierviz.app.widgets.selection import named
from hierviz.diagnosis._answer_agreement import answer_agreement
from hierviz.diagnosis._label_errors import label_errors
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.severity import SEVERITIES
from hierviz.messages.number_text import value_text

FIRST = "**Wrong answers that are far more probable than the truth come first.** *Review* goes through them one by one."


def draw(asked):
    """Filters, order, and the samples."""
    offered = [key for key in ("wrong", "coarse", "no_answer") if key in asked.whole.outcomes]
    # What nobody chose is not in the address: writing it there would be a step of the browser's history, which Back returns to.
    outcome = state.view().outcome if state.view().outcome in offered else "wrong"
    chosen = selection.select(asked.model, asked.choice, (asked.data.digest, asked.key), outcome=outcome)
    severities = asked.rankings
    places = sample_table.places()
    with places.controls, st.container(horizontal=True, vertical_alignment="bottom", key="list-controls"):
        outcomes = {key: f"{filters.brief_outcome(key)} {chosen.counts[key]:,}" for key in offered}
        bare = {"label_visibility": "collapsed"} if state.is_narrow() else {"help": filters.OUTCOMES_HELP}
        pick("Show", outcomes, "outcome", "wrong", segmented=True, **bare)
        labels = {key: capital(SEVERITIES[key].label) for key in severities}
        help = explained(SEVERITIES[key] for key in severities)
        with asked.row_on_phone, behind_a_press("Order", "sort"):
            severity = pick("Rank by", labels, "order", width=210, help=help, in_popover=state.is_narrow())
            shown = pick("As", {"list": "List", "gallery": "Gallery"}, ("mistakes", "as"), segmented=True)
    rows = asked.ranked(chosen.rows, severity)
    if shown == "list":
        key = "list-" + str([outcome, *(getattr(state.view(), name) for name in state.view().filters)])
        sample_table.draw(asked, rows, severity, key, outcome=outcome, places=places)
    elif len(rows):
        with places.controls:
            st.caption("Below each sample: the truth, and in orange after the arrow the answer.")
        with places.table, main_place():
            _gallery(asked, rows, severity, outcome)
    else:
        st.info("No sample fits.", icon=":material/filter_alt_off:")


def _gallery(asked, rows, severity, outcome):
    """Some of the samples at a time."""
    most, memory = 8 if state.is_narrow() else 18, state.memory(asked.mark("gallery"))
    part, buttons = table.pages_of(len(rows), most, memory, "gallery")
    places, answers = asked.places(rows[part]), asked.whole
    titles = [named(asked.taxonomy, nodes, places) for nodes in (answers.truth, answers.predicted)]
    values = asked.severity(severity)[places].tolist()
    st.markdown(f"**{part.start + 1:,} to {part.stop:,}** of {len(rows):,}")
    notes = [f"{SEVERITIES[severity].label} {value_text(value)}" for value in values]
    shades = shades_of_runs(asked.data, asked.key, asked.choice, rows[part])
    gallery(asked.model, asked.key, rows[part], list(zip(*titles, strict=True)), outcome, notes, shades=shades)
    buttons()


def draw_labels(asked):
    """The candidates as a gallery or as a list."""
    reason = asked.model.why_no_curve() or asked.answers.why_not_single()
    if reason:
        st.info(
            f"No candidates for wrong truths: {escape(reason)}. *Review* has other queues.",
            icon=":material/info:",
        )
    else:
        what = "Candidates for wrong truths"
        found = worked_out(
            "label errors", asked.where, what, lambda stages: label_errors(asked.answers, progress=stages(what))
        )
        if found is None:
            return
        # On a phone its words are below the picture.
        if not state.is_narrow():
            st.markdown(FIRST)
        agreement = _agreement(asked, found)
        places = sample_table.places()
        with asked.row if state.is_narrow() else places.controls:
            bare = {"label_visibility": "collapsed"} if state.is_narrow() else {}
            shown = pick(
                "As", {"gallery": "Gallery", "list": "List"}, ("mistakes", "labels as"), segmented=True, **bare
            )
        if shown == "gallery" and len(found):
            with places.table, main_place():
                _label_gallery(asked, found, agreement)
            _about_labels(found)
            return
        extra = {"score": found.score, "models wrong": agreement.n_wrong, "p (answer)": found.p_answer}
        helps = {
            "p (answer)": "Probability of the answer itself, as on Examples",
            "models wrong": f"Of {agreement.n_models} models, each at its own threshold",
        }
        for side, p in (("answer", found.p_predicted), ("truth", found.p_true)):
            extra[f"p (branch of {side})"] = p
            helps[f"p (branch of {side})"] = f"Probability of the class on the path to the {side} where both paths part"
        sample_table.draw(asked, found.row, asked.severities[0], "labels", extra, helps, places=places)
        _about_labels(found)


def _about_labels(found):
    if state.is_narrow():
        st.markdown(FIRST)
    st.markdown(
        "The score is the probability of the branch of the answer minus that of the branch of the truth, at the class where "
        "both paths part."
    )
    st.warning(escape(found.caution), icon=":material/warning:") if len(found) else None


def _agreement(asked, found):
    """How the answers of all models agree on the candidates."""
    data, view = asked.data, state.view()

    def made():
        every = [
            judged_answers(model, **{**asked.choice, "threshold": view.threshold_of(key)})
            for key, model in data.models.items()
        ]
        return answer_agreement(every, found.sample_id)

    thresholds = tuple(view.threshold_of(key) for key in data.models)
    return asked.computed("agreement of answers", made, thresholds)


def _label_gallery(asked, found, agreement):
    """Some of the candidates at a time, with the truth and the class that most models name."""
    # As many as are whole on the first screen.
    most, memory = 8 if state.is_narrow() else 12, state.memory(asked.mark("label gallery"))
    part, buttons = table.pages_of(len(found), most, memory, "label-gallery")
    title, n = asked.taxonomy.title, agreement.n_models
    st.markdown(
        f"**{part.start + 1:,} to {part.stop:,}** of {len(found):,}. Below each sample: the truth, and after the arrow the "
        "class that most models name."
    )
    pairs = [
        (title(truth), title(named)) for truth, named in zip(found.truth[part].tolist(), agreement.named[part].tolist())
    ]
    notes = [
        f"named by {votes} of {n}, wrong by {wrong} of {n} · score {value_text(score)}"
        if n > 1
        else f"score {value_text(score)}"
        for votes, wrong, score in zip(
            *(values[part].tolist() for values in (agreement.n_named, agreement.n_wrong, found.score)), strict=True
        )
    ]
    gallery(asked.model, asked.key, found.row[part], pairs, "wrong", notes)
    buttons()
