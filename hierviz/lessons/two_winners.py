"""Numbers of lesson 9: flat softmax and parameter sharing on the demo, and the agreement of metrics."""

from functools import cache

import numpy as np

import hierviz as hv
from hierviz.comparison.agreement import kendall_by_chance
from hierviz.demo import MODELS
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import (
    METRICS,
    at_threshold,
    bars_figure,
    curves_figure,
    evaluated,
    intervals_figure,
    name_of,
    picture,
    run_all,
    tree_figure,
)

PAIR = ("flat_softmax", "parameter_sharing")
RESAMPLES = 1000
COLUMNS = (
    "Hierarchical win",
    "Cross entropy",
    "Exact, majority",
    "Correct, majority",
    "AC",
    "R@90C",
    "Finest accuracy",
)
START = ("Exact, majority", "Correct, majority")
CONTROLS = {
    "metric": Selector("metric", "Metric", ("win", "R@90C"), "win"),
    "threshold": Slider("threshold", "Threshold τ", 0.0, 1.0, 0.9, 0.01),
    "one": Selector("one", "One metric", COLUMNS, START[0]),
    "other": Selector("other", "Another one", COLUMNS, START[1]),
}


@cache
def differences():
    """Paired differences of flat softmax and parameter sharing: the win, and R@90C."""
    first, second = run_all(PAIR)
    resamples = hv.uncertainty.Resamples.draw(first.n_judged, RESAMPLES)
    wins = [
        hv.uncertainty.bootstrap_means(one.distribution_per_sample()["softmax_win"], resamples)
        for one in (first, second)
    ]
    tables = [one.judged_table for one in (first, second)]
    specific = hv.uncertainty.difference_of_models(
        first.taxonomy, first.truth, *tables, resamples, correct=[0.9]
    ).at_correct
    return {"win": hv.uncertainty.paired_difference(*wins), "R@90C": specific}


def difference_numbers(what):
    """A difference with its interval."""
    found = differences()[what]
    values = (float(np.ravel(part)[0]) for part in (found.estimate, found.lower, found.upper))
    return tuple(
        Number(label, value, "", ("difference", what, part))
        for part, (label, value) in enumerate(zip((f"{what}, difference", "lower end", "upper end"), values))
    )


def winner(what):
    """Name of the model that is clearly better, or None."""
    _, low, high = difference_numbers(what)
    return None if low.value <= 0 <= high.value else name_of(PAIR[0] if low.value > 0 else PAIR[1])


def which_is_better(metric):
    """Two metrics with opposite winners."""
    win, specific = difference_numbers("win"), difference_numbers("R@90C")
    by_win, by_curve = winner("win"), winner("R@90C")
    chosen = {"win": win, "R@90C": specific}[metric]
    return {
        "case": 0 if by_win and by_curve and by_win != by_curve else 1 if by_win or by_curve else 2,
        "by_win": by_win or "no clear difference",
        "by_curve": by_curve or "no clear difference",
        **{f"win_{part}": number for part, number in zip(("gap", "low", "high"), win)},
        **{f"curve_{part}": number for part, number in zip(("gap", "low", "high"), specific)},
        "chosen": chosen,
        **dict(zip(("gap", "low", "high"), chosen)),
        "tree": tree_figure(hv.projection.cut(run_all(PAIR)[0].taxonomy, max_depth=2)),
        "differences": intervals_figure("differences", {"win": win, "R@90C": specific}, zero=True, highlight=metric),
    }


def same_threshold(threshold):
    """The same τ at two places of two curves."""
    level = float(threshold)
    curves = {key: evaluated(key).curve for key in PAIR}
    named = {name_of(key): curve for key, curve in curves.items()}

    def number(key, label, metric):
        value = float(curves[key].at(level)[metric])
        return Number(f"{label}, {name_of(key)}", value, metric, ("demo at", key, metric, level))

    found, marks = {}, at_threshold(level)
    for place, key in zip(("first", "second"), PAIR):
        found[f"correct_{place}"] = number(key, "correct", "correct")
        found[f"recall_{place}"] = number(key, "information recall", "info_recall")
    for place, (key, curve) in zip(("first", "second"), curves.items()):
        value = float(hv.curves.specificity_at(curve, 0.9))
        label = f"R@90C, {name_of(key)}"
        found[f"at_90_{place}"] = Number(label, value, "recall_at_90_correct", ("demo r90", key))
    return {
        **found,
        "numbers": list(found.values()),
        "curve": curves_figure(dict(list(named.items())[:1]), marks=marks),
        "curves": curves_figure(named, marks=marks),
    }


@cache
def seven():
    """All demo models by some metrics, without intervals."""
    return hv.compare(run_all(MODELS), metrics=[METRICS[metric] for metric in COLUMNS], resamples=0)


def values_of(metric):
    """One metric of the seven models."""
    return [row["values"][METRICS[metric]] for row in seven().to_dict()["rows"]]


def agreement_numbers(first, second):
    """Kendall's τ-b of two metrics, what share of all orders is as far from 0, and its ends by chance."""
    key = (METRICS[first], METRICS[second])
    # More is better by all metrics but this one.
    values = [
        [-value if metric == "Cross entropy" else value for value in values_of(metric)] for metric in (first, second)
    ]
    tau = Number(f"Kendall's τ-b of {first} and {second}", hv.comparison.kendall(*values), "", ("kendall", *key))
    parts = ("share of all orders as far from 0", "lower end by chance", "upper end by chance")
    chance = kendall_by_chance(*values) or (None, None, None)
    return tau, *(
        Number(label, value, "", ("by chance", *key, part)) for part, (label, value) in enumerate(zip(parts, chance))
    )


def agreement(one, other):
    """How far metrics agree in the order of seven models."""
    start, share, low, high = agreement_numbers(*START)
    now, matrix = agreement_numbers(one, other), seven().agreement
    models = [row["model"] for row in seven().to_dict()["rows"]]
    return {
        "start": start,
        "share": share,
        "low": low,
        "high": high,
        "now": now[0],
        "now_share": now[1],
        "numbers": now if (one, other) == START else (*now, start),
        "n_models": matrix.n_methods,
        "n_metrics": len(COLUMNS),
        "ranks": bars_figure("ranks", {one: [abs(value) for value in values_of(one)]}, models),
        "matrix": picture("agreement", "agreement_matrix", matrix),
    }


def areas():
    """AC of both."""
    names, evaluations = [name_of(key) for key in PAIR], run_all(PAIR)
    first, second = evaluations
    resamples = hv.uncertainty.Resamples.draw(first.n_judged, RESAMPLES)
    found = hv.uncertainty.difference_of_models(
        first.taxonomy, first.truth, first.judged_table, second.judged_table, resamples
    ).summary["ac"]
    numbers = [
        Number(f"AC, {name}", float(one.curve.summary()["ac"]), "ac", ("demo ac", key))
        for key, name, one in zip(PAIR, names, evaluations)
    ]
    return {
        **{f"name_{place}": name for place, name in zip(("first", "second"), names)},
        **{f"ac_{place}": number for place, number in zip(("first", "second"), numbers)},
        "difference": hv.uncertainty.difference_sentence(tuple(names), found, "AC"),
    }
