r"""Is a candidate at most so much worse than a baseline? The check that a continuous integration runs.

Conventions
-----------
The difference is candidate less baseline on the same samples, turned so that more is better, with the interval [L, U] of
`margins`. A metric *holds* where L > -limit, *fails* where U < -limit after Holm's correction of all metrics, and is *not clear*
where neither is so: there are not enough samples to tell. With limit 0 only a clearly better candidate holds.

At a true drop of the limit a candidate passes in about 2.5 % of all sets of samples, whatever their number (3 to 4 % of simulated
ones), and one without a drop beyond the limit is failed by any metric in about 2.5 %. Models that give the same answers and
scores to all samples pass.

Parts of the samples never change the verdict unless they are asked for; then they can only fail, by Holm's correction of all
metrics and parts.

Functions
---------
gate, limits_of, DEFAULT_LIMITS
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.comparison.columns import columns_of
from hierviz.comparison.gating.gate_parts import NODE, check_by, parts_by, rows_by_part
from hierviz.comparison.gating.gate_result import SAME, Gate
from hierviz.comparison.gating.paired_rows import (
    BASELINE,
    CANDIDATE,
    LimitedMetric,
    Sides,
    are_same,
    longest_way,
    row_of_methods,
    with_verdicts,
    without_difference,
)
from hierviz.comparison.resampled import has_protein
from hierviz.comparison.table import aligned_rows, compare, evaluations_of
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.metrics.parts import Mean
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.node_sets import own_keys
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.checks import check_whole, is_number
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.model_difference import runs_sentence
from hierviz.uncertainty.resamples import check_level

DEFAULT_LIMIT = 0.01
DEFAULT_LIMITS = {"curve.ac": DEFAULT_LIMIT}
# Resamples from which a standard deviation is known to a few per cent.
FEWEST_RESAMPLES = 100
# Of models with the same answers: a number that differs in one sample is the same in all of these once in e^20 times.
_DRAWS_OF_SAME = 20
# Keywords of `compare` that are not about the answers of a model.
_OF_COLUMNS = ("class_weights", "accretion", "conformal", "former")
# Numbers that are counted, of which the share is what can be compared.
_COUNTED = ("samples", "nodes", "points")

Model = Predictions | Evaluation


def gate(
    baseline: Model | Sequence[Model],
    candidate: Model | Sequence[Model],
    metrics: Mapping[str, float | None] | Sequence[str] | str | None = None,
    *,
    by: str | None = None,
    max_drop: float | None = None,
    group: str | ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **how: Any,
) -> Gate:
    """Check that a candidate is at most so much worse than a baseline.

    Parameters
    ----------
    baseline, candidate : Predictions or Evaluation, or sequence of them
        A model each, or the runs of one; of one taxonomy and the same samples with the same truth.
    metrics : mapping of str to float, or sequence of str, or str with commas, optional
        The largest drop that is allowed of each number of `hierviz.evaluate`, in its unit, >= 0: ``{"curve.ac": 0.01}`` or
        ``"curve.ac=0.01"``. ``curve.ac`` by at most 0.01 where none is given; 0.01 of a number of finite range without a limit,
        and always less than that range.
    by : str, optional
        ``depth`` of the truth, ``node`` (every class, with the samples below it), or a column of the samples: parts that fail by
        themselves.
    max_drop : float, optional
        Largest drop that is allowed in a part, >= 0; the limit of the metric if not given.
    group : str, or array_like of shape (n_samples,), optional
        Samples that belong together, as of `hierviz.compare`.
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        At least 100.
    seed : int
    **how
        Further keywords of `hierviz.compare`: rule, threshold, class_weights, threads, stage, parameters of the rule.

    Returns
    -------
    Gate
        ``passed``, ``code`` (0 holds, 1 fails, 3 not enough samples to tell), ``rows`` and ``parts``.

    Raises
    ------
    PredictionsError
        If a metric, limit or part is not valid, a model does not have the number, or samples or truths differ.
    TaxonomyError
        If models differ in their taxonomy.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> truth = taxonomy.nodes(*["cat"] * 60, *["dog"] * 60)
    >>> right, wrong = (Predictions.from_labels(taxonomy, nodes, truth=truth) for nodes in (truth, truth[::-1]))
    >>> found = gate(right, wrong, "labels.subset_accuracy=0.1")
    >>> found.passed, found.code, found.rows[0].difference
    (False, 1, -1.0)
    """
    methods = {name: _models(name, of) for name, of in ((CANDIDATE, candidate), (BASELINE, baseline))}
    first = _predictions_of(methods[CANDIDATE][0])
    asked = limits_of(first.taxonomy, metrics)
    of_terms = [one.column.key for one in asked if has_protein([one.column])]
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    if max_drop is not None:
        for one in asked:
            _check_limit("max_drop", max_drop, one.column, first.taxonomy)
    if by is not None:
        check_by(by, list(first.attributes), first.has_single_truth)
        if of_terms:
            raise PredictionsError(
                f"by: expected numbers that parts of the samples have, got {of_terms[0]}, which has none. Leave by out, or the "
                "metric."
            )
    elif max_drop is not None:
        raise PredictionsError("max_drop: expected parts (by) with it, got none. Name them, or leave it out.")
    given = [_predictions_of(model) for models in methods.values() for model in models]
    side_of = [side for side, models in methods.items() for _ in models]
    called = [side if side == of.name else f"{side} {of.name}" for side, of in zip(side_of, given, strict=True)]
    _check_samples(called, given, [np.arange(model.n_samples) for model in given])
    models = evaluations_of(
        [listed_models({name: model})[0] for name, models in methods.items() for model in models],
        **{key: value for key, value in how.items() if key not in _OF_COLUMNS},
    )
    _check_samples(called, given, [model.rows for model in models], "the truth of ")
    rows = aligned_rows(models)
    _check_truth(models, rows)
    n_runs = len(methods[BASELINE]), len(methods[CANDIDATE])
    is_same = n_runs == (1, 1) and are_same(models[1], models[0], (rows[1], rows[0]))
    weights = how.get("class_weights")

    def sides_of(n_resamples):
        keys = [one.column.key for one in asked]
        draws = {"resamples": n_resamples, "seed": seed, "group": group}
        table = compare(models, metrics=keys, level=level, **draws, **how)
        return Sides(table, rows, weights if isinstance(weights, np.ndarray) else None)

    sides = sides_of(_DRAWS_OF_SAME if is_same else resamples)
    for one in asked:
        _check_value(sides, one)
    if is_same and not all(without_difference(sides, one.column) for one in asked):
        sides = sides_of(resamples)
    names = _name_of(methods[BASELINE]), _name_of(methods[CANDIDATE])
    n_groups = None if sides.groups is None else int(sides.groups.max()) + 1
    notes = [
        words.rstrip(".") for words in [runs_sentence((f"the {BASELINE}", f"the {CANDIDATE}"), n_runs)] if words
    ] + sides.table.notes_of_files
    both = sides.method(BASELINE), sides.method(CANDIDATE)
    if sides.n_effective is not None and sides.n_effective < 0.9 * (n_groups or 0):
        notes.append(
            f"the {n_groups:,} groups differ in size and say as much as {sides.n_effective:,.0f} of one size, which is counted"
        )
    unbounded = [one.column.key for one in asked if one.column.unit == "nats"]
    if unbounded:
        notes.append(
            f"{', '.join(unbounded)}: a single sample may cost any number of nats, and the interval knows only those at hand: it "
            "may be too short where a few samples cost most"
        )
    found = with_verdicts([row_of_methods(sides, both, one) for one in asked], level)
    parts: list[Any] = []
    if is_same:
        found = [
            replace(row, verdict=SAME, reason="the answers of both are the same for every sample")
            if without_difference(sides, row.column)
            else row
            for row in found
        ]
    if by is not None and any(row.verdict != SAME for row in found):
        of_parts = [LimitedMetric(one.column, one.limit if max_drop is None else float(max_drop)) for one in asked]
        divided, unknown = parts_by(sides, by)
        parts, left_out = rows_by_part(sides, divided, of_parts, by == NODE)
        parts, notes = with_verdicts(parts, level), notes + unknown + left_out
    return Gate(names, found, parts, by, level, len(rows[0]), n_groups, notes)


def limits_of(
    taxonomy: Taxonomy, metrics: Mapping[str, float | None] | Sequence[str] | str | None = None
) -> list[LimitedMetric]:
    """The metrics of a gate with their limits; `metrics` as of `gate`.

    Raises
    ------
    PredictionsError
        If a metric is unknown or named twice, has no better direction or is a count, or a limit is missing or no number >= 0.
    """
    if metrics is None:
        metrics = DEFAULT_LIMITS
    if isinstance(metrics, str):
        metrics = [text for text in metrics.split(",") if text.strip()]
    if not isinstance(metrics, Mapping):
        pairs = [_split(text) for text in metrics]
    else:
        pairs = list(metrics.items())
    if not pairs:
        raise PredictionsError("metrics: expected at least one, got none. Name one, such as curve.ac=0.01.")
    found: dict[str, LimitedMetric] = {}
    for key, limit in pairs:
        for column in columns_of(taxonomy, metrics=[key]):
            if column.key in found:
                raise PredictionsError(f"metrics: expected every number once, got {column.key} twice. Leave one out.")
            if not column.sign or column.unit in _COUNTED:
                why = "a count" if column.unit in _COUNTED else "a number of which neither more nor less is better"
                raise PredictionsError(
                    f"metrics: expected numbers that can be better or worse, got {column.key}, {why}. Name another."
                )
            if limit is None and (column.unit or not all(map(math.isfinite, column.range))):
                raise PredictionsError(
                    f"metrics: expected the largest drop of {column.key} in {column.unit or 'its unit'}, got none. Write "
                    f"{column.key}=LIMIT."
                )
            limit_of = DEFAULT_LIMIT if limit is None else limit
            found[column.key] = LimitedMetric(column, _check_limit(column.key, limit_of, column, taxonomy))
    return list(found.values())


def _split(text):
    """(key, limit or None) of KEY or KEY=LIMIT."""
    key, equals, limit = (part.strip() for part in str(text).partition("="))
    if not equals:
        return key, None
    try:
        return key, float(limit)
    except ValueError:
        percent = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", limit)
        advice = f"Write {key}={float(percent[1]) / 100:g}." if percent else "Correct it."
        raise PredictionsError(
            f"metrics: expected KEY=LIMIT with a number >= 0 in the unit of the metric, got {text!r}. {advice}"
        ) from None


def _check_limit(what, limit, column, taxonomy):
    if not is_number(limit) or not 0 <= limit < math.inf:
        raise PredictionsError(
            f"{what}: expected the largest drop that is allowed, a number >= 0, got {shown(limit)}. Correct it."
        )
    low, high = column.range
    if low == 0 and isinstance(METRICS[column.metric].made, Mean):
        high = min(high, longest_way(taxonomy, column) or math.inf)
    if limit >= high - low:
        name = "" if what == column.key else f" of {column.key}"
        advice = "Two percentage points are 0.02." if high == 1 else "Correct it."
        raise PredictionsError(
            f"{what}: expected the largest drop{name} that is allowed, less than {high - low:g}, as it lies between {low:g} and "
            f"{high:g}, got {shown(limit)}: no candidate could fail. {advice}"
        )
    return float(limit)


def _models(name, of):
    models = listed_models(of)
    if not models:
        raise PredictionsError(f"{name}: expected at least one model, got none. Pass Predictions.")
    for model in models:
        if not isinstance(model, (Predictions, Evaluation)):
            raise PredictionsError(
                f"{name}: expected Predictions or an Evaluation, got {type(model).__name__}. Pass one."
            )
    return models


def _name_of(models):
    """The name of a model, or of its runs."""
    names = list(dict.fromkeys(_predictions_of(model).name for model in models))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _predictions_of(model):
    return model.predictions if isinstance(model, Evaluation) else model


def _check_samples(called, models, rows, kind=""):
    """Raise a PredictionsError unless all have the same samples in these rows, by their ids, else by their number."""
    has_ids = all(model.sample_ids is not None for model in models)
    samples = [model.ids[own] if has_ids else np.arange(len(own)) for model, own in zip(models, rows, strict=True)]
    for name, own in zip(called[1:], samples[1:], strict=True):
        if np.array_equal(own, samples[0]):
            continue
        first, other = set(samples[0].tolist()), set(own.tolist())
        sides = [(name, called[0], first, first - other), (called[0], name, other, other - first)]
        lacking = [side for side in sides if side[3]]
        if not lacking:
            continue
        without, whole, of, missing = lacking[0]
        words = f"{without}: expected {kind}the {len(of):,} samples of {whole}, got {len(of) - len(missing):,} of them"
        words += f", {len(missing):,} missing{_some(missing, has_ids)}"
        for without, whole, of, missing in lacking[1:]:
            words += f"; {without} lacks {kind}{len(missing):,} of the {len(of):,} of {whole}{_some(missing, has_ids)}"
        raise PredictionsError(f"{words}. Give both the same samples, with their truth.")


def _some(ids, has_ids):
    return f" ({listed(sorted(ids), 2)})" if has_ids else ""


def _check_truth(models, rows):
    """Raise a PredictionsError unless all have the same truth of these samples."""
    first = None
    for model, own in zip(models, rows, strict=True):
        keys = own_keys(model.taxonomy, NodeLists.of(model.predictions.truth).take(own))
        first = keys if first is None else first
        if not np.array_equal(keys, first):
            n = model.taxonomy.n_nodes
            sample = int(np.setxor1d(keys, first)[0] // n)
            raise PredictionsError(
                f"{model.predictions.name}: expected the truth of {models[0].predictions.name}, got another one for sample "
                f"{str(model.predictions.ids[own[sample]])!r}. Give both the same truth."
            )


def _check_value(sides, asked):
    """Raise a PredictionsError where a number does not apply to a model, or is not resampled."""
    column = asked.column
    for name in (CANDIDATE, BASELINE):
        for place in sides.places(name):
            file = sides.table.files[place]
            if file.summary.get(column.block) is None:
                raise PredictionsError(
                    f"metrics: expected a number of both models, got none for {column.key} of the {name}: "
                    f"{file.reasons.get(column.key, 'it does not apply')}. Name another metric, such as "
                    "labels.subset_accuracy=0.01."
                )
        method = sides.method(name)
        if method.value(column.key) is not None and column.key not in method.draws:
            raise PredictionsError(
                f"metrics: expected numbers that resamples have, got {column.key}, which has no interval. Name another metric."
            )
