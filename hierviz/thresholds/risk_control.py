r"""A threshold with a guarantee for new samples.

Conventions
-----------
The loss of a sample is 1 - its metric, in [0, 1]; its risk is the mean over the population that the samples are drawn
from. A threshold is certified when the calibration samples show, at the level delta, that its risk is at most alpha:
over repeated draws of the calibration samples at most a share delta of them certifies a threshold whose risk is above
alpha. Samples, or groups, must be exchangeable with the new ones; nothing is assumed about model or scores.

Order of testing
----------------
Thresholds of a grid fixed beforehand are tested one after the other until one fails; the last that passed is the
answer. Because the order does not depend on the calibration samples, every test may use the whole of delta, whatever
the risk does in between: the guarantee does not need a monotone risk [1]_.

The order starts where the loss is smallest. For Correct and precision that is threshold 1: the root claims nothing. Where the
children of a node are together at most as probable as the node, the answers of a sample at thresholds >= 0.5 lie on one
path, so its risk of being wrong can only rise as the threshold falls; below 0.5 an answer may jump to another branch, and
the risk may fall again. For exact answers, recall and F1 the order starts at 0, where answers are leaves, and goes up: at 1
their loss is 1. F1 neither rises nor falls throughout: its loss is often smallest a little above 0.

Groups
------
Samples of one group, for example the pictures of one place, are dependent, and a bound that takes them for independent
is too low. With groups, each group is one observation: the mean loss of its samples, which is in [0, 1]. The
guarantee is then about the mean over new groups, every group counting once whatever its size.

Functions
---------
guaranteed_threshold, Calibration, guaranteed_keys, thresholds_in_order

References
----------
.. [1] A. Angelopoulos, S. Bates, E. Candès, M. Jordan, L. Lei, Learn then Test, 2021, section 2 (fixed sequence).
.. [2] C. Clopper, E. Pearson, The use of confidence or fiducial limits, Biometrika 1934.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hierviz.curves.answer_depths import checked_thresholds, step_means
from hierviz.curves.answer_values import answer_kinds, checked_table, kind_values
from hierviz.curves.operating_curve import THOUSANDTHS
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.notebook_html import Short
from hierviz.metrics.registry import METRICS, share_keys
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_one_of, check_share
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.resamples import group_numbers, split_samples
from hierviz.uncertainty.risk_bounds import binomial_p_value, hoeffding_bentkus_p_value, upper_bound

_METHODS = {"binomial": binomial_p_value, "hoeffding_bentkus": hoeffding_bentkus_p_value}


@dataclass(frozen=True)
class Guarantee(Short):
    """A certified threshold, or why there is none.

    Attributes
    ----------
    key : str
        The metric; its loss is 1 - metric.
    alpha, delta : float
        The risk on new data is at most alpha with confidence 1 - delta.
    threshold : float or None
        None when no threshold could be certified.
    why_not : str or None
        One sentence, when there is none.
    method : str
        'binomial' (exact, Clopper-Pearson) or 'hoeffding_bentkus'.
    unit : str
        'sample' or 'group': what is drawn, and what n counts.
    n_calibration, n_check : int
        Units in each part; n_check is 0 when there was no check.
    risk_calibration : float
        Mean loss on the calibration part at the threshold; at the first one tested when none was certified.
    risk_check : float or None
        Mean loss on the check part at the threshold, which was chosen without it.
    fraction, seed : float and int, or None
        Of the split.
    """

    key: str
    alpha: float
    delta: float
    threshold: float | None
    why_not: str | None
    method: str
    unit: str
    n_calibration: int
    risk_calibration: float
    n_check: int = 0
    risk_check: float | None = None
    fraction: float | None = None
    seed: int | None = None

    @property
    def is_feasible(self):
        """True when a threshold was certified."""
        return self.threshold is not None

    @cached_property
    def bound(self):
        """What `risk_calibration` can be in the population at most, with confidence 1 - delta."""
        return float(upper_bound(_METHODS[self.method], self.risk_calibration, self.n_calibration, self.delta))

    @property
    def sentence(self):
        """The guarantee, or why there is none, in one sentence."""
        if not self.is_feasible:
            return self.why_not
        return (
            f"With a confidence of {_percent(1 - self.delta)}, {_claim(self)} at the threshold {self.threshold:.12g}."
        )

    @property
    def assumption(self):
        """The assumption of the guarantee, in one sentence."""
        if self.unit == "group":
            return (
                "Assumption: new and calibration groups are drawn independently from one distribution; samples of one group "
                "may be dependent."
            )
        return "Assumption: new and calibration samples are drawn independently from one distribution."

    def to_json(self):
        """All of it as a dict of plain values, with both sentences."""
        return {**asdict(self), "bound": self.bound, "sentence": self.sentence, "assumption": self.assumption}


def guaranteed_keys():
    """Keys of the metrics that can be guaranteed: path metrics from 0 to 1 in which more is better."""
    return tuple(dict.fromkeys((*share_keys("information"), *share_keys("depth"))))


def thresholds_in_order(key):
    """Thresholds in the order of testing, from where the loss of a metric is smallest."""
    return THOUSANDTHS if METRICS[key].is_best_at_root else THOUSANDTHS[::-1]


def guaranteed_threshold(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    table: ArrayLike | Predictions | ParetoTable,
    alpha: float = 0.05,
    delta: float = 0.1,
    *,
    key: str = "correct",
    fraction: float | None = 0.5,
    seed: int = 0,
    groups: ArrayLike | None = None,
    thresholds: ArrayLike | None = None,
) -> Guarantee:
    """Choose a threshold with a guarantee on one part of the samples, and check it on the held-out part.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
    table : ndarray of float, shape (n_samples, n_nodes), Predictions, or ParetoTable
    alpha, delta : float
        Between 0 and 1: the mean loss on new data shall be at most alpha with confidence 1 - delta.
    key : str
        One of `guaranteed_keys`; the loss is 1 - metric.
    fraction : float, optional
        Share of the samples, or groups, to choose on. With None the threshold is chosen on all of them, without a check.
    seed : int
        Of the random split.
    groups : array_like, shape (n_samples,), optional
        Group of each sample: no group is on both sides, and each is one observation.
    thresholds : array_like of float, optional
        In the order of testing, fixed without looking at these samples; ``thresholds_in_order(key)`` if not given.

    Returns
    -------
    Guarantee
        A loss of 0 or 1 without groups is tested exactly [2]_, any other by Hoeffding-Bentkus
        (`hierviz.uncertainty.risk_bounds`).

    Raises
    ------
    PredictionsError
        If there are fewer than two samples or groups, lengths differ, or an argument is out of range.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    return Calibration.of(taxonomy, truth, table, key, fraction, seed, groups, thresholds).certified(alpha, delta)


@dataclass(frozen=True, eq=False)
class Calibration(Short):
    """The losses that thresholds are certified by: those of the calibration part, and what checks them.

    Attributes
    ----------
    key : str
        The metric.
    thresholds : ndarray of float, shape (n_thresholds,)
        In the order of testing.
    risks, checks : ndarray of float, shape (n_thresholds,)
        Mean loss of the calibration part and of the check part at each; without a check `checks` is None.
    unit : str
        'sample' or 'group'.
    n_calibration, n_check : int
        Units in each part.
    fraction, seed : float and int, or None
        Of the split.
    """

    key: str
    thresholds: np.ndarray
    risks: np.ndarray
    checks: np.ndarray | None
    unit: str
    n_calibration: int
    n_check: int
    fraction: float | None
    seed: int | None

    @classmethod
    def of(cls, taxonomy, truth, table, key="correct", fraction=0.5, seed=0, groups=None, thresholds=None):
        """That of a model; arguments and errors as in `guaranteed_threshold`."""
        nodes, answers = checked_table(taxonomy, truth, table)
        group_of = None if groups is None else group_numbers(groups, answers.n_samples)
        parts = [np.arange(answers.n_samples)]
        if fraction is not None:
            parts = split_samples(answers.n_samples, fraction, seed=seed, groups=groups)
            fraction, seed = float(fraction), int(seed)
        check_one_of("key", key, guaranteed_keys())
        thresholds = thresholds_in_order(key) if thresholds is None else checked_thresholds(thresholds, 1)
        kinds = answer_kinds(taxonomy, nodes, answers)
        losses = (1 - kind_values(taxonomy, kinds, [key])[0][:, 0])[kinds.of_answer]
        grid, place = np.unique(-thresholds, return_inverse=True)
        weights, n_units = np.zeros((len(parts), answers.n_samples)), [len(rows) for rows in parts]
        for part, rows in enumerate(parts):
            weights[part, rows] = 1
            if group_of is not None:
                _, group, count = np.unique(group_of[rows], return_inverse=True, return_counts=True)
                weights[part, rows], n_units[part] = 1 / count[group], len(count)
        risks = step_means(answers, -grid, losses, weights).clip(0, 1)[:, place]
        unit = "sample" if group_of is None else "group"
        if len(parts) == 1:
            return cls(key, thresholds, risks[0], None, unit, *n_units, 0, None, None)
        return cls(key, thresholds, *risks, unit, *n_units, fraction, seed)

    def certified(self, alpha: float, delta: float) -> Guarantee:
        """The Guarantee at a level; arguments and errors as in `guaranteed_threshold`."""
        for what, value in (("alpha", alpha), ("delta", delta)):
            check_share(what, value)
        method = "binomial" if METRICS[self.key].is_binary and self.unit == "sample" else "hoeffding_bentkus"
        distinct, place = np.unique(self.risks, return_inverse=True)
        certified = (_METHODS[method](distinct, self.n_calibration, alpha) <= delta)[place]
        n_certified = len(certified) if certified.all() else int(np.argmin(certified))
        at = max(n_certified - 1, 0)
        threshold, n = float(self.thresholds[at]), self.n_calibration
        split = (self.n_check, None, self.fraction, self.seed)
        tested = (method, self.unit, n, float(self.risks[at]), *split)
        guarantee = Guarantee(self.key, float(alpha), float(delta), threshold, None, *tested)
        if not n_certified:
            return replace(guarantee, threshold=None, why_not=_why_not(guarantee, threshold))
        return guarantee if self.checks is None else replace(guarantee, risk_check=float(self.checks[at]))


def _why_not(guarantee, first):
    n, unit = guarantee.n_calibration, guarantee.unit
    # With no loss at all both p-values are (1 - alpha)^n.
    needed = math.ceil(math.log(guarantee.delta) / math.log1p(-guarantee.alpha))
    if n < needed:
        return (
            f"{n} calibration {unit}s are too few: a confidence of {_percent(1 - guarantee.delta)} that "
            f"{_claim(guarantee)} needs at least {needed}, even without any loss."
        )
    return (
        f"No threshold can be certified: at {first:g}, the first one tested, the mean loss of the {n} calibration "
        f"{unit}s is {_percent(guarantee.risk_calibration)}, and that of new {unit}s may be up to {_percent(guarantee.bound)}, "
        f"more than {_percent(guarantee.alpha)}."
    )


def _claim(guarantee):
    new = "new samples" if guarantee.unit == "sample" else "the samples of new groups, each group counting once,"
    if guarantee.key == "correct":
        return f"at most {_percent(guarantee.alpha)} of the answers to {new} are wrong"
    if guarantee.key == "exact":
        return f"at least {_percent(1 - guarantee.alpha)} of the answers to {new} are exact"
    return f"the mean {METRICS[guarantee.key].name} of {new} is at least {_percent(1 - guarantee.alpha)}"


def _percent(value):
    return f"{100 * value:.4g} %"
