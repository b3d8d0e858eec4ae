"""Numbers of scores and of single answers, sample by sample: win, best leaves, answers and operating curves.

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
.. [2] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [3] S. Goren, I. Galil, R. El-Yaniv, Hierarchical selective classification, NeurIPS 2024.
"""

from __future__ import annotations

import math
from itertools import pairwise

from hierviz.second_opinion.plain_graph import OUTSIDE, leaf, pareto_set
from hierviz.second_opinion.plain_graph import top_down as top_down_leaf


def mean(values):
    """Mean of some numbers, None of none."""
    values = list(values)
    return None if not values else math.inf if math.inf in values else math.fsum(values) / len(values)


def _surprise(value):
    return -math.log(value) if value > 0 else math.inf


def win(graph, p, truth):
    """The rescaled win of one sample [1]_: its root is left out, and the truth counts twice."""
    return sum(2.0 ** -graph.depth[v] * p[v] for v in graph.up[truth] if v) + 2.0 ** -graph.depth[truth] * p[truth]


def distribution(graph, rows, truth):
    """Block ``distribution`` [1]_."""
    wins = [win(graph, p, y) for p, y in zip(rows, truth)]
    raw = [(p[0] + value) / 2 for p, value in zip(rows, wins)]
    own = [p[y] for p, y in zip(rows, truth)]
    losses, entropies = [_surprise(win) for win in wins], [_surprise(value) for value in own]
    return {
        "softmax_win": mean(wins),
        "softmax_win_raw": mean(raw),
        "neg_log_win": mean(losses),
        "neg_log_win_infinite": losses.count(math.inf),
        "cross_entropy": mean(entropies),
        "cross_entropy_infinite": entropies.count(math.inf),
        "cross_entropy_finite_mean": mean(value for value in entropies if value < math.inf),
    }


def best_leaf(graph, truth, leaf):
    """What [1]_ reports of one leaf of one sample, and the nodes that paths share, claim and are due without the root."""
    found = truncated(graph, truth, leaf)
    m = len(graph.up[found] & graph.up[truth]) - 1
    return {
        "one_hot_win": 1.0 if found == truth else 1 - 2.0**-m,
        "coarsest_accuracy": float(m > 0 or found == truth),
        "parents_accuracy": float(found != OUTSIDE and graph.parents[found] == graph.parents[truth]),
        "finest_accuracy": float(found == truth),
        "shared": float(m),
        "claimed": float(graph.depth[found]),
        "due": float(graph.depth[truth]),
    }


def is_in_top(graph, p, truth, k, is_outside=False):
    """Whether one of the k most probable leaves is the truth or below it; of equal ones the first.

    Where the most probable class lies outside the taxonomy, `is_outside`, it is one of the k.
    """
    ranked = sorted(graph.leaves, key=lambda leaf: (-p[leaf], leaf))
    return any(truth in graph.up[leaf] for leaf in ranked[: k - is_outside])


def top_down(graph, rows, truth, outside):
    """Block ``top_down`` [1]_: the leaf that is found from the root down, and the most probable one.

    `outside` says of each sample whether its most probable class lies outside the taxonomy, which every rule then answers.
    """
    samples = list(zip(rows, truth, outside, strict=True))
    found = [best_leaf(graph, y, OUTSIDE if is_out else top_down_leaf(graph, p)) for p, y, is_out in samples]
    shared, claimed, due = (sum(one[key] for one in found) for key in ("shared", "claimed", "due"))
    wrong = [
        (OUTSIDE if is_out else leaf(graph, p), y) for p, y, is_out in samples if not is_in_top(graph, p, y, 1, is_out)
    ]
    means = ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
    return {key: mean(one[key] for one in found) for key in means} | {
        "argmax_leaf_accuracy": 1 - len(wrong) / len(truth),
        "top5_leaf_accuracy": mean(float(is_in_top(graph, p, y, 5, is_out)) for p, y, is_out in samples),
        "error_lca_height": mean(graph.height[graph.common(*pair)] for pair in wrong),
        "aggregate_precision": shared / claimed if claimed else None,
        "aggregate_recall": shared / due if due else None,
        "aggregate_f1": 2 * shared / (claimed + due) if claimed + due else None,
    }


def truncated(graph, truth, answer):
    """The truth where the answer is below it, else the answer."""
    return truth if truth in graph.up[answer] and answer != OUTSIDE else answer


def path_values(graph, truth, answer, is_truncated=True):
    """Every number of one answer [2]_, section 2 of which truncates it at the truth."""
    answered = answer
    answer = truncated(graph, truth, answer) if is_truncated else answer
    common, is_inside = graph.common(truth, answer), answer != OUTSIDE
    found = {"exact": float(answer == truth), "correct": float(is_inside and common in (answer, truth))}
    found["no_answer"] = float(not graph.depth[answer] and graph.depth[truth] > 0)
    for prefix, value in (("info", graph.information), ("depth", graph.depth)):
        precision = value[common] / value[answer] if value[answer] else float(is_inside)
        recall = value[common] / value[truth] if value[truth] else float(is_inside)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        distance = value[truth] + value[answer] - 2 * value[common]
        found |= {f"{prefix}_precision": precision, f"{prefix}_recall": recall, f"{prefix}_f1": f1}
        found[f"{prefix}_dist"] = distance
    return found | {"selective_coverage": coverage(graph, answered)}


def coverage(graph, answer):
    """How much of a leaf's information an answer claims [3]_."""
    return 1 - math.log2(graph.n_below[answer]) / math.log2(len(graph.leaves)) if len(graph.leaves) > 1 else 1.0


def outcome(graph, truth, answer):
    """What an answer is, in one word."""
    if answer == OUTSIDE:
        return "wrong"
    if truth in graph.up[answer]:
        return "exact"
    if answer not in graph.up[truth]:
        return "wrong"
    return "coarse" if graph.parents[answer] else "no_answer"


def predicted(graph, answers, truth):
    """Block ``predicted``: means over samples, and how many samples have each outcome."""
    values = [path_values(graph, y, answer) for answer, y in zip(answers, truth)]
    outcomes = [outcome(graph, y, answer) for answer, y in zip(answers, truth)]
    counts = {f"n_{key}": outcomes.count(key) for key in ("exact", "coarse", "no_answer", "wrong")}
    return {key: mean(of_sample[key] for of_sample in values) for key in values[0]} | counts


def area_below_envelope(x, y):
    """Section 5 of [2]_: steps from 0 through the sorted x, each as high as the best y at or beyond."""
    ordered = sorted(zip(x, y))
    highest, total = 0.0, 0.0
    for (left, _), (right, height) in zip(reversed([(0.0, 0.0), *ordered[:-1]]), reversed(ordered)):
        highest = max(highest, height)
        total += (right - left) * highest
    return total


def best_at_correct(x, correct, level):
    """The best x where at least this share is correct, but for rounding; 0 where nowhere."""
    return max((value for value, share in zip(x, correct) if share >= level - 1e-12), default=0.0)


def curve(graph, rows, truth, outside):
    """Block ``curve``: the answers at every threshold, in falling order of the thresholds; `outside` as of `top_down`."""
    n, steps = len(rows), []
    now = dict.fromkeys(path_values(graph, 0, 0), 0.0)
    for place, (p, y, is_out) in enumerate(zip(rows, truth, outside, strict=True)):
        nodes = [(1.0, OUTSIDE)] if is_out else pareto_set(graph, p)
        answers = [(score, path_values(graph, y, node)) for score, node in nodes]
        for key, value in answers[0][1].items():
            now[key] += value
        for (_, before), (score, after) in pairwise(answers):
            steps.append((-score, place, before, after))
    steps.sort(key=lambda step: step[:2])
    points, thresholds = [dict(now)], []
    for score, _, before, after in steps:
        if not thresholds or -score != thresholds[-1]:
            thresholds.append(-score)
            points.append(None)
        for key in now:
            now[key] += after[key] - before[key]
        points[-1] = dict(now)
    points = [{key: value / n for key, value in point.items()} for point in points]
    # Shares of whole numbers, without what sums have added to them.
    for point in points:
        for key in ("correct", "exact"):
            point[key] = round(point[key] * n) / n

    def of(function, x, y, *level):
        return function([point[x] for point in points], [point[y] for point in points], *level)

    return {
        "ap": of(area_below_envelope, "info_recall", "info_precision"),
        "ac": of(area_below_envelope, "info_recall", "correct"),
        "ac_exact": of(area_below_envelope, "exact", "correct"),
        "depth_ap": of(area_below_envelope, "depth_recall", "depth_precision"),
        "depth_ac": of(area_below_envelope, "depth_recall", "correct"),
        "recall_at_90_correct": of(best_at_correct, "info_recall", "correct", 0.90),
        "recall_at_95_correct": of(best_at_correct, "info_recall", "correct", 0.95),
        "majority_f1": points[sum(score > 0.5 for score in thresholds)]["info_f1"],
        "leaf_f1": points[-1]["info_f1"],
        "n_points": len(points),
    }
