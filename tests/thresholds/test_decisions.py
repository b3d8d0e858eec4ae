"""Which rule for which metric: values by hand and by loops, cross-fitted tuning, paired differences, and the chart of them."""

from dataclasses import replace

import numpy as np
import pytest

import hierviz as hv
from hierviz.charts._decisions import n_metrics_drawn
from hierviz.evaluation.evaluation import Evaluation
from hierviz.metrics.path import path_metrics
from hierviz.metrics.sets.node_sets import set_overlap, set_scores
from hierviz.thresholds import _decisions
from hierviz.thresholds.cross_fitting import Folds

FEW = {"n_resamples": 60, "folds": Folds(n=4, splits=2)}


@pytest.fixture(scope="module")
def model():
    """120 samples on a tree of 20 nodes, whose truth is drawn from the scores: they are right."""
    rng = np.random.default_rng(8)
    edges = [(f"n{rng.integers(0, max(1, i // 3))}", f"n{i}") for i in range(1, 20)]
    taxonomy = hv.Taxonomy.from_edges(edges)
    scores = rng.dirichlet(np.full(taxonomy.n_leaves, 0.4), 120)
    truth = np.array([rng.choice(taxonomy.leaves, p=row) for row in scores])
    predictions = hv.Predictions.from_scores(taxonomy, scores, "leaf_probabilities", truth=truth, name="right")
    return Evaluation.from_predictions(predictions)


@pytest.fixture(scope="module")
def found(model):
    return _decisions.decisions(model, **FEW)


def test_values_of_rules(model, found):
    """Every row is the mean of what `path_metrics` and hF1 say of the answers; sets have no metric of one node."""
    taxonomy, truth = model.taxonomy, model.truth
    for row, rule in enumerate(found.rules):
        for column, key in enumerate(found.metrics):
            if rule in ("threshold", "threshold_set"):
                continue
            settings = {"cost": _decisions.COSTS[key]} if rule == "optimal_node" else {}
            answers = model.answers(rule, 0.5, **settings)
            value = found.values[row, column]
            if key == "hf1_samples":
                expected = set_scores(*set_overlap(taxonomy, truth, hv.NodeLists.of(answers)))[2].mean()
            elif rule == "hf_optimal":
                assert np.isnan(value)
                continue
            else:
                expected = path_metrics(taxonomy, truth, answers)[key].mean()
            assert value == pytest.approx(expected, abs=1e-12), (rule, key)
            assert found.lower[row, column] <= value <= found.upper[row, column]


def test_no_rule_is_expected_to_do_better(model, found):
    """What the optimal rule is expected to reach is the most that any rule is, by the probabilities of the leaves."""
    taxonomy, p = model.taxonomy, model.predictions.node_probabilities()
    leaves = taxonomy.leaves
    for key, value in zip(found.metrics, found.expected, strict=True):
        if key == "hf1_samples":
            assert value == pytest.approx(model.answers("hf_optimal").expected.mean())
            continue
        expected = []
        for rule in ("leaf", "majority", "plurality", "expected_information"):
            answers = model.answers(rule)
            of_leaf = [path_metrics(taxonomy, np.full(len(p), leaf), answers)[key] for leaf in leaves]
            expected.append((np.array(of_leaf).T * p[:, leaves]).sum(axis=1).mean())
        best = min(expected) if key.endswith("dist") else max(expected)
        assert value <= best + 1e-12 if key.endswith("dist") else value >= best - 1e-12


@pytest.mark.parametrize("key", ["hf1_samples", "info_f1", "depth_dist"])
def test_tuned_rules_are_judged_on_other_samples(model, found, key):
    """By loops: the threshold of the grid with the best mean on the other folds, judged on the fold, mean over splits."""
    taxonomy, truth = model.taxonomy, model.truth
    sign, column = -1 if key.endswith("dist") else 1, found.metrics.index(key)

    def judged(answers):
        if key != "hf1_samples":
            return path_metrics(taxonomy, truth, answers)[key]
        return set_scores(*set_overlap(taxonomy, truth, hv.NodeLists.of(answers)))[2]

    for rule in ("threshold", "threshold_set"):
        if rule == "threshold_set" and key != "hf1_samples":
            continue
        values, chosen = [], []
        of = [judged(model.answers(rule, float(tau))) for tau in _decisions.GRID]
        for fold_of in FEW["folds"].of_samples(len(truth)):
            for fold in range(4):
                means = [sign * one[fold_of != fold].mean() for one in of]
                place = max(k for k, mean in enumerate(means) if mean >= max(means) - 1e-12)
                values += of[place][fold_of == fold].tolist()
                chosen.append(_decisions.GRID[place])
        row = found.rules.index(rule)
        assert found.values[row, column] == pytest.approx(np.mean(values), abs=1e-12)
        assert found.thresholds[row, column] == np.median(chosen)


def test_truths_at_inner_classes_are_not_taken_for_wrong_probabilities():
    """Root -> a, d and a -> b, c: the truth is drawn from p, a itself in six of ten samples."""
    taxonomy = hv.Taxonomy.from_edges([("r", "a"), ("r", "d"), ("a", "b"), ("a", "c")])
    nodes = taxonomy.nodes("a", "b", "c", "d")
    truth = np.random.default_rng(0).permutation(np.repeat(nodes, [600, 200, 100, 100]))
    p = np.tile(np.array([1, 0.9, 0.1, 0.2, 0.1]), (1000, 1))
    assert taxonomy.names == ("r", "a", "d", "b", "c")
    predictions = hv.Predictions.from_scores(
        taxonomy, p, "node_probabilities", scored_nodes=np.arange(5), truth=truth, name="right"
    )
    found = _decisions.decisions(predictions, **FEW)
    gains = found.values * [hv.METRICS[key].sign for key in found.metrics]
    across = np.arange(len(found.metrics))
    np.testing.assert_allclose(gains[found.optimal, across], np.nanmax(gains, axis=0), atol=1e-9)
    np.testing.assert_allclose(found.expected, found.values[found.optimal, across], atol=1e-9)
    with pytest.raises(hv.PredictionsError, match=r"^folds: expected folds of single samples, got groups"):
        _decisions.decisions(predictions, folds=Folds(groups=np.arange(1000) % 9))


def test_best_and_difference(model, found):
    for column, key in enumerate(found.metrics):
        sign = -1 if key.endswith("dist") else 1
        values = sign * found.values[:, column]
        best, optimal = found.best[column], found.optimal[column]
        assert values[best] == np.nanmax(values)
        assert found.rules[optimal] == ("hf_optimal" if key == "hf1_samples" else "optimal_node")
        apart = found.values[best, column] - found.values[optimal, column]
        assert found.difference[column] == pytest.approx(apart, abs=1e-12)
        assert found.difference_lower[column] <= apart <= found.difference_upper[column]
        if best == optimal:
            assert found.difference[column] == found.difference_upper[column] == 0
            assert not found.is_clear(column)


def test_several_truths_and_graphs():
    """hF1 alone, by sets; the expectation assumes one truth."""
    graph = hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z"), ("r", "w")])
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(3), 30)
    one = hv.Predictions.from_scores(graph, scores, "leaf_probabilities", truth=rng.choice(graph.leaves, 30))
    found = _decisions.decisions(one, **FEW)
    assert found.metrics == ("hf1_samples",)
    assert np.isfinite(found.values).all()
    assert np.isfinite(found.expected).all()
    several = one.replace(truth=hv.NodeLists.from_lists([graph.leaves[:2]] * 30))
    found = _decisions.decisions(several, **FEW)
    assert np.isnan(found.expected).all()
    with pytest.raises(hv.PredictionsError, match=r"^metrics: expected one of hf1_samples, got 'info_f1'"):
        _decisions.decisions(one, ("info_f1",), **FEW)


def test_refused(taxonomy):
    labels = hv.Predictions.from_labels(taxonomy, taxonomy.nodes("cat"), truth=taxonomy.nodes("cat"), name="hard")
    with pytest.raises(
        hv.PredictionsError, match=r"^hard: expected scores with a known truth, got none: it needs scores"
    ):
        _decisions.decisions(labels)


def test_of_many_samples_some_are_drawn(model, monkeypatch):
    monkeypatch.setattr(_decisions, "MOST", 50)
    found = _decisions.decisions(model, ("depth_f1", "hf1_samples"), **FEW)
    assert (found.n_samples, found.n_judged) == (50, 120)
    assert "50 samples drawn from 120" in hv.charts.decisions(found).sentence


@pytest.mark.parametrize("metrics", [None, ("hf1_samples",), ("exact", "info_dist")])
def test_progress_tells_of_every_block_and_ends(model, monkeypatch, metrics):
    """Each cost is a step of each block of rows, so that it can be cancelled between them; blocks change no number."""
    whole = _decisions.decisions(model, metrics, **FEW)
    blocks, told = [slice(0, 50), slice(50, 100), slice(100, 120)], []
    monkeypatch.setattr(hv.Predictions, "blocks", lambda self: blocks)
    found = _decisions.decisions(model, metrics, progress=lambda *of: told.append(of), **FEW)
    n_costs, of_sets = len({_decisions.COSTS[key] for key in found.metrics}), "hf1_samples" in found.metrics
    n_steps = 2 + len(blocks) * (n_costs + of_sets) + len(found.metrics)
    assert told == [(done + 1, n_steps) for done in range(n_steps)]
    np.testing.assert_allclose(found.values, whole.values, atol=1e-12)
    np.testing.assert_allclose(found.expected, whole.expected, atol=1e-12)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [330, 1200])
def test_chart(found, dark, width):
    """A frame around the optimal rule of each column, bold the best; sets have no value for one node."""
    figure = hv.charts.decisions(found, dark=dark, width=width)
    table = figure.table
    assert len(table) == len(found.rules) * len(found.metrics)
    for column, key in enumerate(found.metrics):
        of_metric = table[table["metric"] == key]
        assert of_metric[of_metric["optimal"]]["rule"].tolist() == [found.rules[found.optimal[column]]]
        most = found.values[found.best[column], column]
        equal = [
            rule for rule, value in zip(found.rules, found.values[:, column], strict=True) if abs(value - most) < 1e-11
        ]
        assert of_metric[of_metric["best"]]["rule"].tolist() == equal
    (cells,) = figure.chart.to_dict()["datasets"].values()
    framed = [cell for cell in cells if cell["edge"] != "transparent"]
    assert {cell["rule"] for cell in framed} <= {"Least expected cost", "Best expected hFβ"}
    assert len({cell["column"] for cell in framed}) == len(framed) == (len(found.metrics) if width == 1200 else 2)
    assert n_metrics_drawn(found, width) == len({cell["column"] for cell in framed})


def test_equal_values_are_all_best(taxonomy):
    """Where one leaf has all the probability and is the truth, every rule is right of every sample."""
    truth = np.tile(taxonomy.leaves, 10)
    p = (taxonomy.leaves[None] == truth[:, None]).astype(float)
    predictions = hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth, name="certain")
    found = _decisions.decisions(predictions, **FEW)
    assert (found.is_best == ~np.isnan(found.values)).all()
    figure = hv.charts.decisions(found, width=1200)
    assert figure.table["best"].tolist() == figure.table["value"].notna().tolist()
    (cells,) = figure.chart.to_dict()["datasets"].values()
    assert {cell["weight"] for cell in cells if "–" not in cell["text"]} == {"bold"}
    assert "the rule that is optimal in theory has the highest " in figure.sentence
    assert " and the lowest " in figure.sentence
    assert figure.sentence.endswith("; whether by more than chance is not tested.")
    # Sums differ by rounding.
    nearly = replace(found, values=found.values + 1e-15 * np.arange(len(found.rules))[:, None])
    assert (nearly.is_best == found.is_best).all()
    apart = found.values.copy()
    apart[0] -= 1e-6
    assert not replace(found, values=apart).is_best[0].any()


def test_sentence(found):
    text = hv.charts.decisions(found).sentence
    assert text.startswith("right: ")
    for column, key in enumerate(found.metrics):
        if found.best[column] != found.optimal[column]:
            assert f"{hv.METRICS[key].label}: " in text
            rule = hv.INFERENCE_RULES[found.rules[found.optimal[column]]].label
            assert "paired difference" in text
            assert f"{rule} was expected to reach " in text
    with pytest.raises(hv.PredictionsError, match=r"^decisions: expected what hierviz.thresholds.decisions gives"):
        hv.charts.decisions({})
