"""Numbers of label sets and of paths, sample by sample, with Python's sets.

Label sets: Plaud et al., CoNLL 2024. Paths: the hierarchical confusion matrix of paths in a tree, Riehl, Neunteufel &
Hemberg, JRSS-C 2023.

Conventions
-----------
The root is in no set. A predicted label outside the taxonomy is -1: one more node that is never true, with the bits of a leaf.
"""

from __future__ import annotations

import math
from fractions import Fraction
from math import sqrt

from hierviz.second_opinion.plain_graph import OUTSIDE
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
    overlaps, phantoms, same, empty, incoherent, strange = {"h": [], "ih": []}, 0, [], 0, 0, 0
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
        strange += n_outside > 0
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
        "outside_share": strange / len(truth),
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

    def macro_f1(nodes):
        supported = [v for v in nodes if count["true"][v]]
        of_some = {"macro_f1": nodes, "macro_f1_supported": supported}
        return {key: mean(f1["macro_f1"][v] for v in some) for key, some in of_some.items()}

    found |= macro_f1(range(1, graph.n))
    if graph.is_tree:
        of_depth = {
            depth: [v for v in range(1, graph.n) if graph.depth[v] == depth] for depth in range(1, max(graph.depth) + 1)
        }
        found["macro_f1_by_depth"] = {str(depth): macro_f1(nodes) for depth, nodes in of_depth.items()}
    if graph.is_tree:
        found |= icm(graph, predicted, truth)
    for prefix in ("h", "ih") if graph.is_tree else ("h",):
        found |= _means_of(prefix, overlaps[prefix])
    if rows is not None:
        trues = [closed(graph, wanted) for wanted in truth]
        areas = {"hf1_auc": ("h", True), "hf1_auc_raw": ("h", False)}
        areas |= {"ihf1_auc": ("ih", True)} if graph.is_tree else {}
        for key, (prefix, adds) in areas.items():
            beyond = [sum(node < 0 for node in listed) * outside[prefix] for listed in predicted]
            values = [_area(graph, *of, weights[prefix], adds) for of in zip(rows, trues, beyond)]
            found[key] = mean(value for value in values if value is not None)
    return found


def icm(graph, predicted, truth):
    """ICM and ICM-Norm of lists of labels: the recursive information of Amigó and Delgado, class by class.

    I of a class and others is that of the class and that of the others, less that of their deepest common ancestors.
    """
    n = len(truth)
    count = [sum(v in closed(graph, wanted) for wanted in truth) for v in range(graph.n)]

    def of_class(v):
        return 0.0 if v == 0 else math.log2(n) if v < 0 else -math.log2(max(count[v], 1) / n)

    def of_set(classes):
        if not classes:
            return 0.0
        first, *others = classes
        met = sorted({graph.common(first, other) for other in others if first >= 0 and other >= 0})
        return of_class(first) + of_set(others) - of_set(met)

    def contrast(p, g):
        union = sorted({v for v in (*p, *g) if v >= 0})
        outside = [v for v in p if v < 0]
        return 2 * of_set(sorted(set(p) - {-1}) + outside) + 2 * of_set(sorted(set(g))) - 3 * of_set(union + outside)

    value = mean(contrast(p, g) for p, g in zip(predicted, truth))
    best = mean(contrast(g, g) for g in truth)
    return {"icm": value, "icm_norm": max(0.0, (value + best) / (2 * best)) if best else None}


def _means_of(prefix, overlaps):
    precision = [shared / claimed if claimed else 1.0 for shared, claimed, _ in overlaps]
    recall = [shared / due if due else 1.0 for shared, _, due in overlaps]
    f1 = [2 * shared / (claimed + due) if claimed else 0.0 for shared, claimed, due in overlaps]
    shared, claimed, due = (math.fsum(part) for part in zip(*overlaps))
    found = {f"{prefix}f1_samples": mean(f1), f"{prefix}f1_micro": _f1(shared, claimed, due)}
    if prefix == "h":
        found |= {"hp_samples": mean(precision), "hr_samples": mean(recall)}
        found |= {"hp_micro": shared / claimed if claimed else 0.0, "hr_micro": shared / due if due else 0.0}
    return found


def _area(graph, p, true, beyond, weight, adds):
    """Area under precision over recall of the set {score >= t}, t falling, which claims `beyond` outside the taxonomy at every t.

    None where nothing is due.
    """
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
    area, before, claimed, shared, place = 0.0, (float(beyond == 0), 0.0), beyond, 0.0, 0
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


def cover(graph, labels):
    """Paths that go through all labels: always the one through most labels that are left, the first on ties."""
    known = list(dict.fromkeys(label for label in labels if label > 0))
    left, paths = set(known), []
    while left:
        best = max(known, key=lambda label: len(left & graph.up[label]))
        paths.append(graph.path(best))
        left -= graph.up[best]
    paths += [[0, OUTSIDE] for label in labels if label < 0]
    return paths or [[0]]


def nodes_of_pair(graph, true, path):
    """The nodes behind TP, TN, FP and FN of a true and a predicted path: four lists."""
    k = _shared(path, true)
    siblings = set().union(*(graph.children[node] for node in true[: k - 1])) - set(true)
    below = set(graph.children[true[k - 1]]) - set(true) - set(path)
    return true[1:k], [*siblings, *below], path[k:], true[k:]


def _shared(path, other):
    k = 0
    while k < min(len(path), len(other)) and path[k] == other[k]:
        k += 1
    return k


def cells(graph, names, truths, predicted):
    """[tp, tn, fp, fn] of one sample: true ends in order, predicted paths."""
    waiting = list(dict.fromkeys(truths))
    paths = {truth: graph.path(truth) for truth in waiting}
    total = [0, 0, 0, 0]

    def shared(path, truth):
        return _shared(path, paths[truth])

    def called(path):
        return [names[node] if node >= 0 else "" for node in path]

    reach = [max((shared(path, truth) for truth in waiting), default=0) for path in predicted]
    # By falling reach; of equal ones the path whose names come last.
    order = sorted(range(len(predicted)), key=lambda i: called(predicted[i]), reverse=True)
    order.sort(key=lambda i: -reach[i])
    for i in order:
        path = predicted[i]
        if not waiting:
            total[2] += len(path) - 1
            continue
        truth = max(waiting, key=lambda truth: shared(path, truth))
        for place, nodes in enumerate(nodes_of_pair(graph, paths[truth], path)):
            total[place] += len(nodes)
        waiting.remove(truth)
    total[3] += sum(len(paths[truth]) - 1 for truth in waiting)
    return total


def confusion(graph, names, truths, predicted):
    """Block ``confusion`` from exact sums: lists of true ends and of predicted paths of each sample."""
    tp, tn, fp, fn = (sum(part) for part in zip(*(cells(graph, names, *pair) for pair in zip(truths, predicted))))
    tpr, tnr, product = _over(tp, tp + fn), _over(tn, tn + fp), (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    pt = None
    if tpr is not None and tnr is not None and tpr + tnr != 1:
        pt = (sqrt(tpr * (1 - tnr)) + float(tnr) - 1) / float(tpr + tnr - 1)
    found = {
        "acc": _over(tp + tn, tp + tn + fp + fn),
        "ppv": _over(tp, tp + fp),
        "tpr": tpr,
        "fnr": _over(fn, tp + fn),
        "fpr": _over(fp, tn + fp),
        "tnr": tnr,
        "f1": _over(2 * tp, 2 * tp + fp + fn),
    }
    return {key: None if value is None else float(value) for key, value in found.items()} | {
        "tp": tp,
        "tn": tn,
        "fp": fp,
        "fn": fn,
        "pt": pt,
        "mcc": (tp * tn - fp * fn) / sqrt(product) if product else None,
    }


def _over(part, whole):
    return Fraction(part, whole) if whole else None
