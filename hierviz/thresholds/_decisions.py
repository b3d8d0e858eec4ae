r"""Which rule for which metric: what each rule reaches by each metric on one model, and whether the optimal one wins.

Conventions
-----------
For each metric one rule is optimal if the model's probabilities are right: the node of least expected cost, with the metric
as the cost (``optimal_node``), or the set of largest expected hF1 (``hf_optimal``). They need no tuning. Rules with a
threshold are tuned for each metric, among those of `GRID`, and judged on samples that had no part in the choice: the value of a
sample is its mean over the random splits. A difference is paired, sample by sample. Intervals take the thresholds as chosen.

Below a truth that is an inner class, an answer costs what it claims beyond it, as in `hierviz.inference.node_costs`: metrics are
not truncated here, or another rule than the one of least expected cost would be optimal.

A node counts as the set of its path for hF1; a set has no value for metrics of one node. Where another rule than the optimal one
wins by more than chance, the probabilities are off: the expectation of the optimal rule, next to what it reaches, says by how
much.

Functions
---------
decisions, Decisions
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.inference.crm import cheapest
from hierviz.inference.node_costs import expected_costs
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.inference.truth_mass import truth_mass
from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.messages.progress import Progress
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.node_sets import highest_below, set_overlap, set_scores, truth_keys
from hierviz.metrics.ties import rounded
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.thresholds.cross_fitting import Folds
from hierviz.uncertainty.bootstrap import bootstrap_means
from hierviz.uncertainty.resamples import Resamples

HF1 = "hf1_samples"
# Metrics, with the cost that `optimal_node` minimises for each; that of hF1 for a single path.
COSTS = {
    HF1: "depth_f1",
    "info_f1": "info_f1",
    "depth_f1": "depth_f1",
    "info_dist": "info_dist",
    "depth_dist": "depth_dist",
    "exact": "exact",
}
OPTIMAL, OPTIMAL_SET = "optimal_node", "hf_optimal"
TUNED, TUNED_SET = "threshold", "threshold_set"
RULES = ("leaf", "majority", "plurality", "expected_information", TUNED, OPTIMAL, TUNED_SET, OPTIMAL_SET)
# Rules of several true classes a sample, and of graphs.
OF_SETS = ("leaf", "majority", "plurality", TUNED_SET, OPTIMAL_SET)
FOLDS = Folds(n=5, splits=4)
# Thresholds that are tried.
GRID = THOUSANDTHS[::-20][1:-1]
# Samples of which these are drawn at random: every rule answers each of them.
MOST = 20_000


@dataclass(frozen=True, eq=False)
class Decisions(Short):
    """Rules by metrics.

    Attributes
    ----------
    name : str
        Of the model.
    n_samples, n_judged : int
        Samples that were used, and all that have a known truth.
    rules, metrics : tuple of str
        Keys of `INFERENCE_RULES` and `METRICS`: rows and columns.
    values, lower, upper : ndarray of float, shape (n_rules, n_metrics)
        Mean over the samples with its interval; nan where a rule has no such number, or there are too few samples.
    thresholds : ndarray of float, shape (n_rules, n_metrics)
        Of tuned rules the median over splits and folds; else nan.
    optimal : ndarray of int, shape (n_metrics,)
        Row of the rule that is optimal if probabilities are right.
    best : ndarray of int, shape (n_metrics,)
        Row of the best value; the optimal rule on ties. All that tie are in `is_best`.
    expected : ndarray of float, shape (n_metrics,)
        What the optimal rule would reach if they were right; nan for several true classes a sample.
    difference, difference_lower, difference_upper : ndarray of float, shape (n_metrics,)
        Best rule minus the optimal one, paired, with its interval; 0 where they are one.
    """

    name: str
    n_samples: int
    n_judged: int
    rules: tuple[str, ...]
    metrics: tuple[str, ...]
    values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    thresholds: np.ndarray
    optimal: np.ndarray
    best: np.ndarray
    expected: np.ndarray
    difference: np.ndarray
    difference_lower: np.ndarray
    difference_upper: np.ndarray

    @property
    def is_best(self) -> np.ndarray:
        """Which values are the best of their metric, up to rounding of sums: ndarray of bool, shape (n_rules, n_metrics)."""
        values = rounded(self.values)
        return values == values[self.best, np.arange(len(self.metrics))]

    def is_clear(self, place: int) -> bool:
        """Whether the interval of the difference of a metric leaves out 0."""
        return bool(self.difference_lower[place] > 0 or self.difference_upper[place] < 0)


def decisions(
    model: Evaluation | Predictions,
    metrics: tuple[str, ...] | None = None,
    *,
    folds: Folds = FOLDS,
    n_resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress = None,
) -> Decisions:
    """What each rule reaches by each metric, with the rule that is optimal in theory.

    Parameters
    ----------
    model : Evaluation or Predictions
        Scores, with one truth a sample or several, on a tree or graph. For several truths and graphs the metric is hF1 alone.
    metrics : tuple of str, optional
        Keys of `COSTS`; all that apply if not given.
    folds : Folds
        How samples are split where a threshold is tuned; without groups.
    n_resamples, seed, level
        Of the intervals, and of the draw of `MOST` samples where there are more.
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    Decisions

    Raises
    ------
    PredictionsError
        If these are labels, no sample has a truth, a metric is unknown or does not apply, folds have groups, or there are fewer
        samples than folds.

    Examples
    --------
    >>> import hierviz as hv
    >>> taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> scores = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]] * 10)
    >>> truth = np.array([2, 4] * 10)
    >>> predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    >>> found = decisions(predictions, ("depth_f1",))
    >>> found.rules[found.optimal[0]], float(found.values[found.optimal[0], 0])
    ('optimal_node', 1.0)
    """
    model = as_evaluation("model", model)
    reason = model.why_no_set_curve()
    if reason:
        raise PredictionsError(f"{model.predictions.name}: expected scores with a known truth, got none: {reason}.")
    of_nodes = model.why_not_one_truth() is None
    allowed = tuple(COSTS) if of_nodes else (HF1,)
    chosen = allowed if metrics is None else tuple(dict.fromkeys(metrics))
    for key in chosen:
        check_one_of("metrics", key, allowed)
    if folds.groups is not None:
        raise PredictionsError("folds: expected folds of single samples, got groups. Leave them out.")
    if not chosen:
        raise PredictionsError(f"metrics: expected at least one of {', '.join(allowed)}, got none. Choose one.")
    work = _RulesByMetrics(model, chosen, of_nodes, folds, seed, progress)
    values, thresholds, expected = work.values()
    return _summary(model, work, values, thresholds, expected, Resamples.draw(len(work.rows), n_resamples, seed), level)


def _summary(model, work, values, thresholds, expected, resamples, level):
    rules, metrics = work.rules, work.metrics
    shape = len(rules), len(metrics)
    means = bootstrap_means(values, resamples, level=level)
    optimal = np.array([rules.index(OPTIMAL_SET if key == HF1 else OPTIMAL) for key in metrics])
    gains = rounded(means.estimate) * [METRICS[key].sign for key in metrics]
    best = np.nanargmax(gains, axis=0)
    across = np.arange(len(metrics))
    best = np.where(gains[optimal, across] >= gains[best, across], optimal, best)
    apart = bootstrap_means(values[:, best, across] - values[:, optimal, across], resamples, level=level)
    is_one = best == optimal
    return Decisions(
        model.predictions.name,
        len(work.rows),
        model.n_judged,
        rules,
        metrics,
        *(of.reshape(shape) for of in (means.estimate, means.lower, means.upper)),
        thresholds,
        optimal,
        best,
        expected,
        *(np.where(is_one, 0.0, of) for of in (apart.estimate, apart.lower, apart.upper)),
    )


class _RulesByMetrics:
    """Values of all samples by rule and metric."""

    def __init__(self, model, metrics, of_nodes, folds, seed, progress):
        self.model, self.metrics, self.of_nodes, self.folds = model, metrics, of_nodes, folds
        self.rules = (
            RULES
            if of_nodes
            else tuple(rule for rule in OF_SETS if model.taxonomy.is_tree or not INFERENCE_RULES[rule].tree_only)
        )
        rows = model.rows
        if len(rows) > MOST:
            rows = np.sort(np.random.default_rng(seed).choice(rows, MOST, replace=False))
        self.rows, self.taxonomy = rows, model.taxonomy
        truth = model.predictions.truth
        self.truth = truth.take(rows) if isinstance(truth, NodeLists) else truth[rows]
        self._blocks = list(model.predictions.blocks())
        self._costs = tuple(dict.fromkeys(COSTS[key] for key in metrics)) if of_nodes else ()
        in_blocks = len(self._costs) + (HF1 in metrics)
        of_metrics = len(metrics) if of_nodes else 0
        self._progress, self._done, self._steps = progress, 0, 2 + in_blocks * len(self._blocks) + of_metrics

    def values(self):
        """Values, shape (n_samples, n_rules, n_metrics), thresholds of tuned rules and expectations of optimal ones."""
        found = np.full((len(self.rows), len(self.rules), len(self.metrics)), np.nan)
        thresholds, expected = np.full(found.shape[1:], np.nan), np.full(len(self.metrics), np.nan)
        plain = [rule for rule in self.rules if rule not in (TUNED, OPTIMAL, TUNED_SET, OPTIMAL_SET)]
        for rule, answers in self.model.answers_by_rule(plain).items():
            found[:, self.rules.index(rule)] = self._judged(answers[self.rows])
        self._step()
        if self.of_nodes:
            self._optimal_nodes(found, expected)
            self._tuned(found, thresholds)
        if HF1 in self.metrics:
            column = self.metrics.index(HF1)
            self._tuned_sets(found, thresholds, column)
            sets: Any = self.model.answers(OPTIMAL_SET)
            found[:, self.rules.index(OPTIMAL_SET), column] = self._hf1(sets.take(self.rows))
            if self.model.predictions.has_single_truth:
                expected[column] = sets.expected[self.rows].mean()
        self._step()
        return found, thresholds, expected

    def _step(self):
        self._done += 1
        if self._progress:
            self._progress(self._done, self._steps)

    def _hf1(self, sets):
        return set_scores(*set_overlap(self.taxonomy, self.truth, sets))[2]

    def _judged(self, nodes):
        """Value of one node a sample by every metric, shape (n_samples, n_metrics)."""
        values = path_metrics(self.taxonomy, self.truth, nodes, truncated=False) if self.of_nodes else {}
        of_set = self._hf1(NodeLists.of(nodes)) if HF1 in self.metrics else None
        return np.column_stack([of_set if key == HF1 else values[key] for key in self.metrics])

    def _optimal_nodes(self, found, expected):
        """The node of least expected cost by the cost of each column, and what it is expected to yield."""
        predictions, taxonomy = self.model.predictions, self.taxonomy
        nodes = {cost: np.empty(len(self.rows), dtype=np.intp) for cost in self._costs}
        totals = dict.fromkeys(self._costs, 0.0)
        for block in self._blocks:
            first, last = np.searchsorted(self.rows, (block.start, block.stop))
            p = predictions.node_probabilities(block)[self.rows[first:last] - block.start]
            mass = truth_mass(taxonomy, p)
            for cost, answers in nodes.items():
                values, scale = expected_costs(taxonomy, mass, cost)
                answers[first:last] = cheapest(taxonomy.candidates, values, scale)
                least = values[np.arange(len(p)), answers[first:last]]
                totals[cost] += float((least if METRICS[cost].better == "lower" else mass.sum(axis=1) - least).sum())
                self._step()
        for column, key in enumerate(self.metrics):
            cost = COSTS[key]
            found[:, self.rules.index(OPTIMAL), column] = self._judged(nodes[cost])[:, column]
            if key != HF1:
                expected[column] = totals[cost] / max(len(self.rows), 1)

    def _tuned(self, found, thresholds):
        """One threshold for a node, chosen by each metric on other folds."""
        table, row = self.model.table.take(self.rows), self.rules.index(TUNED)
        by_threshold = np.stack([self._judged(table.nodes_at(float(tau))) for tau in GRID], axis=1)
        for column, key in enumerate(self.metrics):
            place = (slice(None), row, column)
            found[place], thresholds[row, column] = self._cross_fitted(by_threshold[:, :, column], METRICS[key].sign)
            self._step()

    def _tuned_sets(self, found, thresholds, column):
        """One threshold for sets, chosen by mean hF1 on other folds."""
        row = self.rules.index(TUNED_SET)
        found[:, row, column], thresholds[row, column] = self._cross_fitted(self._hf1_by_threshold(), 1)

    def _cross_fitted(self, by_threshold, sign):
        """Mean over splits of the value of each sample at the threshold that is best on the other folds; the median of these.

        Of equally good thresholds the largest one. `by_threshold` has shape (n_samples, n_thresholds).
        """
        total, chosen = np.zeros(len(self.rows)), []
        for fold_of in self.folds.of_samples(len(self.rows)):
            for fold in range(self.folds.n):
                inside = fold_of == fold
                gains = sign * rounded(by_threshold[~inside].mean(axis=0))
                place = len(GRID) - 1 - int(np.argmax(gains[::-1]))
                total[inside] += by_threshold[inside, place]
                chosen.append(GRID[place])
        return total / self.folds.splits, np.median(chosen)

    def _hf1_by_threshold(self):
        """hF1 of the set above each threshold of `GRID`, ancestors added, shape (n_samples, n_thresholds)."""
        predictions, taxonomy, n_nodes = self.model.predictions, self.taxonomy, self.taxonomy.n_nodes
        found = np.empty((len(self.rows), len(GRID)))
        for block in self._blocks:
            first, last = np.searchsorted(self.rows, (block.start, block.stop))
            p = predictions.node_probabilities(block)[self.rows[first:last] - block.start]
            closed, is_true = highest_below(taxonomy, p)[:, 1:], np.zeros((last - first, n_nodes), dtype=bool)
            truth = self.truth.take(slice(first, last)) if isinstance(self.truth, NodeLists) else self.truth[first:last]
            is_true.ravel()[truth_keys(taxonomy, truth)] = True
            due = is_true.sum(axis=1)
            of_truth = np.where(is_true[:, 1:], closed, -np.inf)
            for place, threshold in enumerate(GRID):
                claimed, shared = (closed > threshold).sum(axis=1), (of_truth > threshold).sum(axis=1)
                found[first:last, place] = set_scores(shared, claimed, due)[2]
            self._step()
        return found
