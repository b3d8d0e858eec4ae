"""Where it looks on Examples and Model: run on demand, the numbers of Python, kept, cancelled, in the address."""

import csv

import numpy as np
import pytest

import hierviz as hv
from hierviz.app.model_page import where_it_looks
from hierviz.messages.number_text import probability_text
from tests.app.visit import ROOT, Visit, shelve
from tests.onnx_models.sensitive_models import COLUMNS, column_model, token_model, word_model

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
EDGES = [("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "duck"), ("animal", "newt")]


@pytest.fixture
def figures(monkeypatch):
    """Figures of the panel, the last one last; none is drawn."""
    seen = []
    monkeypatch.setattr(where_it_looks, "figure", lambda drawn, **_: seen.append(drawn))
    return seen


@pytest.fixture
def opened(tmp_path):
    """Open a small model with its inputs and the truth cat."""

    def opens(make, inputs, n):
        (tmp_path / "t.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
        make(tmp_path / "m.onnx", hv.load_taxonomy(tmp_path / "t.csv"))
        (tmp_path / "truth.csv").write_text("sample_id,truth\n" + "".join(f"s{k},cat\n" for k in range(n)))
        path = inputs(tmp_path)
        files = {"taxonomy": tmp_path / "t.csv", "inputs": path, "truth": tmp_path / "truth.csv"}
        return shelve(model=(str(tmp_path / "m.onnx"),), **{name: str(file) for name, file in files.items()})

    return opens


def rows_file(folder):
    x = np.random.default_rng(0).normal(size=(24, COLUMNS)).round(3)
    lines = [",".join(["sample_id", *(f"f{k}" for k in range(COLUMNS))])]
    lines += [",".join([f"s{k}", *map(str, row)]) for k, row in enumerate(x)]
    (folder / "x.csv").write_text("\n".join(lines) + "\n")
    return folder / "x.csv"


def press(page):
    page.press("Run the model")
    return page


def of_demo(row, truth=None, **how):
    taxonomy = hv.load_taxonomy(ROOT / "assets/demo/taxonomy.csv")
    model = hv.load_model(ROOT / "models/flat_softmax.onnx", taxonomy)
    return model.sensitivity(ROOT / "assets/demo/pictures.zip", row, truth=truth, **how)


def test_a_sample_of_the_demo(demo, figures):
    page = Visit("example", tree="looks", sample="v0002")
    assert figures == []
    assert "Hides one part of the sample after the other" in page.text
    assert page.ladder is None
    with open(ROOT / "assets/demo/examples.csv", encoding="utf-8") as file:
        truth = next(row["truth"] for row in csv.DictReader(file) if row["sample_id"] == "v0002")
    model = demo.first
    answer = int(model.answers("threshold", 0.5)[model.predictions.row("v0002")])
    press(page)
    expected = of_demo(1, truth, answer=answer)
    assert figures[-1].sentence == expected.sentence
    assert np.array_equal(figures[-1].table["effect"], expected.effect)
    assert "Compared: the " in page.text
    assert "log-odds" in page.text
    assert page.query == {"tree": "looks", "sample": "v0002"}
    # It is kept: another visitor sees it without a press.
    figures.clear()
    other = Visit("example", tree="looks", sample="v0002")
    assert len(figures) == 1
    assert "Hides one part" not in other.text


def test_classes_and_what_hides_are_chosen_and_in_the_address(demo, figures):
    page = press(Visit("example", tree="looks", sample="v0003"))
    first = figures[-1].sentence
    between = page.control("Between")
    assert len(between.options) > 1
    taxonomy = demo.taxonomy
    pair = [taxonomy.node(name) for name in between.options[1].split(" against ")]
    between.set_value("-".join(map(str, pair)))
    page.run()
    figures.clear()
    page.control("Hidden by").set_value("blur")
    page.run()
    if not figures:
        press(page)
    assert figures[-1].sentence != first
    assert "looks.between" in page.query["choices"]
    assert "looks.fill" in page.query["choices"]
    figures.clear()
    again = Visit("example", **page.query)
    assert len(figures) == 1
    assert again.query == page.query


def shown_samples(page):
    """What a page shows of a sample before the model is run: the numbers of its pictures and its tables."""
    pictures = [len(one.proto.imgs) for one in page.at.get("image")]
    return pictures, [one.value for one in page.at.dataframe if list(one.value) == ["column", "value"]]


def test_the_sample_and_the_question_are_there_before_the_model_is_run(demo, figures):
    page = Visit("example", tree="looks", sample="v0008")
    assert shown_samples(page) == ([1], [])
    row = demo.first.predictions.row("v0008")
    p = demo.first.predictions.node_probabilities([row])[0]
    truth, answer = int(demo.first.predictions.truth[row]), int(demo.first.answers("threshold", 0.5)[row])
    pair = hv.diagnosis.deciding_pair(demo.taxonomy, p, answer, truth)
    first, second = (demo.taxonomy.title(node) for node in (pair.first, pair.second))
    assert f"What moves the model from {second} to {first}?" in page.text
    for node, name in ((pair.first, first), (pair.second, second)):
        assert f"**{name}** (p = {probability_text(float(p[node]))})" in page.text
    assert f"Truth: **{demo.taxonomy.title(truth)}**" in page.text
    # Then the drawing has it, and it is not shown twice.
    press(page)
    assert len(figures) == 1
    assert shown_samples(page) == ([], [])
    assert "What moves the model" not in page.text


@pytest.mark.long
def test_the_mean_of_what_the_filters_leave(demo, figures):
    page = Visit("example", tree="looks", outcome="coarse")
    of = page.control("Samples")
    n = next(int(option.removeprefix("Mean of ")) for option in of.options if option.startswith("Mean"))
    assert n >= 20
    of.set_value("mean")
    page.run()
    press(page)
    assert figures[-1].sentence.startswith(f"Mean of {n} samples: hiding the ")
    assert "looks.of" in page.query["choices"]
    # One sample is no slice.
    assert "Mean of" not in Visit("example", tree="looks", text="v0007").text


def test_a_press_of_cancel_ends_it(demo, figures, monkeypatch):
    from hierviz.app.widgets import progress

    monkeypatch.setattr(progress.server_memory, "was_cancelled", lambda place: place.startswith("sensitivity"))
    page = press(Visit("example", tree="looks", sample="v0011"))
    assert "Where it looks: cancelled." in page.text
    assert not figures
    monkeypatch.undo()


def test_the_page_model_looks_at_what_was_changed(demo, figures):
    page = press(Visit("model", tree="looks", sample="v0004"))
    whole = figures[-1]
    model = demo.first
    answer = int(model.answers("threshold", 0.5)[3])
    truth = int(model.predictions.truth[3])
    assert np.array_equal(whole.table["effect"], of_demo(3, truth, answer=answer).effect)
    page.memory("model")["strength-darker"] = 0.6
    figures.clear()
    page.run()
    if not figures:
        press(page)
    assert not np.allclose(figures[-1].table["effect"], whole.table["effect"], atol=1e-3)


def test_rows_of_a_table(opened, figures):
    data = opened(column_model, rows_file, 24)
    page = Visit("example", data=data.key, tree="looks", sample="s5")
    with open(data.files.inputs, encoding="utf-8") as file:
        row = list(csv.DictReader(file))[5]
    ((table,),) = [shown_samples(page)[1]]
    assert dict(zip(table["column"], map(float, table["value"]))) == {
        key: pytest.approx(float(value), abs=1e-6) for key, value in row.items() if key != "sample_id"
    }
    press(page)
    table = figures[-1].table
    assert table["part"].tolist() == [f"f{k}" for k in range(COLUMNS)]
    assert (np.abs(table["effect"]) > 1e-6).tolist() == [k == 2 for k in range(COLUMNS)]


def test_texts(opened, figures):
    def texts(folder):
        rows = [f's{k},"one quack number {k} here"' for k in range(24)]
        (folder / "x.csv").write_text("\n".join(["sample_id,text", *rows]) + "\n")
        return folder / "x.csv"

    data = opened(word_model, texts, 24)
    page = Visit("example", data=data.key, tree="looks", sample="s5")
    assert "one quack number 5 here" in page.text
    press(page)
    table = figures[-1].table
    assert dict(zip(table["part"], table["effect"].round(5))) == {"one": 0, "quack": 2, "number": 0, "5": 0, "here": 0}
    page = press(Visit("model", data=data.key, tree="looks", sample="s6"))
    assert figures[-1].sentence == "Leaving out the word “quack” lowers cat against dog most (2.0 log-odds)."
    assert page.control("Between").value


def test_what_has_no_parts_says_so(opened, figures):
    def arrays(folder):
        np.savez(folder / "x.npz", input_ids=np.arange(120).reshape(24, 5), ids=[f"s{k}" for k in range(24)])
        return folder / "x.npz"

    data = opened(token_model, arrays, 24)
    page = press(Visit("example", data=data.key, tree="looks"))
    assert not figures
    assert "got numbers of words in 'input_ids'" in page.text


def test_files_have_no_model_to_run(tmp_path, figures):
    data = shelve_files(tmp_path)
    page = Visit("example", data=data.key, tree="looks")
    assert page.ladder is not None
    assert "Where it looks" not in page.text
    drawing = page.control("Drawing")
    assert "Where it looks" not in drawing.options


def shelve_files(folder):
    (folder / "t.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    (folder / "p.csv").write_text("sample_id,cat,dog,duck,newt\ns0,0.7,0.1,0.1,0.1\n")
    (folder / "truth.csv").write_text("sample_id,truth\ns0,dog\n")
    return shelve(taxonomy=str(folder / "t.csv"), predictions=(str(folder / "p.csv"),), truth=str(folder / "truth.csv"))


@pytest.mark.long
def test_what_is_saved_is_what_is_seen(demo, monkeypatch):
    """Save, This view: the file has the same drawing, and the report of its command begins with it."""
    from hierviz.app.widgets import save_view

    page = press(Visit("example", tree="looks", sample="v0012"))
    made, whole = [], save_view.report_settings

    def settings_of(*given, **more):
        made.append(whole(*given, **more))
        return made[-1]

    monkeypatch.setattr(save_view, "report_settings", settings_of)
    page.press("Make the file")
    (settings,) = made
    (found,) = settings["samples"].sensitivities
    assert found.sample == "v0012"
    assert found.sentence in page.memory("save")["view made"][1]
    assert "--sensitivity 1" in settings["run"].command
    models = [one.predictions for one in demo.models.values()]
    html = hv.report(models[:1], samples=settings["samples"], story=settings["story"]).html
    (article,) = html.split('<article class="step"')[1:]
    assert found.sentence in article.split("</article>")[0]
    assert "Not in this file" not in article.split("</article>")[0]
    plain = hv.report(models[:1], samples=type(settings["samples"])(named=("v0012",)), story=settings["story"]).html
    assert "Not in this file, of what the page shows: where the model looks." in plain
