"""The numbers of one sample with their arithmetic written out, for people who want to check them by hand.

Conventions
-----------
Values come from the metric functions of this package; the text repeats the arithmetic with operands of six digits and
results of five, so that a reader who follows it gets the digits shown.

Functions
---------
worked_numbers
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.metrics.confusion.multi_path import confusion
from hierviz.metrics.node_pairs import with_outside
from hierviz.metrics.path import path_metrics, truncate
from hierviz.metrics.registry import path_keys
from hierviz.metrics.win import best_leaf_metrics, win_breakdown

MOST_NAMES = 6


@dataclass(frozen=True)
class Worked:
    """One number of one sample.

    Attributes
    ----------
    key : str
        Key of `METRICS`.
    value : float or int
    arithmetic : str
        How it is computed, in plain text with this sample's numbers.
    """

    key: str
    value: float
    arithmetic: str


def worked_numbers(taxonomy, truth, predicted, p=None, best_leaf=None, *, terms=None):
    """Every number of one sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth, predicted : int
        True node and answer.
    p : ndarray of float, shape (n_nodes,), optional
        Node probabilities; without them the win is left out.
    best_leaf : int, optional
        Wu's top-down leaf.
    terms : WinBreakdown, optional
        That of `p`, where it is known.

    Returns
    -------
    dict of str to Worked
    """
    numbers = _confusion(taxonomy, truth, predicted) | _path(taxonomy, truth, predicted)
    if p is not None:
        terms = win_breakdown(taxonomy, truth, p) if terms is None else terms
        numbers = _win(taxonomy, truth, np.asarray(p), terms) | numbers
    if best_leaf is not None:
        numbers |= _best_leaf(taxonomy, truth, best_leaf)
    return {key: Worked(key, value, text) for key, (value, text) in numbers.items()}


def _win(taxonomy, truth, p, terms):
    parts = " + ".join(
        f"{_weight(weight)} × {value:.6g}" for weight, value in zip(terms.weight.tolist(), terms.p.tolist())
    )
    path = " › ".join(taxonomy.title(node) for node in terms.nodes.tolist())
    words = f": weight times probability of each class on the true path {path}" if path else ""
    with np.errstate(divide="ignore"):
        log_win, log_p = (float(-np.log(value) + 0.0) for value in (terms.win, p[truth]))
    return {
        "softmax_win": (terms.win, f"{parts} = {terms.win:.5g}{words}"),
        "softmax_win_raw": (terms.raw_win, f"(root {p[0]:.6g} + {terms.win:.6g}) / 2 = {terms.raw_win:.5g}"),
        "neg_log_win": (log_win, f"−ln {terms.win:.6g} = {_number(log_win)}"),
        "cross_entropy": (log_p, f"−ln {p[truth]:.6g} = {_number(log_p)}"),
    }


def _best_leaf(taxonomy, truth, best_leaf):
    values = best_leaf_metrics(taxonomy, np.array([truth]), np.array([best_leaf]))
    value, shared = float(values["one_hot_win"][0]), int(values["shared"][0])
    name = taxonomy.title(best_leaf)
    right = f"the best leaf {name} is the truth or lies below it: 1"
    wrong = f"the best leaf {name} shares {shared} levels with the truth: 1 − 2^−{shared} = {value:.5g}"
    return {"one_hot_win": (value, right if values["finest_accuracy"][0] else wrong)}


def _path(taxonomy, truth, predicted):
    metrics = {
        key: float(value[0]) for key, value in path_metrics(taxonomy, np.array([truth]), np.array([predicted])).items()
    }
    answer = int(truncate(taxonomy, np.array([truth]), np.array([predicted]))[0])
    common = int(lowest_common_ancestors(taxonomy, np.array([truth]), np.array([answer]))[0])
    name = taxonomy.title
    cut = (
        f"the answer {name(predicted)} is below the truth and counts as {name(truth)}; " if answer != predicted else ""
    )
    same = f"answer {name(answer)}, truth {name(truth)}"
    numbers = {
        "exact": (metrics["exact"], f"{cut}{same}: {'equal' if metrics['exact'] else 'not equal'}"),
        "correct": (
            metrics["correct"],
            f"{cut}{same}: the answer {'is' if metrics['correct'] else 'is not'} the truth or one of its ancestors",
        ),
    }
    without = (
        "is the root: no answer" if metrics["no_answer"] else "is the truth" if answer == truth else "is below the root"
    )
    numbers["no_answer"] = metrics["no_answer"], f"{cut}{same}: the answer {without}"
    bits = with_outside(taxonomy.information, np.log2(taxonomy.n_leaves))
    for prefix, values, unit in (("info", bits, "bits"), ("depth", with_outside(taxonomy.depth, 1), "edges")):
        shared, claimed, due = (f"{values[node]:.6g} {unit}" for node in (common, answer, truth))
        precision, recall, f1, dist = (metrics[f"{prefix}_{what}"] for what in ("precision", "recall", "f1", "dist"))
        numbers[f"{prefix}_precision"] = (
            precision,
            f"{cut}{name(common)} {shared} / {name(answer)} {claimed} = {_ratio(precision, values[answer])}",
        )
        numbers[f"{prefix}_recall"] = (
            recall,
            f"{cut}{name(common)} {shared} / {name(truth)} {due} = {_ratio(recall, values[truth])}",
        )
        numbers[f"{prefix}_f1"] = (f1, _harmonic(precision, recall, f1))
        numbers[f"{prefix}_dist"] = (dist, f"{cut}{claimed} + {due} − 2 × {shared} = {dist:.5g} {unit}")
    # A metric whose arithmetic is not written out here shows its value.
    rest = {key: (metrics[key], f"{cut}{same}: {metrics[key]:.5g}") for key in path_keys() if key not in numbers}
    return numbers | rest


def _confusion(taxonomy, truth, predicted):
    counted = confusion(taxonomy, np.array([truth]), np.array([predicted]))
    sets = counted.node_sets(0)
    values = {key: value[0].item() for key, value in counted.per_sample.items()}
    texts = {cell: f"{_names(taxonomy, sets[cell])}: {values[cell]}" for cell in ("tp", "tn", "fp", "fn")}
    tp, fp, fn, hp, hr = (values[key] for key in ("tp", "fp", "fn", "hp", "hr"))
    texts["hp"] = f"{tp} / ({tp} + {fp}) = {_ratio(hp, tp + fp)}"
    texts["hr"] = f"{tp} / ({tp} + {fn}) = {_ratio(hr, tp + fn)}"
    texts["hf1"] = _harmonic(hp, hr, values["hf1"])
    return {key: (values[key], texts[key]) for key in texts}


def _names(taxonomy, nodes):
    if not len(nodes):
        return "no node"
    names = ", ".join(taxonomy.title(node) for node in nodes[:MOST_NAMES].tolist())
    return names if len(nodes) <= MOST_NAMES else f"{names} and {len(nodes) - MOST_NAMES} more"


def _harmonic(precision, recall, f1):
    if not precision + recall:
        return "precision and recall are both 0: 0"
    return f"2 × {precision:.6g} × {recall:.6g} / ({precision:.6g} + {recall:.6g}) = {f1:.5g}"


def _ratio(value, whole):
    return f"{value:.5g}" if whole else f"0/0, counted as {value:.5g}"


def _weight(weight):
    return "1" if weight == 1 else f"1/{round(1 / weight)}"


def _number(value):
    return "∞" if np.isinf(value) else f"{value:.5g}"
