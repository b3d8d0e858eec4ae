"""`golden/text_metrics.json`: every block by name; a key that nothing of ours answers to fails.

Of ``softmax_family`` only the node probabilities are compared here; its losses and gradients belong to the losses.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from compare import points_list, same, threshold_block
from sample_curves import curve_areas, sample_curve, set_information, set_metrics_by_threshold

import hierviz as hv
from hierviz.inference.rules import threshold_set
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import closed_lists, complete_below, node_weights, set_overlap, set_scores
from hierviz.taxonomy.taxonomy import NodeLists

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "text_metrics.json").read_text())
TREES = {name: hv.Taxonomy.from_edges(tree["edges"]) for name, tree in GOLDEN["trees"].items()}


def by_name(block):
    return pytest.mark.parametrize("case", GOLDEN[block], ids=lambda case: case["name"])


def names(taxonomy, nodes):
    return [taxonomy.names[node] for node in nodes]


def node_scores(taxonomy, scores, root=1.0):
    p = np.zeros((1, taxonomy.n_nodes))
    p[0, 0] = root
    p[0, taxonomy.nodes(*scores)] = list(scores.values())
    return p


def test_every_block_is_tested():
    texts = {"format", "doc", "tolerance", "conventions", "recipes", "trees"}
    assert set(GOLDEN) - texts == {"figures", "information", "set_cases", "curve_cases", "softmax_family", "batches"}
    assert GOLDEN["format"] == "hierviz-golden-text-1"
    for name, tree in GOLDEN["trees"].items():
        assert set(tree) == {"root", "edges", "nodes_preorder", "leaves"}
        taxonomy = TREES[name]
        assert taxonomy.names[0] == tree["root"]
        assert names(taxonomy, np.argsort(taxonomy.preorder)) == tree["nodes_preorder"]
        assert set(names(taxonomy, taxonomy.leaves)) == set(tree["leaves"])


@by_name("figures")
def test_figure(case):
    taxonomy = TREES[case["tree"]]
    p = node_scores(taxonomy, case["node_p"])
    found = expected_by_threshold(taxonomy, p[0])
    sets = NodeLists.from_lists(taxonomy.nodes(*row["predicted"]) for row in case["by_threshold"])
    rows = []
    for i, one in enumerate(found.expected):
        middle = (found.threshold_from[i] + found.threshold_below[i]) / 2
        for tau in (found.threshold_from[i], middle):
            assert threshold_set(taxonomy, p, tau)[0].tolist() == found.nodes(i).tolist()
        rows.append(
            {
                "tau_from": found.threshold_from[i],
                "tau_below": found.threshold_below[i],
                "predicted": sorted(names(taxonomy, found.nodes(i))),
                "expected_hf1": one,
            }
        )
    golden = [{**row, "predicted": sorted(row["predicted"])} for row in case["by_threshold"]]
    direct = expected_hf1(taxonomy, p[0], sets)
    np.testing.assert_allclose(direct, [row["expected_hf1"] for row in golden], atol=1e-12)
    assert found.expected[found.best] == max(found.expected)
    published = {}
    for row, value in zip(case["by_threshold"], direct):
        published["{" + ",".join(row["predicted"]) + "}"] = value
    events = {}
    for truth in case["truth_probability"]:
        scores = set_scores(*set_overlap(taxonomy, np.repeat(taxonomy.nodes(truth), len(sets)), sets))
        events[truth] = {"+".join(row["predicted"]): value for row, value in zip(case["by_threshold"], scores[2])}
    ours = {
        "name": case["name"],
        "tree": case["tree"],
        "node_p": {name: p[0, taxonomy.node(name)] for name in case["node_p"]},
        "truth_probability": {taxonomy.names[leaf]: p[0, leaf] for leaf in taxonomy.leaves},
        "published": published,
        "by_threshold": rows,
        "hf1_per_event": events,
    }
    same(ours, {**case, "by_threshold": golden}, case["name"])


def test_information():
    block = GOLDEN["information"]
    taxonomy = TREES[block["tree"]]
    sets = NodeLists.from_lists(taxonomy.nodes(*one["set"]) for one in block["sets"])
    bits = set_information(taxonomy, sets)
    ours = {
        "tree": block["tree"],
        "node_bits": dict(zip(taxonomy.names, taxonomy.information)),
        "increment_bits": dict(zip(taxonomy.names, node_weights(taxonomy, "information"))),
        "sets": [{"set": one["set"], "bits": value} for one, value in zip(block["sets"], bits)],
    }
    same(ours, block)
    np.testing.assert_allclose(set_information(taxonomy, np.arange(taxonomy.n_nodes)), taxonomy.information, atol=1e-12)


@by_name("set_cases")
def test_set(case):
    taxonomy = TREES[case["tree"]]
    predicted = NodeLists.from_lists([taxonomy.nodes(*case["predicted"])])
    truth = NodeLists.from_lists([taxonomy.nodes(*case["truth_leaves_or_nodes"])])
    inside = np.zeros((1, taxonomy.n_nodes), dtype=bool)
    inside[0, predicted.nodes] = True
    expect = {}
    for prefix, weight in (("", "nodes"), ("i", "information")):
        shared, claimed, due = set_overlap(taxonomy, truth, predicted, weight)
        keys = [f"{prefix}{key}" for key in ("hp", "hr", "hf1")]
        expect |= {key: value[0] for key, value in zip(keys, set_scores(shared, claimed, due))}
    expect |= {
        "information_truth_bits": due[0],
        "information_augmented_bits": claimed[0],
        "information_common_bits": shared[0],
    }
    ours = {
        **{key: case[key] for key in ("name", "tree", "truth_leaves_or_nodes", "predicted", "note") if key in case},
        "truth": sorted(names(taxonomy, closed_lists(taxonomy, truth)[0])),
        "augmented": sorted(names(taxonomy, closed_lists(taxonomy, predicted)[0])),
        "pruned": sorted(names(taxonomy, np.flatnonzero((complete_below(taxonomy, inside) & inside)[0]))),
        "expect": expect,
    }
    lists = {key: sorted(case[key]) for key in ("truth", "augmented", "pruned")}
    same(ours, {**case, **lists}, case["name"])

    counts = LabelSetCounts(taxonomy)
    counts.add_lists(truth, predicted)
    assert counts.n_valid.sum() == len(case["pruned"])
    assert counts.n_predicted.sum() == len(case["predicted"])
    assert bool(counts.summary()["n_incoherent"]) == (set(case["augmented"]) != set(case["predicted"]))
    per_sample = counts.per_sample()
    assert [per_sample[f"{key}_samples"][0] for key in ("hp", "hr", "hf1", "ihf1")] == pytest.approx(
        [case["expect"][key] for key in ("hp", "hr", "hf1", "ihf1")], abs=1e-12
    )


@by_name("curve_cases")
def test_curve(case):
    taxonomy = TREES[case["tree"]]
    p, truth = node_scores(taxonomy, case["scores"]), taxonomy.nodes(*case["truth"])
    areas = {key: value[0] for key, value in curve_areas(taxonomy, NodeLists.from_lists([truth]), p).items()}
    expect = dict(areas)
    for suffix, keywords in (
        ("", {}),
        ("_raw", {"augmented": False}),
        ("_information", {"weight": "information"}),
    ):
        curve = sample_curve(taxonomy, truth, p[0], **keywords)
        columns = curve.threshold, curve.size, curve.precision, curve.recall
        expect[f"points{suffix}"] = [dict(zip(("tau", "size", "precision", "recall"), one)) for one in zip(*columns)]
        key = {"": "hf1_auc", "_raw": "hf1_auc_raw", "_information": "ihf1_auc"}[suffix]
        assert curve.area == pytest.approx(areas[key], abs=1e-12)
    ours = {**{key: case[key] for key in ("name", "tree", "scores", "truth", "note") if key in case}, "expect": expect}
    same(ours, case, case["name"])


LOSSES_ELSEWHERE = {"loss", "grad_scores", "loss_mask", "note", "nu", "train_conditional", "train_joint"}


@pytest.mark.parametrize("case", GOLDEN["softmax_family"], ids=lambda case: f"{case['tree']}-{case['seed']}")
def test_softmax_family_probabilities(case):
    taxonomy = TREES[case["tree"]]
    scores = np.array([[case["scores"][name] for name in taxonomy.names[1:]]])
    inner = np.arange(1, taxonomy.n_nodes)

    def joint(key, scores=scores, nodes=inner):
        return dict(zip(taxonomy.names, hv.node_probabilities(taxonomy, scores, key, nodes)[0]))

    def conditional(p):
        return {taxonomy.names[i]: p[taxonomy.names[i]] / p[taxonomy.names[taxonomy.parent[i]]] for i in inner}

    softmax, sigmoid = joint("conditional_softmax"), joint("conditional_sigmoid")
    flat = joint("flat_softmax", scores[:, taxonomy.leaves - 1], taxonomy.leaves)
    ours = {
        "conditional_softmax": {"joint": softmax, "conditional": conditional(softmax)},
        "logit_adjusted_tau_1": {"inference_joint_authors_code": softmax},
        "logit_adjusted_tau_0.5": {},
        "conditional_sigmoid": {"joint": sigmoid, "conditional": conditional(sigmoid)},
        "leaf_softmax": {"leaf": flat, "node": flat},
    }
    # Where the adjusted scores are given to the conditional softmax, its probabilities are those of the training loss.
    for tau in (1, 0.5):
        nu = case["expect"]["logit_adjusted_tau_1"]["nu"]
        adjusted = scores + tau * np.log([[nu[name] for name in taxonomy.names[1:]]])
        p = joint("conditional_softmax", adjusted)
        ours[f"logit_adjusted_tau_{tau}"] |= {"train_joint": p, "train_conditional": conditional(p)}
    golden = {
        block: {
            key: value
            for key, value in values.items()
            if key not in LOSSES_ELSEWHERE or (key.startswith("train_") and block.startswith("logit_adjusted"))
        }
        for block, values in case["expect"].items()
    }
    same(ours, golden, case["tree"])


def leaf_batch(batch, tree):
    """Recipe ``leaf``: rows over ``tree['leaves']``, and the true leaf of each."""
    n, n_leaves = batch["n"], len(tree["leaves"])
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
    return rows, y


def node_batch(batch, tree):
    """Recipe ``node``: scores over ``tree['nodes_preorder'][1:]``, and the true leaves of each sample."""
    n, n_nodes, n_leaves = batch["n"], len(tree["nodes_preorder"]) - 1, len(tree["leaves"])
    taxonomy = TREES[batch["tree"]]
    rs = np.random.RandomState(batch["seed"])
    u = rs.random_sample((n, n_nodes))
    k = 1 + np.floor(rs.random_sample(n) * batch["kmax"]).astype(int)
    v = rs.random_sample((n, batch["kmax"]))
    columns = taxonomy.nodes(*tree["nodes_preorder"][1:])
    leaves = taxonomy.nodes(*tree["leaves"])
    truth = NodeLists.from_lists(leaves[np.floor(v[i, : k[i]] * n_leaves).astype(int)] for i in range(n))
    closed = closed_lists(taxonomy, truth)
    y = np.zeros((n, taxonomy.n_nodes))
    y[np.repeat(np.arange(n), closed.lengths), closed.nodes] = 1
    z = rs.random_sample((n, n_nodes))
    s = (1 - batch["mix"]) * u ** batch["power"] + batch["mix"] * y[:, columns] * z
    return np.floor(s * 1024) / 1024, columns, truth


@by_name("batches")
def test_batch(case):
    tree, taxonomy = GOLDEN["trees"][case["tree"]], TREES[case["tree"]]
    if case["recipe"] == "leaf":
        scores, y = leaf_batch(case, tree)
        leaves = taxonomy.nodes(*tree["leaves"])
        p, truth = hv.node_probabilities(taxonomy, scores, "leaf_probabilities", leaves), leaves[y]
        check = {"first_row": scores[0].tolist(), "sum_of_squares": float((scores**2).sum())}
        train = np.zeros((1, taxonomy.n_nodes))
        train[0, taxonomy.nodes(*case["leaf_train_counts"])] = list(case["leaf_train_counts"].values())
        train_count = np.array([train[0, taxonomy.subtree(node)].sum() for node in range(taxonomy.n_nodes)])
        assert case["kind"] == "leaf_distribution"
    else:
        scores, columns, truth = node_batch(case, tree)
        p, train_count = hv.node_probabilities(taxonomy, scores, "node_probabilities", columns), None
        first = closed_lists(taxonomy, truth)[0]
        check = {
            "first_row": scores[0].tolist(),
            "truth_of_first_sample": names(taxonomy, sorted(first, key=lambda node: taxonomy.preorder[node])),
            "sum_of_squares": float((scores**2).sum()),
        }
        assert case["kind"] == "node_scores_multi_path"
    same(check, case["check"], "check")

    at_half, paths = LabelSetCounts(taxonomy), LabelSetCounts(taxonomy)
    step = case["n"] // 3
    for start in range(0, case["n"], step):
        rows = slice(start, start + step)
        part = truth[rows] if isinstance(truth, np.ndarray) else truth.take(np.arange(case["n"])[rows])
        at_half.add(part, p[rows])
        best = hv.infer(taxonomy, p[rows], "top_down")
        paths.add_lists(part, NodeLists(np.arange(len(best) + 1), best), is_hard=True)
    bins = [int(k) for k in case["expect"]["threshold_0.5"].get("macro_f1_by_train_count", ())]
    per_sample, summary = at_half.per_sample(), at_half.summary()
    expect = {
        "threshold_0.5": threshold_block(at_half, train_count, bins),
        "top_down": threshold_block(paths, train_count, bins),
        "curves": {
            **{key: summary[key] for key in ("hf1_auc", "hf1_auc_raw", "ihf1_auc")},
            "hf1_auc_first_5": per_sample["hf1_auc"][:5].tolist(),
            "ihf1_auc_first_5": per_sample["ihf1_auc"][:5].tolist(),
        },
        "operating_points": points_list(
            set_metrics_by_threshold(taxonomy, truth, p, [one["tau"] for one in case["expect"]["operating_points"]])
        ),
    }
    assert same(expect, case["expect"], case["name"]) > 150

    # The same sets as lists give the same numbers, but for the areas.
    as_lists = LabelSetCounts(taxonomy)
    as_lists.add_lists(truth, threshold_set(taxonomy, p, 0.5))
    found = as_lists.summary()
    for key in ("hf1_auc", "ihf1_auc", "hf1_auc_raw"):
        assert found.pop(key) is None
        summary.pop(key)
    assert same(found, summary) >= 19
