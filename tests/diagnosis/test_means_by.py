"""Means of parts of the samples against plain loops, and what their intervals hold."""

import math
from statistics import mean, stdev

import naive
import naive_diagnosis
import numpy as np
import pytest
from hypothesis import given
from naive_diagnosis import same
from scipy.stats import t
from strategies import many

import hierviz as hv
from hierviz.diagnosis._means_by import mean_intervals


@many
@given(naive_diagnosis.labelled())
def test_depth_and_number_of_labels(case):
    graph, taxonomy, truths, answers = case
    predictions = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    values = hv.Evaluation.from_predictions(predictions).per_sample()["hf1_samples"]
    depth = [max(naive.depth(graph, node) for node in nodes) for nodes in truths]
    for by, keys in (("depth", depth), ("n_labels", [len(nodes) for nodes in truths])):
        found = hv.diagnosis.means_by(predictions, by, metric="hf1_samples")
        assert found.label == [str(key) for key in sorted(set(keys))]
        assert found.n.tolist() == [keys.count(key) for key in sorted(set(keys))]
        same(found.mean, [mean(values[[k == key for k in keys]]) for key in sorted(set(keys))])
        assert found.overall == pytest.approx(values.mean())
        assert found.n_without == 0
        assert np.isnan(found.lower).all()  # fewer than ten samples


def wide(n=400, seed=0):
    """A tree with training counts and predictions with attributes: text with gaps, and a number with many values."""
    rng = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(20)]
    taxonomy = hv.Taxonomy.from_edges(
        [("all", name) for name in names], attributes={"train_count": {name: i * 10 for i, name in enumerate(names)}}
    )
    truth, answer = rng.integers(1, 21, (2, n))
    answer[::2] = truth[::2]
    light = rng.choice(np.array(["day", "night", ""], dtype=object), n)
    size = rng.permutation(n).astype(float)
    predictions = hv.Predictions.from_labels(taxonomy, answer, truth=truth, attributes={"light": light, "size": size})
    return predictions, truth, answer == truth, light, size


def test_attributes_bins_and_wilson():
    predictions, truth, right, light, size = wide()
    found = hv.diagnosis.means_by(predictions, "light")
    assert (found.metric, found.label) == ("exact", ["day", "night"]) or found.metric in hv.METRICS
    found = hv.diagnosis.means_by(predictions, "light", metric="exact")
    assert found.n_without == (light == "").sum()
    for place, value in enumerate(found.label):
        inside = right[light == value]
        n, p, z = len(inside), inside.mean(), 1.959963984540054
        centre, half = (
            (p + z**2 / 2 / n) / (1 + z**2 / n),
            z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / 4 / n**2),
        )
        same([found.mean[place], found.lower[place], found.upper[place]], [p, centre - half, centre + half])
    found = hv.diagnosis.means_by(predictions, "size", metric="exact", bins=4)
    assert found.n.tolist() == [100] * 4
    assert found.label == ["0 to 99", "100 to 199", "200 to 299", "300 to 399"]
    same(found.mean, [right[(size >= low) & (size <= low + 99)].mean() for low in (0, 100, 200, 300)])
    found = hv.diagnosis.means_by(predictions, "train_count", metric="exact", bins=5)
    count = (truth - 1) * 10
    assert found.n.sum() == len(truth)
    same(found.mean, [right[(count >= a) & (count <= b)].mean() for a, b in zip(found.low, found.high)])


def test_intervals_of_means_and_groups():
    rng = np.random.default_rng(1)
    values, part, groups = rng.normal(size=120), rng.integers(0, 3, 120), rng.integers(0, 25, 120)
    n, _centre, low, high = mean_intervals(values, part, 3)
    for k in range(3):
        own = values[part == k].tolist()
        half = t.ppf(0.975, len(own) - 1) * stdev(own) / math.sqrt(len(own))
        assert n[k] == len(own)
        assert [low[k], high[k]] == pytest.approx([mean(own) - half, mean(own) + half], abs=1e-4)
    *_, low, high = mean_intervals(values, part, 3, groups=groups)
    for k in range(3):
        own, own_groups = values[part == k], groups[part == k]
        off = own - own.mean()
        sums = [off[own_groups == g].sum() for g in set(own_groups.tolist())]
        g = len(sums)
        error = math.sqrt(g / (g - 1) * sum(x**2 for x in sums)) / len(own)
        assert high[k] - low[k] == pytest.approx(2 * t.ppf(0.975, g - 1) * error, rel=1e-3)


def test_an_interval_covers():
    rng = np.random.default_rng(2)
    part = np.repeat(np.arange(2000), 12)
    _, _, low, high = mean_intervals(rng.normal(size=len(part)), part, 2000)
    assert abs(((low <= 0) & (high >= 0)).mean() - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 2000)


def test_infinite_and_missing_values():
    n, centre, low, high = mean_intervals(np.array([np.inf] + [1.0] * 11 + [np.nan]), np.zeros(13, dtype=int), 2)
    assert n.tolist() == [12, 0]
    assert centre[0] == np.inf
    assert np.isnan(centre[1])
    assert np.isnan([*low, *high]).all()


def test_what_there_is_not(taxonomy):
    predictions = hv.Predictions.from_labels(taxonomy, [[1]], truth=[1])
    with pytest.raises(hv.PredictionsError, match="by: expected one of depth, n_labels"):
        hv.diagnosis.means_by(predictions, "light")
    with pytest.raises(hv.PredictionsError, match=r"metric: expected one of .*hf1_samples"):
        hv.diagnosis.means_by(predictions, "depth", metric="softmax_win")
    with pytest.raises(hv.PredictionsError, match="confidence: expected a number"):
        hv.diagnosis.means_by(predictions, "depth", confidence=95)
    with pytest.raises(hv.PredictionsError, match="bins: expected a whole"):
        hv.diagnosis.means_by(predictions, "depth", bins=0)


def test_over_runs_a_sample_has_its_mean():
    one = next(part for part in wide() if isinstance(part, hv.Predictions))
    order = np.random.default_rng(1).permutation(one.n_samples)
    leaves = one.taxonomy.leaves
    nodes = [leaves[np.random.default_rng(seed).integers(len(leaves), size=one.n_samples)] for seed in (3, 4)]
    ids = np.array([f"s{row}" for row in range(one.n_samples)])
    made = [
        hv.Predictions.from_labels(one.taxonomy, answers[rows], truth=one.truth[rows], sample_ids=ids[rows], name="m")
        for answers, rows in zip(nodes, (np.arange(one.n_samples), order), strict=True)
    ]
    runs = [hv.Evaluation.from_predictions(run.replace(run=str(place))) for place, run in enumerate(made)]
    found = hv.diagnosis.means_by(runs, "depth", metric="hf1_samples")
    singles = [hv.diagnosis.means_by(run, "depth", metric="hf1_samples") for run in runs]
    same(found.mean, np.mean([single.mean for single in singles], axis=0))
    assert found.n.tolist() == singles[0].n.tolist()
    assert found.overall == pytest.approx(np.mean([single.overall for single in singles]))
    with pytest.raises(hv.PredictionsError, match="at least one run"):
        hv.diagnosis.means_by([], "depth")
