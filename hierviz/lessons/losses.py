"""Numbers of lesson 10: values and gradients of two losses on the same scores."""

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.parametrisations import read_as
from hierviz.lessons.quantities import bars_figure, tree_figure
from hierviz.lessons.samples import TRIO, leaf_names

# Losses of one score a leaf.
OF_LEAVES = {hv.LOSSES[key].label: key for key in ("flat_ce", "raw_win", "log_win", "hxe")}
ACROSS = {"apple": 0.0, "pear": 0.0, "roll": 8.0, "loaf": 0.0}
INSIDE = {"apple": 0.0, "pear": 8.0, "roll": 0.0, "loaf": 0.0}
NODES = {"fruit": 0.5, "bread": 0.0, "apple": -1.0, "pear": 1.0}
APPLE, PLACE = TRIO.node("apple"), leaf_names(TRIO).index("apple")


def sliders(start, end):
    """A slider a score, from −end to end."""
    return tuple(Slider(name, f"Score of {name}", -end, end, value, 0.1) for name, value in start.items())


CONTROLS = {
    "one": Selector("one", "One loss", tuple(OF_LEAVES), "Flat cross entropy"),
    "other": Selector("other", "Another loss", tuple(OF_LEAVES), "Log win"),
    "across": sliders(ACROSS, 10.0),
    "inside": sliders(INSIDE, 10.0),
    "nodes": sliders(NODES, 5.0),
}


def loss_numbers(name, scores):
    """Value of a loss and the entries of its gradient, by node."""
    row = tuple(scores[TRIO.names[node]] for node in hv.LOSSES[name].columns(TRIO))
    values, gradient = hv.loss(name, TRIO, [APPLE], np.array([row]))
    label, made_of = hv.LOSSES[name].label, (name, TRIO, APPLE, row)
    value = Number(label, float(values[0]), "", ("loss", *made_of))
    return value, {
        TRIO.title(node): Number(
            f"{label}, gradient of {TRIO.title(node)}", float(entry), "", ("gradient", *made_of, column)
        )
        for column, (node, entry) in enumerate(zip(hv.LOSSES[name].columns(TRIO), gradient[0]))
    }


def pull(name, scores):
    """Gradient of the true leaf."""
    return loss_numbers(name, scores)[1]["apple"]


def two_losses(one, other, **scores):
    """Values and gradients of two losses, and those of the first step and of the second at their starts."""
    found = {label: loss_numbers(OF_LEAVES[label], scores) for label in (one, other)}
    pulls = {label: entries["apple"] for label, (_, entries) in found.items()}
    gradients = {label: list(entries.values()) for label, (_, entries) in found.items()}
    return {
        **{f"across_{key}": pull(key, ACROSS) for key in OF_LEAVES.values()},
        **{f"inside_{key}": pull(key, INSIDE) for key in OF_LEAVES.values()},
        "values": [value for value, _ in found.values()],
        "pulls": list(pulls.values()),
        "tree": read_as("flat_softmax", scores).tree(APPLE),
        "listed": "; ".join(f"{label}: {number.text}" for label, number in pulls.items()),
        "gradients": bars_figure("gradients", gradients, leaf_names(TRIO), PLACE),
    }


def proposition_2(**scores):
    """Conditional softmax and conditional sigmoid: the same formula with another P."""
    scores = {"roll": 0.0, "loaf": 0.0} | scores
    kinds = ("conditional_softmax", "conditional_sigmoid")
    samples = {key: read_as(key, scores) for key in kinds}
    found = {key: loss_numbers(key, scores) for key in kinds}
    rows, holds = [], []
    for node in TRIO.nodes(*NODES).tolist():
        name = TRIO.title(node)
        is_true = name in ("fruit", "apple")
        row = {"class": name, "true": "yes" if is_true else "no"}
        for key in kinds:
            short, p = key.removeprefix("conditional_"), samples[key].p
            given, entry = float(p[node] / p[TRIO.parent[node]]), found[key][1][name]
            row[f"P, {short}"] = Number("P", given, "", ("conditional", key, tuple(scores.items()), name))
            row[f"gradient, {short}"] = entry
            holds.append(np.isclose(entry.value, given - is_true, atol=1e-6))
        rows.append(row)
    gradients = {hv.LOSSES[key].label: [found[key][1][name] for name in NODES] for key in kinds}
    return {
        "agrees": all(holds),
        "values": [value for value, _ in found.values()],
        "classes": rows,
        "tree": samples["conditional_softmax"].tree(APPLE),
        "gradients": bars_figure("gradients", gradients, tuple(NODES)),
    }


def hxe_by_alpha():
    """HXE with weights that fall with depth."""
    row = [INSIDE[name] for name in leaf_names(TRIO)]

    def of_alpha(alpha):
        _, gradient = hv.loss("hxe", TRIO, [APPLE], np.array([row]), alpha=alpha)
        made_of = ("hxe gradient", alpha, tuple(row), PLACE)
        return Number(f"HXE, α = {alpha:g}", float(gradient[0, PLACE]), "", made_of)

    return {
        "alpha_0": of_alpha(0.0),
        "alpha_1": of_alpha(1.0),
        "entropy": pull("flat_ce", INSIDE),
        "tree": tree_figure(TRIO, APPLE, name="exercise"),
    }
