"""Panel "Threshold by target": a threshold for each group of samples, beside one for all."""

from functools import partial

import pandas as pd
import streamlit as st

from hierviz.app.curve_panels import choosing, target_ranking
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.charts import threshold_text
from hierviz.charts.curve_table import short_label
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.thresholds.groups import group_thresholds, groups_by_depth, groups_by_subtree, repeated_group_thresholds
from hierviz.thresholds.selection import choose

GROUPS = {
    "subtree": "the child of the root above the most probable leaf",
    "depth": "the depth of the answer at τ = 0.5",
}
CHECKS = {"same": "the same samples", "other": "the held-out half"}


def group_targets():
    """What the threshold of each group can be chosen for: a share of correct answers, or the best mean of a metric."""
    return {"correct": "target accuracy"} | {f"best-{key}": f"best {METRICS[key].name}" for key in path_keys()}


def ask(choice):
    """The controls."""
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
                "Correct (%)", 0.0, 100.0, step=1.0, format="%.1f", **choosing.kept("level", choosing.LEVEL, width=120)
            )


def prepare(choice, key):
    """Work out what takes long."""
    _per_group(choice, key)


def _per_group(choice, key):
    """[GroupThresholds or None, GroupRepeats or None] of what is asked for; None where it was cancelled."""
    samples, taxonomy = choosing.samples_of(choice)[key], choice.taxonomy
    by = choosing.value("groups_by", "subtree", GROUPS)
    target = choosing.value("groups_target", "correct", group_targets())
    is_checked = choosing.value("groups_on", "other", CHECKS) == "other" and samples.n_samples > 1
    level = choosing.value("level", choosing.LEVEL) / 100
    has_more = is_checked and target_ranking.is_wanted(choice)

    def make(stages):
        labels = (
            groups_by_subtree(taxonomy, samples.table) if by == "subtree" else groups_by_depth(taxonomy, samples.table)
        )
        find = partial(choose, subject_to={"correct": level})
        if target != "correct":
            find = partial(choose, maximise=target.removeprefix("best-"))
        fraction, progress = 0.5 if is_checked else None, stages("Thresholds of groups")
        asked = taxonomy, samples.truth, samples.table, labels, find
        # A target that cannot be reached gives None: kept in a list, so that it is not searched for again.
        once = group_thresholds(*asked, fraction=fraction, progress=progress)
        if once is None or not has_more:
            return [once, None]
        told = stages("Thresholds of groups on other random halves", "halves")
        return [once, repeated_group_thresholds(*asked, fraction=fraction, progress=told)]

    asked = (choice.data_key, tuple(choice.keys), key, by, target, is_checked, has_more, level)
    return worked_out("group thresholds", asked, "Thresholds of groups", make)


def panel(choice, key):
    """The table of groups, and what other splits would have given."""
    samples, taxonomy = choosing.samples_of(choice)[key], choice.taxonomy
    by = choosing.value("groups_by", "subtree", GROUPS)
    target, level = (
        choosing.value("groups_target", "correct", group_targets()),
        choosing.value("level", choosing.LEVEL) / 100,
    )
    found = _per_group(choice, key)
    if found is None:
        return
    per_group = found[0]
    if per_group is None:
        st.info(
            escape(choose(samples.curve, subject_to={"correct": level}).why_not or "No threshold reaches this target.")
        )
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
    shown = list(
        dict.fromkeys((*choosing.shown_keys(), *([] if target == "correct" else [target.removeprefix("best-")])))
    )
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
    if found[1] is not None:
        st.markdown(found[1].sentence("correct" if target == "correct" else target.removeprefix("best-")))
    elif per_group.is_checked:
        st.caption(
            "One random half says little: what is easy in one half is missing in the other. Values over many halves can be "
            "switched on below."
        )
    if per_group.is_checked:
        target_ranking.controls(choice)
