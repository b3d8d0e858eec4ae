"""The samples that models share, their facets, and the numbers that compare models: naive twins and small cases."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.evaluation.common_samples import NO_VALUE, SEEN, facet_columns, facets, group_columns, judged_samples
from hierviz.evaluation.model_table import (
    TABLE_KEYS,
    answer_intervals,
    model_intervals,
    model_numbers,
    run_groups,
    spread_over_runs,
    standings,
)
from hierviz.predictions.column_text import as_text
from hierviz.uncertainty.comparison import too_few_for
from hierviz.uncertainty.resamples import group_numbers
from tests.small_tree import EDGES

LEAVES = ("cat", "dog", "duck", "newt")
N = 30
LABELS = np.array([f"{k:02d}" for k in range(30)], dtype=object)


def predictions(taxonomy, name, seed, order=None, **more):
    """Random scores of N samples; `order` shuffles the rows of the file, not the samples."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(4, 0.5), N)
    truth = np.random.default_rng(1).choice(taxonomy.nodes(*LEAVES), N)
    ids = np.array([f"s{i:02d}" for i in range(N)])
    order = np.arange(N) if order is None else order
    more = {key: np.asarray(values)[order] for key, values in more.items()}
    return hv.Predictions.from_scores(
        taxonomy,
        scores[order],
        "leaf_probabilities",
        scored_nodes=taxonomy.nodes(*LEAVES),
        truth=truth[order],
        sample_ids=ids[order],
        name=name,
        attributes=more,
    )


def evaluated(taxonomy, *args, **more):
    return hv.Evaluation.from_predictions(predictions(taxonomy, *args, **more))


def test_the_same_model_in_another_order_of_rows_has_no_difference_at_all(taxonomy):
    order = np.random.default_rng(3).permutation(N)
    a, b = judged_samples([evaluated(taxonomy, "a", 0), evaluated(taxonomy, "b", 0, order)])
    assert b.rows.tolist() == np.argsort(order).tolist()
    resamples = hv.uncertainty.Resamples.draw(N, 40)
    difference = hv.uncertainty.paired_difference(
        model_intervals(a, resamples).bands, model_intervals(b, resamples).bands
    )
    for one in difference.curve.values():
        assert np.abs(one.draws).max() < 1e-12


def test_only_samples_that_all_models_judge_count(taxonomy):
    first, second = predictions(taxonomy, "a", 0), predictions(taxonomy, "b", 1)
    truth = second.truth.copy()
    truth[:7] = -1
    second = second.replace(truth=truth)
    both = judged_samples([hv.Evaluation.from_predictions(first), hv.Evaluation.from_predictions(second)])
    assert [one.rows.tolist() for one in both] == [list(range(7, N))] * 2
    assert both[0].curve.n_samples == N - 7
    other = second.replace(sample_ids=np.array([f"other {i}" for i in range(N)]))
    with pytest.raises(hv.PredictionsError, match="samples that all of 'a', 'b' judge, got none"):
        judged_samples([hv.Evaluation.from_predictions(first), hv.Evaluation.from_predictions(other)])


def test_numbers_are_those_of_evaluate(taxonomy):
    model = evaluated(taxonomy, "a", 0)
    entry = hv.evaluate(model)["models"][0]
    expected = entry["curve"] | {
        "hf1_auc": entry["labels"]["hf1_auc"],
        "softmax_win": entry["distribution"]["softmax_win"],
    }
    (samples,) = judged_samples([model])
    found = model_numbers(samples)
    intervals = model_intervals(samples, hv.uncertainty.Resamples.draw(N, 20)).numbers
    for key in TABLE_KEYS:
        assert found[key] == pytest.approx(expected[key], abs=1e-12)
        assert float(intervals[key].estimate) == pytest.approx(expected[key], abs=1e-12)
        # At 90 and 95 % correct these samples leave too few wrong answers.
        assert (intervals[key].lower <= intervals[key].upper) == (key not in too_few_for(TABLE_KEYS, N))


def test_intervals_at_any_threshold_are_those_of_the_band(taxonomy):
    (samples,) = judged_samples([evaluated(taxonomy, "a", 0)])
    resamples = hv.uncertainty.Resamples.draw(N, 60, seed=5)
    bands = model_intervals(samples, resamples, thresholds=[0.45, 0.615]).bands
    # At both some answers are no leaves: means of values that are all 1 have another interval.
    for place, tau in enumerate((0.45, 0.615)):
        for key, one in answer_intervals(samples, tau, resamples).items():
            assert float(one.estimate) == pytest.approx(bands.curve[key].estimate[place], abs=1e-12)
            assert one.lower == pytest.approx(bands.curve[key].lower[place], abs=1e-12)
            assert one.upper == pytest.approx(bands.curve[key].upper[place], abs=1e-12)


def test_facets_are_a_partition_with_the_numbers_of_their_samples(taxonomy):
    setting = [("usual", "odd", "")[i % 3] for i in range(N)]
    (samples,) = judged_samples([evaluated(taxonomy, "a", 0, setting=setting, user=[f"u{i // 2}" for i in range(N)])])
    parts = facets(samples, "setting")
    assert list(parts) == ["odd", "usual", NO_VALUE]
    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(N))
    part = samples.take(parts["odd"])
    rows = np.arange(1, N, 3)
    p = samples.model.predictions.node_probabilities(rows)
    curve = hv.operating_curve(taxonomy, samples.truth[rows], hv.pareto_table(taxonomy, p))
    assert model_numbers(part)["ac"] == pytest.approx(curve.summary()["ac"], abs=1e-12)
    wins = hv.win(taxonomy, samples.truth[rows], p)
    assert model_numbers(part)["softmax_win"] == pytest.approx(wins.mean(), abs=1e-12)
    assert facet_columns(samples) == ["setting"]
    assert group_columns(samples) == ["setting", "user"]
    with pytest.raises(hv.PredictionsError, match="facet: expected one of 'setting', 'user', got 'nothing'"):
        facets(samples, "nothing")


def test_seen_and_unseen_classes():
    counts = {"cat": 5, "dog": 0, "newt": 2, "mammal": 5}
    taxonomy = hv.Taxonomy.from_edges(EDGES, attributes={"train_count": counts})
    (samples,) = judged_samples([evaluated(taxonomy, "a", 0)])
    names = np.array([taxonomy.names[node] for node in samples.truth])
    parts = facets(samples, SEEN)
    for label, classes in {"seen": ("cat", "newt"), "unseen": ("dog",), NO_VALUE: ("duck",)}.items():
        assert parts[label].tolist() == np.flatnonzero(np.isin(names, classes)).tolist()
    assert facet_columns(samples) == [SEEN]
    texts = hv.Taxonomy.from_edges(EDGES, attributes={"train_count": {"cat": "many"}})
    assert facet_columns(judged_samples([evaluated(texts, "a", 0)])[0]) == []


def test_standings():
    def shown(key, values):
        found = standings(key, values)
        assert set(found) <= {"best", None}  # without intervals nobody knows who is clearly worse
        return [int(mark == "best") for mark in found]

    assert shown("ap", [0.5, 0.9, 0.7]) == [0, 1, 0]
    # At one threshold, which means different things for different models, none is the best.
    assert shown("majority_f1", [0.5, 0.9, 0.7]) == [0, 0, 0]
    assert shown("info_dist", [0.5, 0.9, 0.7]) == [1, 0, 0]
    assert shown("ap", [0.9, 0.9, 0.7]) == [1, 1, 0]
    assert shown("ap", [None, 0.9, float("nan")]) == [0, 1, 0]
    assert shown("ap", [0.9]) == [0]
    assert shown("ap", [0.3, 0.1 + 0.2, 0.1]) == [1, 1, 0]


def test_marks_are_those_of_the_table_of_methods(taxonomy):
    """Best, tied and second of the pages Overview and Operating curves mean what they mean on Compare."""
    files = [evaluated(taxonomy, name, seed) for name, seed in zip("abcd", range(4))]
    table = hv.compare(files, metrics="curve.ac", resamples=300)
    samples = judged_samples(files)
    resamples = hv.uncertainty.Resamples.draw(N, 300)
    intervals = [model_intervals(one, resamples, thresholds=(), keys=()).numbers["ac"] for one in samples]
    names = standings("ac", [float(one.estimate) for one in intervals], intervals)
    assert names == table.marks["curve.ac"]
    assert names.count("best") == 1


def test_few_samples_have_no_standing(taxonomy):
    same = [judged_samples([evaluated(taxonomy, "a", seed)])[0].take(np.arange(9)) for seed in (0, 1)]
    intervals = [
        model_intervals(one, hv.uncertainty.Resamples.draw(9, 60), thresholds=(), keys=()).numbers["ac"] for one in same
    ]
    assert standings("ac", [0.9, 0.1], intervals) == [None, None]


def test_runs_are_told_by_a_word_and_a_number():
    names = [
        "hxe seed 1",
        "hxe seed 2",
        "resnet18",
        "resnet50",
        "a_run-3",
        "a (run 4)",
        "b-seed1",
        "prune 1",
        "prune 2",
    ]
    assert run_groups(names) == {"hxe": ["hxe seed 1", "hxe seed 2"], "a": ["a_run-3", "a (run 4)"]}


def test_spread_over_runs(taxonomy):
    runs = [model_numbers(judged_samples([evaluated(taxonomy, "a", seed)])[0]) for seed in range(3)]
    found = spread_over_runs(runs)
    assert set(found) == set(TABLE_KEYS)
    values = [run["ac"] for run in runs]
    mean = sum(values) / 3
    sd = (sum((one - mean) ** 2 for one in values) / 2) ** 0.5
    assert float(found["ac"].mean) == pytest.approx(mean)
    assert float(found["ac"].half_width) == pytest.approx(1.96 * sd)


def test_one_very_long_text_makes_no_room_for_itself_in_every_row(taxonomy):
    texts = np.array(["x" * 50_000, *["short"] * (N - 1)], dtype=object)
    model = hv.Evaluation.from_predictions(
        predictions(taxonomy, "a", 0).replace(attributes={"text": texts}, sample_ids=texts + LABELS)
    )
    samples, again = judged_samples([model, model])
    assert again.rows.tolist() == list(range(N))
    assert samples.labels("text").nbytes == 8 * N
    assert [len(rows) for rows in facets(samples, "text").values()] == [N - 1, 1]
    assert group_numbers(texts, N).tolist() == [1] + [0] * (N - 1)
    assert group_numbers(texts.tolist(), N).tolist() == [1] + [0] * (N - 1)
    assert as_text(["a" * 50_000, None, 1.5]).tolist() == ["a" * 50_000, "None", "1.5"]
    assert as_text(np.array([1, 2])).tolist() == ["1", "2"]
