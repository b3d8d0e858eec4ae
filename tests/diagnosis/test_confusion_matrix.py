"""The collapsible matrix: in every state nothing is dropped, and a collapsed cell is the sum of what it hides."""

from collections import Counter

import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis import confusion_matrix as module
from hierviz.diagnosis.confusion_matrix import placement
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE, NO_PARTNER

WORDS = {None: NO_PARTNER, "outside": LABEL_OUTSIDE}


@st.composite
def states(draw):
    """(taxonomy, predictions, pairs, open nodes): one or several truths and answers, on trees and graphs."""
    if draw(st.booleans()):
        graph, taxonomy, truths, answers = draw(naive_diagnosis.labelled())
        pairs = naive_diagnosis.pairs_of_paths(taxonomy, truths, answers)
        predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    else:
        graph, taxonomy, truth, said = draw(strategies.pairs(n=8))
        pairs = list(zip(range(8), truth.tolist(), said.tolist()))
        predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    return taxonomy, predictions, pairs, draw(st.sets(st.integers(0, graph.n - 1)))


@many
@given(states(), st.data())
def test_every_state(case, data):
    taxonomy, predictions, pairs, asked = case
    found = hv.diagnosis.matrix(predictions, open_nodes=asked)
    tree = placement(taxonomy)
    # Open is what was asked for, has children, and lies below open nodes only.
    opened = {0}
    for node in range(1, tree.n_nodes):
        if node in asked and tree.parent[node] in opened and not tree.is_leaf[node]:
            opened.add(node)
    assert found.open_nodes.tolist() == sorted(opened)
    # Rows and columns are a partition of the nodes, and classes that are never true or predicted stay.
    visible = {node for node in range(tree.n_nodes) if node == 0 or tree.parent[node] in opened}
    for nodes in (found.row_nodes, found.column_nodes):
        inside = [node for node in nodes.tolist() if node >= 0]
        assert set(inside) == visible
        assert (np.diff(tree.preorder[inside]) > 0).all()
    # The total is that of the samples, or of the pairs and what has no partner.
    cells = found.dense()
    assert cells.sum() == found.total == len(pairs) == found.count.sum()
    assert cells.sum(axis=1).tolist() == found.row_totals.tolist()
    assert cells.sum(axis=0).tolist() == found.column_totals.tolist()

    def line(node):
        return WORDS.get(node, node) if node in WORDS else naive_diagnosis.group_of(tree.parent, node, opened)[1]

    expected, rows = Counter(), {}
    for sample, truth, answer in pairs:
        cell = line(truth), line(answer)
        expected[cell] += 1
        rows.setdefault(cell, set()).add(sample)
    got = {}
    for row, column, count in zip(found.row.tolist(), found.column.tolist(), found.count.tolist()):
        cell = int(found.row_nodes[row]), int(found.column_nodes[column])
        got[cell] = count
        assert found.samples(row, column).tolist() == sorted(rows[cell])
    assert got == expected
    # Opening one more node splits its row and column: what it hides adds up to the collapsed cells.
    closed = [node for node in sorted(visible - opened) if not tree.is_leaf[node]]
    if closed:
        node = data.draw(st.sampled_from(closed))
        wider = hv.diagnosis.matrix(predictions, open_nodes=[*opened, node])
        hidden = set(tree.subtree(node).tolist())

        def back(nodes, of):
            return [of.index(node if one in hidden else one) for one in nodes.tolist()]

        folded = np.zeros(cells.shape, int)
        into = np.ix_(
            back(wider.row_nodes, found.row_nodes.tolist()), back(wider.column_nodes, found.column_nodes.tolist())
        )
        np.add.at(folded, into, wider.dense())
        assert (folded == cells).all()
    for key, axis in (("row", 1), ("column", 0)):
        shares = np.zeros(cells.shape)
        shares[found.row, found.column] = found.shares(key)
        sums = shares.sum(axis=axis)
        np.testing.assert_allclose(sums[cells.sum(axis=axis) > 0], 1)
    assert found.shares("total").sum() == pytest.approx(1)


@many
@given(strategies.pairs(n=8), st.sets(st.integers(0, 11)))
def test_the_rows_are_the_recall_of_nodes(case, asked):
    graph, taxonomy, truth, said = case
    predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    found, table = (
        hv.diagnosis.matrix(predictions, open_nodes=[n for n in asked if n < graph.n]),
        hv.diagnosis.node_table(predictions),
    )
    cells = found.dense()
    for place, node in enumerate(found.row_nodes.tolist()):
        if node not in found.open_nodes:
            assert cells[place].sum() == table.support[node]
            assert cells[:, place].sum() == table.answered[node]
            assert cells[place, place] == table.hits[node]
        else:
            assert cells[:, place].sum() == table.stopped_here[node]


def test_ten_lemons_called_oranges():
    taxonomy = hv.Taxonomy.from_edges(
        [("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")]
    )
    orange, lemon, citrus = taxonomy.nodes("orange", "lemon", "citrus")
    lemons = hv.Predictions.from_labels(taxonomy, np.full(10, orange), truth=np.full(10, lemon))
    closed = hv.diagnosis.matrix(lemons)
    assert closed.row_labels == ["stops at fruit", "citrus", "pear"]
    assert closed.dense().tolist() == [[0, 0, 0], [0, 10, 0], [0, 0, 0]]
    assert closed.shares("row").tolist() == [1.0]
    opened = hv.diagnosis.matrix(lemons, open_nodes=[citrus])
    assert opened.row_labels == ["stops at fruit", "stops at citrus", "lemon", "orange", "pear"]
    assert opened.dense()[2].tolist() == [0, 0, 0, 10, 0]
    assert opened.samples(2, 3).tolist() == list(range(10))
    assert opened.to_frame().values.tolist() == [["lemon", "orange", 10, 1.0, 1.0, 1.0]]


def test_labels_of_what_has_no_partner(taxonomy):
    predictions = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists([[2, 6], [-1], []]), truth=[[2], [2, 5], [3]]
    )
    found = hv.diagnosis.matrix(predictions)
    assert found.row_labels == ["stops at animal", "mammal", "bird", "newt", "(no truth left)"]
    assert found.column_labels == [
        "stops at animal",
        "mammal",
        "bird",
        "newt",
        "(no answer left)",
        "(outside the taxonomy)",
    ]
    assert found.total == 5
    assert found.to_frame()[["truth", "predicted", "count"]].values.tolist() == [
        ["mammal", "stops at animal", 1],
        ["mammal", "mammal", 1],
        ["mammal", "(outside the taxonomy)", 1],
        ["bird", "(no answer left)", 1],
        ["(no truth left)", "newt", 1],
    ]


def test_a_sample_with_two_pairs_in_one_cell_is_there_once(taxonomy):
    predictions = hv.Predictions.from_labels(taxonomy, [[2, 3], [2]], truth=[[3, 2], [2]])
    found = hv.diagnosis.matrix(predictions)
    place = found.row_labels.index("mammal")
    assert found.dense()[place, place] == 3
    assert found.samples(place, place).tolist() == [0, 1]


def test_a_truth_that_is_left_over_at_the_end_stays(taxonomy):
    """Beside an answer without a truth, in another sample."""
    predictions = hv.Predictions.from_labels(taxonomy, [[2, 6], [5]], truth=[[2], [5, 3]])
    frame = hv.diagnosis.matrix(predictions).to_frame()
    assert frame[["truth", "predicted", "count"]].values.tolist() == [
        ["mammal", "mammal", 1],
        ["mammal", "(no answer left)", 1],
        ["bird", "bird", 1],
        ["(no truth left)", "newt", 1],
    ]


def test_errors(taxonomy, monkeypatch):
    predictions = hv.Predictions.from_labels(taxonomy, [2], truth=[3])
    with pytest.raises(hv.PredictionsError, match=r"^open_nodes: expected node numbers from 0 to 6, got 7"):
        hv.diagnosis.matrix(predictions, open_nodes=[7])
    with pytest.raises(hv.PredictionsError, match=r"^open_nodes: expected a list of node numbers, got 'mammal'\."):
        hv.diagnosis.matrix(predictions, open_nodes="mammal")
    found = hv.diagnosis.matrix(predictions)
    with pytest.raises(hv.PredictionsError, match=r"^normalisation: expected one of row, column, total, got 'rows'\."):
        found.shares("rows")
    monkeypatch.setattr(module, "MOST_CELLS", 15)
    with pytest.raises(hv.PredictionsError, match=r"^confusion matrix: expected at most 0 million cells, got 4 x 4\."):
        found.dense()
