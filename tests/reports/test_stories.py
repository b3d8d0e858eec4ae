"""Captions: every number is that of the metric modules for the view of the step; and what of a file is a step."""

import re

import numpy as np
import pytest

import hierviz as hv
from hierviz.demo import load_demo
from hierviz.messages.number_text import percent_text, probability_text
from hierviz.reports.captions import caption_text
from hierviz.reports.of_the_demo import demo_story
from hierviz.reports.story_step import StoryStep, link_of_step, model_keys, step_from_link, story_from, view_settings


@pytest.fixture(scope="module")
def models():
    pytest.importorskip("onnxruntime")
    _, predictions = load_demo(["flat_softmax", "log_win"])
    keys = model_keys(found.name for found in predictions)
    return {key: hv.Evaluation.from_predictions(found) for key, found in zip(keys, predictions)}


def outcomes(model, threshold, keep=None):
    """Numbers of exact, coarse, no and wrong answers from the definition, one sample at a time."""
    taxonomy, predictions = model.taxonomy, model.predictions
    answers, counts = model.answers("threshold", threshold), [0, 0, 0, 0]
    for row, answer in enumerate(answers.tolist()):
        if keep is not None and not keep[row]:
            continue
        truth, path = int(predictions.truth[row]), taxonomy.path
        is_right = truth in path(answer) or answer in path(truth)
        counts[3 if not is_right else 0 if truth in path(answer) else 1 if answer else 2] += 1
    return counts


def test_the_story_of_the_demo(models):
    steps = demo_story(models)
    assert [step.page for step in steps] == [
        *("overview", "example", "curves", "taxonomy", "mistakes", "mistakes", "example", "overview")
    ]
    model = next(iter(models.values()))
    for step in steps:
        # No number is typed: what is left without the fields holds no digit.
        assert not re.search(r"\d", re.sub(r"\{[^}]*\}", "", step.caption)), step.caption
        assert not re.search(r"[{}–]", caption_text(step, models)), caption_text(step, models)
    said = [caption_text(step, models) for step in steps]
    shares = [percent_text(n / 600) for n in outcomes(model, 0.5)]
    assert all(share in said[0] for share in shares)
    found = hv.thresholds.choose(model.curve, subject_to={"correct": 0.95})
    safe = outcomes(model, found.threshold)
    assert f"{percent_text(sum(safe[:3]) / 600)} of the answers are correct" in said[2]
    of_others = percent_text((safe[0] + safe[1]) / (600 - safe[2]), 1)
    # 6.5 %, as on Operating curves: rounded to add up to 100 % it would be 6 there and 7 here.
    assert f"{percent_text(safe[2] / 600, 1)} get no answer; of the others {of_others} are correct" in said[2]
    assert f"({safe[3]:,})" in said[7]
    # The branch is that of the Overview, and no accusation where its excess can be chance.
    slices = hv.diagnosis.slices(model, "threshold", threshold=0.5)
    place = slices.worst_subtree
    assert steps[5].view["under"] == slices.rows[place].value
    assert not slices.rows[place].is_flagged
    share = percent_text(slices.rows[place].rate)
    assert said[5].startswith("No branch is clearly worse than the rest. The largest excess of wrong answers")
    assert f"{share} of {int(slices.rows[place].n)} answers are wrong" in said[5]
    numbers = hv.evaluate(model, "threshold", 0.5)["models"][0]["top_down"]
    assert all(percent_text(numbers[key]) in said[3] for key in ("coarsest_accuracy", "finest_accuracy"))
    column, value = steps[4].view["where"].split("=")
    keep = np.asarray(model.predictions.attributes[column]) == value
    of_some = outcomes(model, 0.5, keep)
    assert f"{percent_text(of_some[3] / sum(of_some))} of {sum(of_some)} answers are wrong" in said[4]
    node = model.taxonomy.node(steps[5].view["under"])
    below = [node in model.taxonomy.path(int(truth)) for truth in model.predictions.truth]
    of_some = outcomes(model, 0.5, below)
    assert f"{percent_text(of_some[3] / sum(of_some))} of {sum(of_some)} answers are wrong" in said[5]
    # The surest mistake: no wrong answer has a higher probability.
    p, answers = model.predictions.node_probabilities(), model.answers("threshold", 0.5)
    row = model.predictions.row(steps[6].view["sample"])
    wrong = [k for k in range(600) if outcomes(model, 0.5, np.arange(600) == k)[3]]
    assert max(p[k, answers[k]] for k in wrong) == p[row, answers[row]]
    assert f"{probability_text(p[row, answers[row]])} for" in said[6]


def test_a_branch_that_is_clearly_worse_is_called_so(models):
    """Three in five aircraft are taken for another class."""
    model = next(iter(models.values()))
    predictions, taxonomy = model.predictions, model.taxonomy
    scores, node = np.array(predictions.scores), taxonomy.node("aircraft")
    rows = np.flatnonzero(taxonomy.is_ancestor(node, predictions.truth))[:63]
    other = np.flatnonzero(~taxonomy.is_ancestor(node, predictions.truth))[:63]
    scores[rows] = scores[other]
    worse = hv.Evaluation.from_predictions(predictions.replace(scores=scores))
    key = next(iter(models))
    said = [caption_text(step, {key: worse}) for step in demo_story({key: worse})]
    assert said[5].startswith("Do not trust every branch alike. The largest excess of wrong answers")
    assert "chance" not in said[5]


def test_fields(models):
    model = models["log-win-flat-start"]
    step = StoryStep(
        "overview", {"model": "log-win-flat-start", "rule": "majority"}, "{model} {rule} {softmax_win} {x} {all.y} {p}"
    )
    win = hv.evaluate(model, "majority")["models"][0]["distribution"]["softmax_win"]
    assert caption_text(step, models) == f"{model.predictions.name} Majority {win:.3f} {{x}} {{all.y}} –"
    settings = view_settings(
        {"model": "none", "threshold": "x", "rule": "none", "under": "none", "sample": "none"}, models
    )
    assert (settings.key, settings.choice, settings.row, settings.under) == (
        *("flat-softmax", {"rule": "threshold", "threshold": 0.5}, None, 0),
    )
    own = view_settings({"thresholds": "flat-softmax:0.75,log-win-flat-start:0.25"}, models)
    assert own.choice["threshold"] == 0.75


@pytest.mark.long
def test_costs_that_a_view_names(models):
    """They are used where they are at hand; else the default is, and the report says so."""
    taxonomy = next(iter(models.values())).taxonomy
    rng = np.random.default_rng(0)
    costs = hv.inference.LeafCosts.from_array(taxonomy, rng.random((taxonomy.n_leaves,) * 2), "costs.csv")
    fields = {"rule": "crm_leaf", "cost": "costs.csv"}
    with_costs, without = (view_settings(fields, models, given) for given in ((costs,), ()))
    assert with_costs.choice["cost"] == costs
    assert with_costs.left_out == ()
    assert "cost" not in without.choice
    assert without.left_out == ("the costs costs.csv; the cost is edges between answer and truth",)
    model = next(iter(models.values()))
    expected = hv.evaluate(model, "crm_leaf", cost=costs)["models"][0]["predicted"]["n_wrong"]
    default = hv.evaluate(model, "crm_leaf")["models"][0]["predicted"]["n_wrong"]
    assert expected != default
    step = StoryStep("overview", fields, "{n_wrong}")
    assert (caption_text(step, models, (costs,)), caption_text(step, models)) == (f"{expected:,}", f"{default:,}")
    first = [hv.report(model, "crm_leaf", story=(step,), **given).html for given in ({"cost": costs}, {})]
    captions = [re.search('<p class="caption">(.*?)</p>', html)[1] for html in first]
    assert captions == [f"{expected:,}", f"{default:,}"]
    assert ["the costs costs.csv; the cost is" in html for html in first] == [False, True]


def test_thresholds_by_depth_that_a_view_names(models):
    settings = view_settings({"rule": "depth_thresholds", "thresholds_by_depth": "0.9,0.2"}, models)
    assert settings.choice["thresholds_by_depth"] == "0.9,0.2"


def test_what_is_no_step():
    step = {"page": "curves", "view": {"threshold": "0.3", "x": 4, "data": "0" * 16}, "caption": "c"}
    assert story_from([step, 4, {"page": "x", "view": {}, "caption": ""}, {"page": "curves"}]) == (
        StoryStep("curves", {"threshold": "0.3"}, "c"),
    )
    assert story_from({"a": 1}) == ()
    assert model_keys(["A b", "a B", "!"]) == ["a-b", "a-b-2", "model"]


def test_a_step_from_a_link():
    step = step_from_link("http://localhost:8501/example?data=0123&sample=a%26b+c&threshold=0.25")
    assert (step.page, step.view) == ("example", {"sample": "a&b c", "threshold": "0.25"})
    assert "{truth}" in step.caption
    assert step_from_link(link_of_step(step)) == step
    assert step_from_link("http://localhost:8501/").page == step_from_link("?threshold=1").page == "overview"
    assert step_from_link("taxonomy", has_truth=False) == StoryStep("taxonomy", {}, "{model}")
    assert link_of_step(StoryStep("curves")) == "curves"
    for wrong in ("learn", "http://[", "../etc/passwd"):
        with pytest.raises(hv.PredictionsError, match=r"^view: expected the link of a page of the app \(overview, "):
            step_from_link(wrong)
