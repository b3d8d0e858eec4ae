"""The icicle's heights on random trees: inside the parent, in order, growing with p, marked where not to scale, in the budget."""

import itertools

import numpy as np
import pytest
from chart_cases import folding_samples, probabilities
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz import Taxonomy
from hierviz.charts._icicle import BUDGET, MOST, ROW, SLACK, TOLERANCE, icicle_layout
from hierviz.charts.folding import Folding, fold


def layout_of(taxonomy, p, truth=None, predicted=None, max_rows=34):
    def folded(**limits):
        rows = fold(taxonomy, p, truth=truth, predicted=predicted, folding=Folding(**limits)).to_dict("records")
        return [row | {"tag": "tag" if row["node"] in (truth, predicted) else ""} for row in rows]

    return icicle_layout(folded, min_p=0.005, max_rows=max_rows)


@settings(max_examples=examples(200), deadline=None, derandomize=True, database=None)
@given(folding_samples())
def test_heights_on_random_trees(sample):
    taxonomy, p, truth, predicted, max_rows = sample
    layout = layout_of(taxonomy, p, truth, predicted, max_rows)
    if layout is None:
        return
    assert layout.total <= BUDGET + ROW * sum(row["kept"] for row in layout.rows)
    drawn = [row for row in layout.rows if layout.height[row["row"]]]
    bottom = [top + tall for top, tall in zip(layout.top, layout.height, strict=True)]
    last = {}
    for row in drawn[1:]:
        i, parent = row["row"], row["parent_row"]
        # In order, below the sibling before it, inside its parent.
        assert layout.top[i] >= last.get(parent, layout.top[parent]) - 1e-6
        assert bottom[i] <= bottom[parent] + 1e-6
        last[parent] = bottom[i]
    for depth in {row["depth"] for row in drawn}:
        level = sorted((row["p"], layout.height[row["row"]]) for row in drawn if row["depth"] == depth)
        assert [tall for _, tall in level] == sorted(tall for _, tall in level)
        # Cells of one column do not overlap.
        spans = sorted((layout.top[row["row"]], bottom[row["row"]]) for row in drawn if row["depth"] == depth)
        assert all(end <= start + 1e-6 for (_, end), (start, _) in itertools.pairwise(spans))
    for row in drawn:
        tall, exact = layout.height[row["row"]], layout.scale * row["p"]
        assert tall >= max(ROW, exact) - 1e-6
        assert layout.to_scale[row["row"]] == (tall <= (1 + TOLERANCE) * exact + SLACK)
    # The two paths are there whole; what is left out is too improbable to draw.
    nodes = {row["node"] for row in drawn}
    for end in (truth, predicted):
        assert end is None or set(taxonomy.path(end).tolist()) <= nodes
    assert all(row["p"] < layout.least for row in layout.rows if row not in drawn)
    # Nothing is shown twice or lost.
    assert len(nodes - {-1}) + sum(row["hidden"] for row in drawn) == taxonomy.n_nodes


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(folding_samples(), st.integers(0, 10**6))
def test_coherent_probabilities_always_fit(sample, seed):
    taxonomy, _, truth, predicted, max_rows = sample
    p = probabilities(taxonomy, np.random.default_rng(seed), 0.2)
    assert layout_of(taxonomy, p, truth, predicted, max_rows) is not None


def test_a_small_probability_is_never_taller_than_a_larger_one():
    # a holds the truth at 0.005, with a family of its own; b at 0.014 is no path.
    taxonomy = Taxonomy.from_edges(
        [("root", "a"), ("root", "b"), ("root", "c"), ("a", "a1"), ("a", "a2"), ("a", "a3"), ("c", "c1"), ("c", "c2")]
    )
    p = np.array([1, 0.005, 0.014, 0.981, 0.003, 0.001, 0.001, 0.6, 0.381])
    layout = layout_of(taxonomy, p, taxonomy.node("a1"), taxonomy.node("c1"))
    tall = {row["name"]: layout.height[row["row"]] for row in layout.rows}
    to_scale = {row["name"]: layout.to_scale[row["row"]] for row in layout.rows}
    # 0.014 of 560 pixels is no line of text: b is drawn as the likeliest other leaf, no lower than a.
    assert tall["b"] == tall["a"]
    assert tall["c"] == pytest.approx(0.981 * MOST)
    assert tall["c1"] / tall["c2"] == pytest.approx(0.6 / 0.381)
    assert {name for name, is_so in to_scale.items() if not is_so and tall[name]} == {"root", "a", "a1", "b"}


def test_many_likely_classes_that_do_not_exclude_each_other_are_refused():
    taxonomy = Taxonomy.from_edges([("root", f"c{i}") for i in range(33)])
    assert layout_of(taxonomy, np.ones(34), 1, 2) is None
