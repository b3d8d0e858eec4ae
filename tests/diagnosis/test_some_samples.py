"""Every diagnosis of some samples equals that of Predictions with these samples only."""

import naive_diagnosis
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz.diagnosis.mistakes import set_mistakes


def same_frames(found, expected, rows=None):
    for name in found:
        got, wanted = found[name].to_numpy(), expected[name].to_numpy()
        if rows is not None and name == "row":
            wanted = rows[wanted]
        if got.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, atol=1e-12)
        else:
            assert got.tolist() == wanted.tolist()


@many
@given(strategies.judged(most=8), st.data())
def test_scores(case, data):
    _, taxonomy, p, truth = case
    light = np.array(["day", "night"])[np.arange(len(p)) % 2]
    predictions = hv.Predictions.from_scores(
        taxonomy, p, "node_probabilities", truth=truth, attributes={"light": light}
    )
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p))))
    kept[data.draw(st.integers(0, len(p) - 1))] = True
    rows = np.flatnonzero(kept)
    alone = hv.evaluation.judged_answers(
        predictions.replace(scores=p[rows], truth=truth[rows], attributes={"light": light[rows]}), "threshold", 0.3
    )
    some = hv.evaluation.judged_answers(predictions, "threshold", 0.3).take(
        data.draw(st.sampled_from([kept, rows, rows[::-1]]))
    )
    assert some.rows.tolist() == rows.tolist()
    same_frames(hv.diagnosis.node_table(some).to_frame(), hv.diagnosis.node_table(alone).to_frame())
    for cost in ("win_lost", "info_dist", "confidence_dist"):
        same_frames(
            hv.diagnosis.confused_pairs(some, cost=cost).to_frame(),
            hv.diagnosis.confused_pairs(alone, cost=cost).to_frame(),
        )
    same_frames(hv.diagnosis.matrix(some).to_frame(), hv.diagnosis.matrix(alone).to_frame())
    keywords = {"min_samples": 1, "loss": "confidence_dist", "tests": hv.diagnosis.ManyTests(n_draws=19)}
    same_frames(hv.diagnosis.slices(some, **keywords).to_frame(), hv.diagnosis.slices(alone, **keywords).to_frame())
    same_frames(
        hv.diagnosis.reliability(some, min_samples=2, tests=hv.diagnosis.ManyTests(n_draws=19)).to_frame(),
        hv.diagnosis.reliability(alone, min_samples=2, tests=hv.diagnosis.ManyTests(n_draws=19)).to_frame(),
    )
    found, expected = hv.diagnosis.label_errors(some), hv.diagnosis.label_errors(alone)
    assert found.row.tolist() == rows[expected.row].tolist()
    assert found.score.tolist() == expected.score.tolist()
    # Of some, some again.
    assert some.take([0]).rows.tolist() == rows[:1].tolist()


@many
@given(naive_diagnosis.labelled(), st.data())
def test_labels(case, data):
    _, taxonomy, truths, answers = case
    answers = [answers[0] or [0, 1], *answers[1:]]
    answers[0] = [*answers[0], *({0, 1} - set(answers[0]))]
    rows = np.unique(data.draw(st.lists(st.integers(0, len(truths) - 1), min_size=1, max_size=6)).copy() + [0])
    whole = hv.Predictions.from_labels(taxonomy, hv.NodeLists.from_lists(answers), truth=truths)
    part = hv.Predictions.from_labels(
        taxonomy, hv.NodeLists.from_lists([answers[i] for i in rows]), truth=[truths[i] for i in rows]
    )
    some = hv.evaluation.judged_answers(whole).take(rows)
    same_frames(hv.diagnosis.node_table(some).to_frame(), hv.diagnosis.node_table(part).to_frame())
    same_frames(hv.diagnosis.confused_pairs(some).to_frame(), hv.diagnosis.confused_pairs(part).to_frame())
    found = hv.diagnosis.matrix(some)
    same_frames(found.to_frame(), hv.diagnosis.matrix(part).to_frame())
    assert set(found.samples(int(found.row[0]), int(found.column[0])).tolist()) <= set(rows.tolist())
    same_frames(set_mistakes(some).to_frame(), set_mistakes(part).to_frame(), rows)
    same_frames(hv.diagnosis.level_table(some).to_frame(), hv.diagnosis.level_table(part).to_frame())


def test_none(taxonomy):
    answers = hv.evaluation.judged_answers(hv.Predictions.from_labels(taxonomy, [2, 3], truth=[2, 2]))
    for places in ([], [False, False], np.empty(0, dtype=int)):
        with pytest.raises(
            hv.PredictionsError, match=r"^model: expected at least one sample, got none\. Choose some\."
        ):
            answers.take(places)
