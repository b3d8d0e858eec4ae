"""The story of the demo in eight views: what a domain expert may trust.

Views are chosen by what the models say now, and captions hold no number: the steps stay true for other models.
"""

import numpy as np

from hierviz.charts.curve_knots import threshold_text
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.reports.story_step import StoryStep
from hierviz.thresholds.selection import choose

RULE, START, SAFE = "threshold", 0.5, 0.95
CONDITIONS = ("unusual_setting", "far", "occluded", "blurred")


def demo_story(models):
    """The steps.

    Parameters
    ----------
    models : dict of str to Evaluation
        Of the demo, by the keys that links use; the story is about the first.

    Returns
    -------
    tuple of StoryStep
    """
    key, model = next(iter(models.items()))
    answers = judged_answers(model, RULE, START)
    outcome = np.array(list(OUTCOMES))[answers.outcome]
    safe = threshold_text(choose(model.curve, subject_to={"correct": SAFE}).threshold)
    p = model.predictions.node_probabilities()[answers.rows, answers.predicted]
    depth = model.taxonomy.depth[answers.predicted]
    # The most that a coarse answer says, and the surest mistake.
    coarse = _most(answers, (outcome == "coarse") & (depth == depth[outcome == "coarse"].max(initial=0)), p)
    sure = _most(answers, outcome == "wrong", p)
    condition = max(CONDITIONS, key=lambda name: _wrong(answers, ((name, "yes"),)))
    sample, at = model.predictions.sample_id, {"model": key}
    return (
        StoryStep(
            "overview",
            at,
            "{model} classifies the vehicles on {samples} drawings. It may stop early: {exact} of its answers are the exact "
            "class, {coarse} a correct broader class, {no_answer} are empty, and {wrong} are wrong. Which of them can you trust?",
        ),
        StoryStep(
            "example",
            {**at, "sample": sample(coarse), "outcome": "coarse"},
            "An answer that stops early can be correct without being exact. Here the model answers “{answer}” with a probability "
            "of {p}, and stops where it is no longer sure. The truth, “{truth}”, is below: a correct, less specific answer.",
        ),
        StoryStep(
            "curves",
            {**at, "threshold": safe},
            "You choose how careful it is. At the threshold {threshold}, {correct} of the answers are correct: "
            "{answered}. Only {exact} are still the exact class. Drag the threshold to see the trade-off.",
        ),
        StoryStep(
            "taxonomy",
            {**at, "aspect": "icicle"},
            "Trust the upper levels more than the lower ones: with answers down to the leaves, {coarsest_accuracy} are correct "
            "at the first level, {finest_accuracy} at the last. The colour is the share of correct answers of each class.",
        ),
        StoryStep(
            "mistakes",
            {**at, "where": f"{condition}=yes", "outcome": "wrong"},
            f"Do not trust it under bad conditions: with “{condition.replace('_', ' ')}”, "
            "{wrong} of {answers} answers are wrong, of all drawings {all.wrong}.",
        ),
        *_weak_branch(answers, at),
        StoryStep(
            "example",
            {**at, "sample": sample(sure), "outcome": "wrong"},
            "A high probability is no proof: {p} for “{answer}”, but the truth is “{truth}”. No threshold finds mistakes like "
            "this one: check the samples.",
        ),
        StoryStep(
            "overview",
            {**at, "threshold": safe},
            "So use a careful threshold and check the rest: at {threshold}, {wrong} of the answers are wrong ({n_wrong}), "
            "{exact} are exact, {coarse} need somebody who names the exact class, and {no_answer} have no answer yet.",
        ),
    )


def _weak_branch(answers, at):
    """The step about the worst subtree, and whether it is clearly worse; none where all subtrees are alike."""
    found, taxonomy = slices(answers), answers.taxonomy
    place = found.worst_subtree
    if place is None:
        return
    node = found.rows[place].node
    opened = int(taxonomy.parents[node][0]) if taxonomy.is_leaf[node] else node
    first, last = "No branch is clearly worse than the rest", "; such a difference can be chance"
    if found.rows[place].is_flagged:
        first, last = "Do not trust every branch alike", ""
    yield StoryStep(
        "mistakes",
        {**at, "part": "matrix", "under": taxonomy.names[node], "opened": str(opened)},
        f"{first}. The largest excess of wrong answers is below “{{under}}”: {{wrong}} of {{answers}} answers are wrong, "
        f"of all {{all.wrong}}{last}. The matrix shows which classes are confused.",
    )


def _most(answers, mask, p):
    """Row of the sample with the highest probability among some."""
    places = np.flatnonzero(mask)
    return int(answers.rows[places[np.argmax(p[places])]])


def _wrong(answers, where):
    kept = filtered(answers, SampleFilter(where=where))
    wrong = np.asarray(answers.outcome) == list(OUTCOMES).index("wrong")
    return float((kept & wrong).sum() / max(kept.sum(), 1))
