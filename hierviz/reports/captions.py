"""The caption of a step: text of its author with computed numbers."""

from __future__ import annotations

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
from hierviz.metrics.outcomes import OUTCOMES, answered_text
from hierviz.metrics.registry import METRICS
from hierviz.reports.story_step import view_settings

_FIELD = re.compile(r"\{(all\.)?([a-z0-9_]+)\}")
# Words in braces, besides the key of any metric.
FIELDS = {
    "model": "name of the model",
    "rule": "inference rule",
    "threshold": "threshold τ",
    "samples": "number of samples",
    "answers": "number of answers in the view; {all.answers} of all",
    "exact": "share of exact answers; {all.exact} of all, likewise for the next six",
    "coarse": "share of coarse answers",
    "no_answer": "share of samples without an answer",
    "wrong": "share of wrong answers",
    "correct": "share of correct answers",
    "n_wrong": "number of wrong answers",
    "answered": "share without an answer, and share of correct ones among the others, in words",
    "under": "class that the view is restricted to",
    "sample": "the sample",
    "truth": "its truth",
    "answer": "its answer",
    "p": "probability of its answer",
    "win": "its win",
}


def caption_text(step, models, costs=()):
    """The caption with every ``{field}`` computed now for the view of the step.

    Parameters
    ----------
    step : StoryStep
    models : dict of str to Evaluation
        By the keys that links use.
    costs : sequence of LeafCosts
        As of `view_settings`.

    Returns
    -------
    str
        A field that is unknown stays as it is; one without a value is a dash.
    """
    numbers = _CaptionValues(view_settings(step.view, models, costs))

    def value(found):
        whole, name = found.groups()
        if name not in FIELDS and name not in METRICS:
            return found[0]
        try:
            return numbers.value(name, bool(whole))
        except HiervizError:
            return "–"

    return _FIELD.sub(value, step.caption)


class _CaptionValues:
    def __init__(self, settings):
        self.settings, self.model, self.choice = settings, settings.model, settings.choice
        self._counts, self._entry, self._answer = {}, None, None

    def value(self, name, is_whole):
        predictions, taxonomy = self.model.predictions, self.model.taxonomy
        if name in ("model", "rule", "threshold", "samples", "under"):
            return {
                "model": predictions.name,
                "rule": INFERENCE_RULES[self.choice["rule"]].label,
                "threshold": threshold_text(self.choice["threshold"]),
                "samples": f"{predictions.n_samples:,}",
                "under": taxonomy.title(self.settings.under),
            }[name]
        if name in ("answers", "answered", "n_wrong", "correct", *OUTCOMES):
            return self._share(name, self._counted(is_whole))
        if name in ("sample", "truth", "answer", "p", "win"):
            return self._of_sample(name)
        return self._metric(name)

    def _counted(self, is_whole):
        if is_whole not in self._counts:
            answers = judged_answers(self.model, **self.choice)
            chosen = SampleFilter() if is_whole else replace(self.settings.chosen, outcome=None)
            kept = filtered(answers, chosen)
            self._counts[is_whole] = outcome_counts(answers, kept)
        return self._counts[is_whole]

    @staticmethod
    def _share(name, counts):
        n = sum(counts.values())
        if name in ("answers", "n_wrong"):
            return f"{n if name == 'answers' else counts['wrong']:,}"
        if not n or (name in OUTCOMES and name not in counts):
            return "–"
        shares = dict(zip(counts, shares_text(counts.values()), strict=True))
        if name == "answered":
            return answered_text(counts["no_answer"] / n, 1 - counts["wrong"] / n)
        if name in shares:
            return shares[name]
        # What is correct and what is wrong add up to 100 %, too.
        number = shares["wrong"].removesuffix(" %")
        return f"{100 - int(number)} %" if number.isdecimal() else percent_text((n - counts["wrong"]) / n)

    def _of_sample(self, name):
        row, title = self.settings.row, self.model.taxonomy.title
        if row is None:
            return "–"
        if name == "sample":
            return self.model.predictions.sample_id(row)
        if name == "truth":
            truth = np.atleast_1d(self.model.predictions.truth[row]).tolist() if self.model.judged[row] else []
            return "; ".join(title(node) for node in truth) or "–"
        if self._answer is None:
            self._answer = sample_answer(self.model, row, **self.choice)
        if name == "answer":
            return "; ".join(title(node) for node in self._answer.nodes if node >= 0) or "–"
        if name == "p":
            return probability_text(self._answer.p)
        return "–" if self._answer.win is None else value_text(self._answer.win)

    def _metric(self, name):
        if self._entry is None:
            self._entry = evaluate(self.model, **self.choice)["models"][0]
        blocks = (block for block in self._entry.values() if isinstance(block, dict))
        found = next((block[name] for block in blocks if isinstance(block.get(name), int | float)), None)
        if found is None:
            return "–"
        return percent_text(found) if name.endswith("accuracy") else value_text(found)
