"""Top-k bounds of one sample with plain loops: every extreme completion of a list, and every node that can be the answer."""

import itertools

import naive

# Rows are accepted whose sum misses 1 by 2e-3.
ROUNDING = 2e-3 + 1e-9


def completions(n_leaves, listed, is_top_k):
    """The extreme points of all rows of leaf probabilities that fit a list.

    `listed` is {leaf place: score}. Each unlisted leaf is in [0, u]; together they are r, give or take `ROUNDING`. At an extreme
    point all unlisted leaves but one are 0 or u.
    """
    rest = [place for place in range(n_leaves) if place not in listed]
    mass = 1 - sum(listed.values())
    most = max(mass + ROUNDING, 0)
    u = min(min(listed.values()) if is_top_k else 1, most)
    most = min(most, u * len(rest))
    least = min(max(mass - ROUNDING, 0), most)
    rows = []
    for total in {least, most}:
        n_full = min(int(total / u + 1e-9), len(rest)) if u > 0 else 0
        for full in itertools.combinations(rest, n_full):
            left = max(total - n_full * u, 0)
            others = [place for place in rest if place not in full]
            for odd in others or [None]:
                row = [listed.get(place, 0.0) for place in range(n_leaves)]
                for place in full:
                    row[place] = u
                if odd is not None:
                    row[odd] = left
                rows.append(row)
    return rows


def answers(graph, low, high, threshold):
    """Nodes that can be the answer at a threshold; `threshold` below 0 is leaf inference."""
    nodes = naive.candidates(graph)
    surest, likeliest = max(low[v] for v in nodes), max(high[v] for v in nodes)
    if threshold >= surest:
        possible = [v for v in nodes if high[v] >= surest]
        sure = [v for v in nodes if low[v] >= likeliest]
    else:
        possible = [v for v in nodes if high[v] > threshold]
        sure = [v for v in nodes if low[v] > threshold]
    bits = {v: len(graph.leaves) / len(naive.leaves_below(graph, v)) for v in nodes}
    possible = [v for v in possible if all(bits[v] >= bits[w] for w in sure)]

    def is_beaten(v):
        alike = [w for w in nodes if bits[w] == bits[v] and w != v]
        return any(low[w] > high[v] or (low[w] == high[v] and w < v) for w in alike)

    return [v for v in possible if not is_beaten(v)]


def walks(graph, low, high, node=0):
    """Leaves that the walk to the most probable child can end at."""
    children = graph.children[node]
    if not children:
        return [node]
    found = []
    for place, child in enumerate(children):
        others = [(k, other) for k, other in enumerate(children) if other != child]
        if not any(low[other] > high[child] or (low[other] == high[child] and k < place) for k, other in others):
            found += walks(graph, low, high, child)
    return found


def set_counts(graph, truth, low, high, threshold):
    """(lowest hits, highest hits, lowest false nodes, highest false nodes) of {p > threshold} of leaf probabilities."""
    true = naive.ancestors(graph, truth) - {0}
    nodes = range(1, graph.n)
    sure, possible = ([v for v in nodes if p[v] > threshold] for p in (low, high))
    room = next(k for k in itertools.count() if (k + 1) * threshold >= 1) if threshold > 0 else graph.n
    false = [[v for v in some if v not in true] for some in (sure, possible)]
    depths = {naive.depth(graph, v) for v in nodes}
    most = sum(min(room, sum(naive.depth(graph, v) == d for v in false[1])) for d in depths)
    return len(true & set(sure)), len(true & set(possible)), len(false[0]), max(most, len(false[0]))
