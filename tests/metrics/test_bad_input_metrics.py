"""Eight kinds of bad input to metrics, rules and losses: the message of each, at every door it can come in by.

The doors are the public functions (API) and ``hierviz evaluate`` or ``curve`` (the command line: exit code 2, one line,
nothing written). The command line has no losses. Files that cannot be read are tests/readers/bad_files.py.
"""

import re

import numpy as np
import pytest
from sample_curves import curve_areas, sample_curve, set_information, set_metrics_by_threshold

import hierviz as hv
from hierviz import LOSSES, METRICS, NodeLists, PredictionsError, TaxonomyError, cli
from hierviz.curves._rule_curve import information_curve
from hierviz.losses.registry import loss
from hierviz.metrics.confusion.constant_paths import best_constant_path
from hierviz.metrics.path import truncate
from hierviz.metrics.sets.expected_sets import expected_by_threshold, expected_hf1
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.sets.node_sets import set_overlap
from hierviz.metrics.win import best_leaf_metrics

# Coherent, of the fixture taxonomy: animal, mammal, cat, dog, bird, duck, newt.
P = np.array([[1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125]])
EDGES = "animal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"
SCORES = "sample_id,cat,dog,duck,newt\na,0.5,0.25,0.125,0.125\nb,0.25,0.25,0.25,0.25\n"
TRUTH = "sample_id,truth\na,cat\nb,duck\n"
GRAPH = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")]
PARAMETERS = {"threshold": {"threshold": 0.5}, "threshold_set": {"threshold": 0.5}, "darts": {"lam": 1}} | {
    "information_threshold": {"bits": 1},
    "depth_thresholds": {"thresholds_by_depth": [0.5]},
}


@pytest.fixture
def graph():
    """r > a, b; c below both; b > d."""
    return hv.Taxonomy.from_edges(GRAPH)


@pytest.fixture
def refuses(tmp_path, capsys):
    """refuses(match, command, scores=, truth=, taxonomy=, ...): exit code 2, one line that matches, nothing written."""

    def call(match, command="evaluate", more=(), name="scores.csv", **contents):
        files = {"taxonomy": "taxonomy.csv", "predictions": name, "truth": "truth.csv"}
        texts = {"taxonomy": EDGES, "predictions": SCORES, "truth": TRUTH} | contents
        arguments = [command]
        for flag, file in files.items():
            if isinstance(texts[flag], np.ndarray):
                np.save(tmp_path / file, texts[flag])
            elif texts[flag] is not None:
                (tmp_path / file).write_text(texts[flag], encoding="utf-8")
            if texts[flag] is not None:
                arguments += [f"--{flag}", str(tmp_path / file)]
        outputs = [tmp_path / "out.json", tmp_path / "out.csv"]
        flags = ("--json", "--per-sample") if command == "evaluate" else ("--csv",)
        for flag, path in zip(flags, outputs):
            arguments += [flag, str(path)]
        capsys.readouterr()
        assert cli.main([*arguments, *map(str, more)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert re.fullmatch(r"hierviz: [^\n]*\n", captured.err), captured.err
        assert re.search(match, captured.err), captured.err
        assert not any(path.exists() for path in outputs)

    return call


def accepts(tmp_path, *more):
    """The files that `refuses` writes are good but for what it changes."""
    for name, text in (("taxonomy.csv", EDGES), ("scores.csv", SCORES), ("truth.csv", TRUTH)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ("--taxonomy", "taxonomy.csv"), ("--predictions", "scores.csv"), ("--truth", "truth.csv")
    arguments = [part for flag, name in files for part in (flag, str(tmp_path / name))]
    return cli.main(["evaluate", *arguments, "--json", str(tmp_path / "out.json"), *more])


def test_the_files_are_good(tmp_path):
    assert accepts(tmp_path) == 0


def scored(taxonomy, rows, key="leaf_probabilities", **more):
    return hv.Predictions.from_scores(taxonomy, np.array(rows, dtype=float), key, **more)


# Truth that is not in the taxonomy -------------------------------------------------------------------------------------

WITH_TRUTH = {
    "win": lambda t, y: hv.win(t, y, P),
    "win_breakdown": lambda t, y: hv.win_breakdown(t, int(y[0]), P[0]),
    "path_metrics": lambda t, y: hv.metrics.path_metrics(t, y, np.array([1])),
    "truncate": lambda t, y: truncate(t, y, np.array([1])),
    "best_leaf_metrics": lambda t, y: best_leaf_metrics(t, y, np.array([2])),
    "operating_curve": lambda t, y: hv.operating_curve(t, y, hv.pareto_table(t, P)),
    "information_curve": lambda t, y: information_curve(t, y, P),
    "confusion": lambda t, y: hv.confusion(t, y, np.array([1])),
    "confusion of lists": lambda t, y: hv.confusion(t, NodeLists.from_lists([y]), NodeLists.from_lists([[1]])),
    "best_constant_path": best_constant_path,
    "LabelSetCounts.add": lambda t, y: LabelSetCounts(t).add(y, P),
    "LabelSetCounts.add_lists": lambda t, y: LabelSetCounts(t).add_lists(y, NodeLists.from_lists([[1]])),
    "curve_areas": lambda t, y: curve_areas(t, y, P),
    "set_curve": lambda t, y: sample_curve(t, y, P[0]),
    "set_metrics_by_threshold": lambda t, y: set_metrics_by_threshold(t, y, P, [0.5]),
    "set_overlap": lambda t, y: set_overlap(t, y, NodeLists.from_lists([[1]])),
    "set_information": set_information,
    **{
        f"loss {key}": lambda t, y, key=key: loss(key, t, y, np.zeros((1, len(LOSSES[key].columns(t)))))
        for key in LOSSES
        if key != "conditional_softmax_la"
    },
}


@pytest.mark.parametrize("node", [7, -1])
@pytest.mark.parametrize("door", WITH_TRUTH)
def test_truth_not_in_the_taxonomy(taxonomy, door, node):
    with pytest.raises(PredictionsError, match=rf"^truth: expected node numbers from 0 to 6, got .*{node}"):
        WITH_TRUTH[door](taxonomy, np.array([node]))


def test_truth_not_in_the_taxonomy_by_name(taxonomy):
    with pytest.raises(TaxonomyError, match=r"no node named 'duk' in the taxonomy \(7 nodes\)\. Did you mean 'duck'\?"):
        taxonomy.nodes("cat", "duk")
    with pytest.raises(PredictionsError, match=r"^truth, row 0: expected node numbers from 0 to 6, or -1 .*got 7"):
        scored(taxonomy, [[0.5, 0.5, 0, 0]], truth=[7])


@pytest.mark.parametrize("command", ["evaluate", "curve"])
def test_truth_not_in_the_taxonomy_from_a_file(refuses, command):
    message = (
        r"truth\.csv:3, column 'truth': expected the name of a node .* as truth, got 'duk'\. Did you mean 'duck'\?"
    )
    refuses(message, command, truth=TRUTH.replace("duck", "duk"))
    refuses(
        r"labels\.csv.*'duk'.*Did you mean 'duck'\?", name="labels.csv", predictions="sample_id,labels\na,cat\nb,duk\n"
    )


# Two models with different samples -------------------------------------------------------------------------------------


def test_models_of_different_samples(taxonomy):
    rows = [[0.5, 0.25, 0.125, 0.125]] * 2
    one, other, without_ids, short = (
        scored(taxonomy, rows[: n or 2], truth=[2, 5][: n or 2], sample_ids=ids, name=name)
        for name, ids, n in (
            ("one", np.array(["a", "b"]), 2),
            ("other", np.array(["a", "c"]), 2),
            ("bare", None, 2),
            ("short", None, 1),
        )
    )
    message = (
        r"^other: expected the samples of one, got 1 missing \('b'\) and 1 others \('c'\)\. Compare models on the same"
    )
    for models in (
        [one, other],
        [hv.Evaluation.from_predictions(one), hv.Evaluation.from_predictions(other)],
        [one, one, other],
    ):
        with pytest.raises(PredictionsError, match=message):
            hv.evaluate(models)
    with pytest.raises(
        PredictionsError, match=r"^short: expected the 2 samples of one, got 1\. Compare models on the same"
    ):
        hv.evaluate([one, short])
    assert len(hv.evaluate([one, without_ids])["models"]) == 2


def test_models_of_different_samples_from_files(refuses, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(SCORES.replace("\nb,", "\nc,"), encoding="utf-8")
    truth = TRUTH + "c,newt\n"
    message = r"other: expected the samples of scores, got 1 missing \('b'\) and 1 others \('c'\)\. Compare models on the same"
    refuses(message, more=("--predictions", other), truth=truth)
    np.save(tmp_path / "short.npy", np.full((1, 4), 0.25))
    refuses(r"short.*expected.*got 1", more=("--predictions", tmp_path / "short.npy"))
    refuses("expected one file for a curve, got 2", "curve", more=("--predictions", other))


# Values that are no probabilities --------------------------------------------------------------------------------------

# Rows of leaf probabilities (cat, dog, duck, newt), what is wrong with the second sample, and that column.
BAD_ROWS = {
    "NaN": ([0.5, 0.5, np.nan, 0], "got nan", "duck"),
    "infinite": ([0.5, 0.5, np.inf, 0], "got inf", "duck"),
    "negative": ([0.5, 0.75, 0, -0.25], r"got -0\.25", "newt"),
    "above 1": ([1.25, 0, 0, 0], r"got 1\.25", "cat"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_no_probability(taxonomy, name):
    row, got, column = BAD_ROWS[name]
    rows = np.array([[0.25] * 4, row])
    message = (
        rf"^scores, sample '1', column '{column}': expected a probability from 0 to 1, {got}\. Such values .*: 1\."
    )
    with pytest.raises(PredictionsError, match=message):
        scored(taxonomy, rows)
    nodes = np.concatenate([P[0, 1:][None], P[0, 1:][None]])
    where = taxonomy.node(column) - 1
    nodes[1, where] = rows[1, taxonomy.leaves.tolist().index(where + 1)]
    with pytest.raises(PredictionsError, match=message):
        scored(taxonomy, nodes, "node_probabilities")


@pytest.mark.parametrize("name", BAD_ROWS)
@pytest.mark.parametrize("command", ["evaluate", "curve"])
def test_no_probability_from_a_file(refuses, name, command):
    row, got, column = BAD_ROWS[name]
    text = SCORES[: SCORES.index("b,")] + ",".join(["b", *map(str, row)]) + "\n"
    message = rf"scores\.csv, sample 'b', column '{column}': expected a probability from 0 to 1, {got}"
    refuses(message, command, predictions=text)
    if command == "evaluate":
        # A model beside a good one.
        array = np.array([[0.25] * 4, row])
        refuses(rf"column '{column}': expected a probability from 0 to 1, {got}", name="scores.npy", predictions=array)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers(taxonomy, value):
    """The functions below Predictions take any finite p; rules, Pareto sets, curves and losses name what is not."""
    bad = P.copy()
    bad[0, 5] = value
    message = rf"^p: expected finite numbers, got {value} in row 0"
    for rule in hv.INFERENCE_RULES:
        with pytest.raises(PredictionsError, match=message):
            hv.infer(taxonomy, bad, rule, **PARAMETERS.get(rule, {}))
    for function in (hv.pareto_table, lambda t, p: information_curve(t, np.array([2]), p)):
        with pytest.raises(PredictionsError, match=message):
            function(taxonomy, bad)
    for key in LOSSES:
        scores = np.zeros((1, len(LOSSES[key].columns(taxonomy))))
        scores[0, 1] = value
        keywords = {"counts": np.ones(7)} if key == "conditional_softmax_la" else {}
        with pytest.raises(
            PredictionsError, match=rf"^scores: expected finite numbers, got {value} in row 0, column 1"
        ):
            loss(key, taxonomy, np.array([2]), scores, **keywords)


# Rows that do not sum to one -------------------------------------------------------------------------------------------


def test_rows_that_do_not_sum_to_one(taxonomy):
    message = r"^scores, sample '1': expected leaf probabilities that sum to 1, got a sum of 0\.9\. Such rows .*: 1\."
    with pytest.raises(PredictionsError, match=message):
        scored(taxonomy, [[0.25] * 4, [0.4, 0.2, 0.2, 0.1]])
    # The tolerance is 2e-3.
    assert scored(taxonomy, [[0.25] * 4, [0.2519, 0.25, 0.25, 0.25]]).n_samples == 2
    with pytest.raises(PredictionsError, match=r"expected leaf probabilities that sum to 1, got a sum of 1\.002"):
        scored(taxonomy, [[0.25] * 4, [0.2521, 0.25, 0.25, 0.25]])
    # Node scores need not: the note of the block says so.
    found = scored(taxonomy, [[0.75, 0.5, 0.5, 0.125, 0.5, 0.125]], "node_probabilities", truth=[2])
    notes = hv.evaluate(found)["models"][0]["notes"]
    assert notes == [
        "distribution: the leaves of 1 of 1 samples do not sum to 1 (1.625 to 1.625); each node's own p is used"
    ]


@pytest.mark.parametrize("command", ["evaluate", "curve"])
def test_rows_that_do_not_sum_to_one_from_a_file(refuses, command):
    message = (
        r"scores\.csv, sample 'b': expected leaf probabilities that sum to 1, got a sum of 0\.95\. Such rows .*: 1\."
    )
    refuses(message, command, predictions=SCORES.replace("b,0.25", "b,0.2"))


# Wrong width -----------------------------------------------------------------------------------------------------------

WITH_P = {
    "win": lambda t, p: hv.win(t, np.array([2]), p),
    "win_breakdown": lambda t, p: hv.win_breakdown(t, 2, p[0]),
    "pareto_table": hv.pareto_table,
    "information_curve": lambda t, p: information_curve(t, np.array([2]), p),
    "LabelSetCounts.add": lambda t, p: LabelSetCounts(t).add(np.array([2]), p),
    "curve_areas": lambda t, p: curve_areas(t, np.array([2]), p),
    "set_curve": lambda t, p: sample_curve(t, np.array([2]), p[0]),
    "set_metrics_by_threshold": lambda t, p: set_metrics_by_threshold(t, np.array([2]), p, [0.5]),
    "expected_hf1": lambda t, p: expected_hf1(t, p[0], NodeLists.from_lists([[1]])),
    "expected_by_threshold": lambda t, p: expected_by_threshold(t, p[0]),
    **{
        f"infer {rule}": lambda t, p, rule=rule: hv.infer(t, p, rule, **PARAMETERS.get(rule, {}))
        for rule in hv.INFERENCE_RULES
    },
}


@pytest.mark.parametrize("door", WITH_P)
def test_wrong_width(taxonomy, door):
    WITH_P[door](taxonomy, P)
    for p in (P[:, :6], np.ones((1, 8))):
        with pytest.raises(PredictionsError, match=rf"^p: expected shape \(.*7.*\).*, got \((1, )?{p.shape[1]},?\)"):
            WITH_P[door](taxonomy, p)


@pytest.mark.parametrize("key", hv.PARAMETRISATIONS)
def test_wrong_width_of_scores(taxonomy, key):
    # `node_probabilities` takes 6 columns, or 7 with the root.
    message = rf"^scores: expected \d( or \d)? columns for {key} \(.*\), got 5\. Check the taxonomy"
    for call in (hv.node_probabilities, lambda t, scores, key: scored(t, scores, key)):
        with pytest.raises(PredictionsError, match=message):
            call(taxonomy, np.full((1, 5), 0.2), key)


@pytest.mark.parametrize("key", LOSSES)
def test_wrong_width_for_a_loss(taxonomy, key):
    width = len(LOSSES[key].columns(taxonomy))
    keywords = {"counts": np.ones(7)} if key == "conditional_softmax_la" else {}
    with pytest.raises(PredictionsError, match=rf"^scores: expected {width} columns for .*, got {width - 1}"):
        loss(key, taxonomy, np.array([2]), np.zeros((1, width - 1)), **keywords)


@pytest.mark.parametrize("command", ["evaluate", "curve"])
def test_wrong_width_of_a_file(refuses, command):
    refuses(r"scores\.npy: expected .* columns?.*, got 5", command, name="scores.npy", predictions=np.full((2, 5), 0.2))
    no_newt = "sample_id,cat,dog,duck\na,0.5,0.25,0.25\nb,0.5,0.25,0.25\n"
    refuses(r"scores\.csv.*'newt'", command, predictions=no_newt)
    refuses(r"expected .* columns for flat_softmax .*, got 5", command, ("--parametrisation", "flat_softmax"),
            name="scores.npy", predictions=np.full((2, 5), 0.2))  # fmt: skip


# Inner truth for a loss that needs leaves ------------------------------------------------------------------------------


@pytest.mark.parametrize("key", LOSSES)
def test_inner_truth_of_a_loss(taxonomy, key):
    """The entry of `LOSSES` says what it needs, and that is what it does; raw_win and log_win have our convention."""
    scores = np.zeros((3, len(LOSSES[key].columns(taxonomy))))
    keywords = {"counts": np.ones(7)} if key == "conditional_softmax_la" else {}
    truth = np.array([2, 1, 4])
    if LOSSES[key].leaf_truth_only:
        message = rf"^truth: expected leaves for {key}, got 'mammal', 'bird' in 2 of 3 rows"
        with pytest.raises(PredictionsError, match=message):
            loss(key, taxonomy, truth, scores, **keywords)
    else:
        values, gradient = loss(key, taxonomy, truth, scores, **keywords)
        assert np.isfinite(values).all()
        assert np.isfinite(gradient).all()


def test_some_losses_need_leaves(taxonomy):
    assert {key for key in LOSSES if LOSSES[key].leaf_truth_only} == {"conditional_sigmoid", "deep_rtc"}
    # Smoothing spreads over leaves: a leaf is needed there, too.
    with pytest.raises(PredictionsError, match=r"^truth: expected leaves for flat_ce, got 'mammal' in 1 of 1 rows"):
        loss("flat_ce", taxonomy, np.array([1]), np.zeros((1, 4)), smoothing=0.1)


# What is defined on trees only, on a graph -----------------------------------------------------------------------------

TREE_RULES = [key for key, rule in hv.INFERENCE_RULES.items() if rule.tree_only]
TREES_ONLY = {
    "win": lambda g, y: hv.win(g, y, np.ones((1, 5))),
    "win_breakdown": lambda g, y: hv.win_breakdown(g, int(y[0]), np.ones(5)),
    "path_metrics": lambda g, y: hv.metrics.path_metrics(g, y, y),
    "truncate": lambda g, y: truncate(g, y, y),
    "best_leaf_metrics": lambda g, y: best_leaf_metrics(g, y, y),
    "operating_curve": lambda g, y: hv.operating_curve(g, y, hv.pareto_table(g, np.ones((1, 5)))),
    "information_curve": lambda g, y: information_curve(g, y, np.ones((1, 5))),
    "set_information": set_information,
    "set_overlap in bits": lambda g, y: set_overlap(g, y, NodeLists.from_lists([[1]]), "information"),
    "set_curve in bits": lambda g, y: sample_curve(g, y, np.ones(5), weight="information"),
    **{f"infer {rule}": lambda g, y, rule=rule: hv.infer(g, np.ones((1, 5)), rule) for rule in TREE_RULES},
    **{
        key: lambda g, y, key=key: hv.node_probabilities(g, np.zeros((1, 4)), key)
        for key in ("conditional_softmax", "conditional_sigmoid", "deep_rtc", "ps_softmax")
    },
    **{
        f"loss {key}": lambda g, y, key=key: loss(key, g, y, np.zeros((1, 4)))
        for key in ("raw_win", "log_win", "hxe", "conditional_softmax", "deep_rtc", "ps_softmax", "champ")
    },
}


@pytest.mark.parametrize("door", TREES_ONLY)
def test_graph(graph, door):
    with pytest.raises(TaxonomyError, match=r"expected a tree, got 'c' with 2 parents \('a', 'b'\)\. Keep one of them"):
        TREES_ONLY[door](graph, np.array([4]))


def test_blocks_of_a_graph(graph):
    """Every metric that says it needs a tree is null there, with a note; the others have a value."""
    predictions = hv.Predictions.from_scores(graph, np.array([[0.75, 0.25]]), "leaf_probabilities", truth=[3])
    (model,) = hv.evaluate(predictions, more=True)["models"]
    blocks = (
        *("distribution", "top_down", "predicted", "curve", "selective"),
        *("best_leaves", "probabilities", "random_cuts", "levels"),
    )
    for block in blocks:
        assert model[block] is None
        assert (
            f"{block}: null, they are defined on trees, and 'c' has several parents in this taxonomy" in model["notes"]
        )
    assert {key for key, value in model["labels"].items() if value is None} == {
        key for key, metric in METRICS.items() if metric.block == "labels" and metric.tree_only
    }
    for metric in METRICS.values():
        assert metric.tree_only or metric.block not in blocks
    # Truth and answer are the path r, a, c; b is a sibling of a, and d one of c, as both have the parent b.
    assert [model["confusion"][cell] for cell in ("tp", "tn", "fp", "fn")] == [2, 2, 0, 0]
    with pytest.raises(
        PredictionsError, match=r"^model: expected an operating curve, got none: they are defined on trees"
    ):
        hv.Evaluation.from_predictions(predictions).curve  # noqa: B018


def test_graph_from_a_file(refuses):
    files = {"taxonomy": "parent,child\nr,a\nr,b\na,c\nb,c\nb,d\n", "truth": "sample_id,truth\n1,c\n"}
    scores = "sample_id,c,d\n1,0.75,0.25\n"
    for rule in TREE_RULES:
        refuses(rf"rule '{rule}': expected a tree, got 'c' with 2 parents", "evaluate", ("--rule", rule),
                predictions=scores, **files)  # fmt: skip
    nodes = "sample_id,a,b,c,d\n1,0,0,0,0\n"
    refuses(r"scores\.csv.*: expected a tree, got 'c' with 2 parents", "evaluate",
            ("--parametrisation", "conditional_softmax"), predictions=nodes, **files)  # fmt: skip
