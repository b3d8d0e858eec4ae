"""The models of the Overview in three plain columns; all other numbers are on demand."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers, overview_table
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.metric_table import BOUNDS, FIRSTS, Row, cell_text, ranked
from hierviz.charts import threshold_text
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.most_specific import most_specific, most_specific_text
from hierviz.uncertainty.repeats import over_repeats
from hierviz.uncertainty.resamples import FEWEST

# Key, and what it says in plain words.
OF_CURVES = {
    "argmax_leaf_accuracy": "most probable leaf class is the truth",
    "recall_at_95_correct": "how specific answers are at most when 95 % of them are correct, from 0 to 1",
    "ac": "correctness and specificity over all thresholds, from 0 to 1",
}
OF_SETS = {
    "micro_f1": "F1 of all classes of all samples together",
    "hf1_samples": "mean F1 of a sample's classes with their ancestors",
    "mcc": "correlation of answers and truth over all classes, from −1 to 1",
}


def draw(data):
    """Three columns, the best marked."""
    entries = overview_table.summaries(data)
    if entries is None:
        return
    shown = OF_CURVES if any(entry["curve"] for entry in entries.values()) else OF_SETS
    keys = [key for key in shown if any(overview_table.value_of(entry, key) is not None for entry in entries.values())]
    if not keys:
        return
    values, spread = _by_method(data, entries, keys)
    bounds = {name: overview_table.bounds_of(entries.get(name, {}), keys) for name in values}
    unranked = [
        key
        for key in keys
        if overview_table.has_few(entries)
        or any(key in of for of in bounds.values())
        or (len(values) > 1 and key == "mcc")
    ]
    rows = [Row({"model": name}, of, bounds=bounds[name]) for name, of in values.items()]
    lines = [["Model", *(METRICS[key].label for key in keys)], ["---", *("---:" for _ in keys)]]
    lines += [
        [
            numbers.escape(row.lead["model"]),
            *(cell_text(row, key, spread.get((row.lead["model"], key), "")) for key in keys),
        ]
        for row in ranked(rows, keys, unranked)
    ]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
    if any(bounds.values()):
        st.markdown(BOUNDS)
    said = "; ".join(f"**{METRICS[key].label}**: {shown[key]}" for key in keys)
    between = " ±: standard deviation between the runs of a method." if spread else ""
    marks = f"{FIRSTS} Compare marks which differences are clear." if len(rows) > 1 else ""
    st.caption(f"{said}. {marks if len(unranked) < len(keys) else ''}{between}")


def _by_method(data, entries, keys):
    """(values, spread): of a method with several runs their mean, and their standard deviation as text by name and key."""
    found, spread = {}, {}
    for key_of_method, models in data.methods.items():
        name = models[0].predictions.name
        if len(models) == 1:
            found[name] = {key: overview_table.value_of(entries[name], key) for key in keys}
            continue
        runs = [entries[data.models[key].predictions.name] for key in data.runs_of(key_of_method)]
        name = f"{name} ({len(models)} runs)"
        found[name] = {}
        for key in keys:
            values = [overview_table.value_of(run, key) for run in runs]
            if None not in values:
                repeats = over_repeats(values)
                found[name][key] = float(repeats.mean)
                spread[name, key] = value_text(float(repeats.sd))
    return found, spread


def say_most_specific(data, level=0.95):
    """The method that is most specific where 95 % of its answers are correct: its threshold, and its cost in specificity.

    Nothing before `draw` has computed the numbers, or where that was cancelled.
    """
    if overview_table.known_summaries(data) is None:
        return
    curves = {
        key: [run.curve for run in runs]
        for key, runs in data.methods.items()
        if all(run.why_no_curve() is None for run in runs)
    }
    if not curves or any(model.predictions.has_unknown for model in data.models.values()):
        return
    found = state.computed("most specific", (data.digest, level), lambda: most_specific(curves, level))
    if found is None or found.n_samples < FEWEST:
        st.markdown(most_specific_text(found, "", "", len(curves), level))
        return
    key, point = found.key, found.choice
    name, threshold = numbers.escape(data.methods[key][0].predictions.name), threshold_text(point.threshold)
    st.markdown(most_specific_text(found, name, threshold, len(curves), level, "**{}**"))
    shown = state.shown_models(data)
    models = state.view().models if key in shown else (*shown[:7], key)
    at = state.view().with_threshold(point.threshold, key)
    clearer = ", and whether it is clearly better than another model" if len(curves) > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="most-specific"):
        link_to(
            "curves",
            f"{name} at τ = {threshold}",
            "my_location",
            sample="",
            model=key,
            models=models,
            threshold=at.threshold,
            thresholds=at.thresholds,
            rule="threshold",
        )
        st.caption(
            "Chosen and measured on the same samples: *Guarantee* and *Uncertainty* on Operating curves say how certain this is "
            f"for new ones{clearer}.",
            width="content",
        )


def best_two(data):
    """Keys of the two methods with the largest AC, of several runs their mean; or None."""
    entries = overview_table.summaries(data) or {}
    found = {
        key: [entries.get(data.models[run].predictions.name, {}).get("curve") for run in data.runs_of(key)]
        for key in data.methods
    }
    ac = {
        key: float(over_repeats([curve["ac"] for curve in curves]).mean) if len(curves) > 1 else curves[0]["ac"]
        for key, curves in found.items()
        if all(curve and curve["ac"] is not None for curve in curves)
    }
    return sorted(ac, key=lambda key: -ac[key])[:2] if len(ac) > 1 else None


def every_metric(data):
    """All numbers of all models, computed on request."""
    every = st.expander("All metrics", key="all-metrics", on_change="rerun")
    if every.open:
        with every:
            overview_table.draw(data)
