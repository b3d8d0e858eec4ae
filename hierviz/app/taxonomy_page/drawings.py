"""The subtree as an icicle coloured by a number, and its mistakes as a treemap; a click goes into a subtree; its levels."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.taxonomy_page.choice import enter, path_to
from hierviz.app.taxonomy_page.departures_panel import draw_departures
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import below, draw, main_place, title, written_out
from hierviz.app.widgets.worst_slices import found_slices
from hierviz.app.widgets.zooming import zooming
from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, usable_columns

CLICK = (
    "A click on a class zooms into it, and so does Enter; arrow keys go from class to class, Escape goes up. Its samples are a "
    "filter on the other pages too, until it is removed."
)
AREAS = {"n_wrong": "wrong answers", "missed": "missed samples", "win_lost": "lost win"}


# Pixels of the cells, by those of the window: the picture is whole in its first screen.
HEIGHTS = {1600: 790, 1200: 610, 900: 560}


def _size():
    """Keywords of a drawing: its width and its height."""
    px = state.session.px
    return {"width": {1600: 1580, 1200: 1270, 900: 860}.get(px, px), "height": HEIGHTS.get(px, 560)}


def _worst(choice):
    """The node that the headline of the page calls the worst, None without one."""
    found = found_slices(choice)
    place = None if found is None else found.worst_subtree
    return None if place is None else found.rows[place].node


def icicle(choice, row, is_said):
    """Which number is the colour, and the icicle."""
    with row:
        pick("Colour", {key: NODE_COLUMNS[key].label for key in choice.columns}, "colour", choice.colour, width=145)
    if not choice.table.support[choice.root]:
        st.info("No sample has a truth below this class.", icon=":material/info:")
    value, size, worst = choice.colour, _size(), _worst(choice)
    # The calibration of other subtrees is not shown here.
    is_plain = value in usable_columns(choice.plain)
    table = choice.plain if is_plain else choice.table
    root = _drawn_root(choice, table.support)
    of = (choice.where, value, worst, *(() if is_plain else (choice.root,)))

    def make(root):
        return charts.subtree_icicle(table, root, value=value, worst=worst, **size)

    _figure(choice, make, root, "taxonomy-icicle", of, is_said)
    st.caption(f"{CLICK} {NODE_COLUMNS[value].label}: {NODE_COLUMNS[value].sentence}")


def treemap(choice, row, is_said):
    """What counts as a mistake, and the treemap."""
    table = choice.plain
    costs = [cost := cost_key(table), *(["win_lost"] if np.isfinite(table.win_lost).any() else [])]
    if len(costs) > 1:
        with row:
            cost = pick("Area", {key: AREAS[key] for key in costs}, ("taxonomy", "cost"), width=145)
    amounts = np.nan_to_num(getattr(table, cost))
    # Where samples have several truths the root has no missed ones itself.
    has_mistakes = amounts.any()
    if not amounts[choice.taxonomy.subtree(choice.root)].any():
        st.info("There is no mistake below this class.", icon=":material/check:")
    if not has_mistakes:
        return
    size, worst = _size(), _worst(choice)
    path = path_to(choice.taxonomy, choice.root).tolist()
    root = next(node for node in reversed(path) if amounts[choice.taxonomy.subtree(node)].any())

    def make(root):
        return charts.mistake_treemap(table, root, cost=cost, worst=worst, **size)

    _figure(choice, make, root, "taxonomy-treemap", (choice.where, cost, worst, *size.values()), is_said)
    st.caption(f"{CLICK} {NODE_COLUMNS[cost].label}: {NODE_COLUMNS[cost].sentence}")


def _drawn_root(choice, amounts):
    """The class that is zoomed into: that of the page, or the nearest one above it that has something to draw."""
    path = path_to(choice.taxonomy, choice.root)
    return int(path[amounts[path] > 0][-1])


def _figure(choice, make, root, name, of, is_said):
    """What `make` gives of all classes, zoomed into one; what is above the picture is of all, so that it stays."""

    def chosen(target, _):
        # A leaf is seen in its parent.
        node = choice.taxonomy.index.get(target, 0)
        node = int(choice.taxonomy.parents[node][0]) if node and choice.taxonomy.is_leaf[node] else node
        enter(choice.taxonomy.names[node] if node else "")

    whole = make(0)
    drawn = make(root) if root else whole
    rest = "" if is_said else title(whole.sentence, whole.width)
    zooming(whole, of, chosen, key=name, name=drawn.start)
    below(drawn, name=name, sentence=drawn.sentence if root or is_said else rest)


# What the tab of the levels draws.
LEVELS = {"counts": "Classes and answers", "departures": "Leaving the path"}


def level_drawing(choice, row):
    """Which picture the tab of the levels draws, chosen where both are defined: a key of `LEVELS`."""
    if not choice.taxonomy.is_tree or choice.model.why_no_mistakes() is not None:
        return "counts"
    with row:
        return pick("Drawing", LEVELS, ("taxonomy", "levels"), width=190)


def leaving(choice, *_):
    """Where answers leave the true path."""
    draw_departures(choice, _size())


def levels(choice, _, is_said):
    """Bars of the levels, their table and labels per sample."""
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
