"""Real files: HWV (Plaud et al.) with coherent and incoherent scores, GermEval 2019 with label lists."""

import csv
import gzip
import json

import naive_sets
import numpy as np
import pytest
from compare import level_accuracy, points_list, same, threshold_block
from sample_curves import curve_areas

import hierviz as hv
from hierviz.inference.rules import threshold_set
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import above, closed_lists, highest_below
from hierviz.metrics.sets.set_curves import SetMetricsByThreshold
from hierviz.taxonomy.taxonomy import NodeLists

# What the expected files hold beside this block: the win is tested elsewhere, the rest says what the file is.
TEXTS = {"format", "doc", "model", "prediction_file", "prediction_kind", "tolerance", "key_notes"}
ELSEWHERE = {"win"}
# Their evaluation with a bug.
NOT_OURS = {"clipped_with_root_key_minus_1_micro"}


def table(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def hwv(shared_data):
    folder = shared_data / "hwv"
    taxonomy = hv.Taxonomy.from_edges((row["parent"], row["child"]) for row in table(folder / "taxonomy.csv"))
    truth = taxonomy.nodes(*(row["leaf"] for row in table(folder / "test.csv")))
    flat, bce = (np.load(folder / f"{name}.npz") for name in ("pred_flat", "pred_bce_nodes"))
    nodes = {row["node"]: row for row in table(folder / "nodes.csv")}
    counts = np.array([0] + [int(nodes[name]["train_count"]) for name in taxonomy.names[1:]])
    p = {
        "expected.json": hv.node_probabilities(
            taxonomy, flat["prob"], "leaf_probabilities", taxonomy.nodes(*flat["leaf"])
        ),
        "expected_bce.json": hv.node_probabilities(
            taxonomy, bce["score"], "node_probabilities", taxonomy.nodes(*bce["node"])
        ),
    }
    expected = {name: json.loads((folder / name).read_text()) for name in p}
    return taxonomy, truth, counts, p, expected, folder


def paths(taxonomy, p, truth, rule):
    best = hv.infer(taxonomy, p, rule)
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(truth, NodeLists(np.arange(len(best) + 1), best), is_hard=True)
    return counts


@pytest.mark.parametrize("name", ["expected.json", "expected_bce.json"])
def test_hwv(hwv, name):
    taxonomy, truth, train_count, all_p, all_expected, _ = hwv
    p, golden = all_p[name], all_expected[name]
    counts = LabelSetCounts(taxonomy)
    points = SetMetricsByThreshold(taxonomy, [one["tau"] for one in golden["operating_points"]])
    for start in range(0, len(p), 700):
        counts.add(truth[start : start + 700], p[start : start + 700])
        points.add(truth[start : start + 700], p[start : start + 700])
    top_down = paths(taxonomy, p, truth, "top_down")
    walked = np.zeros(p.shape, dtype=bool)
    best = closed_lists(taxonomy, hv.infer(taxonomy, p, "top_down"))
    walked[np.repeat(np.arange(len(best)), best.lengths), best.nodes] = True
    clipped = LabelSetCounts(taxonomy)
    clipped.add(truth, naive_sets.lowest_above(taxonomy, p))
    summary = counts.summary()

    def evaluate_fast(found, inside):
        levels = {f"acc level {k}": value for k, value in enumerate(level_accuracy(taxonomy, truth, inside))}
        return {"micro_f1": found.summary()["micro_f1"], "macro_f1": found.summary()["macro_f1"], **levels}

    bins = (4, 10)
    ours = {
        "n_samples": counts.n_samples,
        "n_nodes": taxonomy.n_nodes - 1,
        "n_leaves": taxonomy.n_leaves,
        "threshold_0.5": threshold_block(counts, train_count, bins),
        "top_down": threshold_block(top_down, train_count, bins),
        "argmax_leaf": threshold_block(paths(taxonomy, p, truth, "leaf"), train_count, bins),
        "curves": summary,
        "operating_points": points_list(points.table()),
        "authors_code": {
            "compute_curve_hf1": summary["hf1_auc_raw"],
            "hamming_loss": summary["hamming_loss"],
            "f1_micro": summary["micro_f1"],
            "f1_macro": summary["macro_f1"],
            "evaluate_fast_threshold": evaluate_fast(counts, above(p, 0.5)),
            "evaluate_fast_top_down_max": evaluate_fast(top_down, walked),
            "clipped_micro": clipped.summary()["micro_f1"],
            "clipped_macro": clipped.summary()["macro_f1"],
            # From the root down to the first node below the threshold: pruning, as no score is exactly 0.5.
            "evaluate_top_down_threshold_micro_standard": {
                "precision": clipped.summary()["micro_precision"],
                "recall": clipped.summary()["micro_recall"],
                "f1_score": clipped.summary()["micro_f1"],
            },
        },
    }
    golden = {key: value for key, value in golden.items() if key not in TEXTS | ELSEWHERE}
    golden["authors_code"] = {key: value for key, value in golden["authors_code"].items() if key not in NOT_OURS}
    assert same(ours, golden, name) > 300
    assert summary["c_f1_micro"] == pytest.approx(clipped.summary()["micro_f1"], abs=1e-12)


def test_hwv_per_sample(hwv):
    taxonomy, truth, _, p, _, folder = hwv
    counts = LabelSetCounts(taxonomy)
    counts.add(truth, p["expected.json"])
    found = counts.per_sample()
    rows = table(folder / "per_sample_flat.csv")
    assert len(rows) == len(truth)
    for column, key in (
        ("hf1_0.5", "hf1_samples"),
        ("ihf1_0.5", "ihf1_samples"),
        ("n_predicted_0.5", "n_predicted"),
        ("hf1_auc", "hf1_auc"),
        ("ihf1_auc", "ihf1_auc"),
    ):
        # The file has 12 digits.
        np.testing.assert_allclose(found[key], [float(row[column]) for row in rows], rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found["hf1_auc"], found["hf1_auc_raw"])


@pytest.mark.long
def test_hwv_incoherent(hwv):
    """Thresholds commute with augmenting and pruning on real scores; the block's areas do not depend on the blocks."""
    taxonomy, truth, _, p, _, _ = hwv
    p = p["expected_bce.json"]
    for threshold in (0.1, 0.5, 0.9):
        counts, closed, pruned = (LabelSetCounts(taxonomy, threshold) for _ in range(3))
        counts.add(truth, p)
        closed.add(truth, highest_below(taxonomy, p))
        pruned.add(truth, naive_sets.lowest_above(taxonomy, p))
        assert counts.summary()["hf1_micro"] == closed.summary()["micro_f1"] == closed.summary()["hf1_micro"]
        assert counts.summary()["c_f1_micro"] == pruned.summary()["micro_f1"]
        assert counts.summary()["n_incoherent"] > 0 == closed.summary()["n_incoherent"]
    alone = curve_areas(taxonomy, truth[17:18], p[17:18])
    for key, values in curve_areas(taxonomy, truth, p).items():
        assert values[17] == pytest.approx(alone[key][0], abs=1e-12)


def germeval_lists(taxonomy, path, ids=None, keep_empty=False):
    rows = {row["sample_id"]: row["labels"] for row in table(path)}
    ids = list(rows) if ids is None else ids
    lists = []
    for one in ids:
        fields = rows[one].split(";") if one in rows else []
        lists.append([taxonomy.node(field) if field else -1 for field in fields if field or keep_empty])
    return ids, NodeLists.from_lists(lists)


GERMEVAL = [
    (task, submission)
    for task in ("1a", "1b")
    for submission in (
        "EricssonResearch__fconv_A6C1Y",
        "Comtravo-DS__local_clf_logit_cnn",
        "DFKI-SLT__full",
        "LT-UHH__baseline",
    )
]


@pytest.mark.parametrize(("task", "submission"), GERMEVAL)
def test_germeval(shared_data, task, submission):
    folder = shared_data / "germeval2019"
    expected = json.loads((folder / "expected.json").read_text())
    golden = expected["tasks"][task][submission]
    taxonomy = hv.Taxonomy.from_edges(
        [
            ("root", child) if parent == "root" else (parent, child)
            for parent, child in ((row["parent"], row["child"]) for row in table(folder / f"taxonomy_{task}.csv"))
        ]
    )
    ids, truth = germeval_lists(taxonomy, folder / f"truth_{task}.csv.gz")
    _, predicted = germeval_lists(taxonomy, folder / golden["predictions"], ids)
    counts = LabelSetCounts(taxonomy)
    half = np.arange(2000)
    counts.add_lists(truth.take(half), predicted.take(half))
    rest = np.arange(2000, len(ids))
    counts.add_lists(truth.take(rest), predicted.take(rest))
    summary, short_of = counts.summary(), {"precision": "p", "recall": "r", "f1": "f1"}
    ours = {
        "flat_micro": {
            "precision": summary["micro_precision"],
            "recall": summary["micro_recall"],
            "f1": summary["micro_f1"],
            "subset_accuracy": summary["subset_accuracy"],
        },
        "set_based_ancestor_closed": {key: summary[f"h{short}_micro"] for key, short in short_of.items()},
    }
    assert same(ours, {key: golden[key] for key in ours}, submission) == 7
    assert counts.n_samples == expected["n_samples"]
    assert summary["n_empty"] == int((predicted.lengths == 0).sum())
    n_orphans = int((counts.n_predicted - counts.n_valid).sum())
    if not golden["n_labels_whose_parent_is_not_predicted"]:
        assert n_orphans == summary["n_incoherent"] == 0
        assert summary["c_f1_micro"] == summary["c_f1_micro_strict"] == summary["micro_f1"]
    else:
        assert n_orphans >= golden["n_labels_whose_parent_is_not_predicted"]
    if task == "1a":
        # One level: a kept empty field is one false positive, as in the scripts of Riehl et al.
        _, kept = germeval_lists(taxonomy, folder / golden["predictions"], ids, keep_empty=True)
        with_empty = LabelSetCounts(taxonomy)
        with_empty.add_lists(truth, kept)
        paper, found = golden["paper"], with_empty.summary()
        assert with_empty.n_hit.sum() == paper["TP"]
        n_predicted = with_empty.per_sample()["n_predicted"].sum()
        assert n_predicted - with_empty.n_predicted.sum() == (kept.nodes < 0).sum()
        assert n_predicted - with_empty.n_hit.sum() == paper["FP"]
        assert with_empty.n_true.sum() - with_empty.n_hit.sum() == paper["FN"]
        assert found["micro_precision"] == pytest.approx(paper["PPV"], abs=1e-12)
        assert found["micro_recall"] == pytest.approx(paper["TPR"], abs=1e-12)
        assert found["micro_f1"] == pytest.approx(paper["F1"], abs=1e-12)
        assert found["hf1_micro"] == pytest.approx(paper["F1"], abs=1e-12)
        assert found["n_empty"] == int((kept.lengths == 0).sum())


def test_threshold_set_is_the_rule(hwv):
    taxonomy, truth, _, p, _, _ = hwv
    p = p["expected_bce.json"][:300]
    found = threshold_set(taxonomy, p, 0.5)
    assert found[5].tolist() == [i for i in range(1, taxonomy.n_nodes) if p[5, i] > 0.5]
    by_scores, by_lists = LabelSetCounts(taxonomy), LabelSetCounts(taxonomy)
    by_scores.add(truth[:300], p)
    by_lists.add_lists(truth[:300], found)
    for name in ("n_true", "n_predicted", "n_hit", "n_valid", "n_valid_hit"):
        np.testing.assert_array_equal(getattr(by_scores, name), getattr(by_lists, name))
