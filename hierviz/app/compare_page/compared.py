"""What the page Compare looks at: the models, how their answers are chosen, the samples that the filters leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from hierviz.app import state
from hierviz.app.widgets import filters
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation.judged_answers import judged_answers


@dataclass(frozen=True, eq=False)
class Compared:
    """Some models of the open data and one choice of rule.

    Attributes
    ----------
    data : Dataset
    keys : list of str
        Of the methods: each that of its first run.
    choice : dict
        Keywords of `Evaluation.answers` for the first of them; the others have their own thresholds.
    """

    data: object
    keys: list[str]
    choice: dict

    def choice_of(self, key):
        """Keywords of `Evaluation.answers` of a model."""
        if not self.model(key).predictions.has_scores:
            return {"rule": "majority"}
        return self.choice | {"threshold": state.view().threshold_of(key)}

    def model(self, key):
        """Evaluation of a method: of several runs the first, under the method's name."""
        return self.data.methods[key][0]

    def runs(self, key):
        """Evaluations of all runs of a method."""
        return self.data.methods[key]

    @property
    def has_runs(self):
        """Whether a method has several runs."""
        return any(len(self.runs(key)) > 1 for key in self.keys)

    def where(self, key):
        """What everything about a model's answers depends on, to keep it under."""
        named = repr(sorted(self.choice_of(key).items(), key=lambda pair: pair[0]))
        return self.data.digest, key, named, self.wanted

    @cached_property
    def wanted(self):
        """The SampleFilter of all pages without outcome."""
        return replace(filters.asked(self.model(self.keys[0])), outcome=None)

    @property
    def is_filtered(self):
        """Whether filters leave some samples out."""
        return self.wanted != SampleFilter()

    def answers(self, key):
        """JudgedAnswers of a model that the filters leave; None where they leave none."""
        whole = judged_answers(self.model(key), **self.choice_of(key))
        if not self.is_filtered:
            return whole

        def some():
            fits = filtered(whole, self.wanted)
            return whole.take(fits) if fits.any() else None

        return state.computed("filtered answers", self.where(key), some)

    def name(self, key):
        """Name of a model for people."""
        return self.model(key).predictions.name

    def computed(self, name, key, make, *more):
        """`make()` once for a model, its choice, the filters and what else it depends on."""
        return state.computed(name, (*self.where(key), *more), make)
