"""What is open, how good it is in one glance, and what to look at first."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import controls, numbers, overview_table, shell
from hierviz.app.widgets.account import account
from hierviz.app.widgets.figure import picture_url
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.evaluation.mistakes import mistakes, outcome_counts

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
truth = f"{judged:,} with known truth" if judged else "no truth, so answers are not evaluated"
named = f", {inner:,} of them labelled with an inner class" if inner else ""
st.markdown(
    f"**{counted(len(data.models), 'model')}** on **{counted(first.predictions.n_samples, 'sample')}** "
    f"({truth}{named}). The taxonomy has **{taxonomy.n_leaves:,} leaf classes** in {taxonomy.n_nodes:,} nodes, "
    f"up to {taxonomy.max_depth} levels below *{numbers.escape(taxonomy.title(0))}*."
)

if judged:
    st.subheader("Model metrics")
    overview_table.draw(data)


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
                truth, answer = (
                    numbers.escape(taxonomy.title(nodes[place])) for nodes in (worst.truth, worst.predicted)
                )
                st.markdown(f"{truth}  \n→ :orange[{answer}]")
                link = state.link(sample=sample, outcome="wrong", under="", model=key)
                st.page_link(shell.page("example"), label="Details", icon=":material/account_tree:", query_params=link)
    order = "the lowest win" if model.predictions.has_scores else "the largest distance from the truth"
    st.markdown(f"The mistakes with {order} come first. Below each sample: the truth, and in orange the answer.")


if judged:
    st.subheader("Mistakes")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = controls.model_control(data)
        choice = controls.rule_controls(data, key)
    model = data.models[key]
    reason = model.why_no_mistakes()
    if reason:
        st.info(f"The answers of this model are not ranked: {numbers.escape(reason)}.", icon=":material/info:")
    elif answers_worked_out(data.digest, key, model, choice):
        found = mistakes(model, **choice)
        counts = outcome_counts(found)
        st.markdown(
            f"{controls.setting(data, key, choice)}: of {counted(len(found), 'answer')} **{counts['exact']:,}** are exact, "
            f"**{counts['coarse']:,}** are correct but coarse (an ancestor of the truth), and "
            f"**{counts['wrong']:,}** are wrong."
        )
        numbers.definitions(("exact", "correct"), "outcomes")
        if counts["wrong"]:
            gallery(mistakes(model, **choice, outcome="wrong"), model, key)
        else:
            st.markdown("No answer is wrong at this setting.")
        with st.container(horizontal=True):
            if counts["wrong"]:
                link = state.link(sample="", outcome="wrong", under="", model=key)
                st.page_link(shell.page("example"), label=f"All {counts['wrong']:,} mistakes", query_params=link)
            if model.why_no_curve() is None:
                link = state.link()
                st.page_link(shell.page("curves"), label="Compare the models at every threshold", query_params=link)

with st.expander("How the files were read", expanded=not judged):
    account(data)
