"""What is open, how good it is in one glance, and what to look at first."""

import streamlit as st

from hierviz.app import controls, numbers, shell, state
from hierviz.app.account import account
from hierviz.app.figure import picture_url
from hierviz.app.metric_table import MARKS
from hierviz.mistakes import mistakes, outcome_counts
from hierviz.summary import model_summary

SHOWN = {
    "curve": ("ac", "ap", "recall_at_95_correct", "majority_f1"),
    "distribution": ("softmax_win",),
    "top_down": ("finest_accuracy", "coarsest_accuracy", "aggregate_f1"),
    "confusion": ("f1", "mcc"),
}
# Where there are no scores, sets of labels are what can be judged.
SHOWN_OF_LABELS = {
    "labels": ("micro_f1", "macro_f1", "hf1_samples", "ihf1_samples"),
    "confusion": ("ppv", "tpr", "f1", "mcc"),
}
LEFT_OUT = {
    "distribution": "the win and cross entropy",
    "top_down": "accuracy by level",
    "predicted": "precision and recall of the answer",
    "labels": "metrics of label sets",
    "curve": "operating curves",
    "confusion": "the hierarchical confusion",
}
GALLERY = 6

data = shell.open_data()
taxonomy, first = data.taxonomy, data.first


def counted(n, what):
    """A number of things in words."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


st.title(numbers.escape(data.title))
judged, inner = first.n_judged, 0
if judged and first.predictions.has_single_truth:
    inner = int((~taxonomy.is_leaf[first.truth]).sum())
truth = f"{judged:,} with a known truth" if judged else "no truth, so answers can be looked at but not judged"
named = f", {inner:,} of them known only to an inner class" if inner else ""
st.markdown(
    f"**{counted(len(data.models), 'model')}** on **{counted(first.predictions.n_samples, 'sample')}** "
    f"({truth}{named}). The taxonomy has **{taxonomy.n_leaves:,} final classes** in {taxonomy.n_nodes:,} nodes, "
    f"up to {taxonomy.max_depth} levels below *{numbers.escape(taxonomy.title(0))}*."
)

if judged:
    st.subheader("How good are the models?")
    # The table does not depend on the controls below it: each of them reruns the page.
    entries = state.computed(
        "summaries", data.digest, lambda: {one.predictions.name: model_summary(one) for one in data.models.values()}
    )
    shown = SHOWN if any(entry["curve"] for entry in entries.values()) else SHOWN_OF_LABELS
    rows = {
        name: {key: entry[block][key] for block, keys in shown.items() if entry[block] for key in keys}
        for name, entry in entries.items()
    }
    keys = [key for keys in shown.values() for key in keys if any(key in row for row in rows.values())]
    if keys:
        shell.metric_table(rows, keys, key="overview-table")
        st.markdown(
            f"Each row is a model. {MARKS if len(rows) > 1 else ''} "
            "Answers are those of the majority rule where a column needs one. What the columns mean:"
        )
        numbers.definitions(keys, "overview")
    left_out = {}
    for note in dict.fromkeys(note for entry in entries.values() for note in entry["notes"] if ": null, " in note):
        block, reason = note.split(": null, ", 1)
        left_out.setdefault(reason, []).append(LEFT_OUT[block])
    for reason, blocks in left_out.items():
        st.caption(f"Left out: {', '.join(blocks)}, because {numbers.escape(reason)}.")


def gallery(worst, model, key):
    """The first few mistakes with a link to the whole story of each."""
    with st.container(horizontal=True, gap="medium"):
        for place in range(min(GALLERY, len(worst))):
            row = int(worst.row[place])
            sample = model.predictions.sample_id(row)
            with st.container(width=160):
                picture, text = model.predictions.picture(row), model.predictions.text(row)
                if picture:
                    st.image(picture_url(picture), width=144, alt=f"Sample {sample}")
                elif text:
                    st.caption(numbers.escape(text[:140]))
                truth, answer = (numbers.escape(taxonomy.title(one[place])) for one in (worst.truth, worst.predicted))
                st.markdown(f"{truth}  \n→ :orange[{answer}]")
                link = state.link(sample=sample, outcome="wrong", under="", model=key)
                st.page_link(shell.page("example"), label="Why?", icon=":material/account_tree:", query_params=link)
    first = "put the least probability near" if model.predictions.has_scores else "lie furthest from"
    st.markdown(
        f"The worst come first: those that {first} the truth. Under each stand the truth and, in orange, the answer."
    )


if judged:
    st.subheader("What goes wrong?")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = controls.model_control(data)
        choice = controls.rule_controls(data, key)
    model = data.models[key]
    reason = model.why_no_mistakes()
    if reason:
        st.info(f"The answers of this model are not ranked: {numbers.escape(reason)}.", icon=":material/info:")
    else:
        found = mistakes(model, **choice)
        counts = outcome_counts(found)
        st.markdown(
            f"{controls.setting(data, key, choice)}: of {counted(len(found), 'answer')} **{counts['exact']:,}** are exact, "
            f"**{counts['coarse']:,}** are correct but coarse (right, only less specific than the truth), and "
            f"**{counts['wrong']:,}** are wrong."
        )
        numbers.definitions(("exact", "correct"), "outcomes")
        if counts["wrong"]:
            gallery(mistakes(model, **choice, outcome="wrong"), model, key)
        else:
            st.markdown("Nothing is wrong at this setting.")
        with st.container(horizontal=True):
            if counts["wrong"]:
                link = state.link(sample="", outcome="wrong", under="", model=key)
                st.page_link(shell.page("example"), label=f"All {counts['wrong']:,} mistakes", query_params=link)
            if model.why_no_curve() is None:
                link = state.link()
                st.page_link(shell.page("curves"), label="Compare the models at every threshold", query_params=link)

with st.expander("What was understood of the files", expanded=not judged):
    account(data)
