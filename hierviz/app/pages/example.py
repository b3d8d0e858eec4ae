"""Why this answer: one sample with its probabilities, win and confusion in one drawing, whose threshold is dragged."""

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels.conformal_panel import conformal_line, conformal_lines
from hierviz.app.example_page import side_by_side
from hierviz.app.example_page.several_answers import several_answers
from hierviz.app.example_page.training_panel import training_panel
from hierviz.app.example_page.tree_panel import tree_panel
from hierviz.app.example_page.unknown_scores import node_intervals, unknown_scores
from hierviz.app.example_page.where_it_looks import looks_panel
from hierviz.app.example_page.why_panel import why_panel, why_sentence
from hierviz.app.model_page.where_it_looks import LABEL, LOOKS
from hierviz.app.state.escape import escape
from hierviz.app.widgets import controls, filters, frame, sample, selection, shell
from hierviz.app.widgets.confidence import confidence_line
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.living import living
from hierviz.app.widgets.looked import is_offered
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.app.widgets.sample_keys import sample_keys
from hierviz.app.widgets.typical_panel import typical_panel
from hierviz.charts import level_answers
from hierviz.diagnosis.sample_answers import sample_confusion
from hierviz.evaluation.worked import worked_numbers
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.predictions.outside import OUTSIDE_AT_LEVEL

LADDER = "ladder"
DRAWINGS = {LADDER: "Ladder"} | sample.STYLES
# Samples whose drawings the browser gets before they are asked for, in steps from the one that is shown.
NEAR = (1, 2, -1)

data = shell.open_data()
taxonomy = data.taxonomy
can_look = is_offered(data, state.shown_model_of(data.models))
is_looks = can_look and state.view().tree == LOOKS
is_ladder = state.view().tree in (LADDER, LOOKS) and not is_looks
is_tree_drawn = not (is_ladder or is_looks)
with frame.title_row("Examples") as title_row:
    # The ladder has controls of its own, which do not wait for the server.
    key = state.shown_model_of(data.models) if is_ladder else controls.model_control(data)
    model = data.models[key]
    reason = model.why_no_mistakes()
    # Sets are no answers that can be ranked one by one.
    choice = controls.rule_controls(data, key, sets=reason is not None, numbers=not is_ladder)
predictions = model.predictions
if not answers_worked_out(data.digest, key, model, choice):
    shell.stop()
chosen = selection.select(model, choice, (data.digest, key))
place, last = chosen.place, len(chosen.rows) - 1

is_narrow = state.is_narrow()
with title_row:
    for label, icon, to, stop in (("Previous", "arrow_back", -1, 0), ("Next", "arrow_forward", 1, last)):
        st.button(
            f":material/{icon}:" if is_narrow else label,
            key=f"{label.lower()}-sample",
            icon=None if is_narrow else f":material/{icon}:",
            on_click=chosen.step,
            args=(to,),
            disabled=place == stop or last < 0,
            help=f"{label} sample. Keys: ← → or k j",
        )
    st.markdown(f"{place + 1:,} of {last + 1:,}" if last >= 0 else "No samples", width="content")
    with st.popover("Samples", icon=":material/list:", key="samples-drawer"):
        if reason and not model.n_judged:
            st.caption(f"The samples are in the order of the file: {escape(reason)}.")
        elif reason:
            st.caption(
                f"Ranked by lost hierarchical F1, the largest first. Other rankings are left out: {escape(reason)}."
            )
        selection.controls(chosen, model, choice, data.digest)
        filters.chips(taxonomy, but=("outcome",) if chosen.counts else ())
        if len(chosen.rows):
            view = state.view()
            asked = [getattr(view, name) for name in (*view.filters, "order")]
            selection.sample_list(chosen, taxonomy, f"{key}-{sorted(choice.items())}-{asked}")
    drawings = DRAWINGS | {LOOKS: LABEL} if can_look else DRAWINGS
    controls.pick("Drawing", drawings, "tree", segmented=not is_narrow, label_visibility="collapsed")
    asks = is_ladder and state.view().ask == "yes"
    if is_ladder:
        look = state.bound("ask", value=asks, back=lambda is_on: "yes" if is_on else "", is_left_alone=True)
        st.toggle(
            "Ask first", help="Asks which answer is given and opens the ladder row by row. Keys: Space or ↓", **look
        )
    sample_keys()

if last < 0:
    shell.stop("No sample matches these filters. Remove one.", "filter_alt_off")
row = int(chosen.rows[place])
# The address names none at first: what is saved names the one that is shown.
state.memory("shown sample")["id"] = predictions.sample_id(row)
p = best_leaf = truth = outcome = truths = predicted = None
if predictions.has_scores:
    p = predictions.node_probabilities(np.array([row]))[0]
    answer, best_leaf = model.answers(**choice)[row], int(model.best_leaf[row])
    predicted = answer.tolist() if isinstance(answer, np.ndarray) else int(answer)
else:
    ends = model.label_paths()
    predicted = None if ends is None else int(ends[row])
if model.judged[row] and predictions.has_single_truth:
    truth = int(predictions.truth[row])
elif model.judged[row]:
    truths = predictions.truth[row]
if chosen.found is not None:
    outcome = chosen.found.outcome[place]
by_rule = side_by_side.answers_of(data, key, row, choice)
terms = next((one.breakdown for one in by_rule.values()), None)
worked = {} if outcome is None else worked_numbers(taxonomy, truth, predicted, p, best_leaf, terms=terms)

if p is not None and not is_tree_drawn and not asks:
    # Below a drawing that is as high as the window nobody sees it.
    confidence_line(data, key, row, choice)
if is_looks:
    if p is not None:
        conformal_line(data, key, row)
    looks_panel(data, key, row, p, predicted, truth, outcome, chosen, choice)
elif is_ladder:
    if not asks:
        sample.answer_text(predictions, row)
    near = {step: chosen.rows[place + step] for step in NEAR if 0 <= place + step <= last}
    samples = {step: predictions.sample_id(int(one)) for step, one in {0: row, **near}.items()}
    living(data, key, choice, samples, asks, {} if asks else conformal_lines(data, samples.values()))
    if asks:
        # What comes below says the answer.
        shell.stop()
else:
    why = why_sentence(model, row, choice) if p is not None else ""
    st.caption(controls.setting(data, key, choice, last + 1 if model.n_judged else None))
    sample.head(predictions, row, truth, predicted, outcome, why)
    if p is not None:
        conformal_line(data, key, row)
    if outcome is not None and terms is not None:
        sample.head_win(terms, worked)
if p is not None:
    if truths is not None and len(truths) > 1 and not isinstance(predicted, list):
        st.markdown(
            "This sample has several true classes. The answer shown is the one class of the inference rule; true classes "
            "that are not on its path count as missed. The Overview evaluates the set of all classes with a score above τ."
            f" The rule *{INFERENCE_RULES['threshold_set'].label}* shows that set here."
        )
    if is_tree_drawn:
        confidence_line(data, key, row, choice)
    unknown_scores(predictions, row, truth)
    several_answers(predictions, row, predicted)
    if taxonomy.is_tree and is_tree_drawn:
        bounds = node_intervals(predictions, row)
        tree_panel(taxonomy, p, truth if truths is None else truths, predicted, predictions.sample_id(row), bounds)
    elif not taxonomy.is_tree and not model.judged[row]:
        sample.tree(taxonomy, p, None, predicted)
counts = None
if outcome is None and model.judged[row]:
    # Several paths, or a graph.
    counts = sample_confusion(model, row, **choice)
    listed = predictions.labels[row] if p is None else np.atleast_1d(np.array(predicted, dtype=int))
    sample.path_graph(taxonomy, counts, 0, p, np.atleast_1d(predictions.truth[row]), listed)
if predictions.is_by_level and taxonomy.is_tree:
    st.markdown("**Answers by level**")
    # Labels have -1 for an answer outside the taxonomy, levels for none.
    levels = [OUTSIDE_AT_LEVEL if node < 0 else node for node in predictions.labels[row].tolist()]
    if levels:
        figure(level_answers(taxonomy, levels, truth, width=state.main_width()), name="levels")
if p is not None and is_tree_drawn:
    why_panel(model, key, row, choice)
training_panel(data, key, row, choice)
if outcome is not None and isinstance(predicted, int):
    typical_panel(data, key, row, choice, truth, predicted)


def every_metric():
    """The win, the paths and the metrics of the answer."""
    if outcome is not None:
        if terms is not None:
            sample.win(taxonomy, terms, worked)
        sample.paths(taxonomy, truth, predicted, worked)
    elif counts is not None:
        sample.path_counts(taxonomy, counts, 0, sample.given_outside(predictions, row))
    else:
        st.caption("The truth of this sample is unknown: there is nothing to compare its answer with.")


frame.unfolded(
    "All rules and models on this sample",
    "all-rules",
    lambda: side_by_side.panels(data, key, row, choice, by_rule),
    ":material/table_rows:",
)
frame.unfolded("Win, paths and metrics of this answer", "metrics", every_metric, ":material/functions:")
