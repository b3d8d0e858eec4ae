"""One probability changed by hand: values worked out on paper, a naive twin, and what must hold of any tree."""

import numpy as np
import pytest
import small_tree
import strategies
from hypothesis import given
from hypothesis import strategies as st

import hierviz as hv
from hierviz.diagnosis._what_if import changed_sample, what_if, why_no_what_if
from hierviz.messages.errors import PredictionsError

TREE = hv.Taxonomy.from_edges(small_tree.EDGES)
# animal, mammal, cat, dog, bird, duck, newt, by name.
P = {"animal": 1.0, "mammal": 0.5, "cat": 0.4, "dog": 0.1, "bird": 0.3, "duck": 0.3, "newt": 0.2}


def of_names(values):
    return np.array([values[name] for name in TREE.names])


def by_name(p):
    return dict(zip(TREE.names, p.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        # mammal keeps .5: dog gets .5 - .3.
        ("cat", 0.3, {"cat": 0.3, "dog": 0.2}),
        ("cat", 0.5, {"cat": 0.5, "dog": 0.0}),
        # A child of the root: mammal and bird share .4 as .5 : .3, and what is below them scales.
        ("newt", 0.6, {"newt": 0.6, "mammal": 0.25, "cat": 0.2, "dog": 0.05, "bird": 0.15, "duck": 0.15}),
        # What is below the class itself scales too: mammal doubles, the others share 0.
        ("mammal", 1.0, {"mammal": 1.0, "cat": 0.8, "dog": 0.2, "bird": 0.0, "duck": 0.0, "newt": 0.0}),
    ],
)
def test_values_by_hand(name, value, expected):
    found = by_name(what_if(TREE, of_names(P), TREE.node(name), value))
    assert found == pytest.approx({**P, **expected})


def test_zeros_share_equally():
    p = of_names({"animal": 1, "mammal": 0, "cat": 0, "dog": 0, "bird": 0, "duck": 0, "newt": 1})
    found = by_name(what_if(TREE, p, TREE.node("newt"), 0.4))
    assert found == pytest.approx(
        {"animal": 1, "mammal": 0.3, "cat": 0.15, "dog": 0.15, "bird": 0.3, "duck": 0.3, "newt": 0.4}
    )


def test_what_a_parent_keeps_for_itself_scales_too():
    # mammal .5 has .2 beside its children; of the .4 that cat leaves, a third less than before is left.
    p = of_names({**P, "cat": 0.2, "dog": 0.1})
    found = by_name(what_if(TREE, p, TREE.node("cat"), 0.35))
    assert found["dog"] == pytest.approx(0.05)
    assert 0.5 - found["cat"] - found["dog"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("cat", 0.6, "from 0 to 0.500, that of its parent mammal, got 0.6"),
        ("cat", -0.1, "from 0 to"),
        ("cat", float("nan"), "from 0 to"),
        ("duck", 0.1, "an only child"),
        ("animal", 0.5, "the root"),
    ],
)
def test_what_cannot_be_changed(name, value, said):
    with pytest.raises(PredictionsError, match=said):
        what_if(TREE, of_names(P), TREE.node(name), value)


def test_incoherent_probabilities_and_graphs_cannot_be_changed():
    assert "more probable" in why_no_what_if(TREE, of_names({**P, "dog": 0.4}), TREE.node("cat"))
    graph = hv.Taxonomy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    assert "graph" in why_no_what_if(graph, np.ones(4), 1)


def test_changes_of_a_sample_are_judged_as_a_file_with_these_probabilities():
    names = [name for name in TREE.names if name != "animal"]
    ids, truth = np.array(["x", "y"]), TREE.nodes("dog", "cat")
    scores = np.array([[P[name] for name in names]] * 2)
    given = hv.Predictions.from_scores(
        TREE, scores, "node_probabilities", scored_nodes=TREE.nodes(*names), truth=truth, sample_ids=ids
    )
    evaluation = hv.Evaluation.from_predictions(given)
    # cat from .4 to .1 gives dog .4; then mammal to .9, of which dog has 4/5.
    changed = changed_sample(evaluation, 0, [(TREE.node("cat"), 0.1), (TREE.node("mammal"), 0.9)])
    assert changed.predictions.sample_id(0) == "x"
    found = by_name(changed.predictions.node_probabilities()[0])
    assert [found[name] for name in ("mammal", "cat", "dog")] == pytest.approx([0.9, 0.18, 0.72])
    assert TREE.names[int(evaluation.answers("majority")[0])] == "animal"
    assert TREE.names[int(changed.answers("majority")[0])] == "dog"
    # Two terms of 1/2: .9 and .72.
    assert changed.win[0] == pytest.approx(0.81)
    assert evaluation.predictions.node_probabilities()[0].tolist() == of_names(P).tolist()


def naive(tree, p, node, value):
    """The definition, class by class from the root down."""
    parent = tree.parent.tolist()
    children = [[c for c in range(tree.n_nodes) if parent[c] == n] for n in range(tree.n_nodes)]
    new = list(p)
    brothers = [c for c in children[parent[node]] if c != node]
    left = p[parent[node]] - p[node]
    new[node] = value
    for c in brothers:
        rest = p[parent[node]] - value
        new[c] = p[c] * rest / left if left > 1e-6 else rest / len(brothers)

    def scale(n):
        for c in children[n]:
            new[c] = new[n] * p[c] / p[n] if p[n] > 0 else new[n] / len(children[n])
            scale(c)

    for c in children[parent[node]]:
        scale(c)
    return new


@strategies.many
@given(strategies.trees(), st.data())
def test_any_tree(graph, data):
    tree = strategies.from_graph(graph)
    leaves = data.draw(strategies.leaf_rows(graph, most=1))
    p = hv.node_probabilities(tree, leaves, parametrisation="leaf_probabilities")[0]
    free = [n for n in range(tree.n_nodes) if not why_no_what_if(tree, p, n)]
    if not free:
        return
    node = data.draw(st.sampled_from(free))
    parent = int(tree.parent[node])
    value = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])) * p[parent]
    found = what_if(tree, p, node, value)
    assert found == pytest.approx(naive(tree, p.tolist(), node, value), abs=1e-12)
    assert found[node] == value
    # Nothing outside the family changes, to the last bit.
    outside = np.setdiff1d(np.arange(tree.n_nodes), tree.subtree(parent))
    assert (found[outside] == p[outside]).all()
    assert found[parent] == p[parent]
    # Leaf probabilities sum up to every class before, and so they do now.
    for n in range(tree.n_nodes):
        below = np.intersect1d(tree.subtree(n), tree.leaves)
        assert found[below].sum() == pytest.approx(found[n], abs=1e-9)
    assert (found >= 0).all()
    # Back again, unless the siblings had come to nothing.
    if value < p[parent] - 1e-3 and p[parent] - p[node] > 1e-3:
        again = what_if(tree, found, node, p[node])
        assert (again[tree.is_leaf] == pytest.approx(p[tree.is_leaf], abs=1e-9)) or found[node] == 0
