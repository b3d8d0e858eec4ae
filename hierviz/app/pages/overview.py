"""What is open, how good it is at a glance, and what to check first."""

import streamlit as st

from hierviz.app import state
from hierviz.app.taxonomy_page.choice import TaxonomyChoice
from hierviz.app.taxonomy_page.where import goes_wrong_most, worst_subtree
from hierviz.app.widgets import controls, filters, numbers, overview_table, selection, shell
from hierviz.app.widgets.account import account, opened_line
from hierviz.app.widgets.findings_panel import exchanged_columns, findings_line
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.app.widgets.sample import gallery
from hierviz.findings.finding import counted
from hierviz.metrics.outcomes import outcomes_text

data = shell.open_data()
taxonomy, first = data.taxonomy, data.first


# Models that the chosen one is compared with, each by a link of its own.
MOST_PAIRS = 10


def show(found, model, key):
    """The worst mistakes in pictures, and a link to all of them."""
    n_wrong = found.counts.get("wrong", 0)
    if not n_wrong:
        st.markdown("No answer is wrong at this setting.")
        return
    most = 8 if state.session.px > 1200 else 6
    gallery(model, key, *found.worst(taxonomy, most))
    order = "the lowest win" if found.found is not None and model.predictions.has_scores else "the largest distance"
    order = "the largest lost hierarchical F1" if found.sets is not None else order
    st.caption(f"The mistakes with {order} come first. Below each sample: the truth, and after the arrow the answer.")
    label = f"All {n_wrong:,} mistakes" if n_wrong > 1 else "The only mistake"
    link_to("mistakes", label, "list", sample="", outcome="wrong", model=key)


def compare(data, key):
    """Links to the curves of all models, and to their clear differences."""
    if model.why_no_curve() is not None and model.why_no_set_curve() is not None:
        return
    label = "Compare the models at every threshold" if len(data.models) > 1 else "Its answers at every threshold"
    link_to("curves", label, "show_chart", model=key)
    if model.why_no_curve() is None and (two := overview_table.best_two(data)):
        drawn = tuple(dict.fromkeys((*state.view().drawn, "bands")))
        best, second = (numbers.escape(data.methods[key][0].predictions.name) for key in two)
        # The spread between runs is in the table of Compare.
        where = {"panel": "uncertainty", "drawn": drawn} if not data.runs else {}
        label = f"Is {best} clearly better than {second}?"
        link_to("compare" if data.runs else "curves", label, "compare_arrows", model=two[0], models=tuple(two), **where)
        others = [other for other in data.methods if other != key and data.models[other].why_no_curve() is None]
        if len(others) > 1 and not data.runs:
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key="better-than"):
                st.markdown(f"Is **{numbers.escape(model.predictions.name)}** clearly better than", width="content")
                for other in others[:MOST_PAIRS]:
                    label = f"{numbers.escape(data.models[other].predictions.name)}?"
                    link_to("curves", label, model=key, models=(key, other), **where)


st.title("Overview")
opened_line(data)
judged, inner = first.n_judged, 0
if judged and first.predictions.has_single_truth:
    inner = int((~taxonomy.is_leaf[first.truth]).sum())
truth = f"{judged:,} with known truth" if judged else "no truth, so answers are not evaluated"
named = f", {inner:,} of them labelled with an inner class" if inner else ""
of_methods = f" ({counted(len(data.methods), 'method')} with their runs)" if data.runs else ""
st.markdown(
    f"*{numbers.escape(data.title)}*: "
    f"**{counted(len(data.models), 'model')}**{of_methods} on **{counted(first.predictions.n_samples, 'sample')}** "
    f"({truth}{named}). The taxonomy has **{taxonomy.n_leaves:,} leaf classes** in {taxonomy.n_nodes:,} nodes, "
    f"up to {taxonomy.max_depth} levels below *{numbers.escape(taxonomy.title(0))}*."
)

if state.view().data != "demo":
    findings_line(data)
    exchanged_columns(data)

if judged:
    # How good the models are together is known at the end of a first visit.
    lead = st.empty()
    if (
        any(model.why_no_curve() is None for model in data.models.values())
        and overview_table.known_summaries(data) is None
    ):
        lead.caption("Computing which model is the most specific with 95 % correct answers …")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = controls.model_control(data)
        choice = controls.rule_controls(data, key)
        numbers.definitions(("exact", "correct", "no_answer", "info_recall"), "outcomes", "Definitions:")
    model = data.models[key]
    filters.chips(taxonomy, but=("outcome",))
    if answers_worked_out(data.digest, key, model, choice):
        found = selection.select(model, choice, (data.digest, key), outcome="wrong", order="")
        if any(found.counts.values()):
            st.markdown(f"{controls.setting(data, key, choice)}: {outcomes_text(found.counts, '**{}**')}")
        else:
            st.markdown("No sample matches these filters. Remove one.")
        where = TaxonomyChoice(data, key, choice, taxonomy.index.get(state.view().under, 0))
        worst_subtree(where)
        st.subheader(
            f"Worst mistakes of {numbers.escape(model.predictions.name)}, {controls.rule_text(data, key, choice)}"
        )
        show(found, model, key)
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader("Where it goes wrong most")
            if where.answers is not None:
                goes_wrong_most(where)
    else:
        right = st.container()
    with right:
        st.subheader("Models")
        if state.view().filters and (state.view().filters != ["outcome"]):
            st.caption("Of all samples: the filters do not apply to the models.")
        overview_table.models_table(data)
        with lead.container():
            overview_table.say_most_specific(data)
        compare(data, key)
    overview_table.every_metric(data)

with st.expander("How the files were read", expanded=not judged):
    account(data)
