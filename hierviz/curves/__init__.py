"""Operating curves: every threshold at once.

OperatingCurve     what `hv.operating_curve` returns
SetOperatingCurve  what `set_curve` returns
set_curve          precision, recall and F1 of predicted sets at many thresholds
information_curve  rule `information_threshold` over all bounds
rejection_curve    risk and coverage at every threshold
SelectiveCurve     what `selective_curve` returns
selective_curve    coverage and risk of climbing from the most probable leaf
rule_curve         a rule over its own parameter
correctness_at     the largest share of correct answers at a specificity
specificity_at     the largest specificity at a share of correct answers
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.curves._rejection_curve import rejection_curve as rejection_curve
    from hierviz.curves._rule_curve import information_curve as information_curve
    from hierviz.curves._rule_curve import rule_curve as rule_curve
    from hierviz.curves._selective_curve import SelectiveCurve as SelectiveCurve
    from hierviz.curves._selective_curve import selective_curve as selective_curve
    from hierviz.curves._set_curve import SetOperatingCurve as SetOperatingCurve
    from hierviz.curves._set_curve import set_curve as set_curve
    from hierviz.curves.equal_levels import correctness_at as correctness_at
    from hierviz.curves.equal_levels import specificity_at as specificity_at
    from hierviz.curves.operating_curve import OperatingCurve as OperatingCurve

__getattr__, __dir__, __all__ = lazy(__name__)
