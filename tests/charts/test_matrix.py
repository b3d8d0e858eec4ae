"""The collapsible matrix as a chart: its lines, cells, selections, widths and words."""

import numpy as np
import pytest
from chart_cases import large, views

import hierviz as hv
from hierviz import charts
from hierviz.charts._matrix import CELL, NODE
from hierviz.charts._matrix_lines import line_key, line_title, lines_at_first, matrix_lines
from hierviz.diagnosis.folded_matrix import folded_matrix, opened_to_fill

TREE = hv.Taxonomy.from_edges(
    [("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear"), ("fruit", "plum")]
)


def lemons(*opened):
    """Ten lemons called oranges, two pears called citrus, one plum at which the root is answered."""
    truth = TREE.nodes(*["lemon"] * 10, "pear", "pear", "plum")
    said = TREE.nodes(*["orange"] * 10, "citrus", "citrus", "fruit")
    matrix = hv.diagnosis.matrix(hv.Predictions.from_labels(TREE, said, truth=truth), open_nodes=TREE.nodes(*opened))
    return folded_matrix(matrix)


def drawn(folded, **keywords):
    return charts.finish(charts.matrix(folded, **keywords)).to_dict()


def rows_of(spec, field):
    """Rows of the layer with this field."""
    return next(view["rows"] for view in views(spec) if view.get("rows") and field in view["rows"][0])


def test_ten_lemons_called_oranges():
    """Closed they are citrus fruits called citrus fruits: the recall of citrus is 1."""
    closed = lemons()
    cells = {(cell["truth"], cell["answer"]): cell for cell in rows_of(drawn(closed), "shares")}
    assert set(cells) == {("citrus", "citrus"), ("pear", "citrus"), ("plum", "fruit itself")}
    assert cells["citrus", "citrus"]["samples"] == "10"
    assert "100 % of the row" in cells["citrus", "citrus"]["shares"].replace("100.0", "100")
    assert "10 of 10 are of different classes" in cells["citrus", "citrus"]["means"]
    assert cells["plum", "fruit itself"]["means"] == "no answer: the root"
    opened = {(cell["truth"], cell["answer"]): cell["means"] for cell in rows_of(drawn(lemons("citrus")), "shares")}
    assert opened["lemon", "orange"] == "wrong"
    assert opened["pear", "citrus itself"] == "wrong"


def test_selections_name_lines():
    folded = lemons("citrus")
    spec = drawn(folded)
    assert {param["name"] for param in spec["params"]} == {CELL, NODE}
    keys = {line_key(folded, line) for line in range(len(folded.nodes))}
    assert {cell["row"] for cell in rows_of(spec, "shares")} <= keys
    labels = rows_of(spec, "does")
    assert {label["node"] for label in labels} == keys
    does = {label["name"]: label["does"] for label in labels}
    assert does["citrus itself"] == "closes this class"
    assert does["fruit itself"].startswith("nothing")
    assert {label["name"]: label["does"] for label in rows_of(drawn(lemons()), "does")}["citrus"] == "opens this class"


@pytest.mark.parametrize("normalisation", ["count", "row", "column", "total"])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_looks(normalisation, dark, width):
    spec = drawn(lemons("citrus"), normalisation=normalisation, log=dark, dark=dark, width=width)
    assert spec["width"] <= width
    table = charts.matrix(lemons("citrus")).table
    assert table["count"].sum() == 13
    assert np.allclose(table.groupby("truth")["share_of_row"].sum(), 1)


def test_a_large_tree_has_readable_lines():
    taxonomy, _ = large()
    rng = np.random.default_rng(0)
    truth, said = rng.choice(taxonomy.leaves, (2, 400))
    predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    fan = int(np.argmax(taxonomy.children.lengths))
    opened = taxonomy.path(fan)
    folded = folded_matrix(hv.diagnosis.matrix(predictions, open_nodes=opened), matrix_lines(1200))
    assert folded.count.sum() == 400
    assert folded.n_folded.max() > 500
    assert "other classes of" in line_title(folded, int(np.argmax(folded.n_folded)))
    spec = drawn(folded, width=1200)
    assert spec["width"] <= 1200 * 1.2
    # So many lines fill a place and a window, and the counts are in the cells.
    lines = lines_at_first(1200)
    full = folded_matrix(
        hv.diagnosis.matrix(predictions, open_nodes=opened_to_fill(folded.matrix, lines)), matrix_lines(1200)
    )
    spec_full = drawn(full, width=1200)
    assert len(full.nodes) <= lines
    assert spec_full["height"] <= 600
    assert any(view["mark"]["type"] == "text" for view in views(spec_full))
    assert len(rows_of(spec, "shares")) == len(folded.count)


def test_sentence():
    assert charts.matrix(lemons()).sentence == (
        "Of 13 samples, 2 are in cells of wrong answers; the largest is pear answered as citrus, 2. 10 answers of another "
        "class than the truth are inside closed classes."
    )
    truth = TREE.nodes("pear", "plum")
    right = folded_matrix(hv.diagnosis.matrix(hv.Predictions.from_labels(TREE, truth, truth=truth)))
    assert charts.matrix(right).sentence == "None of 2 samples is in a cell of two different classes shown here."
    labels = {label["text"] for label in rows_of(charts.matrix_legend(lemons(), 600).to_dict(), "text")}
    assert labels == {"the same class, or both below it", "no answer: the root", "wrong"}
