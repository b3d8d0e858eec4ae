"""Why the answer stops where it does: the answers at every threshold, with the current one, which can be dragged."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.components import component
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._flip_intervals import RULES, flip_intervals
from hierviz.inference.registry import INFERENCE_RULES


def why_sentence(model, row, choice):
    """Why the answer to a sample is not more specific; nothing for rules without a threshold for one class."""
    if choice["rule"] not in RULES:
        return ""
    return flip_intervals(model, row).why(_threshold_of(choice))


def _threshold_of(choice):
    return 0.5 if choice["rule"] == "majority" else choice["threshold"]


def why_panel(model, key, row, choice):
    """The ribbon of a sample.

    Parameters
    ----------
    model : Evaluation
        Of scores.
    key : str
        Of the model in the view.
    row : int
        The sample.
    choice : dict
        Rule, threshold and parameters of the page.
    """
    st.subheader("Answer at every threshold")
    flips = flip_intervals(model, row)
    threshold = _threshold_of(choice)
    rule = INFERENCE_RULES[choice["rule"]]
    # Of sets, only those that have a threshold change with it.
    stays = rule.returns_sets and rule.needs_threshold
    if stays:
        st.caption("This rule answers with all classes above τ. The ribbon shows the one class of the rule Threshold.")
    elif choice["rule"] not in RULES:
        st.caption(
            f"The answer by the rule {rule.words} does not depend on τ in this way. "
            "The ribbon shows the rule threshold; moving τ switches to a rule with a threshold."
        )
    width = state.main_width()
    _drag(charts.flip_ribbon_drag(flips, threshold, width=width), key, choice["rule"] if stays else None)
    figure(charts.flip_ribbon(flips, threshold, width=width), name="flip-ribbon")
    if model.predictions.has_unknown:
        st.caption(escape("Scores that the file does not list count as 0: with all scores the intervals may differ."))


def _drag(places, model, rule):
    """The line above the ribbon, which makes its threshold movable by pointer and keys; `rule` is one to stay with."""
    key = "ribbon-drag"

    def moved():
        threshold = state.session[key].moved
        if threshold is not None:
            state.move_threshold(round(float(threshold), 12), model)
            state.change(**({"rule": rule} if rule else {}))

    component(__file__, "ribbon_drag")(key=key, data=places, on_moved_change=moved)
