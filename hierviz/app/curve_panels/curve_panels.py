"""The panels below the operating curves, one at a time."""

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, export_panel, guarantee_panel, model_panel, target_panel, uncertainty
from hierviz.app.state.curve_choices import PANELS
from hierviz.app.state.escape import escape
from hierviz.errors import HiervizError

DRAW = {
    "target": target_panel.panel,
    "guarantee": guarantee_panel.panel,
    "uncertainty": uncertainty.panel,
    "models": model_panel.panel,
    "export": export_panel.panel,
}


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
