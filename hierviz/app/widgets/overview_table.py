"""The models of the Overview: three plain columns, and on demand all numbers with the answers that each judges."""

import streamlit as st

from hierviz.app.widgets import frame, numbers
from hierviz.app.widgets.numbers import BOUNDS, FIRSTS, Row, listing, ranked
from hierviz.app.widgets.progress import worked_out
from hierviz.evaluation.model_table import AT_ONE_THRESHOLD
from hierviz.evaluation.summary import BLOCKS, model_summary
from hierviz.metrics.registry import METRICS
from hierviz.thresholds.set_rules import set_rules
from hierviz.uncertainty.comparison import never_reached, too_few_for
from hierviz.uncertainty.repeats import over_repeats
from hierviz.uncertainty.resamples import FEWEST

SHOWN = (
    *("ac", "ap", "recall_at_95_correct", "majority_f1", "softmax_win"),
    *("argmax_leaf_accuracy", "coarsest_accuracy", "aggregate_f1", "f1", "mcc"),
)
# Models of which sentences are written.
MOST_SAID = 3
# Where there is no curve, sets of classes are what can be judged.
OF_LABELS, OF_PATHS = ("micro_f1", "macro_f1", "hf1_samples", "ihf1_samples"), ("ppv", "tpr", "f1", "mcc")
LEFT_OUT = {
    "distribution": "the win and cross entropy",
    "top_down": "accuracy by level",
    "best_leaves": "distance of the best leaves",
    "probabilities": "Brier score and calibration errors",
    "levels": "answers by level",
    "random_cuts": "accuracy of random cuts",
    "predicted": "precision and recall of the answer",
    "labels": "metrics of label sets",
    "lca": "LCA-F of label sets",
    "curve": "operating curves",
    "selective": "coverage and risk of climbing",
    "confusion": "the hierarchical confusion",
}
# Key, and its meaning in plain words.
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
SETS, LABELS = "the set of all classes with a score above τ = 0.5", "the labels of the file"


def summaries(data):
    """The numbers of every model that the page shows at once, by its name, computed once; None where that was cancelled."""
    has_curve = any(model.why_no_curve() is None for model in data.models.values())
    blocks = {METRICS[key].block for key in (OF_CURVES if has_curve else OF_SETS)}
    return _worked_out(data, "summaries", "Model metrics", ("curve", *sorted(blocks - {"curve"})))


def every_summary(data):
    """As `summaries`, with all numbers."""
    return _worked_out(data, "every summary", "All model metrics", tuple(BLOCKS))


def _worked_out(data, name, what, only):
    def made(stages):
        # Numbers of one class by the majority rule, or, where there is no curve, of the set of classes.
        rules = ["threshold_set" if model.why_no_curve() else "majority" for model in data.models.values()]
        summarised = zip(data.models.values(), rules, strict=True)
        return {
            one.predictions.name: model_summary(one, rule=rule, stage=stages, only=only) for one, rule in summarised
        }

    return worked_out(name, data.digest, what, made)


def value_of(entry, key):
    """A number of the summary of a model; None where it has none."""
    return (entry.get(METRICS[key].block) or {}).get(key)


def row_of(name, entry, keys, never=()):
    """The Row of a model, with (low, high), or None, of those numbers that unknown scores leave open."""
    bounds = entry.get("bounds", {})
    bounds = {key: of.get(key) for key in keys if (of := bounds.get(METRICS[key].block)) is not None}
    return Row({"model": name}, {key: value_of(entry, key) for key in keys}, never=never, bounds=bounds)


def metrics_table(data):
    """The table, what is marked, what is judged, definitions, and what is not available."""
    # The table does not depend on the controls of the page: each of them reruns it.
    models, entries = data.models.values(), every_summary(data)
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
        rows = [
            row_of(name, entry, keys, never=tuple(never_reached(curves[name])) if name in curves else ())
            for name, entry in entries.items()
        ]
        unknown = [key for key in keys if any(key in row.bounds for row in rows)]
        unranked = keys if has_few(entries) else [*at_one_threshold, *few, *unknown]
        numbers.metric_table(ranked(rows, keys, unranked), keys, "overview-table")
        said = ["Each row is a model."]
        if len(rows) > 1:
            said += [FIRSTS * (not set(keys) <= set(unranked)), numbers.unmarked(at_one_threshold)]
            said.append(numbers.too_few_text(few))
        st.markdown(" ".join(filter(None, said)))
        if unknown:
            st.markdown(BOUNDS)
        judged = {what: [METRICS[key].label for key in of if key in keys] for what, of in _judged(models, has_curve)}
        st.markdown(f"Evaluated: {'; '.join(f'**{what}**: {listing(of)}' for what, of in judged.items() if of)}.")
        st.markdown("Definitions of the columns:")
        numbers.definitions(keys, "overview")
    if has_curve:
        sets_without_threshold(data, has_curve=True)
    left_out = {}
    for note in dict.fromkeys(note for entry in entries.values() for note in entry["notes"] if ": null, " in note):
        block, reason = note.split(": null, ", 1)
        if block in LEFT_OUT:
            left_out.setdefault(reason, []).append(LEFT_OUT[block])
    for reason, blocks in left_out.items():
        st.caption(f"Not available: {', '.join(blocks)}, because {numbers.escape(reason)}.")


def sets_without_threshold(data, has_curve=False):
    """What sets reach by thresholds and by the rule that needs none, for each model without a curve of single answers.

    With `has_curve`, for each model that has one: there sets are one more way to answer.
    """
    of_scores = [model for model in data.models.values() if model.why_no_set_curve() is None]
    of_scores = [model for model in of_scores if (model.why_no_curve() is None) == has_curve]
    if has_curve:
        st.markdown("Sets of classes in place of one answer:")
    for model in of_scores[:MOST_SAID]:
        found = worked_out(
            "set rules",
            (data.digest, model.predictions.name, model.predictions.run),
            f"Sets of {model.predictions.name}",
            lambda told, model=model: set_rules(model, told),
            "samples",
        )
        if found is not None:
            st.markdown(numbers.escape(found.sentence))


def has_few(entries):
    """Whether a model is judged on too few samples for marks."""
    return min(entry["n_samples"] for entry in entries.values()) < FEWEST


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


def models_table(data):
    """Three columns, the best marked."""
    entries = summaries(data)
    if entries is None:
        return
    shown = OF_CURVES if any(entry["curve"] for entry in entries.values()) else OF_SETS
    keys = [key for key in shown if any(value_of(entry, key) is not None for entry in entries.values())]
    if not keys:
        return
    rows = [_row(data, entries, method, keys) for method in data.methods]
    has_bounds = {key for row in rows for key in row.bounds}
    unranked = [key for key in keys if has_few(entries) or key in has_bounds or (len(rows) > 1 and key == "mcc")]
    lines = [["Model", *(METRICS[key].label for key in keys)], ["---", *("---:" for _ in keys)]]
    for row in ranked(rows, keys, unranked):
        lines.append([numbers.escape(row.lead["model"]), *(numbers.cell_text(row, key) for key in keys)])
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
    if has_bounds:
        st.markdown(BOUNDS)
    said = "; ".join(f"**{METRICS[key].label}**: {shown[key]}" for key in keys)
    between = " ±: standard deviation between the runs of a method." if any(row.spread for row in rows) else ""
    marks = f"{FIRSTS} Compare marks which differences are clear." if len(rows) > 1 else ""
    st.caption(f"{said}. {marks if len(unranked) < len(keys) else ''}{between}")


def _row(data, entries, method, keys):
    """The Row of a method: of several runs their mean with its spread."""
    models = data.methods[method]
    name = models[0].predictions.name
    if len(models) == 1:
        return row_of(name, entries[name], keys)
    runs = [entries[data.models[key].predictions.name] for key in data.runs_of(method)]
    repeats = {
        key: over_repeats(values) for key in keys if None not in (values := [value_of(run, key) for run in runs])
    }
    means, spread = ({key: float(getattr(one, name)) for key, one in repeats.items()} for name in ("mean", "sd"))
    return Row({"model": f"{name} ({len(models)} runs)"}, means, spread=spread)


def best_two(data):
    """Keys of the two methods with the largest AC, of several runs their mean; or None."""
    entries = summaries(data)
    if entries is None:
        return None
    ac = {key: _row(data, entries, key, ["ac"]).values.get("ac") for key in data.methods}
    best = sorted((key for key in ac if ac[key] is not None), key=lambda key: -ac[key])
    return best[:2] if len(best) > 1 else None


def every_metric(data):
    """All numbers of all models, computed on request."""
    frame.unfolded("All metrics", "all-metrics", lambda: metrics_table(data))
