"""Numbers of lesson 6: four cells, several paths, graphs, and the MCC of a constant answer."""

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import cell_numbers, cells_figure, counted, picture, titles, tree_figure
from hierviz.lessons.samples import SHOP, SPORTS_SHOP, leaf_names
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.taxonomy.taxonomy import NodeLists

CLASSES = tuple(SHOP.title(node) for node in range(1, SHOP.n_nodes))
SHARES = {"T-shirt": 60, "boots": 20, "kettle": 15, "rake": 5}
ALWAYS = ("T-shirt", "tops", "clothing", "boots", "kettle")
TRAINERS = SPORTS_SHOP.node("trainers")
CONTROLS = {
    "truth": Selector("truth", "Truth", CLASSES, "T-shirt"),
    "answer": Selector("answer", "Answer", CLASSES, "jumper"),
    "second": Selector("second", "The other prediction", leaf_names(SHOP), "kettle"),
    "answer in the graph": Selector(
        "answer", "Answer", ("boots", "tops", "stopwatch", "football", "trainers"), "boots"
    ),
    "constant": Selector("constant", "Always", ALWAYS, "T-shirt"),
    "shares": tuple(Slider(name, f"Articles: {name}", 0, 100, value, 1) for name, value in SHARES.items()),
}


def four_cells(truth, answer):
    """The cells of one answer."""
    true, node = SHOP.nodes(truth, answer).tolist()
    found = hv.confusion(SHOP, np.array([true]), np.array([node]))
    return {
        "at_start": cell_numbers(SHOP, *SHOP.nodes("T-shirt", "jumper").tolist())["tn"],
        "negatives": titles(SHOP, found.node_sets(0)["tn"]) or "none",
        **cell_numbers(SHOP, true, node),
        "tree": tree_figure(SHOP, true, node),
        "cells": cells_figure(SHOP, true, node),
    }


def several_paths(second):
    """Two truths, two predictions, matched one to one."""
    truth = SHOP.nodes("T-shirt", "saucepan").tolist()

    def matched(*names):
        predicted = SHOP.nodes(*names).tolist()
        found = hv.confusion(SHOP, NodeLists.from_lists([truth]), NodeLists.from_lists([predicted]))
        pairs = [(pair.predicted[-1], pair.true[-1]) for pair in found.pairs(0).pairs]
        return predicted, found, [tuple(SHOP.title(int(node)) for node in pair) for pair in pairs]

    _, _, at_start = matched("kettle", "jumper")
    predicted, found, pairs = matched(second, "jumper")
    return {
        "at_start": "; ".join(f"*{answer}* is compared with *{true}*" for answer, true in at_start),
        "pairs": "; ".join(f"{answer} with {true}" for answer, true in pairs),
        **counted(found, "lists ", SHOP, tuple(truth), tuple(predicted)),
        "tree": tree_figure(SHOP, truth, predicted),
        "paths": picture("paths", "path_graph", SHOP, found, 0, truth=truth, predicted=predicted),
    }


def graphs(answer):
    """A truth with two paths."""

    def found_for(name):
        found = hv.confusion(SPORTS_SHOP, np.array([TRAINERS]), SPORTS_SHOP.nodes(name))
        return found, found.pairs(0).pairs[0].true

    (_, start), (found, path), node = found_for("boots"), found_for(answer), SPORTS_SHOP.node(answer)
    drawn = {"truth": (TRAINERS,), "predicted": (node,), "nodes": range(SPORTS_SHOP.n_nodes)}
    return {
        "way": SPORTS_SHOP.title(int(start[1])),
        "path": " > ".join(SPORTS_SHOP.title(int(one)) for one in path),
        **counted(found, "graph ", SPORTS_SHOP, TRAINERS, node),
        "n_classes": SPORTS_SHOP.n_nodes,
        "graph": picture("paths", "path_graph", SPORTS_SHOP, None, 0, **drawn),
        "paths": picture("paths", "path_graph", SPORTS_SHOP, found, 0, **drawn),
    }


def constant_answers(constant, **shares):
    """The MCC of always giving one answer."""
    shares = shares if sum(shares.values()) else SHARES

    def drawn(counts):
        return np.repeat(SHOP.nodes(*counts), [int(count) for count in counts.values()])

    def number(label, key, node, truths):
        value = hv.confusion(SHOP, truths, np.full(len(truths), node)).measures[key]
        return Number(label, value, key, (f"constant {key}", SHOP, tuple(truths.tolist()), int(node)))

    truth, node = drawn(shares), SHOP.node(constant)
    best, _ = best_constant_path(SHOP, truth, "mcc")
    n_true = np.bincount(truth, minlength=SHOP.n_nodes)
    return {
        "at_start": number("MCC of T-shirt at the start", "mcc", SHOP.node("T-shirt"), drawn(SHARES)),
        "now": number(f"MCC of always {constant}", "mcc", node, truth),
        "f1": number(f"F1 of always {constant}", "f1", node, truth),
        "best": SHOP.title(int(best)),
        "best_mcc": number("MCC of the best constant answer", "mcc", best, truth),
        "tree": tree_figure(SHOP, (), node, values=[f"{n} true" if n else "" for n in n_true]),
    }


def exchanged():
    """Exchange truth and answer."""
    one, other = SHOP.nodes("saucepan", "kettle").tolist()
    made = {"tree": tree_figure(SHOP, one, other, name="exercise")}
    for name, pair in (("one", (one, other)), ("other", (other, one))):
        cells = list(cell_numbers(SHOP, *pair).values())
        made |= {name: cells, f"{name}_listed": ", ".join(f"{cell.label} {cell.text}" for cell in cells)}
    return made
