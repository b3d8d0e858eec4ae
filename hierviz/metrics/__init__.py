"""Metrics: arrays in, numbers out. `METRICS` describes every number by its key."""

from hierviz.metrics.confusion import HierarchicalConfusion, best_constant_path, confusion
from hierviz.metrics.path import PATH_KEYS, path_metrics, truncate
from hierviz.metrics.registry import METRICS, Metric
from hierviz.metrics.win import WinBreakdown, best_leaf_metrics, win, win_breakdown

__all__ = [
    "METRICS",
    "PATH_KEYS",
    "HierarchicalConfusion",
    "Metric",
    "WinBreakdown",
    "best_constant_path",
    "best_leaf_metrics",
    "confusion",
    "path_metrics",
    "truncate",
    "win",
    "win_breakdown",
]
