"""Numbers over the steps of a training: those of `evaluate` of each step, one step in memory, what is called a clear change."""

import json
import weakref

import numpy as np
import pytest

import hierviz as hv
from hierviz import HiervizError, Predictions, Taxonomy
from hierviz.charts import training_steps as drawn
from hierviz.comparison import training_steps
from tests.small_tree import EDGES
from tests.training_files import N, step_predictions

KEYS = ("predicted.info_f1", "curve.ac", "top_down.argmax_leaf_accuracy", "confusion.mcc")


def found(steps, **how):
    return training_steps(steps, metrics=KEYS, **{"resamples": 100, **how})


def of_answers(*shares):
    """Label predictions of 200 samples, cat or dog; by step the first share of them right."""
    taxonomy = Taxonomy.from_edges(EDGES)
    cat, dog = taxonomy.nodes("cat", "dog")
    truth = np.full(200, cat)
    answers = {step: np.where(np.arange(200) < share * 200, cat, dog) for step, share in enumerate(shares, 1)}
    return {step: Predictions.from_labels(taxonomy, of, truth=truth) for step, of in answers.items()}


def test_each_number_is_that_of_evaluate():
    steps = step_predictions((1, 2, 10))
    made = found(steps)
    assert made.steps == (1, 2, 10)
    assert made.name == "flat@10"
    for place, model in enumerate(steps.values()):
        (summary,) = hv.evaluate(model)["models"]
        for key in KEYS:
            block, name = key.split(".")
            assert made.values(key)[place] == pytest.approx(summary[block][name]), (key, place)


def test_intervals_and_marks_are_those_of_a_table_of_the_steps():
    steps = step_predictions((1, 2, 10))
    made, table = found(steps), hv.compare(list(steps.values()), metrics=KEYS, resamples=100)
    for column in table.columns:
        ends = [table.interval(method, column) for method in table.methods]
        assert made.intervals(column.key) == pytest.approx(np.array(ends))
    assert made.marks == table.marks


def test_steps_are_sorted_as_numbers_and_samples_are_met_by_their_ids():
    steps = step_predictions((1, 2, 10))
    mixed = {10: steps[10].take(np.arange(N)[::-1]), 0.5: steps[1], 2: steps[2]}
    made, straight = found(mixed), found({0.5: steps[1], 2: steps[2], 10: steps[10]})
    assert made.steps == (0.5, 2.0, 10.0)
    for key in KEYS:
        assert made.values(key) == pytest.approx(straight.values(key))
        # The same resamples of the same samples.
        assert [m.draws[key].tolist() for m in made.methods] == [
            pytest.approx(m.draws[key].tolist()) for m in straight.methods
        ]


def test_one_step_is_in_memory_at_a_time():
    seen, alive = [], []

    def reader(step):
        def read():
            alive.append(sum(one() is not None for one in seen))
            model = step_predictions((1, 2, 10))[step]
            seen.append(weakref.ref(model))
            return model

        return read

    found({step: reader(step) for step in (1, 2, 10)})
    assert alive == [0, 0, 0]


def test_what_changes_clearly():
    # 40 %, 80 %, 80.5 %, 80 % of 200 are right: a clear rise to step 2, then one sample more and one less.
    key = "labels.subset_accuracy"
    made = training_steps(of_answers(0.4, 0.8, 0.805, 0.8), metrics=key, resamples=200)
    assert made.values(key).tolist() == [0.4, 0.8, 0.805, 0.8]
    assert made.clear(key).tolist() == [[False, True, True, True]] + [[True, False, False, False]] * 3
    assert made.marks[key] == ["second", "tied", "best", "tied"]
    assert made.settled(key) == 2
    label = made.columns[0].label
    assert made.sentence == (
        f"{label} rises from 0.400 at step 1 to 0.800 at step 4; from step 2 on no step is clearly different from the last one; "
        "the best is 0.805 at step 3, not clearly better."
    )
    same = training_steps(of_answers(0.5, 0.5), metrics=key, resamples=200)
    assert same.sentence == (
        f"{label} goes from 0.500 at step 1 to 0.500 at step 2; no step is clearly different from the last one."
    )
    falls = training_steps(of_answers(0.9, 0.2), metrics=key, resamples=200)
    assert falls.settled(key) == 2
    assert falls.sentence == (
        f"{label} falls from 0.900 at step 1 to 0.200 at step 2; step 1 is still clearly different from the last one; the best "
        "is 0.900 at step 1, clearly better than the last."
    )
    plain = training_steps(of_answers(0.9, 0.2), metrics=key, resamples=0)
    assert plain.settled(key) is None
    assert plain.sentence.endswith("there are no intervals.")


def test_forms():
    made = found(step_predictions((1, 2.5)))
    frame = made.to_frame()
    assert frame.index.tolist() == [1, 2.5]
    assert frame["curve.ac"].tolist() == made.values("curve.ac").tolist()
    table = json.loads(json.dumps(made.to_dict()))
    assert [row["step"] for row in table["steps"]] == [1, 2.5]
    assert table["steps"][1]["values"]["curve.ac"] == made.values("curve.ac")[1]
    assert table["sentences"]["curve.ac"] == made.sentence_of("curve.ac")
    lines = made.to_text().splitlines()
    assert sum(line.startswith("| 2.5 |") for line in lines) == 1
    assert sum(line.startswith("- ") for line in lines) == len(KEYS)


@pytest.mark.parametrize(
    ("steps", "match"),
    [
        ({1: None}, "at least two steps"),
        ([1, 2], "dict of at least two"),
        ({"a": None, "b": None}, "finite numbers"),
        ({1: None, float("nan"): None}, "finite numbers"),
    ],
)
def test_what_are_no_steps(steps, match):
    with pytest.raises(HiervizError, match=match):
        training_steps(steps)


def test_steps_of_other_samples_or_truths():
    steps = step_predictions((1, 2))
    with pytest.raises(HiervizError, match="judged samples of the first step"):
        found({1: steps[1], 2: steps[2].take(np.arange(N - 1))})
    other = steps[2].replace(truth=np.roll(steps[2].truth, 1))
    with pytest.raises(HiervizError, match="truths of the first step"):
        found({1: steps[1], 2: other})
    with pytest.raises(HiervizError, match=r"key: expected one of .*curve\.ac"):
        found(steps).values("curve.a")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_chart(dark, width):
    made = found(step_predictions((1, 2, 10)))
    figure = drawn({"a": made, "b": made}, dark=dark, width=width)
    spec = json.dumps(figure.chart.to_dict())
    assert spec.count('"type": "area"') == len(KEYS)
    assert spec.count('"type": "point"') >= len(KEYS)
    assert len(figure.table) == 2 * 3 * len(KEYS)
    row = figure.table[(figure.table["model"] == "b") & (figure.table["step"] == 10)].iloc[1]
    assert row["value"] == made.values("curve.ac")[2]
    assert figure.sentence == " ".join(made.sentence_of(KEYS[0], name) for name in "ab")
    # Of trainings with other numbers those that all have.
    other = training_steps(step_predictions((1, 2)), metrics="curve.ac", resamples=0)
    assert set(drawn({"a": made, "b": other}).table["key"]) == {"curve.ac"}
    with pytest.raises(HiervizError, match=r"key: expected one of 'curve\.ac'"):
        drawn({"a": made, "b": other}, ["predicted.info_f1"])
