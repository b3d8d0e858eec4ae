"""Panel "Rules": inference rules over their own number, Pareto fronts, risk against coverage, which rule for which metric."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels.choosing import Setting
from hierviz.app.curve_panels.conformal_panel import paths_read
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.progress import worked_out
from hierviz.charts._decisions import n_metrics_drawn
from hierviz.charts.theme import rule_label
from hierviz.curves._rejection_curve import rejection_curve
from hierviz.curves._selective_curve import selective_curve
from hierviz.evaluation.summary import model_summary
from hierviz.messages.number_text import percent_text
from hierviz.thresholds._decisions import OPTIMAL_SET, TUNED_SET, decisions
from hierviz.thresholds._rule_frontiers import PUBLISHED, rule_frontiers

CURVES, FRONTS, RISK, CLIMBING = "Curves of the rules", "Pareto fronts", "Risk and coverage", "Selective classification"
DECISIONS = "Which rule for which metric"
OPTIONS = (CURVES, FRONTS, RISK, CLIMBING, DECISIONS)
SHOWN = Setting("rules_shown", "Chart", CURVES, options=OPTIONS, segmented=True, is_labelled=False)


def panel(choice, now):
    """Which chart, the chart, and what it leaves out."""
    shown = SHOWN.ask()
    if shown == RISK:
        _rejection(choice)
        return
    if shown == CLIMBING:
        _selective(choice)
        return
    key = now.model
    if shown == DECISIONS:
        which_rule(choice, key)
        return
    found = _frontiers(choice, key)
    if found is None:
        return
    is_front, name = shown == FRONTS, escape(choice.name(key))
    st.markdown(
        f"Rules of **{name}**: τ of the threshold, λ of DARTS and ζ of the information threshold are exact curves, with the "
        "number written next to them; thresholds by depth are a point for each target, a share of correct offers that every "
        "depth has to reach. Rules without a number are single points, with their default costs."
    )
    width = state.session.px
    drawn = state.computed(
        "rule curves",
        (choice.data_key, key, is_front, width),
        lambda: charts.rule_frontiers(found, front=is_front, published=not is_front, width=width),
    )
    figure(drawn, name="rule-fronts" if is_front else "rule-curves")
    if not is_front:
        named = "; ".join(f"τ = {threshold:g}: {source}" for source, threshold in PUBLISHED.items())
        st.caption(f"Large circles are thresholds of published pipelines for all depths: {escape(named)}.")
    numbers.definitions(("info_recall", "correct"), "rules")


def prepare(choice, key):
    """Compute what takes long: answers of rules that read all scores."""
    if SHOWN.value() == DECISIONS:
        _decisions(choice, key)
    elif SHOWN.value() in (CURVES, FRONTS):
        _frontiers(choice, key)
    elif SHOWN.value() == CLIMBING:
        for one in choice.keys:
            paths_read(choice.models[one], choice.data_key, one)


def which_rule(choice, key):
    """Which rule is best for which metric; also where samples have several true classes."""
    found = _decisions(choice, key)
    if found is None:
        return
    st.markdown(
        f"Rules of **{escape(choice.name(key))}**, metrics above. A frame marks the rule that is optimal for the metric if the "
        "model's probabilities are right; the best value, and those equal to it, are bold on blue. *Least expected "
        "cost* takes the metric above as its cost. Thresholds of tuned rules are chosen for each metric on other samples "
        "than those they are judged on."
    )
    if choice.models[key].why_not_one_truth() is None:
        st.caption(
            f"Rules that answer with sets of classes (*{rule_label(TUNED_SET)}*, *{rule_label(OPTIMAL_SET)}*) are in the menu of "
            "the rule only for data with several true classes or graphs; for other data use the command line, such as "
            f"`--rule {OPTIMAL_SET}`."
        )
    width = state.session.px
    drawn = state.computed(
        "rules by metric", (choice.data_key, key, width), lambda: charts.decisions(found, width=width)
    )
    figure(drawn, name="which-rule")
    n_drawn, n_metrics = n_metrics_drawn(found, width), len(found.metrics)
    if n_drawn < n_metrics:
        st.caption(f"The window has room for {n_drawn} of {n_metrics} metrics; the table has all.")
    numbers.definitions(found.metrics, "which rule")


def _decisions(choice, key):
    """What each rule reaches by each metric; None where it was cancelled."""
    asked, what = (choice.data_key, key), f"Which rule for which metric: {choice.name(key)}"
    return worked_out("decisions", asked, what, lambda told: decisions(choice.models[key], progress=told), "steps")


def _frontiers(choice, key):
    """What the rules of a model reach; None where it was cancelled."""
    asked, what = (choice.data_key, key), f"Rules of {choice.name(key)}"
    return worked_out(
        "rule frontiers", asked, what, lambda told: rule_frontiers(choice.models[key], progress=told), "samples"
    )


def _rejection(choice):
    """Risk against coverage of all models on the samples that all of them judge."""
    samples = choice.samples().values()
    curves = choice.computed(
        "rejection curves", lambda: {one.name: rejection_curve(one.taxonomy, one.truth, one.table) for one in samples}
    )
    st.markdown(
        "*Coverage*: share of the samples with an answer below the root. *Risk*: share of wrong answers among these. Models "
        "are compared at equal coverage, not at equal τ."
    )
    figure(charts.rejection_curves(curves, among=choice.all_names, width=state.session.px), name="rejection-curves")


def _selective(choice):
    """Risk against coverage of climbing, and how often it differs from the threshold rule."""
    samples = choice.samples()
    if not all(paths_read(choice.models[key], choice.data_key, key) for key in samples):
        return
    st.markdown(
        "*Climbing*: from the most probable leaf up to the first class with p ≥ θ (Goren et al. 2024). *Coverage* of an answer: "
        "its bits over those of a leaf, 0 for the root. *Risk*: share of wrong answers; the root is never wrong."
    )

    def curve_of(key, one):
        return selective_curve(one.taxonomy, one.truth, choice.models[key].leaf_paths().take(one.rows))

    curves = choice.computed("selective curves", lambda: {one.name: curve_of(key, one) for key, one in samples.items()})
    figure(charts.selective_curves(curves, among=choice.all_names, width=state.session.px), name="selective-curves")
    found = choice.computed(
        "climbing differs",
        lambda: {
            choice.name(key): model_summary(choice.models[key], only=("selective",))["selective"] for key in samples
        },
    )
    said = ", ".join(
        f"of **{escape(name)}** on {percent_text(of['climbing_differs'], 1)} of the samples at some threshold "
        f"({percent_text(of['climbing_differs_mean'], 1)} of the answers over all thresholds)"
        for name, of in found.items()
    )
    st.markdown(f"Climbing and the threshold rule give different answers: {said}.")
    numbers.definitions(("haurc", "haurc_threshold", "climbing_differs", "climbing_differs_mean"), "selective")
