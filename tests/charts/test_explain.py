"""One answer explained in one figure, and the choice of samples worth checking."""

import numpy as np
import pytest

import hierviz as hv
from hierviz import charts
from tests.small_tree import EDGES

P = np.array([[0.5, 0.25, 0.125, 0.125], [0.125, 0.125, 0.25, 0.5], [0.25, 0.5, 0.125, 0.125]])


@pytest.fixture
def predictions(taxonomy):
    # Answers of the rule majority: mammal (wrong), the root and mammal (coarse); of the rule leaf: cat, newt (wrong) and dog.
    truth = taxonomy.nodes("duck", "cat", "dog")
    ids = np.array(["a", "b", "c"])
    return hv.Predictions.from_scores(taxonomy, P, "leaf_probabilities", truth=truth, sample_ids=ids)


def test_the_worst(taxonomy, predictions):
    # Win of the true path: duck .5 x 1/8 + .5 x 1/8 = .125; cat .5 x .25 + .5 x .125 = .1875.
    assert hv.diagnosis.worst(predictions) == ["a"]
    assert hv.diagnosis.worst(predictions, 5, "leaf") == ["a", "b"]
    assert hv.diagnosis.worst(predictions, 1, "leaf") == ["a"]
    labels = hv.Predictions.from_labels(taxonomy, [[2], [6]], truth=[[2, 5], [3]])
    assert hv.diagnosis.worst(labels) == ["1", "0"]
    with pytest.raises(hv.PredictionsError, match=r"^most: expected a whole number >= 1, got 0\."):
        hv.diagnosis.worst(predictions, 0)


@pytest.mark.long
def test_explain(predictions):
    evaluation = hv.Evaluation.from_predictions(predictions)
    parts = charts.sample_parts(evaluation, 0)
    assert [part.name for part in parts] == ["tree", "ribbon", "win", "confusion"]
    assert parts[0].figure.sentence.startswith("The answer is mammal (p = 0.750), the truth is duck (p = 0.125)")
    for dark in (False, True):
        spec = charts.to_vega_lite(charts.example(evaluation, "a", dark=dark, width=700))
        assert [part["title"]["text"] for part in spec["vconcat"]] == [part.title for part in parts]
    shown = hv.charts.example(predictions, hv.diagnosis.worst(predictions)[0])
    assert charts.to_vega_lite(shown)["vconcat"]
    assert shown.table["part"].tolist() == [part.title for part in parts]
    assert shown.sentence == " ".join(shown.table["sentence"])
    assert "<iframe" in shown._repr_html_()
    with pytest.raises(hv.PredictionsError, match=r"^sample_id: expected the id of a sample of model, got 'x'\."):
        hv.charts.example(predictions, "x")


def test_what_does_not_apply_is_left_out(taxonomy, predictions):
    def names(found):
        return [part.name for part in charts.sample_parts(hv.Evaluation.from_predictions(found), 0)]

    assert names(predictions.replace(truth=None)) == ["tree", "ribbon"]
    assert names(predictions.replace(truth=[[2, 5], [3], [6]])) == ["tree", "paths", "ribbon", "confusion"]
    assert names(hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("dog"))) == [
        "confusion"
    ]
    graph = hv.Taxonomy.from_edges([*EDGES, ("bird", "newt")])
    leaves = graph.nodes(*(taxonomy.names[node] for node in taxonomy.leaves))
    of_graph = hv.Predictions.from_scores(
        graph, P, "leaf_probabilities", scored_nodes=leaves, truth=graph.nodes("cat", "dog", "newt")
    )
    assert names(of_graph) == ["paths", "confusion"]
    nothing = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"))
    with pytest.raises(hv.PredictionsError, match=r"^sample '0': expected scores or a known truth, got neither\."):
        charts.example(nothing, "0")
