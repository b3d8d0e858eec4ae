"""Numbers of lessons, each from one function of hierviz: a lesson itself computes none."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Figure, Number
from hierviz.messages.number_text import probability_text
from hierviz.metrics.sets.expected_sets import expected_hf1
from hierviz.taxonomy.taxonomy import NodeLists

# Of one answer against one truth: label and key of `METRICS`.
PATH = {
    "hP": "depth_precision",
    "hR": "depth_recall",
    "hF": "depth_f1",
}


def path_number(label, key, taxonomy, truth, answer):
    """A path metric of one answer, by its key of `hv.metrics.path_metrics`."""
    values = hv.metrics.path_metrics(taxonomy, np.array([truth]), np.array([answer]), truncated=False)
    return Number(label, float(values[key][0]), key, (key, taxonomy, truth, answer))


def path_numbers(taxonomy, truth, answer):
    """hP, hR and hF of one answer."""
    return tuple(path_number(label, key, taxonomy, truth, answer) for label, key in PATH.items())


def mean_number(label, key, taxonomy, truth, answers):
    """Mean of a path metric over samples."""
    values = hv.metrics.path_metrics(taxonomy, np.asarray(truth), np.asarray(answers), truncated=False)
    return Number(label, float(values[key].mean()), key, (f"mean {key}", taxonomy, tuple(truth), tuple(answers)))


def cell_numbers(taxonomy, truth, answer):
    """TP, FP, FN and TN of one answer."""
    counts = hv.confusion(taxonomy, np.array([truth]), np.array([answer])).counts
    labels = {"tp": "TP", "fp": "FP", "fn": "FN", "tn": "TN"}
    return tuple(Number(name, counts[key], key, (key, taxonomy, truth, answer)) for key, name in labels.items())


def win_number(taxonomy, truth, p, label="win"):
    """The rescaled win of one sample."""
    value = float(hv.win(taxonomy, np.array([truth]), p[None])[0])
    return Number(label, value, "softmax_win", ("win", taxonomy, truth, p))


def raw_win_number(taxonomy, truth, p, label="raw win"):
    """The raw win of one sample, with the term of the root."""
    value = float(hv.win(taxonomy, np.array([truth]), p[None], rescaled=False)[0])
    return Number(label, value, "softmax_win_raw", ("raw win", taxonomy, truth, p))


def log_numbers(taxonomy, truth, p):
    """−log win and cross entropy of one sample; infinite where their probability is 0."""
    leaves = p[taxonomy.leaves][None]
    sample = hv.Predictions.from_scores(taxonomy, leaves, "leaf_probabilities", truth=np.array([truth]))
    found = hv.evaluate(sample)["models"][0]["distribution"]
    return tuple(
        Number(label, float(str(found[key]).replace("Infinity", "inf")), key, (key, taxonomy, truth, p))
        for label, key in (("−log win", "neg_log_win"), ("cross entropy", "cross_entropy"))
    )


def p_number(taxonomy, p, node, label=None):
    """A node probability."""
    return Number(label or f"p({taxonomy.title(node)})", float(p[node]), "", ("p", taxonomy, p, node))


def expected_number(taxonomy, p, nodes, label):
    """Expected hF1 of a set of nodes."""
    value = float(expected_hf1(taxonomy, p, NodeLists.from_lists([list(nodes)]))[0])
    return Number(label, value, "hf1_samples", ("expected hf1", taxonomy, p, tuple(nodes)))


def loss_numbers(name, taxonomy, truth, scores, label=None):
    """Value of a loss and the entries of its gradient, by node."""
    values, gradient = hv.loss(name, taxonomy, np.array([truth]), np.asarray(scores, float)[None])
    label = label or hv.LOSSES[name].label
    value = Number(label, float(values[0]), "", ("loss", name, taxonomy, truth, tuple(scores)))
    entries = tuple(
        Number(f"{label}, gradient of {taxonomy.title(node)}", float(entry), "",
               ("gradient", name, taxonomy, truth, tuple(scores), column))
        for column, (node, entry) in enumerate(zip(hv.LOSSES[name].columns(taxonomy), gradient[0]))
    )  # fmt: skip
    return value, entries


def tree_figure(taxonomy, truth=(), answer=(), values=None, name="tree"):
    """The whole of a small tree."""
    what = {"truth": truth, "predicted": answer}
    return Figure(
        name,
        lambda **look: hv.charts.small_tree(taxonomy, values=values, **what, **look),
        hv_sentence("small_tree_sentence", taxonomy, **what),
        lambda: hv.charts.small_tree(taxonomy, **what).table,
    )


def probability_texts(p):
    """Probabilities as they stand beside names."""
    return [probability_text(float(value)) for value in p]


def curves_figure(curves, name="curve", marks=None, **look_of):
    """Operating curves with marks at some thresholds; further keywords as of `hv.charts.plain_curves`."""
    return Figure(
        name,
        lambda **look: hv.charts.plain_curves(curves, marks=marks, **look_of, **look),
        hv_sentence("plain_curves_sentence", curves, marks=marks),
        lambda: hv.charts.plain_curves(curves, marks=marks).table,
    )


def at_threshold(threshold):
    """The mark of a threshold, as it is written on curves."""
    return {f"τ = {threshold:.2f}": threshold}


def cells_figure(taxonomy, truth, answer):
    """The four cells of one answer."""
    found = hv.confusion(taxonomy, np.array([truth]), np.array([answer]))
    return Figure(
        "confusion",
        lambda **look: hv.charts.confusion_breakdown(taxonomy, found, 0, **look),
        hv_sentence("confusion_breakdown_sentence", taxonomy, found, 0),
        lambda: hv.charts.confusion_breakdown(taxonomy, found, 0).table,
    )


def win_figure(taxonomy, truth, p):
    """The win, term by term."""
    found = hv.win_breakdown(taxonomy, truth, p)
    return Figure(
        "win",
        lambda **look: hv.charts.win_breakdown(taxonomy, found, **look),
        hv_sentence("win_breakdown_sentence", taxonomy, found),
        lambda: hv.charts.win_breakdown(taxonomy, found).table,
    )


def bars_figure(name, series, items, sentence, highlight=None):
    """Bars of some numbers; `series` holds Numbers or floats."""
    plain = {key: [float(getattr(value, "value", value)) for value in row] for key, row in series.items()}
    return Figure(
        name,
        lambda **look: hv.charts.signed_bars(plain, items, highlight=highlight, **look),
        sentence,
        lambda: hv.charts.signed_bars(plain, items).table,
    )


def intervals_figure(name, items, sentence, zero=False, highlight=None):
    """Estimates with their ends; `items` holds three Numbers each."""
    plain = {key: tuple(float(number.value) for number in row) for key, row in items.items()}
    return Figure(
        name,
        lambda **look: hv.charts.interval_lines(plain, zero=zero, highlight=highlight, **look),
        sentence,
        lambda: hv.charts.interval_lines(plain).table,
    )


def hv_sentence(name, *arguments, **keywords):
    """A sentence of `hv.charts`, which is loaded on first use."""
    return getattr(hv.charts, name)(*arguments, **keywords)
