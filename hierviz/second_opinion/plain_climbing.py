"""Climbing from the most probable leaf: the conformal node, and coverage and risk of selective classification.

References
----------
.. [1] S. Goren, I. Galil, R. El-Yaniv, Hierarchical selective classification, NeurIPS 2024.
"""

from __future__ import annotations

import math
from fractions import Fraction

from hierviz.second_opinion.plain_graph import leaf, pareto_set
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


def threshold_answer(graph, p, theta):
    """Our threshold rule just below theta: the last of the answers of all thresholds whose score is at least theta."""
    answers = pareto_set(graph, p)
    return [node for place, (score, node) in enumerate(answers) if place == 0 or score >= theta][-1]


def risk_and_coverage(graph, answers, truth):
    """Of the answers to all samples [1]_."""
    wrong = [y not in graph.up[node] and node not in graph.up[y] for node, y in zip(answers, truth)]
    covered = [coverage(graph, node) for node in answers]
    return math.fsum(covered) / len(covered), sum(wrong) / len(wrong)


def selective_points(graph, rows, truth, answer=climb):
    """(coverage, risk) at every distinct theta, the largest first, after (0, 0): all answers are the root."""
    thetas = sorted({p[node] for p in rows for node in range(graph.n)}, reverse=True)
    answered = ([answer(graph, p, theta) for p in rows] for theta in thetas)
    return [(0.0, 0.0), *(risk_and_coverage(graph, answers, truth) for answers in answered)]


def trapezoids(points):
    """Area under some points (x, y), in the order of x."""
    points = sorted(points, key=lambda point: point[0])
    return math.fsum((x - a) * (y + b) / 2 for (a, b), (x, y) in zip(points, points[1:]))


def differing(graph, p):
    """The share of the thresholds from 0 to 1 at which climbing and our threshold rule answer with different nodes."""
    ends = sorted({0.0, 1.0, *(value for value in p if 0 < value < 1)})
    between = ((low, high, (low + high) / 2) for low, high in zip(ends, ends[1:]))
    return math.fsum(
        high - low for low, high, theta in between if climb(graph, p, theta) != threshold_answer(graph, p, theta)
    )


def selective(graph, rows, truth):
    """Block ``selective``."""
    shares = [differing(graph, p) for p in rows]
    return {
        "haurc": trapezoids(selective_points(graph, rows, truth)),
        "haurc_threshold": trapezoids(selective_points(graph, rows, truth, threshold_answer)),
        "climbing_differs": sum(share > 0 for share in shares) / len(shares),
        "climbing_differs_mean": math.fsum(shares) / len(shares),
    }
