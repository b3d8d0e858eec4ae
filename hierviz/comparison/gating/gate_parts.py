"""The same differences on parts of the samples: by depth of the truth, by class, by a column of the samples.

Conventions
-----------
A class has the samples with a truth at or below it. Means over samples are computed for all parts at once, with the variance of
whole groups [1]_; a number of a curve, a ratio of sums or a mean over classes is resampled part by part, and of classes only in
the `MOST_CLASSES` with the most samples.

Functions
---------
Parts, parts_by, rows_by_part

References
----------
.. [1] W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, section 9A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierviz.comparison.class_sums import ClassSums
from hierviz.comparison.gating.gate_result import GateRow
from hierviz.comparison.gating.margins import effective_units, margin_interval, margin_p_values, score_margin
from hierviz.comparison.gating.paired_rows import (
    BASELINE,
    CANDIDATE,
    INFINITE,
    LimitedMetric,
    Sides,
    is_share,
    reach_of,
    row_of_methods,
)
from hierviz.comparison.methods import Method
from hierviz.comparison.resampled import ResampledNumbers, resampled_draws
from hierviz.evaluation.common_samples import NO_VALUE
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.notebook_html import Short
from hierviz.metrics.node_pairs import ratio
from hierviz.predictions.column_text import as_text, is_missing
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.uncertainty.resamples import FEWEST, Resamples, too_few_units

DEPTH, NODE = "depth", "node"
MOST_CLASSES = 100


@dataclass(frozen=True, eq=False)
class Parts(Short):
    """Which samples belong to which part; one sample may belong to several.

    Attributes
    ----------
    labels : list of str
        Of each part.
    sample, part : ndarray of int, shape (n_pairs,)
        By part, then by sample.
    """

    labels: list[str]
    sample: np.ndarray
    part: np.ndarray

    def __len__(self):
        return len(self.labels)

    @property
    def n(self) -> np.ndarray:
        """Samples of each part."""
        return np.bincount(self.part, minlength=len(self))

    @classmethod
    def of(cls, labels, sample, part):
        """Those that have a sample, in their order."""
        present, part = np.unique(part, return_inverse=True)
        order = np.argsort(part, kind="stable")
        return cls([labels[one] for one in present.tolist()], np.asarray(sample)[order], part[order])


def check_by(by: str, attributes: Sequence[str], has_single_truth: bool) -> None:
    """Raise a PredictionsError where the samples cannot be divided so."""
    known = [DEPTH, NODE, *attributes]
    if by not in known:
        columns = listed(list(attributes)) or "there is none"
        raise PredictionsError(
            f"by: expected {DEPTH}, {NODE} or a column of the samples ({columns}), got {by!r}.{near_miss(by, known)} Choose one."
        )
    if by == DEPTH and not has_single_truth:
        raise PredictionsError(
            f"by: expected one true class per sample for {DEPTH}, got several. Choose {NODE} or a column."
        )


def parts_by(sides: Sides, by: str) -> tuple[Parts, list[str]]:
    """The Parts of the samples by `DEPTH` of the truth, `NODE`, or a column, empty cells as `NO_VALUE`; and a note on these."""
    place = sides.places(CANDIDATE)[0]
    predictions, rows = sides.table.models[place].predictions, sides.rows[place]
    every, truth = np.arange(len(rows)), predictions.truth
    assert truth is not None
    truth = truth.take(rows) if isinstance(truth, NodeLists) else truth[rows]
    if by == DEPTH:
        depths = predictions.taxonomy.depth[np.asarray(truth)]
        return Parts.of([f"depth {depth}" for depth in range(int(depths.max()) + 1)], every, depths), []
    if by == NODE:
        members = ClassSums.of(predictions.taxonomy, truth)
        lists = members.classes.take(members.profile)
        return Parts.of(predictions.taxonomy.names, lists.rows, lists.nodes), []
    column = np.asarray(predictions.attributes[by])[rows]
    is_empty = is_missing(column)
    values, part = np.unique(np.where(is_empty, NO_VALUE, as_text(column)), return_inverse=True)
    n_empty = int(is_empty.sum())
    notes = (
        [f'{n_empty:,} sample{"s have" if n_empty > 1 else " has"} no {by}: they are the part "{NO_VALUE}"']
        if n_empty
        else []
    )
    return Parts.of(values.tolist(), every, part), notes


def rows_by_part(
    sides: Sides, parts: Parts, asked: Sequence[LimitedMetric], is_of_classes: bool
) -> tuple[list[GateRow], list[str]]:
    """The GateRows of every metric and part before Holm's correction, by metric, and notes on what was left out."""
    rows: list[GateRow] = []
    resampled = []
    for one in asked:
        values = [sides.values(name, one.column) for name in (BASELINE, CANDIDATE)]
        if any(of is None for of in values):
            resampled.append(one)
        else:
            rows += _means(sides, parts, one, values)
    if not resampled:
        return rows, []
    n, notes = parts.n, []
    chosen = np.arange(len(parts))
    if is_of_classes and len(parts) > MOST_CLASSES:
        chosen = np.sort(np.lexsort((chosen, -n))[:MOST_CLASSES])
        names = ", ".join(one.column.key for one in resampled)
        notes.append(
            f"{names}: of the {MOST_CLASSES} classes with the most samples alone, of {len(parts):,}; a mean over samples such as "
            "top_down.argmax_leaf_accuracy is compared in every class"
        )
    starts = np.concatenate([[0], np.cumsum(n)])
    for part in chosen.tolist():
        places = parts.sample[starts[part] : starts[part + 1]]
        rows += _resampled(sides, parts.labels[part], places, resampled)
    return rows, notes


def _means(sides, parts, asked, values):
    """Rows of a mean over samples, of all parts at once."""
    column, level = asked.column, sides.table.level
    means = [of.mean(axis=0) for of in values]
    with np.errstate(invalid="ignore"):
        own = column.sign * (means[1] - means[0])
    known = ~(np.isnan(means[0]) | np.isnan(means[1]))[parts.sample]
    sample, part, n_parts = parts.sample[known], parts.part[known], len(parts)
    n = np.bincount(part, minlength=n_parts)
    first, second = (ratio(np.bincount(part, of[sample], n_parts), n, np.nan) for of in means)
    # Of infinite values no variance is known: a candidate alone that has them is worse, whatever other samples say.
    is_finite = np.isfinite(own)[sample]
    d = np.where(is_finite, own[sample], 0.0)
    n_infinite = np.bincount(part[~is_finite], minlength=n_parts)
    mean = ratio(np.bincount(part, d, n_parts), n, np.nan)
    with np.errstate(invalid="ignore"):
        mean = np.where(n_infinite > 0, column.sign * (second - first), mean)
    off = d - np.where(np.isfinite(mean), mean, 0)[part]
    n_units, n_effective, squares = _of_units(off, part, sample, sides.groups, n_parts)
    has_runs = max(map(len, values)) > 1
    is_tested = (n_units >= FEWEST) & (mean < np.inf)
    ends = np.full((3, n_parts), np.nan)
    ends[:, is_tested & (mean == -np.inf)] = [[-np.inf], [-np.inf], [0]]
    at = np.flatnonzero(is_tested & np.isfinite(mean))
    shares = (
        np.isin(means[0][~np.isnan(means[0])], (0, 1)).all() and np.isin(means[1][~np.isnan(means[1])], (0, 1)).all()
    )
    if len(at) and sides.groups is None and not has_runs and shares and is_share(column):
        gained, lost = (np.bincount(part, of, n_parts)[at] for of in (d > 0, d < 0))
        ends[:, at] = score_margin(gained, lost, n[at], asked.limit, level)
    elif len(at):
        variance = (squares * n_units / np.maximum(n_units - 1, 1) / np.maximum(n, 1) ** 2)[at]
        variance, degrees = _with_runs(
            variance, np.maximum(n_effective[at] - 1.0, 1.0), [_run_means(of, part, sample, n)[:, at] for of in values]
        )
        how = (mean[at], variance, degrees, reach_of(sides, column, means, (1.0,)) / n_effective[at])
        ends[:, at] = *margin_interval(*how, level), margin_p_values(*how, asked.limit)
    few = [too_few_units(int(count), sides.groups is not None) for count in n_units.tolist()]
    reasons = ["" if tested else few[place] or INFINITE for place, tested in enumerate(is_tested.tolist())]
    numbers = zip(
        parts.labels, n.tolist(), first.tolist(), second.tolist(), mean.tolist(), *ends.tolist(), reasons, strict=True
    )
    return [
        GateRow(column, label, size, a, b, d_of, low, high, asked.limit, p, math.nan, "not clear", reason)
        for label, size, a, b, d_of, low, high, p, reason in numbers
    ]


def _of_units(off, part, sample, groups, n_parts):
    """Units (samples or groups) of each part, as how many of one size they count, and the sum of squares of what they are off."""
    n = np.bincount(part, minlength=n_parts)
    if groups is None:
        return n, n, np.bincount(part, off**2, n_parts)
    n_groups = int(groups.max(initial=0)) + 1
    units, place = np.unique(part * n_groups + groups[sample], return_inverse=True)
    of_unit = units // n_groups
    n_effective = ratio(n.astype(float) ** 2, np.bincount(of_unit, np.bincount(place) ** 2.0, n_parts), 0.0)
    squares = np.bincount(of_unit, np.bincount(place, off) ** 2, n_parts)
    return np.bincount(of_unit, minlength=n_parts), n_effective, squares


def _run_means(values, part, sample, n):
    """Mean of each run in each part, shape (n_runs, n_parts)."""
    return np.stack([ratio(np.bincount(part, np.nan_to_num(of)[sample], len(n)), n, 0.0) for of in values])


def _with_runs(variance, degrees, runs):
    """Variances with those of the runs added, and Welch and Satterthwaite's degrees of freedom."""
    whole, squares = variance.copy(), variance**2 / degrees
    for of in runs:
        if len(of) > 1:
            own = of.var(axis=0, ddof=1) / len(of)
            whole, squares = whole + own, squares + own**2 / (len(of) - 1)
    return whole, np.where(squares > 0, np.divide(whole**2, squares, out=degrees.copy(), where=squares > 0), degrees)


def _resampled(sides, label, places, asked):
    """Rows of one part of the numbers that are no mean over samples."""
    groups, table = sides.groups, sides.table
    own = None if groups is None else groups[places]
    n_units = len(places) if own is None else len(np.unique(own))
    few = too_few_units(n_units, own is not None)
    if few is not None:
        none = math.nan
        return [
            GateRow(one.column, label, len(places), *[none] * 5, one.limit, none, none, "not clear", few)
            for one in asked
        ]
    resamples = Resamples.draw(len(places), table.resamples.n_resamples, table.resamples.seed, own)
    columns, methods = [one.column for one in asked], []
    for name in (BASELINE, CANDIDATE):
        numbers = [
            ResampledNumbers(
                table.models[at],
                columns,
                table.files[at].values,
                sides.rows[at][places],
                sides.choice(at),
                sides.class_weights,
            )
            for at in sides.places(name)
        ]
        draws = resampled_draws(numbers, resamples)
        found = [{key: float(value[0]) for key, value in of.of(np.ones((1, len(places)))).items()} for of in numbers]
        runs = [{key: None if math.isnan(value) else value for key, value in run.items()} for run in found]
        shared = {key: np.mean([of[key] for of in draws], axis=0) for key in draws[0]}
        methods.append(Method(name, runs, shared, n_units, len(places)))
    n_effective = None if own is None else effective_units(np.unique(own, return_counts=True)[1])
    return [row_of_methods(sides, (methods[0], methods[1]), one, label, len(places), n_effective) for one in asked]
