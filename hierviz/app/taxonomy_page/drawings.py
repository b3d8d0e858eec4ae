"""The subtree as an icicle coloured by a number, and its mistakes as a treemap; a click goes into a subtree; its levels."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page.choice import enter
from hierviz.app.taxonomy_page.departures_panel import draw_departures
from hierviz.app.taxonomy_page.tree_table import named
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, draw, main_place, title, written_out
from hierviz.app.widgets.worst_slices import found_slices
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key

# Matches of a search that are offered.
MOST_FOUND = 8
CLICK = "A click on a class opens its subtree."
AREAS = {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}


# Pixels of the cells, by those of the window: the picture is whole in its first screen.
HEIGHTS = {1600: 790, 1200: 610, 900: 560}


def _size():
    """Keywords of a drawing: its width and its height."""
    px = state.session.px
    return {"width": {1600: 1580, 1200: 1270, 900: 860}.get(px, px), "height": HEIGHTS.get(px, 560)}


def _worst(choice):
    """The node that the headline of the page calls the worst, None without one."""
    found = None if choice.root else found_slices(choice)
    place = None if found is None else found.worst_subtree
    return None if place is None else found.rows[place].node


def icicle(choice, row, is_said):
    """Which number is the colour, and the icicle."""
    with row:
        pick("Colour", {key: NODE_COLUMNS[key].label for key in choice.columns}, "colour", choice.colour, width=145)
    if not choice.table.support[choice.root]:
        st.info("No sample has a truth below this class.", icon=":material/info:")
        _find(choice)
        return
    # The calibration of other subtrees is not shown here.
    table, value, root = choice.table, choice.colour, choice.root
    size, worst = _size(), _worst(choice)
    drawn = charts.subtree_icicle(table, root, value=value, worst=worst, **size)
    _figure(choice, drawn, "taxonomy-icicle", (value, worst, *size.values()), is_said)
    st.caption(f"{CLICK} {NODE_COLUMNS[value].label}: {NODE_COLUMNS[value].sentence}")
    _find(choice)


def _find(choice):
    """A field that opens classes that are too small to see or to click; a leaf to its parent."""
    taxonomy = choice.taxonomy

    def go(name):
        state.memory("taxonomy")["find"] = ""
        enter(name)

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
        called = escape(taxonomy.title(node))
        label = f"{called}, in {escape(taxonomy.title(shown))}" if shown != node else called
        st.button(label, key=f"found-{node}", on_click=go, args=(taxonomy.names[shown] if shown else "",))
    if len(found) > MOST_FOUND:
        st.caption(f"and {len(found) - MOST_FOUND:,} more: type more of the name")


def treemap(choice, row, is_said):
    """What counts as a mistake, and the treemap."""
    table, root = choice.table, choice.root
    costs = [cost := cost_key(table), *(["win_lost"] if np.isfinite(table.win_lost).any() else [])]
    if len(costs) > 1:
        with row:
            cost = pick("Area", {key: AREAS[key] for key in costs}, ("taxonomy", "cost"), width=145)
    if not np.nan_to_num(getattr(table, cost))[choice.taxonomy.subtree(root)].any():
        st.info("There is no mistake below this class.", icon=":material/check:")
        _find(choice)
        return
    size, worst = _size(), _worst(choice)
    drawn = charts.mistake_treemap(table, root, cost=cost, worst=worst, **size)
    _figure(choice, drawn, "taxonomy-treemap", (cost, worst, *size.values()), is_said)
    st.caption(f"{CLICK} {NODE_COLUMNS[cost].label}: {NODE_COLUMNS[cost].sentence}")
    _find(choice)


def _figure(choice, drawn, name, options, is_said):
    key = f"{name}-{choice.where}-{choice.root}-{options}-{state.is_dark()}"
    rest = drawn.sentence if is_said else title(drawn.sentence, drawn.width)
    with main_place("content"):
        event = draw(written_out(drawn), key=key, alt=drawn.sentence, on_select="rerun", selection_mode="node")
    below(drawn, name=name, sentence=rest)
    clicked = (event or {}).get("selection", {}).get("node", [])
    target = str(clicked[0].get("target", "")) if clicked else ""
    if target in choice.taxonomy.index:
        enter(target)
        st.rerun()


# What the tab of the levels draws.
LEVELS = {"counts": "Classes and answers", "departures": "Leaving the path"}


def levels(choice, row, is_said):
    """Bars of the levels, their table and labels per sample; or where answers leave the path, where that is defined."""
    if choice.taxonomy.is_tree and choice.model.why_no_mistakes() is None:
        with row:
            drawing = pick("Drawing", LEVELS, ("taxonomy", "levels"), width=190)
        if drawing == "departures":
            draw_departures(choice, _size(), is_said)
            return
    shown = choice.levels
    drawn = charts.level_bars(shown, width=_size()["width"])
    rest = drawn.sentence if is_said else title(drawn.sentence, drawn.width)
    with main_place("content"):
        draw(written_out(drawn), key="chart-taxonomy-levels", alt=drawn.sentence)
    below(drawn, name="taxonomy-levels", sentence=rest)
    st.markdown(
        "For each depth (edges from the root): its classes, the truths that are classes of this depth, and the answers that "
        "stop there."
    )
    cost, frame = NODE_COLUMNS[shown.cost_key].label.lower(), shown.to_frame()
    columns = {
        "depth": "Depth",
        "n_nodes": table.count("Classes"),
        "n_leaves": table.count("Leaves"),
        "n_supported": table.count("With samples", "Classes with a truth at or below them."),
        "support": table.count("Support", "Samples with a truth at this depth or deeper."),
        "truths": table.count("Truths here"),
        "answers": table.count("Answers here"),
        "worst": table.words(
            "Worst class",
            help=f"The class of this depth with the most {cost} samples beyond those expected of its support.",
        ),
        shown.cost_key: table.count(cost.capitalize()),
        "excess": table.number("More than expected", 1, help="Below 0 where all classes of this depth are better."),
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
