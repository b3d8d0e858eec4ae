"""The ladder that asks: its questions against the tables of steps and the terms of the win, and what Vega draws meanwhile."""

import numpy as np
import pytest
import vl_convert

import hierviz as hv
from hierviz.charts.ladder_questions import MOST_CHOICES
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.demo import load_demo
from hierviz.diagnosis._sample_steps import sample_steps

RULES = ("threshold", "majority", "darts", "information_threshold", "threshold_set")


@pytest.fixture(scope="module")
def evaluation():
    return hv.Evaluation.from_predictions(load_demo(["flat_softmax"])[1][0])


def record_of(evaluation, row, asks=True, curve=False):
    sample = evaluation.predictions.sample_id(row)
    return ladder_record({"model": evaluation}, sample, LadderSettings(rules=RULES, asks=asks), curve=curve)


def test_a_record_that_does_not_ask_is_the_same_without_questions(evaluation):
    asks, shows = record_of(evaluation, 3), record_of(evaluation, 3, asks=False)
    assert set(asks) - set(shows) == {"ask"}
    assert {key: asks[key] for key in shows} == shows


@pytest.mark.parametrize("row", [0, 7, 100, 414])
@pytest.mark.parametrize("rule", ["threshold", "darts", "information_threshold"])
def test_each_step_has_one_right_choice_among_the_answers_of_the_rule(evaluation, row, rule):
    asked = next(one for one in record_of(evaluation, row)["ask"]["answers"] if one["r"] == rule)
    steps = sample_steps(evaluation, row, rule)
    titles = [evaluation.taxonomy.title(int(nodes[0])) for nodes in steps.answers]
    assert sorted(one["text"] for one in asked["choices"]) == sorted(set(titles))
    for title, right, offered in zip(titles, asked["at"], asked["offered"], strict=True):
        assert asked["choices"][right] == {"text": title, "right": f"Right: {title}.", "wrong": f"Not {title}."}
        assert right in offered
        assert len(set(offered)) == len(offered) == min(len(asked["choices"]), MOST_CHOICES)


def test_choices_are_in_random_order_that_is_the_same_each_time(evaluation):
    orders = [record_of(evaluation, row)["ask"]["answers"][0]["offered"][0] for row in range(8)]
    assert orders == [record_of(evaluation, row)["ask"]["answers"][0]["offered"][0] for row in range(8)]
    # In the order of the thresholds the right place would be known.
    assert sum(order == sorted(order) for order in orders) < 8


def test_a_rule_without_a_number_offers_what_other_rules_answer(evaluation):
    record = record_of(evaluation, 0)
    asked = next(one for one in record["ask"]["answers"] if one["r"] == "majority")
    others = {
        row["name"]
        for row in record["steps"]
        if row["r"] in ("majority", "threshold", "darts", "information_threshold")
    }
    assert {one["text"] for one in asked["choices"]} == others
    (step,) = (row for row in record["steps"] if row["r"] == "majority")
    assert asked["choices"][asked["at"][0]]["text"] == step["name"]
    assert asked["question"] == "Which answer by the rule Majority?"


@pytest.mark.parametrize("row", [0, 3, 100, 414])
def test_the_term_that_is_lost_most(evaluation, row):
    (asked,) = record_of(evaluation, row)["ask"]["wins"]
    predictions, taxonomy = evaluation.predictions, evaluation.taxonomy
    truth, p = int(predictions.truth[row]), predictions.node_probabilities(np.array([row]))[0]
    path = taxonomy.path(truth)[1:]
    # 1/2, 1/4, ..., the last one doubled.
    weights = [2.0 ** -(k + 1) for k in range(len(path))]
    weights[-1] *= 2
    lost = [weight * (1 - p[node]) for weight, node in zip(weights, path, strict=True)]
    assert [one["is_right"] for one in asked["choices"]] == [value == max(lost) for value in lost]
    assert [one["text"].split(" (")[0] for one in asked["choices"]] == [taxonomy.title(int(node)) for node in path]
    for one in asked["choices"]:
        assert one["said"].startswith("Right: " if one["is_right"] else "Not ")


def test_nothing_is_asked_of_what_is_not_known():
    taxonomy = hv.Taxonomy.from_edges([("a", "b"), ("a", "c")])
    labels = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("b"), truth=taxonomy.nodes("c"))
    asked = record_of(hv.Evaluation.from_predictions(labels), 0)["ask"]
    assert (asked["answers"], asked["wins"]) == ([], [])
    assert asked["free"] == [{"m": 0, "nodes": {}, "why": "Labels have no p that could be changed."}]


def test_bars_can_be_dragged_up_to_the_p_of_their_parent(evaluation):
    record, taxonomy = record_of(evaluation, 0), evaluation.taxonomy
    (free,) = record["ask"]["free"]
    p = evaluation.predictions.node_probabilities(np.array([0]))[0]
    drawn = {row["node"] for row in record["bars"] if "node" in row}
    siblings = {node for node in drawn if len(taxonomy.children[int(taxonomy.parent[node])]) > 1}
    assert {int(node) for node in free["nodes"]} == siblings
    for node, one in free["nodes"].items():
        assert one["most"] == p[taxonomy.parent[int(node)]]
        assert one["label"].endswith(taxonomy.title(int(node)))


def drawn(record, **signals):
    """All texts that Vega draws, the number of bars, and the size of the name of a class."""
    spec = ladder_spec(record, width=1376, height=620)
    for signal in spec["signals"]:
        signal |= {"value": signals[signal["name"]]} if signal["name"] in signals else {}
    items = vl_convert.vega_to_scenegraph(spec)["scenegraph"]["items"][0]["items"]
    marks = list(zip(spec["marks"], (one["items"] for one in items), strict=True))
    texts = [one.get("text") for mark, found in marks if mark["type"] == "text" for one in found]
    bars = next(found for mark, found in marks if mark.get("name") == "bar_marks")
    every = [one for mark, found in marks if mark["type"] == "text" for one in found]
    size = next(one["fontSize"] for one in every if one.get("text") == "land vehicle")
    return [one for one in texts if isinstance(one, str) and one], len(bars), size


def test_until_it_is_told_the_drawing_does_not_say_the_answer(evaluation):
    record = record_of(evaluation, 0, curve=True)
    row = next(one for one in record["steps"] if one["r"] == "threshold" and one["low"] <= 0.5 < one["high"])
    shown, n_all, size = drawn(record)
    asked, n_first, large = drawn(record, asks=True, opened=1, told=False, told_win=False)
    assert f"Answer: {row['name']}" in shown
    assert "Answer: ?" in asked
    told = ("correct", "answer at each", "hP", " answer", row["said"])
    assert all(any(word in text for text in shown) for word in told)
    assert not [text for text in asked for word in told if word in text]
    assert {"win = ?", "1/2 × p = ?"} <= set(asked)
    assert n_first == sum(one["row"] == 0 and one["a"] == row["a"] and one["m"] == 0 for one in record["bars"])
    assert n_first < n_all
    assert large > 1.2 * size
    # Row by row, and then all of it.
    numbers = [drawn(record, asks=True, opened=rows, told=True, told_win=True)[1] for rows in range(1, 6)]
    assert numbers == sorted(numbers)
    assert numbers[-1] == n_all
    assert {text for text in shown if text.startswith("win ")} <= set(drawn(record, asks=True)[0])
