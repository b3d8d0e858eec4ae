"""Common ancestors, the order of thresholds and running means: compiled where that pays, else numpy, with the same bits."""

from __future__ import annotations

import importlib.util
import os
import sys

import numpy as np

from hierviz.taxonomy import Taxonomy

# Steps from which compiled loops pay where numba is loaded already, and where it is not.
WORTH_CALLING, WORTH_IMPORTING = 100_000, 5_000_000


def descending_order(values: np.ndarray) -> np.ndarray:
    """Order in which `values` fall, equal ones as they stand; shape (n,)."""
    if len(values) and _is_used(len(values)) and values.min() >= 0:
        from hierviz.compiled.curve_kernels import descending_order as compiled

        return compiled(np.ascontiguousarray(values))
    return np.argsort(-values, kind="stable")


def lowest_common_ancestors(taxonomy: Taxonomy, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`Taxonomy.lca` of two arrays of nodes of one length."""
    if _is_used(len(a)):
        from hierviz.compiled.curve_kernels import lowest_common as compiled

        return compiled(taxonomy.parent, a, b)
    return taxonomy.lca(a, b)


def running_means(
    values: np.ndarray,
    order: np.ndarray,
    ends: np.ndarray,
    start: np.ndarray,
    weights: np.ndarray | None,
    n: int,
    bounds: np.ndarray,
) -> np.ndarray:
    """Means over samples of which one changes its value at each step: sums one step after the other, divided last.

    Parameters
    ----------
    values : ndarray of float64, shape (n_elements, n_keys)
        A step to element e adds ``values[e] - values[e - 1]``.
    order : ndarray of int, shape (n_steps,)
        Elements in the order of the steps.
    ends : ndarray of int, shape (J,), ascending
        How many steps each later point includes.
    start : ndarray of float64, shape (n_keys,)
        Sums before the first step.
    weights : ndarray of float64, shape (n_steps,), or None
        Of each step; 1 when None.
    n : int
        What sums are divided by: shares, sums of whole numbers, are then as exact as a share can be.
    bounds : ndarray of float64, shape (2, n_keys)
        Range of the means, which differences and sums miss by rounding.

    Returns
    -------
    ndarray of float64, shape (n_keys, J + 1)
    """
    if _is_used(len(order)):
        from hierviz.compiled.curve_kernels import running_means as compiled

        means = np.empty((values.shape[1], len(ends) + 1))
        compiled(values, order, ends, start, np.empty(0) if weights is None else weights, n, bounds, means)
        return means
    steps = np.empty_like(values)
    np.subtract(values[1:], values[:-1], out=steps[1:])
    sums = np.empty((len(order) + 1, values.shape[1]))
    sums[0] = start
    steps.take(order, axis=0, out=sums[1:])
    if weights is not None:
        sums[1:] *= weights[:, None]
    np.cumsum(sums, axis=0, out=sums)
    sums = sums if len(ends) == len(order) else sums[np.append(0, ends)]
    return np.ascontiguousarray(np.clip(sums / n, bounds[0], bounds[1]).T)


def _is_used(n):
    said = os.environ.get("HIERVIZ_COMPILED", "")
    if said == "0" or importlib.util.find_spec("numba") is None:
        return False
    return said == "1" or n >= (WORTH_CALLING if "numba" in sys.modules else WORTH_IMPORTING)
