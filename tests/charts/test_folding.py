"""Focus and context: what is always there, what the budget allows, and that no probability gets lost."""

import numpy as np
import pytest
from chart_cases import folding_samples, large, shown_texts, views
from hypothesis import given, settings
from strategies import examples

from hierviz import PredictionsError, Taxonomy, TaxonomyError
from hierviz.charts import Folding, fold, probability_tree, to_svg


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(folding_samples())
def test_paths_are_there_the_budget_holds_and_no_p_is_lost(sample):
    taxonomy, p, truth, predicted, max_rows = sample
    rows = fold(taxonomy, p, truth=truth, predicted=predicted, folding=Folding(max_rows=max_rows))
    nodes = rows["node"][rows["node"] >= 0].tolist()
    assert len(set(nodes)) == len(nodes)
    paths = {0}
    for node, column in ((truth, "on_truth"), (predicted, "on_answer")):
        path = [] if node is None else taxonomy.path(node).tolist()
        paths |= set(path)
        assert rows["node"][rows[column]].tolist() == [one for one in nodes if one in set(path)]
    # The two most probable leaves off the paths, if they are not improbable.
    others = sorted((leaf for leaf in taxonomy.leaves.tolist() if leaf not in paths), key=lambda leaf: -p[leaf])
    for leaf in [leaf for leaf in others if p[leaf] >= 0.005][:2] if len(paths) > 1 else ():
        paths |= set(taxonomy.path(leaf).tolist())
    assert paths <= set(nodes)
    # Only these paths, each with a row for the rest of every family, may break the budget.
    assert len(rows) <= max(max_rows, 2 * len(paths))
    size, shown = taxonomy.subtree_size, set(nodes)
    hidden = 0
    for _, row in rows.iterrows():
        below = rows[rows["parent_row"] == row["row"]]
        if len(below):
            children = taxonomy.children[row["node"]]
            assert below["p"].sum() == pytest.approx(p[children].sum())
            assert below["n_siblings"].sum() == len(children)
            assert (below["depth"] == row["depth"] + 1).all()
            assert not (below["n_siblings"].gt(1) & below["outcome"].ne("others")).any()
        elif row["outcome"] != "others":
            assert row["hidden"] == size[row["node"]] - 1
        if row["outcome"] == "others":
            assert row["n_siblings"] >= 2
            group = [child for child in taxonomy.children[rows["node"][row["parent_row"]]] if child not in shown]
            assert row["hidden"] == size[group].sum()
        hidden += row["hidden"]
    assert len(nodes) + hidden == taxonomy.n_nodes


def test_a_family_worked_by_hand():
    # Ten children: the answer, the truth far down, three likely ones, and five folded with p 0.05 in all.
    taxonomy = Taxonomy.from_edges([("root", f"c{i}") for i in range(10)])
    p = np.array([1, 0.4, 0.2, 0.15, 0.1, 0.05, 0.04, 0.03, 0.02, 0.008, 0.002])
    rows = fold(taxonomy, p, truth=10, predicted=1)
    assert rows["name"].tolist() == ["root", "c0", "c1", "c2", "c3", "c9", "others (n=5)"]
    assert rows["outcome"].tolist() == ["root", "fp", "tn", "tn", "tn", "fn", "others"]
    assert rows["p"].iloc[-1] == pytest.approx(0.148)
    assert rows["n_siblings"].tolist() == [1, 1, 1, 1, 1, 1, 5]


def test_competitors_far_from_the_paths_are_shown():
    """The likeliest other class stood in a family that the budget did not open."""
    taxonomy = Taxonomy.from_edges(
        [
            ("root", "a"),
            ("root", "b"),
            ("a", "a1"),
            ("a", "a2"),
            ("b", "c"),
            ("c", "d"),
            *(("d", f"d{i}") for i in range(9)),
        ]
    )
    p = np.zeros(taxonomy.n_nodes)
    p[taxonomy.nodes("root", "a", "a1", "b", "c", "d", "d7")] = 1, 0.95, 0.95, 0.05, 0.05, 0.05, 0.05
    ends = {"truth": taxonomy.node("a1"), "predicted": taxonomy.node("a1")}
    rows = fold(taxonomy, p, **ends)
    assert rows["name"][rows["kept"]].tolist() == ["b", "c", "d", "d7"]
    assert "d7" not in fold(taxonomy, p, folding=Folding(n_competitors=0), **ends)["name"].tolist()
    # They are drawn where they are too improbable for a cell to scale, too.
    words = shown_texts(to_svg(probability_tree(taxonomy, p, **ends)))
    assert "d7" in words


def test_a_focus_shows_its_subtree_alone_and_unfolds_siblings():
    taxonomy, p = large()
    fan = 3
    rows = fold(taxonomy, p, truth=int(taxonomy.children[fan][-1]), predicted=5, folding=Folding(top=fan))
    assert rows["node"][0] == fan
    below = set(taxonomy.subtree(fan).tolist())
    shown = rows["node"][rows["node"] >= 0].tolist()
    assert set(shown) <= below
    assert len(shown) + rows["hidden"].sum() == len(below)
    assert int(taxonomy.children[fan][-1]) in shown
    wide = fold(
        taxonomy, p, truth=int(taxonomy.children[fan][-1]), predicted=5, folding=Folding(top=fan, unfold={fan: 20})
    )
    ranked = sorted(taxonomy.children[fan].tolist(), key=lambda node: -p[node])[:20]
    assert set(ranked) <= set(wide["node"])
    # What is unfolded or found is drawn however improbable it is, and what is left of the family can be clicked.
    for style in ("icicle", "list"):
        chart = probability_tree(
            taxonomy, p, predicted=5, folding=Folding(top=fan, unfold={fan: 20}), style=style, select=True, width=1400
        )
        opened = [row["opened"] for view in views(chart.chart.to_dict()) for row in view["rows"] if "opened" in row]
        assert set(ranked) <= set(opened)
        assert -1 - fan in opened
    found = int(taxonomy.children[fan][-2])
    spec = probability_tree(taxonomy, p, predicted=5, folding=Folding(top=fan, keep=[found]), select=True)
    assert any(word == "found" or word.endswith("· found") for word in shown_texts(to_svg(spec)))
    assert [one["select"]["fields"] for one in spec.chart.to_dict()["params"] if one["name"] == "opened"] == [
        ["opened"]
    ]


def test_several_answers(taxonomy):
    p = np.array([1, 0.9, 0.5, 0.4, 0.05, 0.05, 0.05])
    rows = fold(taxonomy, p, truth=[2, 6], predicted=[2, 5]).set_index("name")
    assert rows["outcome"].to_dict() == {
        "animal": "root", "mammal": "tp", "cat": "tp", "dog": "tn", "bird": "fp", "duck": "fp", "newt": "fn",
    }  # fmt: skip
    with pytest.raises(PredictionsError, match="predicted: expected a node from 0 to 6, got 9"):
        fold(taxonomy, p, predicted=[2, 9])


def test_a_single_node_is_never_folded(taxonomy):
    # animal: mammal, bird, newt; the answer is mammal, nothing else is likely: bird and newt make a group of two ...
    p = np.array([1, 1, 1, 0, 0, 0, 0.0])
    assert fold(taxonomy, p, predicted=1)["name"].tolist()[-1] == "others (n=3)"
    # ... but with bird on a path newt is left alone and shown.
    rows = fold(taxonomy, p, truth=5, predicted=1)
    assert "newt" in rows["name"].tolist()
    assert "others" not in rows["outcome"].tolist()


def test_outcomes_with_one_path_unknown(taxonomy):
    p = np.array([1, 0.9, 0.5, 0.4, 0.05, 0.05, 0.05])
    rows = fold(taxonomy, p, predicted=2)
    assert dict(zip(rows["name"], rows["outcome"]))["cat"] == "path"
    assert not rows["on_truth"].any()


def test_truth_at_an_inner_node_and_answer_below_it(taxonomy):
    p = np.array([1, 0.4, 0.55, 0.1, 0.2, 0.9, 0.4])
    rows = fold(taxonomy, p, truth=1, predicted=2).set_index("name")
    assert rows["outcome"][["animal", "mammal", "cat"]].tolist() == ["root", "tp", "fp"]
    # A likely inner node off both paths is opened: duck is more probable than bird, its parent.
    assert rows["p"]["duck"] == 0.9


def test_large_fan_stays_small():
    taxonomy, p = large()
    leaf = int(taxonomy.leaves[p[taxonomy.leaves].argmax()])
    for truth in (int(taxonomy.leaves[0]), int(taxonomy.children[3][-1]), 3):
        rows = probability_tree(taxonomy, p, truth=truth, predicted=leaf).table
        assert len(rows) <= 34
        assert rows["outcome"].eq("others").any()


def test_bad_input_is_named(taxonomy):
    with pytest.raises(PredictionsError, match=r"p: expected shape \(7,\), one sample, got \(1, 7\)"):
        fold(taxonomy, np.ones((1, 7)))
    with pytest.raises(PredictionsError, match="truth: expected a node from 0 to 6, got 7"):
        fold(taxonomy, np.ones(7), truth=7)
    graph = Taxonomy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    with pytest.raises(TaxonomyError, match="probability tree: expected a tree"):
        fold(graph, np.ones(4))
