"""Models side by side: a table, whether its metrics agree, where models are weak, class by class."""

import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page import agreement_panel, class_panel, group_panel, table_panel
from hierviz.app.compare_page.compared import Compared
from hierviz.app.state.page_view import COMPARISONS
from hierviz.app.widgets import controls, filters, shell
from hierviz.app.widgets.progress import answers_worked_out

DRAW = {
    "table": table_panel.draw,
    "agreement": agreement_panel.draw,
    "groups": group_panel.draw,
    "classes": class_panel.draw,
}

data = shell.open_data()
st.title("Compare")
if not data.first.n_judged:
    st.info("Comparing needs samples with a known truth, and none has one.", icon=":material/info:")
    shell.stop()
keys = list(state.shown_models(data))
with st.container(horizontal=True, vertical_alignment="bottom"):
    if len(data.models) > 1:
        st.multiselect(
            "Models",
            list(data.models),
            format_func=lambda key: data.models[key].predictions.name,
            max_selections=8,
            **state.bound("models", value=keys, width=620, back=lambda value: tuple(value) or None),
        )
    choice = controls.rule_controls(data, keys[0])
# Beside other things a row of segments does not wrap.
with st.container(horizontal=not state.is_narrow(), vertical_alignment="center"):
    st.segmented_control(
        "Part of the page",
        list(COMPARISONS),
        format_func=COMPARISONS.get,
        required=True,
        label_visibility="collapsed",
        **state.bound("comparison"),
    )
    filters.more(data.models[keys[0]], data.digest)
compared = Compared(data, keys, choice)
for key in keys:
    if not answers_worked_out(data.digest, key, data.models[key], compared.choice_of(key)):
        shell.stop()
filters.chips(data.taxonomy, but=("outcome",))
if any(compared.answers(key) is None for key in keys):
    st.info("No sample matches these filters. Remove one.", icon=":material/filter_alt_off:")
    shell.stop()
DRAW[state.view().comparison](compared)
