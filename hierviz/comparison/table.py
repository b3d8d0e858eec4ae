"""From predictions to the table that a paper would print: files are evaluated, resampled and put together by method.

Functions
---------
compare, kept_of
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.comparison.alarms import alarms
from hierviz.comparison.columns import CONFORMAL, CONFORMAL_KEYS, Column, columns_of, file_numbers
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.constants import Constants, constants
from hierviz.comparison.methods import Method
from hierviz.comparison.resampled import ProteinNumbers, ResampledNumbers, has_protein, resampled_draws
from hierviz.evaluation._conformal import conformal_parts
from hierviz.evaluation.common_samples import common_rows
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import check_models, thresholds_of
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.metrics.registry import BALANCED_PREFIX, METRICS
from hierviz.metrics.sets.protein_function import PROTEIN_KEYS
from hierviz.predictions.column_text import is_missing
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.checks import check_whole
from hierviz.uncertainty.conformal import ConformalNodes
from hierviz.uncertainty.resamples import MOST_RESAMPLES, Resamples, check_level

RESAMPLES = "Resamples"


def compare(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    preset: str | None = None,
    metrics: Sequence[str] | str | None = None,
    *,
    rule: str | Sequence[str] | None = None,
    threshold: float | Sequence[float] | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    group: str | ArrayLike | None = None,
    class_weights: np.ndarray | str | None = None,
    accretion: np.ndarray | None = None,
    conformal: Sequence[ConformalNodes | None] = (),
    threads: int | None = None,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    former: ComparisonTable | None = None,
    **parameters: Any,
) -> ComparisonTable:
    """Compare methods by any numbers of `hierviz.evaluate`.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list of them
        Of one taxonomy and the same samples. Those of one `name` are runs of one method.
    preset : str, optional
        Key of `hierviz.comparison.columns.PRESETS`: the columns of a published table, or ``all``.
    metrics : sequence of str, or str with commas, optional
        Columns such as ``curve.ac`` or ``labels.macro_f1_by_depth.2``, after those of the preset. Without both, a short
        selection of what applies.
    rule, threshold, **parameters
        As in `hierviz.evaluate`; a rule and a threshold for all or one for each of the predictions.
    level : float
        Of intervals, in (0, 1).
    resamples : int
        Bootstrap resamples of the samples; 0 for no intervals and no marks.
    seed : int
        Of the resamples.
    group : str, or array_like, shape (n_samples,), optional
        Samples that belong together: a column of the sample table, or labels of the judged samples in the order of the first
        model. Whole groups are resampled.
    class_weights : "equal", or ndarray of float, shape (n_nodes,), optional
        Of balanced columns (``curve.balanced_ac``), each class the same when absent. Where no column is balanced, those of the
        curve's columns, or ``curve.balanced_ac``, are added.
    accretion : ndarray of float, shape (n_nodes,), optional
        Of ``labels.s_min`` and ``labels.wf_max``, as in `hierviz.evaluation.protein_function`; adds these and
        ``labels.f_max`` where no column asks for one of them.
    conformal : sequence of (ConformalNodes or None), optional
        Of each of the predictions, `hierviz.evaluation.conformal_of_model`: of columns such as ``conformal.held``, of which those
        of `CONFORMAL_KEYS` are added where none is asked for. Their means run over the judged new samples; resamples leave the
        calibration as it is.
    threads, stage
        As in `hierviz.evaluate`.
    former : ComparisonTable, optional
        Of the same Evaluations by another rule, threshold or other columns: resamples of numbers that depend on no rule and no
        threshold are taken over from it. The table is the same without it.

    Returns
    -------
    ComparisonTable

    Raises
    ------
    PredictionsError
        If models differ in their judged samples, a column, rule, threshold or group is not valid, or a number is out of
        range.
    TaxonomyError
        If models differ in their taxonomy.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> truth = taxonomy.nodes(*["cat"] * 6, *["dog"] * 6)
    >>> good, bad = (Predictions.from_labels(taxonomy, nodes, truth=truth) for nodes in (truth, truth[::-1]))
    >>> found = compare([good.replace(name="good"), bad.replace(name="bad")], metrics="confusion.f1", resamples=100)
    >>> [(row["model"], row["values"], row["mark"]) for row in found.to_dict()["rows"]]
    [('good', {'confusion.f1': 1.0}, {'confusion.f1': 'best'}), ('bad', {'confusion.f1': 0.0}, {'confusion.f1': 'second'})]
    """
    check_level(level)
    given = listed_models(predictions)
    rules, thresholds = _choices(given, rule, threshold, **parameters)
    taxonomy = given[0].taxonomy
    columns = columns_of(taxonomy, preset, metrics)
    if preset is None and not metrics and any(_predictions_of(model).is_outside.any() for model in given):
        columns += columns_of(taxonomy, metrics=["labels.outside_share"])
    if conformal and len(conformal) != len(given):
        raise PredictionsError(
            f"conformal: expected conformal nodes of each of the {len(given)} predictions, got {len(conformal)}. Align them."
        )
    if accretion is not None and not has_protein(columns):
        columns += columns_of(taxonomy, metrics=[f"labels.{key}" for key in PROTEIN_KEYS if "micro" not in key])
    if class_weights is not None and not any(column.is_balanced for column in columns):
        balanced = [f"{BALANCED_PREFIX}{column.metric}" for column in columns if column.block == "curve"]
        columns += columns_of(taxonomy, metrics=[key for key in balanced if key in METRICS] or [f"{BALANCED_PREFIX}ac"])
    if any(found is not None for found in conformal) and not any(column.block == CONFORMAL for column in columns):
        columns += columns_of(taxonomy, metrics=CONFORMAL_KEYS)
    models = _evaluated(given, thresholds, threads, stage)
    rows = aligned_rows(models)
    choices = [
        {"rule": of_model, "threshold": at, **parameters} for of_model, at in zip(rules, thresholds, strict=True)
    ]
    weights = class_weights if isinstance(class_weights, np.ndarray) else None
    proteins = [
        ProteinNumbers(model, accretion, columns, stage(f"F-max and S-min of {_called(model.predictions)}", "rows"))
        if has_protein(columns)
        else None
        for model in models
    ]
    nodes = list(conformal) or [None] * len(models)
    of_nodes = [
        None if found is None else conformal_parts(model, found) for model, found in zip(models, nodes, strict=True)
    ]
    files = [
        file_numbers(model, columns, choice, weights, stage, protein, parts)
        for model, choice, protein, parts in zip(models, choices, proteins, of_nodes, strict=True)
    ]
    if preset is None and not metrics:
        columns = [column for column in columns if any(file.values[column.key] is not None for file in files)]
    found = resamples_of(models, rows[0], resamples, seed, group)
    kept, kept_constants = kept_of(former, models, columns, found, weights is not None)
    drawn = {key for method in kept.values() for key in method.draws}
    others = [column for column in columns if column.key not in drawn and not has_protein([column])]
    numbers, draws = [], []
    if found is not None:
        # Samples of one group are dependent: without whole groups there are no intervals of what groups were calibrated for.
        drawable = [
            None if one is not None and one.unit == "group" and group is None else parts
            for one, parts in zip(nodes, of_nodes, strict=True)
        ]
        numbers = [
            ResampledNumbers(model, others, file.values, own, choice, weights, protein, parts)
            for model, file, own, choice, protein, parts in zip(
                models, files, rows, choices, proteins, drawable, strict=True
            )
        ]
        draws = resampled_draws(numbers, found, stage(RESAMPLES, "resamples"))
    names_of_files = [file.name for file in files]
    methods = [
        method_of(name, files, draws, numbers, kept.get(name), found, len(rows[0]))
        for name in dict.fromkeys(names_of_files)
    ]
    best = constants(models[0], [c for c in columns if c.key not in kept_constants.values], weights, accretion)
    best = best.with_those_of(kept_constants)
    warnings = {}
    for method in methods:
        first = names_of_files.index(method.name)
        values = {column.key: method.value(column.key) for column in columns}
        warnings[method.name] = alarms(models[first], values, columns, best, choices[first])
    of_files: tuple[Any, ...] = (
        choices[0],
        thresholds,
        weights is not None,
        rules,
        _conformal_notes(models, nodes, group),
    )
    return ComparisonTable(taxonomy, columns, methods, files, models, level, found, best, warnings, *of_files)


def _conformal_notes(models, nodes, group):
    """By what the columns of conformal nodes were calibrated, in words."""
    names: dict[str, dict[str, None]] = {}
    new = []
    for model, found in zip(models, nodes, strict=True):
        if found is not None:
            n = " or ".join(f"{n:,}" for n in sorted({*found.n_calibration.tolist()}))
            of_class = " in a top class" if found.classes is not None else ""
            said = f"conformal nodes with a probability of {found.promised}, calibrated on {n} {found.unit}s{of_class}"
            said += f" and judged on {found.n_check:,} others"
            names.setdefault(said, {})[_called(model.predictions)] = None
            rows = found.rows[found.rows < model.predictions.n_samples]
            new.append(model.predictions.ids[rows])
    notes = [said if len(names) == 1 else f"{', '.join(of)}: {said}" for said, of in names.items()]
    if new and any(not np.array_equal(np.sort(new[0]), np.sort(ids)) for ids in new):
        notes.append("conformal nodes of the models are of different samples: their order or calibration differs")
    if group is None and any(found is not None and found.unit == "group" for found in nodes):
        notes.append("numbers of conformal nodes have no intervals: these need whole groups (group)")
    return notes


def _called(predictions):
    return predictions.name if predictions.run is None else f"{predictions.name} {predictions.run}"


def evaluations_of(
    given: Sequence[Predictions | Evaluation],
    rule: str | Sequence[str] | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    threads: int | None = None,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    **parameters: Any,
) -> list[Evaluation]:
    """The Evaluations that `compare` makes of models, which it takes as they are; arguments as there."""
    _, thresholds = _choices(given, rule, threshold, **parameters)
    return _evaluated(given, thresholds, threads, stage)


def _choices(given, rule, threshold, **parameters):
    """Rule and threshold of each model, checked."""
    rule, threshold = rule_and_threshold(rule, threshold)
    thresholds = thresholds_of(given, threshold)
    rules = [rule] * len(given) if isinstance(rule, str) else list(rule)
    if len(rules) != len(given):
        raise PredictionsError(
            f"rule: expected one, or one for each of the {len(given)} predictions, got {len(rules)}. Align them."
        )
    for of_model in dict.fromkeys(rules) or ["majority"]:
        check_models(given, of_model, thresholds, **parameters)
    return rules, thresholds


def _evaluated(given, thresholds, threads, stage):
    return [
        model
        if isinstance(model, Evaluation)
        else Evaluation.from_predictions(
            model, stage(f"Evaluating {_called(model)}", "rows"), threshold=of_model, threads=threads
        )
        for model, of_model in zip(given, thresholds, strict=True)
    ]


def aligned_rows(models):
    """Rows of the judged samples of each model, in the order of the first; PredictionsError where they differ."""
    for model in models:
        if not model.n_judged:
            name = model.predictions.name
            raise PredictionsError(f"{name}: expected samples with a known truth, got none. Give the truth.")
    rows = common_rows(models)
    for model, own in zip(models, rows, strict=True):
        if model.n_judged != len(own):
            raise PredictionsError(
                f"{model.predictions.name}: expected the {len(own)} judged samples that all models have, got {model.n_judged}. "
                "Compare models on the same samples with the same truth."
            )
    return rows


def resamples_of(models, rows, n_resamples, seed, group):
    """Resamples of the judged samples, which are at these rows of the first model; None where none are wanted.

    Other arguments as of `compare`.
    """
    if not n_resamples:
        return None
    check_whole("resamples", n_resamples, 2, MOST_RESAMPLES)
    groups = group
    if isinstance(group, str):
        attributes = models[0].predictions.attributes
        if group not in attributes:
            raise PredictionsError(
                f"group: expected a column of the samples ({listed(list(attributes)) or 'there is none'}), got {group!r}."
                f"{near_miss(group, attributes)} Choose one."
            )
        groups, ids = np.asarray(attributes[group])[rows], models[0].predictions.sample_ids
        without = np.flatnonzero(is_missing(groups))
        if len(without):
            where = (
                f"rows {listed(rows[without] + 1)}" if ids is None else f"samples {listed(ids[rows[without]].tolist())}"
            )
            raise PredictionsError(
                f"group: expected a value of {group!r} for every sample, got none for {where}. Fill them, or "
                "leave these samples out."
            )
    return Resamples.draw(len(rows), n_resamples, seed, groups)


def method_of(name, files, draws, numbers, former, resamples, n_samples):
    """The Method of the files of one name; `former` is one with draws that are taken over, or None."""
    places = [place for place, file in enumerate(files) if file.name == name]
    runs = [files[place].values for place in places]
    if resamples is None:
        return Method(name, runs, {}, n_samples, n_samples)
    of_runs, own = [draws[place] for place in places], [numbers[place] for place in places]
    shared = {
        key: np.mean([run[key] for run in of_runs], axis=0) for key in of_runs[0] if all(key in run for run in of_runs)
    }
    n_valued = {
        key: min(_n_units(run.has_value[key], resamples.group_of) for run in own)
        for key in own[0].has_value
        if all(key in run.has_value for run in own)
    }
    shares = frozenset()
    if resamples.group_of is None:
        shares = frozenset.intersection(*(frozenset(run.shares) for run in own))
    if former is not None:
        shared, n_valued, shares = former.draws | shared, {**former.n_valued, **n_valued}, former.shares | shares
    return Method(name, runs, shared, resamples.n_units, n_samples, n_valued, shares)


def _n_units(has_value, group_of):
    """Samples, or groups, with a value."""
    return int(has_value.sum()) if group_of is None else len(np.unique(group_of[has_value]))


def kept_of(
    former: ComparisonTable | None,
    models: Sequence[Evaluation],
    columns: Sequence[Column],
    resamples: Resamples | None,
    has_class_weights: bool = False,
) -> tuple[dict[str, Method], Constants]:
    """What a table of these models need not compute again.

    Parameters
    ----------
    former : ComparisonTable, optional
        Nothing is taken over from one of other models, and no draws from one of other resamples.
    models : sequence of Evaluation
        Of each file.
    columns : sequence of Column
        That are wanted.
    resamples : Resamples, optional
    has_class_weights : bool
        Whether balanced columns have weights of their own.

    Returns
    -------
    methods : dict of str to Method
        By name, with the draws that are taken over alone.
    constants : Constants
        Both without balanced columns where either table has class weights, and without those of protein functions, which
        depend on an information accretion.
    """
    if former is None or [*map(id, former.models)] != [*map(id, models)]:
        return {}, Constants({}, {}, {})
    has_weights = has_class_weights or former.has_class_weights
    known = {column.key for column in former.columns}
    same = [
        column
        for column in columns
        if column.key in known and not has_protein([column]) and not (column.is_balanced and has_weights)
    ]
    keys = {column.key for column in same}
    methods = {}
    if former.resamples is not None and resamples is not None and former.resamples.is_same(resamples):
        free = {column.key for column in same if not column.is_of_answers}
        methods = {
            method.name: replace(
                method, draws={key: of for key, of in method.draws.items() if key in free}, shares=method.shares & free
            )
            for method in former.methods
        }
    return methods, former.constants.only(keys)


def _predictions_of(model):
    return model.predictions if isinstance(model, Evaluation) else model
