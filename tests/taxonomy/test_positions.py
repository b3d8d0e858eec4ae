"""Numbers of nodes and rows that are not there, and arguments of the wrong kind, are one clear line."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis.mistakes import set_mistakes

NO_NUMBERS = (99, -1, 1.5, "cat", None, True, float("nan"), [1], {})


@pytest.fixture
def scores(taxonomy):
    p = np.random.default_rng(0).dirichlet(np.ones(4), 40)
    light = np.resize(np.array(["day", "night"]), 40)
    truth = np.resize(taxonomy.leaves, 40)
    return hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, attributes={"light": light})


@pytest.fixture
def answers(scores):
    return hv.evaluation.judged_answers(scores)


@pytest.mark.parametrize("node", NO_NUMBERS)
@pytest.mark.parametrize("method", ["title", "path", "subtree"])
def test_one_node(taxonomy, method, node):
    if (method, node) == ("title", -1):
        assert taxonomy.title(node) == "(outside the taxonomy)"
        return
    with pytest.raises(
        hv.TaxonomyError, match=r"^node: expected a node number from 0 to 6, got .* Use Taxonomy\.nodes"
    ):
        getattr(taxonomy, method)(node)


@pytest.mark.parametrize("nodes", [[99], [-1], [1.5], ["cat"], [True], [[1], [1, 2]], np.array([0, 7])])
def test_several_nodes(taxonomy, nodes):
    says = r": expected node numbers from 0 to 6, got .* Use Taxonomy\.nodes"
    calls = (taxonomy.ancestors, lambda a: taxonomy.lca(a, a), lambda b: taxonomy.is_ancestor(0, b))
    for call in calls:
        with pytest.raises(hv.TaxonomyError, match=says):
            call(nodes)
    for call in calls[:2]:
        with pytest.raises(hv.TaxonomyError, match="expected a list of node numbers from 0 to 6, got 3"):
            call(3)


@pytest.mark.parametrize("rows", [[99], [-1], [1.5], ["a"], 3, None, np.ones(3, dtype=bool)])
def test_rows(scores, answers, rows):
    table = hv.Evaluation.from_predictions(scores).table
    for what, call in (
        ("rows", table.take),
        ("rows", scores.node_probabilities),
        ("rows", lambda given: hv.diagnosis.facets(scores, given)),
        ("rows", lambda given: hv.diagnosis.path_probabilities(scores, given, [1])),
        ("places", answers.take),
    ):
        with pytest.raises(hv.PredictionsError, match=rf"^{what}: expected .* from 0 to 39"):
            call(rows)


def test_masks_are_rows_too(scores, answers):
    mask = np.arange(40) < 3
    assert scores.node_probabilities(mask).tolist() == scores.node_probabilities(np.arange(3)).tolist()
    assert answers.take(mask).rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("place", NO_NUMBERS)
def test_places_in_results(answers, place):
    matrix = hv.diagnosis.matrix(answers)
    for call in (
        hv.diagnosis.confused_pairs(answers).rows,
        hv.diagnosis.slices(answers).samples,
        hv.diagnosis.reliability(answers, tests=hv.diagnosis.ManyTests(n_draws=1)).bins,
        lambda given: matrix.samples(given, 0),
        lambda given: matrix.samples(0, given),
    ):
        with pytest.raises(hv.PredictionsError, match=r"^(place|row|column): expected a place from 0 to \d+, got"):
            call(place)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda a: hv.diagnosis.filtered(a.evaluation, hv.diagnosis.SampleFilter()),
            r"^answers: expected a JudgedAnswers, got Evaluation",
        ),
        (lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter), r"^chosen: expected a SampleFilter, got type"),
        (
            lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter(outcome=["wrong"])),
            r"^outcome: expected one of exact, coarse, no_answer, wrong",
        ),
        (
            lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter(where=("light", "day"))),
            r"^where: expected pairs of a column and",
        ),
        (
            lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter(where="light=day")),
            r"^where: expected a list of pairs",
        ),
        (lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter(text=3)), r"^text: expected a str, got int"),
        (
            lambda a: hv.diagnosis.filtered(a, hv.diagnosis.SampleFilter(common="1")),
            r"^common: expected a whole number >= 0, got '1'",
        ),
        (lambda a: hv.diagnosis.facets(a, [0]), r"^predictions: expected a Predictions, got JudgedAnswers"),
        (
            lambda a: hv.diagnosis.facets(a.evaluation.predictions, [0], "all"),
            r"^most: expected a whole number >= 0, got 'all'",
        ),
        (
            lambda a: hv.diagnosis.confused_pairs(a, by=["classes"]),
            r"^by: expected one of classes, branches, common, got",
        ),
        (lambda a: hv.diagnosis.confused_pairs(a, cost=["bits"]), r"^cost: expected one of win_lost"),
        (
            lambda a: hv.diagnosis.confused_pairs(a, outcomes=3),
            r"^outcomes: expected a list of exact, coarse, no_answer, wrong, got 3",
        ),
        (
            lambda a: hv.diagnosis.confused_pairs(a, outcomes=[]),
            r"^outcomes: expected a list of exact, coarse, no_answer, wrong, got \[\]",
        ),
        (lambda a: hv.diagnosis.matrix(a, open_nodes=1), r"^open_nodes: expected a list of node numbers, got 1"),
        (
            lambda a: hv.diagnosis.matrix(a, open_nodes=[[1]]),
            r"^open_nodes: expected a list of node numbers from 0 to 6",
        ),
        (lambda a: hv.diagnosis.matrix(a).shares(np.ones(2)), r"^normalisation: expected one of row, column, total"),
        (lambda a: hv.diagnosis.slices(a, loss=["wrong"]), r"^loss: expected one of wrong, win_lost"),
        (lambda a: hv.diagnosis.slices(a, attributes=[["light"]]), r"^attributes: expected a column"),
        (
            lambda a: hv.diagnosis.slices(a, tests=hv.diagnosis.ManyTests(seed="x")),
            r"^seed: expected a whole number >= 0, got 'x'",
        ),
        (lambda a: hv.diagnosis.reliability(a, depths=["one"]), r"^depths: expected depths from 1 to 2, got"),
        (lambda a: hv.diagnosis.reliability(a, depths=[1.5]), r"^depths: expected depths from 1 to 2, got"),
        (lambda a: hv.diagnosis.reliability(a, nodes=3), r"^nodes: expected a list of node numbers, got 3"),
        (
            lambda a: hv.diagnosis.reliability(a, tests=hv.diagnosis.ManyTests(seed=-1)),
            r"^seed: expected a whole number >= 0, got -1",
        ),
        (
            lambda a: hv.diagnosis.reliability(a, tests=hv.diagnosis.ManyTests(correction=["bh"])),
            r"^correction: expected one of bh, by, got",
        ),
        (lambda a: set_mistakes(a, only_wrong="no"), r"^only_wrong: expected a bool, got str"),
        (lambda a: hv.diagnosis.flip_intervals(a.evaluation, 0, rule=["leaf"]), r"^rule: expected"),
        (lambda a: hv.diagnosis.means_by(a, ["depth"]), r"^by: expected a str, got list"),
        (lambda a: hv.diagnosis.means_by(a, "depth", metric=["win"]), r"^metric: expected one of exact"),
        (lambda a: subtree_levels(a, []), r"^root: expected a node number from 0 to 6, got"),
        (lambda a: hv.diagnosis.node_table(a, calibration=[1]), r"^calibration: expected a Reliability, got list"),
        (
            lambda a: hv.mistakes(a.evaluation, among=np.arange(40)),
            r"^among: expected True or False for each of the 40",
        ),
        (lambda a: a.evaluation.predictions.row(3), r"^sample_id: expected a str, got int"),
        (lambda a: a.evaluation.predictions.sample_id(99), r"^row: expected a row from 0 to 39, got 99"),
    ],
)
def test_arguments_of_the_wrong_kind(answers, call, says):
    with pytest.raises(hv.PredictionsError, match=says):
        call(answers)


def test_another_taxonomy(answers):
    other = hv.Taxonomy.from_edges([("root", "a"), ("root", "b")])
    scored = hv.Predictions.from_scores(
        other, np.full((40, 2), 0.5), "leaf_probabilities", truth=np.ones(40, dtype=int)
    )
    with pytest.raises(hv.PredictionsError, match=r"^calibration: expected nodes of the taxonomy of the answers"):
        hv.diagnosis.node_table(answers, calibration=hv.diagnosis.reliability(scored, nodes=[1]))
    table = answers.evaluation.table
    sample = int(np.argmax(np.maximum.reduceat(table.nodes, table.offsets[:-1])))
    with pytest.raises(hv.PredictionsError, match=r"^nodes of the table: expected node numbers from 0 to 2, got"):
        hv.diagnosis.flip_intervals(table, sample, taxonomy=other)


def test_what_is_no_chart():
    pytest.importorskip("altair")
    for call in (hv.show, hv.charts.to_svg, hv.charts.finish):
        with pytest.raises(hv.PredictionsError, match=r"^chart: expected a TopLevelMixin, got NoneType\."):
            call(None)
