"""Which model, which threshold: correctness against specificity, with a threshold that is dragged in the browser."""

from dataclasses import replace

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import rules_panel
from hierviz.app.curve_panels.curve_chart import CurveChoice, SetChoice, curve_chart
from hierviz.app.curve_panels.curve_panels import panels, prepare, verdict
from hierviz.app.state import current
from hierviz.app.widgets import frame, numbers, shell
from hierviz.app.widgets.controls import explained, models_control, pick, pick_several
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.table import download
from hierviz.charts.curve_axes import axes, set_axes
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.reports.view_pages import DRAWN, OF_SETS

# Methods on the curves, whatever the number of their runs.
MOST = 8


def controls(usable, names, pairs, is_of_sets):
    """Title of the page, which models and metrics, and how they are drawn; `pairs` are those of the axes.

    Returns the models, none where the field was emptied.
    """
    with frame.title_row("Operating curves"):
        if len(usable) > 1:
            models = {key: model.predictions.name for key, model in usable.items()}
            names = models_control("Models", models, names, MOST, 560)
        pick("Axes", {key: pair.label for key, pair in pairs.items()}, "axes", width=300)
        with st.popover("Options", icon=":material/tune:"):
            for key, (label, help_text) in DRAWN.items():
                # Bands are with their settings under Uncertainty.
                if key in OF_SETS or not (is_of_sets or key == "bands"):
                    st.toggle(label, help=help_text, **current.bound_member("drawn", key))
            if len(names) > 1:
                help = "The handle then moves only the selected model; click a curve or a dot to select its model."
                st.toggle("Separate τ per model", help=help, **current.bound_own_thresholds(names))
            if is_of_sets:
                return names
            every = INFERENCE_RULES.items()
            rules = {key: rule for key, rule in every if not (rule.returns_sets or "threshold" in rule.parameters)}
            st.toggle("Mark inference rules", help="Where rules without a threshold land.", **current.bound_marks())
            if state.view().marked:
                labels = {key: rule.label for key, rule in rules.items()}
                pick_several("Rules to mark", labels, "marked", help=explained(rules.values()))
    return names


@st.fragment
def threshold_panel(choice):
    """The chart, and what depends on the threshold it returns."""
    state.begin_seen("threshold panel")
    first = st.container()
    now = curve_chart(choice)
    key = now.model
    if not is_of_sets:
        with first:
            verdict(choice, key)
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, threshold in choice.stops(now):
            text = f"{label[0].upper()}{label[1:]}: τ = {threshold:.12g}" if label[0].isalpha() else f"τ = {label}"
            st.button(text, on_click=state.move_threshold, args=(threshold, key, choice.rule))
        fields = {"rule": choice.rule, "threshold": now.threshold_of(key)}
        link_to("example", f"See the answers at this {'threshold' if is_of_sets else 'τ'}", "arrow_forward", **fields)
    if is_of_sets:
        label = f"Whole curve of {choice.name(key)} (CSV)"
        download(label, lambda: choice.curve_table(key), f"set-curve-{key}.csv", "get-set-curve")
    else:
        panels(choice, now)


def explain(choice):
    """What is drawn, and what a chart of sets leaves out."""
    if not is_of_sets:
        st.markdown(
            "Answer: the most specific class with probability above τ. *Correct*: the true class or an ancestor, even the root "
            "(*no answer*). *Information recall*: share of the true class's bits that the answer contains."
        )
        return
    why = choice.first.why_not_one_truth() or "samples have several answers"
    st.markdown(
        "Answer: all classes with probability above τ, with their ancestors. *hP*: share of the predicted classes that are "
        "true. *hR*: share of the true classes that are predicted. *hF1*: both in one number; means over samples."
        + (" *ihF1*: hF1 with each class weighed by its information." if choice.taxonomy.is_tree else "")
    )
    notes = [f"Correct, information recall and their curves are not shown: {numbers.escape(why)}."]
    if not choice.taxonomy.is_tree:
        notes.append("ihF1, which weighs classes by information, is defined on trees only.")
    st.caption(" ".join(notes))


def notes(choice):
    """What of the data is not on the curves, and how their scores were changed."""
    if not state.view().models and len(choice.keys) < len(usable):
        st.caption(f"Showing {len(choice.keys)} of {len(usable)} models")
    if data.calibration:
        st.caption(f":material/thermostat: {numbers.escape(data.calibration)}")
    if several:
        st.caption(runs_words(several, is_of_sets))
    unknown = [model.predictions.name for model in choice.models.values() if model.predictions.has_unknown]
    if unknown:
        band = "" if is_of_sets else " The curve from all scores is in the band around the line."
        names_of = numbers.escape(", ".join(unknown))
        st.caption(f"{names_of}: scores that the file does not list are unknown and left out of the curve.{band}")


def runs_words(several, is_of_sets):
    """What of several runs of a method is shown; what lines and bands are is said below the chart."""
    counts = ", ".join(f"{numbers.escape(runs[0].predictions.name)} ({len(runs)} runs)" for runs in several.values())
    if is_of_sets:
        return f"{counts}: the first run of each is shown."
    return f"{counts}: the panels use the first run of each; Model comparison has mean ± standard deviation."


data = shell.open_data()
# A method is represented by its first run; the others are drawn with it.
methods = {key: runs[0] for key, runs in data.methods.items()}
usable = {key: model for key, model in methods.items() if model.why_no_curve() is None}
is_of_sets = not usable
if is_of_sets:
    usable = {key: model for key, model in methods.items() if model.why_no_set_curve() is None}
if not usable:
    with frame.title_row("Operating curves"):
        pass
    reason = data.first.why_no_set_curve() or data.first.why_no_curve()
    st.info(
        f"There is no threshold to choose: {numbers.escape(reason)}. The numbers of the answers are on the Overview.",
        icon=":material/show_chart:",
    )
    with st.container(horizontal=True):
        for page, label in (("overview", "Overview"), ("compare", "Compare")):
            link_to(page, f"Go to {label}")
    shell.stop()
names = [key for key in state.shown_models(data) if key in usable][:MOST] or list(usable)[:MOST]
names = controls(usable, names, set_axes(data.taxonomy.is_tree) if is_of_sets else axes(), is_of_sets)
if not names:
    shell.stop("Choose at least one model.", "checklist")
kind = SetChoice if is_of_sets else CurveChoice
choice: CurveChoice = kind(data.digest, data.taxonomy, {key: usable[key] for key in names}, all_names=data.method_names)
several = {key: data.methods[key] for key in names if len(data.methods[key]) > 1}
if several and not is_of_sets:
    choice = replace(choice, runs=several)
if state.view().filters:
    st.caption("Filters of other pages do not apply here: curves and numbers are of all samples.")
if not (choice.is_ready() if isinstance(choice, SetChoice) else prepare(choice)):
    shell.stop()
threshold_panel(choice)
if is_of_sets and st.toggle("Which rule for which metric", **state.kept("choosing", "which rule", False)):
    rules_panel.which_rule(choice, state.shown_model_of(choice.keys))

explain(choice)
notes(choice)
st.markdown("Definitions of the numbers on this page:")
across_and_up = (choice.axes.x, choice.axes.y)
shown = dict.fromkeys((*(key for key in across_and_up if key != "threshold"), *choice.read_out()))
numbers.definitions(shown, "curves")
