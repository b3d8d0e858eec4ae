"""Random taxonomies: values against the definitions in 50 digits, gradients against central differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from losses_cases import VARIANTS, draw_truth, graphs, naive, per_row_keywords, trees, variant_id
from strategies import examples

from hierviz import NodeLists
from hierviz.losses.registry import LOSSES, loss

SEEDS = st.integers(0, 2**31)
STEP = 1e-5


def test_every_loss_has_a_variant():
    assert {key for key, _, _ in VARIANTS} == set(LOSSES)


def made(taxonomy, variant, seed, n, scale=2.0):
    key, keywords, kind = variant
    generator = np.random.default_rng(seed)
    columns = LOSSES[key].columns(taxonomy, **keywords)
    scores = scale * generator.standard_normal((n, len(columns)))
    truth = draw_truth(taxonomy, generator, n, kind)
    return columns, scores, truth, {**keywords, **per_row_keywords(key, taxonomy, generator, n)}


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_values_follow_the_definition(variant):
    @settings(max_examples=examples(100), derandomize=True, deadline=None, database=None)
    @given(taxonomy=trees(most=9), seed=SEEDS)
    def check(taxonomy, seed):
        columns, scores, truth, keywords = made(taxonomy, variant, seed, 3)
        values, gradient = loss(variant[0], taxonomy, truth, scores, **keywords)
        assert (values.dtype, gradient.dtype, gradient.shape) == (np.float64, np.float64, scores.shape)
        expected = naive(variant[0], taxonomy, columns, scores, truth, **keywords)
        np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-13)

    check()


GRAPH_VARIANTS = [
    one for one in VARIANTS if not LOSSES[one[0]].tree_only and one[1].get("cost", "incorrect") == "incorrect"
]


@pytest.mark.parametrize("variant", GRAPH_VARIANTS, ids=variant_id)
def test_values_on_graphs(variant):
    @settings(max_examples=examples(100), derandomize=True, deadline=None, database=None)
    @given(taxonomy=graphs(), seed=SEEDS)
    def check(taxonomy, seed):
        columns, scores, truth, keywords = made(taxonomy, variant, seed, 3)
        values, gradient = loss(variant[0], taxonomy, truth, scores, **keywords)
        expected = naive(variant[0], taxonomy, columns, scores, truth, **keywords)
        np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-13)
        close_to_differences(taxonomy, variant[0], scores, truth, keywords, gradient)

    check()


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_extreme_scores(variant):
    """Scores of +-1000 underflow every probability; the values still have the digits of the definition."""

    @settings(max_examples=20, derandomize=True, deadline=None, database=None)
    @given(taxonomy=trees(most=8), seed=SEEDS)
    def check(taxonomy, seed):
        columns, scores, truth, keywords = made(taxonomy, variant, seed, 2)
        scores = np.where(scores > 0, 1e3, -1e3)
        values, gradient = loss(variant[0], taxonomy, truth, scores, **keywords)
        assert np.isfinite(values).all()
        assert np.isfinite(gradient).all()
        expected = naive(variant[0], taxonomy, columns, scores, truth, **keywords)
        np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-10)

    check()


def differences(taxonomy, key, scores, truth, keywords):
    """Central differences of every value by every score of its row, in one call."""
    n, width = scores.shape
    steps = np.concatenate([np.eye(width), -np.eye(width)]) * STEP
    rows = np.repeat(np.arange(n), 2 * width)
    moved = scores[rows] + np.tile(steps, (n, 1))
    per_row = {name: value[rows] if name == "drops" else value for name, value in keywords.items()}
    several = truth.take(rows) if isinstance(truth, NodeLists) else truth[rows]
    values = loss(key, taxonomy, several, moved, **per_row)[0].reshape(n, 2, width)
    return (values[:, 0] - values[:, 1]) / (2 * STEP)


def close_to_differences(taxonomy, key, scores, truth, keywords, gradient):
    slope = differences(taxonomy, key, scores, truth, keywords)
    # Relative to the row's largest slope; the floor is the rounding error of a difference, 1e-16 * value / step.
    size = np.abs(slope).max(axis=1, initial=1e-4, keepdims=True)
    assert (np.abs(gradient - slope) <= 1e-5 * size).all()


@pytest.mark.parametrize("key", LOSSES)
def test_gradient_is_the_derivative(key):
    variants = [one for one in VARIANTS if one[0] == key]

    @settings(max_examples=examples(100), derandomize=True, deadline=None, database=None)
    @given(taxonomy=trees(), seed=SEEDS)
    def check(taxonomy, seed):
        for variant in variants:
            _, scores, truth, keywords = made(taxonomy, variant, seed, 2, scale=1.5)
            if key == "hard_margin":
                # A maximum has no derivative where two nodes are level: step off such corners.
                scores = off_corners(taxonomy, scores, truth, keywords)
            _, gradient = loss(key, taxonomy, truth, scores, **keywords)
            close_to_differences(taxonomy, key, scores, truth, keywords, gradient)

    check()


def off_corners(taxonomy, scores, truth, keywords):
    """`scores` with one made the clear maximum in every row whose two best are closer than 10 steps."""
    scores = scores.copy()
    for i, y in enumerate(truth):
        # One row per node with that node out of the way: the value changes only for the best, and by its lead.
        best = loss("hard_margin", taxonomy, truth[[i]], scores[[i]], **keywords)[1][0].argmax()
        without = scores[[i]].copy()
        without[0, best] -= 10 * STEP
        before, after = (
            loss("hard_margin", taxonomy, truth[[i]], row, **keywords)[0][0] for row in (scores[[i]], without)
        )
        if best != y and before - after < 9 * STEP:
            scores[i, best] += 1
    return scores


def test_naive_differs_where_it_should():
    """The check has teeth: another loss, another truth or a wrong weight is seen."""
    from losses_cases import Decimal, hxe

    from hierviz import Taxonomy

    taxonomy = Taxonomy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    theta = {2: Decimal(1), 3: Decimal(0), 4: Decimal(-1)}
    values = loss("hxe", taxonomy, np.array([2]), [[1.0, 0.0, -1.0]], alpha=0.5)[0]
    assert abs(float(hxe(taxonomy, theta, 2, 0.5)) - values[0]) < 1e-14
    assert abs(float(hxe(taxonomy, theta, 2, 0.4)) - values[0]) > 1e-3
