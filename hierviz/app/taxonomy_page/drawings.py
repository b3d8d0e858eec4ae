"""The subtree as an icicle coloured by a number, and its mistakes as a treemap; a click goes into a subtree."""

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page.choice import enter
from hierviz.app.taxonomy_page.tree_rows import named
from hierviz.app.widgets import frame
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key

# Matches of a search that are offered.
MOST_FOUND = 8


def icicle(choice):
    """Which number is the colour, and the icicle."""
    place, beside, width = frame.chart_and_controls()
    with beside:
        st.selectbox(
            "Colour",
            choice.columns,
            format_func=lambda key: NODE_COLUMNS[key].label,
            **state.bound("colour", value=choice.colour, width=220),
        )
        st.caption(NODE_COLUMNS[choice.colour].sentence)
    _find(choice, beside)
    if not choice.table.support[choice.root]:
        st.info("No sample has a truth below this class.", icon=":material/info:")
        return
    # The calibration of other subtrees is not looked at here.
    table, value, root = choice.table, choice.colour, choice.root
    drawn = charts.subtree_icicle(table, root, value=value, width=width)
    with place:
        _figure(choice, drawn, "taxonomy-icicle", (value, width))


def _find(choice, where):
    """A field that leads to classes that are too small to see or to hit; a leaf to its parent."""
    taxonomy = choice.taxonomy
    with where:
        words = st.text_input(
            "Find a class", placeholder="part of a name", **state.kept("taxonomy", "find", "", icon=":material/search:")
        ).strip()
        if not words:
            st.caption("Of a class that is too small to see or to hit. The Table lists all.")
            return
        found = named(taxonomy, taxonomy.subtree(choice.root), words)
        if not len(found):
            st.caption("No class of this subtree has such a name.")
        for node in found[:MOST_FOUND].tolist():
            shown = int(taxonomy.parents[node][0]) if taxonomy.is_leaf[node] else node
            title = escape(taxonomy.title(node))
            label = f"{title}, in {escape(taxonomy.title(shown))}" if shown != node else title
            st.button(label, key=f"found-{node}", on_click=_go, args=(taxonomy.names[shown] if shown else "",))
        if len(found) > MOST_FOUND:
            st.caption(f"and {len(found) - MOST_FOUND:,} more: type more of the name")


def _go(name):
    state.memory("taxonomy")["find"] = ""
    enter(name)


def treemap(choice):
    """What counts as a mistake, and the treemap."""
    table, root = choice.table, choice.root
    first = cost_key(table)
    costs = [first, *(["win_lost"] if np.isfinite(table.win_lost).any() else [])]
    cost = first
    place, beside, width = frame.chart_and_controls()
    if len(costs) > 1:
        cost = beside.segmented_control(
            "Area",
            costs,
            format_func=lambda key: {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}[
                key
            ],
            required=True,
            **state.kept("taxonomy", "cost", first),
        )
        beside.caption(NODE_COLUMNS[cost if cost in costs else first].sentence)
    _find(choice, beside)
    cost = cost if cost in costs else first
    if not np.nan_to_num(getattr(table, cost))[choice.taxonomy.subtree(root)].any():
        st.info("There is no mistake below this class.", icon=":material/check:")
        return
    with place:
        drawn = charts.mistake_treemap(table, root, cost=cost, width=width)
        _figure(choice, drawn, "taxonomy-treemap", (cost, width))


def _figure(choice, drawn, name, options):
    key = f"{name}-{choice.of_answer}-{choice.root}-{options}-{state.is_dark()}"
    event = figure(drawn, name=name, select="node", key=key)
    clicked = (event or {}).get("selection", {}).get("node", [])
    target = str(clicked[0].get("target", "")) if clicked else ""
    if target in choice.taxonomy.index:
        enter(target)
        st.rerun()
