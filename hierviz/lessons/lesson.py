"""What a lesson is made of: steps with one thing to change, a question, and numbers that the core computes while they are shown.

The page Learn and the notebooks show the same lessons. A step's `work` is a function of its settings; every number it shows is a
Number that says which function of hierviz gave it, so that a test can compute it once more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import value_text

# Reading aloud; and for each step, a prediction (20 s) and something that is changed (25 s).
WORDS_A_MINUTE, SECONDS_A_STEP = 150, 45


@dataclass(frozen=True)
class Slider:
    """A number to drag."""

    name: str
    label: str
    low: float
    high: float
    value: float
    step: float

    def allowed(self, value):
        """The value as a number in range."""
        return min(max(float(value), self.low), self.high)


@dataclass(frozen=True)
class Selector:
    """One of several options to choose."""

    name: str
    label: str
    options: tuple[str, ...]
    value: str

    def allowed(self, value):
        """The value where it is an option, else the default."""
        return value if value in self.options else self.value


@dataclass(frozen=True)
class Number:
    """A computed number.

    Attributes
    ----------
    label : str
    value : float or None
        None where it is undefined.
    key : str
        Key of `METRICS` whose definition it has, or "".
    made_of : tuple
        What it was computed from: the name of a quantity and its arguments.
    """

    label: str
    value: float | None
    key: str = ""
    made_of: tuple = ()

    @property
    def text(self):
        """The value as text; – where undefined."""
        if self.value is None:
            return "–"
        value = float(self.value)
        return f"{int(value):,}" if value.is_integer() else value_text(value)


@dataclass(frozen=True)
class Figure:
    """A chart that is drawn when it is wanted: `draw` takes `dark` and `width`; `table` gives the numbers behind it."""

    name: str
    draw: Callable[..., Any]
    sentence: str
    table: Callable[[], Any]


@dataclass(frozen=True)
class Result(Short):
    """What a step shows for some settings.

    Attributes
    ----------
    before : tuple of Figure
        Shown at once, or with the answer where there is `asked`.
    asked : tuple of Figure
        Shown until the answer is, where `before` would give it away.
    numbers : tuple of Number
        Shown with the answer.
    after : tuple of Figure
        Shown with the answer.
    reveal : str
        The answer in Markdown.
    right : int
        Place of the right option of the question.
    rows : tuple of mapping
        A table that is shown with the answer, one mapping a row; its numbers are Numbers too.
    quoted, credit : str
        A text that the step is about, shown at once, and whose it is.
    """

    reveal: str
    right: int
    numbers: tuple[Number, ...] = ()
    before: tuple[Figure, ...] = ()
    asked: tuple[Figure, ...] = ()
    after: tuple[Figure, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    quoted: str = ""
    credit: str = ""

    @property
    def of_question(self):
        """Figures that are shown until the answer is."""
        return self.asked or self.before

    @property
    def all_numbers(self):
        """Numbers of the step and of its table."""
        return (*self.numbers, *(cell for row in self.rows for cell in row.values() if isinstance(cell, Number)))


@dataclass(frozen=True)
class Step(Short):
    """One step of a lesson.

    Attributes
    ----------
    title, text : str
        `text` is Markdown, shown at once.
    question : str
    options : tuple of str
        Predictions to choose from.
    work : callable
        (**settings) -> Result.
    controls : tuple of Slider or Selector
    """

    title: str
    text: str
    question: str
    options: tuple[str, ...]
    work: Callable[..., Result]
    controls: tuple[Slider | Selector, ...] = ()

    @property
    def defaults(self):
        """Settings at the start."""
        return {control.name: control.value for control in self.controls}

    def result(self, **settings):
        """The Result for some settings; the others have their defaults.

        Raises
        ------
        PredictionsError
            If a setting is unknown.
        """
        unknown = sorted(set(settings) - set(self.defaults))
        if unknown:
            known = ", ".join(self.defaults) or "none"
            raise PredictionsError(f"settings: expected some of {known}, got {', '.join(unknown)}. Leave them out.")
        given = {control.name: control.allowed(settings.get(control.name, control.value)) for control in self.controls}
        return self.work(**given)


@dataclass(frozen=True)
class OnData:
    """What the lesson says on opened predictions: numbers of `hierviz.evaluate`, written ``block.key``, and what to look at."""

    text: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """A task with its solution, whose numbers `work` computes."""

    task: str
    work: Callable[[], Result]


@dataclass(frozen=True)
class Lesson(Short):
    """A lesson.

    Attributes
    ----------
    key, title, summary : str
    steps : tuple of Step
    exercise : Exercise
    terms : tuple of str
        Keys of the glossary.
    on_data : OnData, optional
    models : tuple of str
        Models of the demo (`hierviz.lessons.demo_models`) that are run when it opens, which takes some seconds.
    sources : tuple of str
    """

    key: str
    title: str
    summary: str
    steps: tuple[Step, ...]
    exercise: Exercise
    terms: tuple[str, ...] = ()
    on_data: OnData | None = None
    models: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def n_words(self):
        """Words of the texts, questions, options and answers of the steps at their start values."""
        texts = [(one.text, one.question, *one.options, one.result().reveal) for one in self.steps]
        return sum(len(text.split()) for parts in texts for text in parts)

    @property
    def minutes(self):
        """Minutes of the steps in class: all texts read aloud, a prediction and a try at each step, rounded up."""
        return math.ceil(self.n_words / WORDS_A_MINUTE + len(self.steps) * SECONDS_A_STEP / 60)

    def step(self, number):
        """Step by its number, from 1."""
        if not 1 <= number <= len(self.steps):
            raise PredictionsError(f"step: expected 1 to {len(self.steps)}, got {number}. Choose one.")
        return self.steps[number - 1]


def paragraphs(text):
    """A docstring-like text as Markdown: indentation and line breaks inside paragraphs removed."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "\n".join(line.strip() for line in part.splitlines())
        if part.lstrip().startswith(("-", "|", "1."))
        else " ".join(part.split())
        for part in parts
    )
