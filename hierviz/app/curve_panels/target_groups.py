"""Panel "Threshold by target": a threshold for each group of samples, next to one for all."""

from functools import partial

import pandas as pd
import streamlit as st

from hierviz.app.curve_panels import choosing, target_ranking
from hierviz.app.curve_panels.choosing import Setting, percent
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
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


BY = Setting("groups_by", "Group by", "subtree", 420, GROUPS)
# A share of correct answers, or the best mean of a metric.
TARGET = Setting(
    *("groups_target", "Target of each group", "correct", 230),
    lambda _: {"correct": "target accuracy"} | {f"best-{key}": f"best {METRICS[key].name}" for key in path_keys()},
)
ON = Setting("groups_on", "Measured on", "other", 250, CHECKS)
LEVEL = percent("level", "Correct (%)", 95.0, 120)


def found(choice, key):
    """[GroupThresholds or None, GroupRepeats or None] for the settings; None where it was cancelled."""
    samples, taxonomy = choice.samples()[key], choice.taxonomy
    by, target, level = BY.value(), TARGET.value(choice), LEVEL.value() / 100
    is_checked = ON.value() == "other" and samples.n_samples > 1
    has_more = is_checked and target_ranking.is_wanted(choice)

    wanted = {"subject_to": {"correct": level}} if target == "correct" else {"maximise": target.removeprefix("best-")}

    def made(stages):
        groups = groups_by_subtree if by == "subtree" else groups_by_depth
        asked = taxonomy, samples.truth, samples.table, groups(taxonomy, samples.table), partial(choose, **wanted)
        fraction, progress = 0.5 if is_checked else None, stages("Thresholds of groups")
        # A target that cannot be reached gives None: kept in a list, so that it is not searched for again.
        once = group_thresholds(*asked, fraction=fraction, progress=progress)
        if once is None or not has_more:
            return [once, None]
        halves = stages("Thresholds of groups on other random halves", "halves")
        return [once, repeated_group_thresholds(*asked, fraction=fraction, progress=halves)]

    asked = (key, by, target, is_checked, has_more, level)
    return choice.worked_out("group thresholds", "Thresholds of groups", made, *asked)


def panel(choice, key):
    """The controls, the table of groups, and what other splits would have given."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by, target, _ = (setting.ask(choice) for setting in (BY, TARGET, ON))
        if target == "correct":
            LEVEL.ask()
    taxonomy, thresholds = choice.taxonomy, found(choice, key)
    if thresholds is None:
        return
    per_group, repeats = thresholds
    if per_group is None:
        why = choose(choice.samples()[key].curve, subject_to={"correct": LEVEL.value() / 100}).why_not
        st.info(escape(why or "No threshold reaches this target."))
        return
    metric = "correct" if target == "correct" else target.removeprefix("best-")
    keys = list(dict.fromkeys((*choosing.shown_keys(), metric)))
    common = threshold_text(per_group.global_threshold)
    rows = {"All samples": ("by group", per_group.measured_on, per_group.values, per_group.global_values)}
    for place, group in enumerate(per_group.groups.tolist()):
        name = taxonomy.title(group) if by == "subtree" else f"depth {group}"
        name = name if name not in rows else f"{name} ({taxonomy.names[group]})"
        own, alike = (
            {key: values[place] for key, values in of.items()}
            for of in (per_group.group_values, per_group.global_group_values)
        )
        threshold = threshold_text(per_group.threshold[place]) + " (common)" * (not per_group.is_own[place])
        rows[name] = (threshold, int(per_group.n_measured[place]), own, alike)
    cells = []
    for name, (threshold, n, own, alike) in rows.items():
        pairs = [(key, which, values[key]) for key in keys for which, values in (("own", own), ("common", alike))]
        texts = {f"{short_label(key)}, {which} τ": table.cell_text(value) for key, which, value in pairs}
        cells.append({"group": name, "n": f"{n:,}", "own τ": threshold, "common τ": common} | texts)
    table.draw(pd.DataFrame(cells), key="target-groups", width="content")
    st.markdown(
        f"{per_group.sentence} Each row is a group of samples by {GROUPS[by]}: *own τ* with its own threshold, *common τ* with "
        "one threshold for all groups."
    )
    if repeats is not None:
        st.markdown(repeats.sentence(metric))
    elif per_group.is_checked:
        st.caption(
            "Values on one random half vary: what is easy in one half is missing in the other. Switch on values over many halves "
            "below."
        )
    if per_group.is_checked:
        target_ranking.controls(choice)
