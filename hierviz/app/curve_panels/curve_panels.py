"""The panels below the operating curves, one at a time."""

import contextlib

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import (
    choosing,
    export_panel,
    guarantee_panel,
    model_differences,
    model_panel,
    rules_panel,
    target_panel,
    uncertainty,
)
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation.summary import STEPS
from hierviz.messages.errors import HiervizError
from hierviz.reports.view_pages import PANELS

DRAW = {
    "target": target_panel.panel,
    "guarantee": guarantee_panel.panel,
    "uncertainty": uncertainty.panel,
    "models": model_panel.panel,
    "rules": rules_panel.panel,
    "export": export_panel.panel,
}
# What a panel needs for a model and takes long.
DRAW_FIRST = {"target": target_panel.prepare, "models": model_panel.prepare, "rules": rules_panel.prepare}


def prepare(choice):
    """Compute what takes long, before the part of the page that runs alone; False where the page has nothing to show.

    What does not depend on the handle has its own progress; bands and marks that were cancelled are left out.
    """
    runs = [(key, model) for key, first in choice.models.items() for model in choice.runs.get(key, [first])]
    for key, model in runs:
        name = choice.name(key)

        def make(stages, model=model, name=name):
            return model.curve_with(stages(f"Operating curve of {name}", STEPS)) is not None

        if (
            worked_out("curve", (choice.data_key, key, model.predictions.run), f"Operating curve of {name}", make)
            is None
        ):
            return False
    if choice.curves(state.session.get("curve_start") or state.view()) is None:
        return False
    choice.rules()
    try:
        choosing.samples_of(choice)
        uncertainty.prepare(choice)
        if state.view().panel in DRAW_FIRST:
            DRAW_FIRST[state.view().panel](choice, state.shown_model_of(choice.keys))
    except HiervizError:
        pass  # the panel shows why
    return True


def verdict(choice, model):
    """The answer to the question of the open panel, first on the page."""
    with contextlib.suppress(HiervizError):  # the panel shows why
        # Means over runs have no intervals here.
        is_open = uncertainty.is_on() and state.view().panel == "uncertainty"
        if is_open and len(choice.keys) > 1 and not choice.runs:
            model_differences.verdict(choice, model, uncertainty.intervals(choice))


def panels(choice, now):
    """The row of panels and the open one; `now` is the view that the chart returned."""
    st.segmented_control(
        "Panel",
        list(PANELS),
        format_func=PANELS.get,
        label_visibility="collapsed",
        **state.bound("panel", value=now.panel if now.panel in PANELS else None, back=lambda value: value or "none"),
    )
    if now.panel not in DRAW:
        return
    try:
        choosing.samples_of(choice)
        DRAW[now.panel](choice, now)
    except HiervizError as error:
        st.info(escape(str(error)), icon=":material/info:")
