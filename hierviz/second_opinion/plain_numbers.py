"""Numbers of scores and of single answers, sample by sample: win, best leaves, answers and operating curves.

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
.. [2] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import math
from itertools import pairwise

from hierviz.second_opinion import plain_rules


def mean(values):
    """Mean of some numbers, None of none."""
    values = list(values)
    return None if not values else math.inf if math.inf in values else math.fsum(values) / len(values)


def _surprise(value):
    return -math.log(value) if value > 0 else math.inf


def distribution(graph, rows, truth):
    """Block ``distribution`` [1]_."""
    wins, raw, own = [], [], []
    for p, y in zip(rows, truth):
        depth = graph.depth[y]
        win = sum(2.0 ** -graph.depth[v] * p[v] for v in graph.up[y] if v) + 2.0**-depth * p[y]
        wins.append(win)
        raw.append((p[0] + win) / 2)
        own.append(p[y])
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


def top_down(graph, rows, truth):
    """Block ``top_down`` [1]_: the leaf that is found from the root down, and the most probable one."""
    shared = claimed = due = 0
    lists = {key: [] for key in ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")}
    best, top5, heights = [], [], []
    for p, y in zip(rows, truth):
        found = _truncated(graph, y, plain_rules.top_down(graph, p))
        m = len(graph.up[found] & graph.up[y]) - 1
        shared, claimed, due = shared + m, claimed + graph.depth[found], due + graph.depth[y]
        lists["one_hot_win"].append(1.0 if found == y else 1 - 2.0**-m)
        lists["coarsest_accuracy"].append(float(m > 0 or found == y))
        lists["parents_accuracy"].append(float(graph.parents[found] == graph.parents[y]))
        lists["finest_accuracy"].append(float(found == y))
        ranked = sorted(graph.leaves, key=lambda leaf: (-p[leaf], leaf))
        best.append(float(y in graph.up[ranked[0]]))
        top5.append(float(any(y in graph.up[leaf] for leaf in ranked[:5])))
        if not best[-1]:
            heights.append(graph.height[graph.common(ranked[0], y)])
    return {key: mean(values) for key, values in lists.items()} | {
        "argmax_leaf_accuracy": mean(best),
        "top5_leaf_accuracy": mean(top5),
        "error_lca_height": mean(heights),
        "aggregate_precision": shared / claimed if claimed else None,
        "aggregate_recall": shared / due if due else None,
        "aggregate_f1": 2 * shared / (claimed + due) if claimed + due else None,
    }


def _truncated(graph, truth, answer):
    return truth if truth in graph.up[answer] else answer


def path_values(graph, truth, answer):
    """Every number of one answer [2]_, section 2 of which truncates it at the truth."""
    answer = _truncated(graph, truth, answer)
    common = graph.common(truth, answer)
    found = {"exact": float(answer == truth), "correct": float(common == answer)}
    found["no_answer"] = float(not graph.depth[answer] and graph.depth[truth] > 0)
    for prefix, value in (("info", graph.information), ("depth", graph.depth)):
        precision = value[common] / value[answer] if value[answer] else 1.0
        recall = value[common] / value[truth] if value[truth] else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        distance = value[truth] + value[answer] - 2 * value[common]
        found |= {f"{prefix}_precision": precision, f"{prefix}_recall": recall, f"{prefix}_f1": f1}
        found[f"{prefix}_dist"] = distance
    return found


def predicted(graph, answers, truth):
    """Block ``predicted``: means over samples, and how many samples have each outcome."""
    values = [path_values(graph, y, answer) for answer, y in zip(answers, truth)]
    counts = dict.fromkeys(("n_exact", "n_coarse", "n_no_answer", "n_wrong"), 0)
    for answer, y in zip(answers, truth):
        if y in graph.up[answer]:
            counts["n_exact"] += 1
        elif answer not in graph.up[y]:
            counts["n_wrong"] += 1
        else:
            counts["n_coarse" if graph.parents[answer] else "n_no_answer"] += 1
    return {key: mean(of_sample[key] for of_sample in values) for key in values[0]} | counts


def curve(graph, rows, truth):
    """Block ``curve``: the answers at every threshold, in falling order of the thresholds."""
    n, steps = len(rows), []
    now = dict.fromkeys(path_values(graph, 0, 0), 0.0)
    for place, (p, y) in enumerate(zip(rows, truth)):
        answers = [(score, path_values(graph, y, node)) for score, node in plain_rules.pareto_set(graph, p)]
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

    def area(x, y):
        ordered = sorted((point[x], point[y]) for point in points)
        highest, total = 0.0, 0.0
        for (left, _), (right, height) in zip(reversed([(0.0, 0.0), *ordered[:-1]]), reversed(ordered)):
            highest = max(highest, height)
            total += (right - left) * highest
        return total

    def recall_at(share):
        return max((point["info_recall"] for point in points if point["correct"] >= share - 1e-12), default=0.0)

    return {
        "ap": area("info_recall", "info_precision"),
        "ac": area("info_recall", "correct"),
        "ac_exact": area("exact", "correct"),
        "depth_ap": area("depth_recall", "depth_precision"),
        "depth_ac": area("depth_recall", "correct"),
        "recall_at_90_correct": recall_at(0.90),
        "recall_at_95_correct": recall_at(0.95),
        "majority_f1": points[sum(score > 0.5 for score in thresholds)]["info_f1"],
        "leaf_f1": points[-1]["info_f1"],
        "n_points": len(points),
    }
