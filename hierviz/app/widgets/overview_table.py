"""The table of the Overview: all models on a few numbers, and which answers each number judges."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers
from hierviz.app.widgets.metric_table import (
    BOUNDS,
    FIRSTS,
    Row,
    listing,
    metric_table,
    ranked,
    too_few_text,
    unmarked,
)
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation.model_table import AT_ONE_THRESHOLD
from hierviz.evaluation.summary import model_summary
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.comparison import never_reached, too_few_for
from hierviz.uncertainty.resamples import FEWEST

SHOWN = (
    *("ac", "ap", "recall_at_95_correct", "majority_f1", "softmax_win"),
    *("argmax_leaf_accuracy", "coarsest_accuracy", "aggregate_f1", "f1", "mcc"),
)
# Where there is no curve, sets of classes are what can be judged.
OF_LABELS, OF_PATHS = ("micro_f1", "macro_f1", "hf1_samples", "ihf1_samples"), ("ppv", "tpr", "f1", "mcc")
LEFT_OUT = {
    "distribution": "the win and cross entropy",
    "top_down": "accuracy by level",
    "predicted": "precision and recall of the answer",
    "labels": "metrics of label sets",
    "curve": "operating curves",
    "confusion": "the hierarchical confusion",
}
SETS, LABELS = "the set of all classes with a score above τ = 0.5", "the labels of the file"


def summaries(data):
    """All numbers of every model by its name, computed once; None where the visitor cancelled it."""
    return worked_out(
        "summaries",
        data.digest,
        "Model metrics",
        lambda stages: {model.predictions.name: _summary(model, stages) for model in data.models.values()},
    )


def known_summaries(data):
    """`summaries` where they were computed before, else None."""
    return state.known("summaries", data.digest)


def value_of(entry, key):
    """A number of the summary of a model; None where it has none."""
    return (entry.get(METRICS[key].block) or {}).get(key)


def bounds_of(entry, keys):
    """(low, high), or None, of those numbers of a model that unknown scores leave open."""
    bounds = entry.get("bounds", {})
    return {key: bounds[block].get(key) for key in keys if (block := METRICS[key].block) in bounds}


def draw(data):
    """The table, what is marked, what is judged, definitions, and what is not available."""
    # The table does not depend on the controls of the page: each of them reruns it.
    models, entries = data.models.values(), summaries(data)
    if entries is None:
        return
    has_curve = any(entry["curve"] for entry in entries.values())
    shown = SHOWN if has_curve else (*OF_LABELS, *OF_PATHS)
    keys = [key for key in shown if any(entry[METRICS[key].block] for entry in entries.values())]
    if keys:
        has_scores = any(model.predictions.has_scores for model in models)
        of_answers = [key for key in keys if METRICS[key].block in ("labels", "confusion") or key in AT_ONE_THRESHOLD]
        at_one_threshold = of_answers if has_scores else []
        curves = {model.predictions.name: model.curve for model in models if entries[model.predictions.name]["curve"]}
        few = too_few_for(keys, min((curve.n_samples for curve in curves.values()), default=0))
        bounds = {name: bounds_of(entry, keys) for name, entry in entries.items()}
        unknown = [key for key in keys if any(key in of_model for of_model in bounds.values())]
        unranked = keys if has_few(entries) else [*at_one_threshold, *few, *unknown]
        rows = [
            Row(
                {"model": name},
                {key: value_of(entry, key) for key in keys},
                never=tuple(never_reached(curves[name])) if name in curves else (),
                bounds=bounds[name],
            )
            for name, entry in entries.items()
        ]
        metric_table(ranked(rows, keys, unranked), keys, "overview-table")
        said = ["Each row is a model."]
        if len(rows) > 1:
            said += [FIRSTS * (not set(keys) <= set(unranked)), unmarked(at_one_threshold), too_few_text(few)]
        st.markdown(" ".join(filter(None, said)))
        if unknown:
            st.markdown(BOUNDS)
        judged = {what: [METRICS[key].label for key in of if key in keys] for what, of in _judged(models, has_curve)}
        st.markdown(f"Evaluated: {'; '.join(f'**{what}**: {listing(of)}' for what, of in judged.items() if of)}.")
        st.markdown("Definitions of the columns:")
        numbers.definitions(keys, "overview")
    left_out = {}
    for note in dict.fromkeys(note for entry in entries.values() for note in entry["notes"] if ": null, " in note):
        block, reason = note.split(": null, ", 1)
        left_out.setdefault(reason, []).append(LEFT_OUT[block])
    for reason, blocks in left_out.items():
        st.caption(f"Not available: {', '.join(blocks)}, because {numbers.escape(reason)}.")


def has_few(entries):
    """Whether a model is judged on too few samples for marks."""
    return min(entry["n_samples"] for entry in entries.values()) < FEWEST


def _summary(model, stage):
    """The numbers of a model: of one class by the majority rule, or, where there is no curve, of the set of classes."""
    return model_summary(model, rule="threshold_set" if model.why_no_curve() else "majority", stage=stage)


def _judged(models, has_curve):
    """Pairs of which answers are judged, and by which numbers."""
    has_scores = any(model.predictions.has_scores for model in models)
    has_labels = any(not model.predictions.has_scores for model in models)
    if not has_curve:
        sets = " or ".join(what for what, there in ((LABELS, has_labels), (SETS, has_scores)) if there)
        paths = f"{sets}, as the smallest set of paths through all its classes"
        return [(sets, OF_LABELS), (paths, OF_PATHS)]
    majority = "the answers of the majority rule (τ = 0.5)"
    return [
        ("the answers at all thresholds", ("ac", "ap", "recall_at_95_correct")),
        ("the probabilities", ("softmax_win",)),
        ("the most probable leaf", ("argmax_leaf_accuracy",)),
        ("the top-down best leaf", ("coarsest_accuracy", "aggregate_f1")),
        (f"{majority} or {LABELS}" if has_labels else majority, ("majority_f1", "f1", "mcc")),
    ]
