"""HWV: real predictions of 2003 samples on 1187 nodes against the numbers that came with them."""

import csv
import json

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.registry import path_keys


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def hwv(shared_data):
    return shared_data / "hwv"


@pytest.fixture(scope="module")
def taxonomy(hwv):
    return hv.Taxonomy.from_edges([(row["parent"], row["child"]) for row in read_csv(hwv / "taxonomy.csv")])


@pytest.fixture(scope="module")
def truth(hwv, taxonomy):
    return {row["sample_id"]: taxonomy.node(row["leaf"]) for row in read_csv(hwv / "test.csv")}


def load(path, taxonomy, truth, values, names, parametrisation):
    with np.load(path, allow_pickle=False) as arrays:
        ids = arrays["sample_id"].astype(str)
        return hv.Predictions.from_scores(
            taxonomy,
            arrays[values],
            parametrisation,
            scored_nodes=taxonomy.nodes(*arrays[names].tolist()),
            truth=[truth[name] for name in ids.tolist()],
            sample_ids=ids,
        )


@pytest.fixture(scope="module")
def flat(hwv, taxonomy, truth):
    return hv.Evaluation.from_predictions(
        load(hwv / "pred_flat.npz", taxonomy, truth, "prob", "leaf", "leaf_probabilities")
    )


@pytest.fixture(scope="module")
def bce(hwv, taxonomy, truth):
    return hv.Evaluation.from_predictions(
        load(hwv / "pred_bce_nodes.npz", taxonomy, truth, "score", "node", "node_probabilities")
    )


def test_taxonomy(hwv, taxonomy):
    assert repr(taxonomy) == "<Taxonomy: tree of 1187 nodes, 953 leaves, depth 6>"
    assert np.bincount(taxonomy.depth)[1:].tolist() == [11, 109, 381, 437, 244, 4]
    rows = read_csv(hwv / "nodes.csv")
    nodes = taxonomy.nodes(*(row["node"] for row in rows))
    # Row j of the edge list is node j.
    assert nodes.tolist() == list(range(1, 1187))
    assert taxonomy.depth[nodes].tolist() == [int(row["depth"]) for row in rows]
    assert taxonomy.n_leaves_below[nodes].tolist() == [int(row["n_leaves"]) for row in rows]
    assert taxonomy.is_leaf[nodes].tolist() == [row["is_leaf"] == "1" for row in rows]
    assert [taxonomy.names[node] for node in taxonomy.parent[nodes]] == [row["parent"] for row in rows]


def test_paths(hwv, taxonomy):
    for row in read_csv(hwv / "test.csv")[:200]:
        assert " > ".join(taxonomy.names[node] for node in taxonomy.path(taxonomy.node(row["leaf"]))[1:]) == row["path"]


def test_flat_against_expected(hwv, flat):
    expected = json.loads((hwv / "expected.json").read_text())["win"]
    model = hv.evaluate(flat)["models"][0]
    assert model["n_samples"] == expected.pop("n") == 2003
    differs = flat.best_leaf != flat.answers("leaf")
    assert int(differs.sum()) == expected.pop("top_down_differs_from_argmax")
    found = {**model["distribution"], **model["top_down"]}
    # What the published file does not have is compared with plain counts in tests/metrics.
    assert set(found) - set(expected) == {"top5_leaf_accuracy", "error_lca_height"}
    assert set(expected) <= set(found)
    for key, value in expected.items():
        assert found[key] == value if value == "Infinity" else found[key] == pytest.approx(value, abs=1e-9), key


def test_flat_per_sample(hwv, taxonomy, flat):
    rows, samples = read_csv(hwv / "per_sample_flat.csv"), flat.per_sample("leaf")
    assert samples["sample_id"].tolist() == [row["sample_id"] for row in rows]
    for column, nodes in (
        ("truth", "truth"),
        ("top_down", "top_down"),
        ("argmax_leaf", "argmax_leaf"),
        ("argmax_leaf", "predicted"),
    ):
        assert [taxonomy.names[node] for node in samples[nodes]] == [row[column] for row in rows], column
    for column, key in (("p_truth", "p_truth"), ("win", "softmax_win_raw"), ("win_rescaled", "softmax_win")):
        np.testing.assert_allclose(
            samples[key], [float(row[column]) for row in rows], rtol=0, atol=1e-9, err_msg=column
        )


def test_flat_confusion_and_curve(taxonomy, flat):
    """The top-down path's measures are the published aggregates; the curve ends in the published leaf accuracy."""
    confusion = hv.evaluate(flat, "top_down")["models"][0]["confusion"]
    assert confusion["ppv"] == pytest.approx(0.6026446713799424, abs=1e-12)
    assert confusion["tpr"] == pytest.approx(0.6189323652010219, abs=1e-12)
    assert confusion["f1"] == pytest.approx(0.6106799336650083, abs=1e-12)
    assert flat.curve.values["exact"][-1] == pytest.approx(0.36794807788317524, abs=1e-12)
    # 842 of 2003 predictions are empty at 0.5: the majority answer is the root (Plaud et al., CoNLL 2024, section 2).
    assert int((flat.answers("majority") == 0).sum()) == 842


@pytest.mark.parametrize("rule", hv.INFERENCE_RULES)
def test_bce_runs(taxonomy, truth, bce, rule):
    result = hv.evaluate(bce, rule, 0.3)
    json.dumps(result, allow_nan=False)
    model = result["models"][0]
    assert model["n_samples"] == 2003
    # TP + FN is the sum of the depths of the truths, for every model.
    depths = int(sum(taxonomy.depth[node] for node in truth.values()))
    assert model["confusion"]["tp"] + model["confusion"]["fn"] == depths
    assert model["confusion"]["baseline"]["tp"] + model["confusion"]["baseline"]["fn"] == depths
    assert any("do not sum to 1" in note for note in model["notes"])


def test_bce_curve(bce):
    curve = bce.curve
    assert (np.diff(curve.threshold) < 0).all()
    assert curve.threshold[0] <= 1
    for key in path_keys():
        assert curve.values[key].shape == (curve.n_points,)
        assert np.isfinite(curve.values[key]).all()
    for threshold in (0.1, 0.5, 0.9):
        predicted = hv.evaluate(bce, "threshold", threshold)["models"][0]["predicted"]
        for key in path_keys():
            assert curve.at(threshold)[key] == pytest.approx(predicted[key], abs=1e-9)
