"""The page Compare: its numbers are those of the API, for data of every kind."""

import re

import pytest
from small_worlds import spread, world
from visit import Visit

import hierviz as hv
from hierviz.messages.number_text import value_text

MODELS = ("flat-softmax", "multi-label")


def chart_rows(visit):
    """{(model, part): row} of the table behind the chart of parts."""
    table = next(one.value for one in visit.at.dataframe if "part" in one.value)
    return {(row["model"], row["part"]): row for row in table.to_dict("records")}


def test_table_has_the_numbers_of_the_api(demo):
    visit = Visit("compare", models=",".join(MODELS), threshold="0.7")
    models = [demo.models[key] for key in MODELS]
    found = hv.compare(models, rule="threshold", threshold=0.7)
    shown = visit.at.dataframe[0].value
    assert shown["Model"].tolist() == [*(model.predictions.name for model in models), "Best constant"]
    assert len(shown.columns) == 1 + len(found.columns)
    for place, column in enumerate(found.columns, 1):
        values = [method.value(column.key) for method in found.methods] + [found.constants.values.get(column.key)]
        assert shown.iloc[:, place].tolist() == pytest.approx(
            [float("nan") if v is None else v for v in values], nan_ok=True
        )
    assert found.methods_paragraph in [one.value for one in visit.at.code]
    visit.at.selectbox("widget_preset").select("kiritchenko")
    visit.run()
    assert visit.query["preset"] == "kiritchenko"
    assert len(visit.at.dataframe[0].value.columns) == 1 + len(hv.compare(models, "kiritchenko", resamples=0).columns)


def test_hidden_columns_are_in_no_download(demo):
    visit = Visit("compare", models=",".join(MODELS), preset="kiritchenko")
    n_columns = len(visit.at.dataframe[0].value.columns)
    visit.control("Hidden, on the page and in downloads").set_value(["labels.hf1_micro"])
    visit.run()
    assert len(visit.at.dataframe[0].value.columns) == n_columns - 1
    assert "Columns (1 hidden)" in visit.text
    assert "hf1_micro" not in visit.text


def test_agreement_and_single_samples(demo):
    visit = Visit("compare", comparison="agreement", models=",".join(MODELS), threshold="0.7")
    models = [demo.models[key] for key in MODELS]
    assert hv.compare(models, rule="threshold", threshold=0.7).agreement.sentence in visit.text
    found = hv.comparison.metrics_on_samples(models[0], "softmax_win", "hf1_samples", "threshold", 0.7)
    assert found.sentence in visit.text
    table = next(one.value for one in visit.at.dataframe if "sample_id" in one.value and len(one.value) == 100)
    assert table["sample_id"].tolist() == found.to_frame(100)["sample_id"].tolist()
    visit.control("Compare").set_value("models")
    visit.run()
    between = hv.comparison.models_on_samples(*models, "softmax_win", "threshold", 0.7)
    assert between.sentence in visit.text


@pytest.mark.long
def test_more_samples_than_dots_can_be_clicked_in_the_table(tmp_path):
    truth = ["violin", "cello", "flute", "reeds"] * 501
    data = world(tmp_path, scores=spread(2004), truth=truth)
    visit = Visit("compare", data=data.key, comparison="agreement")
    assert "Click a row to open its sample." in visit.text


def test_parts_have_the_numbers_of_the_api(demo):
    visit = Visit(
        "compare",
        comparison="groups",
        models=",".join(MODELS),
        by="unusual_setting",
        metric="info_recall",
        threshold="0.7",
    )
    rows = chart_rows(visit)
    for key in MODELS:
        model = demo.models[key]
        found = hv.diagnosis.means_by(model, "unusual_setting", "threshold", 0.7, metric="info_recall")
        for place, part in enumerate(found.label):
            row = rows[model.predictions.name, part]
            assert (row["n"], row["mean"], row["lower"], row["upper"]) == (
                found.n[place],
                found.mean[place],
                found.lower[place],
                found.upper[place],
            )
    assert "The same τ means different things for different models" in visit.text
    visit.at.selectbox("widget_metric").select("softmax_win")
    visit.run()
    assert visit.query["metric"] == "softmax_win"
    assert "The same τ means different things" not in visit.text  # the win does not depend on it


def test_classes_have_the_numbers_of_the_api(demo):
    visit = Visit("compare", comparison="classes", models="flat-softmax", threshold="0.7")
    found = hv.diagnosis.class_table(demo.models["flat-softmax"], "threshold", 0.7)
    table = visit.at.dataframe[0].value.set_index("class")
    assert len(table) == found.exact.is_class.sum()
    for node in (1, 10, 20):
        if found.exact.is_class[node]:
            assert table.loc[demo.taxonomy.names[node], "precision"] == pytest.approx(
                found.exact.precision[node], nan_ok=True
            )
    average = found.exact.averages()["all"]
    assert f"F **{value_text(average['f'])}**" in visit.text
    visit.at.number_input("kept_compare classes_beta").set_value(2.0)
    visit.run()
    hf = hv.diagnosis.hierarchical_f(demo.models["flat-softmax"], "threshold", 0.7, beta=2)
    assert (
        f"β = 2, ancestors added: micro {value_text(hf['micro'])}, mean over samples {value_text(hf['samples'])}"
        in visit.text
    )


def test_without_truth(tmp_path):
    assert "none has one" in Visit("compare", data=world(tmp_path, scores=spread(4)).key).text


def test_parts_by_training_count_of_the_demo(demo):
    """Leaves have 150 training pictures, inner truths more."""
    visit = Visit("compare", comparison="groups", by="train_count", models=",".join(MODELS))
    found = hv.diagnosis.means_by(demo.models[MODELS[0]], "train_count")
    rows = chart_rows(visit)
    assert found.label[0] == "150"
    name = demo.models[MODELS[0]].predictions.name
    assert [rows[name, label]["n"] for label in found.label] == found.n.tolist()
    assert "number of training samples" in str(visit.control("Divide the samples by").proto)


def test_intervals_of_many_samples_are_worked_out_when_they_are_asked_for(demo, monkeypatch):
    from hierviz.app.compare_page import table_panel

    monkeypatch.setattr(table_panel, "AT_ONCE", 10)
    visit = Visit("compare", models=",".join(MODELS), threshold="0.65")
    assert "Intervals not computed" in visit.text
    assert "**Bold**: the best of a column" not in visit.text
    plain = visit.at.dataframe[0].value
    visit.press("Compute intervals (up to 1 min)")
    assert "Intervals not computed" not in visit.text
    assert "**Bold**: the best of a column" in visit.text
    assert visit.at.dataframe[0].value.equals(plain)  # the numbers stay what they are


@pytest.mark.parametrize("part", ["agreement", "classes"])
def test_a_click_on_any_cell_chooses_a_row(part, demo):
    visit = Visit("compare", comparison=part, models=MODELS[0], threshold="0.7")
    tables = [one.proto.selection_mode for one in visit.at.dataframe if len(one.proto.selection_mode)]
    modes = type(visit.at.dataframe[0].proto).SelectionMode
    assert any(modes.SINGLE_CELL in of_table and modes.SINGLE_ROW in of_table for of_table in tables)


def test_the_former_table_stays_while_another_one_is_worked_out(demo, monkeypatch):
    from hierviz.app.compare_page import table_panel

    visit = Visit("compare", models=",".join(MODELS), threshold="0.71")
    assert "The inference rule and τ change these columns only: hF1 sample mean" in visit.text
    before = visit.at.dataframe[0].value
    monkeypatch.setattr(table_panel, "worked_out", lambda *_: None)  # as where the visitor cancels it
    visit.control("Threshold τ").set_value(0.72)
    visit.run()
    assert "Previous table: rule threshold, τ = 0.71" in visit.text
    assert visit.at.dataframe[0].value.equals(before)


def test_a_field_without_methods_asks_for_one(demo):
    visit = Visit("compare", models=",".join(MODELS), preset="kiritchenko")
    visit.control("Methods").set_value([])
    visit.run()
    assert visit.control("Methods").value == []
    assert "Choose at least one method." in visit.text
    assert not visit.at.dataframe
    visit.control("Methods").set_value([MODELS[1]])
    visit.run()
    assert visit.query["models"] == MODELS[1]
    assert visit.at.dataframe[0].value["Model"].tolist()[0] == "Multi-label"
    visit.control("Methods").set_value([])
    visit.run()
    visit.go(models=MODELS[0])  # a link has models of its own
    assert "Choose at least one" not in visit.text


def test_ranks_parts_and_levels_have_the_numbers_of_the_api(demo):
    visit = Visit("compare", comparison="ranks", models=",".join(MODELS), preset="kiritchenko")
    models = [demo.models[key] for key in MODELS]
    found = hv.compare(models, "kiritchenko", rule="threshold")
    assert hv.charts.rank_matrix(found).sentence in visit.text
    assert hv.charts.method_intervals(found).sentence in visit.text
    visit.go(comparison="groups", models=",".join(MODELS))
    by = visit.control("Parts by").value
    curves = hv.evaluation.curves_by(models, by)
    assert hv.charts.facet_curves(curves, by).sentence in visit.text
    levels = hv.diagnosis.level_matrix([model.predictions for model in models])
    assert hv.charts.level_matrix(levels).sentence in visit.text
    assert len(visit.charts()) == 3


@pytest.mark.long
def test_what_parts_and_levels_need_is_said(tmp_path):
    data = world(tmp_path, scores=spread(4), truth=["violin", "cello", "flute", "reeds"])
    visit = Visit("compare", data=data.key, comparison="groups")
    assert "There are none: no column of the samples" in visit.text
    visit.go(data=data.key, comparison="ranks")
    assert "One method has no rank" in visit.text


@pytest.mark.long
def test_every_choice_of_a_part_is_in_the_address():
    """Two models by a metric on Compare, and what else a colleague would want to see; a link is a fresh visit."""
    visit = Visit("compare", comparison="agreement", models="flat-softmax,multi-label")
    visit.control("Compare").set_value("models").run()
    visit.control("Metric").set_value("hf1_samples").run()
    link = visit.query
    assert {"models", "hf1_samples"} <= set(re.findall("%22(.*?)%22", link["choices"]))
    other = Visit("compare", **link)
    assert other.control("Compare").value == "models"
    assert other.control("Metric").value == "hf1_samples"
    assert other.query == link
    # An address without it has the default again.
    other.go("compare", comparison="agreement", models="flat-softmax,multi-label")
    assert other.control("Compare").value == "metrics"


@pytest.mark.long
@pytest.mark.parametrize(
    "word",
    [
        "compare%20samples.kind=%22nothing%22",
        "compare%20samples.kind=7",
        "compare%20samples.kind=%5B",
        "compare%20samples.one=%22%3Cb%3E%22",
        "compare%20table.last=%5B%22a%22%5D",
        "other.kind=%22models%22",
    ],
)
def test_a_choice_that_is_none_changes_nothing(word):
    visit = Visit("compare", comparison="agreement", models="flat-softmax,multi-label", choices=word)
    # Streamlit shows nothing chosen in place of what it does not know.
    assert visit.control("Compare").value in ("metrics", None)
    assert visit.control("Metric").value == "softmax_win"
    assert visit.control("and").value == "hf1_samples"
