"""Panel "Threshold by target": what the threshold should achieve, and the threshold that does."""

from functools import partial

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, target_groups, target_ranking, uncertainty
from hierviz.app.curve_panels.target_ranking import Goal
from hierviz.app.state.escape import escape
from hierviz.charts import threshold_text
from hierviz.messages.number_text import percent_text, value_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.thresholds.selection import (
    COST_SENTENCE,
    choose,
    cost_metrics,
    with_costs,
    with_shallow_answers,
)

TARGETS = {
    "correct": "Target accuracy",
    "cost": "Mean cost",
    "depth": "Shallow answers",
    "groups": "Threshold per group",
}
# What is asked for at first.
MOST_OF = "info_recall"
SHARE, COSTS = 20.0, {"wrong": 1.0, "vague": 0.3, "most": 0.1}


def panel(choice, now):
    """The chosen target: its numbers, the threshold, what is reached there."""
    key = now.model
    st.segmented_control(
        "Target",
        format_func=TARGETS.get,
        required=True,
        label_visibility="collapsed",
        **choosing.kept("target", "correct", TARGETS),
    )
    target = choosing.value("target", "correct", TARGETS)
    CONTROLS[target](choice)
    if target == "groups":
        target_groups.panel(choice, key)
        return
    for place, (goal, (label, point)) in enumerate(zip(goals(choice, target), thresholds_of(choice, key), strict=True)):
        if point.is_feasible:
            _reached(choice, key, now.threshold_of(key), label, point, f"{target}-{place}")
        else:
            st.info(escape(point.why_not), icon=":material/block:")
        target_ranking.panel(choice, goal, (target, place, _asked(target, choice)), _points(choice, place))
    target_ranking.controls(choice)


def points(choice):
    """Thresholds of the chosen target for every model, to ring on the curves: list of dict; None when the panel is shut."""
    if state.view().panel != "target" or choosing.value("target", "correct", TARGETS) == "groups":
        return None
    return [
        {"model": choice.name(key), "label": label, "threshold": point.threshold}
        for key in choice.keys
        for label, point in thresholds_of(choice, key)
        if point.is_feasible
    ] or None


def thresholds_of(choice, key):
    """(label, Choice) of the chosen target for a model."""
    target = choosing.value("target", "correct", TARGETS)
    return state.computed(
        "target",
        (choice.data_key, tuple(choice.keys), key, target, _asked(target, choice)),
        lambda: _find(choice, key, target),
    )


def _points(choice, place):
    """The Choice of every model by key for one of the target's goals."""
    return {key: thresholds_of(choice, key)[place][1] for key in choice.keys}


def _asked(target, choice):
    """The numbers of a target, as the search takes them."""
    if target == "cost":
        return tuple(choosing.value(name, default) for name, default in COSTS.items())
    if target == "depth":
        return choosing.value("deep", *_depths(choice)), choosing.value("share", SHARE)
    return choosing.value("level", choosing.LEVEL), choosing.value("most_of", MOST_OF, path_keys())


def _depths(choice):
    """The depth asked for at first, and all there are."""
    deepest = choice.taxonomy.max_depth
    return min(2, deepest), tuple(range(deepest + 1))


def goals(choice, target):
    """The Goals of a target, as it is asked for."""
    asked, taxonomy = _asked(target, choice), choice.taxonomy
    if target == "correct":
        level, key = asked
        return [Goal(f"{level:g} % correct", lambda curve, *_: choose(curve, key, {"correct": level / 100}), key)]
    if target == "depth":
        depth, share = asked

        def seldom_shallow(curve, truth, table):
            shallow = with_shallow_answers(curve, taxonomy, table, depth)
            return choose(shallow, "correct", {"above_depth": share / 100})

        return [Goal(f"≤ {share:g} % above depth {depth}", seldom_shallow, "correct")]
    wrong, vague, most = asked

    def priced(find):
        return lambda curve, truth, table: find(with_costs(curve, taxonomy, truth, table, wrong=wrong, vague=vague))

    numbers = partial(cost_metrics, wrong=wrong, vague=vague)
    return [
        Goal("lowest cost", priced(partial(choose, maximise="cost")), "cost", numbers),
        Goal(f"cost ≤ {most:g}", priced(partial(choose, subject_to={"cost": most})), "info_recall", numbers),
    ]


def _find(choice, key, target):
    samples = choosing.samples_of(choice)[key]
    curve = _with_missing(choice, key, samples) if target == "cost" else samples.curve
    return [(goal.label, goal.find(curve, samples.truth, samples.table)) for goal in goals(choice, target)]


def _with_missing(choice, key, samples):
    """The curve with the missing information, of which other costs are other sums: kept, as all answers are looked at for it."""
    return state.computed(
        "curve with costs",
        (choice.data_key, tuple(choice.keys), key),
        lambda: with_costs(samples.curve, choice.taxonomy, samples.truth, samples.table),
    )


def _ask_correct(choice):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Correct answers, at least (%)",
            0.0,
            100.0,
            step=1.0,
            format="%.1f",
            **choosing.kept("level", choosing.LEVEL, width=330),
        )
        st.selectbox(
            "and the best mean of",
            format_func=lambda key: METRICS[key].label,
            **choosing.kept("most_of", MOST_OF, path_keys(), width=230),
        )
    most_of = METRICS[choosing.value("most_of", MOST_OF, path_keys())]
    end = "smallest" if most_of.better == "lower" else "largest"
    st.markdown(f"Of all thresholds that reach the target, the one with the {end} mean of {most_of.name}:")


def _ask_cost(choice):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Cost of a wrong answer", 0.0, 1e9, step=0.1, **choosing.kept("wrong", COSTS["wrong"], width=190)
        )
        st.number_input(
            "Cost of answering only the root", 0.0, 1e9, step=0.1, **choosing.kept("vague", COSTS["vague"], width=250)
        )
        st.number_input("Mean cost, at most", 0.0, 1e9, step=0.01, **choosing.kept("most", COSTS["most"], width=190))
    st.markdown(COST_SENTENCE)


def _ask_depth(choice):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Share of answers, at most (%)",
            0.0,
            100.0,
            step=1.0,
            format="%.1f",
            **choosing.kept("share", SHARE, width=250),
        )
        st.selectbox(
            "above depth",
            help="Depth in edges from the root; answers at a smaller depth are shallow.",
            **choosing.kept("deep", *_depths(choice), width=170),
        )
    st.markdown("Of all thresholds that reach the target, the one with the most correct answers:")


CONTROLS = {"correct": _ask_correct, "cost": _ask_cost, "depth": _ask_depth, "groups": target_groups.ask}


def _reached(choice, key, threshold, label, point, where):
    """What is reached at the threshold found, beside the one that the handle stands at."""
    curve = choosing.samples_of(choice)[key].curve
    rows = {
        label: {"τ": threshold_text(point.threshold)} | point.values,
        "current": {"τ": threshold_text(threshold)} | curve.at(threshold),
        "most probable leaf": {"τ": threshold_text(0.0)} | curve.at(0.0),
    }
    told = f"**{escape(choice.name(key))}, {escape(label)}:** τ = {threshold_text(point.threshold)}"
    told += f"; {percent_text(point.values['correct'], 1)} of the answers are correct"
    told += f" ({answered_text(point.values['no_answer'], point.values['correct'])})"
    if "above_depth" in point.values:
        told += f", {percent_text(point.values['above_depth'], 1)} above that depth"
    if "cost" in point.values:
        told += f"; mean cost {value_text(point.values['cost'])} per sample"
    st.markdown(f"{told}; information recall {percent_text(point.values['info_recall'], 1)}.")
    thresholds = {label: point.threshold, "current": threshold}
    spans = {name: uncertainty.at(choice, key, threshold) for name, threshold in thresholds.items()}
    keys = dict.fromkeys((*choosing.shown_keys(), choosing.value("most_of", MOST_OF, path_keys())))
    choosing.value_table(rows, f"target-{where}", first="operating point", keys=tuple(keys), intervals=spans)
    choosing.use_threshold(point.threshold, key, f"target-{where}")


def prepare(choice, key):
    """Work out what takes long."""
    target = choosing.value("target", "correct", TARGETS)
    if target == "groups":
        target_groups.prepare(choice, key)
        return
    for place, goal in enumerate(goals(choice, target)):
        target_ranking.found(choice, goal, (target, place, _asked(target, choice)), _points(choice, place))
