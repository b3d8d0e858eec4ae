"""The caption of a step: text of its author with computed numbers."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import numpy as np

from hierviz.charts.curve_knots import threshold_text
from hierviz.diagnosis.mistakes import outcome_counts
from hierviz.diagnosis.sample_answers import sample_answer
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.summary import evaluate
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import percent_text, probability_text, shares_text, value_text
from hierviz.metrics.outcomes import answered_text
from hierviz.metrics.registry import METRICS
from hierviz.reports.story_step import view_settings

_FIELD = re.compile(r"\{(all\.)?([a-z0-9_]+)\}")
# Words in braces, besides the key of any metric: of the view, of its answers, of its sample, and of the answer to that.
OF_VIEW = {
    "model": "name of the model",
    "rule": "inference rule",
    "threshold": "threshold τ",
    "samples": "number of samples",
    "under": "class that the view is restricted to",
}
OF_ANSWERS = {
    "answers": "number of answers in the view; {all.answers} of all",
    "exact": "share of exact answers; {all.exact} of all, likewise for the next six",
    "coarse": "share of coarse answers",
    "no_answer": "share of samples without an answer",
    "wrong": "share of wrong answers",
    "correct": "share of correct answers",
    "n_wrong": "number of wrong answers",
    "answered": "share without an answer, and share of correct ones among the others, in words",
}
OF_SAMPLE = {"sample": "the sample", "truth": "its truth"}
OF_ANSWER = {"answer": "its answer", "p": "probability of its answer", "win": "its win"}
FIELDS = OF_VIEW | OF_ANSWERS | OF_SAMPLE | OF_ANSWER


def caption_text(step, models, costs=(), review=None):
    """The caption with every ``{field}`` computed now for the view of the step.

    Parameters
    ----------
    step : StoryStep
    models : dict of str to Evaluation
        By the keys that links use.
    costs : sequence of LeafCosts
    review : Review, optional
        As of `view_settings`.

    Returns
    -------
    str
        A field that is unknown stays as it is; one without a value is a dash.
    """
    settings = view_settings(step.view, models, costs, review)

    @functools.cache
    def values(of, *arguments):
        try:
            return of(settings, *arguments)
        except HiervizError:
            return {}

    def value(found):
        whole, name = found.groups()
        if name in OF_ANSWERS:
            return values(_of_answers, bool(whole)).get(name, "–")
        of = next((of for of, names in VALUES.items() if name in names), None)
        return found[0] if of is None else values(of).get(name, "–")

    return _FIELD.sub(value, step.caption)


def _of_view(settings):
    predictions, choice = settings.model.predictions, settings.choice
    return {
        "model": predictions.name,
        "rule": INFERENCE_RULES[choice["rule"]].label,
        "threshold": threshold_text(choice["threshold"]),
        "samples": f"{predictions.n_samples:,}",
        "under": settings.model.taxonomy.title(settings.under),
    }


def _of_answers(settings, is_whole):
    answers = judged_answers(settings.model, **settings.choice)
    chosen = SampleFilter() if is_whole else replace(settings.chosen, outcome=None)
    counts = outcome_counts(answers, filtered(answers, chosen))
    n = sum(counts.values())
    numbers = {"answers": f"{n:,}", "n_wrong": f"{counts['wrong']:,}"}
    if not n:
        return numbers
    shares = dict(zip(counts, shares_text(counts.values()), strict=True))
    is_correct = 1 - counts["wrong"] / n
    # What is correct and what is wrong add up to 100 %, too.
    wrong = shares["wrong"].removesuffix(" %")
    correct = f"{100 - int(wrong)} %" if wrong.isdecimal() else percent_text((n - counts["wrong"]) / n)
    answered = answered_text(counts["no_answer"] / n, is_correct)
    return numbers | shares | {"answered": answered, "correct": correct}


def _of_sample(settings):
    model, row = settings.model, settings.row
    if row is None:
        return {}
    truth = np.atleast_1d(model.predictions.truth[row]).tolist() if model.judged[row] else []
    titles = "; ".join(map(model.taxonomy.title, truth))
    return {"sample": model.predictions.sample_id(row), "truth": titles or "–"}


def _of_answer(settings):
    if settings.row is None:
        return {}
    answer = sample_answer(settings.model, settings.row, **settings.choice)
    titles = "; ".join(settings.model.taxonomy.title(node) for node in answer.nodes if node >= 0)
    win = "–" if answer.win is None else value_text(answer.win)
    return {"answer": titles or "–", "p": probability_text(answer.p), "win": win}


def _of_metrics(settings):
    blocks = evaluate(settings.model, **settings.choice)["models"][0].values()
    numbers: dict[str, str] = {}
    for block in blocks:
        for key, value in block.items() if isinstance(block, dict) else ():
            if isinstance(value, int | float):
                numbers.setdefault(key, percent_text(value) if key.endswith("accuracy") else value_text(value))
    return numbers


VALUES = {_of_view: OF_VIEW, _of_sample: OF_SAMPLE, _of_answer: OF_ANSWER, _of_metrics: METRICS}
