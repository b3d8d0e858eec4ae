"""Panel "Threshold by target": what the threshold should achieve, and the threshold that does."""

from functools import partial

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, uncertainty
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.charts import threshold_text
from hierviz.charts.curve_table import short_label
from hierviz.metrics import METRICS, path_keys, share_keys
from hierviz.number_text import percent_text, value_text
from hierviz.thresholds.groups import group_thresholds, groups_by_depth, groups_by_subtree
from hierviz.thresholds.selection import (
    COST_SENTENCE,
    at_least_correct,
    at_most_above_depth,
    at_most_cost,
    best_of,
    cheapest,
    with_costs,
)

TARGETS = {
    "correct": "Target accuracy",
    "cost": "Mean cost",
    "depth": "Shallow answers",
    "groups": "Threshold per group",
}
# What is asked for at first.
MOST_OF = "info_recall"
LEVEL, SHARE, COSTS = 95.0, 20.0, {"wrong": 1.0, "vague": 0.3, "most": 0.1}
GROUPS = {
    "subtree": "the child of the root above the most probable leaf",
    "depth": "the depth of the answer at τ = 0.5",
}
CHECKS = {"same": "the same samples", "other": "the held-out half"}


def group_targets():
    """What the threshold of each group can be chosen for: a share of correct answers, or the best mean of a metric."""
    return {"correct": "target accuracy"} | {f"best-{key}": f"best {METRICS[key].name}" for key in path_keys()}


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
        _groups(choice, key)
        return
    several = len(choice.keys) > 1
    # Cells with intervals are wide.
    left, right = (st.container(), st.container()) if uncertainty.is_on() or not several else st.columns(2)
    with left:
        for place, (label, point) in enumerate(thresholds_of(choice, key)):
            if point.is_feasible:
                _reached(choice, key, now.threshold_of(key), label, point, f"{target}-{place}")
            else:
                st.info(escape(point.why_not), icon=":material/block:")
    if several:
        with right:
            _all_models(choice, target)


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


def _asked(target, choice):
    """The numbers of a target, as the search takes them."""
    if target == "cost":
        return tuple(choosing.value(name, default) for name, default in COSTS.items())
    if target == "depth":
        return choosing.value("deep", *_depths(choice)), choosing.value("share", SHARE)
    return choosing.value("level", LEVEL), choosing.value("most_of", MOST_OF, path_keys())


def _depths(choice):
    """The depth asked for at first, and all there are."""
    deepest = choice.taxonomy.max_depth
    return min(2, deepest), tuple(range(deepest + 1))


def _find(choice, key, target):
    samples = choosing.samples_of(choice)[key]
    curve, asked = samples.curve, _asked(target, choice)
    if target == "correct":
        return [(f"{asked[0]:g} % correct", at_least_correct(curve, asked[0] / 100, key=asked[1]))]
    if target == "depth":
        depth, share = asked
        point = at_most_above_depth(curve, choice.taxonomy, samples.table, depth, share / 100)
        return [(f"≤ {share:g} % above depth {depth}", point)]
    wrong, vague, most = asked
    priced = with_costs(curve, choice.taxonomy, samples.truth, samples.table, wrong=wrong, vague=vague)
    return [("lowest cost", cheapest(priced)), (f"cost ≤ {most:g}", at_most_cost(priced, most))]


def _ask_correct(choice):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Correct answers, at least (%)",
            0.0,
            100.0,
            step=1.0,
            format="%.1f",
            **choosing.kept("level", LEVEL, width=330),
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


def _ask_groups(choice):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Group by", format_func=GROUPS.get, **choosing.kept("groups_by", "subtree", GROUPS, width=420))
        st.selectbox(
            "Target of each group",
            format_func=group_targets().get,
            **choosing.kept("groups_target", "correct", group_targets(), width=230),
        )
        st.selectbox("Measured on", format_func=CHECKS.get, **choosing.kept("groups_on", "other", CHECKS, width=250))
        if choosing.value("groups_target", "correct", group_targets()) == "correct":
            st.number_input(
                "Correct (%)", 0.0, 100.0, step=1.0, format="%.1f", **choosing.kept("level", LEVEL, width=120)
            )


CONTROLS = {"correct": _ask_correct, "cost": _ask_cost, "depth": _ask_depth, "groups": _ask_groups}


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
    if "above_depth" in point.values:
        told += f", {percent_text(point.values['above_depth'], 1)} above that depth"
    if "cost" in point.values:
        told += f"; mean cost {value_text(point.values['cost'])} per sample"
    st.markdown(f"{told}; information recall {percent_text(point.values['info_recall'], 1)}.")
    thresholds = {label: point.threshold, "current": threshold}
    spans = {name: uncertainty.at(choice, key, threshold) for name, threshold in thresholds.items()}
    keys = dict.fromkeys((*share_keys(), choosing.value("most_of", MOST_OF, path_keys())))
    choosing.value_table(rows, f"target-{where}", first="operating point", keys=tuple(keys), intervals=spans)
    choosing.use_threshold(point.threshold, key, f"target-{where}")


def _all_models(choice, target):
    """What every model of the page reaches: they are comparable at the same target, unlike at the same τ."""
    labels = [label for label, _ in thresholds_of(choice, choice.keys[0])]
    keys = tuple(dict.fromkeys((*share_keys(), choosing.value("most_of", MOST_OF, path_keys()))))
    for place, label in enumerate(labels):
        reached = {choice.name(key): thresholds_of(choice, key)[place][1] for key in choice.keys}
        st.markdown(f"**All models, {escape(label)}**, each at its own τ:")
        rows = {
            name: {"τ": threshold_text(point.threshold)} | point.values if point.is_feasible else {"τ": "not reached"}
            for name, point in reached.items()
        }
        choosing.value_table(rows, f"target-all-{target}-{place}", first="model", keys=keys)
    if not uncertainty.is_on():
        st.caption("Differences with 95 % intervals: see Uncertainty.")


def prepare(choice, key):
    """Work out what takes long."""
    if choosing.value("target", "correct", TARGETS) == "groups":
        _per_group(choice, key)


def _per_group(choice, key):
    """[GroupThresholds or None] of what is asked for; None where it was cancelled."""
    samples, taxonomy = choosing.samples_of(choice)[key], choice.taxonomy
    by = choosing.value("groups_by", "subtree", GROUPS)
    target = choosing.value("groups_target", "correct", group_targets())
    is_checked = choosing.value("groups_on", "other", CHECKS) == "other" and samples.n_samples > 1
    level = _asked("groups", choice)[0] / 100

    def make(stages):
        labels = (
            groups_by_subtree(taxonomy, samples.table) if by == "subtree" else groups_by_depth(taxonomy, samples.table)
        )
        find = partial(at_least_correct, level=level)
        if target != "correct":
            find = partial(best_of, key=target.removeprefix("best-"))
        fraction, progress = 0.5 if is_checked else None, stages("Thresholds of groups")
        # A target that cannot be reached gives None: kept in a list, so that it is not searched for again.
        return [
            group_thresholds(taxonomy, samples.truth, samples.table, labels, find, fraction=fraction, progress=progress)
        ]

    asked = (choice.data_key, tuple(choice.keys), key, by, target, is_checked, level)
    return worked_out("group thresholds", asked, "Thresholds of groups", make)


def _groups(choice, key):
    samples, taxonomy = choosing.samples_of(choice)[key], choice.taxonomy
    by = choosing.value("groups_by", "subtree", GROUPS)
    target, level = choosing.value("groups_target", "correct", group_targets()), _asked("groups", choice)[0] / 100
    found = _per_group(choice, key)
    if found is None:
        return
    per_group = found[0]
    if per_group is None:
        st.info(escape(at_least_correct(samples.curve, level).why_not or "No threshold reaches this target."))
        return
    rows = {
        "All samples": {
            "own τ": "by group",
            "common τ": threshold_text(per_group.global_threshold),
            "n": f"{per_group.measured_on:,}",
        }
    }
    own, alike = {"All samples": per_group.values}, {"All samples": per_group.global_values}
    for place, group in enumerate(per_group.groups.tolist()):
        name = taxonomy.title(group) if by == "subtree" else f"depth {group}"
        name = name if name not in rows else f"{name} ({taxonomy.names[group]})"
        threshold = threshold_text(per_group.threshold[place])
        rows[name] = {
            "own τ": threshold if per_group.is_own[place] else f"{threshold} (common)",
            "common τ": threshold_text(per_group.global_threshold),
            "n": f"{int(per_group.n_measured[place]):,}",
        }
        own[name] = {metric: values[place] for metric, values in per_group.group_values.items()}
        alike[name] = {metric: values[place] for metric, values in per_group.global_group_values.items()}
    shown = list(dict.fromkeys((*share_keys(), *([] if target == "correct" else [target.removeprefix("best-")]))))
    table = pd.DataFrame(
        [
            [
                name,
                row["n"],
                row["own τ"],
                row["common τ"],
                *(choosing.with_interval(values[name][metric]) for metric in shown for values in (own, alike)),
            ]
            for name, row in rows.items()
        ],
        columns=[
            "group",
            "n",
            "own τ",
            "common τ",
            *(f"{short_label(metric)}, {which} τ" for metric in shown for which in ("own", "common")),
        ],
    )
    st.dataframe(table, hide_index=True, key="target-groups", width="content")
    st.markdown(
        f"{per_group.sentence} Each row is a group of samples by {GROUPS[by]}: *own τ* with its own threshold, *common τ* with "
        "one threshold for all groups."
    )
