"""Several runs of one method against numpy over single evaluations."""

import math

import numpy as np
import pytest

import hierviz as hv

LEAVES = ["cat", "dog", "newt", "duck"]
EDGES = [("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt"), ("animal", "duck")]
N, N_RUNS = 90, 4


@pytest.fixture(scope="module")
def runs():
    """Four trainings of a model on 90 samples; the third file has them in another order, two runs never answer newt."""
    taxonomy, rng = hv.Taxonomy.from_edges(EDGES), np.random.default_rng(11)
    leaves = taxonomy.nodes(*LEAVES)
    truth, ids = leaves[rng.integers(0, 4, N)], np.array([f"s{i}" for i in range(N)])
    light = np.array(["day", "night", "dusk"])[rng.integers(0, 3, N)]
    made = []
    for run in range(N_RUNS):
        p = rng.dirichlet(np.ones(4), N) + 0.8 * (truth[:, None] == leaves)
        if run < 2:
            p[:, 2] *= 1e-6
        p /= p.sum(axis=1, keepdims=True)
        order = rng.permutation(N) if run == 2 else np.arange(N)
        made.append(
            hv.Predictions.from_scores(
                taxonomy,
                p[order],
                "leaf_probabilities",
                scored_nodes=leaves,
                truth=truth[order],
                sample_ids=ids[order],
                attributes={"light": light[order]},
                name="model",
            )
        )
    return [hv.Evaluation.from_predictions(one) for one in made]


@pytest.mark.parametrize("metric", ["correct", "info_recall", "softmax_win", "hf1_samples"])
def test_parts_of_runs(runs, metric):
    choice = {"rule": "threshold", "threshold": 0.55}
    found = hv.diagnosis.means_by(runs, "light", metric=metric, **choice)
    alone = [hv.diagnosis.means_by(run, "light", metric=metric, **choice) for run in runs]
    means = np.array([one.mean for one in alone])
    assert found.n_runs == N_RUNS
    np.testing.assert_allclose(found.run_means, means, atol=1e-14)
    np.testing.assert_allclose(found.mean, means.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(found.spread, np.std(means, axis=0, ddof=1), atol=1e-14)
    assert found.overall_spread == pytest.approx(np.std([one.overall for one in alone], ddof=1))
    table = found.to_frame().set_index("light")
    np.testing.assert_allclose(table["spread"], found.spread)
    assert table["n_runs"].tolist() == [N_RUNS] * 3
    # One run has no spread.
    assert np.isnan(alone[0].spread).all()
    assert "spread" not in alone[0].to_frame()


def test_intervals_are_of_samples_and_the_spread_is_apart(runs):
    """The same run twice has no spread, and the mean of a sample is what its interval is of."""
    once = hv.diagnosis.means_by(runs[0], "light", metric="info_recall")
    twice = hv.diagnosis.means_by([runs[0], runs[0]], "light", metric="info_recall")
    assert twice.spread.tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(twice.lower, once.lower)
    np.testing.assert_allclose(twice.upper, once.upper)
    both = hv.diagnosis.means_by(runs[:2], "light", metric="info_recall")
    values = [run.per_sample()["info_recall"] for run in runs[:2]]
    light = np.asarray(runs[0].predictions.attributes["light"])
    of_day = np.mean(values, axis=0)[light == "day"]
    error = np.std(of_day, ddof=1) / math.sqrt(len(of_day))
    t = (both.upper[0] - both.mean[0]) / error
    assert 1.96 < t < 2.2


@pytest.mark.parametrize("reading", ["exact", "inclusive"])
def test_classes_of_runs(runs, reading):
    choice = {"rule": "threshold", "threshold": 0.55, "beta": 2.0}
    found = hv.diagnosis.class_table(runs, **choice)
    alone = [getattr(hv.diagnosis.class_table(run, **choice), reading) for run in runs]
    for key in ("precision", "recall", "f", "answered", "hits"):
        over, values = (
            getattr(found, reading).over_runs(key),
            np.array([getattr(one, key) for one in alone], dtype=float),
        )
        for node in range(found.taxonomy.n_nodes):
            known = [value for value in values[:, node].tolist() if not math.isnan(value)]
            assert over.n[node] == len(known)
            mean = np.mean(known) if known else math.nan
            spread = np.std(known, ddof=1) if len(known) > 1 else math.nan
            assert [over.mean[node], over.sd[node]] == pytest.approx([mean, spread], nan_ok=True)
    newt = found.taxonomy.node("newt")
    assert getattr(found, reading).over_runs("precision").n[newt] == 2
    for name, average in getattr(found, reading).averages().items():
        single = [one.averages()[name] for one in alone]
        assert average["n_classes"] == single[0]["n_classes"]
        for key in ("precision", "recall", "f"):
            values = [one[key] for one in single]
            assert float(average[key].mean) == pytest.approx(np.mean(values))
            assert float(average[key].sd) == pytest.approx(np.std(values, ddof=1))
        assert average["n_undefined"] == max(one["n_undefined"] for one in single) == 1


def test_confusions_of_runs_are_counted_together(runs):
    found, counts = hv.diagnosis.class_table(runs), {}
    for run in runs:
        sample = run.per_sample()
        for truth, answer in zip(sample["truth"].tolist(), sample["predicted"].tolist(), strict=True):
            path = {truth, *found.taxonomy.ancestors(np.array([truth]))[0].tolist()}
            if answer not in path:
                counts.setdefault(truth, {}).setdefault(answer, 0)
                counts[truth][answer] += 1
    for node in range(found.taxonomy.n_nodes):
        most = max(counts.get(node, {-1: 0}).values())
        assert found.confused_count[node] == most
        if most:
            assert counts[node][int(found.confused_with[node])] == most


def test_hierarchical_f(runs):
    found = hv.diagnosis.hierarchical_f(runs, "threshold", 0.6, beta=0.5)
    alone = [hv.diagnosis.hierarchical_f(run, "threshold", 0.6, beta=0.5) for run in runs]
    for key in ("micro", "samples"):
        values = [one[key] for one in alone]
        assert [float(found[key].mean), float(found[key].sd)] == pytest.approx(
            [np.mean(values), np.std(values, ddof=1)]
        )
        assert found[key].n == N_RUNS


def test_filters_leave_what_all_runs_have(runs):
    """A filter by the answer leaves other samples in every run: those that are in all of them count."""
    taxonomy = runs[0].taxonomy
    mammal = taxonomy.node("mammal")
    answers = [hv.evaluation.judged_answers(run, "leaf") for run in runs]
    some = [one.take(hv.diagnosis.filtered(one, hv.diagnosis.SampleFilter(answered=mammal))) for one in answers]
    ids = [set(one.evaluation.predictions.ids[one.rows].tolist()) for one in some]
    common = set.intersection(*ids)
    assert 0 < len(common) < len(ids[0])
    found = hv.diagnosis.means_by(some, "depth", metric="correct")
    assert found.n.sum() == len(common)
    assert found.n_left_out == len(ids[0]) - len(common)
    right = []
    for one in answers:
        of_run = dict(zip(one.evaluation.predictions.ids[one.rows].tolist(), (~one.is_wrong).tolist(), strict=True))
        right.append(np.mean([of_run[sample] for sample in common]))
    np.testing.assert_allclose(found.run_overall, right)
    assert hv.diagnosis.class_table(some).exact.support.sum() == len(common)


def test_what_are_no_runs(runs):
    with pytest.raises(hv.PredictionsError, match="runs: expected at least one run"):
        hv.diagnosis.class_table([])
    predictions = runs[1].predictions
    other = predictions.replace(truth=np.roll(predictions.truth, 1))
    with pytest.raises(hv.PredictionsError, match="with the same truth, got another one"):
        hv.diagnosis.means_by([runs[0], hv.Evaluation.from_predictions(other)], "depth")
    fewer = hv.Evaluation.from_predictions(
        predictions.replace(truth=np.where(np.arange(N) < 20, predictions.truth, -1))
    )
    with pytest.raises(hv.PredictionsError, match="judge the same samples"):
        hv.diagnosis.class_table([runs[0], fewer])
    answers = hv.evaluation.judged_answers(runs[0])
    with pytest.raises(hv.PredictionsError, match="expected a sample that all runs have"):
        hv.diagnosis.means_by([answers.take([0, 1]), answers.take([2])], "depth")
