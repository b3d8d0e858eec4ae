"""Common ancestors, the order of thresholds and running means: compiled where that pays, else numpy, with the same bits."""

from __future__ import annotations

import importlib.util
import os
import sys

import numpy as np

from hierviz.taxonomy import Taxonomy

# Steps from which compiled loops pay where numba is loaded already, and where it is not.
WORTH_CALLING, WORTH_IMPORTING = 100_000, 5_000_000
# Points of a curve that are worked on at a time, so that they stay in the processor's cache.
BLOCK_POINTS = 256
# Sums that are held at a time without compiled loops (128 MB).
SUMS_AT_ONCE = 1 << 24


def descending(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(`values` of float64 as they fall, their order), equal ones as they stand; both shape (n,)."""
    values = values + 0.0  # no -0, whose bits are those of no small number
    if not 0 < len(values) < 2**31 or not _is_used(len(values)) or values.min() < 0:
        order = np.argsort(-values, kind="stable")
        return values[order], order
    from hierviz.compiled.curve_kernels import DIGIT, sort

    # Bits of numbers that are not negative ascend with them.
    keys, places = values.view(np.uint64), np.arange(len(values), dtype=np.int32)
    np.invert(keys, out=keys)
    others = np.empty_like(keys), np.empty_like(places)
    if not sort(keys, places, *others, np.zeros((-(-64 // DIGIT), 2**DIGIT), np.int64)):
        keys, places = others
    return np.invert(keys, out=keys).view(np.float64), places


def lowest_common_ancestors(taxonomy: Taxonomy, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`Taxonomy.lca` of two arrays of nodes of one length."""
    if _is_used(len(a)):
        from hierviz.compiled.curve_kernels import lowest_common as compiled

        common = np.empty(len(a), np.int64)
        compiled(taxonomy.parent, a, b, common)
        return common
    return taxonomy.lca(a, b)


def running_means(
    values: np.ndarray,
    rows: np.ndarray | None,
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
    values : ndarray of float64, shape (n_rows, n_keys)
    rows : ndarray of int, shape (n_elements,), or None
        Row of `values` of each element; None: element e has row e. A step to element e adds
        ``values[rows[e]] - values[rows[e - 1]]``.
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

        n_keys = values.shape[1]
        means = np.empty((n_keys, len(ends) + 1))
        rows = np.empty(0, np.int32) if rows is None else rows
        weights = np.empty(0) if weights is None else weights
        work = np.empty(n_keys), np.empty((BLOCK_POINTS, n_keys))
        compiled(values, rows, order, ends, start, weights, float(n), bounds, *work, means)
        return means
    # Of a long table one key after the other.
    at_once = max(1, SUMS_AT_ONCE // (len(order) + 1))
    parts = [slice(first, first + at_once) for first in range(0, values.shape[1], at_once)]
    return np.concatenate(
        [_running_means(values[:, k], rows, order, ends, start[k], weights, n, bounds[:, k]) for k in parts]
    )


def _running_means(values, rows, order, ends, start, weights, n, bounds):
    sums = np.empty((len(order) + 1, values.shape[1]))
    sums[0] = start
    if rows is None:
        steps = np.empty_like(values)
        np.subtract(values[1:], values[:-1], out=steps[1:])
        steps.take(order, axis=0, out=sums[1:])
    else:
        np.subtract(values[rows[order]], values[rows[order - 1]], out=sums[1:])
    if weights is not None:
        sums[1:] *= weights[:, None]
    np.cumsum(sums, axis=0, out=sums)
    sums = sums if len(ends) == len(order) else sums[np.append(0, ends)]
    return np.ascontiguousarray(np.clip(sums / n, bounds[0], bounds[1]).T)


def sum_of_rows(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum of rows of at least two values, one after the other, each times its weight; shape (n_keys,).

    Not as a product of matrices: its order depends on the processor, and its threads go on to wait for work.
    """
    return (values if weights is None else values * weights[:, None]).sum(axis=0)


def _is_used(n):
    said = os.environ.get("HIERVIZ_COMPILED", "")
    if said == "0" or importlib.util.find_spec("numba") is None:
        return False
    return said == "1" or n >= (WORTH_CALLING if "numba" in sys.modules else WORTH_IMPORTING)
