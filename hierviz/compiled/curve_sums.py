"""Common ancestors, the order of thresholds and running means: compiled where that pays, else numpy, with the same bits."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable

import numpy as np

from hierviz.compiled.compiling import first_call, is_compiled
from hierviz.taxonomy.taxonomy import Taxonomy

# Steps from which compiled loops pay where they were compiled before and numba is loaded, and where they have to be compiled.
WORTH_CALLING, WORTH_COMPILING = 100_000, 2_000_000
# Of the kernels, in this folder; they work on values of one type.
MODULE, VALUE_TYPE = "curve_kernels", np.dtype(np.float64)
SIGN = np.uint64(1 << 63)
# Points of a curve that are computed at a time.
POINTS_AT_ONCE = 1 << 18
# Bytes of changes that are kept for the next curve of the same steps.
MOST_CHANGES = 1 << 26
# Steps that compiled loops work on at a time, so that they stay in the processor's cache.
BLOCK_STEPS = 64


def descending(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(`values` of float64 as they fall, their order), equal ones in their order, nan last; both shape (n,)."""
    values = values + 0.0  # no -0, whose bits are those of no small number
    if not 0 < len(values) < 2**31 or not _is_used(len(values)) or np.isnan(values.min()):
        order = np.argsort(-values, kind="stable")
        return values[order], order
    keys, places = _sorted(_turned(values.view(np.uint64)))
    return _turned(keys).view(np.float64), places


def numbered(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different ones of whole numbers >= 0, ascending, and the place of each number among them: as `numpy.unique`."""
    if not 0 < len(numbers) < 2**31 or not _is_used(len(numbers)):
        return np.unique(numbers, return_inverse=True)
    keys, order = _sorted(numbers.astype(np.uint64))
    is_first = np.append(True, keys[1:] != keys[:-1])
    number = np.cumsum(is_first, dtype=np.int32)
    number -= 1
    place = np.empty(len(keys), dtype=np.int32)
    place[order] = number
    return keys[is_first].astype(numbers.dtype), place


def _sorted(keys):
    """(`keys` of uint64, which are used up, ascending, their order), by the compiled sort."""
    kernels = _kernels()
    places = np.arange(len(keys), dtype=np.int32)
    others = np.empty_like(keys), np.empty_like(places)
    n_digits = -(-int(keys.max()).bit_length() // kernels.DIGIT)
    counts = np.zeros((n_digits, 2**kernels.DIGIT), np.int64)
    return (keys, places) if kernels.sort(keys, places, *others, counts) else others


def _turned(bits):
    """Bits of numbers so that they ascend as the numbers fall, and back, in place: those of negative ones do so already."""
    return np.bitwise_xor(bits, ~SIGN, out=bits, where=bits < SIGN)


def lowest_common_ancestors(taxonomy: Taxonomy, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`Taxonomy.lca` of two arrays of nodes of one length; in `b` -1 lies outside the taxonomy, with the root as ancestor."""
    if len(b) and b.min() < 0:
        b = np.maximum(b, 0)
    if _is_used(len(a)):
        common = np.empty(len(a), np.int64)
        # Compiled for one type.
        both = (np.ascontiguousarray(nodes, dtype=np.int64) for nodes in (a, b))
        _kernels().lowest_common(taxonomy.parent, *both, common)
        return common
    return taxonomy.lca(a, b)


def running_means(
    values: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    ends: np.ndarray,
    start: np.ndarray,
    weights: np.ndarray | None,
    n: float,
    bounds: np.ndarray,
    progress: Callable[[int, int], object] | None = None,
    changes: np.ndarray | None = None,
) -> np.ndarray:
    """Means over samples of which one changes its value at each step: sums one step after the other, divided last.

    Parameters
    ----------
    values : ndarray of float64, shape (n_kinds, n_keys)
    before, after : ndarray of int, shape (n_steps,)
        A step adds ``values[after] - values[before]``.
    ends : ndarray of int, shape (J,), ascending
        How many steps each later point includes; the last one all.
    start : ndarray of float64, shape (n_keys,)
        Sums before the first step.
    weights : ndarray of float64, shape (n_steps,), or None
        Of each step; 1 when None.
    n : float
        What sums are divided by: shares, sums of whole numbers, are then as exact as a share can be.
    bounds : ndarray of float64, shape (2, n_keys)
        Range of the means, which differences and sums miss by rounding.
    progress : callable, optional
        Called with (points done, J + 1).
    changes : ndarray of float64, shape (n_keys, n_steps), optional
        Of `changes_of`, so that they are not made again.

    Returns
    -------
    ndarray of float64, shape (n_keys, J + 1)
    """
    means, now = np.empty((values.shape[1], len(ends) + 1)), np.array(start, dtype=np.float64)
    is_used = changes is None and _is_used(len(before))
    for first in range(0, len(ends) + 1, POINTS_AT_ONCE):
        last = min(first + POINTS_AT_ONCE, len(ends) + 1)
        if is_used:
            _compiled_sums(values, before, after, ends, weights, n, bounds, first, last, now, means)
        else:
            _sums(values, before, after, ends, weights, n, bounds, first, last, now, means, changes)
        if progress:
            progress(last, len(ends) + 1)
    return means


def changes_of(values: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """What each step adds to each sum, for `running_means`; None where these are too many, or compiled loops add faster."""
    if _is_used(len(before)) or values.shape[1] * len(before) * 8 > MOST_CHANGES:
        return None
    return _changes(values, before, after)


def _changes(values, before, after):
    """Key by key: sums along memory are several times as fast."""
    return np.ascontiguousarray((values[after] - values[before]).T)


def _compiled_sums(values, before, after, ends, weights, n, bounds, first, last, now, means):
    weights = np.empty(0) if weights is None else weights
    ready = np.empty((BLOCK_STEPS, values.shape[1]))
    arguments = values, before, after, ends, weights, float(n), bounds, first, last, now, ready, means
    # It is compiled last, once the other two of an operating curve are.
    was_compiled, kernels = is_compiled(MODULE, VALUE_TYPE), _kernels()
    with first_call(MODULE, VALUE_TYPE, was_compiled):
        kernels.running_means(*arguments)


def _sums(values, before, after, ends, weights, n, bounds, first, last, now, means, changes):
    points = np.append(0, ends[: last - 1]) if first == 0 else ends[first - 1 : last - 1]
    done = ends[first - 2] if first > 1 else 0
    steps = slice(done, points[-1])
    changes = _changes(values, before[steps], after[steps]) if changes is None else changes[:, steps]
    sums = np.empty((len(changes), changes.shape[1] + 1))
    sums[:, 0] = now
    np.multiply(changes, 1.0 if weights is None else weights[steps], out=sums[:, 1:])
    np.cumsum(sums, axis=1, out=sums)
    now[:] = sums[:, -1]
    # Where every step ends a point, none is to be chosen.
    is_every = len(points) == changes.shape[1] + (first == 0)
    sums = sums[:, -len(points) :] if is_every else np.take(sums, points - done, axis=1)
    sums /= n
    np.clip(sums, bounds[0][:, None], bounds[1][:, None], out=means[:, first:last])


def sum_of_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sum of rows, one after the other, each times its weight; shape (n_keys,).

    Not as a product of matrices: its order depends on the processor, and its threads go on to wait for work.
    """
    return np.cumsum(values * weights[:, None], axis=0)[-1]


def _is_used(n):
    said = os.environ.get("HIERVIZ_COMPILED", "")
    if said == "0" or (said != "1" and n < WORTH_CALLING):
        return False
    # A search for a package takes longer than a small curve.
    if importlib.util.find_spec("numba") is None:
        return False
    return said == "1" or n >= WORTH_COMPILING or ("numba" in sys.modules and is_compiled(MODULE, VALUE_TYPE))


def _kernels():
    # Without the words of `module_of`: these take a second to compile.
    return importlib.import_module(f"hierviz.compiled.{MODULE}")
