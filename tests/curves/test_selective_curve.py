"""Coverage and risk of climbing at every threshold, and hAURC, against the definitions and by hand."""

import json
from pathlib import Path

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from strategies import many

import hierviz as hv
from hierviz.curves._selective_curve import differing_share, hierarchical_aurc, selective_curve
from hierviz.inference.leaf_paths import leaf_paths
from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.second_opinion import plain_climbing

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "selective_classification.json").read_text())
# Apart by more than rounding, so that the middle between two is neither.
APART = (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0)


@many
@given(strategies.judged(values=APART))
def test_the_curve_is_climbing_at_every_theta(case):
    """p need not grow upwards: a node that is less probable than one below it is never the answer."""
    graph, taxonomy, p, truth = case
    rows, y = p.tolist(), truth.tolist()
    curve = selective_curve(taxonomy, truth, p)
    for theta in (*APART, 0.05, 0.6, 1.5, -0.5):
        answers = [plain_climbing.climb(graph, row, theta) for row in rows]
        found = curve.at(theta)
        expected = plain_climbing.risk_and_coverage(graph, answers, y)
        assert (found["selective_coverage"], 1 - found["correct"]) == pytest.approx(expected, abs=1e-12), theta
    tried = naive.selective_points(graph, rows, y, plain_climbing.climb)
    assert curve.area == pytest.approx(plain_climbing.trapezoids(tried), abs=1e-12)
    assert (np.diff(curve.threshold) < 0).all()
    assert (np.diff(curve.coverage) >= -1e-12).all()


@many
@given(strategies.judged(values=APART))
def test_areas_of_the_threshold_rule_and_how_often_it_differs(case):
    graph, taxonomy, p, truth = case
    rows, y = p.tolist(), truth.tolist()
    table = hv.pareto_table(taxonomy, p)
    shares = differing_share(leaf_paths(taxonomy, p).climbed(), table)
    assert shares == pytest.approx([naive.differing(graph, row) for row in rows], abs=1e-12)
    area = hierarchical_aurc(hv.operating_curve(taxonomy, truth, table))
    tried = naive.selective_points(graph, rows, y, naive.threshold_answer)
    assert area == pytest.approx(plain_climbing.trapezoids(tried), abs=1e-12)
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    (model,) = hv.evaluate(predictions, more=True)["models"]
    assert model["selective"] == pytest.approx(plain_climbing.selective(graph, rows, y), abs=1e-12)
    assert model["selective"]["haurc_threshold"] == pytest.approx(area)
    assert model["selective"]["climbing_differs"] == (shares > 0).mean()


def test_worked_by_hand():
    """Leaves cat, dog, newt; coverage of mammal 1 - 1 / log2 3 = .3691.

    Sample 1 (truth dog): mammal at .75, cat at .5: coverages 0, .3691, 1, wrong at cat. Sample 2 (truth newt): newt at .875.
    θ   .875: coverage 1 / 2, risk 0; .75: (1 + .3691) / 2 = .6845, risk 0; .5: coverage 1, risk 1 / 2.
    hAURC = (1 - .6845) × (0 + .5) / 2 = .0789
    """
    taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    p = np.array([[1, 0.75, 0.5, 0.25, 0.25], [1, 0.125, 0.125, 0, 0.875]])
    curve = selective_curve(taxonomy, taxonomy.nodes("dog", "newt"), p)
    assert curve.threshold.tolist() == [0.875, 0.75, 0.5]
    assert curve.coverage == pytest.approx([0, 0.5, 0.6845351232142713, 1])
    assert curve.risk.tolist() == [0, 0, 0, 0.5]
    assert curve.area == pytest.approx(0.5 * (1 - 0.6845351232142713) / 2)
    columns = curve.columns()
    assert list(columns)[:3] == ["theta", "selective_coverage", "selective_risk"]
    assert columns["theta"].tolist() == [np.inf, 0.875, 0.75, 0.5]
    # An answer holds at its own θ.
    assert curve.at(0.75)["selective_coverage"] == pytest.approx(0.6845351232142713)
    assert curve.at(0.7500001)["selective_coverage"] == 0.5


def test_climbing_and_the_threshold_rule_differ_where_another_branch_is_more_probable():
    """a: .45 with leaves .25, .2; b: .55 with leaves .2, .2, .15. The best leaf is below a, but b is above θ from .45 on.

    Bits of a: log2 5/2, of b: log2 5/3. Threshold rule: root above .55, b below .55, a below .45, leaf below .25.
    Climbing: root above .45: they differ between .45 and .55.
    """
    taxonomy = hv.Taxonomy.from_edges(
        [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b", "b3")]
    )
    p = np.array([[1, 0.45, 0.55, 0.25, 0.2, 0.2, 0.2, 0.15]])
    assert differing_share(leaf_paths(taxonomy, p).climbed(), hv.pareto_table(taxonomy, p)) == pytest.approx([0.1])


def test_the_area_is_that_of_the_authors_code():
    """Their thresholds end at the root's 1: the range of both begins at coverage 0."""
    taxonomy = hv.Taxonomy.from_edges([tuple(edge) for edge in GOLDEN["edges"]])
    for case in GOLDEN["cases"]:
        p = hv.node_probabilities(taxonomy, np.array(case["leaf_probabilities"]), "leaf_probabilities")
        truth = taxonomy.nodes(*case["truth"])
        curve = selective_curve(taxonomy, truth, p)
        assert curve.area == pytest.approx(case["haurc"], abs=GOLDEN["tolerance"])
        theta = np.array(case["theta"])
        assert curve.at(theta)["selective_coverage"] == pytest.approx(case["coverage"], abs=GOLDEN["tolerance"])
        assert 1 - curve.at(theta)["correct"] == pytest.approx(case["risk"], abs=1e-9)


@pytest.mark.long
def test_the_area_is_that_of_a_fine_grid():
    """100,000 thresholds, on 2,000 samples of a law with five levels: 1e-4."""
    rng = np.random.default_rng(25)
    parents = [(i - 1) // 3 for i in range(1, 364)]
    taxonomy = hv.Taxonomy.from_edges([(f"n{a}", f"n{i}") for i, a in enumerate(parents, 1)])
    leaves = rng.dirichlet(np.full(taxonomy.n_leaves, 0.02), 2000)
    p = hv.node_probabilities(taxonomy, leaves, "leaf_probabilities")
    truth = taxonomy.leaves[(leaves.cumsum(axis=1) < rng.random((2000, 1))).sum(axis=1).clip(0, taxonomy.n_leaves - 1)]
    curve = selective_curve(taxonomy, truth, p)
    grid = curve.at(np.linspace(1, 0, 100_000))
    coverage, risk = np.append(0, grid["selective_coverage"]), np.append(0, 1 - grid["correct"])
    area = float(np.trapezoid(risk, coverage))
    assert curve.area == pytest.approx(area, abs=1e-4)
    assert 0.01 < area < 0.5


def test_a_graph_and_several_truths_are_refused_with_the_reason():
    graph = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
    with pytest.raises(TaxonomyError, match="path to the most probable leaf: expected a tree, got 'c' with 2 parents"):
        selective_curve(graph, [3], np.ones((1, 4)))
    tree = hv.Taxonomy.from_edges([("r", "a"), ("r", "b")])
    with pytest.raises(PredictionsError, match="expected one node number a sample, got lists"):
        selective_curve(tree, hv.NodeLists.from_lists([[1, 2]]), np.array([[1, 0.5, 0.5]]))
