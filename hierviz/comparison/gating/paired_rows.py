"""One number of two methods: how it differs, within which limits, and what the gate says of it.

Functions
---------
LimitedMetric, Sides, is_share, longest_way, reach_of, row_of_methods, with_verdicts, are_same, without_difference
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hierviz.comparison.columns import Column
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.gating.gate_result import GateRow, verdict_of
from hierviz.comparison.gating.margins import effective_units, margin_interval, margin_p_values, score_margin
from hierviz.comparison.methods import Method
from hierviz.diagnosis.many_tests import holm
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.sample_numbers import parts_of
from hierviz.messages.notebook_html import Short
from hierviz.metrics.parts import Mean, MeanByDepth, OverCurve
from hierviz.metrics.registry import METRICS
from hierviz.metrics.ties import TIE, rounded
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.student import satterthwaite

BASELINE, CANDIDATE = "baseline", "candidate"
INFINITE = "that of the baseline is infinite, and no candidate could fail"


@dataclass(frozen=True)
class LimitedMetric:
    """A metric and the largest drop of it that is allowed."""

    column: Column
    limit: float


@dataclass(frozen=True, eq=False)
class Sides(Short):
    """Two methods with the samples that both judge, in one order.

    Attributes
    ----------
    table : ComparisonTable
        Of methods `BASELINE` and `CANDIDATE`.
    rows : list of ndarray of int, shape (n_samples,)
        Of the Predictions of each model of the table.
    class_weights : ndarray of float, shape (n_nodes,), or None
        Of balanced columns, as of `hierviz.compare`.
    """

    table: ComparisonTable
    rows: list[np.ndarray]
    class_weights: np.ndarray | None = None
    _kept: dict[tuple[int, str], dict[str, np.ndarray]] = field(default_factory=dict, repr=False)

    @property
    def n_samples(self) -> int:
        """Samples that both judge."""
        return len(self.rows[0])

    @property
    def groups(self) -> np.ndarray | None:
        """Group of each sample; None where samples are alone."""
        return None if self.table.resamples is None else self.table.resamples.group_of

    @property
    def n_effective(self) -> float | None:
        """How many groups of one size say as much as those of the samples; None where samples are alone."""
        return None if self.groups is None else effective_units(np.bincount(self.groups))

    def method(self, name: str) -> Method:
        """One of the methods."""
        return next(method for method in self.table.methods if method.name == name)

    def places(self, name: str) -> list[int]:
        """Places of the models of a method in the table."""
        return [place for place, file in enumerate(self.table.files) if file.name == name]

    def choice(self, place: int) -> dict[str, Any]:
        """Rule, threshold and parameters of a model."""
        return self.table.choice | {"rule": self.table.rules[place], "threshold": self.table.thresholds[place]}

    def values(self, name: str, column: Column) -> np.ndarray | None:
        """A number of every sample by every run of a method, shape (n_runs, n_samples); None where samples have none."""
        made = METRICS[column.metric].made
        if type(made) not in (Mean, MeanByDepth):
            return None
        part = made.part if type(made) is Mean else f"{made.part}.{column.key.split('.')[2]}"  # type: ignore[union-attr]
        return np.stack([self._parts(place, column.block)[part] for place in self.places(name)]).astype(float)

    def _parts(self, place, block):
        if (place, block) not in self._kept:
            model = self.table.models[place]
            own = np.searchsorted(model.rows, self.rows[place])
            found = parts_of(model, block, self.choice(place))
            self._kept[place, block] = {name: np.asarray(of)[own] for name, of in found.items()}
        return self._kept[place, block]


def is_share(column: Column) -> bool:
    """Whether values of single samples that are all 0 or 1 cannot be others in samples that were not seen."""
    return column.range == (0, 1)


def longest_way(taxonomy: Taxonomy, column: Column) -> float | None:
    """Edges or bits that no way between two nodes exceeds; None of numbers in other units."""
    of_nodes = {"edges": "depth", "bits": "information"}.get(column.unit)
    return None if of_nodes is None else 2 * float(getattr(taxonomy, of_nodes).max())


def reach_of(sides: Sides, column: Column, values: Sequence[np.ndarray | None], numbers: Sequence[float]) -> float:
    """How far one sample can move a number, times the samples.

    The range of the number, and twice that of a curve: an answer that is wrong with a high probability takes away from the
    correctness at every threshold and from the specificity that is reached. Where the range has no end, that of the values of
    single samples, or the larger number, but of edges and bits at least the longest way between two leaves, which a failure that
    was not seen may cost.
    """
    low, high = column.range
    if math.isfinite(high - low):
        return (high - low) * (2 if isinstance(METRICS[column.metric].made, OverCurve) else 1)
    known = [of[np.isfinite(of)] for of in values if of is not None]
    if known and any(map(len, known)):
        every = np.concatenate(known)
        seen = float(every.max() - every.min())
    else:
        seen = max(abs(value) for value in numbers)
    return max(seen, longest_way(sides.table.taxonomy, column) or 0.0)


def row_of_methods(
    sides: Sides,
    methods: tuple[Method, Method],
    asked: LimitedMetric,
    part: str = "",
    n: int | None = None,
    n_effective: float | None = None,
) -> GateRow:
    """The GateRow of baseline and candidate, before Holm's correction.

    Of a part of the samples where `part` has words: with `n` samples, and `n_effective` as of Sides.
    """
    column, (base, candidate) = asked.column, methods
    first, second = (math.nan if (value := method.value(column.key)) is None else value for method in methods)
    with np.errstate(invalid="ignore"):
        difference = float(rounded(column.sign * (second - first)))
    n = sides.n_samples if n is None else n
    row = _row(asked, part, n, (first, second, difference))
    why = base.why_not_compared(column) or candidate.why_not_compared(column)
    if difference == -math.inf:
        return replace(row, lower=-math.inf, upper=-math.inf, p_value=0.0)
    if why is None and not math.isfinite(difference):
        why = INFINITE
    if why is not None:
        return replace(row, reason=why)
    values = [None, None] if part else [sides.values(name, column) for name in (BASELINE, CANDIDATE)]
    counts = _discordant(column, methods, values)
    if counts is not None:
        return _with_ends(row, *score_margin(counts[0], counts[1], counts[2], asked.limit, sides.table.level))
    own = [of.mean(axis=0) if of is not None else None for of in values]
    n_units = float(min(method.n_valued.get(column.key, method.n_units) for method in methods))
    variance, n_effective = _variance(column.key, methods, n_units), n_effective if part else sides.n_effective
    if n_effective is not None:
        n_units *= n_effective / base.n_units
    variance, degrees = _with_runs(variance, max(n_units - 1, 1.0), column.key, methods)
    reach = reach_of(sides, column, own, (first, second)) / n_units
    if not variance and not reach:
        return replace(row, reason="both are the same in every resample, and one sample has no largest change")
    how = (difference, variance, degrees, reach)
    return _with_ends(row, *margin_interval(*how, sides.table.level), margin_p_values(*how, asked.limit))


def _row(asked, part, n, numbers):
    none = math.nan
    return GateRow(asked.column, part, n, *numbers, none, none, asked.limit, none, none, "not clear")


def _with_ends(row, lower, upper, p_value):
    return replace(row, lower=float(lower), upper=float(upper), p_value=float(p_value))


def _discordant(column, methods, values):
    """(gained, lost, n) of 0/1 values of independent samples and one run each; None of others."""
    if any(of is None or len(of) > 1 or column.key not in method.shares for of, method in zip(values, methods)):
        return None
    if not is_share(column):
        return None
    (first,), (second,) = values
    known = ~np.isnan(first)
    if not np.array_equal(known, ~np.isnan(second)):
        return None
    own = second[known] - first[known]
    gained, lost = int((own > 0).sum()), int((own < 0).sum())
    return (gained, lost, len(own)) if column.sign > 0 else (lost, gained, len(own))


def _variance(key, methods, n_units):
    """Variance of the difference over samples."""
    base, candidate = methods
    with np.errstate(invalid="ignore"):
        draws = candidate.draws[key] - base.draws[key]
    known = draws[np.isfinite(draws)]
    return float(known.var(ddof=1)) * n_units / (n_units - 1)


def _with_runs(variance, of_samples, key, methods):
    """The variance with that of the runs, and the degrees of freedom, which are `of_samples` without runs."""
    parts, degrees = [variance], [of_samples]
    for method in methods:
        if method.n_runs > 1:
            parts.append((method.spread(key) or 0.0) ** 2 / method.n_runs)
            degrees.append(method.n_runs - 1.0)
    freedom = satterthwaite(parts, degrees)
    return sum(parts), freedom if math.isfinite(freedom) else of_samples


def with_verdicts(rows: Sequence[GateRow], level: float) -> list[GateRow]:
    """The rows with Holm's correction of all of them, and what follows."""
    p_adjusted = holm([row.p_value for row in rows]).tolist()
    return [
        replace(row, p_adjusted=p, verdict=verdict_of(row.lower, p, row.limit, level))
        for row, p in zip(rows, p_adjusted, strict=True)
    ]


def without_difference(sides: Sides, column: Column) -> bool:
    """Whether a number of two models whose answers are the same is the same in every resample, by one rule and threshold.

    Numbers of all probabilities, such as a Brier score, may differ where the answers at every threshold do not.
    """
    (first,), (second,) = (sides.places(name) for name in (BASELINE, CANDIDATE))
    has_scores = sides.table.models[first].predictions.has_scores
    if has_scores and column.is_of_answers and sides.choice(first) != sides.choice(second):
        return False
    one, other = (sides.method(name).draws.get(column.key, np.empty(0)) for name in (BASELINE, CANDIDATE))
    return one.shape == other.shape and np.allclose(one, other, rtol=0, atol=TIE, equal_nan=True)


def are_same(first: Evaluation, second: Evaluation, rows: tuple[np.ndarray, np.ndarray]) -> bool:
    """Whether two models answer the same to every sample: the same labels, or the same answers and scores at every threshold."""
    one, other = (model.predictions for model in (first, second))
    if one.has_scores != other.has_scores:
        return False
    if one.labels is not None and other.labels is not None:
        kinds = {(model.is_hard, model.is_by_level) for model in (one, other)}
        lists = [NodeLists.of(labels).take(of) for labels, of in zip((one.labels, other.labels), rows, strict=True)]
        return len(kinds) == 1 and _equal(lists, ("offsets", "nodes"))
    if not np.array_equal(one.is_outside[rows[0]], other.is_outside[rows[1]]):
        return False
    columns = ("best_leaf", "leaf_rank", "win", "raw_win", "p_truth", "leaf_mass")
    pairs = [(getattr(first, name), getattr(second, name)) for name in columns]
    if any((a is None) != (b is None) for a, b in pairs):
        return False
    same = all(np.array_equal(a[rows[0]], b[rows[1]], equal_nan=a.dtype.kind == "f") for a, b in pairs if a is not None)
    tables = [model.table.take(of) for model, of in zip((first, second), rows, strict=True) if model.table is not None]
    return same and _equal(tables, ("offsets", "nodes", "scores"))


def _equal(pair, names):
    return all(np.array_equal(getattr(pair[0], name), getattr(pair[1], name)) for name in names)
