"""Loops over the answers of a Pareto table, compiled by numba: common ancestors, the order of thresholds, running means."""

import numpy as np

from hierviz.compiled.compiling import compiled, inner

# Bits of a digit of the radix sort.
DIGIT = 11


@compiled
def lowest_common(parent, a, b, common):
    """As `hierviz.taxonomy.node_lists.lowest_common`, into `common`: parents have smaller numbers than their children."""
    for i in range(len(a)):
        x, y = a[i], b[i]
        while x != y:
            if x > y:
                x = parent[x]
            else:
                y = parent[y]
        common[i] = x


@compiled
def sort(keys, order, other_keys, other_order, counts):
    """Radix sort, stable: ascending `keys` of uint64 with their `order`.

    counts : ndarray of int64, shape (n_digits, 2**DIGIT), all 0.

    Returns
    -------
    bool
        Whether `keys` and `order` hold the result, else the other two.
    """
    n, mask, is_first = len(keys), np.uint64(counts.shape[1] - 1), True
    for i in range(n):
        for digit in range(counts.shape[0]):
            counts[digit, (keys[i] >> np.uint64(DIGIT * digit)) & mask] += 1
    for digit in range(counts.shape[0]):
        shift, start, is_sorted = np.uint64(DIGIT * digit), 0, False
        for value in range(counts.shape[1]):
            count = counts[digit, value]
            is_sorted |= count == n
            counts[digit, value] = start
            start += count
        if is_sorted:
            continue
        for i in range(n):
            key = keys[i]
            value = (key >> shift) & mask
            place = counts[digit, value]
            counts[digit, value] = place + 1
            other_keys[place], other_order[place] = key, order[i]
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
        is_first = not is_first
    return is_first


@compiled
def running_means(values, before, after, ends, weights, n, bounds, first, last, now, ready, means):
    """As `hierviz.compiled.curve_sums.running_means`, points `first` to `last` of `means`; without `weights` each is 1.

    now : ndarray of float64, shape (n_keys,)
        The sums before point `first`, then those at the last one.
    ready : ndarray of float64, shape (n_block, n_keys)
        To work in: what each step of a block adds, read from all over `values`, before it is added up.
    """
    n_keys, n_block, point = values.shape[1], ready.shape[0], first
    if first == 0:
        for k in range(n_keys):
            means[k, 0] = within(now[k] / n, bounds, k)
        point = 1
    start, stop = ends[point - 2] if point > 1 else 0, ends[last - 2] if last > 1 else 0
    while start < stop:
        end = min(start + n_block, stop)
        for i in range(start, end):
            old, new = before[i], after[i]
            weight = weights[i] if len(weights) else 1.0
            for k in range(n_keys):
                ready[i - start, k] = (values[new, k] - values[old, k]) * weight
        first_here = point
        for k in range(n_keys):
            total, point = now[k], first_here
            for i in range(start, end):
                total += ready[i - start, k]
                if ends[point - 1] == i + 1:
                    means[k, point] = within(total / n, bounds, k)
                    point += 1
            now[k] = total
        start = end


@inner
def within(mean, bounds, key):
    """`mean`, or the bound that it misses."""
    mean = bounds[0, key] if mean < bounds[0, key] else mean
    return bounds[1, key] if mean > bounds[1, key] else mean
