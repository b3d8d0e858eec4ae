"""Which model, which threshold: correctness against specificity, with a threshold that is dragged in the browser."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels.curve_chart import CurveChoice, curve_chart
from hierviz.app.curve_panels.curve_panels import panels, prepare
from hierviz.app.state.curve_choices import DRAWN, axes
from hierviz.app.widgets import numbers, shell
from hierviz.inference.registry import INFERENCE_RULES


def controls(usable, names):
    """Which models and metrics, and how they are drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(usable) > 1:
            st.multiselect(
                "Models",
                list(usable),
                format_func=lambda key: usable[key].predictions.name,
                max_selections=8,
                **state.bound("models", value=names, width=620, back=lambda value: tuple(value) or None),
            )
        pairs = axes()
        st.selectbox("Axes", list(pairs), format_func=lambda key: pairs[key].label, **state.bound("axes", width=300))
        with st.popover("Options", icon=":material/tune:"):
            for key, (label, help_text) in DRAWN.items():
                if key != "bands":  # stands with its settings under Uncertainty
                    st.toggle(label, help=help_text, **state.bound_member("drawn", key))
            if len(names) > 1:
                st.toggle(
                    "Separate τ per model",
                    help="The handle then moves only the selected model; click a curve or a dot to select its model.",
                    **state.bound_own_thresholds(names),
                )
            rules = [
                key
                for key, rule in INFERENCE_RULES.items()
                if not (rule.returns_sets or "threshold" in rule.parameters)
            ]
            st.multiselect(
                "Rules to mark",
                rules,
                format_func=lambda key: INFERENCE_RULES[key].label,
                help="  \n".join(f"**{INFERENCE_RULES[key].label}**: {INFERENCE_RULES[key].sentence}" for key in rules),
                **state.bound("marked", value=[rule for rule in state.view().marked if rule in rules], back=tuple),
            )


@st.fragment
def threshold_panel(choice):
    """The chart, and what depends on the threshold it returns."""
    now = curve_chart(choice)
    key = now.model
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Majority: τ = 0.5", on_click=state.move_threshold, args=(0.5, key))
        answers = state.link(rule="threshold", threshold=now.threshold_of(key))
        st.page_link(
            shell.page("example"),
            label="See the answers at this τ",
            icon=":material/arrow_forward:",
            query_params=answers,
        )
    panels(choice, now)


data = shell.open_data()
st.title("Operating curves")
usable = {key: model for key, model in data.models.items() if model.why_no_curve() is None}
if not usable:
    reason = data.first.why_no_curve()
    st.info(f"There is no curve to draw: {numbers.escape(reason)}.", icon=":material/show_chart:")
    shell.stop()
names = [key for key in state.shown_models(data) if key in usable] or list(usable)[:8]
controls(usable, names)
choice = CurveChoice(data.digest, data.taxonomy, {key: usable[key] for key in names})
st.markdown(
    "Answer: the most specific class with probability above τ. *Correct*: the true class or an ancestor of it. "
    "*Information recall*: share of the true class's information (in bits) that the answer contains."
)
if state.view().filters:
    st.caption("Curves and numbers on this page are of all samples: the filters set on other pages do not apply here.")
unknown = [usable[key].predictions.name for key in names if usable[key].predictions.has_unknown]
if unknown:
    st.caption(
        f"{numbers.escape(', '.join(unknown))}: scores that the file does not list are unknown and left out of the curve. "
        "The band around the line holds the curve that all scores would give."
    )
if not prepare(choice):
    shell.stop()
threshold_panel(choice)

st.markdown("Definitions of the numbers on this page:")
across_and_up = (choice.axes.x, choice.axes.y)
shown = dict.fromkeys((*(key for key in across_and_up if key != "threshold"), *charts.read_out_keys(*across_and_up)))
numbers.definitions(shown, "curves")
