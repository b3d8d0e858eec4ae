"""Choosing a threshold for a goal, with what it yields on new samples.

OperatingPoint          a threshold and where it comes from
load_operating_point    read an operating point
write_operating_point   write an operating point
choose                  the best mean of a metric where others are good enough
with_costs              a curve with the mean cost of its answers
with_shallow_answers    a curve with the share of answers above a depth
Folds                   how samples are split for cross-fitting
Target                  what a threshold is chosen for, and what models are ranked by
cross_fitted            the result of a choice on held-out samples
rank_for_target         every model at its own threshold for one goal
guaranteed_threshold    a threshold with a guarantee for new samples
rule_frontiers          results of each rule with one model
decisions               which rule is best for which metric, and which is in theory
Decisions               what that gives
depth_threshold_points  results of thresholds by depth
thresholds_by_depth     a threshold for each depth
smallest_lambda         the smallest lambda of `darts` for a goal
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.readers.operating_point_file import load_operating_point as load_operating_point
    from hierviz.readers.operating_point_file import write_operating_point as write_operating_point
    from hierviz.thresholds._decisions import Decisions as Decisions
    from hierviz.thresholds._decisions import decisions as decisions
    from hierviz.thresholds._rule_frontiers import rule_frontiers as rule_frontiers
    from hierviz.thresholds.cross_fitting import Folds as Folds
    from hierviz.thresholds.cross_fitting import Target as Target
    from hierviz.thresholds.cross_fitting import cross_fitted as cross_fitted
    from hierviz.thresholds.cross_fitting import rank_for_target as rank_for_target
    from hierviz.thresholds.depth_thresholds import depth_threshold_points as depth_threshold_points
    from hierviz.thresholds.depth_thresholds import thresholds_by_depth as thresholds_by_depth
    from hierviz.thresholds.operating_point import OperatingPoint as OperatingPoint
    from hierviz.thresholds.risk_control import guaranteed_threshold as guaranteed_threshold
    from hierviz.thresholds.selection import choose as choose
    from hierviz.thresholds.selection import smallest_lambda as smallest_lambda
    from hierviz.thresholds.selection import with_costs as with_costs
    from hierviz.thresholds.selection import with_shallow_answers as with_shallow_answers

__getattr__, __dir__, __all__ = lazy(__name__)
