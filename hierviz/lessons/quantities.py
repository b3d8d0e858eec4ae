"""Numbers of lessons, each from one function of hierviz: a lesson itself computes none."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import NamedFigure, Number

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
    """hP, hR and hF of one answer, as *hp*, *hr* and *hf*."""
    return {label.lower(): path_number(label, key, taxonomy, truth, answer) for label, key in PATH.items()}


def mean_number(label, key, taxonomy, truth, answers):
    """Mean of a path metric over samples."""
    values = hv.metrics.path_metrics(taxonomy, np.asarray(truth), np.asarray(answers), truncated=False)
    return Number(label, float(values[key].mean()), key, (f"mean {key}", taxonomy, tuple(truth), tuple(answers)))


def cell_numbers(taxonomy, truth, answer):
    """TP, FP, FN and TN of one answer, as *tp*, *fp*, *fn* and *tn*."""
    found = hv.confusion(taxonomy, np.array([truth]), np.array([answer]))
    return counted(found, "", taxonomy, truth, answer)


def counted(found, kind, *made_of):
    """The four cells of a confusion by name; `kind` is written before the name of the quantity."""
    return {
        key: Number(key.upper(), found.counts[key], key, (kind + key, *made_of)) for key in ("tp", "fp", "fn", "tn")
    }


def titles(taxonomy, nodes):
    """Names of nodes, as texts list them."""
    return ", ".join(taxonomy.title(int(node)) for node in nodes)


def picture(name, chart, *of, sentence="", **also):
    """A figure of `hv.charts`, by the name of its builder; `sentence` is a text where another one than its own is shown."""
    return NamedFigure(name, getattr(hv.charts, chart)(*of, **also), sentence)


def tree_figure(taxonomy, truth=(), answer=(), values=None, name="tree"):
    """The whole of a small tree."""
    return picture(name, "small_tree", taxonomy, values=values, truth=truth, predicted=answer)


def curves_figure(curves, marks=None, **also):
    """Operating curves with marks at some thresholds; further keywords as of `hv.charts.plain_curves`."""
    return picture("curve", "plain_curves", curves, marks=marks, **also)


def at_threshold(threshold):
    """The mark of a threshold, as it is written on curves."""
    return {f"τ = {threshold:.2f}": threshold}


def cells_figure(taxonomy, truth, answer):
    """The four cells of one answer."""
    found = hv.confusion(taxonomy, np.array([truth]), np.array([answer]))
    return picture("confusion", "confusion_breakdown", taxonomy, found, 0)


def win_figure(taxonomy, truth, p):
    """The win, term by term."""
    return picture("win", "win_breakdown", taxonomy, hv.win_breakdown(taxonomy, truth, p))


def ribbon_figure(flips, threshold, name="ribbon"):
    """The answers of one sample at all thresholds, with the mark of one."""
    return picture(name, "flip_ribbon", flips, float(threshold))


def bars_figure(name, series, items, sentence, highlight=None):
    """Bars of some numbers; `series` holds Numbers or floats."""
    plain = {key: [float(getattr(value, "value", value)) for value in row] for key, row in series.items()}
    return picture(name, "signed_bars", plain, items, sentence=sentence, highlight=highlight)


def intervals_figure(name, items, sentence, zero=False, highlight=None):
    """Estimates with their ends; `items` holds three Numbers each."""
    plain = {key: tuple(float(number.value) for number in row) for key, row in items.items()}
    return picture(name, "interval_lines", plain, sentence=sentence, zero=zero, highlight=highlight)
