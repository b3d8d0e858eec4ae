"""What parts of a page are about: one of the open models, how its answers are chosen, and the samples that filters leave."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from hierviz.app import state
from hierviz.app.widgets import right_filter
from hierviz.app.widgets.confidence import chosen_confidence
from hierviz.app.widgets.progress import choice_key
from hierviz.diagnosis.sample_filter import SampleFilter, filtered
from hierviz.evaluation._judged_answers import judged_answers


def answers_left(model, choice, wanted, where):
    """The JudgedAnswers of a model that a SampleFilter leaves, kept under `where`; None where it leaves none."""
    whole = judged_answers(model, **choice)
    if wanted == SampleFilter():
        return whole

    def some():
        fits = filtered(whole, wanted)
        return whole.take(fits) if fits.any() else None

    return state.computed("filtered answers", where, some)


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """A model of the open data and the choice of its answers.

    Attributes
    ----------
    data : Dataset
    key : str
        Of the model.
    choice : dict
        Keywords of `Evaluation.answers`.
    """

    data: object
    key: str
    choice: dict

    # Filters of all pages that do not apply here.
    ignored: ClassVar[tuple] = ("outcome",)

    @property
    def model(self):
        """The Evaluation."""
        return self.data.models[self.key]

    @property
    def taxonomy(self):
        """Of the data."""
        return self.data.taxonomy

    @property
    def predictions(self):
        """Of the model."""
        return self.model.predictions

    @cached_property
    def wanted(self):
        """The SampleFilter of the page."""
        return replace(right_filter.sample_filter(self.model), **dict.fromkeys(self.ignored))

    @cached_property
    def whole(self):
        """The JudgedAnswers of all judged samples."""
        return judged_answers(self.model, **self.choice)

    @cached_property
    def confidence(self):
        """The AnswerConfidence that the visitor wants, None where the confidence is shown as it is."""
        return chosen_confidence(self.data, self.key, self.choice)

    @cached_property
    def answers(self):
        """The JudgedAnswers that the filters leave; None where they leave none."""
        return answers_left(self.model, self.choice, self.wanted, self.where)

    @property
    def where(self):
        """What everything about the answers depends on, to keep it under."""
        return self.data.digest, self.key, choice_key(self.choice), self.wanted

    def computed(self, name, make, *more):
        """`make()` once for this model, this choice, the filters and what else it depends on."""
        return state.computed(name, (*self.where, *more), make)
