"""λ of rule `darts` for a target: the smallest that reaches it, so that answers are as specific as possible.

Correct need not grow with λ, so that every breakpoint is looked at: no bisection.
"""

from __future__ import annotations

import numpy as np

from hierviz.curves.darts_curve import DartsCurve
from hierviz.messages.errors import PredictionsError, shown
from hierviz.metrics.ties import at_least
from hierviz.taxonomy.checks import check_kind, is_within
from hierviz.thresholds.selection import Choice, typeable


def smallest_lambda(curve: DartsCurve, level: float = 0.95) -> Choice:
    """The smallest λ at which at least this share of the answers is correct.

    Parameters
    ----------
    curve : DartsCurve
        Of samples to choose on; ``other_curve.at(choice.threshold)`` says what the λ yields on others.
    level : float
        In [0, 1].

    Returns
    -------
    Choice
        ``threshold`` is λ in bits, at most a thousandth above the breakpoint that it begins at, with few decimals; ``values``
        the means there. None where no λ is correct enough.

    Raises
    ------
    PredictionsError
        If the level is not in [0, 1] or `curve` is another curve.
    """
    check_kind("curve", curve, DartsCurve, "hierviz.curves.rule_curve(..., rule='darts') gives it.")
    if not is_within(level, 0, 1):
        raise PredictionsError(f"level: expected a number from 0 to 1, got {shown(level)}. Choose one in that range.")
    correct = curve.values["correct"]
    reached = np.flatnonzero(at_least(correct, level))
    if not len(reached):
        most = f"{100 * float(correct.max()):.6g} %"
        return Choice(None, {}, f"At no λ are {100 * level:.6g} % of the answers correct; the highest share is {most}.")
    point = int(reached[-1])
    low = float(curve.threshold[point]) if point < len(curve.threshold) else 0.0
    high = float(curve.threshold[point - 1]) if point else np.inf
    # At the breakpoint itself two answers are equally good, and the other one may win.
    lam = typeable(low * (1 + 1e-9), min(high, low * 1.001)) if low else 0.0
    return Choice(lam, {key: float(values[point]) for key, values in curve.values.items()})
