"""Arrays in, numbers out; `hv.METRICS` describes every number by its key.

HierarchicalConfusion  what `hv.confusion` returns
path_metrics           all metrics of an answer against the truth, for every sample
information_accretion  information accretion of every term
scorer                 a number as a scorer of scikit-learn
OperatingCurveDisplay  an operating curve in the manner of scikit-learn's displays
torch_metric           numbers as a metric of torchmetrics
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.metrics.confusion.confusion_counts import HierarchicalConfusion as HierarchicalConfusion
    from hierviz.metrics.path import path_metrics as path_metrics
    from hierviz.metrics.sets.protein_function import information_accretion as information_accretion
    from hierviz.tracking._curve_display import OperatingCurveDisplay as OperatingCurveDisplay
    from hierviz.tracking._scorer import scorer as scorer
    from hierviz.tracking._torch_metric import torch_metric as torch_metric

__getattr__, __dir__, __all__ = lazy(__name__)
