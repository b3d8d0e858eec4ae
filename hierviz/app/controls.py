"""The controls that several pages share: model, rule and threshold."""

import streamlit as st

from hierviz.app import state
from hierviz.inference import INFERENCE_RULES
from hierviz.parametrisation import PARAMETRISATIONS


def model_control(data):
    """Which model the page looks at; returns its key."""
    now = state.shown_model(data)
    if len(data.models) > 1:
        state.change(model=now)
        st.selectbox(
            "Model",
            list(data.models),
            format_func=lambda key: data.models[key].predictions.name,
            **state.bound("model", width=170 if state.is_narrow() else 230),
        )
    return now


def rule_controls(data, model):
    """How the answer is chosen; returns (rule, threshold)."""
    if not data.models[model].predictions.has_scores:
        st.caption("This file holds labels: they are the answers.")
        return "majority", 0.5
    rules = [key for key, rule in INFERENCE_RULES.items() if data.taxonomy.is_tree or not rule.tree_only]
    st.selectbox(
        "Answer rule",
        rules,
        format_func=lambda key: INFERENCE_RULES[key].label,
        help="  \n".join(f"**{INFERENCE_RULES[key].label}**: {INFERENCE_RULES[key].sentence}" for key in rules),
        **state.bound("rule", width=170 if state.is_narrow() else 200),
    )
    rule = state.view().rule
    if rule == "threshold":
        st.number_input(
            "Threshold τ",
            0.0,
            1.0,
            step=0.01,
            format="%.3f",
            help="The answer is the most specific class whose probability exceeds τ. Drag it on Operating curves.",
            **state.bound("tau", width=150, back=lambda value: round(float(value), 3)),
        )
    return rule, state.view().tau


def setting(data, model, rule, threshold):
    """One line that says what a panel depends on."""
    predictions = data.models[model].predictions
    if not predictions.has_scores:
        return f"{predictions.name} · labels · {data.models[model].n_judged} samples"
    at = f" τ = {threshold:.3f}" if rule == "threshold" else ""
    kind = PARAMETRISATIONS[predictions.parametrisation].label.lower()
    return f"{predictions.name} ({kind}) · {INFERENCE_RULES[rule].label.lower()}{at} · {data.models[model].n_judged} samples"
