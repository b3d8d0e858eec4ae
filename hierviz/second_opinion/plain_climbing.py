"""Climbing from the most probable leaf: the conformal node, and coverage and risk of selective classification.

References
----------
.. [1] S. Goren, I. Galil, R. El-Yaniv, Hierarchical selective classification, NeurIPS 2024.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from hierviz.second_opinion.plain_graph import OUTSIDE, leaf, pareto_set
from hierviz.second_opinion.plain_numbers import coverage


def upward(graph, p):
    """v0, v1, ..., vm: from the most probable leaf to the root."""
    return graph.path(leaf(graph, p))[::-1]


def conformal_score(graph, p, truth):
    """p of the last node of the path that does not hold the truth, 0 where the leaf does."""
    path = upward(graph, p)
    for j, node in enumerate(path):
        if node in graph.up[truth]:
            return p[path[j - 1]] if j else 0.0
    raise AssertionError("the root holds every truth")


def conformal_bound(scores, alpha):
    """q of some scores; `alpha` a Fraction."""
    rank = math.ceil((len(scores) + 1) * (1 - alpha))
    return sorted(scores)[rank - 1] if rank <= len(scores) else math.inf


def conformal_bound_of_groups(groups, alpha):
    """q of the scores of some groups, a list of lists; `alpha` a Fraction."""
    for t in sorted({score for scores in groups for score in scores}):
        shares = [Fraction(sum(score <= t for score in scores), len(scores)) for scores in groups]
        if sum(shares) / (len(groups) + 1) >= 1 - alpha:
            return t
    return math.inf


def conformal_node(graph, p, q):
    """The node above the highest node of the path with p <= q; the leaf where there is none."""
    path = upward(graph, p)
    if p[path[-1]] <= q:
        return path[-1]
    for j in reversed(range(len(path))):
        if p[path[j]] <= q:
            return path[j + 1]
    return path[0]


def climb(graph, p, theta):
    """From the most probable leaf up to the first node with p >= theta; the root where there is none."""
    for node in upward(graph, p):
        if p[node] >= theta:
            return node
    return 0


def risk_and_coverage(graph, answers, truth):
    """Of the answers to all samples [1]_."""
    wrong = [
        node == OUTSIDE or (y not in graph.up[node] and node not in graph.up[y]) for node, y in zip(answers, truth)
    ]
    covered = [coverage(graph, node) for node in answers]
    return math.fsum(covered) / len(covered), sum(wrong) / len(wrong)


def climbing_answers(graph, p):
    """(theta, node) pairs by falling theta: each node is the answer from its theta down to the next."""
    found, highest = [], -math.inf
    for node in upward(graph, p):
        if node and p[node] > highest:
            found.append((p[node], node))
            highest = p[node]
    return [(math.inf, 0), *reversed(found)]


def threshold_answers(graph, p):
    """The same of our threshold rule; the first answer holds from infinity."""
    (_, first), *rest = pareto_set(graph, p)
    return [(math.inf, first), *rest]


def selective_points(graph, rows, truth, outside, answers_of=climbing_answers):
    """(coverage, risk) at every theta at which an answer changes, the largest first, after (0, 0): all answers are the root.

    `outside` says of each sample whether its most probable class lies outside the taxonomy: the answer at every theta.
    """
    steps = [
        (-theta, i, node)
        for i, p in enumerate(rows)
        for theta, node in ([(math.inf, OUTSIDE)] if outside[i] else answers_of(graph, p))
    ]
    now, points = [(0.0, 0)] * len(rows), [(0.0, 0.0)]
    covered, wrong, last = 0.0, 0, None
    for minus, i, node in sorted(steps, key=lambda step: step[0]):
        before, after = now[i], risk_and_coverage(graph, [node], [truth[i]])
        covered, wrong, now[i] = covered + after[0] - before[0], wrong + after[1] - before[1], after
        if minus != last:
            points.append(None)
        points[-1], last = (covered / len(rows), wrong / len(rows)), minus
    return points


def trapezoids(points):
    """Area under some points (x, y), in the order of x."""
    points = sorted(points, key=lambda point: point[0])
    return math.fsum((x - a) * (y + b) / 2 for (a, b), (x, y) in pairwise(points))


def differing(graph, p):
    """The share of the thresholds from 0 to 1 at which climbing and our threshold rule answer with different nodes."""
    both = climbing_answers(graph, p), threshold_answers(graph, p)
    ends = sorted({0.0, 1.0, *(theta for answers in both for theta, _ in answers if 0 < theta < 1)})
    different = []
    for low, high in pairwise(ends):
        # The answer between two changes is that at the upper one.
        first, second = ([node for theta, node in answers if theta >= high][-1] for answers in both)
        if first != second:
            different.append(high - low)
    return math.fsum(different)


def selective(graph, rows, truth, outside=None):
    """Block ``selective``; `outside` as of `selective_points`, for no sample when absent."""
    outside = [False] * len(rows) if outside is None else outside
    shares = [0.0 if is_out else differing(graph, p) for p, is_out in zip(rows, outside, strict=True)]
    return {
        "haurc": trapezoids(selective_points(graph, rows, truth, outside)),
        "haurc_threshold": trapezoids(selective_points(graph, rows, truth, outside, threshold_answers)),
        "climbing_differs": sum(share > 0 for share in shares) / len(shares),
        "climbing_differs_mean": math.fsum(shares) / len(shares),
    }
