"""Loops over the answers of a Pareto table, compiled by numba: common ancestors, the order of thresholds, running means."""

from __future__ import annotations

import numpy as np

from hierviz.compiled.jit import compiled


@compiled
def lowest_common(parent, a, b):
    """As `hierviz.node_lists.lowest_common`: parents have smaller numbers than their children."""
    common = np.empty(len(a), np.int64)
    for i in range(len(a)):
        x, y = a[i], b[i]
        while x != y:
            if x > y:
                x = parent[x]
            else:
                y = parent[y]
        common[i] = x
    return common


@compiled
def descending_order(values):
    """Stable order of falling `values`, none of them negative or nan, shape (n,): a radix sort of their bits."""
    n = len(values)
    keys, order = np.empty(n, np.uint64), np.empty(n, np.int64)
    bits = values.view(np.uint64)
    for i in range(n):
        # Bits of numbers that are not negative ascend with them.
        keys[i], order[i] = ~bits[i], i
    next_keys, next_order = np.empty(n, np.uint64), np.empty(n, np.int64)
    counts = np.empty(2048, np.int64)
    for shift in range(0, 64, 11):
        counts[:] = 0
        for i in range(n):
            counts[(keys[i] >> np.uint64(shift)) & np.uint64(2047)] += 1
        if n and counts[(keys[0] >> np.uint64(shift)) & np.uint64(2047)] == n:
            continue
        total = 0
        for digit in range(2048):
            count = counts[digit]
            counts[digit] = total
            total += count
        for i in range(n):
            digit = (keys[i] >> np.uint64(shift)) & np.uint64(2047)
            place = counts[digit]
            counts[digit] += 1
            next_keys[place], next_order[place] = keys[i], order[i]
        keys, next_keys = next_keys, keys
        order, next_order = next_order, order
    return order


@compiled
def running_means(values, order, ends, start, weights, n, bounds, means):
    """As `hierviz.compiled.curve_sums.running_means`, into `means`; empty `weights` are 1."""
    n_keys, n_points, i = values.shape[1], len(ends) + 1, 0
    now, ready = start.copy(), np.empty((n_keys, 256))
    for first in range(0, n_points, 256):
        last = min(first + 256, n_points)
        for point in range(first, last):
            end = ends[point - 1] if point else 0
            while i < end:
                here = order[i]
                if len(weights):
                    for k in range(n_keys):
                        now[k] += (values[here, k] - values[here - 1, k]) * weights[i]
                else:
                    for k in range(n_keys):
                        now[k] += values[here, k] - values[here - 1, k]
                i += 1
            for k in range(n_keys):
                ready[k, point - first] = now[k]
        for k in range(n_keys):
            for point in range(first, last):
                means[k, point] = min(max(ready[k, point - first] / n, bounds[0, k]), bounds[1, k])
