"""Icicle, treemap, levels and reliability diagrams: areas, drawable minimum, numbers, both themes and widths."""

import numpy as np
import pytest
from chart_cases import large, shown_texts, size, views
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz import charts
from hierviz.charts._mistake_treemap import squarified, treemap_cells
from hierviz.charts._subtree_icicle import HEIGHT, LEAST, subtree_cells
from hierviz.charts._value_colours import value_colours
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis.calibration_bins import calibration_example


@pytest.fixture(scope="module")
def many_nodes():
    """NodeTable of 3,000 nodes, a fan of 600 and names of thirty letters."""
    taxonomy, _ = large()
    rng = np.random.default_rng(3)
    truth = rng.choice(taxonomy.n_nodes, 4000)
    answer = np.where(rng.random(4000) < 0.6, truth, rng.choice(taxonomy.n_nodes, 4000))
    predictions = hv.Predictions.from_labels(taxonomy, answer, truth=truth)
    return hv.diagnosis.node_table(predictions), subtree_levels(predictions)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=40), st.floats(1, 900), st.floats(1, 900))
def test_squares_fill_their_rectangle(sizes, width, height):
    sizes = sorted(sizes, reverse=True)
    placed = squarified(sizes, 3.0, 5.0, width, height)
    areas = np.array([w * h for _, _, w, h in placed])
    assert len(placed) == len(sizes)
    assert areas == pytest.approx(np.array(sizes) * width * height / sum(sizes), rel=1e-6)
    for x, y, w, h in placed:
        assert x >= 3 - 1e-6
        assert y >= 5 - 1e-6
        assert x + w <= 3 + width * (1 + 1e-9)
        assert y + h <= 5 + height * (1 + 1e-9)
    for i, (x, y, w, h) in enumerate(placed):
        for a, b, c, d in placed[:i]:
            assert min(x + w, a + c) - max(x, a) <= 1e-6 * width or min(y + h, b + d) - max(y, b) <= 1e-6 * height


def test_icicle_heights_are_supports(many_nodes):
    table, _ = many_nodes
    taxonomy = table.taxonomy
    cells = subtree_cells(taxonomy, table.support)
    by_node = {int(cell.nodes[0]): cell for cell in cells if not cell.is_others}
    assert len(cells) < 250
    for cell in cells[1:]:
        parent = by_node[int(taxonomy.parent[cell.nodes[0]])]
        assert cell.level == parent.level + 1
        assert parent.top - 1e-9 <= cell.top
        assert cell.top + cell.height <= parent.top + parent.height + 1e-9
        assert cell.height == pytest.approx(HEIGHT * table.support[cell.nodes].sum() / table.support[0])
        if not cell.is_others:
            assert cell.height >= LEAST / 2
    # What is put together and what is drawn alone are all children that have samples, as far as they can be seen.
    drawn = [node for cell in cells if cell.level == 1 for node in cell.nodes.tolist()]
    assert sorted(drawn) == [node for node in taxonomy.children[0].tolist() if table.support[node]]


def test_treemap_areas_are_costs(many_nodes):
    table, _ = many_nodes
    cells = treemap_cells(table.taxonomy, table.n_wrong, width=1000)
    outer = [cell for cell in cells if not any(_holds(other, cell) for other in cells)]
    assert sum(cell.cost for cell in outer) == table.n_wrong[0]
    for cell in outer:
        assert cell.width * cell.height == pytest.approx(1000 * 520 * cell.cost / table.n_wrong[0])
    assert len(cells) < 700
    # A leaf stands for itself, and so do truths that are an inner node.
    leaf = int(np.argmax(table.taxonomy.is_leaf & (table.n_wrong > 0)))
    assert [cell.kind for cell in treemap_cells(table.taxonomy, table.n_wrong, leaf)] == ["itself"]


def _holds(outer, inner):
    return (
        outer is not inner
        and outer.kind == "group"
        and (
            outer.x <= inner.x
            and outer.y <= inner.y
            and inner.x + inner.width <= outer.x + outer.width + 1e-6
            and inner.y + inner.height <= outer.y + outer.height + 1e-6
        )
    )


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_drawings_fit(many_nodes, dark, width):
    table, levels = many_nodes
    for chart in (
        charts.subtree_icicle(table, value="n_wrong", dark=dark, width=width),
        charts.mistake_treemap(table, dark=dark, width=width),
        charts.level_bars(levels, dark=dark, width=width),
    ):
        assert size(charts.to_svg(chart, dark))[0] <= width + 8


def test_a_click_chooses_a_class_that_can_be_opened(many_nodes):
    table, _ = many_nodes
    for chart in (charts.subtree_icicle(table), charts.mistake_treemap(table)):
        spec = charts.to_vega_lite(chart)
        rows = next(view["rows"] for view in views(spec) if view["rows"] and "target" in view["rows"][0])
        targets = {row["target"] for row in rows} - {""}
        assert targets
        assert not any(table.taxonomy.is_leaf[table.taxonomy.node(name)] for name in targets)
        assert "node" in [parameter["name"] for parameter in spec["params"]]
        assert {
            row["support"]
            for row in rows
            if row["tip_name"] == table.taxonomy.title(int(table.taxonomy.children[0][0]))
        } <= {f"{table.support[table.taxonomy.children[0][0]]:,}", ""}


def test_colours_say_which_end_is_worse(taxonomy):
    predictions = hv.Predictions.from_labels(
        taxonomy, taxonomy.nodes("dog", "cat", "newt", "newt"), truth=taxonomy.nodes("cat", "cat", "newt", "newt")
    )
    table = hv.diagnosis.node_table(predictions)
    look = charts.palette(False)
    colours = value_colours(table, "correct", taxonomy.nodes("cat", "newt"))
    # 3 of 4 are correct; half of the cats, all newts.
    assert (colours.low, colours.middle, colours.high) == (0.5, 0.75, 1.0)
    assert [colours.fill(value) for value in (0.5, 0.75, 1.0, np.nan)] == [look.fp, look.tn, look.path, look.others]
    assert [item["label"] for item in colours.items()] == ["0.500", "0.750 (all samples)", "1.000"]
    wrong = value_colours(table, "n_wrong", taxonomy.nodes("cat", "newt"))
    assert [wrong.fill(value) for value in (0, 1)] == [look.tn, look.fp]
    assert value_colours(table, "support", [1]).fill(2) == look.path
    assert {colours.text(fill) for fill in ("#000000", "#ffffff")} == {"#ffffff", "#000000"}


def test_sentences_and_tables(many_nodes):
    table, levels = many_nodes
    said = charts.subtree_icicle(table, value="recall").sentence
    assert "root" not in said.split(".")[0]
    assert f"{table.support[0]:,} samples" in said
    assert f"{int(table.n_wrong[0]):,} below" in charts.mistake_treemap(table).sentence
    found = charts.mistake_treemap(table).table
    assert found["n_wrong"].max() == table.n_wrong[table.taxonomy.children[0]].max()
    assert charts.subtree_icicle(table).table["support"].iloc[0] == table.support[0]
    assert f"{table.taxonomy.n_nodes:,} classes" in charts.level_bars(levels).sentence
    assert charts.level_bars(levels).table["n_nodes"].sum() == table.taxonomy.n_nodes


def test_narrow_icicle_of_a_graph_has_whole_names_and_counts_each_class_once():
    edges = [("work", "fiction"), ("work", "history"), ("fiction", "historical novel"), ("history", "historical novel")]
    taxonomy = hv.Taxonomy.from_edges([*edges, ("history", "biography")])
    answer = taxonomy.nodes("historical novel", "biography")
    table = hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, answer, truth=answer))
    words = shown_texts(charts.to_svg(charts.subtree_icicle(table, value="recall", width=330)))
    assert {"work", "fiction", "historical novel"} <= set(words)
    # The cells of three levels: each class below the root, one of them twice.
    assert "4 classes are drawn below it" in charts.subtree_icicle(table, value="recall", width=330).sentence


def test_errors(taxonomy):
    right = hv.diagnosis.node_table(
        hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("cat"))
    )
    with pytest.raises(
        hv.PredictionsError, match=r"^icicle: expected a column with numbers .*, got 'mean_win'\. Choose one\."
    ):
        charts.subtree_icicle(right, value="mean_win")
    with pytest.raises(hv.PredictionsError, match=r"^icicle: expected samples with a truth below 'newt', got none\."):
        charts.subtree_icicle(right, taxonomy.node("newt"))
    with pytest.raises(hv.PredictionsError, match=r"^treemap: expected mistakes below 'animal', got none\."):
        charts.mistake_treemap(right)
    with pytest.raises(hv.PredictionsError, match=r"^treemap: expected a cost among .*, got 'recall'\."):
        charts.mistake_treemap(right, cost="recall")
    found = hv.diagnosis.reliability(calibration_example(), nodes=[1])
    with pytest.raises(hv.PredictionsError, match=r"^reliability diagrams: expected 1 to 12 of them, got 0\."):
        charts.reliability_diagram(found, [])


def test_reliability_diagram_shows_bins_error_and_counts():
    predictions = calibration_example()
    found = hv.diagnosis.reliability(predictions, nodes=predictions.taxonomy.nodes("u", "a"))
    for dark, width in ((False, 1000), (True, 330)):
        chart = charts.reliability_diagram(found, dark=dark, width=width)
        svg = charts.to_svg(chart, dark)
        assert size(svg)[0] <= width + 8
        words = svg
        assert "ECE 0.133" in words
        assert "✗ not calibrated" in words
        assert "✓ as a calibrated model" in words
    # Where there is room diagrams are larger.
    wide = charts.to_vega_lite(charts.reliability_diagram(found, width=1600))
    assert wide["vconcat"][0]["hconcat"][0]["vconcat"][0]["width"] == 280
    points = [
        view
        for view in views(charts.to_vega_lite(chart))
        if "rate" in str(view["encoding"].get("y", "")) and view["rows"]
    ]
    assert [row["n"] for row in points[-1]["rows"]] == found.bins(1)["n"].tolist()
    table = charts.reliability_diagram(found).table
    assert table["subject"].tolist() == ["u"] * 3 + ["a"] * 2
    assert charts.reliability_diagram(found).sentence.startswith("1 of 2 diagrams")
    assert "is larger than what a calibrated model would show" in charts.reliability_diagram(found, [0]).sentence


def test_too_few_samples_for_bins_are_said(taxonomy):
    p = np.array([[0.5, 0.25, 0.125, 0.125]])
    found = hv.diagnosis.reliability(
        hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=[2]), nodes=[2]
    )
    assert "too few samples for bins: 1" in charts.to_svg(charts.reliability_diagram(found))
    assert "too few samples for bins (1)" in charts.reliability_diagram(found).sentence
