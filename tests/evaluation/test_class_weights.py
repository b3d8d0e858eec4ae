"""Means over classes: the curve of weighted samples against classes one by one, and files of weights."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.readers.class_numbers_file import load_class_weights


@many
@given(strategies.trees(9), st.integers(0, 1 << 30), st.booleans())
def test_leaf_and_majority_f1_are_means_over_classes(graph, seed, is_equal):
    """Two numbers of the curve are means over samples: weighted by hand, class by class."""
    taxonomy, rng = strategies.from_graph(graph), np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    truth = rng.integers(0, taxonomy.n_nodes, n)
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), size=n)
    weights = "equal" if is_equal else rng.integers(1, 5, taxonomy.n_nodes).astype(float)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    (model,) = hv.evaluate(predictions, class_weights=weights)["models"]
    p = predictions.node_probabilities()
    for rule in ("leaf", "majority"):
        f1 = hv.metrics.path_metrics(taxonomy, truth, hv.infer(taxonomy, p, rule))["info_f1"]
        total = whole = 0.0
        for c in sorted(set(truth.tolist())):
            own = [f1[i] for i in range(n) if truth[i] == c]
            w = 1.0 if is_equal else weights[c]
            total, whole = total + w * sum(own) / len(own), whole + w
        assert model["curve"][f"balanced_{rule}_f1"] == pytest.approx(total / whole, abs=1e-12)


def test_whole_weights_are_repeated_samples(taxonomy):
    """With one class 3 times as often as another, equal weights give what three copies of the rare one give."""
    rng = np.random.default_rng(0)
    truth = taxonomy.nodes(*["cat"] * 6, *["duck"] * 2)
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), size=8)
    take = [*range(6), *[6, 7] * 3]

    def curve(rows, **more):
        of = hv.Predictions.from_scores(taxonomy, scores[rows], "leaf_probabilities", truth=truth[rows])
        return hv.evaluate(of, **more)["models"][0]["curve"]

    plain, found = curve(take), curve(range(8), class_weights="equal")
    keys = [key for key in plain if key != "n_points"]
    assert len(keys) == 9
    for key in keys:
        assert found[f"balanced_{key}"] == pytest.approx(plain[key], abs=1e-12), key
    assert {f"balanced_{key}" for key in keys} == {key for key in hv.METRICS if key.startswith("balanced_")}
    assert not any(key.startswith("balanced") for key in plain)


def test_a_threshold_for_each_model(taxonomy):
    rng = np.random.default_rng(1)
    truth = taxonomy.leaves[rng.integers(0, taxonomy.n_leaves, 20)]
    models = [
        hv.Predictions.from_scores(
            taxonomy, rng.dirichlet(np.ones(taxonomy.n_leaves), size=20), "leaf_probabilities", truth=truth, name=name
        )
        for name in "ab"
    ]
    both = hv.evaluate(models, "threshold", [0.3, 0.7])["models"]
    assert both == [hv.evaluate(model, "threshold", t)["models"][0] for model, t in zip(models, [0.3, 0.7])]
    with pytest.raises(hv.PredictionsError, match="one for each of the 2 models, got 3"):
        hv.evaluate(models, "threshold", [0.3, 0.7, 0.5])


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("node,weight\ncat,1\nduk,2\n", "duk.*duck"),
        ("node,weight\ncat,1\ncat,2\n", "again"),
        ("node,weight\ncat,-1\n", "weight >= 0"),
        ("node,weight\ncat,much\n", "weight >= 0"),
        ("class,count\ncat,1\n", "columns node, weight"),
    ],
)
def test_wrong_files(tmp_path, taxonomy, text, match):
    (tmp_path / "w.csv").write_text(text)
    with pytest.raises(hv.FileError, match=match):
        load_class_weights(tmp_path / "w.csv", taxonomy)


def test_a_true_class_without_a_weight_is_named(tmp_path, taxonomy):
    (tmp_path / "w.csv").write_text("weight,node\n2,cat\n")
    weights = load_class_weights(tmp_path / "w.csv", taxonomy)
    assert weights[taxonomy.node("cat")] == 2
    truth = taxonomy.nodes("cat", "duck")
    scores = np.full((2, taxonomy.n_leaves), 1 / taxonomy.n_leaves)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    with pytest.raises(hv.PredictionsError, match="duck"):
        hv.evaluate(predictions, class_weights=weights)
    with pytest.raises(hv.PredictionsError, match="above 0"):
        hv.evaluate(predictions, class_weights=np.zeros(taxonomy.n_nodes))


def test_weights_without_a_finite_sum_are_refused_and_other_large_ones_only_share(taxonomy):
    """All that counts of weights is what share each has; a sum that is infinite leaves no share."""
    rng = np.random.default_rng(0)
    truth = taxonomy.nodes(*["cat"] * 6, *["duck"] * 2)
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), size=8)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)

    def found(cat, duck):
        weights = np.zeros(taxonomy.n_nodes)
        weights[truth[[0, -1]]] = cat, duck
        curve = hv.evaluate(predictions, class_weights=weights)["models"][0]["curve"]
        hv.compare([predictions], metrics="curve.balanced_ac", class_weights=weights, resamples=100)
        return [value for key, value in curve.items() if key.startswith("balanced_")]

    assert found(3e300, 1e300) == pytest.approx(found(3, 1), abs=1e-12)
    assert found(3e-300, 1e-300) == pytest.approx(found(3, 1), abs=1e-12)
    assert found(1e300, 1e-300) == pytest.approx(found(1, 0), abs=1e-12)
    for weights in ((1e308, 1e308), (1, 1e-320)):
        with pytest.raises(hv.PredictionsError, match="expected numbers whose sum and whose shares over 8 samples"):
            found(*weights)
