"""Icicle, treemap, levels and reliability diagrams: true heights and areas, the worst class, numbers, both themes and widths."""

import itertools

import numpy as np
import pytest
from chart_cases import large, shown_texts, size, views
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz import charts
from hierviz.charts._value_colours import ENOUGH, strength, value_colours
from hierviz.charts.subtree_layout import HEIGHT, LEAST, subtree_cells
from hierviz.charts.treemap_layout import HEIGHT as TREEMAP_HEIGHT
from hierviz.charts.treemap_layout import squarified, treemap_cells
from hierviz.demo import load_demo, load_wikipedia
from hierviz.diagnosis._excess import excess, pooled, worst_subtrees
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
    worst = worst_subtrees(table, most=12).tolist()
    cells = subtree_cells(taxonomy, table.support, worst=worst, badness=excess(table))
    by_node = {int(cell.nodes[0]): cell for cell in cells if not cell.is_others}
    assert len(cells) < 250
    # All that is bad has a cell, and what is not kept for that has room for its name.
    above = set(taxonomy.ancestors(np.array(worst)).nodes.tolist())
    assert set(worst) <= set(by_node)
    for cell in cells[1:]:
        assert cell.height == pytest.approx(HEIGHT * table.support[cell.nodes].sum() / table.support[0])
        assert cell.height >= LEAST or int(cell.nodes[0]) in above
        assert len(cell.nodes) > 1 or not cell.is_others
        # In the column after the last one classes are inside one that is more than a level above.
        inside = [by_node[node] for node in taxonomy.path(int(cell.nodes[0])).tolist()[:-1] if node in by_node]
        parent = max((one for one in inside if one.level < cell.level), key=lambda one: one.level)
        assert cell.level == parent.level + 1
        assert parent.top - 1e-9 <= cell.top
        assert cell.top + cell.height <= parent.top + parent.height + 1e-9
    # Cells of a column do not overlap, and grouped classes are no worse than single ones of their height.
    for level in {cell.level for cell in cells}:
        spans = sorted((cell.top, cell.top + cell.height) for cell in cells if cell.level == level)
        assert all(end <= start + 1e-6 for (_, end), (start, _) in itertools.pairwise(spans))
    # What is put together and what is drawn alone are all children that have samples.
    drawn = [node for cell in cells if cell.level == 1 for node in cell.nodes.tolist()]
    assert sorted(drawn) == [node for node in taxonomy.children[0].tolist() if table.support[node]]


def test_treemap_areas_are_costs_on_one_scale(many_nodes):
    table, _ = many_nodes
    worst = worst_subtrees(table, most=12).tolist()
    cells = treemap_cells(table.taxonomy, table.n_wrong, width=1000, worst=worst)
    for cell in cells:
        assert cell.width * cell.height == pytest.approx(1000 * TREEMAP_HEIGHT * cell.cost / table.n_wrong[0])
    # A class comes before what is inside of it, which may be all of it.
    outer = [cell for i, cell in enumerate(cells) if not any(_holds(other, cell) for other in cells[:i])]
    assert sum(cell.cost for cell in outer) == pytest.approx(table.n_wrong[0])
    assert len(cells) < 700
    drawn = {int(cell.nodes[0]) for cell in cells if cell.kind in ("class", "group")}
    assert worst[0] in drawn
    # A leaf stands for itself, and so do truths that are an inner node.
    leaf = int(np.argmax(table.taxonomy.is_leaf & (table.n_wrong > 0)))
    assert [cell.kind for cell in treemap_cells(table.taxonomy, table.n_wrong, leaf)] == ["itself"]


def _holds(outer, inner):
    """Whether a cell is inside another one: of a class with its children, or of a class with a bad one further down."""
    return (
        outer is not inner
        and outer.width * outer.height >= inner.width * inner.height - 1e-6
        and outer.x <= inner.x + 1e-6
        and outer.y <= inner.y + 1e-6
        and inner.x + inner.width <= outer.x + outer.width + 1e-6
        and inner.y + inner.height <= outer.y + outer.height + 1e-6
    )


def words_of(figure):
    """All texts of a figure."""
    return [row["text"] for view in views(charts.to_vega_lite(figure)) for row in view["rows"] if "text" in row]


def of_demo(load):
    """NodeTable, and the node that the headline calls the worst, of the first model of a demo at a threshold of a half."""
    predictions = load()[1][0]
    found = hv.diagnosis.slices(predictions, "threshold", 0.5)
    return hv.diagnosis.node_table(predictions, "threshold", 0.5), found.rows[found.worst_subtree].node


@pytest.fixture(scope="module")
def large_tree():
    """NodeTable of 10,000 leaves on six levels, of which one genus far down is mostly wrong, and this genus."""
    rng = np.random.default_rng(5)
    levels, parents = [np.array([0])], []
    for width in (8, 40, 200, 1000, 10_000):
        start = 1 + len(parents)
        parents += rng.choice(levels[-1], width).tolist()
        levels.append(np.arange(start, start + width))
    taxonomy = hv.Taxonomy.from_edges([(f"n{parent}", f"n{i}") for i, parent in enumerate(parents, 1)])
    truth = rng.choice(taxonomy.leaves, 40_000)
    genus = int(taxonomy.parent[truth[0]])
    is_wrong = rng.random(len(truth)) < np.where(np.isin(truth, taxonomy.subtree(genus)), 0.9, 0.02)
    answer = np.where(is_wrong, rng.choice(taxonomy.leaves, len(truth)), truth)
    table = hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, answer, truth=truth))
    return table, genus


@pytest.mark.parametrize("data", ["vehicles", pytest.param("wikipedia", marks=pytest.mark.long), "large"])
@pytest.mark.parametrize(("dark", "width"), [(False, 1200), pytest.param(True, 330, marks=pytest.mark.long)])
def test_the_worst_class_is_always_drawn_and_labelled(data, dark, width, large_tree):
    table, worst = (
        of_demo({"vehicles": load_demo, "wikipedia": load_wikipedia}[data]) if data != "large" else large_tree
    )
    if data == "large":
        # It is the worst without being told so, too.
        assert worst_subtrees(table)[0] in table.taxonomy.path(worst)
    title = table.taxonomy.title(worst)
    for figure in (
        charts.subtree_icicle(table, worst=worst, dark=dark, width=width),
        charts.mistake_treemap(table, worst=worst, dark=dark, width=width),
    ):
        spec = charts.to_vega_lite(figure)
        ink = charts.palette(dark).ink
        outlined = [
            row for view in views(spec) for row in view["rows"] if (row.get("line"), row.get("stroke")) == (2.5, ink)
        ]
        # The class has an outline, and its name where it is or next to it; lines of the legend are thinner.
        assert len(outlined) == 1
        assert any(word.replace("…", "").split(" ")[0] in title for word in words_of(figure))
        assert any(word.startswith(f"worst: {title}"[:24]) for word in words_of(figure))
        assert title in figure.sentence
        assert size(charts.to_svg(figure, dark))[0] <= width + 8


def test_no_cell_of_the_icicle_is_without_words(many_nodes):
    """Every cell has a label, inside or outside."""
    table, _ = many_nodes
    figure = charts.subtree_icicle(table, value="n_wrong", width=1200)
    rows = next(
        view["rows"] for view in views(charts.to_vega_lite(figure)) if view["rows"] and "target" in view["rows"][0]
    )
    texts = [row for view in views(charts.to_vega_lite(figure)) for row in view["rows"] if "text" in row and "x" in row]
    lines = [
        row for view in views(charts.to_vega_lite(figure)) if view["mark"]["type"] == "rule" for row in view["rows"]
    ]
    for cell in rows:
        inside = any(cell["x"] <= t["x"] <= cell["x2"] and cell["y"] <= t["y"] <= cell["y2"] for t in texts)
        led = any(abs(line["x"] - cell["x2"]) < 3 and cell["y"] <= line["y"] <= cell["y2"] for line in lines)
        assert inside or led, cell["tip_name"]


def test_groups_have_the_number_of_their_samples_together(many_nodes):
    table, _ = many_nodes
    nodes = table.taxonomy.children[3][:20]
    n = table.support[nodes].sum()
    assert pooled(table, "correct", nodes) == pytest.approx(table.n_correct[nodes].sum() / n)
    assert pooled(table, "recall", nodes) == pytest.approx(table.hits[nodes].sum() / n)
    assert pooled(table, "precision", nodes) == pytest.approx(table.hits[nodes].sum() / table.answered[nodes].sum())
    assert pooled(table, "f1", nodes) == pytest.approx(2 * table.hits[nodes].sum() / (n + table.answered[nodes].sum()))
    assert pooled(table, "support", nodes) == n
    # Of the samples of a class itself: all of it without its children.
    own = np.array([3])
    kids = table.taxonomy.children[3]
    assert pooled(table, "n_wrong", own, kids) == table.n_wrong[3] - table.n_wrong[kids].sum()
    assert np.isnan(pooled(table, "mean_win", nodes))
    assert np.isnan(pooled(table, "ece", nodes))


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
    # The scale is the same whatever is drawn: from 0 over a grey 0.75 to 1.
    assert colours == value_colours(table, "correct", taxonomy.nodes("dog"))
    assert (colours.low, colours.middle, colours.high) == (0, 0.75, 1.0)
    assert [colours.fill(value) for value in (0, 0.75, 1.0, np.nan)] == [look.fp, look.tn, look.path, look.others]
    assert [item["label"] for item in colours.items()] == ["0 %", "50 %", "75 %", "100 %"]
    # What few samples have is paler, and the legend says so.
    assert colours.fill(1.0, 0) != colours.fill(1.0, 5) != colours.fill(1.0, 10) != colours.fill(1.0, ENOUGH)
    assert colours.fill(1.0, ENOUGH) == colours.fill(1.0, 10**6) == look.path
    assert np.all(np.diff([strength(n) for n in range(1, 200)]) >= 0)
    assert [item["label"] for item in colours.faded()] == ["1 sample", "10", "30 or more"]
    assert colours.faded()[0]["colour"] == colours.fill(1.0, 1)
    wrong = value_colours(table, "n_wrong", taxonomy.nodes("cat", "newt"))
    assert [wrong.fill(value) for value in (0, 1)] == [look.tn, look.fp]
    # Counts do not fade: they are what is counted.
    assert wrong.fill(1, 1) == look.fp
    assert wrong.faded() == []
    assert value_colours(table, "support", [1]).fill(2) == look.path
    assert {colours.text(fill) for fill in ("#000000", "#ffffff")} == {"#ffffff", "#000000"}


def test_sentences_and_tables(many_nodes):
    table, levels = many_nodes
    said = charts.subtree_icicle(table, value="recall").sentence
    assert "the worst class below it is" in said.split(". ")[0]
    assert "Height is the number of samples" in said
    assert f"{table.support[0]:,} samples" in said
    assert f"{int(table.n_wrong[0]):,} below" in charts.mistake_treemap(table).sentence
    found = charts.mistake_treemap(table).table
    assert found["n_wrong"].max() == table.n_wrong[table.taxonomy.children[0]].max()
    assert charts.subtree_icicle(table).table["support"].iloc[0] == table.support[0]
    assert f"{table.taxonomy.n_nodes:,} classes" in charts.level_bars(levels).sentence
    assert charts.level_bars(levels).table["n_nodes"].sum() == table.taxonomy.n_nodes


def test_levels_are_pairs_of_bars_on_one_scale(many_nodes):
    _, levels = many_nodes
    spec = charts.to_vega_lite(charts.level_bars(levels))
    bars = next(view for view in views(spec) if view["mark"]["type"] == "bar")
    assert bars["encoding"]["x"]["scale"]["domain"][0] == 0
    shown = {(row["item"].split("\n")[0], row["model"]): row["value"] for row in bars["rows"]}
    for depth, (truths, answers) in enumerate(zip(levels.truths.tolist(), levels.answers.tolist(), strict=True)):
        assert shown[f"depth {depth}", "Truths of this depth"] == truths
        assert shown[f"depth {depth}", "Answers that stop there"] == answers
    assert {row["item"].split("\n")[1] for row in bars["rows"]} == {
        f"{n:,} {'class' if n == 1 else 'classes'}" for n in levels.n_nodes.tolist()
    }


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
