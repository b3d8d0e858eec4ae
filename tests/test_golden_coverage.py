"""Every number of every golden file is claimed by a test that exists, and by name; what no other test compares is here.

`CLAIMS` is kept by hand: a place in a golden file -> the tests that compare it. A place is the way of keys to a value,
joined by "/"; the number of a list's entry is "#". In a claim ``*`` stands for one key and a last ``**`` for the rest,
used only where the claimed tests loop over all keys that are there.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves.envelopes import envelope, envelope_integral
from hierviz.metrics.confusion.multi_path import confusion_paths
from hierviz.metrics.confusion.path_lists import PathLists
from hierviz.metrics.path import path_metrics, truncate
from hierviz.metrics.registry import path_keys
from hierviz.metrics.win import best_leaf_metrics

TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"
HERE = "test_golden_coverage.py"

CURVES_FILE, RULES = "curves/test_golden_curves.py", "inference/test_rules_golden.py"
TINY_HAND, TINY_THETA = f"{CURVES_FILE}::test_tiny_hand_made_rows", f"{CURVES_FILE}::test_tiny_parametrisations"
IMAGENET, TIES, REPEATS = (f"{CURVES_FILE}::test_{name}" for name in ("imagenet_fiveai", "ties", "repeats"))
LOSSES = "losses/test_losses_golden.py"
TEXT = "metrics/sets/test_golden_text_metrics.py"
WIN = "metrics/test_golden_win.py"
FIGURE_4 = "metrics/confusion/test_published_confusion.py"

THETA, PUBLIC = "tiny/theta/parametrisations/*", "imagenet_fiveai/parametrisations/*"
CLAIMS = {
    "published_tables.json": {
        "riehl_iii/* constants/*": ["cli/test_cli_table.py::test_riehl_iii"],
        "riehl_iv/* task_1b/*": ["cli/test_cli_table.py::test_germeval"],
    },
    "operating_curves.json": {
        "tiny/tree/names tiny/tree/parents": [f"{CURVES_FILE}::test_tiny_tree_tables"],
        "tiny/tree/depths tiny/tree/num_leaf_descendants tiny/tree/info_bits": [
            f"{CURVES_FILE}::test_tiny_tree_tables"
        ],
        "*/tree/nodes */tree/leaves */tree/single_child_nodes */tree/max_depth */tree/sum_depth */tree/info_levels "
        "*/tree/sum_info_bits": [f"{CURVES_FILE}::test_tiny_tree_tables", IMAGENET, TIES],
        "*/tree/internal */tree/sum_leaf_depth */tree/wsum_parents tiny/tree/leaf_to_node tiny/tree/is_leaf "
        "tiny/tree/num_children tiny/tree/cond_softmax_column_to_node */tree/leaf_to_node/first "
        "*/tree/leaf_to_node/last */tree/leaf_to_node/wsum */tree/cond_softmax_column_to_node/first "
        "*/tree/cond_softmax_column_to_node/wsum": [f"{HERE}::test_tree_tables"],
        "tiny/lca tiny/prediction_after_truncation tiny/metric_tables/*/raw tiny/metric_tables/*/truncated": [
            f"{CURVES_FILE}::test_tiny_tree_tables"
        ],
        "tiny/hand/prob tiny/hand/gt tiny/hand/pareto tiny/hand/scores tiny/hand/pareto_min_threshold/* "
        "tiny/hand/curve/S tiny/hand/curve/Z/* tiny/hand/at_tau/* tiny/hand/summary/full_curve/* "
        "tiny/hand/summary/grid_1001/*": [TINY_HAND],
        "tiny/hand/truncated tiny/hand/metric_values/* tiny/hand/totals/* "
        "tiny/hand/interpolated_precision/recall_sorted tiny/hand/interpolated_precision/precision_envelope": [
            f"{HERE}::test_tiny_hand_made_steps"
        ],
        "tiny/hand/plurality_threshold tiny/hand/exclusive_probability": [
            f"{RULES}::test_tables_of_the_hand_made_rows"
        ],
        "tiny/hand/information_threshold_curve/S tiny/hand/information_threshold_curve/Z/*": [
            f"{RULES}::test_information_threshold_curve"
        ],
        f"tiny/hand/rules/*/pred tiny/hand/rules/*/mean_gt/* {THETA}/rules/*/pred {THETA}/rules/*/mean_leaf/* "
        f"{THETA}/rules/*/mean_mixed/*": [f"{RULES}::test_tiny_blocks"],
        "tiny/theta/gt_leaf tiny/theta/gt_mixed": [TINY_THETA, f"{HERE}::test_tiny_inputs"],
        "tiny/theta/seed tiny/theta/N tiny/theta/s tiny/theta/m tiny/theta/frac tiny/theta/k tiny/theta/u tiny/theta/v "
        "tiny/theta/w tiny/theta/Z tiny/theta/X tiny/theta/Y tiny/theta/T": [f"{HERE}::test_tiny_inputs"],
        f"{THETA}/theta": [TINY_THETA, f"{HERE}::test_tiny_inputs"],
        f"{THETA}/q {THETA}/pareto {THETA}/curve_leaf/S {THETA}/curve_leaf/Z/* {THETA}/curve_mixed/S "
        f"{THETA}/curve_mixed/Z/* {THETA}/summary_leaf/*/* {THETA}/summary_mixed/*/*": [TINY_THETA],
        "tiny/theta/parametrisations/deep_rtc/q_temperature_1": [f"{HERE}::test_deep_rtc_without_a_temperature"],
        "tiny/theta/losses/*/mean tiny/theta/losses/*/each tiny/theta/deep_rtc_fixed_drops": [f"{LOSSES}::test_tiny"],
        "tiny/theta/deep_rtc_cut_patterns/#/*": [
            f"{LOSSES}::test_deep_rtc_cut_pattern",
            f"{LOSSES}::test_deep_rtc_patterns_are_all",
        ],
        "tiny/theta/deep_rtc_expected_loss/*/*": [f"{LOSSES}::test_deep_rtc_expectation"],
        "imagenet_fiveai/hierarchy imagenet_fiveai/seed imagenet_fiveai/N imagenet_fiveai/s imagenet_fiveai/m "
        "imagenet_fiveai/frac imagenet_fiveai/inputs/gt_leaf imagenet_fiveai/inputs/gt_mixed "
        f"{PUBLIC}/theta/wsum": [IMAGENET],
        "imagenet_fiveai/inputs/k imagenet_fiveai/inputs/num_non_leaf_gt imagenet_fiveai/inputs/Z_first_row_first5 "
        "imagenet_fiveai/inputs/Z_last3 imagenet_fiveai/inputs/Z_sum imagenet_fiveai/inputs/Z_sha256_le_f8 "
        "imagenet_fiveai/inputs/X_wsum imagenet_fiveai/inputs/T_wsum": [f"{HERE}::test_imagenet_inputs"],
        f"{PUBLIC}/theta/shape {PUBLIC}/theta/sum {PUBLIC}/theta/first5": [f"{HERE}::test_imagenet_inputs"],
        f"{PUBLIC}/q/sum {PUBLIC}/q/sumsq {PUBLIC}/q/wsum {PUBLIC}/q/min {PUBLIC}/q/cols {PUBLIC}/q/row0 "
        f"{PUBLIC}/q/row_last {PUBLIC}/pareto/lengths {PUBLIC}/pareto/not_starting_at_root {PUBLIC}/pareto/first3 "
        f"{PUBLIC}/pareto/first3_scores {PUBLIC}/pareto/total_min_threshold_half": [IMAGENET],
        f"{PUBLIC}/q/sum_at_gt_leaf {PUBLIC}/pareto/total {PUBLIC}/pareto/node_wsum "
        f"{PUBLIC}/curve_leaf/at_tau/* {PUBLIC}/curve_mixed/at_tau/*": [f"{HERE}::test_imagenet_at_thresholds"],
        "imagenet_fiveai/parametrisations/deep_rtc/q_temperature_1/*": [f"{HERE}::test_deep_rtc_without_a_temperature"],
        " ".join(
            f"{PUBLIC}/{curve}/{key}"
            for curve in ("curve_leaf", "curve_mixed")
            for key in ("num_thresholds", "num_points", "S_first", "S_last", "sum_S", "quantile_index", "quantile_S")
            + ("quantile_Z/*",)
        ): [IMAGENET],
        f"{PUBLIC}/summary_leaf/*/* {PUBLIC}/summary_mixed/*/* "
        f"{PUBLIC}/curve_leaf_min_threshold_half/num_points {PUBLIC}/curve_leaf_min_threshold_half/summary/*": [
            IMAGENET
        ],
        f"{PUBLIC}/rules/*/pred {PUBLIC}/rules/*/mean_leaf/* {PUBLIC}/rules/*/mean_mixed/* "
        "ties/rules/*/pred ties/rules/*/mean_gt/*": [f"{RULES}::test_real_blocks"],
        "imagenet_fiveai/losses/*/mean imagenet_fiveai/losses/*/first5 imagenet_fiveai/losses/*/sum_weighted": [
            f"{LOSSES}::test_imagenet_fiveai"
        ],
        "ties/hierarchy ties/seed ties/N ties/gt ties/pareto ties/num_sets_not_starting_at_root ties/curve/S "
        "ties/curve/Z/* ties/summary/full_curve/* ties/summary/grid_1001/* ties/pareto_min_threshold_0": [TIES],
        "ties/totals ties/scores_times_total ties/num_sets_ending_at_zero": [f"{HERE}::test_ties_in_whole_numbers"],
        "repeats/hierarchy repeats/parametrisation repeats/seeds repeats/N repeats/s repeats/m repeats/columns "
        "repeats/rows repeats/mean": [REPEATS, f"{HERE}::test_repeats_spread"],
        "repeats/std_ddof1 repeats/err_1_96_std repeats/band/tau repeats/band/*/mean repeats/band/*/std_ddof1": [
            f"{HERE}::test_repeats_spread"
        ],
    },
    "win.json": {
        "trees/*/edges trees/*/leaves": [f"{WIN}::test_case", f"{WIN}::test_batch"],
        "trees/*/root trees/*/nodes_preorder": [f"{HERE}::test_win_trees"],
        "cases/#/tree cases/#/truth cases/#/p/* cases/#/expect/node_p/* cases/#/expect/win cases/#/expect/win_rescaled "
        "cases/#/expect/neg_log_win cases/#/expect/cross_entropy cases/#/expect/best_leaf cases/#/expect/argmax_leaf "
        "cases/#/expect/one_hot_win cases/#/expect/one_hot_win_rescaled cases/#/expect/gradient "
        "cases/#/expect/gradient_rescaled": [f"{WIN}::test_case"],
        "batches/#/tree batches/#/seed batches/#/acc batches/#/boost batches/#/zero batches/#/power "
        "batches/#/check/first_row batches/#/check/truth_index_first_10 "
        + " ".join(
            f"batches/#/expect/{key}"
            for key in ("softmax_win", "softmax_win_raw", "neg_log_win", "neg_log_win_infinite", "cross_entropy")
            + ("cross_entropy_infinite", "one_hot_win", "coarsest_accuracy")
            + ("parents_accuracy", "finest_accuracy", "argmax_leaf_accuracy", "aggregate_precision")
            + ("aggregate_recall", "aggregate_f1")
        ): [f"{WIN}::test_batch"],
        "batches/#/first_samples/#/best_leaf batches/#/first_samples/#/win batches/#/first_samples/#/win_rescaled": [
            f"{WIN}::test_batch"
        ],
        "batches/#/n batches/#/check/sum_of_squares batches/#/expect/n batches/#/expect/top_down_differs_from_argmax "
        "batches/#/first_samples/#/truth": [f"{HERE}::test_win_batches"],
        "two_level_identity/published_rows/#/table two_level_identity/published_rows/#/coarsest "
        "two_level_identity/published_rows/#/finest two_level_identity/published_rows/#/one_hot_win "
        "two_level_identity/published_rows/#/aggregate_f1 two_level_identity/published_rows/#/half_sum": [
            f"{HERE}::test_win_published_rows"
        ],
    },
    # `same` of tests/metrics/sets/compare.py fails on a key of the golden that nothing of ours answers to.
    "text_metrics.json": {
        "trees/*/root trees/*/edges trees/*/nodes_preorder trees/*/leaves": [f"{TEXT}::test_every_block_is_tested"],
        "figures/**": [f"{TEXT}::test_figure"],
        "information/**": [f"{TEXT}::test_information"],
        "set_cases/**": [f"{TEXT}::test_set"],
        "curve_cases/**": [f"{TEXT}::test_curve"],
        "softmax_family/#/tree softmax_family/#/seed softmax_family/#/scores/* softmax_family/#/truth_leaf "
        "softmax_family/#/leaf_train_counts/* softmax_family/#/expect/**": [
            f"{TEXT}::test_softmax_family_probabilities",
            f"{LOSSES}::test_softmax_family",
        ],
        "batches/**": [f"{TEXT}::test_batch"],
    },
    "hcm_figure4.json": {
        "panels/#/all_true_paths/*": [f"{HERE}::test_figure_4_true_paths"],
        "panels/#/edges panels/#/true_labels panels/#/examples/#/predicted_paths panels/#/examples/#/expected/* "
        "panels/#/examples/#/pairs/#/*": [f"{FIGURE_4}::test_figure_4"],
        "edge_cases/cases/#/edges edge_cases/cases/#/true_labels edge_cases/cases/#/predicted_paths "
        "edge_cases/cases/#/reference/*": [f"{FIGURE_4}::test_edge_case"],
    },
    "best_leaves.json": {
        "p hops_5 hops_20 lca_information_1 lca_information_5": [
            "metrics/test_best_leaves.py::test_hops_and_lca_distance_of_the_authors_code"
        ],
    },
    "conformal.json": {
        "cases/#/seed cases/#/n cases/#/power cases/#/decimals cases/#/first cases/#/q/*/*": [
            "uncertainty/test_conformal.py::test_q_is_that_of_crepes_and_mapie"
        ],
    },
    "icm.json": {"cases/*/icm cases/*/icm_norm": ["metrics/sets/test_icm.py::test_as_pyevall"]},
    "lca.json": {
        "cases/*/#/edges cases/*/#/truth cases/*/#/predicted cases/*/#/max_distance "
        "cases/*/#/lca_precision cases/*/#/lca_recall cases/*/#/lca_f1": [
            "metrics/sets/test_lca_sets.py::test_as_the_authors_program"
        ],
    },
    "levels.json": {
        "percent/* accuracy_by_depth/*": ["metrics/test_level_answers.py::test_as_the_authors_code"],
    },
    "selective_classification.json": {
        "cases/#/leaf_probabilities cases/#/truth cases/#/haurc cases/#/theta cases/#/coverage cases/#/risk": [
            "curves/test_selective_curve.py::test_the_area_is_that_of_the_authors_code"
        ],
    },
    "torch_losses.json": {"cases/**": ["losses/test_torch_losses.py::test_golden"]},
}

# The one number that says something about a file and is not compared.
TOLERANCE = ("tolerance",)


@cache
def load(name):
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def places(value, way=()):
    """(place, value) of everything in a file that is no dict and no list with dicts in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*way, key))
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for inner in value:
            yield from places(inner, (*way, "#"))
    else:
        yield way, value


def is_at(way, pattern):
    """Whether a place is meant by a claim. Names of the goldens hold "/" themselves, so ways stay tuples."""
    if pattern[-1] == "**":
        return len(way) >= len(pattern) and is_at(way[: len(pattern) - 1], pattern[:-1])
    return len(way) == len(pattern) and all(one in ("*", key) for key, one in zip(way, pattern))


def holds_a_number(value):
    if isinstance(value, list):
        return any(map(holds_a_number, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def functions(file):
    """Names of the functions of a test file, those in classes too."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.json")))
def test_every_number_is_compared_by_a_test_that_exists(name):
    tests = {tuple(place.split("/")): tests for claim, tests in CLAIMS[name].items() for place in claim.split()}
    assert all(tests.values())
    values = list(places(load(name)))
    claimed = {way for way in {way for way, _ in values} if any(is_at(way, pattern) for pattern in tests)}
    missing = {way for way, value in values if holds_a_number(value)} - claimed - {TOLERANCE}
    assert not missing, sorted(map("/".join, missing))
    idle = [pattern for pattern in tests if not any(is_at(way, pattern) for way in claimed)]
    assert not idle, f"claims of nothing: {idle}"
    for file, function in {tuple(test.split("::")) for claimed_by in tests.values() for test in claimed_by}:
        assert function in functions(file), f"{file}::{function}"


# What no other test compares -------------------------------------------------------------------------------------------

KEYS = {
    "flat_softmax": "flat_softmax",
    "multilabel_sigmoid": "multilabel_sigmoid",
    "cond_softmax": "conditional_softmax",
    "cond_sigmoid": "conditional_sigmoid",
    "deep_rtc": "deep_rtc",
    "ps_softmax": "ps_softmax",
    "all_softmax": "softmax_all_nodes",
}
OPERATING = load("operating_curves.json")
NOT_OF_THE_PAPER = {"no_answer", "selective_coverage"}


def close(ours, theirs):
    """The tolerance of the file: abs(a-b) <= 1e-9 (1 + abs(b)). Shapes must agree."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def wsum(a):
    i, j = np.arange(a.shape[0])[:, None], np.arange(a.shape[1])[None, :]
    return float((((31 * i + 17 * j) % 101) / 101.0 * a).sum())


@pytest.fixture(scope="module")
def recipe():
    names = {}
    exec("\n".join(OPERATING["recipe_python"]), names)
    return names


@pytest.fixture(scope="module")
def tiny():
    tree = OPERATING["tiny"]["tree"]
    edges = [(tree["names"][parent], tree["names"][node]) for node, parent in enumerate(tree["parents"]) if node]
    return hv.Taxonomy.from_edges(edges)


@pytest.fixture(scope="module")
def taxonomies(tiny, hierarchy):
    """Taxonomy by block name."""
    return {"tiny": tiny} | {block: hierarchy(OPERATING[block]["hierarchy"]) for block in ("imagenet_fiveai", "ties")}


@pytest.fixture(scope="module")
def imagenet_inputs(recipe, taxonomies):
    case = OPERATING["imagenet_fiveai"]
    args = (case[key] for key in ("seed", "N", "s", "m", "frac"))
    return recipe["inputs"](taxonomies["imagenet_fiveai"].parent, *args)


@pytest.mark.parametrize("block", ["tiny", "imagenet_fiveai", "ties"])
def test_tree_tables(taxonomies, block):
    taxonomy, tree = taxonomies[block], OPERATING[block]["tree"]
    columns, leaves = hv.LOSSES["conditional_softmax"].columns(taxonomy), taxonomy.leaves
    assert taxonomy.n_nodes - taxonomy.n_leaves == tree["internal"]
    assert taxonomy.depth[leaves].sum() == tree["sum_leaf_depth"]
    # Place times parent; places start again at 101.
    assert (np.arange(taxonomy.n_nodes) % 101 * taxonomy.parent).sum() == tree["wsum_parents"]
    if block == "tiny":
        assert columns.tolist() == tree["cond_softmax_column_to_node"]
        assert leaves.tolist() == tree["leaf_to_node"]
        assert taxonomy.is_leaf.tolist() == tree["is_leaf"]
        assert taxonomy.children.lengths.tolist() == tree["num_children"]
        return
    assert set(tree["leaf_to_node"]) == {"first", "last", "wsum"}
    assert set(tree["cond_softmax_column_to_node"]) == {"first", "wsum"}
    for ours, theirs in ((leaves, tree["leaf_to_node"]), (columns, tree["cond_softmax_column_to_node"])):
        assert ours[:12].tolist() == theirs["first"]
        assert (np.arange(len(ours)) * ours).sum() == theirs["wsum"]
        assert ours[-3:].tolist() == theirs.get("last", ours[-3:].tolist())


def test_tiny_hand_made_steps(tiny):
    """The steps between Pareto sets and curve: truncated sets, values of each element, sums, and the envelope."""
    hand = OPERATING["tiny"]["hand"]
    truth = np.array(hand["gt"])
    table = hv.pareto_table(tiny, np.array(hand["prob"]))
    each = np.repeat(truth, np.diff(table.offsets))

    def by_sample(values):
        return [values[a:b].tolist() for a, b in zip(table.offsets, table.offsets[1:])]

    assert by_sample(truncate(tiny, each, table.nodes)) == hand["truncated"]
    metrics = path_metrics(tiny, each, table.nodes)
    curve = hv.operating_curve(tiny, truth, table)
    assert set(hand["metric_values"]) == set(hand["totals"]) == set(path_keys()) - NOT_OF_THE_PAPER
    for key in hand["totals"]:
        close(np.concatenate(by_sample(metrics[key])), np.concatenate(hand["metric_values"][key]))
        assert list(map(len, by_sample(metrics[key]))) == list(map(len, hand["metric_values"][key]))
        close(curve.values[key] * curve.n_samples, hand["totals"][key])
    recall, precision = envelope(curve.values["info_recall"], curve.values["info_precision"])
    close(recall, hand["interpolated_precision"]["recall_sorted"])
    close(precision, hand["interpolated_precision"]["precision_envelope"])
    golden = np.array(hand["interpolated_precision"]["precision_envelope"])
    close(envelope_integral(recall, precision), np.diff(recall, prepend=0) @ golden)


def test_tiny_inputs(tiny, recipe):
    """The recipe makes the inputs of the tiny examples again, so it can be trusted with the large ones."""
    theta = OPERATING["tiny"]["theta"]
    made = recipe["inputs"](tiny.parent, *(theta[key] for key in ("seed", "N", "s", "m", "frac")))
    for key in ("k", "gt_leaf", "gt_mixed"):
        assert made[key].tolist() == theta[key]
    for key in ("Z", "X", "Y", "T"):
        close(made[key], theta[key])
    assert set(theta["parametrisations"]) == set(KEYS)
    for key, block in theta["parametrisations"].items():
        close(made["theta"][key], block["theta"])
    rng = np.random.default_rng(theta["seed"])
    assert rng.integers(0, tiny.n_leaves, size=theta["N"]).tolist() == theta["k"]
    for key in ("u", "v", "w"):
        close(rng.random(theta["N"]), theta[key])


def test_deep_rtc_without_a_temperature(tiny, taxonomies, imagenet_inputs):
    """The formula of the paper divides by 1, the published evaluation (and hierviz) by 10: ten times the scores."""
    expected = OPERATING["tiny"]["theta"]["parametrisations"]["deep_rtc"]
    close(hv.node_probabilities(tiny, 10 * np.array(expected["theta"]), "deep_rtc"), expected["q_temperature_1"])
    expected = OPERATING["imagenet_fiveai"]["parametrisations"]["deep_rtc"]
    p = hv.node_probabilities(taxonomies["imagenet_fiveai"], 10 * imagenet_inputs["theta"]["deep_rtc"], "deep_rtc")
    q = expected["q_temperature_1"]
    assert set(q) == {"sum", "wsum", "row0"}
    close([p.sum(), wsum(p)], [q["sum"], q["wsum"]])
    close(p[0, expected["q"]["cols"]], q["row0"])


def test_imagenet_inputs(taxonomies, imagenet_inputs):
    taxonomy, case, made = taxonomies["imagenet_fiveai"], OPERATING["imagenet_fiveai"], imagenet_inputs
    inputs = case["inputs"]
    assert made["k"].tolist() == inputs["k"]
    assert int((~taxonomy.is_leaf[made["gt_mixed"]]).sum()) == inputs["num_non_leaf_gt"]
    close(made["Z"][0, :5], inputs["Z_first_row_first5"])
    close(made["Z"].ravel()[-3:], inputs["Z_last3"])
    close([made["Z"].sum(), wsum(made["X"]), wsum(made["T"])], [inputs[key] for key in ("Z_sum", "X_wsum", "T_wsum")])
    assert hashlib.sha256(made["Z"].astype("<f8").tobytes()).hexdigest() == inputs["Z_sha256_le_f8"]
    assert set(case["parametrisations"]) == set(KEYS)
    for key, block in case["parametrisations"].items():
        theta = made["theta"][key]
        assert list(theta.shape) == block["theta"]["shape"]
        close(theta.sum(), block["theta"]["sum"])
        close(theta.ravel()[:5], block["theta"]["first5"])


@pytest.mark.parametrize("name", KEYS)
def test_imagenet_at_thresholds(taxonomies, imagenet_inputs, name):
    taxonomy, block = taxonomies["imagenet_fiveai"], OPERATING["imagenet_fiveai"]["parametrisations"][name]
    p = hv.node_probabilities(taxonomy, imagenet_inputs["theta"][name], KEYS[name])
    close(p[np.arange(len(p)), imagenet_inputs["gt_leaf"]].sum(), block["q"]["sum_at_gt_leaf"])
    table = hv.pareto_table(taxonomy, p)
    assert len(table.nodes) == block["pareto"]["total"]
    # Nodes times their place in their set, from 1.
    place = np.arange(len(table.nodes)) - np.repeat(table.offsets[:-1], np.diff(table.offsets)) + 1
    assert (table.nodes * place).sum() == block["pareto"]["node_wsum"]
    for labels in ("leaf", "mixed"):
        curve = hv.operating_curve(taxonomy, imagenet_inputs[f"gt_{labels}"], table)
        expected = block[f"curve_{labels}"]["at_tau"]
        assert set(expected) == {"tau", *path_keys()} - NOT_OF_THE_PAPER
        found = curve.at(expected["tau"])
        for key in set(expected) - {"tau"}:
            close(found[key], expected[key])


def test_ties_in_whole_numbers(taxonomies, recipe):
    """Scores are ratios of whole numbers: equality is exact."""
    case, taxonomy = OPERATING["ties"], taxonomies["ties"]
    made = recipe["tie_case"](taxonomy.parent, case["seed"], case["N"])
    assert made["counts"][:, 0].tolist() == case["totals"]
    table = hv.pareto_table(taxonomy, made["p"])
    scores = [table.scores[a:b] * total for a, b, total in zip(table.offsets, table.offsets[1:], case["totals"])]
    close(np.concatenate(scores), np.concatenate(case["scores_times_total"]))
    assert list(map(len, scores)) == list(map(len, case["scores_times_total"]))
    assert int((table.scores[table.offsets[1:] - 1] == 0).sum()) == case["num_sets_ending_at_zero"]


def test_repeats_spread(taxonomies, recipe):
    """Mean, sample deviation and 1.96 of it over five seeds, of the scalars and of the curves at eleven thresholds."""
    case, taxonomy = OPERATING["repeats"], taxonomies[OPERATING["repeats"]["hierarchy"]]
    columns = {"AP_info": "ap", "AC_info": "ac", "R@90C": "recall_at_90_correct", "R@95C": "recall_at_95_correct"}
    columns |= {"majority_F1": "majority_f1", "leaf_F1": "leaf_f1"}
    assert list(columns) == case["columns"]
    curves = []
    for seed in case["seeds"]:
        inputs = recipe["inputs"](taxonomy.parent, seed, case["N"], case["s"], case["m"])
        p = hv.node_probabilities(taxonomy, inputs["theta"][case["parametrisation"]], KEYS[case["parametrisation"]])
        curves.append(hv.operating_curve(taxonomy, inputs["gt_leaf"], hv.pareto_table(taxonomy, p)))
    found = hv.uncertainty.summary_over_repeats([curve.sampled(np.arange(1000, -1, -1) / 1000) for curve in curves])
    found = [found[key] for key in columns.values()]
    close([one.mean for one in found], case["mean"])
    close([one.sd for one in found], case["std_ddof1"])
    close([one.half_width for one in found], case["err_1_96_std"])
    assert {one.n_repeats for one in found} == {len(case["seeds"])}
    bands = hv.uncertainty.curve_over_repeats(curves, case["band"]["tau"])
    assert set(case["band"]) == {"tau", "info_recall", "info_precision", "correct", "exact"}
    for key in set(case["band"]) - {"tau"}:
        close(bands[key].mean, case["band"][key]["mean"])
        close(bands[key].sd, case["band"][key]["std_ddof1"])
    with pytest.raises(hv.PredictionsError, match="expected at least two runs, got 1"):
        hv.uncertainty.over_repeats([0.5])


@pytest.mark.parametrize("tree", load("win.json")["trees"].values(), ids=load("win.json")["trees"])
def test_win_trees(tree):
    taxonomy = hv.Taxonomy.from_edges(tree["edges"])
    assert taxonomy.names[0] == tree["root"]
    in_order = np.argsort(taxonomy.preorder)
    assert [taxonomy.names[node] for node in in_order] == tree["nodes_preorder"]
    assert [taxonomy.names[node] for node in in_order if taxonomy.is_leaf[node]] == tree["leaves"]


@pytest.mark.parametrize("batch", load("win.json")["batches"], ids=lambda batch: batch["name"])
def test_win_batches(batch):
    """The legacy recipe of the file, and the counts of the samples."""
    golden = load("win.json")
    tree, n = golden["trees"][batch["tree"]], batch["n"]
    taxonomy = hv.Taxonomy.from_edges(tree["edges"])
    leaves = taxonomy.nodes(*tree["leaves"])
    rs = np.random.RandomState(batch["seed"])
    u, y = rs.random_sample((n, len(leaves))), np.floor(rs.random_sample(n) * len(leaves)).astype(int)
    likely = np.where(rs.random_sample(n) < batch["acc"], y, np.floor(rs.random_sample(n) * len(leaves)).astype(int))
    boost = rs.random_sample(n) * batch["boost"]
    rows = np.where(u < batch["zero"], 0, u ** batch["power"])
    rows = (1 - boost)[:, None] * (rows / rows.sum(axis=1, keepdims=True))
    rows[np.arange(n), likely] += boost
    rows = np.floor(rows * 2**20) / 2**20
    rows[np.arange(n), likely] += 1 - rows.sum(axis=1)
    close((rows**2).sum(), batch["check"]["sum_of_squares"])
    predictions = hv.Predictions.from_scores(taxonomy, rows, "leaf_probabilities", scored_nodes=leaves, truth=leaves[y])
    evaluation = hv.Evaluation.from_predictions(predictions)
    assert hv.evaluate(evaluation)["models"][0]["n_samples"] == batch["expect"]["n"] == n
    differs = evaluation.best_leaf != evaluation.answers("leaf")
    assert int(differs.sum()) == batch["expect"]["top_down_differs_from_argmax"]
    truth = [taxonomy.names[node] for node in predictions.truth[: len(batch["first_samples"])]]
    assert truth == [sample["truth"] for sample in batch["first_samples"]]


PUBLISHED = load("win.json")["two_level_identity"]["published_rows"]


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: f"table-{row['table']}-{row['training']}")
def test_win_published_rows(row):
    """1000 best leaves with the printed accuracies: the one-hot win and the aggregate F1 of a two-level tree follow.

    A printed accuracy is off by at most half of its last digit, so are their mean and the printed win: one digit in all.
    """
    taxonomy = hv.Taxonomy.from_edges(load("win.json")["trees"][{3: "yahoo", 4: "dbpedia"}[row["table"]]]["edges"])
    n_right, n_near = round(1000 * row["finest"]), round(1000 * row["coarsest"])
    assert 0 < n_right < n_near < 1000
    true, sibling, *_, stranger = taxonomy.leaves
    assert taxonomy.parent[true] == taxonomy.parent[sibling] != taxonomy.parent[stranger]
    best = np.repeat([true, sibling, stranger], [n_right, n_near - n_right, 1000 - n_near])
    found = best_leaf_metrics(taxonomy, np.full(1000, true), best)
    close([found["finest_accuracy"].mean(), found["coarsest_accuracy"].mean()], [row["finest"], row["coarsest"]])
    aggregate_f1 = 2 * found["shared"].sum() / (found["claimed"].sum() + found["due"].sum())
    close([found["one_hot_win"].mean(), aggregate_f1], [row["half_sum"]] * 2)
    digit = {3: 0.01, 4: 0.001}[row["table"]]
    assert abs(found["one_hot_win"].mean() - row["one_hot_win"]) <= digit + 1e-9
    assert abs(aggregate_f1 - row["aggregate_f1"]) <= digit + 1e-9


@pytest.mark.parametrize("panel", load("hcm_figure4.json")["panels"], ids=lambda panel: panel["panel"])
def test_figure_4_true_paths(panel):
    """Every path to a truth is the truth: nothing false, nothing missed; and they are all the paths there are."""
    taxonomy = hv.Taxonomy.from_edges(panel["edges"])
    assert set(panel["all_true_paths"]) == set(panel["true_labels"])

    def up(node):
        parents = taxonomy.parents[node].tolist()
        return [[*path, taxonomy.names[node]] for parent in parents for path in up(parent)] or [[taxonomy.names[node]]]

    for label, paths in panel["all_true_paths"].items():
        truth = taxonomy.node(label)
        assert sorted(up(truth)) == sorted(paths)
        for path in paths:
            found = confusion_paths(taxonomy, [truth], PathLists.from_lists([[taxonomy.nodes(*path)]]))
            assert (found.counts["tp"], found.counts["fp"], found.counts["fn"]) == (len(path) - 1, 0, 0)
