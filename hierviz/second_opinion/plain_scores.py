"""Numbers of the best leaves, of cuts and of the classes of each level, sample by sample, from their definitions.

References
----------
.. [1] L. Bertinetto et al., Making better mistakes, CVPR 2020.
.. [2] J. Shi et al., LCA-on-the-line, ICML 2024.
.. [3] D. Sani, D. Anand, Hier-COS, 2025: HOPS.
.. [4] T.-Y. Wu, C.-H. Ho, N. Vasconcelos, ProTeCt, CVPR 2024.
.. [5] A. Kumar, P. Liang, T. Ma, Verified uncertainty calibration, NeurIPS 2019.
"""

from __future__ import annotations

import math
from itertools import pairwise

from hierviz.second_opinion.plain_graph import OUTSIDE
from hierviz.second_opinion.plain_numbers import mean


def ranked_leaves(graph, p):
    """All leaves, the most probable first, equal ones in their order."""
    return sorted(graph.leaves, key=lambda leaf: (-p[leaf], leaf))


def _is_right(graph, truth, leaf):
    return leaf != OUTSIDE and truth in graph.up[leaf]


def _lca_height(graph, truth, leaf):
    return 0 if _is_right(graph, truth, leaf) else graph.height[graph.common(truth, leaf)]


def hops(graph, truth, order, k):
    """HOPS@k [3]_ of one sample: its leaves as they are ordered, against the perfect order."""
    # The rank of a leaf: how many nearer common ancestors there are.
    depths = sorted({graph.depth[graph.common(truth, leaf)] for leaf in graph.leaves}, reverse=True)
    rank = {leaf: depths.index(graph.depth[graph.common(truth, leaf)]) for leaf in graph.leaves}
    perfect, weights = sorted(rank.values()), []
    # What lies outside the taxonomy has the root in common with every truth, and is not right even there.
    rank[OUTSIDE] = sum(depth > 0 for depth in depths) if truth else 1
    for r in sorted(set(perfect)):
        n = perfect.count(r)
        end = 0.0 if r == len(depths) - 1 else 1.0 if r == 0 else 2.0 ** -(r + 1)
        weights += [2.0**-r + (end - 2.0**-r) * step / n for step in range(n)]
    k = min(k, len(perfect))
    lost = sum(weights[j] * abs(perfect[j] - rank[order[j]]) for j in range(k))
    worst = sum(weights[j] * abs(perfect[j] - perfect[k - 1 - j]) for j in range(k))
    return max(0.0, 1 - lost / worst) if worst else float(not lost)


def best_leaves(graph, rows, truth, outside):
    """Block ``best_leaves`` [1]_ [2]_ [3]_: of as many classes as there are leaves, the first one of some samples `outside`."""
    orders = [([OUTSIDE] * is_out + ranked_leaves(graph, p))[: len(graph.leaves)] for p, is_out in zip(rows, outside)]
    found = {}
    for k in (1, 5, 20):
        heights = [mean(_lca_height(graph, y, leaf) for leaf in order[:k]) for order, y in zip(orders, truth)]
        found[f"lca_height_{k}"] = mean(heights)
    wrong = [(order, y) for order, y in zip(orders, truth) if not _is_right(graph, y, order[0])]
    for name, value in (("depth", graph.depth), ("information", graph.information)):
        for k in (1, 5, 20):
            missing = [mean(value[y] - value[graph.common(y, leaf)] for leaf in order[:k]) for order, y in wrong]
            found[f"lca_{name}_{k}"] = mean(missing)
    for k in (5, 20):
        found[f"hops_{k}"] = mean(hops(graph, y, order, k) for order, y in zip(orders, truth))
    return found


def random_cuts(graph, rows, truth, outside, cuts):
    """Block ``random_cuts`` [4]_ of some cuts, each a list of nodes of which every leaf has one above it."""
    hits = []
    for cut in cuts:
        assert all(sum(node in graph.up[leaf] for node in cut) == 1 for leaf in graph.leaves), cut
        for p, y, is_out in zip(rows, truth, outside):
            answer = min(cut, key=lambda node: (-p[node], node))
            hits.append(float(not is_out and (answer in graph.up[y] or y in graph.up[answer])))
    return {"treecut_accuracy": mean(hits)}


def cut_at(graph, depth):
    """The nodes at a depth, and the leaves above it."""
    return [v for v in range(graph.n) if graph.depth[v] == depth or (graph.depth[v] < depth and not graph.children[v])]


def probabilities(graph, rows, truth, outside):
    """Block ``probabilities`` without what is redrawn [5]_."""
    deepest, found = max(graph.depth), {"brier_by_depth": {}, "log_loss_by_depth": {}}
    for depth in range(1, deepest + 1):
        cut, scores, losses = cut_at(graph, depth), [], []
        for p, y in zip(rows, truth):
            own = [node for node in cut if node in graph.up[y]]
            if own:
                scores.append(math.fsum((p[node] - (node in own)) ** 2 for node in cut))
                losses.append(-math.log(p[own[0]]) if p[own[0]] > 0 else math.inf)
        found["brier_by_depth"][str(depth)], found["log_loss_by_depth"][str(depth)] = mean(scores), mean(losses)
    found["brier"], found["log_loss"] = (found[f"{key}_by_depth"][str(deepest)] for key in ("brier", "log_loss"))
    answers = [level_answers(graph, p) for p in rows]
    for level, depth in enumerate(list(found["brier_by_depth"])):
        best = [
            (of_levels[level], p, y) for of_levels, p, y, is_out in zip(answers, rows, truth, outside) if not is_out
        ]
        # Of a truth above the answer it is not known whether the answer is right.
        pairs = [(p[v], v in graph.up[y]) for v, p, y in best if v in graph.up[y] or y not in graph.up[v]]
        # What no leaf has is the probability of a best class outside the taxonomy, which is never right.
        pairs += [(left_by_leaves(graph, p), False) for p, is_out in zip(rows, outside) if is_out]
        for key, value in calibration(sorted(pairs, key=lambda pair: pair[0])).items():
            found.setdefault(f"{key}_by_depth", {})[depth] = found[key] = value
    return found


def left_by_leaves(graph, p):
    """What the probabilities of the leaves leave of 1, not below 0."""
    return min(max(1 - math.fsum(p[leaf] for leaf in graph.leaves), 0.0), 1.0)


def level_answers(graph, p):
    """The most probable class of each level, leaves above it among them, the lowest node of several."""
    return [min(cut_at(graph, depth), key=lambda v: (-p[v], v)) for depth in range(1, max(graph.depth) + 1)]


def _follows(graph, above, node):
    """Whether an answer is a child of the one above it, or the same leaf; one outside the taxonomy is a leaf below the root."""
    if node == OUTSIDE:
        return above in (0, OUTSIDE)
    return graph.parents[node] == [above] or (above == node and not graph.children[node])


def levels(graph, answers, truth):
    """Block ``levels``: answers of each level, as long as there are any, against the path of the truth."""
    found = {key: [] for key in ("full_path_accuracy", "por", "s_por", "s_por_longest_run", "tor", "tice")}
    hits = {depth: [] for depth in range(1, max(graph.depth) + 1)}
    for given, y in zip(answers, truth):
        path = graph.path(y)[1:]
        right = [depth < len(given) and given[depth] == node for depth, node in enumerate(path)]
        steps = zip([0, *given], given)
        found["tice"].append(float(not all(_follows(graph, above, node) for above, node in steps)))
        if not path:
            continue
        runs = "".join("x" if hit else " " for hit in right)
        pairs = sum(a and b for a, b in pairwise(right))
        found["full_path_accuracy"].append(float(all(right)))
        found["por"].append(sum(right) / len(path))
        found["s_por"].append((len(runs) - len(runs.lstrip("x"))) / len(path))
        found["s_por_longest_run"].append(max(map(len, runs.split()), default=0) / len(path))
        found["tor"].append(pairs / (len(path) - 1) if len(path) > 1 else 0.0)
        for depth, hit in enumerate(right, 1):
            hits[depth].append(float(hit))
    accuracy = {str(depth): mean(of_level) for depth, of_level in hits.items()}
    n_classes = {
        depth: sum(d == int(depth) for d in graph.depth) for depth, value in accuracy.items() if value is not None
    }
    weighed = sum(n * accuracy[depth] for depth, n in n_classes.items())
    return {key: mean(values) for key, values in found.items()} | {
        "wap": weighed / sum(n_classes.values()) if n_classes else None,
        "accuracy_by_depth": accuracy,
    }


def calibration(pairs, n_bins=15, least=20):
    """Errors of pairs of a probability and an event, ascending; None of fewer than `least`."""
    n = len(pairs)
    if n < least:
        return dict.fromkeys(("calibration_error_squared", "ece_adaptive", "ece_static"))
    size, bins = max(least, -(-n // n_bins)), [[]]
    for place, pair in enumerate(pairs):
        # Equal probabilities stay together.
        if len(bins[-1]) >= size and pair[0] != pairs[place - 1][0]:
            bins.append([])
        bins[-1].append(pair)
    if len(bins) > 1 and len(bins[-1]) < least:
        last = bins.pop()
        bins[-1] += last
    squared = 0.0
    for members in bins:
        rate, m = mean(float(event) for _, event in members), len(members)
        off = rate - mean(p for p, _ in members)
        squared += m / n * (off**2 - rate * (1 - rate) / (m - 1))
    widths = {}
    for p, event in pairs:
        below = [k for k in range(n_bins) if k / n_bins <= p]
        widths.setdefault(max(below), []).append((p, event))
    return {
        "calibration_error_squared": squared,
        "ece_adaptive": _ece(bins, n),
        "ece_static": _ece(widths.values(), n),
    }


def _ece(bins, n):
    return sum(abs(math.fsum(event - p for p, event in members)) for members in bins) / n
