"""The panels below the operating curves, one at a time."""

import contextlib

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import (
    change_panel,
    conformal_panel,
    export_panel,
    guarantee_panel,
    model_differences,
    model_panel,
    rules_panel,
    target_panel,
    uncertainty,
)
from hierviz.app.curve_panels.curve_chart import first_picture
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import meanwhile, worked_out
from hierviz.evaluation.summary import STEPS
from hierviz.messages.errors import HiervizError
from hierviz.reports.view_pages import PANELS

DRAW = {
    "target": target_panel.panel,
    "changes": change_panel.panel,
    "guarantee": guarantee_panel.panel,
    "conformal": conformal_panel.panel,
    "uncertainty": uncertainty.panel,
    "models": model_panel.panel,
    "rules": rules_panel.panel,
    "export": export_panel.panel,
}
# What a panel needs for a model and takes long.
DRAW_FIRST = {
    "target": target_panel.prepare,
    "conformal": conformal_panel.prepare,
    "models": model_panel.prepare,
    "rules": rules_panel.prepare,
}


def prepare(choice):
    """Compute what takes long, before the part of the page that runs alone; False where the page has nothing to show.

    What does not depend on the handle has its own progress; bands and marks that were cancelled are left out.
    """
    for key, first in choice.models.items():
        if not all(_has_curve(choice, key, run) for run in choice.runs.get(key, [first])):
            return False
    if choice.curves(state.session.get("curve_start") or state.view()) is None:
        return False
    with meanwhile(lambda: first_picture(choice)):
        choice.rules()
        with contextlib.suppress(HiervizError):  # the panel shows why
            uncertainty.prepare(choice)
            if state.view().panel in DRAW_FIRST:
                DRAW_FIRST[state.view().panel](choice, state.shown_model_of(choice.keys))
    return True


def _has_curve(choice, key, run):
    """Compute the operating curve of a run; False where it was cancelled."""
    what, asked = f"Operating curve of {choice.name(key)}", (choice.data_key, key, run.predictions.run)
    return worked_out("curve", asked, what, lambda told: run.curve_with(told) is not None, STEPS) is not None


def verdict(choice, model):
    """The answer to the question of the open panel, first on the page."""
    with contextlib.suppress(HiervizError):  # the panel shows why
        if uncertainty.is_on() and state.view().panel == "uncertainty" and len(choice.keys) > 1:
            shown = model_differences.pair(choice, model)
            model_differences.verdict(choice, model, uncertainty.bands_of_runs(choice, shown))


def panels(choice, now):
    """The row of panels and the open one; `now` is the view that the chart returned."""
    shown = now.panel if now.panel in PANELS else None
    tied = state.bound("panel", value=shown, back=lambda value: value or "none", label_visibility="collapsed")
    st.segmented_control("Panel", list(PANELS), format_func=PANELS.get, **tied)
    if now.panel not in DRAW:
        return
    try:
        choice.samples()  # an error says that the models share none
        DRAW[now.panel](choice, now)
    except HiervizError as error:
        st.info(escape(str(error)), icon=":material/info:")
