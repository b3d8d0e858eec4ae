"""The icicle's heights on random trees: p to a pixel, inside the parent where p allows it, in order, in the budget."""

import itertools

import numpy as np
import pytest
from chart_cases import folding_samples, probabilities
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from hierviz import Taxonomy
from hierviz.charts._icicle import BUDGET, HAIRLINE, TALL, icicle_layout
from hierviz.charts.folding import Folding, fold


def layout_of(taxonomy, p, truth=None, predicted=None, max_rows=34):
    def folded(**limits):
        rows = fold(taxonomy, p, truth=truth, predicted=predicted, folding=Folding(**limits)).to_dict("records")
        return [row | {"tag": "tag" if row["node"] in (truth, predicted) else ""} for row in rows]

    return icicle_layout(folded, min_p=0.005, max_rows=max_rows)


@settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
@given(folding_samples())
def test_heights_on_random_trees(sample):
    taxonomy, p, truth, predicted, max_rows = sample
    layout = layout_of(taxonomy, p, truth, predicted, max_rows)
    if layout is None:
        return
    drawn = [row for row in layout.rows if layout.height[row["row"]]]
    # Lines of a pixel may come on top.
    assert layout.total <= BUDGET + HAIRLINE * len(drawn)
    inside = [0.0] * len(layout.rows)
    for row in layout.rows[1:]:
        inside[row["parent_row"]] += row["p"]
    bottom = [top + tall for top, tall in zip(layout.top, layout.height, strict=True)]
    last = {}
    for row in drawn[1:]:
        i, parent = row["row"], row["parent_row"]
        # In order, below the sibling before it, inside its parent unless p is not coherent.
        assert layout.top[i] >= last.get(parent, layout.top[parent]) - 1e-6
        if all(row["p"] >= of - 1e-9 for row, of in zip(layout.rows, inside, strict=True)):
            assert bottom[i] <= bottom[parent] + HAIRLINE * len(drawn)
        last[parent] = bottom[i]
    for depth in {row["depth"] for row in drawn}:
        # Cells of one column do not overlap.
        spans = sorted((layout.top[row["row"]], bottom[row["row"]]) for row in drawn if row["depth"] == depth)
        assert all(end <= start + 1e-6 for (_, end), (start, _) in itertools.pairwise(spans))
    for row in drawn:
        tall, exact = layout.height[row["row"]], layout.scale * row["p"]
        assert tall == pytest.approx(max(exact, HAIRLINE))
        assert (row in layout.thin) == (exact < HAIRLINE)
    # The two paths are there whole; what is left out is too improbable to draw.
    nodes = {row["node"] for row in drawn}
    for end in (truth, predicted):
        assert end is None or set(taxonomy.path(end).tolist()) <= nodes
    left_out = [row for row in layout.rows if row not in drawn]
    assert all(layout.scale * row["p"] < HAIRLINE or layout.rows[row["parent_row"]] in left_out for row in left_out)
    # Nothing is shown twice or lost.
    assert len(nodes - {-1}) + sum(row["hidden"] for row in drawn) == taxonomy.n_nodes


@settings(max_examples=examples(50), deadline=None, derandomize=True, database=None)
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
    wanted = {"root": 1, "a": 0.005, "a1": 0.003, "b": 0.014, "c": 0.981, "c1": 0.6, "c2": 0.381}
    assert {name: tall[name] for name in wanted} == pytest.approx({name: p * TALL for name, p in wanted.items()})
    assert not layout.thin


def test_many_likely_classes_that_do_not_exclude_each_other_are_refused():
    taxonomy = Taxonomy.from_edges([("root", f"c{i}") for i in range(33)])
    assert layout_of(taxonomy, np.ones(34), 1, 2) is None
