"""Methods with their runs in a table.

ComparisonTable     what `hv.compare` returns
kendall             Kendall's tau-b of two lists of numbers
models_on_samples   the samples on which two models differ most
metrics_on_samples  the samples that two metrics judge most differently
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.comparison.agreement import kendall as kendall
    from hierviz.comparison.comparison_table import ComparisonTable as ComparisonTable
    from hierviz.comparison.disagreement import metrics_on_samples as metrics_on_samples
    from hierviz.comparison.disagreement import models_on_samples as models_on_samples

__getattr__, __dir__, __all__ = lazy(__name__)
