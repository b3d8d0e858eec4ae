"""A against B: right and wrong answers of two models crossed, with their samples; the difference tree; who is right together."""

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page import gate_panel, pair_samples
from hierviz.app.compare_page.pair_choice import chosen_pair, thresholds_text
from hierviz.app.state import current
from hierviz.app.state.escape import escape
from hierviz.app.widgets import filters, right_filter, shell, table
from hierviz.app.widgets.figure import below, main_place, part, part_place, title
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.zooming import zooming
from hierviz.comparison._right_together import ALL, NONE
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import probability_text
from hierviz.metrics.registry import METRICS

# By the width of the window, pixels: of the cells and the samples next to them, and of a picture that is alone; heights.
SIZES = {1600: (880, 640, 1540, 620), 1200: (705, 490, 1330, 520), 900: (820, 420, 820, 520), 600: (560, 400, 560, 560)}
SMALLEST = (330, 330, 330, 520)


def draw(data, row):
    """The controls, then one of the three drawings; `row` is that of the title."""
    if len(data.methods) < 2:
        shell.stop("A against B needs two models: open a second one.", "compare_arrows")
    choice = chosen_pair(data, row)
    # Which models are right has a control of its own there.
    filters.chips(data.taxonomy, but=("outcome", "right") if choice.contrast == "together" else ("outcome",))
    if choice.contrast != "together" and not choice.are_answers_made():
        shell.stop()
    try:
        {"cells": _cells, "tree": _tree, "together": lambda choice: _together(choice, row)}[choice.contrast](choice)
    except HiervizError as error:
        shell.stop(f"Not here: {escape(str(error))}")


def _sizes():
    return SIZES.get(state.session.px, SMALLEST)


def _cells(choice):
    made = choice.two_by_two()
    if made is None:
        shell.stop()
    whole, found = made
    if found is None:
        shell.stop(*shell.NO_MATCH)
    row = choice.data.first.predictions.row(state.view().both) if state.view().both else None
    if row is not None:
        pair_samples.both(choice, whole, state.view().both)
        return
    cell = state.view().cell
    a, _, b = cell.partition("-")
    if a not in found.states or b not in found.states:
        a, b = found.first_cell
    wide, tall, _, _ = _sizes()
    drawn = charts.two_by_two(found, chosen=f"{a}-{b}", among=choice.data.method_names, height=tall, width=wide)
    rest = title(drawn.sentence, state.session.px)
    key = (
        f"two-by-two-{choice.where}-{choice.wanted}-{choice.reading}-{choice.level}-{choice.correct}-{state.is_dark()}"
    )

    def clicked():
        points = state.session[key].selection.get("cell") or [{}]
        if points[0].get("cell"):
            state.change(cell=points[0]["cell"], both="")

    def samples():
        pair_samples.gallery_of(choice, found, a, b)

    if state.session.px >= 1200:
        share = wide / state.session.px + 0.0175
        with main_place():
            left, right = st.columns([share, 1 - share], gap="medium")
            with left:
                part(drawn, name="two-by-two", select="cell", clicked=clicked, key=key)
            with right:
                samples()
    else:
        with main_place():
            part(drawn, name="two-by-two", select="cell", clicked=clicked, key=key)
        samples()
    said = [rest, thresholds_text(found), *found.notes]
    if found.points is not None and found is not whole:
        said.append("Thresholds and difference are of all samples, whatever the filters.")
    if max(found.pair.n_runs) > 1:
        said.append("Paler parts of a block: samples that fewer runs agree on.")
    st.caption(
        " ".join(escape(one) for one in said if one) + f" {escape(choice.setting[0].upper() + choice.setting[1:])}."
    )
    pair_samples.rows_of(choice, found, a, b)
    gate_panel.draw(choice)


def _tree(choice):
    made = choice.tree()
    if made is None:
        shell.stop()
    (found,) = made
    if found is None:
        shell.stop(*shell.NO_MATCH)
    _, _, wide, tall = _sizes()
    index = choice.taxonomy.index
    zoomed = index.get(state.view().zoom, 0)
    drawn = charts.difference_tree(found, zoomed if found.n[zoomed] else 0, height=tall, width=wide)
    rest = title(drawn.sentence, wide)

    def chosen(name, is_pressed):
        if is_pressed:
            _open_class(choice, name)
        elif name in index:
            state.change(zoom=name if index[name] else "")

    of = (choice.where, choice.wanted, choice.metric, choice.correction)
    zooming(drawn, of, chosen, key="difference-tree", name=drawn.start, act="Its samples, two by two")
    below(drawn, name="difference-tree", sentence="")
    st.caption(
        "A click on a class zooms into it, and so does Enter; arrow keys go from class to class, Escape goes up. "
        + " ".join(escape(one) for one in (rest, *found.notes) if one)
        + " A class that another one explains keeps less than half of its difference outside it."
    )
    _tree_table(choice, found)
    _not_by_class(choice)


def _open_class(choice, name):
    """Show the samples of a class two by two, in the reading that is nearest to the number."""
    if name in choice.taxonomy.index:
        under = name if choice.taxonomy.index[name] else ""
        state.change(contrast="cells", under=under, reading="named", cell="", both="")


def _tree_table(choice, found):
    st.subheader("Classes, the clear ones first")
    order = found.order
    a, b = found.names
    is_share = METRICS[found.metric].is_share
    scale = 100.0 if is_share else 1.0
    frame = pd.DataFrame(
        {
            "class": pd.Categorical([choice.taxonomy.title(node) for node in order.tolist()]),
            "verdict": pd.Categorical([found.verdict(node) for node in order.tolist()]),
            "difference": scale * found.difference[order],
            "low": scale * found.lower[order],
            "high": scale * found.upper[order],
            "a": scale * found.value_a[order],
            "b": scale * found.value_b[order],
            "n": found.n[order],
            "differ": found.n_differ[order],
            "p": found.p_adjusted[order],
        }
    )
    unit, digits = (" (points)", 1) if is_share else ("", 3)
    columns = {
        "class": table.words("Class"),
        "verdict": table.words("Verdict"),
        "difference": table.number(f"{b} less {a}{unit}", digits),
        "low": table.number("from", digits, help="Interval of this class alone."),
        "high": table.number("to", digits, help="Interval of this class alone."),
        "a": table.number(f"{a}{' (%)' * is_share}", digits),
        "b": table.number(f"{b}{' (%)' * is_share}", digits),
        "n": table.count("Samples"),
        "differ": table.count("different", help="Samples on which the two models have different values."),
        "p": table.number("corrected p", 3),
    }
    key = f"difference-classes-{choice.where}-{choice.metric}-{choice.correction}"
    chosen = table.draw(frame, columns, key=key, select="one", most=430)
    if chosen.place is not None:
        node = int(order[chosen.place])
        name, p = escape(choice.taxonomy.title(node)), probability_text(float(found.p_adjusted[node]))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{name}**: {found.verdict(node) or 'all samples'}, corrected p = {p}",
                width="content",
            )
            st.button(
                "Its samples, two by two",
                icon=":material/grid_view:",
                on_click=_open_class,
                args=(choice, choice.taxonomy.names[node]),
            )
    table.download("All classes (CSV)", found.to_frame, "difference-tree.csv", "get-difference-tree")


def _not_by_class(choice):
    """Numbers that no class has, with the reason."""
    found = state.known("metrics by class", (choice.data.digest, choice.keys)) or {}
    reasons = {}
    for key, reason in found.items():
        if reason is not None:
            reasons.setdefault(reason, []).append(METRICS[key].label)
    if not reasons:
        return
    with st.expander("Numbers that cannot be compared by class"):
        for reason, labels in reasons.items():
            st.markdown(f":gray[{escape(', '.join(dict.fromkeys(labels)))}]: {escape(reason)}.")


def _together(choice, row):
    found = right_filter.together(choice.data)
    if found is None:
        shell.stop("Which models are right together needs one true class and one answer for each sample.")
    beside, tall_beside, wide, tall = _sizes()
    chosen = state.view().right or None
    with row:
        _right_control(found, chosen)
    # The samples are next to the bars, on a phone above them.
    is_beside = chosen is not None and state.session.px >= 1200
    wide, tall = (beside, tall_beside) if is_beside else (wide, tall)
    drawn = charts.right_together(found, among=choice.data.method_names, chosen=chosen, height=tall, width=wide)
    rest = title(drawn.sentence, state.session.px)
    key = f"together-{choice.data.key}-{state.is_dark()}"

    def clicked():
        points = state.session[key].selection.get("right") or [{}]
        if points[0].get("right"):
            state.change(right=str(points[0]["right"]), sample="")

    def bars():
        part(drawn, name="right-together", select="right", clicked=clicked, key=key)

    if is_beside:
        share = wide / state.session.px + 0.0175
        with main_place():
            left, right = st.columns([share, 1 - share], gap="medium")
            with left:
                bars()
            with right:
                _right_samples(choice, found, chosen)
    else:
        if chosen is not None:
            _right_samples(choice, found, chosen)
        with main_place("content"):
            bars()
    st.caption(
        f"{escape(rest)} Right: the most probable leaf is the truth or below it, on the {found.n_samples:,} samples that all "
        "models judge, whatever other filters are set. Its samples are a filter on every page: choose above, or click a bar."
    )


def _right_control(found, chosen):
    """Shows the samples that no model, or every model, has right; another bar that was pressed is there too."""
    options = {"": f"all {found.n_samples:,}"}
    options |= {
        word: f"{right_filter.words(word)} {len(found.select(word)):,}"
        for word in (NONE, ALL, *([chosen] if chosen in right_filter.options() else []))
    }
    tied = current.tied("right-shown", chosen or "", lambda word: state.change(right=word or "", sample=""))
    st.segmented_control(
        "Samples", list(options), format_func=options.get, required=True, label_visibility="collapsed", **tied
    )


def _right_samples(choice, found, chosen):
    """The samples of a bar, and links to them."""
    places = found.select(chosen) if right_filter.options().get(chosen) else np.array([], dtype=np.intp)
    words = right_filter.words(chosen)
    st.markdown(f"**{escape(words[0].upper() + words[1:])}: {len(places):,} samples**")
    with st.container(horizontal=True, gap="small"):
        link_to("mistakes", "These samples in Mistakes", "list", part="list")
        link_to("example", "These samples in Examples", "account_tree", outcome="", sample="")
    with part_place("right-samples"):
        pair_samples.gallery_of_rows(choice, found.rows[places])
