"""Costs of mistakes edited on the page for the classes at hand: a part of the table of all, which is then used and saved."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state import rule_parameters
from hierviz.app.state.escape import escape
from hierviz.app.state.upload_fields import paste_uploads
from hierviz.app.widgets.table import download
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.registry import infer
from hierviz.messages.errors import HiervizError
from hierviz.readers.costs_file import costs_csv

# Leaves of a taxonomy whose table is made here; leaves that are offered at first, and at most.
MOST_LEAVES, FIRST, MOST = 1000, 4, 10
FILE = "edited-costs.csv"


def cost_editor(parameter, data, model):
    """A small table of costs to change; what is used is a table of all classes, as if it had been uploaded."""
    taxonomy = data.taxonomy
    with st.popover("Edit costs", icon=":material/edit:"):
        if taxonomy.n_leaves > MOST_LEAVES:
            st.markdown(f"Costs of more than {MOST_LEAVES:,} leaf classes are edited in a file.")
            return
        titles = {taxonomy.names[leaf]: taxonomy.title(leaf) for leaf in taxonomy.leaves.tolist()}
        tied = state.kept("costs", "edited", _at_hand(data, model))
        chosen = st.multiselect("Classes", list(titles), format_func=titles.get, max_selections=MOST, **tied)
        if not chosen:
            st.markdown("Choose classes to edit the costs of.")
            return
        now = rule_parameters.rule_settings(taxonomy)[parameter.name]
        try:
            costs, answers = _with_answers(taxonomy, now, chosen)
        except HiervizError as error:
            st.error(escape(str(error)))
            return
        shown = pd.DataFrame(costs.part(taxonomy, answers, chosen), index=answers, columns=chosen)
        leaves_only = " By this rule inner classes are no answers." if state.view().rule == "crm_leaf" else ""
        st.caption(
            "Costs: a row for each answer, a column for each true class; all other costs stay as they are."
            + leaves_only
        )
        edited = st.data_editor(shown, key=f"costs_{hash((tuple(chosen), str(now)))}", disabled=False)
        try:
            made = costs.changed(taxonomy, answers, chosen, edited.to_numpy(dtype=float), FILE)
        except HiervizError as error:
            st.error(escape(str(error)))
            return
        st.markdown(_answer_by(made, parameter, data, model))
        with st.container(horizontal=True):
            st.button("Use these costs", type="primary", on_click=_use, args=(parameter.name, made), key="use_costs")
            download("Save as CSV", lambda: costs_csv(made), FILE, "get-costs")


def _answer_by(costs, parameter, data, model):
    """What the edited costs make of the sample that is shown, in Markdown; empty without one."""
    row = _row(data.models[model].predictions)
    if row is None:
        return ""
    p = data.models[model].predictions.node_probabilities(np.array([row]))
    now, then = (
        escape(data.taxonomy.title(int(infer(data.taxonomy, p, state.view().rule, **{parameter.name: cost})[0])))
        for cost in (rule_parameters.rule_settings(data.taxonomy)[parameter.name], costs)
    )
    return (
        f"Answer to this sample: **{now}**, also by these costs"
        if now == then
        else f"Answer: **{then}**, instead of **{now}**"
    )


def _row(predictions):
    """Row of the sample that is shown, None without one."""
    return predictions.row_of.get(state.view().sample) if state.view().sample else None


def _use(name, costs):
    paste_uploads({name: (FILE, costs_csv(costs))})
    rule_parameters.change_parameter(name, FILE)


def _with_answers(taxonomy, now, chosen):
    """The costs in use with rows of all ancestors of the chosen leaves, and the names of the answers."""
    # A class with one child is no answer by a cost with a name; all others stay answers, wherever they are.
    inner = taxonomy.candidates[~taxonomy.is_leaf[taxonomy.candidates]]
    up = np.intersect1d(taxonomy.ancestors(taxonomy.nodes(*chosen)).nodes, inner)
    above = [taxonomy.names[node] for node in up.tolist()]
    if not isinstance(now, LeafCosts):
        every = [taxonomy.names[node] for node in inner.tolist()]
        return LeafCosts.of_cost(taxonomy, now, inner=every), [*above, *chosen]
    missing = [name for name in above if name not in now.inner]
    if missing:
        # What a table says nothing about costs the mean over the leaves below.
        nodes, n = taxonomy.nodes(*missing), taxonomy.n_leaves
        rows = now.of_nodes(taxonomy, np.repeat(nodes, n), np.tile(taxonomy.leaves, len(nodes))).reshape(-1, n)
        values = np.concatenate([now.values, rows])
        now = LeafCosts.from_array(taxonomy, values, now.name, inner=[*now.inner, *missing])
    return now, [*above, *chosen]


def _at_hand(data, model):
    """Names of the most probable leaves of the sample that is shown and of its truth, else of the most frequent truths."""
    taxonomy, predictions = data.taxonomy, data.models[model].predictions
    row = _row(predictions)
    if row is not None:
        of_leaves = predictions.node_probabilities(np.array([row]))[0][taxonomy.leaves]
    else:
        truth = predictions.truth
        known = truth[truth >= 0] if isinstance(truth, np.ndarray) else np.empty(0, np.intp)
        of_leaves = np.bincount(known, minlength=taxonomy.n_nodes)[taxonomy.leaves]
    places = np.argsort(-of_leaves, kind="stable")[:FIRST]
    leaves = np.sort(taxonomy.leaves[places])
    truth = -1 if row is None or not predictions.has_single_truth else int(predictions.truth[row])
    if truth >= 0 and taxonomy.is_leaf[truth]:
        leaves = np.union1d(leaves, truth)
    return [taxonomy.names[leaf] for leaf in leaves.tolist()]
