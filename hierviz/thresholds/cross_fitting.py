r"""What choosing a threshold by a goal yields on samples that had no part in the choice, for one model or several.

Conventions
-----------
A value at a threshold chosen on the same samples is optimistic. Cross-fitted: the samples are split into k folds, the
threshold is chosen on the others and judged on the fold that was left out; mean over samples and random splits, whole groups
together: a fold of more samples weighs more. It estimates what this way of choosing yields from (k - 1) n / k samples, not
the value of one threshold. Where the goal cannot be reached on some training samples there is no value, and the times are
counted. One split in two halves says the same with far more noise, and its halves are not independent: what is easy about
one is missing in the other.

Its ± has to hold what the choice adds: with other samples another threshold is chosen. It is that of the delete-a-fold
jackknife [1]_: the number of the key at the threshold chosen on each training part varies there with 1 / (k - 1) of the
variance that it has between data sets. The same training parts serve all models, so that differences of models are paired,
and `hierviz.uncertainty.comparison` judges all pairs of models at once.

Functions
---------
Folds, Target, CrossFitted, cross_fitted, TargetRow, rank_for_target

References
----------
.. [1] J. Shao, C. F. J. Wu, A general theory for jackknife variance estimation, Ann. Statist. 17 (1989) 1176-1197.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_values import checked_table
from hierviz.curves.operating_curve import OperatingCurve, operating_curve
from hierviz.inference.pareto_table import ParetoTable, as_table
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.messages.progress import Progress
from hierviz.metrics.path import mean_path_metrics, path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.metrics.ties import TIE, rounded
from hierviz.taxonomy.checks import check_one_of, check_whole, one_truth_each
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.thresholds.selection import Choice
from hierviz.uncertainty.bootstrap import bootstrap_means
from hierviz.uncertainty.comparison import clear_pairs, fewest_resamples, marks
from hierviz.uncertainty.resamples import FEWEST, Resamples, fold_numbers, unit_numbers
from hierviz.uncertainty.student import t_quantile


@dataclass(frozen=True, eq=False)
class Folds(Short):
    """How samples are split at random.

    Attributes
    ----------
    n, splits : int
        At least 2 folds; at least one split.
    seed : int
    groups : array_like, shape (n_samples,), optional
        Label of each sample: a group is never in two folds.
    """

    n: int = 5
    splits: int = 20
    seed: int = 0
    groups: ArrayLike | None = None

    def __post_init__(self):
        for what, value, least in (("folds", self.n, 2), ("splits", self.splits, 1), ("seed", self.seed, 0)):
            check_whole(what, value, least)

    def of_samples(self, n_samples: int) -> Iterator[np.ndarray]:
        """Fold of each sample, shape (n_samples,) of int, split after split.

        Raises
        ------
        PredictionsError
            If there are fewer samples, or groups, than folds.
        """
        unit_of = unit_numbers(self.groups, n_samples)
        rng = np.random.default_rng(self.seed)
        for _ in range(self.splits):
            yield fold_numbers(unit_of, self.n, rng)


@dataclass(frozen=True)
class Target(Short):
    """What a threshold is chosen for, and what models are ranked by.

    Attributes
    ----------
    goal : callable
        OperatingCurve -> Choice, for example ``functools.partial(choose, subject_to={"correct": 0.95})``.
    key : str
        The number that orders the models.
    numbers : callable
        (taxonomy, truth, answers) -> dict of str to ndarray, shape (n_samples,): the path metrics, or
        `hierviz.thresholds.selection.cost_metrics` for costs.
    of_samples : bool
        The goal takes (OperatingCurve, truth, ParetoTable), for goals that need single answers, such as
        those of `hierviz.thresholds.with_shallow_answers`.
    """

    goal: Callable
    key: str = "info_recall"
    numbers: Callable = path_metrics
    of_samples: bool = False

    def choice(
        self, taxonomy: Taxonomy, truth: np.ndarray, table: ParetoTable, curve: OperatingCurve | None = None
    ) -> Choice:
        """The Choice on some samples."""
        curve = operating_curve(taxonomy, truth, table) if curve is None else curve
        return self.goal(curve, truth, table) if self.of_samples else self.goal(curve)

    def keys(self, taxonomy: Taxonomy) -> list[str]:
        """What the numbers of answers are called."""
        return list(self.numbers(taxonomy, np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)))


USUAL_FOLDS = Folds()


@dataclass(frozen=True, eq=False)
class CrossFitted(Short):
    """Values on left-out folds.

    Attributes
    ----------
    values : dict of str to float
        Keys `path_keys`: mean over samples and splits; empty where the goal was not reached everywhere.
    low, high : dict of str to float
        Smallest and largest mean of one split.
    n_folds, n_splits : int
    n_unreached : int
        Times that the goal could not be reached on the training samples.
    thresholds : ndarray of float, shape (n_splits, n_folds)
        nan where not reached.
    fold_sizes : ndarray of int, shape (n_splits, n_folds)
    chosen : ndarray of int, shape (n_splits, n_folds), or None
        Which model was chosen in the fold, where the model was chosen too.
    """

    values: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    n_folds: int
    n_splits: int
    n_unreached: int
    thresholds: np.ndarray
    fold_sizes: np.ndarray
    chosen: np.ndarray | None = None


def cross_fitted(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: Any,
    goal: Callable | Target,
    *,
    folds: Folds = USUAL_FOLDS,
    progress: Progress = None,
) -> CrossFitted:
    """Cross-fitted means of the path metrics at a threshold that is chosen for a goal.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    goal : callable or Target
        OperatingCurve -> Choice, for example ``functools.partial(choose, subject_to={"correct": 0.95})``.
    folds : Folds
    progress : callable, optional
        Called with (folds done, folds in all).

    Returns
    -------
    CrossFitted

    Raises
    ------
    PredictionsError
        If there are fewer samples, or groups, than folds.
    """
    (found,), _ = _fits(taxonomy, truth, [table], _target(goal), folds, progress)
    return found


def _target(goal):
    return goal if isinstance(goal, Target) else Target(goal)


@dataclass(frozen=True, eq=False)
class TargetRow(Short):
    """One model of `rank_for_target`.

    Attributes
    ----------
    name : str
    threshold : float or None
        Chosen on all samples; None where the goal cannot be reached, and `why_not` says why.
    values : dict of str to float
        Means of the path metrics there.
    interval : dict of str to (low, high)
        Intervals of the means at this threshold, taken as given, as `hierviz.uncertainty.bootstrap_means` makes them: Wilson's
        for means of 0/1 values of single samples, else percentile intervals; without those of too few, empty without resamples.
    stops_early : float
        Share of the answers that are no leaf.
    cross_fitted : CrossFitted or None
        What choosing yields on new samples; None without folds.
    margin : float or None
        ± of the cross-fitted value of the key, half the width of its interval; None where it has no interval.
    is_best : bool
        The best cross-fitted value of the key, or not clearly different from it when all pairs of models are compared. False
        for all without folds, with too few folds and splits, and below ten samples or groups.
    why_not : str or None
    """

    name: str
    threshold: float | None
    values: dict[str, float]
    interval: dict[str, tuple[float, float]]
    stops_early: float
    cross_fitted: CrossFitted | None
    margin: float | None = None
    is_best: bool = False
    why_not: str | None = None


@dataclass(frozen=True, eq=False)
class TargetRanking(Short):
    """All models for one goal: by cross-fitted values, the best first; then, by their values on all samples, those without.

    Models with equal values (`hierviz.metrics.ties`) keep the order in which they are given.

    Attributes
    ----------
    rows : tuple of TargetRow
    key : str
        What they are ordered by.
    best_inside : CrossFitted or None
        The value of the best model's row with the choice of the model inside the folds too.
    """

    rows: tuple[TargetRow, ...]
    key: str
    best_inside: CrossFitted | None


def rank_for_target(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    tables: Mapping[str, Any],
    goal: Callable | Target,
    resamples: Resamples | None = None,
    *,
    curves: Mapping[str, OperatingCurve] | None = None,
    level: float = 0.95,
    folds: Folds | None = USUAL_FOLDS,
    progress: Progress = None,
) -> TargetRanking:
    """Every model at its own threshold for one goal, with the result on held-out samples.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    tables : mapping of str to (ndarray, Predictions, or ParetoTable)
        By the name of the model, all of the same samples.
    goal : callable or Target
        OperatingCurve -> Choice.
    resamples : Resamples, optional
        For the intervals at the thresholds of the rows.
    curves : mapping of str to OperatingCurve, optional
        Of the tables, where they are at hand.
    level : float
    folds, progress
        As in `cross_fitted`; with None nothing is cross-fitted.

    Returns
    -------
    TargetRanking
    """
    if not tables:
        raise PredictionsError("tables: expected at least one model, got none. Pass a dict of them.")
    truth, target = one_truth_each(truth, "the table"), _target(goal)
    keys, key = target.keys(taxonomy), target.key
    check_one_of("key", key, keys)
    sign, names = METRICS[key].sign, list(tables)
    made = {name: as_table(taxonomy, table) for name, table in tables.items()}
    fits, inside, parts = [None] * len(made), None, np.empty((len(made), 0))
    if folds is not None:
        (*fits, inside), parts = _fits(taxonomy, truth, list(made.values()), target, folds, progress, key)
    rows = []
    for name, fit in zip(names, fits, strict=True):
        choice = target.choice(taxonomy, truth, made[name], (curves or {}).get(name))
        if choice.threshold is None:
            rows.append(TargetRow(name, None, {}, {}, float("nan"), fit, why_not=choice.why_not))
            continue
        answers = made[name].nodes_at(choice.threshold)
        intervals = {}
        if resamples is not None:
            values = target.numbers(taxonomy, truth, answers)
            means = bootstrap_means(np.column_stack([values[one] for one in keys]), resamples, level=level)
            ends = zip(keys, means.lower.tolist(), means.upper.tolist(), strict=True)
            intervals = {one: (low, high) for one, low, high in ends if not np.isnan(low)}
        stops = float((~taxonomy.is_leaf[answers]).mean())
        now = mean_path_metrics(taxonomy, truth, answers, target.numbers)
        rows.append(TargetRow(name, choice.threshold, now, intervals, stops, fit))
    fitted = np.array([np.nan if fit is None else fit.values.get(key, np.nan) for fit in fits])
    n_units = int(unit_numbers(None if folds is None else folds.groups, len(truth)).max()) + 1
    rows = _judged(rows, sign * fitted, sign * parts, n_units, level)

    def rank(place):
        row, is_alone = rows[place], np.isnan(fitted[place])
        value = row.values.get(key, 0.0) if is_alone else fitted[place]
        return row.threshold is None, is_alone, -sign * rounded(value)

    return TargetRanking(tuple(rows[place] for place in sorted(range(len(rows)), key=rank)), key, inside)


def _judged(rows, gains, parts, n_units, level):
    """The rows with their ± and who is best.

    By cross-fitted gains, shape (n_models,), and gains on the training parts, shape (n_models, n_parts).
    """
    n_parts = parts.shape[1]
    if n_units < FEWEST or n_parts < fewest_resamples(level):
        return rows
    # Training parts of k - 1 of k folds vary with 1 / (k - 1) of the variance between data sets.
    folds = rows[0].cross_fitted.n_folds
    draws = gains[:, None] + np.sqrt(folds - 1) * (parts - parts.mean(axis=1, keepdims=True))
    # The variances are as certain as so many splits make them.
    degrees = min(n_units, n_parts // folds) - 1
    margins = t_quantile(level, degrees) * draws.std(axis=1, ddof=1)
    found = marks(gains, clear_pairs(gains, draws, level, n_units, degrees=degrees))
    return [
        replace(row, margin=None if np.isnan(margin) else float(margin), is_best=mark in ("best", "tied"))
        for row, margin, mark in zip(rows, margins, found, strict=True)
    ]


def _fits(taxonomy, truth, tables, target, plan, progress, key=None):
    """CrossFitted of each model, and of the best one by `key` in every fold where a key is given; `plan` are the Folds.

    And the values of the key on the training parts, shape (n_models, splits * folds), nan where the goal is not reached.
    """
    folds, splits = plan.n, plan.splits
    made = [checked_table(taxonomy, truth, table)[1] for table in tables]
    truth = np.asarray(truth)
    keys, sign = target.keys(taxonomy), 0 if key is None else METRICS[key].sign
    n_fits = len(made) + (key is not None)
    values = np.full((n_fits, splits, folds, len(keys)), np.nan)
    thresholds = np.full((n_fits, splits, folds), np.nan)
    parts = np.full((len(made), splits * folds), np.nan)
    chosen, sizes = np.full((splits, folds), -1), np.zeros((splits, folds), dtype=np.intp)
    for split, fold_of in enumerate(plan.of_samples(len(truth))):
        for fold in range(folds):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            sizes[split, fold] = len(test)
            best = -np.inf
            for place, table in enumerate(made):
                choice = target.choice(taxonomy, truth[train], table.take(train))
                if choice.threshold is None:
                    continue
                metrics = target.numbers(taxonomy, truth[test], table.take(test).nodes_at(choice.threshold))
                values[place, split, fold] = [metrics[one].mean() for one in keys]
                thresholds[place, split, fold] = choice.threshold
                if key is None:
                    continue
                parts[place, split * folds + fold] = choice.values[key]
                if sign * choice.values[key] > best + TIE:
                    best = sign * choice.values[key]
                    chosen[split, fold] = place
                    values[-1, split, fold] = values[place, split, fold]
                    thresholds[-1, split, fold] = choice.threshold
            if progress:
                progress(split * folds + fold + 1, splits * folds)
    found = [_summary(values[k], thresholds[k], sizes, keys, chosen if k == len(made) else None) for k in range(n_fits)]
    return found, parts


def _summary(values, thresholds, sizes, keys, chosen):
    splits, folds = thresholds.shape
    unreached = int(np.isnan(thresholds).sum())
    if unreached:
        return CrossFitted({}, {}, {}, folds, splits, unreached, thresholds, sizes, chosen)
    of_split = (values * sizes[..., None]).sum(axis=1) / sizes.sum(axis=1)[:, None]
    mean, low, high = of_split.mean(axis=0), of_split.min(axis=0), of_split.max(axis=0)
    parts = ({one: float(row[place]) for place, one in enumerate(keys)} for row in (mean, low, high))
    return CrossFitted(*parts, folds, splits, 0, thresholds, sizes, chosen)
