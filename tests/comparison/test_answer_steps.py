"""The answer to a sample over the steps of a training: that of each step alone, level by level, and its picture."""

import json

import numpy as np
import pytest

from hierviz import Evaluation, HiervizError, Predictions, Taxonomy
from hierviz.charts import answer_steps as drawn
from hierviz.comparison import answer_steps
from hierviz.diagnosis.sample_answers import sample_answer
from tests.small_tree import EDGES
from tests.training_files import N, step_predictions


@pytest.mark.parametrize("choice", [{"rule": "threshold", "threshold": 0.6}, {"rule": "leaf"}])
def test_answers_are_those_of_each_step(choice):
    steps = step_predictions((1, 2, 10))
    # The samples of another step may be in another order.
    found = answer_steps(steps | {2: steps[2].take(np.arange(N)[::-1])}, **choice)
    assert found.steps == (1, 2, 10)
    for row in (0, 7, N - 1):
        one = found.of_sample(f"s{row}")
        for place, model in enumerate(steps.values()):
            alone = sample_answer(Evaluation.from_predictions(model), row, **choice)
            assert (int(one.answers[place]),) == alone.nodes
            assert one.p[place] == pytest.approx(alone.p, rel=1e-6)
            assert one.outcome[place] == alone.outcome


def of_labels(names, truth):
    """One sample whose answer at steps 1, 2, ... is given."""
    taxonomy = Taxonomy.from_edges(EDGES)
    made = {
        step: Predictions.from_labels(taxonomy, taxonomy.nodes(name), truth=taxonomy.nodes(truth), sample_ids=["x"])
        for step, name in enumerate(names, 1)
    }
    return answer_steps(made).of_sample("x")


def test_levels_and_runs_by_hand():
    one = of_labels(["duck", "animal", "mammal", "mammal", "dog", "cat"], "dog")
    assert one.outcome == ["wrong", "no_answer", "coarse", "coarse", "exact", "wrong"]
    assert one.levels.tolist() == [
        ["fp", "fp"],
        ["fn", "fn"],
        ["tp", "fn"],
        ["tp", "fn"],
        ["tp", "tp"],
        ["tp", "fp"],
    ]
    assert one.runs == [(0, 0), (1, 1), (2, 3), (4, 4), (5, 5)]
    assert np.isnan(one.p).all()
    figure = drawn(one, 3)
    assert figure.sentence == (
        "The answer changes 4 times over 6 steps: duck (wrong, step 1); animal (no answer, step 2); mammal (correct but coarse, "
        "steps 3 to 4); dog (exact, step 5); cat (wrong, step 6)."
    )
    assert figure.table["depth"].tolist() == [2, 0, 1, 1, 2, 2]
    always = of_labels(["dog", "dog"], "dog")
    assert drawn(always).sentence == "The answer is the same at all 2 steps: dog (exact, steps 1 to 2)."


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_picture(dark, width):
    steps = step_predictions(tuple(range(1, 61)))
    one = answer_steps(steps, "threshold", 0.6).of_sample("s3")
    spec = json.dumps(drawn(one, 7.0, dark=dark, width=width).chart.to_dict())
    assert spec.count('"name": "step"') == 1
    assert len(drawn(one).table) == 60
    with pytest.raises(HiervizError, match="step: expected one of"):
        drawn(one, 7.5)


def test_what_is_refused():
    steps = step_predictions((1, 2))
    with pytest.raises(HiervizError, match="one that answers with one class"):
        answer_steps(steps, "threshold_set")
    with pytest.raises(HiervizError, match="samples of the last step"):
        answer_steps({1: steps[1].take(np.arange(3)), 2: steps[2]})
    with pytest.raises(HiervizError, match="sample: expected an id"):
        answer_steps(steps).of_sample("none")
