"""The same numbers from scikit-learn and hiclass, where they are installed and define them as hierviz does.

Functions
---------
from_scikit_learn, from_hiclass, is_installed
"""

from __future__ import annotations

import importlib
import warnings

import numpy as np

from hierviz.second_opinion.plain_graph import OUTSIDE
from hierviz.second_opinion.plain_sets import closed

NO_OUTSIDE = "scikit-learn has no labels outside the taxonomy"


def is_installed(package):
    """Whether a package can be imported, with all that it needs."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(package)
    except Exception:  # one that was built or copied by halves raises whatever it comes to
        return False
    return True


def from_scikit_learn(graph, predicted, truth, rows, single_truth, outside=()):
    """Numbers by ``block.key`` -> (value, why they may differ by definition or None); lists as in `plain_sets.labels`.

    `outside` says of each sample whether its most probable class lies outside the taxonomy.
    """
    from sklearn import metrics

    found = {}
    if graph.n == 2:
        # One column of labels is a binary problem there, in which both classes count.
        return found
    true, chosen = (_indicators(graph, sets) for sets in ([closed(graph, one) for one in truth], predicted))
    why = NO_OUTSIDE if any(-1 in one for one in predicted) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, name in (("precision", "precision_score"), ("recall", "recall_score"), ("f1", "f1_score")):
            score = getattr(metrics, name)(true, chosen, average="micro", zero_division=0)
            found[f"labels.micro_{key}"] = float(score), why
        found["labels.macro_f1"] = float(metrics.f1_score(true, chosen, average="macro", zero_division=0)), None
        found["labels.hamming_loss"] = float(metrics.hamming_loss(true, chosen)), why
        found["labels.subset_accuracy"] = float(metrics.accuracy_score(true, chosen)), why
        if single_truth is not None and len(graph.leaves) > 1 and all(not graph.children[y] for y in single_truth):
            found |= _of_leaves(graph, rows, single_truth, metrics, NO_OUTSIDE if any(outside) else None)
    return found


def _of_leaves(graph, rows, truth, metrics, why):
    p = np.array(rows)[:, graph.leaves]
    found, place = {}, {leaf: i for i, leaf in enumerate(graph.leaves)}
    y = [place[leaf] for leaf in truth]
    found["top_down.argmax_leaf_accuracy"] = float(metrics.accuracy_score(y, p.argmax(axis=1))), why
    if len(graph.leaves) > 5:
        top = metrics.top_k_accuracy_score(y, p, k=5, labels=range(len(graph.leaves)))
        ordered = np.sort(p, axis=1)
        has_ties = (ordered[:, -5] == ordered[:, -6]).any()
        found["top_down.top5_leaf_accuracy"] = (
            float(top),
            why or ("scikit-learn orders ties the other way" if has_ties else None),
        )
    reason = None
    if (p[np.arange(len(y)), y] < 1e-15).any():
        reason = "scikit-learn replaces probabilities of 0 by a small number, hierviz reports an infinite mean"
    elif np.abs(p.sum(axis=1) - 1).max() > 1e-12:
        reason = "scikit-learn divides by the sum of the leaves, hierviz takes p as it is"
    loss = metrics.log_loss(y, p, labels=range(len(graph.leaves)))
    found["distribution.cross_entropy"] = float(loss), reason
    return found


def from_hiclass(graph, names, answers, truth):
    """hP, hR and hF of one best leaf a sample by hiclass, as `from_scikit_learn`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from hiclass import metrics

        reason = "hiclass has no truncation: a leaf below the truth counts as too deep"
        reason = reason if any(graph.children[y] for y in truth) else None
        true, chosen = (_levels(graph, names, nodes) for nodes in (truth, answers))
        return {
            f"top_down.aggregate_{key}": (float(getattr(metrics, key)(true, chosen, average="micro")), reason)
            for key in ("precision", "recall", "f1")
        }


def _indicators(graph, sets):
    table = np.zeros((len(sets), graph.n - 1), dtype=int)
    for row, nodes in zip(table, sets):
        row[[node - 1 for node in nodes if node > 0]] = 1
    return table


def _levels(graph, names, nodes):
    """One column a level, "" below the node."""
    table = np.full((len(nodes), max(graph.depth)), "", dtype=object)
    for row, node in zip(table, nodes):
        path = graph.path(node)[1:]
        row[: len(path)] = [names[one] if one != OUTSIDE else "(outside)" for one in path]
    return table
