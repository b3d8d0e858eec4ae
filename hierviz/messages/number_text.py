"""How numbers are written for people: one place, so that one number reads the same everywhere.

Conventions
-----------
Halves are rounded up (of a negative number down: away from 0), as a reader rounds the digits of a table: 0.785 is 79 %,
0.125 is 0.13. Thousands are grouped by commas.

Functions
---------
value_text, percent_text, percent_texts, points_text, probability_text, count_text, step_text, fixed_text, adding_up, shares_text,
threshold_text
"""

import functools
import math

import numpy as np

FEWEST, MOST = 3, 7
# A share such as 0.145 is a little less in binary: it is rounded as it is written.
NUDGE = 1e-9
# From here on a float has no digits after the point.
WHOLE = 2.0**52


def value_text(value):
    """A number with three decimals, or as many more, up to seven, as it takes not to read 0 or a whole number where it is none.

    What seven decimals do not tell from a whole number has three: 6.000000001 bits are 6.000.
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
    for decimals in range(FEWEST, MOST + 1):
        text = fixed_text(value, decimals)
        if float(text) == value or float(text) % 1:
            return text
    return f"{value:.0e}" if abs(value) < 0.5 else fixed_text(value, FEWEST)


def percent_text(share, digits=0):
    """A share of 1 as a percentage; "under 1 %" and "over 99 %" are kept apart from 0 and 100."""
    if share is None or math.isnan(share):
        return "an unknown share"
    step = 10.0**-digits
    if 0 < share < step / 100:
        return f"under {step:.{digits}f} %"
    if 1 - step / 100 < share < 1:
        return f"over {100 - step:.{digits}f} %"
    return f"{fixed_text(100 * share, digits)} %"


def percent_texts(shares, digits=0):
    """`percent_text` of many shares, ndarray of float of shape (n,): ndarray of str objects of shape (n,); equal ones once."""
    different, place = np.unique(shares, return_inverse=True)
    return np.array([percent_text(one, digits) for one in different.tolist()], dtype=object)[place]


def points_text(share, other, digits=0):
    """How far a share of 1 is from another, in percentage points: the difference of what `percent_text` writes of them."""
    first, second = (float(percent_text(one, digits).split()[-2]) for one in (share, other))
    return f"{fixed_text(abs(first - second), digits)} points"


def probability_text(p):
    """A probability in at most six letters, three decimals as other numbers: 1, 0.630, 0.042, 3e-4, 0; – when unknown."""
    if p is None or math.isnan(p):
        return "–"
    if p == 0 or abs(p - 1) < 5e-7:
        return f"{p:.0f}"
    # What is nudged over a half below must not read 1.000.
    nudged = p + NUDGE
    if nudged >= 0.9995 and p < 1:
        return ">0.999"
    if nudged >= 0.00095:
        return fixed_text(p, 3)
    base, exponent = f"{p * (1 + NUDGE):.0e}".split("e")
    return f"{base}e{int(exponent)}"


def count_text(n):
    """A count in at most five letters, where there is no room for more: 7, 982, 1.6k, 16k."""
    return f"{n}" if n < 1000 else f"{fixed_text(n / 1000, 1)}k" if n < 9950 else f"{fixed_text(n / 1000, 0)}k"


def step_text(step):
    """A step of a training: whole numbers without a point, others as they are."""
    return str(int(step)) if float(step).is_integer() else repr(float(step))


def fixed_text(value, decimals):
    """A number with so many decimals: the one rounding of all texts here."""
    if not abs(value) < WHOLE:
        return f"{value:.{decimals}f}"
    steps = _steps(abs(value), decimals)
    return f"{'-' if value < 0 and steps else ''}{_written(steps, decimals)}"


def adding_up(terms, total):
    """Terms of a sum and their total with as many decimals as it takes for the written terms to give the written total.

    Parameters
    ----------
    terms : sequence of float
        At least 0.
    total : float
        Their sum.

    Returns
    -------
    texts : list of str
    total : str
        All with the same number of decimals: at least three, and enough for two digits of the total other than leading
        zeros, as far as seven decimals give them. Where rounding alone does not add up with up to two decimals more, the
        terms nearest to the next step are rounded the other way.

    Examples
    --------
    >>> adding_up([0.0063, 0.0014], 0.0077)
    (['0.0063', '0.0014'], '0.0077')
    >>> adding_up([0.5, 0.25, 0.125], 0.875)
    (['0.500', '0.250', '0.125'], '0.875')
    """
    least = FEWEST if total <= 0 else max(FEWEST, 1 - math.floor(math.log10(total)))
    least = min(least, MOST)
    for decimals in range(least, min(least + 2, MOST) + 1):
        steps, whole = [_steps(term, decimals) for term in terms], _steps(total, decimals)
        if sum(steps) == whole:
            return [_written(step, decimals) for step in steps], _written(whole, decimals)
    whole = _steps(total, least)
    steps = _whole_steps([term * 10**least for term in terms], whole)
    return [_written(step, least) for step in steps], _written(whole, least)


def shares_text(counts):
    """Counts as percentages of their sum, not 0, that add up to 100 as they are written; where one is small, as nearly.

    Examples
    --------
    >>> shares_text([1, 1, 1]), shares_text([0, 4, 1196])
    (['34 %', '33 %', '33 %'], ['0 %', 'under 1 %', 'over 99 %'])
    """
    counts = list(counts)
    n = sum(counts)
    steps = _whole_steps([100 * count / n for count in counts], 100)
    return [
        "under 1 %" if count and not step else "over 99 %" if step == 100 and count < n else f"{step} %"
        for count, step in zip(counts, steps, strict=True)
    ]


def _whole_steps(exact, whole):
    """Whole numbers near some numbers, with the given sum: those that lose most by rounding down are rounded up."""
    steps = [math.floor(one) for one in exact]
    order = sorted(range(len(steps)), key=lambda i: steps[i] - exact[i])
    for i in order[: max(0, whole - sum(steps))]:
        steps[i] += 1
    return steps


def _steps(value, decimals):
    return math.floor(value * 10**decimals + 0.5 + NUDGE)


def _written(steps, decimals):
    return f"{steps / 10**decimals:.{decimals}f}"


def threshold_text(threshold):
    """A threshold with all its digits, three at least: 0.500, 0.9312, 0.999871."""
    return _all_digits(float(threshold))


# Every curve writes the same thousand.
@functools.lru_cache(1 << 12)
def _all_digits(threshold):
    whole, _, part = f"{threshold:.12f}".partition(".")
    return f"{whole}.{part.rstrip('0').ljust(3, '0')}"
