"""Lesson 6: confusion of paths; four cells, several paths, graphs, and the MCC of a constant answer."""

from __future__ import annotations

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Exercise, Figure, Lesson, Number, OnData, Result, Selector, Slider, Step
from hierviz.lessons.quantities import cell_numbers, cells_figure, tree_figure
from hierviz.lessons.trees import SHOP, SPORTS_SHOP, leaf_names
from hierviz.metrics.confusion.constant_paths import best_constant_by_mcc
from hierviz.taxonomy.taxonomy import NodeLists

CLASSES = tuple(SHOP.title(node) for node in range(1, SHOP.n_nodes))
SHARES = {"T-shirt": 60, "boots": 20, "kettle": 15, "rake": 5}
CONSTANT = ("T-shirt", "tops", "clothing", "boots", "kettle")


def four_cells(truth="T-shirt", answer="jumper"):
    """The cells of one answer."""
    true, node = SHOP.nodes(truth, answer).tolist()
    numbers = cell_numbers(SHOP, true, node)
    start = cell_numbers(SHOP, *SHOP.nodes("T-shirt", "jumper").tolist())[3]
    found = hv.confusion(SHOP, np.array([true]), np.array([node]))
    names = ", ".join(SHOP.title(int(one)) for one in found.node_sets(0)["tn"]) or "none"
    return Result(
        f"For T-shirt and jumper TN is {start.text}. True negatives are not all other classes: only the siblings of the "
        "shared classes that are not on the true path, and, where the paths part, the children that "
        f"are on neither. Now they are: {names}. A tree of thousands of classes would otherwise have thousands of true "
        "negatives for every answer. The later a mistake happens, the more "
        "steps were right before it, and the more true negatives there are; so accuracy (ACC) over the four cells flatters "
        "late mistakes, and F1 is the better number to compare models by.",
        ("0", "3", "10", "14").index(start.text),
        numbers=numbers,
        before=(tree_figure(SHOP, true, node),),
        after=(cells_figure(SHOP, true, node),),
    )


def several_paths(second="kettle"):
    """Two truths, two predictions, matched one to one."""
    truth = SHOP.nodes("T-shirt", "saucepan").tolist()
    predicted = SHOP.nodes(second, "jumper").tolist()

    def matched(answers):
        found = hv.confusion(SHOP, NodeLists.from_lists([truth]), NodeLists.from_lists([answers]))
        return found, [
            (SHOP.title(int(pair.predicted[-1])), SHOP.title(int(pair.true[-1]))) for pair in found.pairs(0).pairs
        ]

    found, pairs = matched(predicted)
    _, at_start = matched(SHOP.nodes("kettle", "jumper").tolist())
    counts = found.counts
    made = (SHOP, tuple(truth), tuple(predicted))
    numbers = tuple(Number(key.upper(), counts[key], key, (f"lists {key}", *made)) for key in ("tp", "fp", "fn", "tn"))
    figure = Figure(
        "paths",
        lambda **look: hv.charts.path_graph(SHOP, found, 0, truth=truth, predicted=predicted, **look),
        hv.charts.path_graph(SHOP, found, 0).sentence,
        lambda: hv.charts.path_graph(SHOP, found, 0).table,
    )
    return Result(
        f"{'; '.join(f'*{answer}* is compared with *{true}*' for answer, true in at_start)} at the start: the prediction "
        "that shares the longest path with any truth chooses first, and takes that truth with it. "
        f"Now: {'; '.join(f'{answer} with {true}' for answer, true in pairs)}. TP {numbers[0].text}, FP {numbers[1].text}, "
        f"FN {numbers[2].text}. A prediction with nothing in common still takes a truth; a surplus prediction is all false "
        "positives, "
        "a truth left over all false negatives. An ancestor on two paths counts twice. The match is greedy and not always "
        "the best one.",
        ("T-shirt", "saucepan").index(dict(at_start)["jumper"]),
        numbers=numbers,
        before=(tree_figure(SHOP, truth, predicted),),
        after=(figure,),
    )


def graphs(answer="boots"):
    """A truth with two paths."""
    truth = SPORTS_SHOP.node("trainers")

    def found_for(name):
        return hv.confusion(SPORTS_SHOP, np.array([truth]), SPORTS_SHOP.nodes(name))

    found = found_for(answer)
    start = found_for("boots").pairs(0).pairs[0]
    way = SPORTS_SHOP.title(int(start.true[1]))
    pair = found.pairs(0).pairs[0]
    counts = found.counts
    numbers = tuple(
        Number(key.upper(), counts[key], key, (f"graph {key}", SPORTS_SHOP, truth, SPORTS_SHOP.node(answer)))
        for key in ("tp", "fp", "fn", "tn")
    )
    drawn = {"truth": (truth,), "predicted": (SPORTS_SHOP.node(answer),), "nodes": range(SPORTS_SHOP.n_nodes)}

    def drawing(confusion, sentence):
        return Figure(
            "paths",
            lambda **look: hv.charts.path_graph(SPORTS_SHOP, confusion, 0, **drawn, **look),
            sentence,
            lambda: hv.charts.path_graph(SPORTS_SHOP, confusion, 0, **drawn).table,
        )

    return Result(
        f"The answer boots is compared with the path through **{way}**: of all paths to the truth the one counts that "
        f"shares the longest start with the answer. For the answer {answer} it is "
        f"{' > '.join(SPORTS_SHOP.title(int(node)) for node in pair.true)}: TP {numbers[0].text}, FP {numbers[1].text}, FN "
        f"{numbers[2].text}. So TP + FN, the length of the true path, depends on the answer in a graph; in a tree it does "
        "not.",
        ("clothing", "sports").index(way),
        numbers=numbers,
        asked=(
            drawing(
                None,
                f"{SPORTS_SHOP.n_nodes} classes of a shop; two edges lead to trainers, from shoes and from running.",
            ),
        ),
        before=(drawing(found, hv.charts.path_graph(SPORTS_SHOP, found, 0, nodes=drawn["nodes"]).sentence),),
    )


def constant_answers(constant="T-shirt", **shares):
    """The MCC of always giving one answer."""
    total = sum(shares.values())
    shares = shares if total else SHARES
    truth = np.repeat(SHOP.nodes(*shares), [int(share) for share in shares.values()])

    def mcc_of(name, truths, label):
        node = SHOP.node(name)
        value = hv.confusion(SHOP, truths, np.full(len(truths), node)).measures["mcc"]
        return Number(label, value, "mcc", ("constant mcc", SHOP, tuple(truths.tolist()), node))

    start = np.repeat(SHOP.nodes(*SHARES), list(SHARES.values()))
    at_start, now = (
        mcc_of("T-shirt", start, "MCC of T-shirt at the start"),
        mcc_of(constant, truth, f"MCC of always {constant}"),
    )
    best, found = best_constant_by_mcc(SHOP, truth)
    best_mcc = Number(
        "MCC of the best constant answer",
        found.measures["mcc"],
        "mcc",
        ("constant mcc", SHOP, tuple(truth.tolist()), int(best)),
    )
    f1 = Number(
        f"F1 of always {constant}",
        hv.confusion(SHOP, truth, np.full(len(truth), SHOP.node(constant))).measures["f1"],
        "f1",
        ("constant f1", SHOP, tuple(truth.tolist()), SHOP.node(constant)),
    )
    return Result(
        f"Always answering T-shirt has an MCC of {at_start.text} at the start, although it looks at nothing: true negatives "
        f"reward every right step near the top. Now, always answering {constant} has {now.text}, and the best constant "
        "answer, "
        f"*{SHOP.title(int(best))}*, {best_mcc.text}. The multi-class MCC of a flat classifier is 0 or undefined for every "
        "constant answer; here the counts of all classes are pooled.  "
        "\n\nThis happens in print. For the transposon data of Riehl et al. (2023, Table III) the best constant answer "
        "reaches an MCC of .49, above four "
        "of the six published methods. So hierviz shows the best constant answer beside every confusion.",
        0 if at_start.value > 0 else 1 if at_start.value == 0 else 2,
        numbers=(now, f1, best_mcc, at_start),
        before=(
            tree_figure(
                SHOP,
                (),
                SHOP.node(constant),
                values=[
                    f"{int((truth == node).sum())} true" if SHOP.is_leaf[node] and (truth == node).any() else ""
                    for node in range(SHOP.n_nodes)
                ],
            ),
        ),
    )


def solution():
    """Exchange truth and answer."""
    a, b = SHOP.nodes("saucepan", "kettle").tolist()
    one, other = cell_numbers(SHOP, a, b), cell_numbers(SHOP, b, a)
    return Result(
        f"Truth saucepan, answer kettle: {', '.join(f'{number.label} {number.text}' for number in one)}. Exchanged: "
        f"{', '.join(f'{number.label} {number.text}' for number in other)}. FP and FN change places, TP and TN stay.",
        0,
        numbers=(*one, *other),
        before=(tree_figure(SHOP, a, b, name="exercise"),),
    )


LESSON = Lesson(
    "confusion",
    "Confusion of paths",
    "Four cells for two paths, for several paths and in graphs; and how good a constant answer looks.",
    (
        Step(
            "Two paths, four cells",
            "Choose a true class and an answer. Each stands for its path from the root.",
            "The truth is T-shirt, the answer jumper. How many classes are true negatives?",
            ("0", "3", "10", "14"),
            four_cells,
            (Selector("truth", "Truth", CLASSES, "T-shirt"), Selector("answer", "Answer", CLASSES, "jumper")),
        ),
        Step(
            "Several paths",
            "An order holds a T-shirt and a saucepan. The classifier predicts two classes: one that you choose, and "
            "*jumper*.",
            "The predictions are kettle and jumper. With which truth is *jumper* compared?",
            ("T-shirt", "saucepan"),
            several_paths,
            (Selector("second", "The other prediction", leaf_names(SHOP), "kettle"),),
        ),
        Step(
            "Graphs",
            "Here *trainers* have two parents: they are shoes, and they are for running. So there are two true paths.",
            "The truth is trainers, the answer boots. Through which class does the true path run that counts?",
            ("clothing", "sports"),
            graphs,
            (Selector("answer", "Answer", ("boots", "tops", "stopwatch", "football", "trainers"), "boots"),),
        ),
        Step(
            "The MCC of a constant answer",
            "A lazy classifier gives every article the same answer. Choose the answer, and how many articles of each "
            "kind there are.",
            "At the start: always T-shirt, which is true for 60 of 100 articles. Its Matthews correlation coefficient "
            "(MCC) is …",
            ("above 0", "0", "below 0"),
            constant_answers,
            (
                Selector("constant", "Always", CONSTANT, "T-shirt"),
                *(Slider(name, f"Articles: {name}", 0, 100, value, 1) for name, value in SHARES.items()),
            ),
        ),
    ),
    Exercise(
        "Exchange truth and answer in a tree. Which of the four cells change? Try *saucepan* and *kettle*.", solution
    ),
    ("confusion of paths", "TP, FP, FN, TN", "MCC", "path"),
    OnData(
        "The four counts of your answers with F1 and MCC. The page Overview shows the best constant answer beside them.",
        ("confusion.tp", "confusion.fp", "confusion.fn", "confusion.tn", "confusion.f1", "confusion.mcc"),
    ),
    sources=("Riehl et al. 2023",),
)
