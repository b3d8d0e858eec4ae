"""What is open, how good it is at a glance, and what to check first."""

import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page import table_panel
from hierviz.app.compare_page.compared import MOST, Compared
from hierviz.app.curve_panels import uncertainty
from hierviz.app.curve_panels.curve_chart import CurveChoice
from hierviz.app.taxonomy_page.choice import TaxonomyChoice
from hierviz.app.taxonomy_page.where import goes_wrong_most
from hierviz.app.widgets import (
    controls,
    filters,
    frame,
    numbers,
    overview_pictures,
    overview_table,
    recommended,
    selection,
    shell,
)
from hierviz.app.widgets.account import account, opened_line
from hierviz.app.widgets.findings_panel import exchanged_columns, findings_line
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.findings.finding import counted
from hierviz.metrics.outcomes import outcomes_text

data = shell.open_data()
taxonomy, first = data.taxonomy, data.first


# Models that the chosen one is compared with, each by a link of its own.
MOST_PAIRS = 10


def compare(data, key):
    """Links to the curves of all models, and to their clear differences."""
    if model.why_no_curve() is not None and model.why_no_set_curve() is not None:
        return
    label = "Compare the models at every threshold" if len(data.models) > 1 else "Its answers at every threshold"
    link_to("curves", label, "show_chart", model=key)
    if model.why_no_curve() is None and (two := overview_table.best_two(data)):
        drawn = tuple(dict.fromkeys((*state.view().drawn, "bands")))
        best, second = (numbers.escape(data.methods[key][0].predictions.name) for key in two)
        where = {"panel": "uncertainty", "drawn": drawn}
        both = {key: data.methods[key] for key in two}
        runs = {key: of_method for key, of_method in both.items() if len(of_method) > 1}
        pair = {key: of_method[0] for key, of_method in both.items()}
        uncertainty.ahead(CurveChoice(data.digest, taxonomy, pair, runs, all_names=data.method_names))
        label = f"Is {best} clearly better than {second}?"
        link_to("curves", label, "compare_arrows", model=two[0], models=tuple(two), **where)
        own = data.method_of(key)
        others = [other for other in data.methods if other != own and data.models[other].why_no_curve() is None]
        if len(others) > 1:
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key="better-than"):
                name = data.methods[own][0].predictions.name
                st.markdown(f"Is **{numbers.escape(name)}** clearly better than", width="content")
                for other in others[:MOST_PAIRS]:
                    label = f"{numbers.escape(data.methods[other][0].predictions.name)}?"
                    link_to("curves", label, model=own, models=(own, other), **where)


def what_is_open():
    """Data, samples and taxonomy in a sentence."""
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


def shown_words(pictures):
    """Which model and threshold the pictures show: the recommended ones, or those that were chosen."""
    said, found = recommended.sentence(data), recommended.recommendation(data)
    at = controls.rule_text(data, pictures.choice.key, pictures.choice.choice)
    if pictures.is_recommended:
        st.markdown(f"{said} The pictures show this recommendation.")
        return
    name = numbers.escape(pictures.choice.predictions.name)
    shown = f"The pictures show {'the choice above instead: ' if found is not None else ''}**{name}, {at}**."
    st.markdown(f"{said} {shown}".strip())


with frame.title_row("Overview"):
    if first.n_judged:
        key = controls.model_control(data)
        choice = controls.rule_controls(data, key)
        recommended.back_button(data, key, choice)
opened_line(data)
pictures = None
if first.n_judged:
    model = data.models[key]
    filters.chips(taxonomy, but=("outcome",))
    where = TaxonomyChoice(data, key, choice, taxonomy.index.get(state.view().under, 0))
    if answers_worked_out(data.digest, key, model, choice):
        found = selection.select(
            model, choice, (data.digest, key), outcome="wrong", order=selection.worst_order(model, choice)
        )
        pictures = overview_pictures.OverviewPictures(where)
        shown_words(pictures)
        place = overview_pictures.draw(pictures, found)
        if any(found.counts.values()):
            st.markdown(f"{controls.setting(data, key, choice)}: {outcomes_text(found.counts, '**{}**')}")
        else:
            st.markdown("No sample matches these filters. Remove one.")
        numbers.definitions(("exact", "correct", "no_answer", "info_recall"), "outcomes", "Definitions:")
        if not pictures.is_recommended:
            recommended.cost(data)
        recommended.on_curves(data)
        left, right = st.columns(2, gap="large")
        left.subheader("Where it goes wrong most")
    else:
        right = st.container()
    with right:
        st.subheader("Models")
        if state.view().filters and (state.view().filters != ["outcome"]):
            st.caption("Of all samples: the filters do not apply to the models.")
        overview_table.models_table(data)
        overview_table.sets_without_threshold(data)
        compare(data, key)
    overview_table.every_metric(data)

what_is_open()
with st.expander("How the files were read", expanded=not first.n_judged):
    account(data)
if pictures is not None:
    # Their test may take a moment: no number waits for it.
    with place:
        overview_pictures.subtrees(pictures)
    if where.answers is not None:
        with left:
            goes_wrong_most(where)
    if pictures.is_recommended:
        table_panel.ahead(Compared(data, list(data.methods)[:MOST], choice))
