"""Numbers of label sets, with Python's sets: Plaud et al., CoNLL 2024.

Conventions
-----------
The root is in no set. A predicted label outside the taxonomy is -1: one more node that is never true, with the bits of a leaf.
"""

from __future__ import annotations

import math

from hierviz.second_opinion.plain_numbers import mean


def closed(graph, nodes):
    """Nodes with their ancestors, without the root."""
    return set().union(*(graph.up[node] for node in nodes if node > 0)) - {0}


def _f1(hit, predicted, true):
    return 2 * hit / (predicted + true) if predicted + true else 0.0


def labels(graph, predicted, truth, rows=None):
    """Block ``labels``.

    Parameters
    ----------
    graph : PlainGraph
    predicted : list of list of int
        As listed, -1 outside the taxonomy.
    truth : list of list of int
    rows : list of list of float, optional
        Node probabilities, for areas.

    Returns
    -------
    dict
        ``macro_f1_by_depth`` as in the JSON.
    """
    names = ("true", "plain", "hit", "valid", "valid_hit")
    count = {name: [0] * graph.n for name in names}
    bits = [0.0] * graph.n
    if graph.is_tree:
        bits = [0.0] + [graph.information[v] - graph.information[graph.parents[v][0]] for v in range(1, graph.n)]
    weights = {"h": [0.0] + [1.0] * (graph.n - 1), "ih": bits}
    outside = {"h": 1.0, "ih": math.log2(len(graph.leaves))}
    overlaps, phantoms, same, empty, incoherent = {"h": [], "ih": []}, 0, [], 0, 0
    for listed, wanted in zip(predicted, truth):
        true, chosen = closed(graph, wanted), {node for node in listed if node > 0}
        n_outside = sum(node < 0 for node in listed)
        valid = {node for node in chosen if graph.up[node] - {0} <= chosen}
        augmented = closed(graph, chosen)
        sets = {"true": true, "plain": chosen, "hit": chosen & true, "valid": valid, "valid_hit": valid & true}
        for name, nodes in sets.items():
            for node in nodes:
                count[name][node] += 1
        phantoms += n_outside
        same.append(float(chosen == true and not n_outside))
        empty += not chosen and not n_outside
        incoherent += augmented != chosen
        for prefix, weight in weights.items():
            overlaps[prefix].append(
                (
                    math.fsum(weight[node] for node in augmented & true),
                    math.fsum(weight[node] for node in augmented) + n_outside * outside[prefix],
                    math.fsum(weight[node] for node in true),
                )
            )
    hit, valid_hit, n_true = (sum(count[name]) for name in ("hit", "valid_hit", "true"))
    n_plain, n_valid = sum(count["plain"]) + phantoms, sum(count["valid"]) + phantoms
    found = {
        "micro_precision": hit / n_plain if n_plain else 0.0,
        "micro_recall": hit / n_true if n_true else 0.0,
        "micro_f1": _f1(hit, n_plain, n_true),
        "hamming_loss": (n_plain + n_true - 2 * hit) / (len(truth) * (graph.n - 1)),
        "c_f1_micro": _f1(valid_hit, n_valid, n_true),
        "c_f1_micro_strict": _f1(valid_hit, n_plain, n_true),
        "subset_accuracy": mean(same),
        "n_empty": empty,
        "n_incoherent": incoherent,
    }
    kinds = {
        "macro_f1": ("hit", "plain"),
        "c_f1_macro": ("valid_hit", "valid"),
        "c_f1_macro_strict": ("valid_hit", "plain"),
    }
    f1 = {
        key: [_f1(count[a][v], count[b][v], count["true"][v]) for v in range(graph.n)] for key, (a, b) in kinds.items()
    }
    found |= {key: mean(values[1:]) for key, values in f1.items()}
    supported = [v for v in range(1, graph.n) if count["true"][v]]
    found["macro_f1_supported"] = mean(f1["macro_f1"][v] for v in supported)
    if graph.is_tree:
        levels = {
            depth: [v for v in range(1, graph.n) if graph.depth[v] == depth] for depth in range(1, max(graph.depth) + 1)
        }
        found["macro_f1_by_depth"] = {
            str(depth): {
                "macro_f1": mean(f1["macro_f1"][v] for v in nodes),
                "macro_f1_supported": mean(f1["macro_f1"][v] for v in nodes if count["true"][v]),
            }
            for depth, nodes in levels.items()
        }
    for prefix in ("h", "ih") if graph.is_tree else ("h",):
        found |= _means_of(prefix, overlaps[prefix])
    if rows is not None:
        trues = [closed(graph, wanted) for wanted in truth]
        areas = {"hf1_auc": ("h", True), "hf1_auc_raw": ("h", False)} | (
            {"ihf1_auc": ("ih", True)} if graph.is_tree else {}
        )
        for key, (prefix, adds) in areas.items():
            values = [_area(graph, p, true, weights[prefix], adds) for p, true in zip(rows, trues)]
            found[key] = mean(value for value in values if value is not None)
    return found


def _means_of(prefix, overlaps):
    precision, recall, f1 = [], [], []
    for shared, claimed, due in overlaps:
        precision.append(shared / claimed if claimed else 1.0)
        recall.append(shared / due if due else 1.0)
        f1.append(2 * shared / (claimed + due) if claimed and claimed + due else 0.0)
    shared, claimed, due = (math.fsum(part) for part in zip(*overlaps))
    found = {f"{prefix}f1_samples": mean(f1), f"{prefix}f1_micro": _f1(shared, claimed, due)}
    if prefix == "h":
        found |= {"hp_samples": mean(precision), "hr_samples": mean(recall)}
        found |= {"hp_micro": shared / claimed if claimed else 0.0, "hr_micro": shared / due if due else 0.0}
    return found


def _area(graph, p, true, weight, adds):
    """Area under precision over recall of the set {score >= t}, t falling; None where nothing is due."""
    due = math.fsum(weight[node] for node in true)
    if not due:
        return None
    score = list(p)
    if adds:
        # A set with its ancestors is the set of the highest scores below.
        for node in reversed(range(1, graph.n)):
            for parent in graph.parents[node]:
                score[parent] = max(score[parent], score[node])
    order = sorted(range(1, graph.n), key=lambda node: -score[node])
    last = min(score[node] for node in true if weight[node])
    area, before, claimed, shared, place = 0.0, (1.0, 0.0), 0.0, 0.0, 0
    while before[1] < 1:
        bound = score[order[place]]
        while place < len(order) and score[order[place]] == bound:
            node = order[place]
            claimed, shared = claimed + weight[node], shared + weight[node] * (node in true)
            place += 1
        recall = 1.0 if bound <= last else shared / due
        now = (shared / claimed if claimed > 1e-12 else 1.0, recall)
        area += (now[1] - before[1]) * (now[0] + before[0]) / 2
        before = now
    return area
