"""The win, its gradient by differences, and the paper's tables against `golden/win.json`."""

import json
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.win import best_leaf_metrics, win, win_breakdown

WIN = json.loads((Path(__file__).parents[1] / "golden" / "win.json").read_text())


def close(ours, theirs):
    np.testing.assert_allclose(
        ours, [float(v) for v in np.atleast_1d(theirs)] if np.ndim(theirs) else float(theirs), rtol=1e-9, atol=1e-12
    )


@pytest.fixture(scope="module")
def trees():
    return {name: hv.Taxonomy.from_edges(tree["edges"]) for name, tree in WIN["trees"].items()}


def leaf_row(taxonomy, leaves, values):
    return hv.node_probabilities(taxonomy, np.atleast_2d(values), "leaf_probabilities", taxonomy.nodes(*leaves))


@pytest.mark.parametrize("case", WIN["cases"], ids=lambda case: case["name"])
def test_case(trees, case):
    taxonomy, leaves = trees[case["tree"]], WIN["trees"][case["tree"]]["leaves"]
    values = np.array([case["p"].get(leaf, 0.0) for leaf in leaves])
    p, truth, expect = leaf_row(taxonomy, leaves, values), taxonomy.nodes(case["truth"]), case["expect"]
    for name, value in expect["node_p"].items():
        close(p[0, taxonomy.node(name)], value)
    close(win(taxonomy, truth, p, rescaled=False)[0], expect["win"])
    close(win(taxonomy, truth, p)[0], expect["win_rescaled"])
    terms = win_breakdown(taxonomy, truth[0], p[0])
    close([terms.term.sum(), terms.win, terms.raw_win], [expect["win_rescaled"], expect["win_rescaled"], expect["win"]])
    close(terms.weight.sum(), 1)
    with np.errstate(divide="ignore"):
        if "neg_log_win" in expect:
            close(-np.log(terms.win), expect["neg_log_win"])
        if "cross_entropy" in expect:
            close(-np.log(p[0, truth[0]]), expect["cross_entropy"])
    best = hv.infer(taxonomy, p, "top_down")
    assert taxonomy.names[best[0]] == expect["best_leaf"]
    if "argmax_leaf" in expect:
        assert taxonomy.names[hv.infer(taxonomy, p, "leaf")[0]] == expect["argmax_leaf"]
    if "one_hot_win_rescaled" in expect:
        close(best_leaf_metrics(taxonomy, truth, best)["one_hot_win"][0], expect["one_hot_win_rescaled"])
        close((1 + best_leaf_metrics(taxonomy, truth, best)["one_hot_win"][0]) / 2, expect["one_hot_win"])
    # The win is linear in p, so a finite difference is the gradient.
    rows = leaf_row(taxonomy, leaves, np.vstack([values + step for step in np.eye(len(leaves))]))
    truths = np.repeat(truth, len(leaves))
    close(win(taxonomy, truths, rows) - terms.win, expect["gradient_rescaled"])
    close(win(taxonomy, truths, rows, rescaled=False) - terms.raw_win, expect["gradient"])


@pytest.mark.parametrize("batch", WIN["batches"], ids=lambda batch: batch["name"])
def test_batch(trees, batch):
    taxonomy, leaves = trees[batch["tree"]], WIN["trees"][batch["tree"]]["leaves"]
    n, n_leaves = batch["n"], len(leaves)
    rs = np.random.RandomState(batch["seed"])
    u = rs.random_sample((n, n_leaves))
    y = np.floor(rs.random_sample(n) * n_leaves).astype(int)
    c = rs.random_sample(n)
    g = np.where(c < batch["acc"], y, np.floor(rs.random_sample(n) * n_leaves).astype(int))
    b = rs.random_sample(n) * batch["boost"]
    rows = np.where(u < batch["zero"], 0, u ** batch["power"])
    rows = (1 - b)[:, None] * (rows / rows.sum(axis=1, keepdims=True))
    rows[np.arange(n), g] += b
    rows = np.floor(rows * 2**20) / 2**20
    rows[np.arange(n), g] += 1 - rows.sum(axis=1)
    close(rows[0], batch["check"]["first_row"])
    assert y[:10].tolist() == batch["check"]["truth_index_first_10"]

    nodes = taxonomy.nodes(*leaves)
    predictions = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", scored_nodes=nodes, truth=nodes[y])
    model = hv.evaluate(predictions)["models"][0]
    ours = {**model["distribution"], **model["top_down"]}
    for key, value in batch["expect"].items():
        if key in ours:
            close(float(ours[key]), value)
    assert {"softmax_win", "neg_log_win", "cross_entropy", "one_hot_win", "aggregate_f1"} <= set(ours) & set(
        batch["expect"]
    )
    samples = hv.Evaluation.from_predictions(predictions).per_sample()
    for i, sample in enumerate(batch["first_samples"]):
        assert taxonomy.names[samples["top_down"][i]] == sample["best_leaf"]
        close([samples["softmax_win"][i], samples["softmax_win_raw"][i]], [sample["win_rescaled"], sample["win"]])


@pytest.mark.parametrize(
    "batch", [b for b in WIN["batches"] if b["tree"] in ("yahoo", "dbpedia")], ids=lambda b: b["name"]
)
def test_two_level_identity(trees, batch):
    """Every leaf at depth 2: one-hot win = (coarsest + finest) / 2 = aggregate precision, recall and F1 [1]."""
    taxonomy = trees[batch["tree"]]
    rng = np.random.default_rng(batch["seed"])
    truth, best = (rng.choice(taxonomy.leaves, 300) for _ in range(2))
    found = best_leaf_metrics(taxonomy, truth, best)
    half = (found["coarsest_accuracy"].mean() + found["finest_accuracy"].mean()) / 2
    close([found["one_hot_win"].mean(), found["shared"].sum() / found["claimed"].sum()], [half, half])
