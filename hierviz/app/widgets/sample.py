"""The panels of one sample: what it is, its probability tree, its win, and its two paths."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import figure, picture_url
from hierviz.app.widgets.numbers import number
from hierviz.metrics import METRICS, win_breakdown
from hierviz.metrics.confusion.confusion import confusion

VERDICTS = {"exact": ":green[exact]", "coarse": ":blue[correct but coarse]", "wrong": ":orange[wrong]"}
STYLES = {"icicle": "Blocks", "node-link": "Branches", "list": "List"}
SHOWN_ELSEWHERE = ("image", "file", "text", "path")
WIN = ("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy", "one_hot_win")
CELLS = ("tp", "fp", "fn", "tn", "hp", "hr", "hf1")


def head(predictions, row, truth, predicted, outcome):
    """Picture or text, truth and answer with their paths, and what else is known of the sample."""
    taxonomy = predictions.taxonomy
    picture, text = predictions.picture(row), predictions.text(row)
    with st.container(horizontal=True, vertical_alignment="top", gap="medium"):
        if picture:
            st.image(picture_url(picture), width=150, alt=f"Sample {predictions.sample_id(row)}")
        with st.container():
            st.markdown(f"#### {escape(predictions.sample_id(row))}")
            lists = None if predictions.truth is None or predictions.has_single_truth else predictions.truth
            if truth is not None or lists is not None:
                st.markdown(f"Truth: {_named(taxonomy, truth, lists, row)}")
            verdict = f" — {VERDICTS[outcome]}" if outcome else ""
            if outcome == "coarse" and predicted == 0:
                verdict += " (the root, no information)"
            st.markdown(f"Answer: {_named(taxonomy, predicted, predictions.labels, row, verdict)}")
            known = {k: v[row] for k, v in predictions.attributes.items() if k not in SHOWN_ELSEWHERE and v[row] != ""}
            if known:
                st.caption(" · ".join(f"{escape(str(key))}: {escape(str(value))}" for key, value in known.items()))
    if text:
        st.markdown(f"> {escape(text)}")


def _named(taxonomy, node, lists, row, verdict=""):
    """A node in bold with its path below it, or a list of nodes; -1 is an empty label."""
    if node is None:
        return (
            "; ".join(f"**{escape(taxonomy.title(node))}**" if node >= 0 else "(empty)" for node in lists[row])
            or "nothing"
        )
    steps = taxonomy.path(node)[1:] if taxonomy.is_tree else []
    route = " › ".join(escape(taxonomy.title(step)) for step in steps)
    return f"**{escape(taxonomy.title(node))}**{verdict}  \n:gray[{route}]"


def tree(taxonomy, p, truth, predicted):
    """The probability tree."""
    st.subheader("Probability tree")
    if not taxonomy.is_tree:
        top = np.argsort(-p, kind="stable")[:30]
        st.dataframe({"class": [taxonomy.title(node) for node in top.tolist()], "p": p[top]}, hide_index=True)
        st.markdown(
            "The thirty most probable classes. A tree is drawn only for taxonomies in which every class has one parent."
        )
        return
    nodes, width = {"truth": truth, "predicted": predicted}, state.main_width()
    style = _style(charts.refused_styles(taxonomy, p, **nodes, width=width))
    figure(
        charts.probability_tree(taxonomy, p, **nodes, style=style, dark=state.is_dark(), width=width),
        name="probability-tree",
        sentence=charts.probability_tree_sentence(taxonomy, p, **nodes, style=style, width=width),
        table=charts.probability_tree_table(taxonomy, p, **nodes),
    )


def _style(refused):
    """The drawing that the visitor chose among those that serve, else the list; the page says why the others do not."""
    if state.is_narrow():
        refused = dict.fromkeys(("icicle", "node-link"), "the window is too narrow")
    offered = [style for style in STYLES if style not in refused]
    style = state.view().tree if state.view().tree in offered else "list"
    is_alone = offered == ["list"]
    st.segmented_control(
        "Draw as",
        list(STYLES) if is_alone else offered,
        format_func=STYLES.get,
        required=True,
        disabled=is_alone,
        label_visibility="collapsed",
        **state.bound("tree", value=style),
    )
    reasons = {}
    for refused_style, why in refused.items():
        reasons.setdefault(why, []).append(STYLES[refused_style])
    for why, names in reasons.items():
        verb = "is" if len(names) == 1 else "are"
        st.caption(f":material/block: {' and '.join(names)} {verb} not possible here: {escape(why)}.")
    return style


def win(taxonomy, truth, p, worked):
    """The win, level by level."""
    st.subheader("Win by level")
    terms = win_breakdown(taxonomy, truth, p)
    figure(
        charts.win_breakdown(taxonomy, terms, dark=state.is_dark(), width=state.main_width()),
        name="win",
        sentence=charts.win_breakdown_sentence(taxonomy, terms),
        table=charts.win_breakdown_table(taxonomy, terms),
    )
    _numbers(worked, WIN)


def paths(taxonomy, truth, predicted, worked):
    """The answer's path against the true path."""
    st.subheader("Predicted and true path")
    cells = confusion(taxonomy, np.array([truth]), np.array([predicted]))
    figure(
        charts.confusion_breakdown(taxonomy, cells, 0, dark=state.is_dark(), width=state.main_width()),
        name="confusion",
        sentence=charts.confusion_breakdown_sentence(taxonomy, cells, 0),
        table=charts.confusion_breakdown_table(taxonomy, cells, 0),
    )
    _numbers(worked, CELLS)
    st.subheader("Metrics of the answer")
    _numbers(worked, [key for key, entry in METRICS.items() if entry.block == "predicted"])
    st.caption("Click a number for its definition and its calculation for this sample.")


def matched_paths(model, row, choice):
    """Several paths: which predicted path is judged by which true one, and the nodes behind the counts."""
    st.subheader("Predicted and true paths")
    taxonomy, place = model.taxonomy, int(np.searchsorted(model.rows, row))
    confusion_counts = model.confusion(**choice)
    figure(
        charts.confusion_breakdown(taxonomy, confusion_counts, place, dark=state.is_dark(), width=state.main_width()),
        name="confusion",
        sentence=charts.confusion_breakdown_sentence(taxonomy, confusion_counts, place),
        table=charts.confusion_breakdown_table(taxonomy, confusion_counts, place),
    )
    matched = confusion_counts.pairs(place)

    def route(path):
        names = (taxonomy.title(node) if node >= 0 else "(empty)" for node in path[1:].tolist())
        return " › ".join(names) or "nothing"

    rows = [
        (route(pair.predicted), route(pair.true), *map(len, (pair.tp, pair.fp, pair.fn, pair.tn)))
        for pair in matched.pairs
    ]
    rows += [(route(path), "(no match)", 0, len(path) - 1, 0, 0) for path in matched.surplus]
    rows += [("(no match)", route(path), 0, 0, len(path) - 1, 0) for path in matched.left_over]
    st.dataframe(pd.DataFrame(rows, columns=["answer", "truth", "TP", "FP", "FN", "TN"]), hide_index=True)
    st.markdown("Each predicted path is matched with the true path that shares the longest prefix with it.")
    with st.container(horizontal=True, gap="small"):
        for key in CELLS:
            number(key, confusion_counts.per_sample[key][place].item(), where="sample")


def _numbers(worked, keys):
    with st.container(horizontal=True, gap="small"):
        for key in keys:
            if key in worked:
                number(key, worked[key].value, worked[key].arithmetic, where="sample")
