"""The matrix that is drawn: nothing is lost where rare classes share a line."""

from collections import Counter

import naive_diagnosis
import numpy as np
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.confusion_matrix import placement
from hierviz.diagnosis.folded_matrix import RELATIONS, folded_matrix, opened_to_fill


@st.composite
def labelled(draw):
    """(taxonomy, predictions, nodes): one or several truths and answers, on trees and graphs."""
    if draw(st.booleans()):
        _, taxonomy, truths, answers = draw(naive_diagnosis.labelled())
        return taxonomy, hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    _, taxonomy, truth, said = draw(strategies.pairs(n=8))
    return taxonomy, hv.Predictions.from_labels(taxonomy, said, truth=truth)


@many
@given(labelled(), st.data())
def test_every_state(case, data):
    taxonomy, predictions = case
    some_nodes = st.sets(st.integers(0, taxonomy.n_nodes - 1))
    opened, pinned, most = data.draw(some_nodes), data.draw(some_nodes), data.draw(st.integers(1, 8))
    matrix = hv.diagnosis.matrix(predictions, open_nodes=opened)
    found = folded_matrix(matrix, most, pinned)
    tree = placement(taxonomy)
    # Every group has one line, kept or with its siblings, and what is asked for is kept.
    groups = [node for node in matrix.row_nodes.tolist() if node >= 0]
    for node, line in zip(groups, found.row_line.tolist()):
        if found.n_folded[line]:
            assert found.nodes[line] == tree.parent[node]
            assert node not in pinned
            assert node not in matrix.open_nodes
        else:
            assert found.nodes[line] == node
    sizes = Counter(found.row_line[: len(groups)].tolist())
    assert all(found.n_folded[line] == (n if n > 1 else 0) for line, n in sizes.items())
    assert found.row_line[: len(groups)].tolist() == found.column_line[: len(groups)].tolist()
    # The order is that of the tree: what is kept ascends, and others follow what is below their parent.
    own = [node for node, n in zip(found.nodes.tolist(), found.n_folded.tolist()) if node >= 0 and not n]
    assert (np.diff(tree.preorder[own]) > 0).all()
    for line in np.flatnonzero(found.n_folded).tolist():
        inside = [
            node for node in found.nodes[:line].tolist() if node >= 0 and tree.is_ancestor(found.nodes[line], node)
        ]
        assert inside
    # All cells together are all pairs; a cell is the sum of what it hides, and holds their samples.
    assert found.count.sum() == matrix.total
    expected, different, samples = Counter(), Counter(), {}
    pairs = matrix.pairs
    for i in range(len(pairs)):
        cell = int(found.row_line[matrix.pair_rows[i]]), int(found.column_line[matrix.pair_columns[i]])
        expected[cell] += 1
        different[cell] += int(pairs.truth[i] != pairs.predicted[i])
        samples.setdefault(cell, set()).add(int(pairs.row[i]))
    cells = list(zip(found.row.tolist(), found.column.tolist()))
    assert dict(zip(cells, found.count.tolist())) == expected
    assert dict(zip(cells, found.n_different.tolist())) == {cell: different[cell] for cell in expected}
    for cell in cells:
        assert found.samples(*cell).tolist() == sorted(samples[cell])
    # Shares are over what is drawn.
    for key, of in (("row", found.row), ("column", found.column)):
        assert np.allclose(np.bincount(of, found.shares(key))[np.unique(of)], 1)
    assert np.isclose(found.shares("total").sum(), 1)
    assert set(found.relation) <= set(RELATIONS)
    for (row, column), relation, n in zip(cells, found.relation.tolist(), found.n_different.tolist()):
        # Cells of one class hold nothing that differs; wrong, coarse and finer ones nothing else.
        if relation in ("wrong", "coarse", "finer", "none"):
            assert n == expected[row, column]
        elif relation == "same" and not found.can_open[row]:
            assert n == 0


def test_most_pairs_keep_their_line():
    taxonomy = hv.Taxonomy.from_edges([("root", f"c{i}") for i in range(50)] + [("c7", "a"), ("c7", "b")])
    truth = taxonomy.nodes("c7", *["a"] * 5, *["c9"] * 4, *[f"c{i}" for i in range(50) if i != 7])
    said = np.where(truth == taxonomy.node("a"), taxonomy.node("b"), truth)
    predictions = hv.Predictions.from_labels(taxonomy, said, truth=truth)
    found = folded_matrix(hv.diagnosis.matrix(predictions), most=3)
    assert [taxonomy.names[node] for node in found.nodes.tolist()] == ["root", "c7", "c9", "root"]
    assert found.n_folded.tolist() == [0, 0, 0, 48]
    assert found.worst_closed() == taxonomy.node("c7")
    assert found.n_different.tolist() == [5, 0, 0]
    kept = folded_matrix(hv.diagnosis.matrix(predictions, open_nodes=taxonomy.nodes("c7")), 3, taxonomy.nodes("c40"))
    assert "c40" in [taxonomy.names[node] for node in kept.nodes.tolist()]
    assert kept.worst_closed() is None


@many
@given(labelled(), st.integers(1, 12))
def test_what_is_opened_at_first_fills_the_lines_with_the_worst(case, most):
    """Against a loop that opens the closed node with most wrong pairs as long as one has room."""
    taxonomy, predictions = case
    found = hv.diagnosis.matrix(predictions)
    opened = opened_to_fill(found, most)
    tree, pairs = placement(taxonomy), found.pairs

    def hidden(node):
        """Wrong pairs and pairs of different classes that are both at or below a node."""
        wrong = differ = 0
        for true, said in zip(pairs.truth.tolist(), pairs.predicted.tolist()):
            if (
                true >= 0
                and said >= 0
                and true != said
                and tree.is_ancestor(node, true)
                and tree.is_ancestor(node, said)
            ):
                differ += 1
                wrong += not tree.is_ancestor(true, said) and not tree.is_ancestor(said, true)
        return wrong, differ

    lines, expected, given_up = 1, [], set()
    closed = {0}
    while closed:
        node = min(closed, key=lambda node: (node != 0, *(-n for n in hidden(node)), node))
        closed.remove(node)
        n = len(tree.children[node])
        if lines + n > most:
            given_up.add(node)
            continue
        lines += n
        expected.append(node)
        inner = [child for child in tree.children[node].tolist() if not tree.is_leaf[child]]
        closed |= {child for child in inner if hidden(child)[1]}
    assert opened == sorted(set(expected) - {0})
    if expected:
        # The matrix has so many lines of classes, and all that is open is open from the root on.
        shown = hv.diagnosis.matrix(predictions, open_nodes=opened)
        assert (shown.row_nodes >= 0).sum() == lines <= most
        assert shown.open_nodes.tolist() == [0, *opened]
