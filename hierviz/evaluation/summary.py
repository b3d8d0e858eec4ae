"""Every number of one or several models: the dict behind the JSON of the command line and the tables of the app.

Conventions
-----------
Infinite values are the strings "Infinity" and "-Infinity", undefined ones None, so that the dict is JSON.

Functions
---------
evaluate, model_summary, jsonable
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from hierviz._version import version
from hierviz.curves._selective_curve import RISK_AREAS
from hierviz.curves.operating_curve import CurveSteps
from hierviz.evaluation.bounds import bounds_of
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.sample_numbers import totals_of
from hierviz.evaluation.score_numbers import MORE, SCORE_BLOCKS, label_sets, score_numbers, why_no_levels
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import inference_rule, rule_and_threshold
from hierviz.messages.errors import PredictionsError, TaxonomyError, listed
from hierviz.metrics.confusion.constant_paths import best_constant_path, n_best_constants
from hierviz.metrics.random_cuts import random_cuts
from hierviz.metrics.registry import BALANCED_PREFIX, METRICS
from hierviz.predictions.exchanged_columns import LEAST_SAMPLES, exchanged, exchanged_words
from hierviz.predictions.parametrisation import SUM_TOLERANCE
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.checks import WAYS, check_threshold

# Parts of the work, as they are called where their progress is shown.
CURVE, LABEL_SETS, BOUNDS, PATHS = "Operating curve", "Label sets", "Bounds", "Paths to the best leaf"
FURTHER, LINKS = "Best leaves, cuts and levels", "Links of label sets"
NO_TRUTH = "no sample has a known truth: nothing is evaluated"
# Each answer of a table is classified, then added.
STEPS = "steps"


def evaluate(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    rule: str | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    threads: int | None = None,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    class_weights: np.ndarray | str | None = None,
    more: bool = False,
    **parameters: Any,
) -> dict[str, Any]:
    """Every number of one or several models.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list of them
        Several models need the same taxonomy and the same samples.
    rule : str, optional
        Key of `INFERENCE_RULES`; ``majority`` when absent, or ``threshold`` where a threshold is given.
    threshold : float, or sequence of float, optional
        In [0, 1], one for all models or one for each; used by the rules ``threshold`` and ``threshold_set`` and by the sets
        of block ``labels``, which ``notes`` says where the rule has none. 0.5 when absent.
    threads : int, optional
        Blocks of rows that are worked on at a time, where compiled loops serve (`hierviz.compiled`); all processors when
        None.
    stage : callable, optional
        Called with the name of each part of the work that can take long, and what it counts in the plural; gives its
        `progress`, called with (done, in all), or None.
    class_weights : "equal", or ndarray of float, shape (n_nodes,), optional
        Adds the numbers of block ``curve`` as means over true classes (``balanced_ac``, ...), each with the same weight or
        with its own (`hierviz.evaluation.evaluation`).
    more : bool
        Adds the blocks best_leaves, probabilities, random_cuts, levels, lca and selective, which read all probabilities once
        more.
    **parameters
        Of the rule, ``INFERENCE_RULES[rule].parameters``; each has a default, and those of other rules play no part.

    Returns
    -------
    dict
        The JSON of the command line: version, taxonomy and ``models``, each with the blocks distribution, top_down,
        predicted, labels, curve and confusion. A block that does not apply is None and ``notes`` says why. Where
        some scores are unknown (`Predictions.has_unknown`) also ``bounds``: for each block and key [low, high], or None where
        no interval is known.

    Raises
    ------
    PredictionsError
        If models differ in samples, or rule or threshold is not valid.
    TaxonomyError
        If models differ in their taxonomy.
    """
    how = {"stage": stage, "threads": threads}
    evaluations, rule, thresholds = evaluations_of(predictions, rule, threshold, parameters, **how)
    taxonomy = evaluations[0].taxonomy
    summaries = [
        model_summary(
            model,
            rule,
            of_model,
            stage=stage,
            class_weights=class_weights,
            only=tuple(BLOCKS) if more else None,
            **parameters,
        )
        for model, of_model in zip(evaluations, thresholds, strict=True)
    ]
    if not inference_rule(rule).needs_threshold:
        for found in summaries:
            if found["labels"] is not None and found["threshold"] not in (None, THRESHOLD.default):
                found["notes"].append(
                    f"threshold {found['threshold']:g}: of block labels alone, the rule {rule} has none"
                )
    return {
        "hierviz": version(),
        "taxonomy": {
            "n_nodes": taxonomy.n_nodes,
            "n_leaves": taxonomy.n_leaves,
            "is_tree": taxonomy.is_tree,
            "max_depth": taxonomy.max_depth,
            "ties": f"of equal classes the first of {order_text(taxonomy)}",
        },
        "models": summaries,
    }


def evaluations_of(
    predictions, rule, threshold, parameters, *, stage=lambda name, unit: None, threads=None, evaluation_of=None
):
    """What `evaluate` takes, checked, as (Evaluations, rule, threshold of each).

    `evaluation_of`, if given, makes them: it is called with Predictions, the rule and their threshold.
    """
    models = listed_models(predictions)
    rule, threshold = rule_and_threshold(rule, threshold)
    thresholds = thresholds_of(models, threshold)
    check_models(models, rule, thresholds, **parameters)

    def here(model, rule, of_model):
        progress = stage(f"Evaluating {model.name}", "rows")
        return Evaluation.from_predictions(model, progress, threshold=of_model, threads=threads)

    evaluations = [
        model if isinstance(model, Evaluation) else (evaluation_of or here)(model, rule, of_model)
        for model, of_model in zip(models, thresholds, strict=True)
    ]
    return evaluations, rule, thresholds


def thresholds_of(models, threshold):
    """The threshold of each model: list of float, from one for all or a sequence."""
    if np.ndim(threshold) == 0:
        return [threshold] * len(models)
    thresholds = list(threshold)
    if len(thresholds) != len(models):
        raise PredictionsError(
            f"threshold: expected one, or one for each of the {len(models)} models, got {len(thresholds)}. Give as many."
        )
    return thresholds


def model_summary(
    model,
    rule="majority",
    threshold=0.5,
    *,
    stage=lambda name, unit: None,
    class_weights=None,
    only=None,
    has_remarks=True,
    **parameters,
):
    """One entry of ``models`` in the dict of `evaluate`, of an Evaluation; `stage` and `class_weights` as there.

    `only` names the blocks that are wanted, all but `MORE` if not given: the others are left out, and not computed. Without
    `has_remarks` there are no notes on this input, which take as long as a block.
    """
    predictions, wanted = model.predictions, PLAIN if only is None else only
    _prepare(model, rule, threshold, stage, parameters, wanted)
    notes = list(model.taxonomy.notes) + list(predictions.notes)
    has_scores, entry = predictions.has_scores, inference_rule(rule)
    choice = {"rule": rule, "threshold": threshold, **parameters}
    blocks = {}
    for name, (block, why_not) in ((name, BLOCKS[name]) for name in BLOCKS if name in wanted):
        reason = why_not(model)
        if reason is None and name == "predicted" and entry.returns_sets:
            reason = f"the rule {rule} answers with a set of classes"
        blocks[name] = None if reason else block(model, choice=choice)
        if reason:
            notes.append(f"{name}: null, {reason}")
    if not model.n_judged:
        notes.insert(0, NO_TRUTH)
    if class_weights is not None and blocks.get("curve") is not None:
        blocks["curve"] |= balanced_numbers(model, class_weights)
    progress = stage(f"{BOUNDS} of {predictions.name}", "rows") if predictions.has_unknown else None
    if "beta" in (blocks.get("labels") or {}) and not predictions.has_single_truth:
        notes.append("labels.hf_beta_expected: null, it assumes one true class, and this truth lists several")
    outside = {what: record.to_dict() for what, record in predictions.outside.items()}
    bounds, of_bounds = bounds_of(model, blocks, rule, threshold, progress)
    return jsonable(
        {
            "name": predictions.name,
            **({} if predictions.run is None else {"run": predictions.run}),
            "n_samples": model.n_judged,
            "n_without_prediction": predictions.n_without_prediction,
            "n_without_truth": predictions.n_without_truth,
            **({"n_dropped": len(predictions.dropped)} if len(predictions.dropped) else {}),
            **({"outside": outside} if outside else {}),
            "parametrisation": predictions.parametrisation,
            "rule": rule if has_scores else None,
            "threshold": float(threshold) if has_scores else None,
            **(_given_parameters(entry, entry.settings(parameters)) if has_scores else {}),
            **blocks,
            **({} if bounds is None else {"bounds": bounds}),
            "notes": notes + of_bounds + (_remarks(model, wanted) if has_remarks else []),
        }
    )


def _prepare(model, rule, threshold, stage, parameters, wanted):
    """Work out what the blocks share and what takes long, which the model then keeps."""
    name = model.predictions.name
    if "labels" in wanted and model.n_judged and model.predictions.has_scores:
        model.label_counts(threshold, stage(f"{LABEL_SETS} of {name}", "rows"))
    if "lca" in wanted and model.n_judged and model.predictions.has_scores:
        label_sets(model, {"rule": rule, "threshold": threshold, **parameters}, stage(f"{LINKS} of {name}", "rows"))
    if model.why_no_curve() is None:
        is_answered = not {"predicted", "confusion"}.isdisjoint(wanted)
        entry = inference_rule(rule)
        is_counted = entry.returns_sets and entry.needs_threshold  # among the sets of block labels
        if is_answered and not is_counted and model.needs_pass(rule, threshold, **parameters):
            model.answers(rule, threshold, progress=stage(f"Answers of {name}", "rows"), **parameters)
        needed = {*wanted, "probabilities"} if "levels" in wanted else wanted
        if further := [block for block in SCORE_BLOCKS if block in needed]:
            score_numbers(model, further, stage(f"{FURTHER} of {name}", "rows"))
        if "curve" in wanted:
            model.curve_with(stage(f"{CURVE} of {name}", STEPS))
        if "selective" in wanted:
            model.leaf_paths(stage(f"{PATHS} of {name}", "rows"))


def _given_parameters(entry, settings):
    """The parameters of a rule for the JSON, without the threshold and without optional ones that have their default."""
    return {
        name: entry.parameters[name].to_json(value)
        for name, value in settings.items()
        if name != THRESHOLD.name and not (name in entry.defaults and value == entry.defaults[name])
    }


# Blocks ----------------------------------------------------------------------------------------------------------------


def balanced_numbers(model, class_weights="equal"):
    """The numbers of block ``curve`` as means over true classes: dict of `BALANCED` to float."""
    weights = None if isinstance(class_weights, str) else class_weights
    numbers = model.balanced_curve(weights).summary()
    return {f"{BALANCED_PREFIX}{key}": value for key, value in numbers.items() if key != "n_points"}


def _confusion(model, choice):
    counted = model.confusion(**choice)
    node, baseline = best_constant_path(model.taxonomy, counted.truth)
    return {
        **counted.counts,
        **counted.measures,
        "baseline": {"path_to": model.taxonomy.names[node], **baseline.counts, **baseline.measures},
    }


def _random_cuts(model, choice):
    return totals_of(model, "random_cuts", choice) | {"cuts": random_cuts(model.taxonomy).to_dict()}


def _lca(model, choice):
    return totals_of(model, "lca", choice) | {"links": {"max_distance": None}}


def _selective(model, choice):
    tables = {"climbing": model.climbed, "threshold": model.judged_table}
    areas = {}
    for key, (needed, area) in RISK_AREAS.items():
        table = tables[METRICS[key].made.rule]
        areas[key] = area(CurveSteps.from_table(model.taxonomy, model.truth, table, keys=needed).curve())
    return areas | totals_of(model, "selective", choice)


def _no_truth(model):
    return None if model.n_judged else "no sample has a known truth"


# Block name -> (function of the model and the choice of rule and parameters; why it does not apply, in words, or None).
BLOCKS = {
    **{
        block: (partial(totals_of, block=block), Evaluation.why_no_curve)
        for block in ("distribution", "top_down", "best_leaves", "probabilities", "predicted")
    },
    "random_cuts": (_random_cuts, Evaluation.why_no_curve),
    "levels": (partial(totals_of, block="levels"), why_no_levels),
    "labels": (lambda model, choice: model.set_counts(choice).summary(), _no_truth),
    "lca": (_lca, _no_truth),
    "curve": (lambda model, choice: model.curve.summary(), Evaluation.why_no_curve),
    "selective": (_selective, Evaluation.why_no_curve),
    "confusion": (_confusion, _no_truth),
}
PLAIN = tuple(block for block in BLOCKS if block not in MORE)


def order_text(taxonomy):
    """How the order of leaves begins, which decides between equal ones and differs between forms of one taxonomy."""
    names = [repr(taxonomy.names[leaf]) for leaf in taxonomy.leaves[:3].tolist()]
    return ", ".join([*names, "..."] if taxonomy.n_leaves > len(names) else names)


def exchanged_note(model):
    """Note where columns of scores look exchanged, judged by the truth; an empty text where they do not."""
    predictions = model.predictions
    # Of a graph no answers are kept, and on a cluster the scores may be elsewhere.
    are_here = model.best_leaf is not None or isinstance(predictions.scores, np.ndarray)
    if not are_here or not predictions.has_single_truth or model.n_judged < LEAST_SAMPLES:
        return ""
    leaves, truth = model.answers("leaf")[model.rows], model.truth
    words = exchanged_words(exchanged(truth[truth > 0], leaves[truth > 0], model.taxonomy.n_nodes), model.taxonomy)
    return f"{words} Are the names of the columns in the right order?" if words else ""


def _remarks(model, wanted):
    """What a reader of the numbers should know of this input."""
    remarks = [found] if (found := exchanged_note(model)) else []
    if model.why_no_curve() is not None:
        return remarks
    mass = model.leaf_mass[model.judged]
    off = int((np.abs(mass - 1) > SUM_TOLERANCE).sum())
    if off and not model.predictions.has_unknown:
        remarks.append(
            f"distribution: the leaves of {off} of {len(mass)} samples do not sum to 1 "
            f"({mass.min():.4g} to {mass.max():.4g}); each node's own p is used"
        )
    inner = int((~model.taxonomy.is_leaf[model.truth]).sum())
    if inner:
        remarks.append(
            f"distribution, top_down: {inner} samples have their truth at an inner node; the path ends there "
            "with its p counted twice, and a best leaf below it counts as correct"
        )
        if "probabilities" in wanted:
            remarks.append(
                f"probabilities: these {inner} samples are left out of the Brier score and the log loss of all depths below "
                "their truth, and of calibration where the most probable class is below it"
            )
    return remarks + _ties(model)


def _ties(model):
    """Where the order of the nodes decides, which another form of the same taxonomy may not have."""
    n_paths = n_best_constants(model.taxonomy, model.truth)
    if n_paths < 2:
        return []
    return [
        f"confusion.baseline: {n_paths} constant paths are equally good; path_to names the first in the order of the taxonomy"
    ]


# Checks and plain values -----------------------------------------------------------------------------------------------


def check_models(models, rule, threshold, **parameters):
    """Raise unless `evaluate` can take these, before any work is done."""
    if not models:
        raise PredictionsError("evaluate: expected at least one model, got none. Pass Predictions.")
    for model in models:
        if not isinstance(model, (Predictions, Evaluation)):
            raise PredictionsError(
                "evaluate: expected Predictions, or a list or dict of them, got "
                f"{type(model).__name__}. The taxonomy is in them. {WAYS['Predictions']}"
            )
    for of_model in thresholds_of(models, threshold):
        check_threshold(of_model)
    inference_rule(rule).settings(parameters)
    require_same_samples([model.predictions if isinstance(model, Evaluation) else model for model in models])


def require_same_taxonomy(models):
    """Raise unless all Predictions have the same taxonomy."""
    first = models[0]
    for other in models[1:]:
        if other.taxonomy is not first.taxonomy and other.taxonomy.sha256 != first.taxonomy.sha256:
            raise TaxonomyError(
                f"{other.name}: expected the taxonomy of {first.name} ({first.taxonomy.n_nodes} nodes), got another one "
                f"({other.taxonomy.n_nodes} nodes). Compare models on one taxonomy."
            )


def require_same_samples(models):
    """Raise unless all Predictions have the same taxonomy and the same samples (ids, else counts)."""
    require_same_taxonomy(models)
    first = models[0]
    for other in models[1:]:
        if first.sample_ids is not None and other.sample_ids is not None:
            if np.array_equal(first.sample_ids, other.sample_ids):
                continue
            mine, theirs = set(map(str, first.sample_ids)), set(map(str, other.sample_ids))
            if mine != theirs:
                missing, extra = sorted(mine - theirs), sorted(theirs - mine)
                got = [
                    f"{len(ids)} {what} ({listed(ids, 2)})"
                    for what, ids in (("missing", missing), ("others", extra))
                    if ids
                ]
                raise PredictionsError(
                    f"{other.name}: expected the samples of {first.name}, got {' and '.join(got)}. "
                    "Compare models on the same samples."
                )
        elif first.n_samples != other.n_samples:
            raise PredictionsError(
                f"{other.name}: expected the {first.n_samples} samples of {first.name}, got {other.n_samples}. "
                "Compare models on the same samples."
            )


def jsonable(value: Any) -> Any:
    """The value with plain Python numbers: infinities as text, nan as None."""
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
