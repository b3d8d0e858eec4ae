"""Every rule block of `golden/operating_curves.json`, by name: a rule that nothing here maps is a failure."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves._rule_curve import information_curve
from hierviz.inference.crm import _exclusive_mass
from hierviz.inference.rules import _runner_up
from hierviz.metrics.path import path_metrics

KEYS = {
    "flat_softmax": "flat_softmax",
    "multilabel_sigmoid": "multilabel_sigmoid",
    "cond_softmax": "conditional_softmax",
    "cond_sigmoid": "conditional_sigmoid",
    "deep_rtc": "deep_rtc",
    "ps_softmax": "ps_softmax",
    "all_softmax": "softmax_all_nodes",
}
# A number of bits as a share of log2(n_leaves) stands under "share".
RULES = {
    "leaf": ("leaf", {}),
    "majority": ("majority", {}),
    "plurality": ("plurality", {}),
    "expected_info": ("expected_information", {}),
    "darts_lambda_0.5bit": ("darts", {"lam": 0.5}),
    "darts_lambda_2bit": ("darts", {"lam": 2}),
    "info_threshold_0.3": ("information_threshold", {"share": 0.3}),
    "info_threshold_0.6": ("information_threshold", {"share": 0.6}),
    "info_threshold_1bit": ("information_threshold", {"bits": 1}),
    "threshold_0.2": ("threshold", {"threshold": 0.2}),
    "threshold_0.8": ("threshold", {"threshold": 0.8}),
    "threshold_0.95": ("threshold", {"threshold": 0.95}),
    "exclusive": ("exclusive", {}),
    "crm_leaf_depth_dist": ("crm_leaf", {"cost": "depth_dist"}),
    "crm_leafexp_info_f1": ("crm_nodes", {"expectation": "leaves"}),
    "crm_all_correct_recall": ("crm_nodes", {"expectation": "exclusive"}),
}
SKIP = "decided_by_exact_float_equality"


def blocks(value, path=()):
    """(path, block) of everything called "rules" outside meta."""
    for key, inner in value.items():
        if key == "rules":
            yield (path, inner)
        elif isinstance(inner, dict) and (path or key != "meta"):
            yield from blocks(inner, (*path, key))


@pytest.fixture(scope="module")
def tiny_worlds(curves_golden, tiny):
    """{path of a rules block: (taxonomy, p, {name of the truth: truth})}."""
    hand, theta = curves_golden["tiny"]["hand"], curves_golden["tiny"]["theta"]
    found = {("tiny", "hand"): (tiny, np.array(hand["prob"]), {"gt": np.array(hand["gt"])})}
    truths = {what: np.array(theta[f"gt_{what}"]) for what in ("leaf", "mixed")}
    for name, key in KEYS.items():
        p = hv.node_probabilities(tiny, np.array(theta["parametrisations"][name]["theta"]), key)
        found["tiny", "theta", "parametrisations", name] = tiny, p, truths
    return found


@pytest.fixture(scope="module")
def real_worlds(curves_golden, recipe, hierarchy):
    """The same on real trees."""
    case, taxonomy = curves_golden["ties"], hierarchy("tiny_imagenet_fiveai")
    made = recipe["tie_case"](taxonomy.parent, case["seed"], case["N"])
    found = {("ties",): (taxonomy, made["p"], {"gt": made["gt"]})}
    case, taxonomy = curves_golden["imagenet_fiveai"], hierarchy("imagenet_fiveai")
    inputs = recipe["inputs"](taxonomy.parent, case["seed"], case["N"], case["s"], case["m"], case["frac"])
    truths = {what: inputs[f"gt_{what}"] for what in ("leaf", "mixed")}
    for name, key in KEYS.items():
        p = hv.node_probabilities(taxonomy, inputs["theta"][name], key)
        found["imagenet_fiveai", "parametrisations", name] = taxonomy, p, truths
    return found


def check_block(taxonomy, p, truths, block):
    """Compare every rule of a block; returns how many values were compared."""
    compared = 0
    assert set(block) <= set(RULES), f"no rule is mapped to {set(block) - set(RULES)}"
    for name, expected in block.items():
        rule, keywords = RULES[name]
        keywords = {
            key if key != "share" else "bits": value if key != "share" else value * np.log2(taxonomy.n_leaves)
            for key, value in keywords.items()
        }
        predicted = hv.infer(taxonomy, p, rule, **keywords)
        kept = np.setdiff1d(np.arange(len(p)), expected.get(SKIP, []))
        np.testing.assert_array_equal(predicted[kept], np.array(expected["pred"])[kept], err_msg=name)
        compared += len(kept)
        # The means of the golden stand on its own answers, which settles the skipped ones.
        predicted[expected.get(SKIP, [])] = np.array(expected["pred"])[expected.get(SKIP, [])]
        means = {key.removeprefix("mean_"): values for key, values in expected.items() if key.startswith("mean_")}
        assert set(expected) - {"pred", SKIP} == {f"mean_{what}" for what in means}
        assert set(means) <= set(truths)
        for what, values in means.items():
            metrics = path_metrics(taxonomy, truths[what], predicted)
            for key, value in values.items():
                np.testing.assert_allclose(metrics[key].mean(), value, rtol=1e-9, atol=1e-9, err_msg=f"{name} {key}")
                compared += 1
    return compared


def n_numbers(value):
    """How many numbers a block holds, the lists of examples to skip left out."""
    if isinstance(value, dict):
        return sum(n_numbers(inner) for key, inner in value.items() if key != SKIP)
    return len(value) if isinstance(value, list) else 1


def check_all(found, worlds, least):
    """Every block has its world, and every number of it was compared but for the examples to skip."""
    assert set(found) == set(worlds)
    skipped = sum(len(expected.get(SKIP, [])) for block in found.values() for expected in block.values())
    compared = sum(check_block(*worlds[path], block) for path, block in found.items())
    assert compared == n_numbers(found) - skipped >= least


def test_every_rule_is_in_some_block(curves_golden):
    assert {name for _, block in blocks(curves_golden) for name in block} == set(RULES)


def test_tiny_blocks(curves_golden, tiny_worlds):
    found = {path: block for path, block in blocks(curves_golden) if path[0] == "tiny"}
    check_all(found, tiny_worlds, 2_560)


def test_real_blocks(curves_golden, real_worlds):
    found = {path: block for path, block in blocks(curves_golden) if path[0] != "tiny"}
    check_all(found, real_worlds, 23_940)


def test_a_rule_that_is_not_mapped_fails(tiny_worlds):
    with pytest.raises(AssertionError, match=r"no rule is mapped to .*crm_new"):
        check_block(*tiny_worlds["tiny", "hand"], {"crm_new": {"pred": [0] * 10}})


def test_tables_of_the_hand_made_rows(tiny, curves_golden):
    hand = curves_golden["tiny"]["hand"]
    p = np.array(hand["prob"])
    assert _runner_up(tiny, p).tolist() == hand["plurality_threshold"]
    assert _exclusive_mass(tiny, p).tolist() == hand["exclusive_probability"]


def test_information_threshold_curve(tiny, curves_golden):
    hand = curves_golden["tiny"]["hand"]
    p, truth = np.array(hand["prob"]), np.array(hand["gt"])
    expected = hand["information_threshold_curve"]
    for made in (p, hv.pareto_table(tiny, p)):
        curve = information_curve(tiny, truth, made)
        np.testing.assert_allclose(curve.threshold, expected["S"], rtol=1e-9, atol=1e-9)
        # The paper has no share of no answer, and no coverage.
        assert set(curve.values) - {"no_answer", "selective_coverage"} == set(expected["Z"])
        for key, values in expected["Z"].items():
            np.testing.assert_allclose(curve.values[key], values, rtol=1e-9, atol=1e-9)
        for bits in curve.threshold:
            answers = hv.infer(tiny, p, "information_threshold", bits=bits)
            coverage = tiny.information[answers].mean() / np.log2(6)
            assert curve.at(bits)["selective_coverage"] == pytest.approx(coverage, abs=1e-12), bits
    # The curve at a bound is the golden's rule at that bound.
    for name, bits in (("0.3", 0.3 * np.log2(6)), ("0.6", 0.6 * np.log2(6))):
        for key, value in hand["rules"][f"info_threshold_{name}"]["mean_gt"].items():
            np.testing.assert_allclose(curve.at(bits)[key], value, rtol=1e-9, atol=1e-9)
