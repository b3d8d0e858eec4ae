"""The confidence of the answers by a map: chosen on Compare, shown on all pages and in links; node probabilities stay."""

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, write
from visit import Visit, shelve

import hierviz as hv
from hierviz.app.widgets.table import cell_text

MODEL, SAMPLE = "flat-softmax", "v0428"


def line(found, row):
    """What Examples says of the answer to a sample."""
    name = found.evaluation.taxonomy.title(int(found.predicted[row]))
    return f"Confidence of **{name}**: {found.text(row)}."


def table_with(visit, column):
    return next(one.value for one in visit.at.dataframe if column in one.value.columns)


def choose(visit, how):
    visit.control("Confidence").set_value(how)
    return visit.run()


@pytest.fixture
def model(demo):
    return demo.models[MODEL]


@pytest.fixture
def isotonic(model):
    return hv.evaluation.answer_confidence(model, "isotonic", "threshold", 0.5)


@pytest.mark.long
def test_the_choice_is_kept_on_all_pages_and_in_the_link(model, isotonic):
    row = model.predictions.row(SAMPLE)
    visit = choose(Visit("compare", model=MODEL), "isotonic")
    assert visit.query["confidence"] == "isotonic"
    visit.go("example")
    assert "Confidence of **" in visit.text
    link = Visit("example", model=MODEL, sample=SAMPLE, confidence="isotonic")
    assert line(isotonic, row) in link.text
    assert line(isotonic, row).endswith("isotonic regression on held-out folds; node probabilities unchanged.")
    # As always without it.
    visit.go("compare")
    choose(visit, "")
    assert "confidence" not in visit.query
    assert "Confidence of **" not in Visit("example", model=MODEL, sample=SAMPLE).text


def test_another_threshold_has_another_map(model):
    found = hv.evaluation.answer_confidence(model, "venn-abers", "threshold", 0.9)
    visit = Visit("example", model=MODEL, sample=SAMPLE, confidence="venn-abers", threshold="0.9")
    assert line(found, model.predictions.row(SAMPLE)) in visit.text


def test_mistakes_have_a_column(model, isotonic):
    table = table_with(Visit("mistakes", model=MODEL, confidence="isotonic"), "confidence")
    rows = [model.predictions.row(sample) for sample in table["sample"]]
    np.testing.assert_allclose(table["confidence"], isotonic.confidence[rows], rtol=1e-6)
    assert all("confidence" not in one.value for one in Visit("mistakes", model=MODEL).at.dataframe)


def test_calibration_has_diagrams_before_and_after(isotonic):
    visit = Visit("taxonomy", model=MODEL, aspect="calibration", confidence="isotonic")
    judged = hv.diagnosis.confidence_reliability(isotonic)
    assert f"ECE {judged.ece[1]:.3f}" in visit.text
    assert f"in place of {judged.ece[0]:.3f} of p" in visit.text
    assert len(visit.charts()) == 1 + len(Visit("taxonomy", model=MODEL, aspect="calibration").charts())


@pytest.mark.long
def test_ways_are_compared_on_request(model, isotonic):
    visit = Visit("compare", model=MODEL)
    assert not [one for one in visit.at.dataframe if "if calibrated" in one.value]
    visit.press("Compare on held-out folds")
    maps = isotonic.compared()
    table = table_with(visit, "if calibrated")
    assert table["Confidence"].tolist() == ["As it is", "Temperature", "Isotonic regression", "Venn-Abers"]
    assert table["ECE"].tolist() == maps.ece.tolist()
    assert table["if calibrated"].tolist() == maps.ece_calibrated.tolist()
    for head, interval in (("Log loss", maps.log_loss), ("Brier", maps.brier)):
        ends = zip(interval.estimate.tolist(), interval.lower.tolist(), interval.upper.tolist(), strict=True)
        assert table[head].tolist() == [cell_text(value, (low, high)) for value, low, high in ends]
    assert maps.sentence in visit.text


@pytest.mark.long
def test_groups_are_kept_with_the_choice(model):
    visit = Visit("compare", model=MODEL, confidence="isotonic")
    groups = visit.control("Samples belong together by")
    # Those of which there are as many as folds.
    assert "drawn_as" in groups.options
    assert "unusual_setting" not in groups.options
    groups.set_value("drawn_as")
    visit.run()
    found = hv.evaluation.answer_confidence(model, "isotonic", "threshold", 0.5, group="drawn_as")
    asked = {"model": MODEL, "sample": SAMPLE, "confidence": "isotonic", "choices": visit.query["choices"]}
    said = line(found, model.predictions.row(SAMPLE))
    assert said.endswith("on held-out folds of whole groups (drawn_as); node probabilities unchanged.")
    assert said.replace("_", "\\_") in Visit("example", **asked).text or said in Visit("example", **asked).text


def test_labels_have_no_confidence(tmp_path):
    """It is not offered, and the choice changes nothing."""
    taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
    rows = [(f"s{i}", LEAVES[i % 3], LEAVES[i % 4]) for i in range(30)]
    labels = write(tmp_path / "labels.csv", [("sample_id", "label", "truth"), *rows])
    data = shelve(taxonomy=taxonomy, predictions=(labels,))
    assert "Calibrate first" not in Visit("compare", data=data.key).text
    assert "Confidence of **" not in Visit("example", data=data.key, confidence="isotonic").text
