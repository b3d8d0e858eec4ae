"""The story of the demo in eight views: what a domain expert may trust.

The steps are in `demo_story.json`, as in a session file. Views are chosen by what the models say now ($name), and captions hold
no number: the steps stay true for other models.
"""

import json
from pathlib import Path
from string import Template

import numpy as np

from hierviz.charts.curve_knots import threshold_text
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.reports.story_step import story_from
from hierviz.thresholds.selection import choose

STEPS = Path(__file__).with_name("demo_story.json")
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
    p = model.predictions.node_probabilities()[answers.rows, answers.predicted]
    depth = model.taxonomy.depth[answers.predicted]
    # The most that a coarse answer says, and the surest mistake.
    coarse = _most(answers, (outcome == "coarse") & (depth == depth[outcome == "coarse"].max(initial=0)), p)
    sure = _most(answers, outcome == "wrong", p)
    condition = max(CONDITIONS, key=lambda name: _wrong(answers, ((name, "yes"),)))
    sample, branch = model.predictions.sample_id, _weak_branch(answers)
    chosen = {
        "model": key,
        "coarse": sample(coarse),
        "sure": sample(sure),
        "safe": threshold_text(choose(model.curve, subject_to={"correct": SAFE}).threshold),
        "condition": condition,
        "words": condition.replace("_", " "),
        **branch,
    }
    # As JSON writes them inside of a text.
    chosen = {name: json.dumps(value, ensure_ascii=False)[1:-1] for name, value in chosen.items()}
    steps = story_from(json.loads(Template(STEPS.read_text("utf-8")).safe_substitute(chosen)))
    return steps if branch else tuple(step for step in steps if "opened" not in step.view)


def _weak_branch(answers):
    """The worst subtree, what to open of it, and whether it is clearly worse; empty where all subtrees are alike."""
    found, taxonomy = slices(answers), answers.taxonomy
    place = found.worst_subtree
    if place is None:
        return {}
    node = found.rows[place].node
    opened = int(taxonomy.parents[node][0]) if taxonomy.is_leaf[node] else node
    first, last = "No branch is clearly worse than the rest", "; such a difference can be chance"
    if found.rows[place].is_flagged:
        first, last = "Do not trust every branch alike", ""
    return {"branch": taxonomy.names[node], "opened": str(opened), "first": first, "last": last}


def _most(answers, mask, p):
    """Row of the sample with the highest probability among some."""
    places = np.flatnonzero(mask)
    return int(answers.rows[places[np.argmax(p[places])]])


def _wrong(answers, where):
    kept = filtered(answers, SampleFilter(where=where))
    wrong = np.asarray(answers.outcome) == list(OUTCOMES).index("wrong")
    return float((kept & wrong).sum() / max(kept.sum(), 1))
