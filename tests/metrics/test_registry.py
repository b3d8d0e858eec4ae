"""One loop over METRICS: keys, range, order of samples, renamed nodes, the perfect prediction, the better direction."""

import itertools
import math

import numpy as np
import pytest

import hierviz as hv
from hierviz.metrics.confusion.confusion_counts import measures
from hierviz.metrics.entry import Metric
from hierviz.metrics.registry import OPTIMAL_SET_METRICS, PROTEIN_METRICS, path_keys

# The blocks of docs/metrics.md, section Metrics.
SCORE_BLOCKS = ("best_leaves", "probabilities", "random_cuts")
BLOCKS = (
    *("distribution", "top_down", *SCORE_BLOCKS, "predicted", "levels"),
    *("labels", "lca", "curve", "selective", "confusion"),
)
TREE = [
    *(("root", name) for name in ("a", "b", "c")),
    *(("a", f"a{i}") for i in range(3)),
    *(("b", f"b{i}") for i in range(2)),
    *(("a0", f"a0{i}") for i in range(3)),
    ("c", "c0"),
]
# Blocks whose numbers are about one sample, or are not made by `evaluate` on scores with one truth.
IN_JSON = ("distribution", "top_down", *SCORE_BLOCKS, "predicted", "levels", "curve", "selective", "confusion", "lca")
# There with weights of classes: tests/evaluation/test_class_weights.py.
BALANCED = [key for key in hv.METRICS if key.startswith("balanced_")]
BY_DEPTH = tuple(key for key in hv.METRICS if key.endswith("_by_depth") and key != "macro_f1_by_depth")
KEYS = [key for key, metric in hv.METRICS.items() if metric.block in IN_JSON and key not in (*BALANCED, *BY_DEPTH)]
# Means over the wrong samples: undefined without any, and no better or worse with their number.
OVER_ERRORS = ("error_lca_height", *(f"lca_{of}_{k}" for of in ("depth", "information") for k in (1, 5, 20)))
# Of the order of all leaves, which models with the right first leaf need not have: tests/metrics/test_best_leaves.py.
OF_ORDER = ("lca_height_5", "lca_height_20", "hops_5", "hops_20")
# A number that may be negative, and what a calibrated model has: tests/metrics/test_probabilities.py.
OF_CALIBRATION = ("calibration_error_squared", "ece_adaptive_calibrated", "ece_static_calibrated")
# Of answers that say nothing: no better or worse with the number of wrong ones.
OF_NO_ANSWERS = ("no_answer", "n_no_answer")
# Of answers of levels that are a path, be it right or wrong.
OF_COHERENCE = ("tice",)
OUTCOME_COUNTS = ("n_exact", "n_coarse", "n_no_answer", "n_wrong")
PER_SAMPLE = ("hp", "hr", "hf1")
COUNTS = ("tp", "tn", "fp", "fn")


@pytest.fixture(scope="module")
def tree():
    return hv.Taxonomy.from_edges(TREE)


def leaf_truth(tree, seed=0, n=60):
    return tree.leaves[np.random.default_rng(seed).integers(0, tree.n_leaves, n)]


def towards(tree, truth, weight, seed=1):
    """Leaf probabilities with `weight` on the true leaf and the rest drawn at random."""
    noise = np.random.default_rng(seed).dirichlet(np.ones(tree.n_leaves) / 2, size=len(truth))
    return weight * (tree.leaves[None] == truth[:, None]) + (1 - weight) * noise


def evaluated(tree, scores, truth):
    """The evaluation of one model, which every rule reads."""
    return hv.Evaluation.from_predictions(hv.Predictions.from_scores(tree, scores, "leaf_probabilities", truth=truth))


def numbers(evaluation, rule="majority"):
    """All numbers of the JSON by key."""
    model = hv.evaluate(evaluation, rule, more=True)["models"][0]
    flat = {key: value for block in IN_JSON for key, value in model[block].items()}
    return {key: math.inf if value == "Infinity" else value for key, value in flat.items()}


@pytest.fixture(scope="module")
def random(tree):
    truth = leaf_truth(tree)
    return numbers(evaluated(tree, towards(tree, truth, 0.2), truth))


@pytest.fixture(scope="module")
def perfect(tree):
    truth = leaf_truth(tree)
    return numbers(evaluated(tree, towards(tree, truth, 1.0), truth))


@pytest.mark.parametrize("rule", ["majority", "hf_optimal"])
def test_every_key_of_the_json_is_described(tree, rule):
    """Keys of optimal sets are there under a rule that makes them, with its beta, and only there."""
    truth = leaf_truth(tree)
    predictions = hv.Predictions.from_scores(tree, towards(tree, truth, 0.5), "leaf_probabilities", truth=truth)
    model = hv.evaluate(predictions, rule=rule, more=True)["models"][0]
    makes_sets = rule == "hf_optimal"
    left_out = {*BALANCED, *PROTEIN_METRICS, *(() if makes_sets else OPTIMAL_SET_METRICS)}
    seen = 0
    for block in BLOCKS:
        if model[block] is not None:
            described = {key for key in hv.METRICS if hv.METRICS[key].block == block and key not in left_out}
            also = {"beta"} if makes_sets and block == "labels" else set()
            assert set(model[block]) - {"baseline", "cuts", "links"} == described | also, block
            seen += 1
    assert seen >= 5
    assert set(model["confusion"]["baseline"]) - {"path_to"} == set(model["confusion"]) - {"baseline"}


def test_every_number_of_one_sample_is_described(tree):
    truth = leaf_truth(tree)
    samples = hv.Evaluation.from_predictions(
        hv.Predictions.from_scores(tree, towards(tree, truth, 0.5), "leaf_probabilities", truth=truth)
    ).per_sample(more=True)
    others = {"row", "sample_id", "truth", "predicted", "top_down", "argmax_leaf", "p_truth"}
    assert set(samples) - others <= set(hv.METRICS)
    assert set(PER_SAMPLE) <= set(samples)


@pytest.mark.parametrize("key", hv.METRICS)
def test_entry(key):
    metric = hv.METRICS[key]
    assert isinstance(metric, Metric)
    assert metric.key == key
    assert metric.block in (*BLOCKS, "conformal", "per_sample", "goal")
    assert metric.better in ("higher", "lower", "neither")
    assert metric.range[0] < metric.range[1]
    for text in (metric.label, metric.formula, metric.source):
        assert text.strip() == text != ""
    assert metric.sentence.endswith(".")
    assert metric.sentence[0].isupper()
    # What is counted or measured has no upper end; shares have no unit.
    assert not metric.unit or math.isinf(metric.range[1])


def test_labels_tell_metrics_apart():
    """Within a block, and among the numbers of one sample, no two share a name."""
    for block in {metric.block for metric in hv.METRICS.values()}:
        labels = [metric.label for metric in hv.METRICS.values() if metric.block == block]
        assert len(labels) == len(set(labels)), block


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_range(tree, seed, weight):
    truth = leaf_truth(tree, seed)
    evaluation = evaluated(tree, towards(tree, truth, weight, seed), truth)
    for rule in hv.INFERENCE_RULES:
        if not hv.INFERENCE_RULES[rule].returns_sets:
            values = numbers(evaluation, rule)
            for key in KEYS:
                low, high = hv.METRICS[key].range
                assert values[key] is None or low - 1e-12 <= values[key] <= high + 1e-12, (key, rule)


def test_order_of_samples(tree, random):
    truth = leaf_truth(tree)
    order = np.random.default_rng(9).permutation(len(truth))
    values = numbers(evaluated(tree, towards(tree, truth, 0.2)[order], truth[order]))
    for key in KEYS:
        assert values[key] == pytest.approx(random[key], abs=1e-12), key


def test_renamed_nodes(tree, random):
    """Other names, and siblings declared in reverse: no number may change without ties."""
    renamed = hv.Taxonomy.from_edges([(f"x {a[::-1]}", f"x {b[::-1]}") for a, b in TREE[::-1]])
    number = renamed.nodes(*(f"x {name[::-1]}" for name in tree.names))
    truth = leaf_truth(tree)
    columns = np.argsort(number[tree.leaves])
    assert number.tolist() != list(range(tree.n_nodes))
    values = numbers(evaluated(renamed, towards(tree, truth, 0.2)[:, columns], number[truth]))
    for key in KEYS:
        assert values[key] == pytest.approx(random[key], abs=1e-12), key


# The end that a perfect prediction reaches; counts and the number of points depend on the data.
WITHOUT_END = (*OVER_ERRORS, *OF_ORDER, *OF_CALIBRATION)
BEST = {"fnr": 0, "fpr": 0, "pt": 0, "mcc": 1, "fp": 0, "fn": 0}
BEST |= {key: hv.METRICS[key].range[0] for key in KEYS if hv.METRICS[key].better == "lower" and key not in WITHOUT_END}
BEST |= {
    key: hv.METRICS[key].range[1]
    for key in KEYS
    if hv.METRICS[key].better == "higher" and not math.isinf(hv.METRICS[key].range[1]) and key not in WITHOUT_END
}


@pytest.mark.parametrize("key", BEST)
def test_a_perfect_prediction_reaches_the_best_end(perfect, key):
    assert perfect[key] == pytest.approx(BEST[key], abs=1e-12)


def test_what_has_no_end():
    assert set(KEYS) - set(BEST) == {
        *("tp", "tn", "n_points", "n_exact", "n_coarse", "climbing_differs", "climbing_differs_mean", *WITHOUT_END)
    }


@pytest.fixture(scope="module")
def worsening(tree):
    """Numbers of five models: more and more of the mass is taken from the truth and put on a wrong leaf."""
    truth = leaf_truth(tree)
    rows = tree.leaves[None] == truth[:, None]
    wrong = np.roll(rows, 1, axis=1)
    weights = (1.0, 0.75, 0.375, 0.25, 0.0)
    return [numbers(evaluated(tree, weight * rows + (1 - weight) * wrong, truth)) for weight in weights]


@pytest.mark.parametrize("key", [key for key in KEYS if hv.METRICS[key].better != "neither" and key not in OF_ORDER])
def test_better_direction(worsening, key):
    """Never better on the way, and worse in the end."""
    sign = {"higher": 1, "lower": -1}[hv.METRICS[key].better]
    values = [sign * model[key] for model in worsening if model[key] is not None]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(values)), values
    # Selective coverage says how much is claimed, right or wrong.
    of_either = (*OVER_ERRORS, *OF_NO_ANSWERS, *OF_COHERENCE, "selective_coverage")
    assert values[0] > values[-1] or key in of_either, values


@pytest.mark.parametrize("key", PER_SAMPLE)
def test_numbers_of_one_sample(tree, key):
    truth = leaf_truth(tree)
    low, high = hv.METRICS[key].range
    values = hv.confusion(tree, truth, np.random.default_rng(3).integers(0, tree.n_nodes, len(truth))).per_sample[key]
    assert ((values >= low) & (values <= high)).all()
    assert len(np.unique(values)) > 2
    assert (hv.confusion(tree, truth, truth).per_sample[key] == high).all()
    assert hv.confusion(tree, truth, np.roll(truth, 7)).per_sample[key].mean() < high


def test_infinite_values_are_text(tree):
    truth = leaf_truth(tree)
    rows = np.roll(tree.leaves[None] == truth[:, None], 3, axis=1).astype(float)
    found = hv.evaluate(hv.Predictions.from_scores(tree, rows, "leaf_probabilities", truth=truth), more=True)["models"][
        0
    ]
    assert found["distribution"]["cross_entropy"] == "Infinity"
    assert found["distribution"]["neg_log_win"] == "Infinity"
    assert found["distribution"]["cross_entropy_infinite"] == len(truth)


def test_pairs_that_must_agree(tree):
    """hP(a, b) = hR(b, a); F1 of nodes = aggregate F1 of the same leaf; the curve's ends are the rules' means."""
    truth = leaf_truth(tree)
    evaluation = evaluated(tree, towards(tree, truth, 0.2), truth)
    there, back = hv.confusion(tree, truth, np.roll(truth, 5)), hv.confusion(tree, np.roll(truth, 5), truth)
    assert there.measures["ppv"] == back.measures["tpr"]
    found = numbers(evaluation, "top_down")
    assert found["f1"] == pytest.approx(found["aggregate_f1"], abs=1e-12)
    assert found["ppv"] == pytest.approx(found["aggregate_precision"], abs=1e-12)
    assert found["tpr"] == pytest.approx(found["aggregate_recall"], abs=1e-12)
    assert numbers(evaluation, "majority")["info_f1"] == pytest.approx(found["majority_f1"], abs=1e-12)
    assert numbers(evaluation, "leaf")["info_f1"] == pytest.approx(found["leaf_f1"], abs=1e-12)
    of_block = {key for key, metric in hv.METRICS.items() if metric.block == "predicted"}
    assert of_block == {*path_keys(), *OUTCOME_COUNTS}
    assert sum(found[count] for count in OUTCOME_COUNTS) == len(truth)
    assert found["n_no_answer"] / len(truth) == found["no_answer"]
    for cell in (*COUNTS, *OUTCOME_COUNTS):
        assert isinstance(found[cell], int)


def test_the_prevalence_threshold_is_what_its_text_says():
    """At the prevalence threshold precision is 1 minus the prevalence: sensitivity 4/5, false positive rate 1/5."""
    prevalence = measures(tp=4, tn=4, fp=1, fn=1)["pt"]
    precision = 0.8 * prevalence / (0.8 * prevalence + 0.2 * (1 - prevalence))
    assert precision == pytest.approx(1 - prevalence)
    assert "precision is 1 minus the prevalence" in hv.METRICS["pt"].sentence


def test_the_raw_win_is_a_half_where_only_the_root_is_shared(taxonomy):
    p = np.array([[1, 0, 0, 0, 0, 0, 1.0]])
    assert hv.win(taxonomy, taxonomy.nodes("cat"), p, rescaled=False) == hv.METRICS["softmax_win_raw"].range[0]
    assert "only the root is shared" in hv.METRICS["softmax_win_raw"].sentence


def test_hamming_loss_above_one(taxonomy):
    """Seven labels outside the taxonomy of six classes, and the truth's two classes missed: 9 / 6."""
    predictions = hv.Predictions.from_labels(taxonomy, [[-1] * 7], truth=[2])
    assert hv.evaluate(predictions)["models"][0]["labels"]["hamming_loss"] > 1
