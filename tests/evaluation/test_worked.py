"""The written calculation of one sample: every number equals that of the API, and every text matches its computation."""

import ast
import math
import operator
import re

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.evaluation.worked import worked_numbers
from hierviz.metrics.registry import path_keys

WIN = ("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy")
CELLS = ("tp", "tn", "fp", "fn")
CONFUSION = (*CELLS, "hp", "hr", "hf1")
PREDICTED = path_keys()
# Metrics of the answer with a calculation; others show their value.
CALCULATED = ("exact", "correct", "no_answer") + tuple(
    f"{value}_{what}" for value in ("info", "depth") for what in ("precision", "recall", "f1", "dist")
)
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def calculate(text):
    """Value of an arithmetic text such as '1/2 × 0.75 + 1/4 × 0.5'; −ln x is understood too."""
    text = text.replace("×", "*").replace("−", "-").replace("^", "**").strip()
    if text.startswith("-ln "):
        value = float(text[4:])
        return -math.log(value) if value else math.inf

    def walk(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](walk(node.operand))
        return OPERATORS[type(node.op)](walk(node.left), walk(node.right))

    return walk(ast.parse(text, mode="eval").body)


def check_text(key, worked, names):
    """The arithmetic text, names and units removed, comes to its own last number, and that to the value."""
    text = worked.arithmetic
    if key in set(PREDICTED) - set(CALCULATED):
        assert text.endswith(f": {worked.value:.5g}")
        return
    if key in CELLS:
        listed, count = text.rsplit(": ", 1)
        assert int(count) == worked.value
        shown = 0 if listed == "no node" else len(re.split(r", | and ", listed))
        more = re.search(r" and (\d+) more$", listed)
        assert shown + (int(more[1]) - 1 if more else 0) == worked.value
        return
    if key in ("exact", "correct"):
        assert bool(worked.value) == (text.endswith((": equal", "answer is the truth or one of its ancestors")))
        return
    if key == "no_answer":
        assert bool(worked.value) == text.endswith("is the root: no answer")
        return
    if key == "softmax_win":
        text = text.partition(": weight times probability")[0]
    text = text.split("; ")[-1]
    if text == "precision and recall are both 0: 0" or text.endswith("or lies below it: 1"):
        assert worked.value == (1 if text.endswith("1") else 0)
        return
    if key == "one_hot_win":
        text = text.split(": ", 1)[1]
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"\(?\b{re.escape(name)}\b\)?(?= |$)", "", text) if key != "softmax_win_raw" else text
    text = re.sub(r"\b(bits|edges|root)\b", "", text)
    left, right = text.rsplit("=", 1)
    if "0/0, counted as" in right:
        assert calculate(left.split("/")[1].replace(")", "").replace("(", "")) == 0
        right = right.split("counted as")[1]
    else:
        shown = math.inf if right.strip() == "∞" else float(right)
        assert calculate(left) == pytest.approx(shown, rel=3e-3, abs=3e-3), worked
    shown = math.inf if right.strip() == "∞" else float(right)
    assert worked.value == pytest.approx(shown, rel=1e-3, abs=1e-9), worked


@many
@given(strategies.judged(most=1), st.data())
def test_every_number(case, data):
    graph, taxonomy, p, truth = case
    p, y = p[0], int(truth[0])
    answer = data.draw(st.integers(0, graph.n - 1))
    leaf = naive.rule_top_down(graph, p.tolist())
    found = worked_numbers(taxonomy, y, answer, p, leaf)
    assert set(found) >= {*WIN, *CONFUSION, *PREDICTED, "one_hot_win"}
    assert set(found) <= set(hv.METRICS)
    assert all(worked.key == key for key, worked in found.items())
    expected = naive.path_metrics(graph, y, answer) | naive.confusion(graph, y, answer)
    expected["softmax_win"], expected["softmax_win_raw"] = naive.win(graph, p, y), naive.raw_win(graph, p, y)
    expected["neg_log_win"], expected["cross_entropy"] = (
        -math.log(value) if value else math.inf for value in (expected["softmax_win"], p[y])
    )
    expected["one_hot_win"] = naive.best_leaf_metrics(graph, y, leaf)["one_hot_win"]
    for key in {*WIN, *PREDICTED, *CELLS, "one_hot_win"}:
        assert found[key].value == pytest.approx(expected[key], abs=1e-12), key
    samples = hv.confusion(taxonomy, truth, np.array([answer])).per_sample
    for key in ("hp", "hr", "hf1"):
        assert found[key].value == samples[key][0]
    for key, worked in found.items():
        check_text(key, worked, taxonomy.names)


def test_without_probabilities(taxonomy):
    assert set(worked_numbers(taxonomy, 2, 3)) == {*CONFUSION, *PREDICTED}


def test_by_hand(taxonomy):
    p = np.array([1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125])
    cat, dog = taxonomy.nodes("cat", "dog").tolist()
    found = worked_numbers(taxonomy, cat, dog, p, dog)
    assert {
        key: found[key].arithmetic for key in ("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy")
    } == {
        "softmax_win": "1/2 × 0.75 + 1/2 × 0.5 = 0.625: weight times probability of each class on the true path mammal › cat",
        "softmax_win_raw": "(root 1 + 0.625) / 2 = 0.8125",
        "neg_log_win": "−ln 0.625 = 0.47",
        "cross_entropy": "−ln 0.5 = 0.69315",
    }
    assert {cell: found[cell].arithmetic for cell in CELLS} == {
        "tp": "mammal: 1",
        "tn": "bird, newt: 2",
        "fp": "dog: 1",
        "fn": "cat: 1",
    }
    assert found["hp"].arithmetic == "1 / (1 + 1) = 0.5"
    assert found["hf1"].arithmetic == "2 × 0.5 × 0.5 / (0.5 + 0.5) = 0.5"
    assert found["info_precision"].arithmetic == "mammal 1 bits / dog 2 bits = 0.5"
    assert found["depth_dist"].arithmetic == "2 edges + 2 edges − 2 × 1 edges = 2 edges"
    assert found["one_hot_win"].arithmetic.endswith("1 − 2^−1 = 0.5")
    assert found["exact"].arithmetic.endswith("not equal")


def test_a_finer_answer_is_cut(taxonomy):
    mammal, cat = taxonomy.nodes("mammal", "cat").tolist()
    found = worked_numbers(taxonomy, mammal, cat)
    assert found["exact"].value == 1
    assert found["exact"].arithmetic.startswith("the answer cat is below the truth and counts as mammal; ")
    # The confusion matrix does not cut: cat is a false positive there.
    assert found["fp"].arithmetic == "cat: 1"


def test_titles_are_shown(taxonomy):
    named = taxonomy.with_nodes(titles={"mammal": "Säuger"})
    assert worked_numbers(named, 2, 3)["tp"].arithmetic == "Säuger: 1"


def test_long_lists_are_cut():
    wide = hv.Taxonomy.from_edges([("r", f"l{i}") for i in range(12)])
    assert worked_numbers(wide, 1, 1)["tn"].arithmetic == "l1, l2, l3, l4, l5, l6 and 5 more: 11"
    assert worked_numbers(wide, 1, 1)["fp"].arithmetic == "no node: 0"
