r"""What each inference rule reaches with one model, over all values of its own number: curves, families and single points.

Conventions
-----------
Rules with one number have an exact curve: every τ of ``threshold``, λ of ``darts`` [1]_ and bits of ``information_threshold``.
``depth_thresholds`` is a family: one point for each target, with thresholds by depth that are chosen for it on the samples
at hand (`hierviz.thresholds.depth_thresholds`). Rules without a number are single points, among them both of conditional risk
minimisation, with their default costs. A point is on the front where no point of any rule beats it in both metrics.

Functions
---------
rule_frontiers, RuleFrontier, PUBLISHED

References
----------
.. [1] J. Deng, J. Krause, A. Berg, L. Fei-Fei, Hedging your bets, CVPR 2012.
.. [2] N. Bokulich et al., Optimizing taxonomic classification of marker-gene amplicon sequences with QIIME 2's
   q2-feature-classifier plugin, Microbiome 2018.
.. [3] Q. Wang et al., Naive Bayesian classifier for rapid assignment of rRNA sequences, Appl. Environ. Microbiol. 2007.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from hierviz.curves._rule_curve import CURVES, rule_curve
from hierviz.curves.equal_levels import pareto_front
from hierviz.curves.operating_curve import StepCurve
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.inference.registry import INFERENCE_RULES, inference_rule
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.messages.progress import Progress
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.predictions.predictions import Predictions
from hierviz.thresholds.depth_thresholds import depth_threshold_points

FAMILY = "depth_thresholds"
# Rules that are compared where none are chosen.
RULES = ("threshold", "darts", "information_threshold", FAMILY, "crm_leaf", "crm_nodes")
# Targets of the family: shares of correct offers at each depth.
TARGETS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99)
# Thresholds that published pipelines use for all depths, with their source: markers on the curve of `threshold`.
PUBLISHED: Mapping[str, float] = MappingProxyType(
    {"QIIME 2 (Bokulich et al. 2018)": 0.7, "RDP (Wang et al. 2007)": 0.8}
)
# Sign and unit of the number of each rule.
_SIGNS = {
    "threshold": ("τ", ""),
    "darts": ("λ", "bits"),
    "information_threshold": ("ζ", "bits"),
    FAMILY: ("target", ""),
}


@dataclass(frozen=True, eq=False)
class RuleFrontier(Short):
    """What one rule reaches.

    Attributes
    ----------
    rule : str
        Key of `INFERENCE_RULES`.
    number : ndarray of float, shape (n_points,)
        τ, λ, bits or the target of each point; nan for a rule without a number.
    values : dict of str to ndarray of float, shape (n_points,)
        Means of `hierviz.metrics.registry.path_keys`.
    thresholds_by_depth : list of str, or None
        Of a family: the thresholds of each point.
    curve : StepCurve or None
        Of a rule with an exact curve, of which the points are those.
    """

    rule: str
    number: np.ndarray
    values: dict[str, np.ndarray]
    thresholds_by_depth: list[str] | None = None
    curve: StepCurve | None = None

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.number)

    @property
    def sign(self) -> str:
        """What the number is called in formulas; '' without one."""
        return _SIGNS.get(self.rule, ("", ""))[0]

    def setting(self, place: int) -> str:
        """The number of a point in words, ``λ = 1.25 bits``; '' without one."""
        if self.rule not in _SIGNS:
            return ""
        sign, unit = _SIGNS[self.rule]
        number = float(self.number[place])
        text = "∞" if np.isinf(number) else f"{number:.3g}"
        return " ".join(part for part in (f"{sign} = {text}", unit) if part)


def rule_frontiers(
    model: Evaluation | Predictions,
    rules: Sequence[str] = RULES,
    *,
    targets: Sequence[float] = TARGETS,
    progress: Progress = None,
) -> dict[str, RuleFrontier]:
    """Results of several rules with one model, at every setting.

    Parameters
    ----------
    model : Evaluation or Predictions
        Scores on a tree, one truth a sample.
    rules : sequence of str
        Keys of `INFERENCE_RULES` that answer with one node.
    targets : sequence of float
        Of ``depth_thresholds``, each in [0, 1].
    progress : callable, optional
        Called with (samples answered, samples by rule).

    Returns
    -------
    dict of str to RuleFrontier
        By rule, in the order asked for.

    Raises
    ------
    PredictionsError
        If this input has no operating curve, or a rule is unknown or answers with sets.
    """
    model = as_evaluation("model", model)
    model.require_curve()
    for rule in rules:
        if inference_rule(rule).returns_sets:
            single = ", ".join(key for key, entry in INFERENCE_RULES.items() if not entry.returns_sets)
            raise PredictionsError(f"rules: expected rules that answer with one node ({single}), got {shown(rule)}.")
    wanted = list(dict.fromkeys(rules))
    found = {}
    for place, rule in enumerate(wanted):

        def report(done, total, place=place):
            if progress:
                progress(int((place + done / total) * model.n_judged), len(wanted) * model.n_judged)

        found[rule] = _frontier(model, rule, list(targets), report)
        report(1, 1)
    return found


def fronts(frontiers: Mapping[str, RuleFrontier], x: str = "info_recall", y: str = "correct") -> dict[str, np.ndarray]:
    """Which points of each rule no point of any rule beats in two metrics.

    Parameters
    ----------
    frontiers : dict of str to RuleFrontier
    x, y : str
        Of `hierviz.metrics.registry.path_keys`.

    Returns
    -------
    dict of str to ndarray of bool, shape (n_points,)
    """
    axes = [
        METRICS[key].sign * np.concatenate([one.values[key] for one in frontiers.values()] or [np.empty(0)])
        for key in (x, y)
    ]
    ends = np.cumsum([one.n_points for one in frontiers.values()])
    return dict(zip(frontiers, np.split(pareto_front(*axes), ends[:-1]), strict=True))


def _frontier(model, rule, targets, progress):
    if rule in CURVES:
        curve = (
            model.curve if rule == "threshold" else rule_curve(model.taxonomy, model.truth, model.judged_table, rule)
        )
        number, *_ = curve.columns().values()
        return RuleFrontier(rule, np.asarray(number), dict(curve.values), curve=curve)
    if rule == FAMILY:
        points = depth_threshold_points(model.taxonomy, model.truth, model, targets, progress=progress)
        values = {key: np.array(points[key]) for key in path_keys()}
        return RuleFrontier(rule, np.array(points["level"]), values, points["thresholds_by_depth"])
    answers: Any = model.answers_by_rule([rule], progress=progress)[rule]
    metrics = path_metrics(model.taxonomy, np.asarray(model.truth), answers[model.rows])
    return RuleFrontier(rule, np.array([np.nan]), {key: np.array([metrics[key].mean()]) for key in path_keys()})
