"""The hierarchical confusion matrix of paths in a tree, path by path: Riehl, Neunteufel & Hemberg, JRSS-C 2023."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

# A predicted label outside the taxonomy: a path of the root and itself.
OUTSIDE = -1


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
