"""Fair comparisons of several models: by numbers of their whole curves and at equal correctness, never at equal τ."""

from __future__ import annotations

import numpy as np

from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.bootstrap import AT_CORRECT
from hierviz.uncertainty.comparison import clear_after_holm, fewest_resamples, paired_difference, too_few_for
from hierviz.uncertainty.resamples import Interval

ONE_TAU = (
    "The same τ means different things for different models, because their scores are on different scales: numbers at one "
    "τ do not show which model is better."
)
OWN_TAUS = (
    "Numbers at thresholds that do not make the same share of the answers correct do not show which model is better."
)


def threshold_caution(n_models, is_shared=True):
    """Caution for a table of models at one threshold, or each at its own; empty for one model."""
    return "" if n_models < 2 else ONE_TAU if is_shared else OWN_TAUS


def compared_keys(n_samples):
    """The numbers that models are compared by on so many samples: AC, and the strictest of `AT_CORRECT` that allows it."""
    too_few = too_few_for(AT_CORRECT, n_samples)
    return ["ac", *[key for key in AT_CORRECT if key not in too_few][:1]]


def never_text(key):
    """Written next to a 0 of `AT_CORRECT` where no threshold makes so many answers correct."""
    return f"never {100 * AT_CORRECT[key]:.0f} % correct"


def comparison_sentence(numbers, model, n_samples, *, never=None):
    """How a model compares with the others, in words; empty where there is no other.

    Parameters
    ----------
    numbers : dict of str to dict of str to Interval or float
        By model: those of `compared_keys`. Intervals come from the same resamples; plain numbers cannot be compared, and
        the sentence says so.
    model : str
        The one that the others are compared with.
    n_samples : int
        That all models are judged on.
    never : dict of str to sequence of str, optional
        By model: keys that its curve reaches at no threshold (`uncertainty.comparison.never_reached`). The sentence says so:
        their 0 is no recall that was measured.

    Returns
    -------
    str
        A difference is called clear only where its paired interval leaves 0 out after Holm's correction for all those
        that are compared.
    """
    if len(numbers) < 2:
        return ""
    keys = compared_keys(n_samples)
    few = "" if len(keys) > 1 else f" {n_samples:,} samples are too few to compare at 90 or 95 % correct answers."
    if not all(_has_interval(number[key]) for number in numbers.values() for key in keys):
        plain = {
            key: {name: float(getattr(of[key], "estimate", of[key])) for name, of in numbers.items()} for key in keys
        }
        parts = "; ".join(
            f"{_what(key)}: {', '.join(f'{name} {value_text(value)}' for name, value in of.items())}"
            for key, of in plain.items()
        )
        parts += _never(never or {}, list(numbers), keys)
        return f"{parts}.{few} Without intervals this does not show which model is better."
    others = [name for name in numbers if name != model]
    differences = {
        (key, name): paired_difference(numbers[model][key], numbers[name][key]) for key in keys for name in others
    }
    clear = dict(zip(differences, clear_after_holm(list(differences.values())), strict=True))
    parts = "; ".join(
        f"{_what(key)}: {model} {value_text(float(numbers[model][key].estimate))}, "
        f"{_verdicts({name: (differences[key, name], clear[key, name]) for name in others})}"
        for key in keys
    )
    parts += _never(never or {}, list(numbers), keys)
    first = next(iter(differences.values()))
    level, fewest = f"{100 * first.level:.4g} %", fewest_resamples(first.level, len(clear))
    holm = "" if len(clear) == 1 else f"; clear: after Holm's correction for {len(clear)} comparisons"
    if first.resamples.n_resamples < fewest:
        what = "a difference" if len(clear) == 1 else f"any of {len(clear)} differences"
        holm = f"; {first.resamples.n_resamples:,} resamples are too few to call {what} clear: take at least {fewest:,}"
    return f"{parts} (on {n_samples:,} samples; in brackets {level} intervals of the paired differences{holm}).{few}"


def _what(key):
    if key == "ac":
        return "AC, over all thresholds"
    return f"{METRICS['info_recall'].name} where at least {100 * AT_CORRECT[key]:.0f} % of the answers are correct"


def _never(never, names, keys):
    """Which models never have so many correct answers, in brackets."""
    parts = [
        f"{name} never has {100 * AT_CORRECT[key]:.0f} % correct, which counts as 0"
        for key in keys
        for name in names
        if key in never.get(name, ())
    ]
    return f" ({'; '.join(parts)})" if parts else ""


def _verdicts(differences):
    """The other models by verdict: name -> (difference, whether it is clear)."""
    groups = {"clearly higher than": [], "clearly lower than": [], "no clear difference from": []}
    for name, (difference, is_clear) in differences.items():
        sign = -1 if is_clear and difference.estimate <= 0 else 1
        verdict = f"clearly {'higher' if sign > 0 else 'lower'} than" if is_clear else "no clear difference from"
        ends = sorted((sign * float(difference.lower), sign * float(difference.upper)))
        span = f"{_signed(sign * float(difference.estimate))} [{', '.join(_signed(end) for end in ends)}]"
        groups[verdict].append(f"{name} ({'' if not is_clear else 'by '}{span})")
    return ", ".join(f"{verdict} {' and '.join(texts)}" for verdict, texts in groups.items() if texts)


def _signed(value):
    return value_text(value).replace("-", "−")


def _has_interval(value):
    return isinstance(value, Interval) and not np.isnan(value.lower)
