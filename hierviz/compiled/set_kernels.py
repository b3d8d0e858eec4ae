"""The sets of largest expected hF_beta, compiled by numba: as `hierviz.inference.optimal_sets.best_sets`, with the same bits.

Nodes are called by their places (`hierviz.taxonomy.tree_sums`). No node gains more than its parent, so that the nodes of largest
gain are found from the root down, without a look at the rest of the tree.
"""

import numpy as np

from hierviz.compiled.compiling import compiled, inner
from hierviz.compiled.kernels import TILE, probabilities


@inner
def truth_mass(p, tie, inner_places, first, n_children, own):
    """As `hierviz.inference.truth_mass.truth_mass` of one row by place, into `own`."""
    scale = 0.0
    for place in range(len(p)):
        value = p[place]
        own[place] = value if value > 0 else 0.0
        if abs(value) > scale:
            scale = abs(value)
    is_negative = False
    for i in range(len(inner_places)):
        place, total = inner_places[i], 0.0
        for child in range(first[place], first[place] + n_children[place]):
            total += p[child]
        value = p[place] - total
        if abs(value) <= tie * scale:
            value = 0.0
        is_negative |= value < 0
        own[place] = value
    if is_negative:
        for i in range(len(inner_places)):
            own[inner_places[i]] = 0.0


@inner
def sizes_of(own, depth, sizes, is_there):
    """Depths of truths into `sizes`, ascending, without the root's; how many there are. `is_there` is overwritten."""
    for size in range(len(is_there)):
        is_there[size] = False
    for place in range(1, len(own)):
        if own[place] > 0:
            is_there[depth[place]] = True
    n = 0
    for size in range(1, len(is_there)):
        if is_there[size]:
            sizes[n] = size
            n += 1
    return n


@inner
def mass_below(own, depth, inner_places, first, n_children, sizes, below):
    """Mass at or below each place of the truths of one depth, in the rows of `below`, shape (n_sizes, n_nodes)."""
    for j in range(len(below)):
        of_size = below[j]
        for place in range(len(own)):
            of_size[place] = own[place] if depth[place] == sizes[j] else 0.0
        for i in range(len(inner_places) - 1, -1, -1):
            place, total = inner_places[i], 0.0
            if depth[place] < sizes[j]:
                for child in range(first[place], first[place] + n_children[place]):
                    total += of_size[child]
                of_size[place] = total


@inner
def gain_of(below, place, share):
    """Sum of the masses of one place times the share of each depth."""
    total = 0.0
    for j in range(len(below)):
        total += below[j, place] * share[j]
    return total


@inner
def push(heap, places, n, gain, place):
    """Add a place to a heap of `n`, the largest gain on top."""
    i = n
    while i > 0:
        above = (i - 1) >> 1
        if heap[above] >= gain:
            break
        heap[i], places[i] = heap[above], places[above]
        i = above
    heap[i], places[i] = gain, place


@inner
def pop(heap, places, n):
    """Take the top from a heap of `n`."""
    gain, place = heap[n - 1], places[n - 1]
    i, child = 0, 1
    while child < n - 1:
        if child + 1 < n - 1 and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= gain:
            break
        heap[i], places[i] = heap[child], places[child]
        i = child
        child = 2 * i + 1
    heap[i], places[i] = gain, place


@inner
def sum_of_largest(below, share, size, first, n_children, heap, places):
    """Sum of the `size` largest gains, the largest first, and the smallest of them."""
    n_heap, taken, total, last, place = 0, 0, 0.0, 0.0, 0
    while True:
        for child in range(first[place], first[place] + n_children[place]):
            gain = gain_of(below, child, share)
            if gain > 0:
                push(heap, places, n_heap, gain, child)
                n_heap += 1
        if taken == size:
            return total, last
        if n_heap == 0:
            return total, 0.0
        last, place = heap[0], places[0]
        pop(heap, places, n_heap)
        n_heap -= 1
        total += last
        taken += 1
        if taken == size:
            return total, last


@inner
def best_size(below, sizes, square, tie, first, n_children, heap, places, share):
    """Size of the best set, its expectation and its smallest gain."""
    n, n_nodes = below.shape
    total = 0.0
    for j in range(n):
        total += below[j, 0]
    best, found, smallest = 0.0, 0, 0.0
    for size in range(1, n_nodes):
        bound = 0.0
        for j in range(n):
            share[j] = (1 + square) / (size + square * sizes[j])
            bound += below[j, 0] * (share[j] * sizes[j])
        if bound <= best:
            break
        value, last = sum_of_largest(below, share, size, first, n_children, heap, places)
        if value > best + tie * total:
            best, found, smallest = value, size, last
    return found, best, smallest


@inner
def ascend(nodes, n, heap, places):
    """Sort the first `n`; the heap that is there takes a second less to compile than numpy's sort."""
    for i in range(n):
        push(heap, places, i, -float(nodes[i]), nodes[i])
    for i in range(n):
        nodes[i] = places[0]
        pop(heap, places, n - i)


@inner
def nodes_of(below, share, size, last, tie, node, first, n_children, heap, places, near, found):
    """The `size` nodes of largest gain, the lowest of equal ones, ascending, into `found`; `last` is the smallest gain."""
    margin = tie * gain_of(below, 0, share)
    n_open, n_found, n_near = 1, 0, 0
    places[0] = 0
    while n_open:
        n_open -= 1
        place = places[n_open]
        for child in range(first[place], first[place] + n_children[place]):
            gain = gain_of(below, child, share)
            if gain > last + margin:
                found[n_found] = node[child]
                n_found += 1
            elif gain >= last - margin:
                near[n_near] = node[child]
                n_near += 1
            else:
                continue
            if n_children[child]:
                places[n_open] = child
                n_open += 1
    ascend(near, n_near, heap, places)
    for i in range(size - n_found):
        found[n_found + i] = near[i]
    ascend(found, size, heap, places)


@compiled
def run_sets(given, layout, square, tie):
    """The best set of each row, and what it is expected to yield.

    Parameters
    ----------
    given
        As of `hierviz.compiled.kernels.run`.
    layout : tuple of node, first, n_children, inner, depth
        As of a TreeLayout; the depth of the node at every place.
    square, tie : float
        beta squared; share of a sum that is rounding.

    Returns
    -------
    is_complete : bool
        False where a value is negative or not finite.
    nodes : ndarray of int32
        The sets one after the other.
    lengths : ndarray of int64, shape (n,)
    expected : ndarray of float64, shape (n,)
    """
    node, first, n_children, inner_places, depth = layout
    n, n_nodes, most = given[0].shape[0], len(node), 0
    for place in range(n_nodes):
        most = max(most, depth[place])
    q, rows = np.ones((n_nodes, TILE)), np.empty((TILE, n_nodes))
    mass, least, top = np.zeros(TILE), np.zeros(TILE), np.zeros(TILE)
    own, masses, sizes, share = np.empty(n_nodes), np.empty((most, n_nodes)), np.empty(most), np.empty(most)
    is_there, heap, places = np.empty(most + 1, np.bool_), np.empty(n_nodes), np.empty(n_nodes, np.int32)
    near, found = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    nodes, n_listed = np.empty(16 * n + n_nodes, np.int32), 0
    lengths, expected = np.zeros(n, np.int64), np.zeros(n)
    for start in range(0, n, TILE):
        if not probabilities(given, start, inner_places, first, n_children, q, mass, least, top):
            return False, nodes[:0], lengths, expected
        for place in range(n_nodes):
            for r in range(TILE):
                rows[r, place] = q[place, r]
        for r in range(min(TILE, n - start)):
            truth_mass(rows[r], tie, inner_places, first, n_children, own)
            n_sizes = sizes_of(own, depth, sizes, is_there)
            below = masses[:n_sizes]
            mass_below(own, depth, inner_places, first, n_children, sizes, below)
            size, value, last = best_size(below, sizes, square, tie, first, n_children, heap, places, share)
            if size:
                for j in range(n_sizes):
                    share[j] = (1 + square) / (size + square * sizes[j])
                nodes_of(below, share, size, last, tie, node, first, n_children, heap, places, near, found)
            if n_listed + size > len(nodes):
                more = np.empty(2 * len(nodes), np.int32)
                for i in range(n_listed):
                    more[i] = nodes[i]
                nodes = more
            for i in range(size):
                nodes[n_listed + i] = found[i]
            n_listed += size
            lengths[start + r], expected[start + r] = size, value
    return True, nodes[:n_listed], lengths, expected
