"""The table of the Overview: all models on a few numbers, and which answers each number judges."""

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import numbers, shell
from hierviz.app.widgets.metric_table import BOUNDS, FIRSTS, listing, too_few_text, unmarked
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation.model_table import AT_ONE_THRESHOLD
from hierviz.evaluation.summary import model_summary
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.comparison import never_reached, too_few_for
from hierviz.uncertainty.resamples import FEWEST

SHOWN = {
    "curve": ("ac", "ap", "recall_at_95_correct", "majority_f1"),
    "distribution": ("softmax_win",),
    "top_down": ("argmax_leaf_accuracy", "coarsest_accuracy", "aggregate_f1"),
    "confusion": ("f1", "mcc"),
}
# Where there is no curve, sets of classes are what can be judged.
SHOWN_OF_SETS = {
    "labels": ("micro_f1", "macro_f1", "hf1_samples", "ihf1_samples"),
    "confusion": ("ppv", "tpr", "f1", "mcc"),
}
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
    """All numbers of every model by its name, worked out once; None where the visitor cancelled it."""
    return worked_out(
        "summaries",
        data.digest,
        "Model metrics",
        lambda stages: {model.predictions.name: _summary(model, stages) for model in data.models.values()},
    )


def known_summaries(data):
    """`summaries` where they were worked out before, else None."""
    return state.known("summaries", data.digest)


def draw(data):
    """The table, what is marked, what is judged, definitions, and what had to be left out."""
    # The table does not depend on the controls of the page: each of them reruns it.
    models, entries = data.models.values(), summaries(data)
    if entries is None:
        return
    has_curve = any(entry["curve"] for entry in entries.values())
    shown = SHOWN if has_curve else SHOWN_OF_SETS
    rows = {
        name: {key: entry[block][key] for block, keys in shown.items() if entry[block] for key in keys}
        for name, entry in entries.items()
    }
    keys = [key for keys in shown.values() for key in keys if any(key in row for row in rows.values())]
    if keys:
        at_one_threshold = [key for key in keys if _is_at_one_threshold(key, models)]
        curves = {model.predictions.name: model.curve for model in models if entries[model.predictions.name]["curve"]}
        few = too_few_for(keys, min((curve.n_samples for curve in curves.values()), default=0))
        bounds = {
            name: {key: entry["bounds"][block].get(key) for block, of in shown.items() if entry[block] for key in of}
            for name, entry in entries.items()
            if "bounds" in entry
        }
        unknown = [key for key in keys if any(key in of_model for of_model in bounds.values())]
        unranked = keys if has_few(entries) else list(dict.fromkeys([*at_one_threshold, *few, *unknown]))
        never = {name: tuple(never_reached(curve)) for name, curve in curves.items()}
        shell.metric_table(rows, keys, key="overview-table", unranked=unranked, never=never, bounds=bounds)
        said = ["Each row is a model."]
        if len(rows) > 1:
            said += [
                *([FIRSTS] if len(unranked) < len(keys) else []),
                unmarked(at_one_threshold),
                too_few_text(few),
            ]
        judged = {what: [METRICS[key].label for key in of if key in keys] for what, of in _judged(models, has_curve)}
        st.markdown(" ".join(value for value in said if value))
        if bounds:
            st.markdown(BOUNDS)
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
    """Whether a model is judged on so few samples that none is marked."""
    return min(entry["n_samples"] for entry in entries.values()) < FEWEST


def _summary(model, stage):
    """The numbers of a model: of one class by the majority rule, or, where there is no curve, of the set of classes."""
    return model_summary(model, rule="threshold_set" if model.why_no_curve() else "majority", stage=stage)


def _is_at_one_threshold(key, models):
    """Whether a number is about answers at one τ."""
    of_answers = METRICS[key].block in ("labels", "confusion") or key in AT_ONE_THRESHOLD
    return of_answers and any(model.predictions.has_scores for model in models)


def _judged(models, has_curve):
    """Pairs of which answers are judged, and by which numbers."""
    has_scores = any(model.predictions.has_scores for model in models)
    has_labels = any(not model.predictions.has_scores for model in models)
    if not has_curve:
        sets = " or ".join(what for what, there in ((LABELS, has_labels), (SETS, has_scores)) if there)
        paths = f"{sets}, as the smallest set of paths through all its classes"
        return [(sets, SHOWN_OF_SETS["labels"]), (paths, SHOWN_OF_SETS["confusion"])]
    majority = "the answers of the majority rule (τ = 0.5)"
    return [
        ("the answers at all thresholds", ("ac", "ap", "recall_at_95_correct")),
        ("the probabilities", ("softmax_win",)),
        ("the most probable leaf", ("argmax_leaf_accuracy",)),
        ("the top-down best leaf", ("coarsest_accuracy", "aggregate_f1")),
        (f"{majority} or {LABELS}" if has_labels else majority, ("majority_f1", "f1", "mcc")),
    ]
