"""Every parametrisation, Pareto set, curve and built rule against `golden/operating_curves.json`."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves.envelopes import best_at_correct
from hierviz.metrics.path import PARTS, path_metrics, truncate
from hierviz.metrics.registry import METRICS, path_keys

KEYS = {
    "flat_softmax": "flat_softmax",
    "multilabel_sigmoid": "multilabel_sigmoid",
    "cond_softmax": "conditional_softmax",
    "cond_sigmoid": "conditional_sigmoid",
    "deep_rtc": "deep_rtc",
    "ps_softmax": "ps_softmax",
    "all_softmax": "softmax_all_nodes",
}
RULES = {
    "leaf": ("leaf", {}),
    "majority": ("majority", {}),
    "threshold_0.2": ("threshold", {"threshold": 0.2}),
    "threshold_0.8": ("threshold", {"threshold": 0.8}),
    "threshold_0.95": ("threshold", {"threshold": 0.95}),
}


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def wsum(a):
    i, j = np.arange(a.shape[0])[:, None], np.arange(a.shape[1])[None, :]
    return float((((31 * i + 17 * j) % 101) / 101.0 * a).sum())


@pytest.fixture(scope="module")
def imagenet(hierarchy):
    return hierarchy("imagenet_fiveai")


def check_tree(taxonomy, tree):
    assert (taxonomy.n_nodes, taxonomy.n_leaves) == (tree["nodes"], tree["leaves"])
    assert int((taxonomy.children.lengths == 1).sum()) == tree["single_child_nodes"]
    assert (taxonomy.max_depth, int(taxonomy.depth.sum())) == (tree["max_depth"], tree["sum_depth"])
    assert len(np.unique(taxonomy.n_leaves_below)) == tree["info_levels"]
    close(taxonomy.information.sum(), tree["sum_info_bits"])


def check_curve(curve, expected):
    """Against a digest: counts, quantiles of thresholds and of every mean."""
    assert (len(curve.threshold), curve.n_points) == (expected["num_thresholds"], expected["num_points"])
    close(
        [curve.threshold[0], curve.threshold[-1], curve.threshold.sum()],
        [expected[k] for k in ("S_first", "S_last", "sum_S")],
    )
    place = np.array(expected["quantile_index"])
    close(curve.threshold[place[1:] - 1], expected["quantile_S"][1:])
    for key, values in expected["quantile_Z"].items():
        close(curve.values[key][place], values)


def check_summary(curve, expected):
    """Every integral and look-up of the golden, with the named ones through `summary`."""
    ours = curve.summary()
    close(
        [
            ours[k]
            for k in ("ap", "ac", "ac_exact", "depth_ap", "depth_ac", "recall_at_90_correct", "recall_at_95_correct")
        ],
        [
            expected[k]
            for k in ("AP_info", "AC_info", "AC_exact", "AP_depth", "AC_depth", "info_recall@90C", "info_recall@95C")
        ],
    )
    for key, value in expected.items():
        if "@" in key:
            what, level = key.rstrip("C").split("@")
            close(best_at_correct(curve.values[what], curve.values["correct"], int(level) / 100), value)


def check_rules(taxonomy, p, rules, truths):
    for name, (rule, keywords) in RULES.items():
        predicted = hv.infer(taxonomy, p, rule, **keywords)
        np.testing.assert_array_equal(predicted, rules[name]["pred"])
        for what, truth in truths.items():
            metrics = path_metrics(taxonomy, truth, predicted)
            for key, value in rules[name][f"mean_{what}"].items():
                close(metrics[key].mean(), value)


def test_tiny_tree_tables(tiny, curves_golden):
    expected = curves_golden["tiny"]
    check_tree(tiny, expected["tree"])
    np.testing.assert_array_equal(tiny.depth, expected["tree"]["depths"])
    np.testing.assert_array_equal(tiny.n_leaves_below, expected["tree"]["num_leaf_descendants"])
    close(tiny.information, expected["tree"]["info_bits"])
    truth, predicted = (index.ravel() for index in np.indices((11, 11)))
    np.testing.assert_array_equal(tiny.lca(truth, predicted), np.ravel(expected["lca"]))
    np.testing.assert_array_equal(truncate(tiny, truth, predicted), np.ravel(expected["prediction_after_truncation"]))
    raw, cut = (path_metrics(tiny, truth, predicted, truncated=cut) for cut in (False, True))
    # The other code has all metrics of its paper; metrics of other sources are not in it.
    of_the_paper = {key for key in path_keys() if METRICS[key].source.startswith("Valmadre")}
    assert set(expected["metric_tables"]) == {*of_the_paper, *PARTS}
    for key, tables in expected["metric_tables"].items():
        close(raw[key], np.ravel(tables["raw"]))
        close(cut[key], np.ravel(tables["truncated"]))


def test_tiny_hand_made_rows(tiny, curves_golden):
    hand = curves_golden["tiny"]["hand"]
    p, truth = np.array(hand["prob"]), np.array(hand["gt"])
    table = hv.pareto_table(tiny, p)
    assert [list(table.nodes[a:b]) for a, b in zip(table.offsets, table.offsets[1:])] == hand["pareto"]
    assert [list(table.scores[a:b]) for a, b in zip(table.offsets, table.offsets[1:])] == hand["scores"]
    for minimum, sets in hand["pareto_min_threshold"].items():
        cut = hv.pareto_table(tiny, p, min_threshold=float(minimum))
        assert [list(cut.nodes[a:b]) for a, b in zip(cut.offsets, cut.offsets[1:])] == sets
    curve = hv.operating_curve(tiny, truth, table)
    close(curve.threshold, hand["curve"]["S"])
    for key, values in hand["curve"]["Z"].items():
        close(curve.values[key], values)
    for key, values in hand["at_tau"].items():
        if key != "tau":
            close(curve.at(hand["at_tau"]["tau"])[key], values)
    check_summary(curve, hand["summary"]["full_curve"])
    check_summary(curve.sampled(np.arange(1000, -1, -1) / 1000), hand["summary"]["grid_1001"])
    check_rules(tiny, p, hand["rules"], {"gt": truth})


@pytest.mark.parametrize("name", KEYS)
def test_tiny_parametrisations(tiny, curves_golden, name):
    theta = curves_golden["tiny"]["theta"]
    expected = theta["parametrisations"][name]
    p = hv.node_probabilities(tiny, np.array(expected["theta"]), KEYS[name])
    close(p, expected["q"])
    table = hv.pareto_table(tiny, p)
    sets = [list(table.nodes[a:b]) for a, b in zip(table.offsets, table.offsets[1:])]
    assert sets == expected["pareto"]
    for labels, key in (("leaf", "gt_leaf"), ("mixed", "gt_mixed")):
        curve = hv.operating_curve(tiny, np.array(theta[key]), table)
        close(curve.threshold, expected[f"curve_{labels}"]["S"])
        for metric, values in expected[f"curve_{labels}"]["Z"].items():
            close(curve.values[metric], values)
        check_summary(curve, expected[f"summary_{labels}"]["full_curve"])
        check_summary(curve.sampled(np.arange(1000, -1, -1) / 1000), expected[f"summary_{labels}"]["grid_1001"])
    truths = {"leaf": np.array(theta["gt_leaf"]), "mixed": np.array(theta["gt_mixed"])}
    check_rules(tiny, p, expected["rules"], truths)


@pytest.fixture(scope="module")
def imagenet_inputs(recipe, imagenet, curves_golden):
    case = curves_golden["imagenet_fiveai"]
    check_tree(imagenet, case["tree"])
    inputs = recipe["inputs"](imagenet.parent, case["seed"], case["N"], case["s"], case["m"], case["frac"])
    assert inputs["gt_leaf"].tolist() == case["inputs"]["gt_leaf"]
    assert inputs["gt_mixed"].tolist() == case["inputs"]["gt_mixed"]
    return inputs


@pytest.mark.parametrize("name", KEYS)
def test_imagenet_fiveai(imagenet, imagenet_inputs, curves_golden, name):
    expected = curves_golden["imagenet_fiveai"]["parametrisations"][name]
    theta = imagenet_inputs["theta"][name]
    close(wsum(theta), expected["theta"]["wsum"])
    p = hv.node_probabilities(imagenet, theta, KEYS[name])
    q = expected["q"]
    close([p.sum(), (p**2).sum(), wsum(p), p.min()], [q[k] for k in ("sum", "sumsq", "wsum", "min")])
    close(p[0, q["cols"]], q["row0"])
    close(p[-1, q["cols"]], q["row_last"])
    table = hv.pareto_table(imagenet, p)
    pareto = expected["pareto"]
    assert np.diff(table.offsets).tolist() == pareto["lengths"]
    assert int((table.nodes[table.offsets[:-1]] != 0).sum()) == pareto["not_starting_at_root"]
    for i, (nodes, scores) in enumerate(zip(pareto["first3"], pareto["first3_scores"])):
        assert table.nodes[table.offsets[i] : table.offsets[i + 1]].tolist() == nodes
        close(table.scores[table.offsets[i] : table.offsets[i + 1]], scores)
    truths = {"leaf": imagenet_inputs["gt_leaf"], "mixed": imagenet_inputs["gt_mixed"]}
    for labels, truth in truths.items():
        curve = hv.operating_curve(imagenet, truth, table)
        check_curve(curve, expected[f"curve_{labels}"])
        check_summary(curve, expected[f"summary_{labels}"]["full_curve"])
        check_summary(curve.sampled(np.arange(1000, -1, -1) / 1000), expected[f"summary_{labels}"]["grid_1001"])
        close(curve.summary()["majority_f1"], expected["rules"]["majority"][f"mean_{labels}"]["info_f1"])
        close(curve.summary()["leaf_f1"], expected["rules"]["leaf"][f"mean_{labels}"]["info_f1"])
    half = hv.pareto_table(imagenet, p, min_threshold=0.5)
    assert len(half.nodes) == pareto["total_min_threshold_half"]
    cut = hv.operating_curve(imagenet, truths["leaf"], half)
    assert cut.n_points == expected["curve_leaf_min_threshold_half"]["num_points"]
    check_summary(cut, expected["curve_leaf_min_threshold_half"]["summary"])
    check_rules(imagenet, p, expected["rules"], truths)


def test_ties(recipe, hierarchy, curves_golden):
    case = curves_golden["ties"]
    taxonomy = hierarchy("tiny_imagenet_fiveai")
    check_tree(taxonomy, case["tree"])
    made = recipe["tie_case"](taxonomy.parent, case["seed"], case["N"])
    assert made["gt"].tolist() == case["gt"]
    table = hv.pareto_table(taxonomy, made["p"])
    assert [table.nodes[a:b].tolist() for a, b in zip(table.offsets, table.offsets[1:])] == case["pareto"]
    assert int((table.nodes[table.offsets[:-1]] != 0).sum()) == case["num_sets_not_starting_at_root"]
    curve = hv.operating_curve(taxonomy, made["gt"], table)
    close(curve.threshold, case["curve"]["S"])
    for key, values in case["curve"]["Z"].items():
        close(curve.values[key], values)
    check_summary(curve, case["summary"]["full_curve"])
    check_summary(curve.sampled(np.arange(1000, -1, -1) / 1000), case["summary"]["grid_1001"])
    check_rules(taxonomy, made["p"], case["rules"], {"gt": made["gt"]})
    above_zero = hv.pareto_table(taxonomy, made["p"], min_threshold=0)
    assert np.diff(above_zero.offsets).tolist() == case["pareto_min_threshold_0"]


def test_repeats(recipe, imagenet, curves_golden):
    case = curves_golden["repeats"]
    rows = []
    for seed in case["seeds"]:
        inputs = recipe["inputs"](imagenet.parent, seed, case["N"], case["s"], case["m"])
        p = hv.node_probabilities(imagenet, inputs["theta"]["flat_softmax"], "flat_softmax")
        curve = hv.operating_curve(imagenet, inputs["gt_leaf"], hv.pareto_table(imagenet, p))
        summary = curve.sampled(np.arange(1000, -1, -1) / 1000).summary()
        rows.append(
            [summary[k] for k in ("ap", "ac", "recall_at_90_correct", "recall_at_95_correct", "majority_f1", "leaf_f1")]
        )
    close(rows, case["rows"])
    close(np.mean(rows, axis=0), case["mean"])
    assert set(path_keys()) >= set(case["band"]) - {"tau"}
