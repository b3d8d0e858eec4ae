"""The subtree as an icicle coloured by a number, and its mistakes as a treemap; a click goes into a subtree; its levels."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page.choice import enter
from hierviz.app.taxonomy_page.tree_table import named
from hierviz.app.widgets import frame, table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key

# Matches of a search that are offered.
MOST_FOUND = 8
AREAS = {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}


def icicle(choice):
    """Which number is the colour, and the icicle."""
    place, controls, width = frame.chart_and_controls()
    with controls:
        pick("Colour", {key: NODE_COLUMNS[key].label for key in choice.columns}, "colour", choice.colour, width=220)
        st.caption(NODE_COLUMNS[choice.colour].sentence)
    _find(choice, controls)
    if not choice.table.support[choice.root]:
        st.info("No sample has a truth below this class.", icon=":material/info:")
        return
    # The calibration of other subtrees is not shown here.
    table, value, root = choice.table, choice.colour, choice.root
    drawn = charts.subtree_icicle(table, root, value=value, width=width)
    with place:
        _figure(choice, drawn, "taxonomy-icicle", (value, width))


def _find(choice, where):
    """A field that opens classes that are too small to see or to click; a leaf to its parent."""
    taxonomy = choice.taxonomy

    def go(name):
        state.memory("taxonomy")["find"] = ""
        enter(name)

    with where:
        words = st.text_input(
            "Find a class", placeholder="part of a name", **state.kept("taxonomy", "find", "", icon=":material/search:")
        ).strip()
        if not words:
            st.caption("For classes that are too small to see or to click. The table lists all.")
            return
        found = named(taxonomy, taxonomy.subtree(choice.root), words)
        if not len(found):
            st.caption("No class of this subtree has this name.")
        for node in found[:MOST_FOUND].tolist():
            shown = int(taxonomy.parents[node][0]) if taxonomy.is_leaf[node] else node
            title = escape(taxonomy.title(node))
            label = f"{title}, in {escape(taxonomy.title(shown))}" if shown != node else title
            st.button(label, key=f"found-{node}", on_click=go, args=(taxonomy.names[shown] if shown else "",))
        if len(found) > MOST_FOUND:
            st.caption(f"and {len(found) - MOST_FOUND:,} more: type more of the name")


def treemap(choice):
    """What counts as a mistake, and the treemap."""
    table, root = choice.table, choice.root
    costs = [cost := cost_key(table), *(["win_lost"] if np.isfinite(table.win_lost).any() else [])]
    place, controls, width = frame.chart_and_controls()
    if len(costs) > 1:
        with controls:
            cost = pick("Area", {key: AREAS[key] for key in costs}, ("taxonomy", "cost"), segmented=True)
            st.caption(NODE_COLUMNS[cost].sentence)
    _find(choice, controls)
    if not np.nan_to_num(getattr(table, cost))[choice.taxonomy.subtree(root)].any():
        st.info("There is no mistake below this class.", icon=":material/check:")
        return
    with place:
        drawn = charts.mistake_treemap(table, root, cost=cost, width=width)
        _figure(choice, drawn, "taxonomy-treemap", (cost, width))


def _figure(choice, drawn, name, options):
    key = f"{name}-{choice.where}-{choice.root}-{options}-{state.is_dark()}"
    event = figure(drawn, name=name, select="node", key=key)
    clicked = (event or {}).get("selection", {}).get("node", [])
    target = str(clicked[0].get("target", "")) if clicked else ""
    if target in choice.taxonomy.index:
        enter(target)
        st.rerun()


def levels(choice):
    """Bars of the levels, their table, and labels per sample."""
    shown = choice.levels
    st.markdown(
        "For each depth (edges from the root): its classes, the truths that are classes of this depth, and the answers that "
        "stop there."
    )
    figure(charts.level_bars(shown, width=min(state.session.px, 900)), name="taxonomy-levels")
    cost, frame = NODE_COLUMNS[shown.cost_key].label.lower(), shown.to_frame()
    columns = {
        "depth": "Depth",
        "n_nodes": table.count("Classes"),
        "n_leaves": table.count("Leaves"),
        "n_supported": table.count("With samples", "Classes with a truth at or below them."),
        "support": table.count("Support", "Samples with a truth at this depth or deeper."),
        "truths": table.count("Truths here"),
        "answers": table.count("Answers here"),
        "worst": table.words(f"Most {cost}", help=f"The class of this depth with the most {cost} samples."),
        shown.cost_key: table.count(cost.capitalize()),
    }
    table.draw(frame[frame["n_nodes"] > 0], columns, key="levels")
    st.markdown("**Classes per sample**, as listed, in the whole taxonomy:")
    per = choice.per_sample
    counts = {"truths": pd.Series(per.truths_per_sample), "answers": pd.Series(per.answers_per_sample)}
    per_sample = pd.DataFrame(counts).fillna(0).astype(int).rename_axis("classes").reset_index()
    per_sample = per_sample[(per_sample["truths"] > 0) | (per_sample["answers"] > 0)]
    full = int(per_sample[["truths", "answers"]].max().max())
    columns = {
        "classes": "Classes",
        "truths": table.bar("Samples with this many true classes", full),
        "answers": table.bar("with this many answers", full),
    }
    table.draw(per_sample, columns, key="per-sample", width=460)
