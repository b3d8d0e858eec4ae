"""Two parts of the samples: one to choose on, one to check on.

Functions
---------
split_samples
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.taxonomy.checks import check_seed
from hierviz.uncertainty.resamples import unit_numbers


def split_samples(n_samples, fraction=0.5, *, seed=0, groups=None):
    """Rows of a random part of the samples, and the others.

    Parameters
    ----------
    n_samples : int
    fraction : float
        Of the samples, or of the groups, in the first part; strictly between 0 and 1. At least one is on each side.
    seed : int
        The same seed gives the same parts.
    groups : array_like, shape (n_samples,), optional
        Label of each sample, for example the place where a picture was taken; no group is on both sides.

    Returns
    -------
    first, second : ndarray of int
        Ascending; together all rows.

    Raises
    ------
    PredictionsError
        If fraction or seed is out of range, a label is missing, or there are fewer than two samples, or groups, to part.
    """
    if not isinstance(fraction, (float, np.floating)) or not 0 < fraction < 1:
        raise PredictionsError(f"fraction: expected a number between 0 and 1, got {fraction!r}. Choose one.")
    check_seed(seed)
    unit_of = unit_numbers(groups, n_samples)
    units = int(unit_of.max(initial=-1)) + 1
    if units < 2:
        raise PredictionsError(f"split: expected at least two samples, got {units}. Add more, or do not split.")
    order = np.random.default_rng(seed).permutation(units)
    n_first = min(max(round(fraction * units), 1), units - 1)
    in_first = np.zeros(units, dtype=bool)
    in_first[order[:n_first]] = True
    is_first = in_first[unit_of]
    return np.flatnonzero(is_first), np.flatnonzero(~is_first)
