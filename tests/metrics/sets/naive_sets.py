"""Sets and loops straight from Plaud et al., CoNLL 2024; slow and independent of hierviz.

A graph is ``parents``: for every node its list of parents, empty for the root 0. A sample is (predicted, truth, scores):
a list of nodes with -1 for labels outside, a list of nodes, and a list of one score per node or None.
"""

import math
from itertools import pairwise

import numpy as np


def up(parents, node):
    """The node and its ancestors, root left out."""
    found = {node} - {0}
    for parent in parents[node]:
        found |= up(parents, parent)
    return found


def close(parents, nodes):
    return set().union(*(up(parents, node) for node in nodes if node >= 0))


def lowest_above(taxonomy, p):
    """The smallest p among a node and its ancestors, the root left out; an array of the shape of p."""
    low = np.array(p, dtype=float)
    for node in range(1, taxonomy.n_nodes):  # parents come before their children
        for parent in taxonomy.parents[node].tolist():
            if parent:
                low[:, node] = np.minimum(low[:, node], low[:, parent])
    return low


def leaves(parents):
    return [i for i in range(len(parents)) if all(i not in own for own in parents)]


def leaves_below(parents, node):
    return sum(node == 0 or node in up(parents, leaf) for leaf in leaves(parents))


def information(parents, node):
    return math.log2(len(leaves(parents))) - math.log2(leaves_below(parents, node))


def lca(parents, a, b):
    common = up(parents, a) & up(parents, b)
    return max(common, key=lambda node: len(up(parents, node)), default=0)


def information_of_set(parents, nodes):
    """The recursion, not the sum of increments."""
    nodes = [node for node in nodes if node != 0]
    if not nodes:
        return 0.0
    first, rest = nodes[0], nodes[1:]
    common = [lca(parents, first, other) for other in rest]
    return information(parents, first) + information_of_set(parents, rest) - information_of_set(parents, common)


def f1(tp, predicted, true):
    return 2 * tp / (predicted + true) if predicted + true else 0.0


def triple(shared, claimed, due):
    """Precision 1 where nothing is claimed, recall 1 where nothing is due, F1 0 where nothing is claimed."""
    return (
        shared / claimed if claimed else 1.0,
        shared / due if due else 1.0,
        2 * shared / (claimed + due) if claimed and claimed + due else 0.0,
    )


def area(points):
    return sum((b[1] - a[1]) * (a[0] + b[0]) / 2 for a, b in pairwise(points))


def curve(parents, scores, truth, weigh, augment):
    """Points (precision, recall), None when there is nothing to find."""
    due = weigh(truth)
    if due == 0:
        return None
    points = [(1.0, 0.0)]
    for tau in [*sorted(set(scores[1:]), reverse=True), 0.0]:
        chosen = {node for node in range(1, len(parents)) if scores[node] >= tau}
        if augment:
            chosen = close(parents, chosen)
        claimed, shared = weigh(chosen), weigh(chosen & truth)
        points.append((shared / claimed if claimed > 1e-12 else 1.0, shared / due))
        if points[-1][1] >= 1 - 1e-12:
            return points
    raise AssertionError("recall 1 is always reached")


def icm(parents, samples):
    """Mean ICM and ICM-Norm in bits of how many samples have a class; one that no sample has counts as if one had."""
    n, truths = len(samples), [close(parents, truth) for _, truth, _ in samples]
    having = {node: max(1, sum(node in truth for truth in truths)) for node in range(1, len(parents))} | {0: n}

    def bits(nodes):
        return sum(math.log2(having[parents[node][0]] / having[node]) for node in nodes)

    def icm_of(predicted, true):
        own = close(parents, predicted)
        claimed = bits(own) + sum(node < 0 for node in predicted) * math.log2(n)
        # 2 I(A) + 2 I(B) - 3 I(A or B), the union being what both claim less what they share.
        return 2 * claimed + 2 * bits(true) - 3 * (claimed + bits(true) - bits(own & true))

    found = sum(icm_of(predicted, true) for (predicted, _, _), true in zip(samples, truths)) / n
    best = sum(icm_of(true, true) for true in truths) / n
    return found, max(0.0, (found + best) / (2 * best)) if best > 1e-12 else None


def summary(parents, samples, is_tree=True):
    """Block ``labels`` of the samples, and per-sample values."""
    nodes = range(1, len(parents))
    n_leaves = len(leaves(parents))
    tables = {name: dict.fromkeys(nodes, 0) for name in ("true", "plain", "hit", "valid", "valid_hit")}
    outside = empty = incoherent = 0
    rows = []
    for predicted, truth, scores in samples:
        phantoms = sum(node < 0 for node in predicted)
        chosen, true = {node for node in predicted if node > 0}, close(parents, truth)
        closed = close(parents, chosen)
        valid = {node for node in chosen if up(parents, node) <= chosen}
        for name, some in (
            ("true", true),
            ("plain", chosen),
            ("hit", chosen & true),
            ("valid", valid),
            ("valid_hit", valid & true),
        ):
            for node in some:
                tables[name][node] += 1
        outside += phantoms
        empty += not predicted or set(predicted) == {0}
        incoherent += closed != chosen
        row = {"n_predicted": len(chosen) + phantoms, "is_equal": float(chosen == true and not phantoms)}
        row["nodes"] = (len(closed & true), len(closed) + phantoms, len(true))
        row["hp_samples"], row["hr_samples"], row["hf1_samples"] = triple(*row["nodes"])
        if is_tree:
            row["bits"] = (
                information_of_set(parents, sorted(closed & true)),
                information_of_set(parents, sorted(closed)) + phantoms * math.log2(n_leaves),
                information_of_set(parents, sorted(true)),
            )
            row["bits"] = tuple(0.0 if abs(one) < 1e-12 else one for one in row["bits"])
            row["ihf1_samples"] = triple(*row["bits"])[2]
        if scores is not None:
            weights = {"hf1_auc": (len, True), "hf1_auc_raw": (len, False)}
            if is_tree:
                weights["ihf1_auc"] = (lambda some: information_of_set(parents, sorted(some)), True)
            for name, (weigh, augment) in weights.items():
                points = curve(parents, scores, true, weigh, augment)
                row[name] = math.nan if points is None else area(points)
        rows.append(row)

    def total(name):
        return sum(tables[name].values())

    def macro(hit, predicted, some):
        values = [f1(tables[hit][v], tables[predicted][v], tables["true"][v]) for v in some]
        return sum(values) / len(values) if values else None

    def mean(key):
        values = [row[key] for row in rows if key in row and not math.isnan(row[key])]
        return sum(values) / len(values) if values else None

    def sums(key):
        if key not in rows[0]:
            return None
        shared, claimed, due = (sum(row[key][k] for row in rows) for k in range(3))
        return f1(shared, claimed, due)

    def share(key, place):
        """Precision (1) or recall (2) of the sums."""
        shared, whole = sum(row[key][0] for row in rows), sum(row[key][place] for row in rows)
        return shared / whole if whole else 0.0

    hit, predicted, true = total("hit"), total("plain") + outside, total("true")
    supported = [v for v in nodes if tables["true"][v]]
    depth = {v: len(up(parents, v)) for v in nodes}
    found = {
        "micro_precision": hit / predicted if predicted else 0.0,
        "micro_recall": hit / true if true else 0.0,
        "micro_f1": f1(hit, predicted, true),
        "macro_f1": macro("hit", "plain", nodes),
        "macro_f1_supported": macro("hit", "plain", supported),
        "hamming_loss": (predicted + true - 2 * hit) / (len(samples) * len(nodes)),
        "c_f1_micro": f1(total("valid_hit"), total("valid") + outside, true),
        "c_f1_macro": macro("valid_hit", "valid", nodes),
        "c_f1_micro_strict": f1(total("valid_hit"), predicted, true),
        "c_f1_macro_strict": macro("valid_hit", "plain", nodes),
        "hf1_samples": mean("hf1_samples"),
        "hf1_micro": sums("nodes"),
        "hp_samples": mean("hp_samples"),
        "hr_samples": mean("hr_samples"),
        "ihf1_samples": mean("ihf1_samples"),
        "ihf1_micro": sums("bits"),
        "hp_micro": share("nodes", 1),
        "hr_micro": share("nodes", 2),
        "subset_accuracy": mean("is_equal"),
        "n_empty": empty,
        "outside_share": sum(min(predicted, default=0) < 0 for predicted, _, _ in samples) / len(samples),
        "n_incoherent": incoherent,
        "hf1_auc": mean("hf1_auc"),
        "ihf1_auc": mean("ihf1_auc"),
        "hf1_auc_raw": mean("hf1_auc_raw"),
        "macro_f1_by_depth": None,
    }
    if is_tree:
        found["macro_f1_by_depth"] = {
            str(d): {
                "macro_f1": macro("hit", "plain", [v for v in nodes if depth[v] == d]),
                "macro_f1_supported": macro("hit", "plain", [v for v in supported if depth[v] == d]),
                "n_nodes": sum(depth[v] == d for v in nodes),
            }
            for d in range(1, max(depth.values()) + 1)
        }
    found["icm"], found["icm_norm"] = icm(parents, samples) if is_tree else (None, None)
    return found, rows


def expected_f1(parents, p, chosen, weigh):
    """E[hF1] of one set when the truth is a leaf drawn by p."""
    drawn = leaves(parents)
    mass = sum(p[leaf] for leaf in drawn)
    closed = close(parents, chosen)
    return sum(
        p[leaf] / mass * triple(weigh(closed & up(parents, leaf)), weigh(closed), weigh(up(parents, leaf)))[2]
        for leaf in drawn
    )
