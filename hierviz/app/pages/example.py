"""Why this answer: one sample with its probability tree, win, confusion and numbers, and the list of samples beside it."""

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import controls, filters, sample, selection, shell
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.evaluation.worked import worked_numbers

data = shell.open_data()
taxonomy = data.taxonomy
st.title("Examples")
with st.container(horizontal=True, vertical_alignment="bottom"):
    key = controls.model_control(data)
    choice = controls.rule_controls(data, key)
model = data.models[key]
predictions = model.predictions
reason = model.why_no_mistakes()
if reason and not model.n_judged:
    st.info(f"The samples are in the order of the file: {escape(reason)}.", icon=":material/info:")
elif reason:
    st.caption(f"Ranked by lost hierarchical F1, the largest first: {escape(reason)}.")
if not answers_worked_out(data.digest, key, model, choice):
    shell.stop()
chosen = selection.select(model, choice)
if (lost := state.lost_sample()) is not None:
    st.info(f"The link names sample {escape(lost)}, which is not in these data.", icon=":material/link_off:")

if state.is_narrow():
    beside, main = st.popover("Filter and list of samples", icon=":material/list:"), st.container()
else:
    main, beside = st.columns([0.66, 0.34], gap="large")

with beside:
    selection.controls(chosen, model, data.digest)
    filters.chips(taxonomy, but=("outcome",) if chosen.counts else ())
    if len(chosen.rows):
        view = state.view()
        asked = [getattr(view, name) for name in (*view.filters, "order")]
        selection.sample_list(chosen, taxonomy, f"{key}-{sorted(choice.items())}-{asked}")

with main:
    if not len(chosen.rows):
        st.info("No sample matches these filters. Remove one.", icon=":material/filter_alt_off:")
        shell.stop()
    place, row = chosen.place, int(chosen.rows[chosen.place])
    with st.container(horizontal=True, vertical_alignment="center"):
        last = len(chosen.rows) - 1
        st.button("Previous", icon=":material/arrow_back:", on_click=chosen.go, args=(place - 1,), disabled=place == 0)
        st.button(
            "Next", icon=":material/arrow_forward:", on_click=chosen.go, args=(place + 1,), disabled=place == last
        )
        st.markdown(f"{place + 1:,} of {last + 1:,}")
        st.caption(controls.setting(data, key, choice))

    p = best_leaf = truth = outcome = truths = predicted = None
    if predictions.has_scores:
        p = predictions.node_probabilities(np.array([row]))[0]
        predicted, best_leaf = int(model.answers(**choice)[row]), int(model.best_leaf[row])
    else:
        ends = model.label_paths()
        predicted = None if ends is None else int(ends[row])
    if model.judged[row] and predictions.has_single_truth:
        truth = int(predictions.truth[row])
    elif model.judged[row]:
        truths = predictions.truth[row]
    if chosen.found is not None:
        outcome = chosen.found.outcome[place]

    sample.head(predictions, row, truth, predicted, outcome)
    if p is not None:
        if truths is not None and len(truths) > 1:
            st.markdown(
                "This sample has several true classes. The answer shown is the one class of the inference rule; true classes "
                "that are not on its path count as missed. The Overview evaluates the set of all classes with a score above τ."
            )
        if predictions.has_unknown:
            st.caption("Classes that the file does not list for this sample count as 0 here; their scores are unknown.")
        sample.tree(taxonomy, p, truth if truths is None else truths, predicted)
    if outcome is not None:
        worked = worked_numbers(taxonomy, truth, predicted, p, best_leaf)
        if p is not None:
            sample.win(taxonomy, truth, p, worked)
        sample.paths(taxonomy, truth, predicted, worked)
    elif model.judged[row]:
        sample.matched_paths(model, row, choice)
