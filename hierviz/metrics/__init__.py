"""Metrics: arrays in, numbers out. `METRICS` describes every number by its key."""

from hierviz.metrics.confusion.confusion import HierarchicalConfusion
from hierviz.metrics.confusion.multi_path import PathConfusion, best_constant_path
from hierviz.metrics.confusion.path_cover import greedy_cover
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.entry import Metric, PathMetric
from hierviz.metrics.outcomes import OUTCOMES, answered_text, outcome_indicators, outcomes_text
from hierviz.metrics.path import path_metrics, truncate
from hierviz.metrics.registry import METRICS, path_keys, share_keys
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.set_curves import set_curve, set_metrics_by_threshold
from hierviz.metrics.win import WinBreakdown, best_leaf_metrics, win_breakdown

__all__ = [
    "METRICS",
    "OUTCOMES",
    "HierarchicalConfusion",
    "LabelSetCounts",
    "Metric",
    "PathConfusion",
    "PathLists",
    "PathMetric",
    "WinBreakdown",
    "answered_text",
    "best_constant_path",
    "best_leaf_metrics",
    "expected_by_threshold",
    "expected_hf1",
    "greedy_cover",
    "outcome_indicators",
    "outcomes_text",
    "path_keys",
    "path_metrics",
    "set_curve",
    "set_metrics_by_threshold",
    "share_keys",
    "truncate",
    "win_breakdown",
]
