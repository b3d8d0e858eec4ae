"""A metric in parts of the samples: what is drawn, the table and the sentence."""

import numpy as np
import pytest
from chart_cases import views

import hierviz as hv
from hierviz import charts


@pytest.fixture(scope="module")
def found():
    """Two models on 60 samples in three kinds of light, one of them with 4 samples."""
    rng = np.random.default_rng(5)
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b"), ("a", "c"), ("a", "d")])
    truth = np.tile(taxonomy.nodes("c", "d", "b"), 20)
    light = np.array(["day"] * 28 + ["night"] * 28 + ["dusk"] * 4)
    models = {}
    for name, share in (("good", 0.9), ("poor <b>", 0.5)):
        answers = np.where(rng.random(60) < np.where(light == "night", share / 2, share), truth, taxonomy.node("b"))
        models[name] = hv.diagnosis.means_by(
            hv.Predictions.from_labels(taxonomy, answers, truth=truth, attributes={"light": light}),
            "light",
            metric="correct",
        )
    return models


def test_dots_and_intervals(found):
    rows = [row for view in views(charts.to_vega_lite(charts.means_by(found))) for row in view["rows"]]
    dots = [row for row in rows if "mean" in row]
    shown = {(row["model"], row["part"], round(row["mean"], 12)) for row in dots}
    assert shown == {
        (name, part, round(float(value), 12)) for name, one in found.items() for part, value in zip(one.label, one.mean)
    }
    assert {row["item"].split("\n")[1] for row in dots} == {"n = 28", "n = 4"}


def test_table_and_sentence(found):
    table = charts.means_by(found).table
    assert len(table) == 6
    assert table["mean"].tolist() == [value for one in found.values() for value in one.mean.tolist()]
    assert table[table["part"] == "dusk"]["lower"].isna().all()
    said = charts.means_by(found).sentence
    worst = found["good"].label.index("night")
    assert f"good: Correct is worst for light night, {found['good'].mean[worst]:.3f}" in said
    assert said.endswith("Dots without a line (light dusk): fewer than 10 samples have no interval.")


def test_runs_are_small_circles_apart_from_the_interval():
    taxonomy, rng = hv.Taxonomy.from_edges([("all", "a"), ("all", "b")]), np.random.default_rng(1)
    truth = np.tile(taxonomy.nodes("a", "b"), 20)
    answers = [np.where(rng.random(40) < 0.7, truth, taxonomy.node("a")) for _ in range(3)]
    runs = [hv.Predictions.from_labels(taxonomy, one, truth=truth) for one in answers]
    found = {"method": hv.diagnosis.means_by(runs, "depth", metric="correct")}
    rows = [row for view in views(charts.to_vega_lite(charts.means_by(found))) for row in view["rows"]]
    means = [row["value"] for row in rows if "run" in row]
    assert means == pytest.approx([(one == truth).mean() for one in answers])
    assert charts.means_by(found).table["spread"].tolist() == pytest.approx([np.std(means, ddof=1)])
    assert f"(± {np.std(means, ddof=1):.3f} between 3 runs)" in charts.means_by(found).sentence


def test_samples_in_no_part_are_counted_in_the_picture(found):
    """A real value "unknown" is a part; a missing one is none, and does not vanish. Said once: the sentence is next to it."""
    assert "title" not in charts.means_by(found).chart.to_dict()
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b")])
    truth = np.tile(taxonomy.nodes("a", "b"), 1500)
    site = np.array(["unknown", "", "field"] * 1000)

    def means(**more):
        predictions = hv.Predictions.from_labels(taxonomy, truth, truth=truth, attributes={"site": site, **more})
        return {"m": hv.diagnosis.means_by(predictions, *more or ["site"], metric="exact")}

    drawn = charts.means_by(means(), width=330)
    note = "Left out: 1,000 samples without a value of site or of Exact."
    assert "over all samples with a value" in drawn.sentence
    assert note not in drawn.sentence
    assert " ".join(drawn.chart.to_dict()["title"]["text"]) == note
    assert drawn.table["part"].tolist() == ["field", "unknown"]
    assert drawn.table["n"].tolist() == [1000, 1000]
    drawn = charts.means_by(means(place=[f"p{i % 30}" for i in range(3000)]))
    assert drawn.chart.to_dict()["title"]["text"] == ["Only in the table: 6 smaller parts."]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 900])
def test_it_fits(found, dark, width):
    svg = charts.to_svg(charts.means_by(found, dark=dark, width=width), dark)
    assert float(svg.split('width="')[1].split('"')[0]) <= width + 8


def test_errors(found):
    with pytest.raises(hv.PredictionsError, match=r"^means_by: expected at least one model, got none\."):
        charts.means_by({})
    one = found["good"]
    other = hv.diagnosis.means_by(
        hv.Predictions.from_labels(hv.Taxonomy.from_edges([("r", "a")]), [1], truth=[1]), "depth", metric="correct"
    )
    with pytest.raises(hv.PredictionsError, match=r"^means_by: expected models whose samples are divided alike"):
        charts.means_by({"one": one, "other": other})
