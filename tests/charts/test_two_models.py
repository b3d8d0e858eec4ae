"""Charts of two models, and of which models are right together: areas, colours, words and selections."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.charts.theme import model_colours, palette
from tests.charts.chart_cases import shown_texts, views
from tests.comparison.paired_worlds import grid, labelled, scored


@pytest.fixture(scope="module")
def models():
    rng, taxonomy = np.random.default_rng(0), grid()
    truth = rng.choice(taxonomy.leaves, 600)
    is_in = np.isin(truth, taxonomy.subtree(taxonomy.index["aa"]))
    rights = [rng.random(600) < np.where(is_in, share, 0.7) for share in (0.4, 0.95, 0.7)]
    return [scored(taxonomy, truth, right, name, rng) for right, name in zip(rights, ("A", "B", "C"))]


def blocks(spec, colours):
    """Rectangles of some colours, largest area first."""
    rows = [
        row
        for view in views(spec)
        if view["mark"]["type"] == "rect"
        for row in view["rows"]
        if row.get("colour") in colours
    ]
    return [row for row in rows if row["x2"] - row["x"] != 13]  # swatches of the legend


def area(row):
    return (row["x2"] - row["x"]) * (row["y2"] - row["y"])


@pytest.mark.parametrize(("dark", "width"), [(False, 1200), pytest.param(True, 330, marks=pytest.mark.long)])
@pytest.mark.parametrize("reading", ["named", "to_level", "correct"])
def test_areas_are_in_proportion_to_samples(models, reading, width, dark):
    found = hv.comparison.two_by_two(models[0], models[1], reading, level=2)
    figure = hv.charts.two_by_two(found, dark=dark, width=width)
    look, of_model = palette(dark), model_colours(("A", "B"), dark)
    spec = figure.chart.to_dict()
    drawn = blocks(spec, {look.tp, look.fp, look.tn, *of_model.values()})
    assert len(drawn) == int((found.counts > 0).sum())
    shares = sorted(area(row) for row in drawn)
    counts = sorted(found.counts[found.counts > 0].tolist())
    assert np.allclose(np.array(shares) / shares[-1], np.array(counts) / counts[-1], rtol=1e-6)
    words = shown_texts(hv.charts.to_svg(figure, dark))
    for count in found.counts.ravel().tolist():
        assert any(word.split(" ")[0] == f"{count:,}" for word in words), count
    assert figure.sentence == found.sentence
    assert figure.table["samples"].sum() == 600


def test_cells_can_be_chosen_and_are_outlined(models):
    found = hv.comparison.two_by_two(models[0], models[1])
    plain, outlined = (hv.charts.two_by_two(found, chosen=chosen).chart.to_dict() for chosen in (None, "wrong-right"))
    cells = {row["cell"] for view in views(plain) for row in view["rows"] if "cell" in row}
    assert cells == {"right-right", "right-wrong", "wrong-right", "wrong-wrong"}
    n_lines = [sum(row.get("line") == 3 for view in views(spec) for row in view["rows"]) for spec in (plain, outlined)]
    assert n_lines == [0, 1]
    with pytest.raises(hv.PredictionsError, match="chosen"):
        hv.charts.two_by_two(found, chosen="left-right")


def test_runs_are_parts_of_a_block(models):
    rng, truth = np.random.default_rng(1), models[0].truth
    runs = [labelled(models[0].taxonomy, truth, rng.random(600) < 0.6, "A") for _ in range(3)]
    found = hv.comparison.two_by_two(runs, models[1])
    spec = hv.charts.two_by_two(found).chart.to_dict()
    rows = [row for view in views(spec) if view["mark"]["type"] == "rect" for row in view["rows"]]
    of_both_wrong = [row for row in rows if row.get("colour") == palette().fp and row["x2"] - row["x"] != 13]
    # All runs wrong: the share of them in the cell is the share of its area.
    places = found.places("wrong", "wrong")
    sure = int((found.share[0][places] == 0).sum())
    whole = [row for row in rows if row.get("cell") == "wrong-wrong"]
    assert len(of_both_wrong) == len(whole) == 1
    largest = found.counts.max()
    assert area(of_both_wrong[0]) / area(whole[0]) == pytest.approx(sure / largest, rel=0.01)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_only_clear_differences_are_coloured(models, width, dark):
    found = hv.comparison.difference_tree(models[0], models[1])
    assert [found.taxonomy.names[node] for node in found.clear] == ["aa"]
    figure = hv.charts.difference_tree(found, dark=dark, width=width)
    spec, look = figure.chart.to_dict(), palette(dark)
    blue = blocks(spec, {look.path})
    tall = sorted(row["y2"] - row["y"] for row in blue)
    # One class, as high as its share of the samples.
    assert len(tall) == 1
    assert tall[0] / 560 == pytest.approx(found.n[found.taxonomy.index["aa"]] / 600, rel=1e-6)
    targets = {row["target"] for view in views(spec) for row in view["rows"] if "target" in row}
    assert "aa" in targets
    assert figure.sentence == found.sentence
    assert figure.sentence.startswith("B gains in aa")
    same = hv.comparison.difference_tree(models[0], models[0])
    assert not blocks(hv.charts.difference_tree(same, dark=dark, width=width).chart.to_dict(), {look.path, look.fp})


def test_a_subtree_and_a_class_without_samples(models):
    found = hv.comparison.difference_tree(models[0], models[1])
    inside = found.taxonomy.index["ab"]
    spec = hv.charts.difference_tree(found, inside, chosen=inside).chart.to_dict()
    targets = {row["target"] for view in views(spec) for row in view["rows"] if row.get("target")}
    assert targets <= {found.taxonomy.names[node] for node in found.taxonomy.subtree(inside)}
    few = hv.comparison.difference_tree(*(one.replace(truth=np.full(600, inside)) for one in models[:2]))
    with pytest.raises(hv.PredictionsError, match="got none"):
        hv.charts.difference_tree(few, found.taxonomy.index["c"])


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_bars_of_combinations(models, width, dark):
    found = hv.comparison.right_together({"a": models[0], "b": models[1], "c": models[2]})
    figure = hv.charts.right_together(found, dark=dark, width=width, chosen="only:b.c")
    spec, (members, counts) = figure.chart.to_dict(), found.combinations
    hits = {row["right"]: row for view in views(spec) for row in view["rows"] if "right" in row}
    assert {"none", "all"} <= set(hits)
    for word, row in hits.items():
        assert row["samples"].startswith(f"{len(found.select(word)):,} of 600")
    rects = [row for view in views(spec) if view["mark"]["type"] == "rect" for row in view["rows"]]
    bars = [
        row
        for row in rects
        if row.get("line") == 0 and "y2" in row and row["x2"] - row["x"] <= 46 and row["x2"] - row["x"] != 13
    ]
    tall = sorted(row["y2"] - row["y"] for row in bars)[-len(hits) :]
    shown = sorted(len(found.select(word)) for word in hits)
    assert np.allclose(np.array(tall) / tall[-1], np.array(shown) / shown[-1])
    assert figure.table["samples"].tolist() == counts.tolist()
    assert members.shape[1] == 3
