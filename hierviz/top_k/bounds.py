"""An interval for each number of an evaluation that has one, when only some scores of each sample are listed.

Conventions
-----------
An interval contains the number that all scores would give, and never widens as more of the best scores are listed. The number
computed without the unlisted scores may lie outside. Trees and one truth a sample; block ``labels`` takes several.

Functions
---------
bounds, curve_bounds
"""

from __future__ import annotations

import numpy as np

from hierviz.metrics.confusion.pair_counts import count_in_tree
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.metrics.win import best_leaf_metrics
from hierviz.top_k.answers import reachable_answers, reachable_leaves
from hierviz.top_k.curve_bounds import CurveBounds
from hierviz.top_k.set_bounds import SetBounds
from hierviz.top_k.unknown_mass import node_bounds
from hierviz.top_k.win_bounds import win_bounds

# Bounds of a block of rows: 8 MB each.
BLOCK_VALUES = 1 << 20
# Threshold of the rules that have an interval; None: the threshold that is asked for.
RULES = {"majority": 0.5, "threshold": None, "leaf": -np.inf, "top_down": None}


def bounds(predictions, rows, rule="majority", threshold=0.5):
    """Intervals of the numbers of `hierviz.evaluate`.

    Parameters
    ----------
    predictions : Predictions
        With scores that are unknown (`Predictions.has_unknown`), on a tree.
    rows : ndarray of int
        Samples with a known truth, at least one.
    rule : str
        Key of `INFERENCE_RULES`; blocks ``predicted`` and ``confusion`` have intervals with `RULES` only.
    threshold : float
        Of the rule ``threshold`` and of the sets of block ``labels``.

    Returns
    -------
    dict of str to dict of str to [low, high]
        By block and key; a number without an interval is not there.
    """
    taxonomy, has_one = predictions.taxonomy, predictions.has_single_truth
    sets = SetBounds(taxonomy, threshold, predictions.parametrisation == "leaf_probabilities")
    curve, extremes = CurveBounds(), {name: [] for name in ("top_down", "argmax", "predicted", "majority", "leaf")}
    step = RULES.get(rule)
    at = {"majority": 0.5, "leaf": -np.inf} | (
        {} if rule == "top_down" else {"predicted": threshold if step is None else step}
    )
    for block in _blocks(taxonomy, rows):
        low, high = node_bounds(predictions, block)
        sets.add(predictions.truth[block] if has_one else predictions.truth.take(block), low, high)
        if not has_one:
            continue
        truth = predictions.truth[block]
        answers, leaves = reachable_answers(taxonomy, truth, low, high), reachable_leaves(taxonomy, truth, low, high)
        curve.add(taxonomy, truth, answers)
        for name, where in at.items():
            extremes[name].append(_extremes_of_path(taxonomy, truth, answers.at(where)))
        if rule == "top_down":
            extremes["predicted"].append(_extremes_of_path(taxonomy, truth, leaves))
        extremes["top_down"].append(_extremes_of_leaf(taxonomy, truth, leaves))
        extremes["argmax"].append(_extremes_of_leaf(taxonomy, truth, answers.at(-np.inf)))
    found = {"labels": sets.summary()}
    if has_one:
        of = {name: _joined(parts) for name, parts in extremes.items()}
        found["distribution"] = _distribution(predictions, rows)
        found["top_down"] = _top_down(of["top_down"], of["argmax"])
        f1 = {"majority_f1": _mean(of["majority"]["info_f1"]), "leaf_f1": _mean(of["leaf"]["info_f1"])}
        found["curve"] = curve.summary() | f1
        if rule in RULES:
            found["predicted"] = {key: _mean(of["predicted"][key]) for key in path_keys()}
            found["confusion"] = _confusion(of["predicted"])
    return found


def curve_bounds(predictions, rows):
    """CurveBounds of some samples (ndarray of int) with one known truth each, on a tree."""
    curve = CurveBounds()
    for block in _blocks(predictions.taxonomy, rows):
        truth = predictions.truth[block]
        curve.add(
            predictions.taxonomy,
            truth,
            reachable_answers(predictions.taxonomy, truth, *node_bounds(predictions, block)),
        )
    return curve


def _blocks(taxonomy, rows):
    step = max(1, BLOCK_VALUES // taxonomy.n_nodes)
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def _extremes(answers, values):
    """Lowest and highest of each of `values` (dict of arrays, shape (n_answers,)) in each row: arrays of shape (2, n_rows)."""
    start = np.flatnonzero(np.diff(answers.row, prepend=-1))
    return {
        key: np.array([np.minimum.reduceat(column, start), np.maximum.reduceat(column, start)])
        for key, column in values.items()
    }


def _extremes_of_path(taxonomy, truth, answers):
    truth = truth[answers.row]
    metrics = path_metrics(taxonomy, truth, answers.node, common=answers.common)
    tp, tn, fn = count_in_tree(taxonomy, truth, answers.node)
    cells = {"tp": tp, "tn": tn, "fp": taxonomy.depth[answers.node] - tp, "fn": fn}
    return _extremes(answers, {key: metrics[key] for key in path_keys()} | cells)


def _extremes_of_leaf(taxonomy, truth, answers):
    values = best_leaf_metrics(taxonomy, truth[answers.row], answers.node)
    return _extremes(answers, values | {"extra": values["claimed"] - values["shared"]})


def _joined(parts):
    return {key: np.concatenate([part[key] for part in parts], axis=1) for key in (parts[0] if parts else ())}


def _mean(extremes):
    return extremes.mean(axis=1).tolist()


def _distribution(predictions, rows):
    of = win_bounds(predictions, rows)
    wins, p_truth, p_root = (of[key] for key in ("win", "p_truth", "p_root"))
    # Both logarithms fall where the win and the probability of the truth grow.
    with np.errstate(divide="ignore"):
        log_win, log_truth = ([-np.log(values) + 0.0 for values in pair[::-1]] for pair in (wins, p_truth))
    raw = [(root + value) / 2 for root, value in zip(p_root, wins)]
    return {
        "softmax_win": [values.mean() for values in wins],
        "softmax_win_raw": [values.mean() for values in raw],
        "neg_log_win": [values.mean() for values in log_win],
        "neg_log_win_infinite": [int(np.isinf(values).sum()) for values in log_win],
        "cross_entropy": [values.mean() for values in log_truth],
        "cross_entropy_infinite": [int(np.isinf(values).sum()) for values in log_truth],
    }


def _top_down(walked, argmax):
    keys = ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy")
    shared, extra, due = (walked[key].sum(axis=1) for key in ("shared", "extra", "due"))
    extra, due = extra[::-1], due[0]
    found = {key: _mean(walked[key]) for key in keys}
    found["argmax_leaf_accuracy"] = _mean(argmax["finest_accuracy"])
    if (shared + extra).all():
        found["aggregate_precision"] = (shared / (shared + extra)).tolist()
    if due:
        found["aggregate_recall"] = (shared / due).tolist()
        found["aggregate_f1"] = (2 * shared / (shared + extra + due)).tolist()
    return found


def _confusion(of_answers):
    """Counts, and the ratios that grow with one count and fall with the others."""
    found = {cell: of_answers[cell].sum(axis=1) for cell in ("tp", "tn", "fp", "fn")}
    tp, tn, fp, fn = found.values()
    ratios = {
        "acc": (tp + tn, (fp + fn)[::-1]),
        "ppv": (tp, fp[::-1]),
        "tpr": (tp, fn[::-1]),
        "fnr": (fn, tp[::-1]),
        "fpr": (fp, tn[::-1]),
        "tnr": (tn, fp[::-1]),
        "f1": (2 * tp, (fp + fn)[::-1]),
    }
    measures = {key: (part / (part + rest)).tolist() for key, (part, rest) in ratios.items() if (part + rest).all()}
    return {key: values.tolist() for key, values in found.items()} | measures
