"""Panel "Threshold by target": what the threshold should achieve, and the threshold that does."""

from functools import partial

import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, target_groups, target_ranking, uncertainty
from hierviz.app.curve_panels.choosing import Setting, percent
from hierviz.app.curve_panels.target_ranking import Goal
from hierviz.app.state.escape import escape
from hierviz.charts import threshold_text
from hierviz.messages.number_text import percent_text, value_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.thresholds.selection import COST_SENTENCE, choose, cost_metrics, with_costs, with_shallow_answers

LEVEL = percent("level", "Correct answers, at least (%)", 95.0, 330)
METRIC = Setting(
    *("most_of", "and the best mean of", "info_recall", 230), lambda _: {key: METRICS[key].label for key in path_keys()}
)
COSTS = tuple(
    Setting(name, label, default, width, numbers=(0.0, 1e9, step, None))
    for name, label, default, width, step in (
        ("wrong", "Cost of a wrong answer", 1.0, 190, 0.1),
        ("vague", "Cost of answering only the root", 0.3, 250, 0.1),
        ("most", "Mean cost, at most", 0.1, 190, 0.01),
    )
)
SHARE = percent("share", "Share of answers, at most (%)", 20.0, 250)
DEPTH = Setting(
    *("deep", "above depth", lambda choice: min(2, choice.taxonomy.max_depth), 170),
    lambda choice: tuple(range(choice.taxonomy.max_depth + 1)),
    help="Depth in edges from the root; answers at a smaller depth are shallow.",
)


def _enough_correct(taxonomy, level, key):
    bound = ("correct", level / 100)
    return [Goal(f"{level:g} % correct", lambda curve, *_: choose(curve, key, dict([bound])), key, bound=bound)]


def _seldom_shallow(taxonomy, share, depth):
    def find(curve, truth, table):
        return choose(with_shallow_answers(curve, taxonomy, table, depth), "correct", {"above_depth": share / 100})

    return [Goal(f"≤ {share:g} % above depth {depth}", find, "correct")]


def _cheap(taxonomy, wrong, vague, most):
    def priced(find):
        return lambda curve, truth, table: find(with_costs(curve, taxonomy, truth, table, wrong=wrong, vague=vague))

    numbers = partial(cost_metrics, wrong=wrong, vague=vague)
    return [
        Goal("lowest cost", priced(partial(choose, maximise="cost")), "cost", numbers),
        Goal(f"cost ≤ {most:g}", priced(partial(choose, subject_to={"cost": most})), "info_recall", numbers),
    ]


# What a threshold can be chosen for: label, settings, and the Goals of a taxonomy and the values of the settings.
TARGETS = {
    "correct": ("Target accuracy", (LEVEL, METRIC), _enough_correct),
    "cost": ("Mean cost", COSTS, _cheap),
    "depth": ("Shallow answers", (SHARE, DEPTH), _seldom_shallow),
    "groups": ("Threshold per group", (), None),
}
TARGET = Setting(
    *("target", "Target", "correct"),
    options={name: label for name, (label, _, _) in TARGETS.items()},
    segmented=True,
    is_labelled=False,
)


def panel(choice, now):
    """The chosen target: its numbers, the threshold, what is reached there."""
    key, target = now.model, TARGET.ask()
    if target == "groups":
        target_groups.panel(choice, key)
        return
    choosing.ask(choice, *TARGETS[target][1])
    st.markdown(_explained(choice, target))
    for goal, asked, choices in goals(choice):
        if choices[key].is_feasible:
            _reached(choice, key, now.threshold_of(key), goal.label, choices[key], f"{target}-{asked[1]}")
        else:
            st.info(escape(choices[key].why_not), icon=":material/block:")
        target_ranking.panel(choice, goal, asked, choices)
    target_ranking.controls(choice)


def points(choice):
    """Thresholds of the chosen target for every model, to ring on the curves: list of dict; None when the panel is closed."""
    if state.view().panel != "target" or TARGET.value() == "groups":
        return None
    found = goals(choice)
    return [
        {"model": choice.name(key), "label": goal.label, "threshold": choices[key].threshold}
        | dict(zip(("metric", "level"), goal.bound))
        for key in choice.keys
        for goal, _, choices in found
        if choices[key].is_feasible
    ] or None


def goals(choice):
    """(Goal, what identifies it, Choice of every model by key) of each goal of the chosen target with its settings."""
    target = TARGET.value()
    _, settings, goals_of = TARGETS[target]
    values = tuple(setting.value(choice) for setting in settings)
    found = [(goal, (target, place, values)) for place, goal in enumerate(goals_of(choice.taxonomy, *values))]
    return [(goal, asked, {key: _found(choice, key, goal, asked) for key in choice.keys}) for goal, asked in found]


def _explained(choice, target):
    """Which of the thresholds that reach a target is chosen."""
    if target == "cost":
        return COST_SENTENCE
    metric = METRICS[METRIC.value(choice)]
    end = "smallest" if metric.better == "lower" else "largest"
    best = "the most correct answers" if target == "depth" else f"the {end} mean of {metric.name}"
    return f"Of all thresholds that reach the target, the one with {best}:"


def _found(choice, key, goal, asked):
    """The Choice of a model for a goal."""
    samples = choice.samples()[key]
    curve, truth, table = samples.curve, samples.truth, samples.table

    def find():
        # Missing information, of which other costs are other sums: kept, as it takes all answers.
        priced = partial(with_costs, curve, choice.taxonomy, truth, table)
        found = choice.computed("curve with costs", priced, key) if asked[0] == "cost" else curve
        return goal.find(found, truth, table)

    return choice.computed("target", find, key, *asked)


def _reached(choice, key, threshold, label, point, where):
    """What is reached at the threshold found, next to that of the handle."""
    curve = choice.samples()[key].curve
    rows = {
        label: {"τ": threshold_text(point.threshold)} | point.values,
        "current": {"τ": threshold_text(threshold)} | curve.at(threshold),
        "most probable leaf": {"τ": threshold_text(0.0)} | curve.at(0.0),
    }
    words = f"**{escape(choice.name(key))}, {escape(label)}:** τ = {threshold_text(point.threshold)}"
    words += f"; {percent_text(point.values['correct'], 1)} of the answers are correct"
    words += f" ({answered_text(point.values['no_answer'], point.values['correct'])})"
    if "above_depth" in point.values:
        words += f", {percent_text(point.values['above_depth'], 1)} above that depth"
    if "cost" in point.values:
        words += f"; mean cost {value_text(point.values['cost'])} per sample"
    st.markdown(f"{words}; information recall {percent_text(point.values['info_recall'], 1)}.")
    thresholds = {label: point.threshold, "current": threshold}
    spans = {name: uncertainty.at(choice, key, threshold) for name, threshold in thresholds.items()}
    keys = dict.fromkeys((*choosing.shown_keys(), METRIC.value(choice)))
    choosing.value_table(rows, f"target-{where}", first="operating point", keys=tuple(keys), intervals=spans)
    choosing.use_threshold(point.threshold, key, f"target-{where}")


def prepare(choice, key):
    """Compute what takes long."""
    if TARGET.value() == "groups":
        target_groups.found(choice, key)
        return
    for goal, asked, choices in goals(choice):
        target_ranking.found(choice, goal, asked, choices)
