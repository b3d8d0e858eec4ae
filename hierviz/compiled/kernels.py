"""One pass over rows of scores on a tree, compiled by numba.

float16 as float32, looked up in a table: processors without a conversion take many times as long for very small numbers.

Conventions
-----------
Rows are worked on `TILE` at a time: ``q`` has shape (n_nodes, TILE) and holds the float64 probability of the node at each
place (see `hierviz.taxonomy.tree_sums`) for each row of a tile. Only additions, multiplications, divisions and comparisons of
float64 happen here, without fast-math and in the order of `hierviz.predictions.parametrisation`, so that probabilities
have the same bits as without numba. All arguments are C-contiguous arrays; nothing is checked.
"""

from __future__ import annotations

import numpy as np

from hierviz.compiled.compiling import compiled, inner

TILE = 8
# How the values of a row become probabilities of nodes.
LEAF_MASS, OWN_MASS, CONDITIONAL, GIVEN = 0, 1, 2, 3


@inner
def fill(values, start, columns, places, q):
    """The values of `TILE` rows from row `start` on into `q`, as float64; beyond the last row `q` keeps what it has.

    columns, places: where the value of each place is read, and that place.
    """
    n_rows = len(values) - start
    for j in range(len(columns)):
        place, column = places[j], columns[j]
        # Two loops, because a known length is unrolled.
        if n_rows >= TILE:
            for r in range(TILE):
                q[place, r] = values[start + r, column]
        else:
            for r in range(n_rows):
                q[place, r] = values[start + r, column]


@inner
def sum_up(q, has_own, inner, first, n_children):
    """Each inner node's probability: its children's one after the other, then its own value where it has one."""
    for i in range(len(inner) - 1, -1, -1):
        place = inner[i]
        start = first[place]
        a, b, c, d = q[start, 0], q[start, 1], q[start, 2], q[start, 3]
        e, f, g, h = q[start, 4], q[start, 5], q[start, 6], q[start, 7]
        for child in range(start + 1, start + n_children[place]):
            a, b, c, d = a + q[child, 0], b + q[child, 1], c + q[child, 2], d + q[child, 3]
            e, f, g, h = e + q[child, 4], f + q[child, 5], g + q[child, 6], h + q[child, 7]
        if has_own:
            a, b, c, d = a + q[place, 0], b + q[place, 1], c + q[place, 2], d + q[place, 3]
            e, f, g, h = e + q[place, 4], f + q[place, 5], g + q[place, 6], h + q[place, 7]
        q[place, 0], q[place, 1], q[place, 2], q[place, 3] = a, b, c, d
        q[place, 4], q[place, 5], q[place, 6], q[place, 7] = e, f, g, h


@inner
def multiply_down(q, inner, first, n_children):
    """Each node's probability: its conditional one times that of its parent."""
    for i in range(len(inner)):
        place = inner[i]
        for child in range(first[place], first[place] + n_children[place]):
            for r in range(TILE):
                q[child, r] *= q[place, r]


@inner
def normalise(q):
    """At most 1, and 1 at the root: sums miss it by rounding."""
    for place in range(len(q)):
        for r in range(TILE):
            q[place, r] = min(q[place, r], 1.0)
    for r in range(TILE):
        q[0, r] = 1.0


@inner
def totals(q, places, total, least, most):
    """Sum, smallest and largest of some places of each row, the sum in their order."""
    a = b = c = d = e = f = g = h = 0.0
    ka = kb = kc = kd = ke = kf = kg = kh = np.inf
    la = lb = lc = ld = le = lf = lg = lh = -np.inf
    for j in range(len(places)):
        place = places[j]
        va, vb, vc, vd = q[place, 0], q[place, 1], q[place, 2], q[place, 3]
        ve, vf, vg, vh = q[place, 4], q[place, 5], q[place, 6], q[place, 7]
        a, b, c, d, e, f, g, h = a + va, b + vb, c + vc, d + vd, e + ve, f + vf, g + vg, h + vh
        ka, kb, kc, kd = min(ka, va), min(kb, vb), min(kc, vc), min(kd, vd)
        ke, kf, kg, kh = min(ke, ve), min(kf, vf), min(kg, vg), min(kh, vh)
        la, lb, lc, ld = max(la, va), max(lb, vb), max(lc, vc), max(ld, vd)
        le, lf, lg, lh = max(le, ve), max(lf, vf), max(lg, vg), max(lh, vh)
    total[0], total[1], total[2], total[3], total[4], total[5], total[6], total[7] = a, b, c, d, e, f, g, h
    least[0], least[1], least[2], least[3], least[4], least[5], least[6], least[7] = ka, kb, kc, kd, ke, kf, kg, kh
    most[0], most[1], most[2], most[3], most[4], most[5], most[6], most[7] = la, lb, lc, ld, le, lf, lg, lh


@inner
def probabilities(given, start, inner, first, n_children, q, mass, least, top):
    """`fill`, and the probabilities of the nodes of it; False where a value is negative or not finite.

    `given` as of `run`; the last three are overwritten, by the `totals` of what was filled.
    """
    values, columns, places, kind, is_normalised = given
    fill(values, start, columns, places, q)
    totals(q, places, mass, least, top)
    for r in range(TILE):
        if not (least[r] >= 0.0 and mass[r] < np.inf):
            return False
    if kind == CONDITIONAL:
        multiply_down(q, inner, first, n_children)
    elif kind != GIVEN:
        sum_up(q, kind == OWN_MASS, inner, first, n_children)
    if is_normalised:
        normalise(q)
    return True


@inner
def reach_from_root(q, r, bound, first, n_children, stack, reached):
    """Places other than the root with q >= bound where all nodes on the way from the root have it too.

    Into the first row of `reached`; how many.
    """
    n, depth = 0, 1
    stack[0] = 0
    while depth:
        depth -= 1
        place = stack[depth]
        for child in range(first[place], first[place] + n_children[place]):
            if q[child, r] >= bound:
                reached[0, n] = child
                n += 1
                if n_children[child]:
                    stack[depth] = child
                    depth += 1
    return n


@inner
def reach_anywhere(q, bounds, counts, reached):
    """Places other than the root with q >= bound of each row: into `reached`, shape (TILE, n_nodes); `counts` of them."""
    for r in range(TILE):
        counts[r] = 0
    for place in range(1, q.shape[0]):
        for r in range(TILE):
            if q[place, r] >= bounds[r]:
                reached[r, counts[r]] = place
                counts[r] += 1


@inner
def pareto_set(q, r, top, n, reached, slot, node, n_children, rank, by_rank, below, ranks, nodes, scores, begin):
    """Pareto set of row `r` into `nodes` and `scores` from `begin` on, the least informative first; how many.

    `top` is the probability of the most probable leaf, row `slot` of `reached` the n places other than the root with at
    least that.
    Candidates are the nodes without exactly one child; they enter when they are more probable than all before them.
    """
    lowest, n_ranks = np.int32(2147483647), 0
    for i in range(n):
        place = reached[slot, i]
        if n_children[place] == 0:
            lowest = min(lowest, node[place])
        elif n_children[place] > 1 and q[place, r] > top:
            ranks[n_ranks] = rank[place]
            n_ranks += 1
    if n_children[0] > 1 and q[0, r] > top:
        ranks[n_ranks] = rank[0]
        n_ranks += 1
    nodes[begin], scores[begin] = lowest, top
    gap = n_ranks // 2 if n_ranks > 24 else 1
    while gap:
        for i in range(gap, n_ranks):
            value, j = ranks[i], i
            while j >= gap and ranks[j - gap] > value:
                ranks[j] = ranks[j - gap]
                j -= gap
            ranks[j] = value
        gap //= 2
    end, i = begin + 1, 0
    while i < n_ranks:
        # Of the nodes with equally many leaves below them the most probable, the lowest of several.
        chosen = by_rank[ranks[i]]
        leaves_below = below[chosen]
        i += 1
        while i < n_ranks and below[by_rank[ranks[i]]] == leaves_below:
            if q[by_rank[ranks[i]], r] > q[chosen, r]:
                chosen = by_rank[ranks[i]]
            i += 1
        if q[chosen, r] > scores[end - 1]:
            nodes[end], scores[end] = node[chosen], q[chosen, r]
            end += 1
    low, high = begin, end - 1
    while low < high:
        nodes[low], nodes[high] = nodes[high], nodes[low]
        scores[low], scores[high] = scores[high], scores[low]
        low, high = low + 1, high - 1
    return end - begin


@inner
def best_leaf(q, r, first, n_children):
    """Place of the leaf that is reached from the root by always taking the most probable child, the first of several."""
    place = 0
    while n_children[place]:
        chosen = first[place]
        for child in range(chosen + 1, chosen + n_children[place]):
            if q[child, r] > q[chosen, r]:
                chosen = child
        place = chosen
    return place


@inner
def leaf_ranks(q, leaves, node, n_children, parent, truth, start, n_rows, bounds, best, found, ranks):
    """How many leaves rank before the best leaf at or below the truth of each row, by p and then in the order of classes.

    -1 where there is no truth. `bounds`, `found` (float64), `best` (int64) and `ranks` (int32, its first TILE) are overwritten.
    """
    for r in range(TILE):
        bounds[r], best[r], found[r] = np.inf, -1, 0.0
    for r in range(n_rows):
        place = truth[start + r]
        if place >= 0:
            best[r] = best_below(q, r, place, leaves, node, n_children, parent)
            bounds[r] = q[leaves[best[r]], r]
    for j in range(len(leaves)):
        place, is_equal = leaves[j], False
        for r in range(TILE):
            found[r] += 1.0 if q[place, r] > bounds[r] else 0.0
            is_equal |= q[place, r] == bounds[r]
        if is_equal:
            # The leaves before it with the same probability come first.
            for r in range(TILE):
                found[r] += 1.0 if q[place, r] == bounds[r] and j < best[r] else 0.0
    for r in range(n_rows):
        ranks[r] = -1 if best[r] < 0 else np.int32(found[r])


@inner
def best_below(q, r, truth, leaves, node, n_children, parent):
    """Number of the most probable leaf at or below a place, the first of several."""
    if n_children[truth] == 0:
        # Leaves ascend by node.
        low, high = 0, len(leaves) - 1
        while low < high:
            middle = (low + high) // 2
            if node[leaves[middle]] < node[truth]:
                low = middle + 1
            else:
                high = middle
        return low
    best = -1
    for j in range(len(leaves)):
        place = leaves[j]
        while place > 0 and place != truth:
            place = parent[place]
        if place == truth and (best < 0 or q[leaves[j], r] > q[leaves[best], r]):
            best = j
    return best


@inner
def true_scores(q, r, true_places, begin, end, bits, thresholds, gained_bits):
    """Probabilities of the true nodes of a row and their bits, ascending, into column `r`; inf above them."""
    for k in range(end - begin):
        # Few, and nearly sorted: ancestors come first.
        place, j = true_places[end - 1 - k], k
        while j > 0 and thresholds[j - 1, r] > q[place, r]:
            thresholds[j, r], gained_bits[j, r] = thresholds[j - 1, r], gained_bits[j - 1, r]
            j -= 1
        thresholds[j, r], gained_bits[j, r] = q[place, r], bits[place]
    for k in range(end - begin, len(thresholds)):
        thresholds[k, r] = np.inf


@inner
def count_above(q, thresholds, bits, at_least, above, bits_at_least, bits_above):
    """How many places other than the root reach each threshold of each row, how many exceed it, and the bits of both.

    thresholds : ascending, shape (most, TILE), a column a row; the results have their shape
    """
    for k in range(len(thresholds)):
        for r in range(TILE):
            at_least[k, r] = above[k, r] = bits_at_least[k, r] = bits_above[k, r] = 0.0
    for place in range(1, len(q)):
        # One look at all rows of the tile: most places are below the lowest threshold of each.
        is_reached = False
        for r in range(TILE):
            is_reached |= q[place, r] >= thresholds[0, r]
        if not is_reached:
            continue
        for r in range(TILE):
            value, k = q[place, r], 0
            while k < len(thresholds) and value >= thresholds[k, r]:
                k += 1
            if k:
                at_least[k - 1, r] += 1.0
                bits_at_least[k - 1, r] += bits[place]
                if value > thresholds[k - 1, r]:
                    above[k - 1, r] += 1.0
                    bits_above[k - 1, r] += bits[place]
    for k in range(len(thresholds) - 2, -1, -1):
        for r in range(TILE):
            above[k, r] += at_least[k + 1, r]
            bits_above[k, r] += bits_at_least[k + 1, r]
            at_least[k, r] += at_least[k + 1, r]
            bits_at_least[k, r] += bits_at_least[k + 1, r]


@inner
def highest_below(q, inner, first, n_children, closed):
    """The largest probability among each node and its descendants, into `closed`; True where that differs anywhere."""
    for place in range(len(q)):
        for r in range(TILE):
            closed[place, r] = q[place, r]
    differs = False
    for i in range(inner.shape[0] - 1, -1, -1):
        place = inner[i]
        for child in range(first[place], first[place] + n_children[place]):
            for r in range(TILE):
                if closed[child, r] > closed[place, r]:
                    closed[place, r] = closed[child, r]
                    differs = True
    return differs


@inner
def area_under(r, n, thresholds, gained, at_least, above):
    """Area under precision over recall from the `n` scores of a row's true nodes, ascending, and their weights; nan without."""
    due = 0.0
    for k in range(n):
        due += gained[k, r]
    if due == 0.0:
        return np.nan
    shared, area, k = 0.0, 0.0, n - 1
    while k >= 0:
        first, before, more = k, shared, 0.0
        while k >= 0 and thresholds[k, r] == thresholds[first, r]:
            more += gained[k, r]
            k -= 1
        shared = before + more
        precision = 1.0 if at_least[first, r] == 0.0 else min(shared / at_least[first, r], 1.0)
        precision_before = 1.0 if above[first, r] == 0.0 else min(before / above[first, r], 1.0)
        area += more * (precision + precision_before) / 2
    return min(area / due, 1.0)


@compiled
def run(given, is_coherent, layout, weights, truth, labels, start, scratch, row_results, listed, areas):
    """All results of one pass over the rows of values, from row `start` on.

    No array is made here: that takes long to compile.

    Parameters
    ----------
    given : tuple of values, columns, places, kind, is_normalised
        values : ndarray of float32 or float64, shape (n, n_columns)
        columns, places : ndarray of int32
            Columns of `values` and the places that they hold values of: the leaves in the order of classes, or all nodes,
            with or without the root, which is 1 without.
        kind : int
            LEAF_MASS and OWN_MASS add up, CONDITIONAL multiplies down, GIVEN are probabilities already.
        is_normalised : bool
            See `normalise`.
    is_coherent : bool
        No node is more probable than its parent.
    layout : tuple of the arrays of a TreeLayout
    weights : tuple of ndarray of float64, shape (n_nodes,)
        Of each place: for ihF1, and for the win.
    truth : ndarray of int32, shape (n,)
        Place of the true node; -1 where there is none. Empty: no win.
    labels : tuple of has_sets, bound, offsets, places, or None
        None is compiled by itself, without all that sets and areas need, which takes two thirds of the time.
        has_sets : bool
            Whether the sets come: the nodes with p of at least `bound`, a float.
        offsets, places : ndarray of int64, int32
            True nodes of each row with their ancestors, by place, without the root. Empty offsets: no areas.
    start : int
        A multiple of TILE; what earlier rows left behind is kept.
    scratch, row_results, listed, areas
        As `hierviz.compiled.kernel_arrays` makes them; the results come into the last three.

    Returns
    -------
    int
        The first row that was not worked on: n, or less where the lists have no room left; -1 where a value is negative or
        not finite, and nothing counts.
    """
    values, _, _, kind, is_normalised = given
    node, parent, first, n_children, inner_places, leaves, rank, by_rank, below = layout
    (bits, win_weight), has_sets = weights, False
    if labels is not None:
        has_sets, set_bound, true_offsets, true_places = labels
    q, closed, reached, counts, stack, ranks, lanes, row_lists = scratch
    mass, least, top, bounds = lanes
    thresholds, gained, gained_bits, at_least, above, bits_at_least, bits_above = row_lists
    sizes, set_sizes, leaf, leaf_mass, wins, p_root, p_truth, leaf_rank = row_results
    nodes, scores, set_nodes, ends = listed
    n, n_nodes, has_truth = values.shape[0], node.shape[0], len(truth) > 0
    while start < n:
        if ends[0] + TILE * n_nodes > len(nodes) or (has_sets and ends[1] + TILE * n_nodes > len(set_nodes)):
            return start
        n_rows = min(TILE, n - start)
        if not probabilities(given, start, inner_places, first, n_children, q, mass, least, top):
            return -1
        if kind != LEAF_MASS or is_normalised:
            totals(q, leaves, mass, least, top)
        if not is_coherent:
            reach_anywhere(q, top, counts, reached)
        for r in range(n_rows):
            i, slot = start + r, 0 if is_coherent else r
            if is_coherent:
                counts[r] = reach_from_root(q, r, top[r], first, n_children, stack, reached)
            sizes[i] = pareto_set(
                q, r, top[r], counts[r], reached, slot, node, n_children, rank, by_rank, below, ranks, nodes, scores, ends[0]
            )  # fmt: skip
            ends[0] += sizes[i]
            leaf[i] = node[best_leaf(q, r, first, n_children)]
            leaf_mass[i] = mass[r]
            p_root[i] = q[0, r]
            p_truth[i] = wins[i] = np.nan
            if has_truth and truth[i] >= 0:
                place = truth[i]
                p_truth[i] = q[place, r]
                total = q[place, r] * win_weight[place]
                while place > 0:
                    total += q[place, r] * win_weight[place]
                    place = parent[place]
                wins[i] = total
        if has_truth:
            ranks_here = leaf_rank[start : start + n_rows]
            leaf_ranks(q, leaves, node, n_children, parent, truth, start, n_rows, bounds, counts, mass, ranks_here)
        if labels is not None:
            if has_sets:
                if not is_coherent:
                    for r in range(TILE):
                        bounds[r] = set_bound
                    reach_anywhere(q, bounds, counts, reached)
                for r in range(n_rows):
                    slot = 0 if is_coherent else r
                    if is_coherent:
                        counts[r] = reach_from_root(q, r, set_bound, first, n_children, stack, reached)
                    for k in range(counts[r]):
                        set_nodes[ends[1] + k] = node[reached[slot, k]]
                    ends[1] += counts[r]
                    set_sizes[start + r] = counts[r]
            if len(true_offsets):
                is_closed = is_coherent or not highest_below(q, inner_places, first, n_children, closed)
                for raw in range(1 if is_closed else 2):
                    source = q if is_closed or raw else closed
                    for r in range(TILE):
                        counts[r] = true_offsets[start + r + 1] - true_offsets[start + r] if r < n_rows else 0
                        begin = true_offsets[start + r] if r < n_rows else 0
                        true_scores(source, r, true_places, begin, begin + counts[r], bits, thresholds, gained_bits)
                    count_above(source, thresholds, bits, at_least, above, bits_at_least, bits_above)
                    for r in range(n_rows):
                        area = area_under(r, counts[r], thresholds, gained, at_least, above)
                        if not raw:
                            areas[0, start + r] = area
                            areas[1, start + r] = area_under(
                                r, counts[r], thresholds, gained_bits, bits_at_least, bits_above
                            )
                        if raw or is_closed:
                            areas[2, start + r] = area
        start += TILE
    return n


# The float32 of every float16, by its bits; each is exact.
_FLOAT32 = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def as_float32(halves: np.ndarray) -> np.ndarray:
    """An array of float16, shape (n_rows, n_columns), as float32 in C order."""
    halves = np.ascontiguousarray(halves)
    values = np.empty(halves.shape, np.float32)
    _look_up(halves.view(np.uint16), _FLOAT32, values)
    return values


@compiled
def _look_up(places, table, values):
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            values[i, j] = table[places[i, j]]
