"""Steps of a training on the pages: one model in the menus, every step in Compare and in Examples."""

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from visit import Visit, shelve

from hierviz import Evaluation
from hierviz.app.state.dataset import open_files
from hierviz.comparison import training_steps
from hierviz.diagnosis.sample_answers import sample_answer
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import probability_text
from hierviz.opening.files import Files, files_from, flags_of
from hierviz.opening.loading import load_files
from tests.training_files import N, write_training

STEPS = (1, 2, 10)


def files_of(folder):
    """Files of the three steps, and a copy of the second as a model of its own."""
    write_training(folder, STEPS)
    paths = [str(folder / "flat" / f"epoch_{step}.csv") for step in (10, 1, 2, 2)]
    names = ("flat@10", "flat@1", "flat@2", "other")
    return {
        "taxonomy": str(folder / "taxonomy.csv"),
        "truth": str(folder / "truth.csv"),
        "predictions": tuple(paths),
        "names": names,
    }


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    return shelve(**files_of(tmp_path_factory.mktemp("training")))


def evaluations(data):
    """By step, each file read on its own."""
    files, found = data.files, {}
    for step, place in files.trainings["flat"].items():
        (model,) = load_files(files.only([place]), lambda name, unit="rows": None)[1]
        found[step] = Evaluation.from_predictions(model)
    return found


def test_the_menu_has_the_last_step(training):
    assert [model.predictions.name for model in training.models.values()] == ["flat@10", "other"]
    assert training.trainings == {"flat-10": "flat"}
    assert training.title == "flat (3 steps), epoch_2.csv"
    files = training.files
    assert files_from(files.to_json()) == files
    assert [value for flag, value in flags_of(files) if flag == "--predictions"] == [
        f"{name}={path}" for name, path in zip(files.names, files.predictions, strict=True)
    ]
    visit = Visit("open", data=training.key)
    assert "training: 3 steps, 1 (epoch_1.csv), 2 (epoch_2.csv), 10 (epoch_10.csv); this is the last one" in visit.text


def test_compare_draws_every_step(training):
    visit = Visit("compare", data=training.key, comparison="training")
    steps = evaluations(training)
    found = training_steps(steps, name="flat", rule="threshold", threshold=0.5)
    table = visit.at.dataframe[0].value
    assert table["step"].tolist() == list(STEPS) * len(found.columns)
    for column in found.columns:
        own = table[table["key"] == column.key]
        assert own["value"].tolist() == pytest.approx(found.values(column.key).tolist(), nan_ok=True)
        assert [mark if isinstance(mark, str) else None for mark in own["mark"]] == found.marks[column.key]
        assert found.sentence_of(column.key) in visit.text
    assert "Without steps: other." in visit.text
    # Other models have no steps.
    visit.go("compare", data=training.key, comparison="training", models="other")
    assert "None of the chosen methods has several steps" in visit.text


def test_examples_has_a_slider(training):
    visit = Visit("example", data=training.key, sample="s3", threshold="0.6")
    steps = evaluations(training)
    assert visit.at.select_slider[0].value == "10"
    for step in ("10", "1"):
        visit.at.select_slider[0].set_value(step)
        visit.run()
        answer = sample_answer(steps[float(step)], 3, "threshold", 0.6)
        name = training.taxonomy.title(answer.nodes[0])
        assert f"Step {step}: **{name}** · p = {probability_text(answer.p)}" in visit.text
    assert visit.query["at_step"] == "1"
    # Steps are numbers, however they are written.
    for text, step in (("2", "2"), ("1.0", "1"), ("1e1", "10")):
        visit.go("example", data=training.key, sample="s3", at_step=text)
        assert (visit.at.select_slider[0].value, visit.query["at_step"]) == (step, step)
        assert "Not found here" not in visit.text
    for text in ("7", "-1", "1e999", "abc", "nan"):
        visit.go("example", data=training.key, sample="s3", at_step=text)
        assert f"Not found here: step of the training “{text}”. The page shows something else instead." in visit.text
        assert (visit.at.select_slider[0].value, visit.query.get("at_step")) == ("10", None)
    visit.go("example", data=training.key, sample="s3", model="other")
    assert not visit.at.select_slider


def test_the_address_follows_the_last_of_two_quick_presses(training, monkeypatch):
    written, write = [], QueryParamsProxy.from_dict
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda url, query: written.append(query) or write(url, query))
    visit = Visit("example", data=training.key, sample="s3")
    before = visit.query
    for step in ("1", "10"):
        # The browser has not drawn the address of the first press when the second one comes.
        visit.at.query_params.clear()
        visit.at.query_params.update(before)
        visit.at.select_slider[0].set_value(step)
        visit.run()
        assert visit.at.select_slider[0].value == step
        assert written[-1].get("at_step") == {"1": "1", "10": None}[step]


def test_a_step_of_another_training_is_said(tmp_path):
    given = files_of(tmp_path)
    names = ("flat@10", "flat@1", "other@1", "other@2")
    data = shelve(**given | {"names": names})
    visit = Visit("example", data=data.key, model="flat-10", sample="s3", at_step="2")
    assert "The link names step 2, of which this training has no file; the last one is chosen." in visit.text
    assert visit.at.select_slider[0].value == "10"


@pytest.mark.long
def test_no_part_without_steps(demo):
    visit = Visit("compare")
    assert "Over the training" not in visit.control("Part of the page").options


def test_two_files_of_one_step_are_refused(tmp_path):
    given = files_of(tmp_path)
    with pytest.raises(HiervizError, match="flat@1: expected one file for a step of a training"):
        open_files(Files(**given | {"names": ("flat@1", "flat@1.0", "flat@2", "other")}))


def test_steps_of_other_samples_are_said(tmp_path):
    given = files_of(tmp_path)
    path = tmp_path / "flat" / "epoch_1.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[: N - 5]))  # with the header, 34 samples
    data = shelve(**given)
    visit = Visit("compare", data=data.key, comparison="training")
    assert "flat@2: expected the 34 judged samples of the first step, got 40" in visit.text
