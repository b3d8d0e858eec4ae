"""Are the probabilities calibrated? Reliability diagrams of depths and classes, and why leaves do not answer for parents."""

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.taxonomy_page.choice import example
from hierviz.app.widgets import table
from hierviz.app.widgets.figure import below, figure, main_place, written_out
from hierviz.app.widgets.figure import draw as draw_spec
from hierviz.app.widgets.frame import unfolded
from hierviz.diagnosis._confidence_reliability import confidence_reliability, confidence_sentence
from hierviz.diagnosis._overconfidence import depths_sentence
from hierviz.messages.number_text import fixed_text

# Diagrams that are drawn at a time.
MOST_DIAGRAMS, MOST_DEPTHS = 6, 8
COLUMNS = {
    "subject": "Class",
    "calibrated": "Calibrated",
    "ece": table.number("ECE", help="Expected calibration error."),
    "null_mean": table.number("if calibrated", help="Mean error of a calibrated model with these probabilities."),
    "null_high": table.number("95 % below", help="95 % of calibrated models have a smaller error than this."),
    "mean_p": table.number("Mean p"),
    "rate": table.number("Share of events"),
    "n": table.count("Samples"),
    "n_left_out": table.count("Left out", "Samples whose truth is above the class."),
    "p_adjusted": table.number("Adjusted p-value"),
}

SUBTREES = {
    "subject": "Class",
    "direction": "Confidence",
    "mean_p": table.number("Says"),
    "rate": table.number("Right"),
    "lower": table.number("from"),
    "upper": table.number("to"),
    "n": table.count("Samples"),
    "p_adjusted": table.number("Adjusted p-value"),
}

WORDS = (
    "A model is **calibrated** where events that it gives a probability of 0.7 happen in 70 % of the cases. Samples are put "
    "into bins of about equal size by their probability; the **expected calibration error** (ECE) is the mean distance between "
    "the mean probability and the share of events in these bins. It is above 0 even for a calibrated "
    "model: it is compared with the errors of 999 calibrated models, whose outcomes are drawn from the same probabilities. "
    "**✗** marks an error above 95 % of these, after the Benjamini-Hochberg correction for several tests (false discovery rate "
    "5 %)."
)


def draw(choice, *_):
    """The two kinds of diagrams and the example."""
    if not choice.has_calibration:
        st.info("Calibration needs scores and a known truth; this file holds labels.", icon=":material/info:")
        _example()
        return
    if choice.taxonomy.is_tree:
        _depths(choice)
    else:
        st.info("Depths need a tree: in this graph some classes have several parents.", icon=":material/info:")
    _answers(choice)
    st.markdown(WORDS)
    if choice.taxonomy.is_tree:
        _subtrees(choice)
    st.subheader("By class")
    _classes(choice)
    _example()


def _answers(choice):
    """The confidence of the answers before and after the map that the visitor chose; nothing without one."""
    if choice.confidence is None or choice.answered_here is None:
        return
    st.subheader("Confidence of the answers")
    found = choice.computed(
        "confidence reliability",
        lambda: confidence_reliability(choice.confidence, choice.answered_here.rows),
        *(choice.root, choice.confidence.how, choice.confidence.group),
    )
    st.markdown(escape(confidence_sentence(choice.confidence, found)))
    _diagrams(found, range(len(found)), "calibration-answers")


def _subtrees(choice):
    """All subtrees with enough samples."""
    found = choice.overconfidence
    if not len(found):
        return
    st.subheader("Confidence by subtree")
    table.draw(found.to_frame(), SUBTREES, key=f"confident-{choice.key}-{choice.root}", most=318)
    st.caption(
        "*Says*: mean probability of the most probable leaf, of the samples whose most probable leaf is at or below the class; "
        "*right*: share of these leaves that are true, with its 95 % interval. Named as over- or underconfident where the "
        "difference is clear among all these subtrees (false discovery rate 5 %)."
    )


def _depths(choice):
    if choice.answered_here is None:
        st.info("No answer is at or below this class.", icon=":material/info:")
        return
    found = choice.calibration_of_depths
    if found is None:
        return
    # The title is what is clear; how many diagrams look calibrated is below them.
    said = f"{escape(choice.overconfidence.sentence('{}'))} {depths_sentence(found)}"
    if not state.is_narrow():
        st.markdown(said)
    shown = charts.reliability_diagram(found, np.arange(min(len(found), MOST_DEPTHS)), width=state.session.px)
    with main_place("content"):
        draw_spec(written_out(shown), key="chart-calibration-depths", alt=shown.sentence)
    if state.is_narrow():
        st.markdown(said)
    below(shown, name="calibration-depths", sentence=shown.sentence)
    if len(found) > MOST_DEPTHS:
        st.caption(f"The first {MOST_DEPTHS} of {len(found)} depths.")
    if choice.root:
        st.markdown(
            f"**{found.n_samples:,} samples whose answer is *{escape(choice.taxonomy.title(choice.root))}* or a class below "
            f"it**, not the {int(choice.plain.support[choice.root]):,} whose truth is: selected by their truth, even the samples "
            "of a calibrated model do not look calibrated."
        )
    st.markdown(
        "For each sample, the most probable class of a depth (leaves above that depth included), and whether the truth is at or "
        "below it. Samples whose truth is above the class are left out."
    )
    _note(found)


def _classes(choice):
    nodes = choice.calibrated_nodes
    if not len(nodes):
        st.info("No sample has a truth below this class.", icon=":material/info:")
        return
    found = None if choice.answered_here is None else choice.calibration_here
    if found is None:
        return
    which = "whose answer is in this subtree" if choice.root else "in all"
    st.markdown(
        f"The probability of a class against whether a truth is at or below it, of {found.n_samples:,} samples {which}: the "
        f"**{len(found):,} classes** {'of this subtree ' if choice.root else ''}with the most samples, "
        f"**{int(found.is_flagged.sum()):,}** of them not calibrated."
    )
    n_classes = int((choice.plain.support[choice.taxonomy.subtree(choice.root)] > 0).sum()) - (choice.root == 0)
    if n_classes > len(nodes):
        st.caption(
            f"{n_classes:,} classes have samples: open a subtree to see its smaller ones. Calibration is computed in one "
            "step, which cannot be cancelled."
        )
    frame = found.to_frame()
    frame["calibrated"] = np.where(np.isnan(found.ece), "–", np.where(found.is_flagged, "✗ no", "✓ yes"))
    # What is flagged first, the largest error first.
    order = np.lexsort((-np.nan_to_num(found.ece), ~found.is_flagged))
    key = f"calibrated-{choice.key}-{choice.root}"
    picked = table.draw(frame.iloc[order], COLUMNS, key=key, select="ticks", most=318).ticked
    places = order[picked] if picked else order[:3]
    if len(places) > MOST_DIAGRAMS:
        st.caption(f"The first {MOST_DIAGRAMS} of the chosen classes are drawn.")
    _diagrams(found, places[:MOST_DIAGRAMS], "calibration-classes")
    if not picked:
        st.caption("Tick rows of the table to see their diagrams.")
    _note(found)


def _diagrams(found, places, name):
    figure(charts.reliability_diagram(found, places, width=state.session.px), name=name)


def _note(found):
    if found.n_used < found.n_samples:
        st.caption(f"Computed from {found.n_used:,} of {found.n_samples:,} samples, drawn at random.")


def _example():
    unfolded("Calibrated leaves do not make calibrated parents: an example", "parents-example", _parents)


def _parents():
    found = example()
    subjects = found.subjects
    parent, leaf = subjects.index("u"), subjects.index("a")
    st.markdown(
        "Four leaves: **a** and **b** are children of **u**, **c** and **d** of **w**. For each sample the model favours one "
        "of the six pairs of leaves: these two have p = 0.4, the other two p = 0.1. How often each is true:\n\n"
        "| favoured pair | shares of the two | shares of the others | p of the parents |\n|---|---|---|---|\n"
        "| under one parent (a, b or c, d) | 0.2 and 0.2 | 0.3 and 0.3 | 0.8 and 0.2 |\n"
        "| under both parents (a, c; a, d; b, c; b, d) | 0.5 and 0.5 | 0 and 0 | 0.5 and 0.5 |\n\n"
        "Leaf a has p = 0.4 in three pairs, where it is true with shares of 0.2, 0.5 and 0.5: 0.4 on average. With p = 0.1 "
        "its shares are 0.3, 0 and 0: 0.1 on average. **Every leaf is calibrated.** But u gets p = 0.4 + 0.4 = 0.8 where a "
        "or b is true in 0.2 + 0.2 = 0.4 of the cases, and p = 0.2 where it is true in 0.6. **The parents are not "
        "calibrated**: errors of the leaves cancel on average, and add up below a parent."
    )
    _diagrams(found, [leaf, parent], "calibration-example")
    st.markdown(
        escape(
            f"Computed from {int(found.n[leaf]):,} samples with exactly these shares: the error of leaf a is "
            f"{fixed_text(found.ece[leaf], 3)}, that of its parent u {fixed_text(found.ece[parent], 3)}."
        )
    )
