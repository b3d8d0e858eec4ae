"""Every loss of `golden/operating_curves.json` and section 8 of `golden/text_metrics.json`, by name.

Tests loop over the keys of the files: a name without an entry here fails.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.losses.conditional import train_shares
from hierviz.losses.registry import LOSSES, loss

GOLDEN = Path(__file__).parents[1] / "golden"
CURVES = json.loads((GOLDEN / "operating_curves.json").read_text())
TEXT = json.loads((GOLDEN / "text_metrics.json").read_text())
WIN = json.loads((GOLDEN / "win.json").read_text())
TINY = CURVES["tiny"]["theta"]

FLAT, ALL, CONDITIONAL = "flat_softmax", "all_softmax", "cond_softmax"
# Golden name -> (loss, keywords, golden name of the scores).
NAMES = {
    "flat_ce": ("flat_ce", {}, FLAT),
    "flat_ce_label_smoothing_0.1": ("flat_ce", {"smoothing": 0.1}, FLAT),
    "flat_nll": ("flat_ce", {}, FLAT),
    "flat_hxe_alpha_0.1": ("hxe", {"alpha": 0.1}, FLAT),
    "flat_hxe_alpha_0.5": ("hxe", {"alpha": 0.5}, FLAT),
    "multilabel_focal_a0.25_g2.0": ("multilabel_focal", {"alpha": 0.25, "gamma": 2.0}, "multilabel_sigmoid"),
    "multilabel_focal_a0.95_g1.0": ("multilabel_focal", {"alpha": 0.95, "gamma": 1.0}, "multilabel_sigmoid"),
    "multilabel_bce": ("multilabel_bce", {}, "multilabel_sigmoid"),
    "cond_softmax_nll": ("conditional_softmax", {}, CONDITIONAL),
    "cond_softmax_ce_label_smoothing_0.1": ("conditional_softmax", {"smoothing": 0.1}, CONDITIONAL),
    "cond_softmax_hxe_alpha_0.5": ("hxe", {"alpha": 0.5, "parametrisation": "conditional_softmax"}, CONDITIONAL),
    "cond_sigmoid_bce": ("conditional_sigmoid", {}, "cond_sigmoid"),
    "deep_rtc_cut0": ("deep_rtc", {"cut": 0}, "deep_rtc"),
    "deep_rtc_cut0.1_fixed_drops": ("deep_rtc", {"drops": "fixed"}, "deep_rtc"),
    "ps_softmax_ce": ("ps_softmax", {}, "ps_softmax"),
    "ps_softmax_nll": ("ps_softmax", {}, "ps_softmax"),
    "soft_max_descendant": ("soft_max_descendant", {}, ALL),
    "soft_max_descendant_unweighted": ("soft_max_descendant", {"weighted": False}, ALL),
    "soft_max_margin_incorrect_tau5": ("soft_max_margin", {"tau": 5}, ALL),
    "soft_max_margin_incorrect_tau1": ("soft_max_margin", {"tau": 1}, ALL),
    "soft_max_margin_depth_dist_tau1": ("soft_max_margin", {"tau": 1, "cost": "depth_dist"}, ALL),
    "soft_max_margin_info_dist_tau1": ("soft_max_margin", {"tau": 1, "cost": "info_dist"}, ALL),
    "hard_margin_incorrect_tau5": ("hard_margin", {"tau": 5}, ALL),
}


def close(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert (np.abs(ours - theirs) <= 1e-9 * (1 + np.abs(theirs))).all()


@pytest.fixture(scope="module")
def tiny():
    tree = CURVES["tiny"]["tree"]
    return hv.Taxonomy.from_edges(
        [(tree["names"][parent], tree["names"][node]) for node, parent in enumerate(tree["parents"]) if node]
    )


@pytest.fixture(scope="module")
def imagenet(hierarchy):
    return hierarchy("imagenet_fiveai")


@pytest.fixture(scope="module")
def recipe():
    names = {}
    exec("\n".join(CURVES["recipe_python"]), names)
    return names


@pytest.fixture(scope="module")
def imagenet_inputs(recipe, imagenet):
    case = CURVES["imagenet_fiveai"]
    return recipe["inputs"](imagenet.parent, case["seed"], case["N"], case["s"], case["m"], case["frac"])


def tiny_scores(name):
    return np.array(TINY["parametrisations"][name]["theta"])


def drops_of(nodes, n_nodes):
    drops = np.zeros((len(nodes), n_nodes), dtype=bool)
    for row, dropped in zip(drops, nodes):
        row[dropped] = True
    return drops


def test_every_name_is_known():
    for block in (CURVES["tiny"]["theta"]["losses"], CURVES["imagenet_fiveai"]["losses"]):
        names, labels = zip(*(name.split("/") for name in block))
        assert (set(names), set(labels)) == (set(NAMES), {"leaf", "mixed"})
    assert {key for key, _, _ in NAMES.values()} <= set(LOSSES)


@pytest.mark.parametrize("name", TINY["losses"])
def test_tiny(tiny, name):
    loss_name, labels = name.split("/")
    key, keywords, scores = NAMES[loss_name]
    if keywords.get("drops") == "fixed":
        keywords = {"drops": drops_of(TINY["deep_rtc_fixed_drops"], tiny.n_nodes)}
    expected = TINY["losses"][name]
    assert set(expected) == {"mean", "each"}
    values, _ = loss(key, tiny, np.array(TINY[f"gt_{labels}"]), tiny_scores(scores), **keywords)
    close(values, expected["each"])
    close(values.mean(), expected["mean"])


@pytest.mark.parametrize("name", CURVES["imagenet_fiveai"]["losses"])
def test_imagenet_fiveai(imagenet, imagenet_inputs, recipe, name):
    case = CURVES["imagenet_fiveai"]
    loss_name, labels = name.split("/")
    key, keywords, scores = NAMES[loss_name]
    if keywords.get("drops") == "fixed":
        keywords = {"drops": recipe["random_cut_drops"](case["seed"], case["N"], imagenet.n_nodes)}
    expected = case["losses"][name]
    assert set(expected) == {"mean", "first5", "sum_weighted"}
    values, _ = loss(key, imagenet, imagenet_inputs[f"gt_{labels}"], imagenet_inputs["theta"][scores], **keywords)
    close(values[:5], expected["first5"])
    close(values.mean(), expected["mean"])
    close((np.arange(1, len(values) + 1) * values).sum(), expected["sum_weighted"])


def test_random_cut_is_the_recipe(imagenet, imagenet_inputs):
    case = CURVES["imagenet_fiveai"]
    args = "deep_rtc", imagenet, imagenet_inputs["gt_leaf"], imagenet_inputs["theta"]["deep_rtc"]
    values, _ = loss(*args, cut=0.1, seed=np.random.default_rng(case["seed"] + 1000))
    close(values.mean(), case["losses"]["deep_rtc_cut0.1_fixed_drops/leaf"]["mean"])
    np.testing.assert_array_equal(values, loss(*args, cut=0.1, seed=case["seed"] + 1000)[0])


@pytest.mark.parametrize("pattern", TINY["deep_rtc_cut_patterns"], ids=lambda one: str(one["dropped"]))
def test_deep_rtc_cut_pattern(tiny, pattern):
    scores, truth = tiny_scores("deep_rtc"), np.array(TINY["gt_leaf"])
    values, gradient = loss("deep_rtc", tiny, truth, scores, drops=drops_of([pattern["dropped"]] * 12, tiny.n_nodes))
    close(values.mean(), pattern["mean_loss"])
    on_cut = np.zeros(tiny.n_nodes, dtype=bool)
    on_cut[np.concatenate([tiny.path(node) for node in pattern["cut_nodes"]])] = True
    np.testing.assert_array_equal((gradient != 0).any(axis=0), on_cut[1:])


def test_deep_rtc_patterns_are_all():
    inner = [1, 3, 6, 8]
    ours = [list(one) for size in range(5) for one in itertools.combinations(inner, size)]
    assert sorted(one["dropped"] for one in TINY["deep_rtc_cut_patterns"]) == sorted(ours)


@pytest.mark.parametrize("cut", TINY["deep_rtc_expected_loss"])
def test_deep_rtc_expectation(tiny, cut):
    scores, truth, probability = tiny_scores("deep_rtc"), np.array(TINY["gt_leaf"]), float(cut)
    expected = np.zeros(len(truth))
    for pattern in TINY["deep_rtc_cut_patterns"]:
        k = len(pattern["dropped"])
        drops = drops_of([pattern["dropped"]] * 12, tiny.n_nodes)
        expected += (
            probability**k * (1 - probability) ** (4 - k) * loss("deep_rtc", tiny, truth, scores, drops=drops)[0]
        )
    close(expected, TINY["deep_rtc_expected_loss"][cut]["each"])
    close(expected.mean(), TINY["deep_rtc_expected_loss"][cut]["mean"])


# Section 8 of the text metrics -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def text_trees():
    return {name: hv.Taxonomy.from_edges(tree["edges"]) for name, tree in TEXT["trees"].items()}


def counts_of(taxonomy, case):
    """Training samples of every node: those of the leaves below it."""
    counts = np.zeros(taxonomy.n_nodes)
    for name, count in case["leaf_train_counts"].items():
        counts[taxonomy.path(taxonomy.node(name))] += count
    return counts


SOFTMAX_FAMILY = [
    pytest.param(case, name, id=f"{case['tree']}-{name}") for case in TEXT["softmax_family"] for name in case["expect"]
]


@pytest.mark.parametrize(("case", "name"), SOFTMAX_FAMILY)
def test_softmax_family(text_trees, case, name):
    taxonomy, expected = text_trees[case["tree"]], case["expect"][name]
    counts = counts_of(taxonomy, case)
    key, keywords, checked = {
        "conditional_softmax": ("conditional_softmax", {}, {"conditional", "joint", "loss", "grad_scores"}),
        "logit_adjusted_tau_1": (
            "conditional_softmax_la",
            {"tau": 1.0, "counts": counts},
            {"nu", "train_conditional", "train_joint", "loss", "inference_joint_authors_code"},
        ),
        "logit_adjusted_tau_0.5": (
            "conditional_softmax_la",
            {"tau": 0.5, "counts": counts},
            {"train_conditional", "loss"},
        ),
        "conditional_sigmoid": (
            "conditional_sigmoid",
            {},
            {"conditional", "joint", "loss_mask", "loss", "grad_scores"},
        ),
        "leaf_softmax": ("flat_ce", {}, {"leaf", "node", "loss", "note"}),
    }[name]
    assert set(expected) == checked
    columns = LOSSES[key].columns(taxonomy)
    names = [taxonomy.names[node] for node in columns]
    scores = np.array([[case["scores"][name] for name in names]])
    truth = taxonomy.nodes(case["truth_leaf"])
    values, gradient = loss(key, taxonomy, truth, scores, **keywords)
    close(values[0], expected["loss"])
    if "grad_scores" in expected:
        close(gradient[0], [expected["grad_scores"][name] for name in names])
    if "nu" in expected:
        nu = train_shares(taxonomy, counts)
        close(nu[1:], [expected["nu"][name] for name in taxonomy.names[1:]])
    if "loss_mask" in expected:
        mask = [taxonomy.names[node] for node, slope in zip(columns, gradient[0]) if slope != 0]
        assert sorted(mask) == sorted(expected["loss_mask"])
    if "train_conditional" in expected:
        # The gradient is r - [on the path] in the families along the path: it gives r away.
        on_path = np.isin(columns, taxonomy.path(truth[0]))
        family = np.isin(taxonomy.parent[columns], taxonomy.path(truth[0]))
        r = np.array([expected["train_conditional"][name] for name in names])
        close(gradient[0], np.where(family, r - on_path, 0))
        close(np.exp(-values[0]), np.prod(r[on_path]))
        if "train_joint" in expected:
            close(np.exp(-values[0]), expected["train_joint"][case["truth_leaf"]])
    if name == "leaf_softmax":
        close(gradient[0], np.array([expected["leaf"][name] for name in names]) - (columns == truth[0]))
        for node, mass in expected["node"].items():
            close(loss(key, taxonomy, taxonomy.nodes(node), scores)[0], [-np.log(mass)])


# The win ---------------------------------------------------------------------------------------------------------------

WIN_CASES = [
    case
    for case in WIN["cases"]
    if abs(sum(case["p"].values()) - 1) < 1e-12
    and set(case["p"]) == set(WIN["trees"][case["tree"]]["leaves"])
    and min(case["p"].values()) > 0
]


@pytest.mark.parametrize("case", WIN_CASES, ids=lambda case: case["name"])
def test_win(case):
    taxonomy, leaves = hv.Taxonomy.from_edges(WIN["trees"][case["tree"]]["edges"]), WIN["trees"][case["tree"]]["leaves"]
    order = np.argsort(taxonomy.nodes(*leaves))
    p, slope = (
        np.array(values)[order]
        for values in ([case["p"][leaf] for leaf in leaves], case["expect"]["gradient_rescaled"])
    )
    truth, win = taxonomy.nodes(case["truth"]), case["expect"]["win_rescaled"]
    raw, raw_gradient = loss("raw_win", taxonomy, truth, np.log(p)[None])
    log, log_gradient = loss("log_win", taxonomy, truth, np.log(p)[None])
    close(raw, [-win])
    close(log, [-np.log(win)])
    if "neg_log_win" in case["expect"]:
        close(log, [case["expect"]["neg_log_win"]])
    # The golden gradient is by p; the chain rule through a softmax is p_k (g_k - W).
    close(raw_gradient[0], -p * (slope - win))
    close(log_gradient[0], -p * (slope - win) / win)


def test_there_are_win_cases():
    assert len(WIN_CASES) >= 1
