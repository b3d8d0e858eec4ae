"""The second opinion agrees with every number, finds a planted fault, and is independent of the metrics it checks."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, many

import hierviz as hv
from hierviz import cli
from hierviz.comparison.columns import BLOCKS, BY_DEPTH
from hierviz.predictions.parametrisation import default_columns
from hierviz.second_opinion import plain_graph
from hierviz.second_opinion import verify as module

RULES = [*plain_graph.RULES, "threshold_set"]
# A tree with one leaf has no bits.
PARAMETERS = {"information_threshold": {"bits": 0.0}, "depth_thresholds": {"thresholds_by_depth": "0.5,0.25"}}


def agreed(predictions, *choice, **more):
    found = hv.verify(predictions, *choice, **more)
    assert found.of_verdict("different") == [], found.sentence
    return found


@settings(many, max_examples=examples(60))
@given(st.data(), strategies.trees(9), st.sampled_from(RULES), st.sampled_from(list(hv.PARAMETRISATIONS)))
def test_scores_on_trees(data, graph, rule, key):
    taxonomy = strategies.from_graph(graph)
    if key == "leaf_probabilities":
        scores = data.draw(strategies.leaf_rows(graph))
    else:
        values = {"node_probabilities": strategies.TIES, "votes": (0.0, 1.0, 2.0, 5.0)}
        values = values.get(key, (-3.0, -1.0, 0.0, 0.5, 2.0))
        scores = data.draw(strategies.rows(len(default_columns(taxonomy, key)), values))
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=len(scores), max_size=len(scores))))
    predictions = hv.Predictions.from_scores(taxonomy, scores, key, truth=truth)
    found = agreed(predictions, rule, 0.25, **PARAMETERS.get(rule, {}))
    assert found.checks[0].key == "p"
    assert found.of_verdict("not recomputed") == []


@settings(many, max_examples=examples(60))
@given(st.data(), strategies.trees(9), st.sampled_from([*RULES, "hf_optimal"]))
def test_scores_whose_best_class_lies_outside_the_taxonomy(data, graph, rule):
    taxonomy, scores = strategies.from_graph(graph), data.draw(strategies.leaf_rows(graph))
    drawn = {"min_size": len(scores), "max_size": len(scores)}
    truth = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), **drawn)))
    outside = np.array(data.draw(st.lists(st.booleans(), **drawn)))
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth, best_outside=outside)
    found = agreed(predictions, rule, 0.25, **PARAMETERS.get(rule, {}))
    assert found.of_verdict("not recomputed") == []
    share = next(check for check in found.checks if check.key == "labels.outside_share")
    assert share.again == outside.mean()


def test_scores_answered_outside_a_graph():
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    p = [[1, 0.5, 0.75, 0.25, 0.5], [1, 0.25, 0.5, 0.25, 0.25]]
    truth, outside = taxonomy.nodes("c", "d"), np.array([True, False])
    agreed(hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth, best_outside=outside))


@settings(many, max_examples=examples(60))
@given(st.data(), st.booleans(), st.booleans())
def test_labels(data, is_tree, is_hard):
    graph = data.draw(strategies.trees(9) if is_tree else strategies.graphs(8))
    taxonomy, n = strategies.from_graph(graph), data.draw(st.integers(1, 4))
    labels = [data.draw(st.lists(st.integers(-1, graph.n - 1), max_size=4)) for _ in range(n)]
    truth = [data.draw(st.lists(st.integers(1, graph.n - 1), min_size=1, max_size=3)) for _ in range(n)]
    labels = [label[:1] for label in labels] if is_hard else labels
    predictions = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists(labels), truth=hv.NodeLists.from_lists(truth), is_hard=is_hard
    )
    found = agreed(predictions)
    assert (found.of_verdict("not recomputed") == []) == taxonomy.is_tree


def test_every_number_is_looked_at(taxonomy):
    rng = np.random.default_rng(0)
    truth = taxonomy.leaves[rng.integers(0, 4, 30)]
    predictions = hv.Predictions.from_scores(
        taxonomy, rng.dirichlet(np.ones(4), size=30), "leaf_probabilities", truth=truth
    )
    found = agreed(predictions)
    plain = {check.key for check in found.checks if check.way == "plain definition"}
    (model,) = hv.evaluate(predictions, more=True)["models"]
    # Conformal nodes are asked for on their own.
    assert set(BLOCKS) - set(model) == {"conformal"}
    for block in set(BLOCKS) & set(model):
        for key in set(model[block]) - {"baseline", "cuts", "links", *module.REDRAWN} - set(BY_DEPTH):
            assert f"{block}.{key}" in plain, key
    assert {"probabilities.brier_by_depth.1", "probabilities.log_loss_by_depth.2"} <= plain
    assert {"labels.macro_f1_by_depth.1", "labels.macro_f1_by_depth.2.supported"} <= plain
    assert agreed(predictions, "crm_leaf").of_verdict("not recomputed")[0].key.startswith("predicted.")


@pytest.mark.parametrize(
    ("block", "key"), [("curve", "ac"), ("labels", "macro_f1"), ("confusion", "mcc"), ("best_leaves", "hops_5")]
)
def test_a_planted_fault_is_found(taxonomy, monkeypatch, block, key):
    rng = np.random.default_rng(1)
    truth = taxonomy.leaves[rng.integers(0, 4, 30)]
    predictions = hv.Predictions.from_scores(
        taxonomy, rng.dirichlet(np.ones(4), size=30), "leaf_probabilities", truth=truth
    )
    right = module.evaluate

    def wrong(*arguments, **more):
        found = right(*arguments, **more)
        found["models"][0][block][key] += 1e-6
        return found

    monkeypatch.setattr(module, "evaluate", wrong)
    found = hv.verify(predictions)
    assert f"{block}.{key}" in {check.key for check in found.of_verdict("different")}
    assert "are different: " in found.sentence


def test_what_has_no_plain_definition_is_left_out(taxonomy, monkeypatch):
    """A number that nobody has defined here is not wrong for that."""
    right = module.evaluate

    def more(*arguments, **parameters):
        found = right(*arguments, **parameters)
        found["models"][0]["labels"]["brand_new"] = 0.5
        return found

    monkeypatch.setattr(module, "evaluate", more)
    found = agreed(hv.Predictions.from_labels(taxonomy, taxonomy.leaves, truth=taxonomy.leaves))
    (check,) = found.of_verdict("not recomputed")
    assert (check.key, check.value, check.again) == ("labels.brand_new", 0.5, None)
    assert "no plain definition" in check.why


def test_packages_agree_or_say_why(taxonomy):
    pytest.importorskip("sklearn")
    pytest.importorskip("hiclass")
    rng = np.random.default_rng(2)
    truth = taxonomy.leaves[rng.integers(0, 4, 30)]
    scores = rng.dirichlet(np.ones(4), size=30)
    found = agreed(hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth))
    by_way = {way: [check for check in found.checks if check.way == way] for way in ("scikit-learn", "hiclass")}
    assert (len(by_way["scikit-learn"]), len(by_way["hiclass"])) == (8, 3)
    sure = np.eye(4)[rng.integers(0, 4, 30)]
    found = agreed(hv.Predictions.from_scores(taxonomy, sure, "leaf_probabilities", truth=truth))
    (entropy,) = found.of_verdict("different by definition")
    assert entropy.key == "distribution.cross_entropy"
    assert "probabilities of 0" in entropy.why


def test_some_of_many_samples_and_unknown_scores(taxonomy):
    rng = np.random.default_rng(3)
    truth = taxonomy.leaves[rng.integers(0, 4, 50)]
    scores = rng.dirichlet(np.ones(4), size=50)
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth)
    found = agreed(predictions, most=20, seed=1)
    assert (found.n_samples, found.n_judged) == (20, 50)
    assert "drawn from 50" in found.sentence
    assert hv.verify(predictions.replace(truth=None)).checks == []


def test_the_command(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("parent,child\nroot,a\nroot,b\na,a1\na,a2\n")
    (tmp_path / "p.csv").write_text("sample_id,a1,a2,b,truth\n1,0.5,0.3,0.2,a1\n2,0,0,1,a2\n")
    flags = ["evaluate", "--taxonomy", str(tmp_path / "t.csv"), "--predictions", str(tmp_path / "p.csv")]
    assert cli.main([*flags, "--verify"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    found = model.pop("verify")
    assert {check["verdict"] for check in found["checks"]} <= {"equal", "different by definition"}
    assert cli.main(flags) == 0
    assert json.loads(capsys.readouterr().out)["models"] == [model]


def test_plain_definitions_use_nothing_that_they_check():
    folder = Path(module.__file__).parent
    files = sorted(folder.glob("plain_*.py"))
    assert [path.stem for path in files] == [
        f"plain_{name}" for name in ("climbing", "graph", "lca", "numbers", "optimal", "scores", "sets")
    ]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(alias.name == "math" for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.module in ("__future__", "fractions", "itertools", "math") or node.module.startswith(
                    "hierviz.second_opinion"
                )
