"""Progress callbacks: they reach the total, change no number, and may end the work."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.app.state import dataset, file_content
from hierviz.curves._set_curve import set_operating_curve
from hierviz.evaluation.bounds import bounds_of, curve_bounds_of
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.model_table import answer_intervals, model_intervals
from hierviz.predictions.listed_scores import ListedScores
from hierviz.predictions.predictions import Predictions
from hierviz.thresholds.groups import group_thresholds, groups_by_subtree
from hierviz.thresholds.selection import choose

N = 40


class StopError(Exception):
    """What a caller raises that wants no more."""


def predictions(taxonomy, k=None):
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(taxonomy.n_leaves), N)
    truth = rng.choice(taxonomy.leaves, N)
    if k is not None:
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        listed = np.take_along_axis(scores, best, 1)
        scores = ListedScores.from_entries(np.repeat(np.arange(N), k), best.ravel(), listed.ravel(), scores.shape)
    return Predictions(taxonomy, scores=scores, truth=truth, parametrisation="leaf_probabilities")


def of_curve(model):
    return lambda progress: Evaluation.curve_with(fresh(model), progress).values["info_f1"].tolist()


def fresh(model):
    """The same evaluation without what it keeps."""
    return Evaluation.from_predictions(model.predictions, threshold=0.25)


def of_sets(model):
    return lambda progress: set_operating_curve(model, [0.2, 0.5], progress).values["hf1_samples"].tolist()


def of_groups(model):
    taxonomy, truth, table = model.taxonomy, model.truth, model.judged_table
    labels = groups_by_subtree(taxonomy, table)

    def work(progress):
        return group_thresholds(taxonomy, truth, table, labels, choose, fraction=0.5, progress=progress).values

    return work


def of_bands(model):
    samples = judged_samples([model])[0]
    resamples = hv.uncertainty.Resamples.draw(samples.n_samples, 30)
    return lambda progress: model_intervals(samples, resamples, progress=progress).numbers["ac"].draws.tolist()


def of_answers_at(model):
    samples = judged_samples([model])[0]
    resamples = hv.uncertainty.Resamples.draw(samples.n_samples, 30)
    return lambda progress: answer_intervals(samples, 0.4, resamples, progress=progress)["exact"].draws.tolist()


def of_rules(model):
    def work(progress):
        answers = fresh(model).answers_by_rule(["plurality", "crm_leaf", "majority"], progress=progress)
        return {rule: nodes.tolist() for rule, nodes in answers.items()}

    return work


def of_label_sets(model):
    return lambda progress: fresh(model).label_counts(0.5, progress).summary()["micro_f1"]


WORK = [of_curve, of_sets, of_groups, of_bands, of_answers_at, of_rules, of_label_sets]


def told_of(work):
    """What `work` gives, and what it told."""
    told = []
    return work(lambda *now: told.append(now)), told


def assert_grows(told):
    done, totals = zip(*told, strict=True)
    assert list(done) == sorted(done)
    assert len(set(totals)) == 1
    assert done[0] >= 0
    assert done[-1] == totals[0]


@pytest.mark.parametrize("compiled", "01")
@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_what_is_done_grows_to_the_whole_and_changes_no_number(taxonomy, work, compiled, monkeypatch):
    monkeypatch.setenv("HIERVIZ_COMPILED", compiled)
    do = work(Evaluation.from_predictions(predictions(taxonomy)))
    found, told = told_of(do)
    assert_grows(told)
    assert found == do(None)


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_work_that_is_ended_can_be_done_again(taxonomy, work):
    def stop(done, total):
        raise StopError

    do = work(Evaluation.from_predictions(predictions(taxonomy)))
    with pytest.raises(StopError):
        do(stop)
    assert do(None) == do(None)


def test_a_curve_that_was_ended_is_not_kept(taxonomy):
    def stop(done, total):
        raise StopError

    model = Evaluation.from_predictions(predictions(taxonomy))
    with pytest.raises(StopError):
        model.curve_with(stop)
    assert model.curve.n_points > 1
    assert model.curve is model.curve_with(stop)


def test_bounds(taxonomy):
    model = Evaluation.from_predictions(predictions(taxonomy, k=2))
    blocks = {"curve": model.curve.summary()}
    found, told = told_of(lambda progress: bounds_of(model, blocks, "majority", 0.5, progress))
    assert_grows(told)
    assert found == bounds_of(model, blocks, "majority", 0.5)
    bounds, told = told_of(lambda progress: curve_bounds_of(model, progress))
    assert_grows(told)
    assert bounds.summary() == curve_bounds_of(model).summary()


def test_every_part_of_an_evaluation_is_told_of(taxonomy):
    parts = {}

    def stage(name, unit):
        told = parts.setdefault(name, [])
        return lambda *now: told.append(now)

    model = predictions(taxonomy, k=2)
    found = hv.evaluate(model, "plurality", stage=stage)
    starts = ("Evaluating", "Answers", "Operating curve", "Bounds")
    assert [name for name, told in parts.items() if told] == [
        f"{start}{'' if start == 'Evaluating' else ' of'} {model.name}" for start in starts
    ]
    for told in parts.values():
        if told:
            assert_grows(told)
    assert found == hv.evaluate(model, "plurality")
    parts.clear()
    further = hv.evaluate(model, "plurality", stage=stage, more=True)
    names = ["Links of label sets", "Best leaves, cuts and levels", "Paths to the best leaf"]
    assert {f"{name} of {model.name}" for name in names} <= {name for name, told in parts.items() if told}
    for told in parts.values():
        if told:
            assert_grows(told)
    assert further == hv.evaluate(model, "plurality", more=True)


def test_answers_of_slow_rules_are_kept(taxonomy):
    model = Evaluation.from_predictions(predictions(taxonomy))
    assert not model.needs_pass("majority")
    assert model.needs_pass("darts", lam=0.25)
    answers = model.answers("darts", lam=0.25)
    assert not model.needs_pass("darts", lam=0.25)
    assert model.needs_pass("darts", lam=0.5)
    assert model.answers("darts", lam=0.25) is answers


def test_the_hash_of_files_is_told_in_megabytes(tmp_path, monkeypatch):
    monkeypatch.setattr(file_content, "BYTES_AT_ONCE", 1 << 20)
    (tmp_path / "t.csv").write_bytes(b"a" * 5_500_000)
    (tmp_path / "p.csv").write_bytes(b"b" * 2_000_000)
    files = dataset.Files(taxonomy=str(tmp_path / "t.csv"), predictions=(str(tmp_path / "p.csv"),))
    found, told = told_of(lambda progress: file_content.digest(files, progress))
    assert_grows(told)
    assert told[-1] == (7, 7)
    assert found == file_content.digest(files)
