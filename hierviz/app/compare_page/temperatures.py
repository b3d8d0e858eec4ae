"""One temperature for each model before models are compared: offered, and said where it was done."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state.calibrated import at_temperatures
from hierviz.app.state.escape import escape
from hierviz.app.widgets import shell
from hierviz.messages.errors import HiervizError

WHAT = "Temperatures"


def offer(data):
    """A popover that asks for the part of the samples to fit on; opens the calibrated data when asked."""
    if data.calibration or not any(model.predictions.has_scores for model in data.models.values()):
        return
    with st.popover("Calibrate first", icon=":material/thermostat:"):
        st.markdown(
            "Scores of one model may be too sure, of another too unsure. One temperature for each model is fitted on a random "
            "part of the samples (logits are divided by it), and all numbers are then of the other samples. On scores of leaves "
            "it changes sums over classes, so curves and areas change too."
        )
        share = st.number_input(
            "Samples to fit on (%)", 5.0, 95.0, step=5.0, format="%.0f", **state.kept("temperatures", "share", 50.0)
        )
        seed = st.number_input("Seed of the draw", 0, 2**31, step=1, **state.kept("temperatures", "seed", 0))
        st.button("Fit one temperature per model", type="primary", on_click=_ask, args=(share / 100, seed))


def fit(data):
    """Fit what was asked for and look at it; before anything else of the page is drawn."""
    asked = state.memory("temperatures").pop("asked", None)
    if asked is None:
        return
    stages = state.Stages("cancel-temperatures", lambda: None)
    view = state.view()
    try:
        made = at_temperatures(data, *asked, stages)
        state.put(made)
    except HiervizError as error:
        stages.end()
        st.error(escape(str(error)), icon=":material/error:")
        return
    stages.end()
    state.change(models=view.models, model=view.model, comparison=view.comparison, preset=view.preset, rule=view.rule)
    st.rerun()


def told(data):
    """What was done, and the way back."""
    if not data.calibration:
        return
    st.info(escape(data.calibration), icon=":material/thermostat:")
    st.page_link(
        shell.page("compare"),
        label="Back to the scores as they were read",
        icon=":material/undo:",
        query_params=state.link(data=data.before),
    )


def _ask(share, seed):
    state.memory("temperatures")["asked"] = (share, seed)
