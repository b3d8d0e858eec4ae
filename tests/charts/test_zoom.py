"""The record of a drawing that one zooms into: nested rectangles in true proportion, words and colours of the chart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import from_graph, graphs, many, trees

import hierviz as hv
from hierviz import charts
from hierviz.charts._value_colours import n_behind, value_colours
from hierviz.charts.subtree_layout import subtree_cells
from hierviz.charts.theme import palette
from hierviz.charts.zoom_layout import ROOT, icicle_rectangles, treemap_rectangles, zoom_rows
from hierviz.charts.zoom_record import texts_of
from hierviz.comparison import difference_tree
from hierviz.demo import load_demo
from hierviz.diagnosis._excess import pooled
from hierviz.diagnosis._node_table import number_text_of

CLOSE = 1e-9
SIZES = st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 7, 40]), min_size=12, max_size=12)


def summed(taxonomy, own):
    """Sizes of the nodes of a tree, their own amounts and all below: a naive sum."""
    return np.array([sum(own[j] for j in taxonomy.subtree(i)) for i in range(taxonomy.n_nodes)], dtype=float)


def naive_rows(taxonomy, size):
    """[(names of the path)] of all places of classes with a size, in no order."""

    def below(path):
        yield path
        for child in taxonomy.children[path[-1]].tolist():
            if size[child] > 0:
                yield from below((*path, child))

    return sorted(below((0,)))


def paths_of(rows):
    found = []
    for node, parent in zip(rows.node.tolist(), rows.parent.tolist(), strict=True):
        found.append((*found[parent], node) if parent >= 0 else (node,))
    return found


@many
@given(graph=graphs(), sizes=SIZES)
def test_rows_are_all_places_of_classes_level_by_level(graph, sizes):
    taxonomy = from_graph(graph)
    size = np.array(sizes[: taxonomy.n_nodes], dtype=float)
    rows = zoom_rows(taxonomy, size)
    assert sorted(paths_of(rows)) == naive_rows(taxonomy, size)
    assert not rows.n_left_out
    assert (np.diff(rows.level) >= 0).all()
    # Those of one parent are next to each other, the largest first.
    family = np.diff(rows.parent[1:]) == 0
    assert (np.diff(rows.parent[1:]) >= 0).all()
    assert (np.diff(rows.size[1:])[family] <= 0).all()


def inside(layout):
    """How far a rectangle is out of that of its parent, at most."""
    above = layout.rows.parent[1:]
    return max(
        (layout.y0[above] - layout.y0[1:]).max(initial=0),
        (layout.y1[1:] - layout.y1[above]).max(initial=0),
    )


def overlap(layout):
    """The largest area that two rectangles of one parent share."""
    found = 0.0
    for parent in np.unique(layout.rows.parent[1:]).tolist():
        rows = np.flatnonzero(layout.rows.parent == parent)
        x = np.minimum.outer(layout.x1[rows], layout.x1[rows]) - np.maximum.outer(layout.x0[rows], layout.x0[rows])
        y = np.minimum.outer(layout.y1[rows], layout.y1[rows]) - np.maximum.outer(layout.y0[rows], layout.y0[rows])
        area = np.clip(x, 0, None) * np.clip(y, 0, None)
        np.fill_diagonal(area, 0)
        found = max(found, float(area.max(initial=0)))
    return found


@many
@given(graph=trees(), sizes=SIZES)
def test_heights_of_an_icicle_are_in_proportion(graph, sizes):
    taxonomy = from_graph(graph)
    size = summed(taxonomy, sizes)
    if not size[0]:
        size[0] = 1
    layout = icicle_rectangles(taxonomy, size)
    rows = layout.rows
    assert layout.y1 - layout.y0 == pytest.approx(size[rows.node] / size[0], abs=CLOSE)
    assert inside(layout) <= CLOSE
    assert overlap(layout) <= CLOSE
    # A column for each level, that of the root narrower: they touch.
    assert layout.x0[1:] == pytest.approx(layout.x1[rows.parent[1:]])
    depth = rows.level[-1]
    assert layout.x1[-1] == pytest.approx(1.0)
    assert (layout.x1 - layout.x0)[rows.level == 0] == pytest.approx(ROOT / (ROOT + depth))


@many
@given(graph=trees(), sizes=SIZES, aspect=st.sampled_from([0.6, 1.0, 2.2]))
def test_areas_of_a_treemap_are_in_proportion(graph, sizes, aspect):
    taxonomy = from_graph(graph)
    size = summed(taxonomy, sizes)
    if not size[0]:
        size[0] = 1
    layout = treemap_rectangles(taxonomy, size, aspect=aspect)
    rows = layout.rows
    area = (layout.x1 - layout.x0) * (layout.y1 - layout.y0)
    assert area == pytest.approx(rows.size / size[0], abs=1e-7)
    assert inside(layout) <= 1e-7
    above = rows.parent[1:]
    assert (layout.x0[1:] >= layout.x0[above] - 1e-7).all()
    assert (layout.x1[1:] <= layout.x1[above] + 1e-7).all()
    assert overlap(layout) <= 1e-7
    # What no child has is a cell of its own: cells fill each class with children.
    filled = np.bincount(above, area[1:], len(area))
    has_children = np.bincount(above, minlength=len(area)) > 0
    assert filled[has_children] == pytest.approx(area[has_children], abs=1e-7)
    own = {int(node): n for node, n in zip(rows.node[rows.is_own], rows.size[rows.is_own], strict=True)}
    due = {
        node: sizes[node]
        for node in range(taxonomy.n_nodes)
        if sizes[node] and size[taxonomy.children[node]].any() and node in rows.node
    }
    assert own == pytest.approx(due)


def test_children_that_are_larger_together_share_their_parent():
    """Samples with several true classes: 6 of the root, 4 and 4 of its children."""
    taxonomy = hv.Taxonomy.from_edges([("all", "a"), ("all", "b"), ("b", "c")])
    layout = icicle_rectangles(taxonomy, np.array([6, 4, 4, 1.0]))
    heights = dict(zip(layout.rows.node.tolist(), (layout.y1 - layout.y0).tolist(), strict=True))
    assert heights == pytest.approx({0: 1, 1: 1 / 2, 2: 1 / 2, 3: 1 / 8})


def test_levels_that_do_not_fit_are_left_out_and_counted():
    edges = [("r", "a"), *(("a", f"b{i}") for i in range(5)), ("b0", "c")]
    rows = zoom_rows(hv.Taxonomy.from_edges(edges), np.ones(8), most=4)
    assert (len(rows.node), rows.n_left_out) == (2, 2)


def test_equal_numbers_are_written_once():
    written = []
    found = texts_of(np.array([0.5, np.nan, 0.5, np.nan, 1]), lambda value: written.append(value) or f"{value:.1f}")
    assert found == ["0.5", "nan", "0.5", "nan", "1.0"]
    assert len(written) == 3


# Of the charts ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models():
    return load_demo(["flat_softmax", "log_win"])[1]


@pytest.fixture(scope="module")
def table(models):
    return hv.diagnosis.node_table(models[0], "threshold", threshold=0.5)


def column(record, name):
    return dict(zip(record["rows"]["name"], record["rows"][name], strict=True))


def fill_of(record, name, look):
    return record["looks"][look]["fills"][column(record, "fill")[name]]


@pytest.mark.parametrize("dark", [False, True])
def test_the_icicle_has_the_layout_the_colours_and_the_words_of_the_chart(table, dark):
    taxonomy, look = table.taxonomy, "dark" if dark else "light"
    record = charts.subtree_icicle(table, value="recall").record
    rows = record["rows"]
    assert sorted(rows["node"]) == np.flatnonzero(table.support).tolist()
    # A class has the place that it has in the chart, where that is not put together with others.
    height = {node: 500 * (y1 - y0) for node, y0, y1 in zip(rows["node"], rows["y0"], rows["y1"], strict=True)}
    cells = subtree_cells(taxonomy, table.support, height=500)
    single = [cell for cell in cells if not cell.is_others]
    assert len(single) > 15
    assert [height[int(cell.nodes[0])] for cell in single] == pytest.approx([cell.height for cell in single], abs=1e-4)
    colours = value_colours(table, "recall", [1], dark)
    for node in (1, taxonomy.node("watercraft"), taxonomy.node("canoe")):
        name = taxonomy.title(node)
        # Colours of shares are told apart by a thousandth.
        value = round(float(table.recall[node]), 3)
        assert fill_of(record, name, look) in {
            colours.fill(one, n_behind(table, "recall", node)) for one in (value, float(table.recall[node]))
        }
        assert column(record, "said")[name] == number_text_of("recall", float(table.recall[node]))
        assert column(record, "count")[name] == f"{table.support[node]} samples"
    assert record["looks"][look]["background"] == palette(dark).background
    tips = {tip["title"]: tip["texts"] for tip in record["tips"]}
    place = rows["node"].index(taxonomy.node("watercraft"))
    assert tips["Support"][place] == str(table.support[taxonomy.node("watercraft")])
    assert tips["Children"][place] == "4"


def test_the_record_is_the_same_whatever_is_zoomed_into(table):
    taxonomy = table.taxonomy
    for make in (charts.subtree_icicle, charts.mistake_treemap):
        whole, part = make(table), make(table, taxonomy.node("watercraft"))
        assert whole.record == part.record
        assert (whole.start, part.start) == (taxonomy.names[0], "watercraft")
        assert part.looks()["sentence"] == part.sentence != whole.sentence


def test_the_treemap_has_all_mistakes_once(table):
    record = charts.mistake_treemap(table, cost="n_wrong").record
    rows, taxonomy = record["rows"], table.taxonomy
    area = (np.array(rows["x1"]) - rows["x0"]) * (np.array(rows["y1"]) - rows["y0"])
    own = np.array(rows["is_own"])
    assert area[~own] == pytest.approx(table.n_wrong[np.array(rows["node"])[~own]] / table.n_wrong[0], abs=1e-6)
    ends = np.setdiff1d(np.arange(len(area)), rows["parent"])
    assert area[ends].sum() == pytest.approx(1, abs=1e-6)
    # Samples that are labelled with an inner class have their own number and colour.
    node = taxonomy.node("rail vehicle")
    left = table.n_wrong[node] - table.n_wrong[taxonomy.children[node]].sum()
    assert column(record, "said")["rail vehicle itself"] == f"{left:.0f}" != "0"
    share = pooled(table, "correct", np.array([node]), taxonomy.children[node])
    n = int(table.support[node] - table.support[taxonomy.children[node]].sum())
    assert fill_of(record, "rail vehicle itself", "light") == value_colours(table, "correct", [1]).fill(share, n)
    assert column(record, "count")["rail vehicle itself"] == f"{n} samples"


def test_the_worst_class_is_outlined_and_named(table):
    record = charts.subtree_icicle(table).record
    assert record["rows"]["name"][record["outlined"]] == "aircraft"
    labels = [item["label"] for group in record["legend"] for item in group["items"]]
    assert any(label.startswith("worst: aircraft, 15 of 105 wrong") for label in labels)
    assert all(item["light"] and item["dark"] for item in record["legend"][0]["items"] if item["kind"] == "box")


def test_the_difference_tree_says_the_verdict_of_every_class(models):
    found = difference_tree(*models)
    record = charts.difference_tree(found).record
    nodes = record["rows"]["node"]
    assert sorted(nodes) == np.flatnonzero(found.n).tolist()
    tips = {tip["title"]: tip["texts"] for tip in record["tips"]}
    assert tips["Verdict"][1:] == [found.verdict(node) for node in nodes[1:]]
    assert tips["Samples"][0].startswith(f"{found.n[0]:,}, different on")
    assert [nodes[row] for row in record["marked"]] == found.clear.tolist()
    assert record["outlined"] == -1
    # What is not clear is pale.
    look = palette(False)
    pale = [fill_of(record, found.taxonomy.title(node), "light") for node in nodes if node not in found.clear]
    assert look.path not in pale
    assert look.fp not in pale


def test_a_file_is_the_chart_and_a_notebook_zooms(table):
    figure = charts.subtree_icicle(table, width=600)
    assert charts.to_svg(figure).count("<path") > 20
    html = hv.show(figure).html
    # No drawing library: the canvas needs none.
    assert "hierviz.zoom" in html
    assert len(html) < 150_000
    assert 'width="100%"' in hv.show(figure)._repr_html_()


@pytest.mark.long
def test_sixteen_thousand_classes_are_sent_in_less_than_a_megabyte():
    rng = np.random.default_rng(2)
    parents = [("root", f"genus {i}") for i in range(6000)]
    edges = [*parents, *((f"genus {i % 6000}", f"species number {i}") for i in range(10_343))]
    taxonomy = hv.Taxonomy.from_edges(edges)
    assert taxonomy.n_nodes == 16_344
    truth = rng.choice(taxonomy.leaves, 60_000)
    wrong = np.where(rng.random(60_000) < 0.3, rng.choice(taxonomy.leaves, 60_000), truth)
    nodes = hv.diagnosis.node_table(hv.Predictions.from_labels(taxonomy, wrong, truth=truth))
    for figure in (charts.subtree_icicle(nodes), charts.mistake_treemap(nodes)):
        assert len(figure.record["rows"]["node"]) > 9000
        assert len(charts.packed(figure.record)) < 1e6
