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
def running_means(values, before, after, ends, weights, n, bounds, first, last, now, means):
    """As `hierviz.compiled.curve_sums.running_means`, points `first` to `last` of `means`; empty `weights` are 1.

    `now`, shape (n_keys,), are the sums before point `first`, then those at the last one.
    """
    n_keys, i = values.shape[1], 0
    if first > 1:
        i = ends[first - 2]
    ready = np.empty((n_keys, 256))
    for start in range(first, last, 256):
        stop = min(start + 256, last)
        for point in range(start, stop):
            end = ends[point - 1] if point else 0
            while i < end:
                old, new = before[i], after[i]
                if len(weights):
                    for k in range(n_keys):
                        now[k] += (values[new, k] - values[old, k]) * weights[i]
                else:
                    for k in range(n_keys):
                        now[k] += values[new, k] - values[old, k]
                i += 1
            for k in range(n_keys):
                ready[k, point - start] = now[k]
        for k in range(n_keys):
            for point in range(start, stop):
                means[k, point] = min(max(ready[k, point - start] / n, bounds[0, k]), bounds[1, k])
