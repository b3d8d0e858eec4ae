"""The answers of rules and models to one sample as dots."""

import itertools
import json

import numpy as np
import pytest

import hierviz as hv
from hierviz.charts.theme import COLOURS
from hierviz.diagnosis.sample_answers import answers_by_rule, sample_answer
from hierviz.evaluation.evaluation import Evaluation


def evaluation(taxonomy, row, name="first"):
    truth = taxonomy.nodes("dog")
    return Evaluation.from_predictions(
        hv.Predictions.from_scores(taxonomy, [row], "leaf_probabilities", truth=truth, name=name)
    )


@pytest.fixture
def answers(taxonomy):
    # cat 8/16, dog 3/16, duck 3/16, newt 2/16: mammal 11/16; the other model knows the dog.
    first, second = evaluation(taxonomy, [0.5, 0.1875, 0.1875, 0.125]), evaluation(taxonomy, [0, 1, 0, 0], "second")
    rules = answers_by_rule(first, 0, ("leaf", "majority", "threshold_set"))
    return {"rule": rules, "model": {"first": rules["majority"], "second": sample_answer(second, 0)}}


def marks(spec):
    """(mark, rows) of all views of a specification."""
    found = []
    for part in spec["vconcat"]:
        for one in part["layer"]:
            data = one.get("data", part.get("data", {}))
            found.append(
                (one["mark"]["type"], one["mark"].get("shape"), data.get("values") or spec["datasets"][data["name"]])
            )
    return found


@pytest.mark.parametrize(("width", "dark"), list(itertools.product((330, 1200), (False, True))))
def test_dots_are_at_p_and_diamonds_at_the_win(taxonomy, answers, width, dark):
    drawn = hv.charts.answer_dots(taxonomy, answers, width=width, dark=dark)
    spec = drawn.chart.to_dict()
    by_kind = [
        [(shape, rows) for kind, shape, rows in marks({**spec, "vconcat": [part]}) if kind == "point"]
        for part in spec["vconcat"]
    ]
    ((_, wins), (_, dots)), ((_, wins_of_models), (_, dots_of_models)) = by_kind
    # p of the set is no number.
    assert [(row["name"], row["answer"], row["p"]) for row in dots] == [
        ("leaf", "cat", 0.5),
        ("majority", "mammal", 0.6875),
    ]
    # The win of dog: 11/16 / 2 + 3/16 / 2 = 7/16, whatever the rule.
    assert [row["win"] for row in wins] == pytest.approx([0.4375] * 3)
    assert [(row["name"], row["answer"], row["p"]) for row in dots_of_models] == [
        ("first", "mammal", 0.6875),
        ("second", "dog", 1),
    ]
    assert [row["win"] for row in wins_of_models] == pytest.approx([0.4375, 1])
    colours = [row["colour"] for row in dots]
    assert colours == [COLOURS["fp"][dark], COLOURS["path"][dark]]
    text = json.dumps(spec, ensure_ascii=False)
    for words in ("× cat", "≈ mammal", "✓ dog", "● probability p of the answer, ◇ win"):
        assert words in text
    assert '"domain": [0, 1]' in text


def test_table_and_sentence(taxonomy, answers):
    drawn = hv.charts.answer_dots(taxonomy, answers)
    assert list(drawn.table) == ["kind", "name", "answer", "outcome", "p", "win"]
    assert drawn.table["answer"].tolist() == ["cat", "mammal", "mammal", "mammal", "dog"]
    assert drawn.table["outcome"].tolist() == ["wrong", "coarse", "wrong", "coarse", "exact"]
    assert np.isnan(drawn.table["p"][2])
    assert drawn.sentence == (
        "With 3 rules there are 2 different answers; 0 of 3 are exact; p of the answer is from 0.500 to 0.688. "
        "With 2 models there are 2 different answers; 1 of 2 are exact; p of the answer is from 0.688 to 1."
    )


def test_labels_without_truth(taxonomy):
    labels = hv.NodeLists.from_lists([taxonomy.nodes("cat", "duck")])
    one = sample_answer(Evaluation.from_predictions(hv.Predictions.from_labels(taxonomy, labels)), 0)
    drawn = hv.charts.answer_dots(taxonomy, {"model": {"labels": one}})
    assert drawn.sentence == "With 1 model there is 1 different answer."
    assert "cat; duck" in json.dumps(drawn.chart.to_dict())


def test_nothing_to_draw(taxonomy):
    with pytest.raises(hv.PredictionsError, match="expected at least one answer, got none"):
        hv.charts.answer_dots(taxonomy, {"rule": {}})
