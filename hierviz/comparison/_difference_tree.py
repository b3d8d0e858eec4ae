r"""Where in the taxonomy is one model better than another? The difference of two models in every class, tested and ordered.

Conventions
-----------
Of every class but the root, d is B's value less A's on the samples that both judge and whose truth is at or below the class. The
root is all samples: their difference is that of `two_by_two`. How classes are tested and ordered: `_class_tests`.

Functions
---------
difference_tree, DifferenceTree, metrics_by_class
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.comparison._class_tests import ClassTests, class_tests
from hierviz.comparison._paired_answers import PairedAnswers, paired_answers
from hierviz.comparison._paired_difference import points
from hierviz.comparison.class_sums import ClassSums
from hierviz.diagnosis.many_tests import USUAL_TESTS, ManyTests
from hierviz.diagnosis.sample_values import sample_keys, sample_values
from hierviz.evaluation._judged_answers import Judged
from hierviz.evaluation.sample_numbers import OVER_ERRORS, parts_of
from hierviz.messages.errors import PredictionsError, near_miss, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.number_text import value_text
from hierviz.metrics.parts import ByNode, Mean, OverCurve, Total
from hierviz.metrics.registry import METRICS, keys_of
from hierviz.taxonomy.checks import check_kind, check_whole
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import check_level

# The first number of these that both models have, where none is asked for: the first depends on no threshold.
USUAL_METRICS = ("argmax_leaf_accuracy", "exact", "hf1_samples")


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferenceTree(ClassTests):
    """Two models in every class of a taxonomy.

    Attributes
    ----------
    pair : PairedAnswers
    metric : str
        Key of `METRICS`.
    n : ndarray of int, shape (n_nodes,)
        Samples with a truth at or below the class; of the root all.
    value_a, value_b : ndarray of float, shape (n_nodes,)
        Mean of A and of B; nan without samples.
    n_differ : ndarray of int, shape (n_nodes,)
        Samples on which the two have different values.
    lower, upper : ndarray of float, shape (n_nodes,)
        Interval of `difference` of each class alone; nan where the class is not tested.
    p_value, p_adjusted : ndarray of float, shape (n_nodes,)
        In (0, 1]; nan where the class is not tested.
    flagged : ndarray of int, shape (n_flagged,)
        Classes with a clear difference, by p.
    n_outside, difference_outside : ndarray, shape (n_nodes,)
        Of a flagged class, the samples outside the earlier ones, and the mean difference there; nan where none is left.
    explained_by : ndarray of int, shape (n_nodes,)
        The earlier flagged class that holds most of the difference of a flagged one; -1 where it is not explained.
    test : str
    tests : ManyTests
    confidence : float
    n_groups : int or None
    """

    _printed = ("metric", "test", "sentence")

    pair: PairedAnswers
    metric: str
    n: np.ndarray
    value_a: np.ndarray
    value_b: np.ndarray
    n_differ: np.ndarray
    tests: ManyTests
    confidence: float
    n_groups: int | None

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the models."""
        return self.pair.taxonomy

    @property
    def names(self) -> tuple[str, str]:
        """Names of A and B."""
        return self.pair.names

    @property
    def difference(self) -> np.ndarray:
        """B less A, shape (n_nodes,)."""
        return self.value_b - self.value_a

    @property
    def gain(self) -> np.ndarray:
        """The difference turned so that above 0 B is better, shape (n_nodes,)."""
        return self.difference * (-1.0 if METRICS[self.metric].better == "lower" else 1.0)

    @cached_property
    def is_flagged(self) -> np.ndarray:
        """Classes with a clear difference, shape (n_nodes,)."""
        found = np.zeros(len(self.n), dtype=bool)
        found[self.flagged] = True
        return found

    @property
    def clear(self) -> np.ndarray:
        """Flagged classes that no earlier one explains, by p."""
        return self.flagged[self.explained_by[self.flagged] < 0]

    @property
    def n_tested(self) -> int:
        """Classes that are tested: the family of the correction."""
        return int(np.isfinite(self.p_value).sum())

    def verdict(self, node: int) -> str:
        """What is said of a class: ``B gains``, ``B loses``, ``explained by X``, ``not clear``, ``too few samples``; or empty."""
        if not self.n[node] or node == 0:
            return ""
        if np.isnan(self.p_value[node]):
            return "too few samples"
        if not self.is_flagged[node]:
            return "not clear"
        if self.explained_by[node] >= 0:
            return f"explained by {self.taxonomy.title(int(self.explained_by[node]))}"
        return f"{self.names[1]} {'gains' if self.gain[node] > 0 else 'loses'}"

    def difference_text(self, difference: float) -> str:
        """A difference of the metric in words: of shares in percentage points."""
        if METRICS[self.metric].is_share:
            return points(difference)
        return f"{'+' if difference > 0 else ''}{value_text(float(difference)).replace('-', '−')}"

    @property
    def sentence(self) -> str:
        """Where B gains and where it loses, in words."""
        a, b = self.names
        label = METRICS[self.metric].label
        if not self.n_tested:
            few = "groups" if self.n_groups is not None else "samples"
            return f"No class has enough {few} to compare {a} and {b}."
        clear = self.clear
        parts = [
            f"{verb} in {self._listed(clear[sign * self.gain[clear] > 0])}"
            for verb, sign in (("gains", 1), ("loses", -1))
            if (sign * self.gain[clear] > 0).any()
        ]
        if not parts:
            return f"No class with a clear difference in {label} between {a} and {b}, of {self.n_tested:,} tested."
        return f"{b} {' and '.join(parts)}, compared with {a} by {label}."

    @property
    def notes(self) -> list[str]:
        """How it was tested, a sentence each."""
        correction = "Benjamini-Hochberg" if self.tests.correction == "bh" else "Benjamini-Yekutieli"
        return [
            f"{self.n_tested:,} classes are tested by {self.test}, corrected together ({correction}, q = {self.tests.q:g}).",
            "Thresholds and runs are held fixed: this says nothing about other thresholds or a retraining.",
            f"Intervals ({100 * self.confidence:g} %) are of one class each, not of all at once.",
        ]

    def _listed(self, nodes, most=3):
        """The first classes with difference and samples, in words."""
        said = [
            f"{self.taxonomy.title(node)} ({self.difference_text(float(self.difference[node]))}, they differ on "
            f"{self.n_differ[node]:,} of {self.n[node]:,} samples)"
            for node in nodes[:most].tolist()
        ]
        more = len(nodes) - len(said)
        return ", ".join(said) + (f" and {more:,} more" if more else "")

    @property
    def order(self) -> np.ndarray:
        """Classes with samples: the flagged ones by p, then the tested ones by p, then the others as in the taxonomy."""
        others = np.flatnonzero((self.n > 0) & ~self.is_flagged)
        others = others[others != 0]
        tested = np.where(np.isnan(self.p_value[others]), 2.0, self.p_value[others])
        return np.concatenate([self.flagged, others[np.lexsort((others, tested))]]).astype(np.intp)

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame in the order of `order`, one row a class."""
        order, taxonomy = self.order, self.taxonomy
        (a, b), columns = self.names, ("n", "n_differ", "lower", "upper", "p_value", "p_adjusted")
        table = {"class": [taxonomy.names[node] for node in order.tolist()], "depth": taxonomy.depth[order]}
        table |= {a: self.value_a[order], b: self.value_b[order], "difference": self.difference[order]}
        table |= {name: getattr(self, name)[order] for name in columns}
        return frame(table | {"verdict": [self.verdict(node) for node in order.tolist()]})


def metrics_by_class(pair: PairedAnswers) -> dict[str, str | None]:
    """Which numbers can be compared in every class: reason why not by key of `METRICS`, None where they can.

    Parameters
    ----------
    pair : PairedAnswers

    Returns
    -------
    dict of str to (str or None)
        Those that can be compared first.
    """
    usable = _usable(pair)
    reasons = {
        key: _why_not(key) for key in METRICS if key not in usable and METRICS[key].block not in ("goal", "per_sample")
    }
    return dict.fromkeys(usable) | reasons


def _usable(pair):
    """Keys of the numbers with a value per sample that all runs have."""
    every = [answers for runs in pair.runs for answers in runs]
    found = [[*_top_down_keys(answers), *sample_keys(answers)] for answers in every]
    return [key for key in found[0] if all(key in other for other in found[1:])]


def _top_down_keys(answers):
    if answers.evaluation.why_no_curve() is not None:
        return []
    return [key for key in keys_of("top_down", Mean) if key not in OVER_ERRORS]


def _why_not(key):
    """Why a number has no value per sample, in words."""
    made = METRICS[key].made
    if key in OVER_ERRORS:
        return "a mean over wrong answers alone"
    if isinstance(made, OverCurve) or made is None:
        return "computed from all thresholds together, it has no value per sample"
    if isinstance(made, ByNode):
        return "a mean over classes, it has no value per sample"
    if isinstance(made, Total):
        return "a count: compare the share instead"
    return "these models do not have it" if isinstance(made, Mean) else "a ratio of sums, it has no value per sample"


def difference_tree(
    a: Judged | Sequence[Judged],
    b: Judged | Sequence[Judged],
    metric: str | None = None,
    *,
    rule: str = "majority",
    threshold: float = 0.5,
    group: str | np.ndarray | None = None,
    min_samples: int = 10,
    tests: ManyTests = USUAL_TESTS,
    confidence: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> DifferenceTree:
    """In which classes one model is clearly better than another.

    Parameters
    ----------
    a, b : Evaluation, Predictions, JudgedAnswers, or sequence of them
        Models, or the runs of a method each, whose values are averaged. JudgedAnswers may be of some samples.
    metric : str, optional
        Key of `METRICS` with a value per sample (`metrics_by_class`); by default the first of ``argmax_leaf_accuracy`` (the most
        probable leaf is right), ``exact`` and ``hf1_samples`` that both have.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels and JudgedAnswers.
    group : str, or array_like of shape (n_samples,), optional
        Samples with one label belong together.
    min_samples : int
        Of a class that is tested; a grouped one needs ten groups, too.
    tests : ManyTests
        Draws are sign flips, 9,999 by default.
    confidence : float
        Level of the intervals, in (0, 1).
    progress : callable, optional
        Called with (steps done, steps in all) where signs are flipped and samples drawn.

    Returns
    -------
    DifferenceTree
        Where both are the same model nothing is flagged.

    Raises
    ------
    PredictionsError
        If the metric has no value per sample, values are infinite, they share no sample, or a number is out of range.
    """
    check_whole("min_samples", min_samples, 1)
    check_level(confidence)
    check_kind("tests", tests, ManyTests, "Pass hierviz.diagnosis.ManyTests(q=...).")
    pair = paired_answers(a, b, rule, threshold, **parameters)
    metric = _checked_metric(pair, metric)
    value_a, value_b = (_values(pair, method, metric) for method in (0, 1))
    d = value_b - value_a
    groups, members = pair.groups(group), ClassSums.of(pair.taxonomy, pair.truth)
    found = class_tests(
        members, (value_a, value_b), groups, max(pair.n_runs) > 1, min_samples, tests, confidence, progress
    )
    n = members.n.copy()
    n[0] = pair.n_samples
    means = []
    for values in (value_a, value_b):
        sums = members.sums(values)
        sums[0] = values.sum()
        means.append(np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0))
    n_differ = np.rint(members.sums(d != 0)).astype(np.intp)
    n_differ[0] = int((d != 0).sum())
    n_groups = None if groups is None else int(groups.max()) + 1
    return DifferenceTree(
        pair=pair,
        metric=metric,
        n=n,
        value_a=means[0],
        value_b=means[1],
        n_differ=n_differ,
        **vars(found),
        tests=tests,
        confidence=confidence,
        n_groups=n_groups,
    )


def _checked_metric(pair, metric):
    usable = _usable(pair)
    if metric is None:
        return next((key for key in USUAL_METRICS if key in usable), usable[0])
    if metric not in usable:
        reason = f": {METRICS[metric].label} is {_why_not(metric)}" if metric in METRICS else ""
        raise PredictionsError(
            f"metric: expected a number with a value per sample ({', '.join(usable[:5])}, ...), got {shown(metric)}{reason}."
            f"{near_miss(str(metric), usable)} Choose one."
        )
    return metric


def _values(pair, method, metric):
    """Mean over the runs of a method of the number of each sample, shape (n_samples,)."""

    def of_run(answers):
        if metric not in sample_keys(answers):
            evaluation = answers.evaluation
            return parts_of(evaluation, "top_down", {})[metric][np.searchsorted(evaluation.rows, answers.rows)]
        return sample_values(answers, metric)

    values = pair.each(method, of_run).astype(float)
    n_infinite = int((~np.isfinite(values)).any(axis=0).sum())
    if n_infinite:
        raise PredictionsError(
            f"{pair.names[method]}: expected a finite {METRICS[metric].label} of every sample, got {n_infinite:,} infinite or "
            "unknown ones. Choose another metric."
        )
    return values.mean(axis=0) if len(values) > 1 else values[0]
