"""The controls that several pages share: model, rule and threshold."""

import math

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.state.page_view import View
from hierviz.charts import threshold_text
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.parametrisation import PARAMETRISATIONS


def model_control(data):
    """Which model the page looks at; returns its key."""
    now = state.shown_model(data)
    if len(data.models) > 1:
        st.selectbox(
            "Model",
            list(data.models),
            format_func=lambda key: data.models[key].predictions.name,
            **state.bound("model", value=now, width=170 if state.is_narrow() else 230),
        )
    return now


def rule_controls(data, model):
    """How the answer is chosen; returns the keywords of `Evaluation.answers`."""
    if not data.models[model].predictions.has_scores:
        st.caption("This file holds labels: they are the answers.")
        return {"rule": "majority"}
    rules = [key for key, rule in INFERENCE_RULES.items() if not rule.returns_sets]
    rules = [key for key in rules if data.taxonomy.is_tree or not INFERENCE_RULES[key].tree_only]
    if state.view().rule not in rules:
        state.change(rule=View().rule)
    most_bits = math.floor(1000 * data.taxonomy.information.max()) / 1000
    if state.view().bits > most_bits:
        state.change(bits=most_bits)
    st.selectbox(
        "Answer rule",
        rules,
        format_func=lambda key: INFERENCE_RULES[key].label,
        help="  \n".join(f"**{INFERENCE_RULES[key].label}**: {INFERENCE_RULES[key].sentence}" for key in rules),
        **state.bound("rule", width=170 if state.is_narrow() else 200),
    )
    parameters = INFERENCE_RULES[state.view().rule].parameters
    if "threshold" in parameters:
        text = threshold_text(state.view().tau_of(model))
        st.number_input(
            "Threshold τ",
            0.0,
            1.0,
            step=0.01,
            format=f"%.{len(text) - 2}f",
            help="The answer is the most specific class whose probability exceeds τ. Drag it on Operating curves.",
            **state.bound_threshold(model, width=150),
        )
    if "bits" in parameters:
        st.number_input(
            "At least ζ bits",
            0.0,
            most_bits,
            step=0.1,
            help="The answer is the most probable class that says at least so much: 1 bit rules out half of all final classes.",
            **state.bound("bits", width=150),
        )
    if "lam" in parameters:
        st.number_input(
            "λ in bits",
            0.0,
            64.0,
            step=0.1,
            help="The larger λ, the more cautious the answer.",
            **state.bound("lam", width=150),
        )
    view = state.view()
    return {"rule": view.rule, "threshold": view.tau_of(model), "bits": view.bits, "lam": view.lam}


def setting(data, model, choice):
    """One line of Markdown that says what a panel depends on."""
    predictions = data.models[model].predictions
    name = escape(predictions.name)
    if not predictions.has_scores:
        return f"{name} · labels · {data.models[model].n_judged:,} samples"
    rule = INFERENCE_RULES[choice["rule"]]
    signs = {"threshold": "τ", "bits": "ζ", "lam": "λ"}
    at = "".join(f" {sign} = {threshold_text(choice[name])}" for name, sign in signs.items() if name in rule.parameters)
    kind = PARAMETRISATIONS[predictions.parametrisation].label
    kind = f" ({kind.lower()})" if kind.casefold() != predictions.name.casefold() else ""
    return f"{name}{kind} · {rule.label.lower()}{at} · {data.models[model].n_judged:,} samples"
