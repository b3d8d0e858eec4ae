"""What every way to a report shares: rule and parameters of the page, the button that saves the file, and its name."""

from __future__ import annotations

import re

import streamlit as st

from hierviz.app import state
from hierviz.app.state.rule_parameters import rule_settings
from hierviz.app.widgets.controls import has_several_truths, offered_rules
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES


def offer_report(made, name, key):
    """The button that saves a Report under a name without its ending."""
    content, file = made.html.encode("utf-8"), f"{name}.html"
    st.download_button(
        f"Save {file} ({len(content) / 1e6:.1f} MB)",
        content,
        file,
        "text/html",
        type="primary",
        icon=":material/download:",
        key=key,
        on_click="ignore",
    )


def report_choice(data, key):
    """Rule and parameters of the page, as far as they serve for the model."""
    if not data.models[key].predictions.has_scores:
        return {"rule": "majority"}
    several = has_several_truths(data)
    rules = offered_rules(data.taxonomy, several or not data.taxonomy.is_tree, several)
    rule = state.view().rule if state.view().rule in rules else rules[0]
    values = rule_settings(data.taxonomy)
    return {"rule": rule} | {name: values[name] for name in INFERENCE_RULES[rule].parameters if name != THRESHOLD.name}


def slug(title):
    """A title as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "report"
