"""Real files through the command line against the `expected*.json` and per-sample files that came with them.

Every call runs `hierviz.cli.main` with the JSON written to a file. The keys of docs/metrics.md are mapped to the
names of the expected files one by one (`LABELS`, `DISTRIBUTION`, ...); each test states how many values it compared, so
that a loop over nothing fails. What docs/metrics.md does not name (quantiles of train counts, operating points, subset
accuracy, the authors' own functions) stands in tests/metrics/sets/test_label_sets_files.py, and at the end of this file.
"""

import csv
import gzip
import json
from types import SimpleNamespace

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.metrics.parts import ByNode, Mean, OfSums, Total
from hierviz.metrics.registry import OPTIMAL_SET_METRICS, keys_of, path_keys
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.readers.node_attributes import load_node_attributes

TOLERANCE = 1e-9
CELLS = ("tp", "tn", "fp", "fn")
MEASURES = ("acc", "ppv", "tpr", "f1", "mcc")

# Key of block `labels` -> place in block threshold_0.5 of expected.json.
LABELS = {
    "micro_precision": "micro_precision",
    "micro_recall": "micro_recall",
    "micro_f1": "micro_f1",
    "macro_f1": "macro_f1",
    "macro_f1_supported": "macro_f1_supported",
    "hamming_loss": "hamming_loss",
    "c_f1_micro": "c_f1_micro_prune",
    "c_f1_macro": "c_f1_macro_prune",
    "c_f1_micro_strict": "c_f1_micro_strict",
    "c_f1_macro_strict": "c_f1_macro_strict",
    "hf1_samples": "hierarchical/f1_samples",
    "hf1_micro": "hierarchical/f1_micro",
    "hp_samples": "hierarchical/precision_samples_empty1",
    "hr_samples": "hierarchical/recall_samples",
    "hp_micro": "hierarchical/precision_micro",
    "hr_micro": "hierarchical/recall_micro",
    "ihf1_samples": "information/f1_samples",
    "ihf1_micro": "information/f1_micro",
    "n_empty": "n_empty",
    "n_incoherent": "n_incoherent",
}
# The second one is another form of the same tree.
TAXONOMIES = ["taxonomy.csv", pytest.param("hwv.taxonomy", marks=pytest.mark.long)]
CURVES = ("hf1_auc", "ihf1_auc", "hf1_auc_raw")
BY_DEPTH = ("macro_f1", "macro_f1_supported", "n_nodes")
DISTRIBUTION = (
    *("softmax_win", "softmax_win_raw", "neg_log_win", "neg_log_win_infinite"),
    *("cross_entropy", "cross_entropy_infinite", "cross_entropy_finite_mean"),
)
TOP_DOWN = (
    *("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy", "argmax_leaf_accuracy"),
    *("aggregate_precision", "aggregate_recall", "aggregate_f1"),
)
# Value of the authors' unchanged functions -> key of block `labels`. Clipping a child to its parent is pruning.
AUTHORS = {
    "compute_curve_hf1": "hf1_auc_raw",
    "hamming_loss": "hamming_loss",
    "f1_micro": "micro_f1",
    "f1_macro": "macro_f1",
    "clipped_micro": "c_f1_micro",
    "clipped_macro": "c_f1_macro",
}
# Column of per_sample_flat.csv -> column of --per-sample. `hf1` is the confusion's: the answer by the rule, as a path.
SAMPLE_NAMES = {key: key for key in ("sample_id", "truth", "top_down", "argmax_leaf")}
SAMPLE_NUMBERS = {
    "p_truth": "p_truth",
    "win": "softmax_win_raw",
    "win_rescaled": "softmax_win",
    "hf1_0.5": "hf1_samples",
    "ihf1_0.5": "ihf1_samples",
    "n_predicted_0.5": "n_predicted",
    "hf1_auc": "hf1_auc",
    "ihf1_auc": "ihf1_auc",
}


def table(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def at(block, place):
    for key in place.split("/"):
        block = block[key]
    return block


def compare(pairs, what):
    """Compare (name, ours, expected); returns how many: counts exactly, text exactly, the rest to 1e-9."""
    pairs = list(pairs)
    for name, ours, expected in pairs:
        if isinstance(expected, (int, str)):
            assert (type(ours), ours) == (type(expected), expected), f"{what}: {name}"
        else:
            assert isinstance(ours, float), f"{what}: {name}: {ours!r}"
            assert abs(ours - expected) <= TOLERANCE, f"{what}: {name}: {ours!r} is not {expected!r}"
    return len(pairs)


def columns(rows, names, kind=float):
    """Columns of a list of dicts as an array, shape (n_rows, n_names)."""
    return np.array([[kind(row[name]) for name in names] for row in rows])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """run(*arguments) -> the JSON and the rows of --per-sample of `hierviz evaluate`, both written to files."""
    folder, made = tmp_path_factory.mktemp("expected"), {}

    def call(*arguments):
        key = tuple(map(str, arguments))
        if key not in made:
            out, samples = folder / f"{len(made)}.json", folder / f"{len(made)}.csv"
            assert cli.main(["evaluate", *key, "--json", str(out), "--per-sample", str(samples)]) == 0
            made[key] = SimpleNamespace(json=json.loads(out.read_text(encoding="utf-8")), rows=table(samples))
        return made[key]

    return call


def rows_of(found, name):
    return [row for row in found.rows if row["model"] == name]


def assert_one_call_is_many(together, alone):
    """The entries and the rows of one call with several models are those of a call for each."""
    assert together.json["models"] == [one.json["models"][0] for one in alone]
    assert [one.json["taxonomy"] for one in alone] == [together.json["taxonomy"]] * len(alone)
    count = 0
    for one in alone:
        name = one.json["models"][0]["name"]
        mine = rows_of(together, name)
        assert len(mine) == len(one.rows) > 0
        for ours, theirs in zip(mine, one.rows):
            assert {key: ours[key] for key in theirs} == theirs
            # A column of another model's kind is empty.
            assert not any(ours[key] for key in set(ours) - set(theirs))
        count += len(mine)
    assert count == len(together.rows)


# HWV -------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hwv(shared_data):
    return shared_data / "hwv"


@pytest.fixture(scope="module")
def evaluate_hwv(run, hwv):
    def call(taxonomy, *names, more=()):
        files = [part for name in names for part in ("--predictions", hwv / f"{name}.npz")]
        return run("--taxonomy", hwv / taxonomy, *files, "--truth", hwv / "test.csv", *more)

    return call


@pytest.mark.parametrize("taxonomy", TAXONOMIES)
@pytest.mark.parametrize(
    ("name", "file", "n_values"), [("pred_flat", "expected.json", 69), ("pred_bce_nodes", "expected_bce.json", 52)]
)
def test_hwv(hwv, evaluate_hwv, taxonomy, name, file, n_values):
    expected = json.loads((hwv / file).read_text())
    found = evaluate_hwv(taxonomy, name)
    (model,) = found.json["models"]
    labels, golden = model["labels"], expected["threshold_0.5"]
    assert (
        set(labels)
        == set(LABELS) | set(CURVES) | {"macro_f1_by_depth", "subset_accuracy", "icm", "icm_norm", "outside_share"}
        == set(keys_of("labels", Mean, Total, OfSums, ByNode)) - set(OPTIMAL_SET_METRICS)
    )
    compared = compare(((key, labels[key], at(golden, place)) for key, place in LABELS.items()), "labels")
    compared += compare(((key, labels[key], expected["curves"][key]) for key in CURVES), "curves")
    assert labels["outside_share"] == 0
    assert list(labels["macro_f1_by_depth"]) == list(golden["macro_f1_by_depth"]) == list("123456")
    for depth, block in labels["macro_f1_by_depth"].items():
        assert set(block) == set(BY_DEPTH)
        compared += compare(((key, block[key], golden["macro_f1_by_depth"][depth][key]) for key in BY_DEPTH), depth)
    if "win" in expected:
        assert set(model["distribution"]) == set(DISTRIBUTION)
        assert set(model["top_down"]) == set(TOP_DOWN) | {"top5_leaf_accuracy", "error_lca_height"}
        assert set(DISTRIBUTION) | set(TOP_DOWN) == set(expected["win"]) - {"n", "top_down_differs_from_argmax"}
        for block, keys in (("distribution", DISTRIBUTION), ("top_down", TOP_DOWN)):
            compared += compare(((key, model[block][key], expected["win"][key]) for key in keys), block)
        differs = sum(row["top_down"] != row["argmax_leaf"] for row in found.rows)
        compared += compare(
            [("n", model["n_samples"], expected["win"]["n"])]
            + [("differs", differs, expected["win"]["top_down_differs_from_argmax"])],
            "win",
        )
    authors = expected["authors_code"]
    compared += compare(((key, labels[ours], authors[key]) for key, ours in AUTHORS.items()), "authors_code")
    # The authors' top-down path is Wu's best leaf, also where the scores are no distribution.
    levels, top_down = authors["evaluate_fast_top_down_max"], model["top_down"]
    compared += compare(
        [
            ("aggregate_f1", top_down["aggregate_f1"], levels["micro_f1"]),
            ("coarsest_accuracy", top_down["coarsest_accuracy"], levels["acc level 0"]),
        ],
        "authors_code",
    )
    taxonomy_block = found.json["taxonomy"]
    compared += compare(
        [
            ("n_samples", model["n_samples"], expected["n_samples"]),
            ("n_nodes", taxonomy_block["n_nodes"] - 1, expected["n_nodes"]),
            ("n_leaves", taxonomy_block["n_leaves"], expected["n_leaves"]),
        ],
        "counts",
    )
    assert compared == n_values
    assert (model["n_without_prediction"], model["n_without_truth"]) == (0, 0)
    assert (model["rule"], model["threshold"]) == ("majority", 0.5)


@pytest.mark.parametrize("taxonomy", TAXONOMIES)
def test_hwv_per_sample(hwv, evaluate_hwv, taxonomy):
    rows, golden = evaluate_hwv(taxonomy, "pred_flat").rows, table(hwv / "per_sample_flat.csv")
    assert len(rows) == len(golden) == 2003
    assert set(golden[0]) == set(SAMPLE_NAMES) | set(SAMPLE_NUMBERS)
    names = columns(golden, SAMPLE_NAMES, str)
    np.testing.assert_array_equal(columns(rows, SAMPLE_NAMES.values(), str), names)
    numbers = columns(golden, SAMPLE_NUMBERS)
    ours = columns(rows, SAMPLE_NUMBERS.values())
    np.testing.assert_allclose(ours, numbers, rtol=0, atol=TOLERANCE)
    assert names.size + numbers.size == 24_036


@pytest.mark.parametrize("name", ["pred_flat", "pred_bce_nodes"])
def test_hwv_per_sample_means_are_the_blocks(evaluate_hwv, name):
    """The per-sample file of the other model, which has no golden, adds up to its JSON."""
    found = evaluate_hwv("taxonomy.csv", name)
    (model,) = found.json["models"]
    means = {
        "distribution": ("softmax_win", "softmax_win_raw", "neg_log_win"),
        "top_down": ("one_hot_win", "coarsest_accuracy", "parents_accuracy", "finest_accuracy", "argmax_leaf_accuracy"),
        "predicted": path_keys(),
        "labels": ("hp_samples", "hr_samples", "hf1_samples", "ihf1_samples", *CURVES),
    }
    compared = 0
    for block, keys in means.items():
        values = columns(found.rows, keys).mean(axis=0)
        compared += compare(((key, float(mean), model[block][key]) for key, mean in zip(keys, values)), block)
    counts = columns(found.rows, CELLS, int).sum(axis=0)
    compared += compare(((cell, int(n), model["confusion"][cell]) for cell, n in zip(CELLS, counts)), "confusion")
    infinite = sum(row["cross_entropy"] == "Infinity" for row in found.rows)
    compared += compare([("infinite", infinite, model["distribution"]["cross_entropy_infinite"])], "distribution")
    n_empty = sum(row["n_predicted"] == "0" for row in found.rows)
    compared += compare([("n_empty", n_empty, model["labels"]["n_empty"])], "labels")
    each = columns(found.rows, ("exact", "correct", "no_answer")).sum(axis=0)
    of = model["predicted"]
    assert [of["n_exact"], of["n_exact"] + of["n_coarse"] + of["n_no_answer"], of["n_no_answer"]] == each.tolist()
    assert of["n_exact"] + of["n_coarse"] + of["n_no_answer"] + of["n_wrong"] == model["n_samples"]
    assert compared == 33


def test_hwv_several_models(evaluate_hwv):
    names = "pred_bce_nodes", "pred_flat"
    together = evaluate_hwv("taxonomy.csv", *names)
    assert [model["name"] for model in together.json["models"]] == list(names)
    assert_one_call_is_many(together, [evaluate_hwv("taxonomy.csv", name) for name in names])


@pytest.mark.parametrize(
    ("rule", "block", "tau"),
    [("leaf", "argmax_leaf", 0.15), pytest.param("top_down", "top_down", 0.9, marks=pytest.mark.long)],
)
def test_hwv_other_rules_and_thresholds(hwv, evaluate_hwv, rule, block, tau):
    """The confusion of a rule's path has the measures of its label set; `labels` is the operating point of the golden."""
    more = ("--rule", rule, "--threshold", tau, "--nodes", hwv / "nodes.csv")
    found = evaluate_hwv("taxonomy.csv", "pred_flat", "pred_bce_nodes", more=more)
    compared = 0
    for model, file in zip(found.json["models"], ("expected.json", "expected_bce.json"), strict=True):
        expected = json.loads((hwv / file).read_text())
        assert (model["rule"], model["threshold"]) == (rule, tau)
        (point,) = (one for one in expected["operating_points"] if one["tau"] == tau)
        names = {"hp": "hp_samples", "hr": "hr_samples"} | {key: key for key in ("hf1_samples", "hf1_micro", "n_empty")}
        assert set(point) == {"tau", *names}
        compared += compare(((key, model["labels"][ours], point[key]) for key, ours in names.items()), "point")
        # A threshold moves no area.
        compared += compare(((key, model["labels"][key], expected["curves"][key]) for key in CURVES), "curves")
        confusion = model["confusion"]
        if block in expected:
            measures = (("ppv", "micro_precision"), ("tpr", "micro_recall"), ("f1", "micro_f1"))
            compared += compare(((ours, confusion[ours], expected[block][theirs]) for ours, theirs in measures), rule)
            rows = rows_of(found, model["name"])
            means = columns(rows, ("hp", "hr", "hf1")).mean(axis=0).tolist()
            family = expected[block]["hierarchical"]
            golden = ("precision_samples_empty1", "recall_samples", "f1_samples")
            compared += compare(zip(golden, means, (family[key] for key in golden)), rule)
        if rule == "top_down":
            micro = expected["authors_code"]["evaluate_fast_top_down_max"]["micro_f1"]
            compared += compare([("f1", confusion["f1"], micro)], "authors_code")
        elif "win" in expected:
            accuracy = expected["win"]["argmax_leaf_accuracy"]
            compared += compare([("exact", model["predicted"]["exact"], accuracy)], "win")
    assert compared == {"leaf": 23, "top_down": 24}[rule]


def test_hwv_node_counts(hwv):
    """nodes.csv: the train counts as node attributes, and the samples that carry each node, which the file also has."""
    taxonomy = load_node_attributes(str(hwv / "nodes.csv"), hv.load_taxonomy(str(hwv / "taxonomy.csv")))
    rows = {row["node"]: row for row in table(hwv / "nodes.csv")}
    in_order = [rows[name] for name in taxonomy.names[1:]]
    assert [int(one) for one in taxonomy.attributes["train_count"][1:]] == [int(row["train_count"]) for row in in_order]
    truth = taxonomy.nodes(*(row["leaf"] for row in table(hwv / "test.csv")))
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(truth, hv.NodeLists.from_lists([[]] * len(truth)))
    assert counts.n_true[1:].tolist() == [int(row["test_count"]) for row in in_order]
    assert len(in_order) == 1186


# Transposon ------------------------------------------------------------------------------------------------------------

MODELS = ("RFSB", "HC_GA", "TopDown")


@pytest.fixture(scope="module")
def transposon(shared_data):
    return shared_data / "transposon"


@pytest.fixture(scope="module")
def evaluate_transposon(run, transposon):
    def call(column, *names):
        files = [part for name in names for part in ("--predictions", transposon / f"pred_{name}.csv.gz")]
        truth = ("--truth", transposon / "truth.csv.gz", "--truth-column", column)
        return run("--taxonomy", transposon / "taxonomy.csv", *files, *truth)

    return call


def confusion_pairs(block, golden):
    return [(key, block[key], golden[key.upper()]) for key in CELLS + MEASURES]


@pytest.mark.parametrize(
    ("column", "variant"), [("label_paper", "paper"), pytest.param("label_raw", "raw_truth", marks=pytest.mark.long)]
)
def test_transposon(transposon, evaluate_transposon, column, variant):
    expected = json.loads((transposon / "expected.json").read_text())
    found = evaluate_transposon(column, *MODELS)
    assert [model["name"] for model in found.json["models"]] == [f"pred_{name}" for name in MODELS]
    compared = 0
    for name, model in zip(MODELS, found.json["models"]):
        golden = expected["models"][name]
        assert set(golden[variant]) == {key.upper() for key in CELLS + MEASURES}
        compared += compare(confusion_pairs(model["confusion"], golden[variant]), name)
        compared += compare([("n_samples", model["n_samples"], expected["n_samples"])], name)
        counts = columns(rows_of(found, model["name"]), CELLS, int)
        assert counts.sum(axis=0).tolist() == [golden[variant][cell.upper()] for cell in CELLS]
        if variant == "paper":
            for key, percent in golden["paper_percent"].items():
                assert 100 * model["confusion"][key.lower()] == pytest.approx(percent, abs=0.005 + 1e-9)
                compared += 1
    assert compared == {"paper": 45, "raw_truth": 30}[variant]


def test_transposon_per_sample(transposon, evaluate_transposon):
    golden = table(transposon / "expected_per_sample.csv.gz")
    found = evaluate_transposon("label_paper", *MODELS)
    keys = [(row["model"].removeprefix("pred_"), row["sample_id"]) for row in found.rows]
    assert sorted(keys) == sorted((row["model"], row["sample_id"]) for row in golden)
    expected = {(row["model"], row["sample_id"]): [int(row[cell.upper()]) for cell in CELLS] for row in golden}
    ours = columns(found.rows, CELLS, int)
    np.testing.assert_array_equal(ours, [expected[key] for key in keys])
    assert ours.size == 4 * 3 * 9006


@pytest.mark.parametrize("column", ["label_paper", pytest.param("label_raw", marks=pytest.mark.long)])
def test_transposon_several_models(evaluate_transposon, column):
    together = evaluate_transposon(column, *MODELS)
    assert_one_call_is_many(together, [evaluate_transposon(column, name) for name in MODELS])


# GermEval --------------------------------------------------------------------------------------------------------------

SUBMISSIONS = (
    "EricssonResearch__fconv_A6C1Y",
    "Comtravo-DS__local_clf_logit_cnn",
    "DFKI-SLT__full",
    "LT-UHH__baseline",
)


@pytest.fixture(scope="module")
def germeval(shared_data):
    return shared_data / "germeval2019"


@pytest.fixture(scope="module")
def evaluate_germeval(run, germeval):
    def call(task, *names, keep=False):
        files = [part for name in names for part in ("--predictions", germeval / f"pred_{task}_{name}.csv.gz")]
        more = ("--keep-empty-labels",) if keep else ()
        truth = ("--truth", germeval / f"truth_{task}.csv.gz")
        return run("--taxonomy", germeval / f"taxonomy_{task}.csv", *files, *truth, *more)

    return call


VARIANTS = [("1a", "clean"), ("1a", "paper"), ("1b", "clean"), ("1b", "paper")]


def flag(task, variant):
    """The paper's script keeps empty labels in task 1A and drops them in 1B."""
    return task == "1a" and variant == "paper"


@pytest.mark.long
@pytest.mark.parametrize(("task", "variant"), VARIANTS)
def test_germeval(germeval, evaluate_germeval, task, variant):
    expected = json.loads((germeval / "expected.json").read_text())
    found = evaluate_germeval(task, *SUBMISSIONS, keep=flag(task, variant))
    assert set(expected["tasks"][task]) == set(SUBMISSIONS)
    compared = 0
    for name, model in zip(SUBMISSIONS, found.json["models"], strict=True):
        golden = expected["tasks"][task][name]
        labels = model["labels"]
        assert model["name"] == f"pred_{task}_{name}"
        pairs = confusion_pairs(model["confusion"], golden[variant])
        pairs.append(("n_samples", model["n_samples"], expected["n_samples"]))
        missing = golden["n_samples_without_prediction_row"]
        pairs.append(("without prediction", model["n_without_prediction"], missing))
        if not flag(task, variant):
            # The flat scores of the organisers and the set scores are those of clean input.
            for key in ("precision", "recall", "f1"):
                pairs.append((key, labels[f"micro_{key}"], golden["flat_micro"][key]))
            pairs.append(("hf1_micro", labels["hf1_micro"], golden["set_based_ancestor_closed"]["f1"]))
            pairs.append(("n_empty", labels["n_empty"], missing + golden["n_rows_without_any_label"]))
            assert bool(labels["n_incoherent"]) == bool(golden["n_labels_whose_parent_is_not_predicted"])
        else:
            # A kept empty label is a prediction: one level, so the micro scores are those of the confusion.
            names = (("micro_precision", "PPV"), ("micro_recall", "TPR"), ("micro_f1", "F1"), ("hf1_micro", "F1"))
            pairs += [(key, labels[key], golden["paper"][theirs]) for key, theirs in names]
            pairs.append(("n_empty", labels["n_empty"], missing))
            for key, percent in golden["paper_percent_table_iv"].items():
                assert 100 * model["confusion"][key.lower()] == pytest.approx(percent, abs=0.005 + 1e-9)
                compared += 1
        compared += compare(pairs, name)
    assert compared == 4 * (16 + 5 * flag(task, variant))


@pytest.mark.parametrize(
    ("task", "variant"), [VARIANTS[0], *(pytest.param(*one, marks=pytest.mark.long) for one in VARIANTS[1:3])]
)
def test_germeval_per_sample(germeval, evaluate_germeval, task, variant):
    found = evaluate_germeval(task, *SUBMISSIONS, keep=flag(task, variant))
    golden = [row for row in table(germeval / "expected_per_sample.csv.gz") if row["task"] == task]
    expected = {(row["submission"], row["sample_id"]): [int(row[cell.upper()]) for cell in CELLS] for row in golden}
    if (task, variant) == ("1a", "clean"):
        # The file holds the paper's counts: there an empty label is one false positive more.
        n_dropped = 0
        for name in SUBMISSIONS:
            for row in table(germeval / f"pred_{task}_{name}.csv.gz"):
                n_empty = row["labels"].split(";").count("")
                expected[name, row["sample_id"]][CELLS.index("fp")] -= n_empty
                n_dropped += n_empty
        assert n_dropped == 237
    keys = [(row["model"].removeprefix(f"pred_{task}_"), row["sample_id"]) for row in found.rows]
    assert sorted(keys) == sorted(expected)
    ours = columns(found.rows, CELLS, int)
    np.testing.assert_array_equal(ours, [expected[key] for key in keys])
    assert ours.size == 4 * 4 * 4157


@pytest.mark.parametrize(
    ("task", "keep"),
    [("1a", True), *(pytest.param(task, False, marks=pytest.mark.long) for task in ("1a", "1b"))],
)
def test_germeval_several_models(evaluate_germeval, task, keep):
    together = evaluate_germeval(task, *SUBMISSIONS, keep=keep)
    assert_one_call_is_many(together, [evaluate_germeval(task, name, keep=keep) for name in SUBMISSIONS])


def test_germeval_set_scores(germeval, evaluate_germeval):
    """What docs/metrics.md does not name, through the API, on the files as the readers read them."""
    expected = json.loads((germeval / "expected.json").read_text())["tasks"]
    compared = 0
    for task in ("1a", "1b"):
        taxonomy = hv.load_taxonomy(str(germeval / f"taxonomy_{task}.csv"))
        for name in SUBMISSIONS:
            file = str(germeval / f"pred_{task}_{name}.csv.gz")
            predictions = hv.load_predictions(file, taxonomy, truth=str(germeval / f"truth_{task}.csv.gz"))
            counts = hv.Evaluation.from_predictions(predictions).label_counts()
            golden, summary = expected[task][name], counts.summary()
            pairs = [("subset", summary["subset_accuracy"], golden["flat_micro"]["subset_accuracy"])]
            for key, short in (("precision", "p"), ("recall", "r"), ("f1", "f1")):
                pairs.append((key, summary[f"h{short}_micro"], golden["set_based_ancestor_closed"][key]))
            compared += compare(pairs, name)
    assert compared == 32
