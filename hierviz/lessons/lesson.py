"""What a lesson is made of: steps with one thing to change, a question, and numbers that the core computes while they are shown.

The page Learn and the notebooks show the same lessons. Their text is Markdown with fields, read by `hierviz.lessons.catalogue`. A
step's `work` is a function of its settings that gives what the fields name; every number it gives is a Number that names the
function of hierviz that computed it, so that a test can compute it once more.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hierviz.messages.errors import FileError, PredictionsError, near_miss
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
class NamedFigure:
    """A `hierviz.charts.Figure` of a step by its name, with a sentence of the lesson where it says more than its own."""

    name: str
    figure: Any
    said: str = ""

    @property
    def sentence(self):
        """What the figure shows, in words."""
        return self.said or self.figure.sentence


@dataclass(frozen=True)
class Result(Short):
    """What a step shows for some settings.

    Attributes
    ----------
    before : tuple of NamedFigure
        Shown at once, or with the answer where there is `asked`.
    asked : tuple of NamedFigure
        Shown until the answer is, where `before` would give it away.
    numbers : tuple of Number
        Shown with the answer.
    after : tuple of NamedFigure
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
    before: tuple[NamedFigure, ...] = ()
    asked: tuple[NamedFigure, ...] = ()
    after: tuple[NamedFigure, ...] = ()
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


class Line(str):
    """A text of a file that knows its place there.

    Parameters
    ----------
    text, file : str
    number : int
        Of the line, from 1.
    """

    def __new__(cls, text, file="", number=1):
        line = super().__new__(cls, text)
        line.file, line.number = file, number
        return line

    @property
    def where(self):
        """File and line, for errors."""
        return f"{self.file}, line {self.number}"

    def part(self, text):
        """Another text of the same place."""
        return Line(text, self.file, self.number)

    def expect(self, holds, expected, what_to_do, names=()):
        """Raise a FileError unless it holds; `names` are what could have been meant."""
        if not holds:
            raise FileError(f"{self.where}: expected {expected}, got {self!r}.{near_miss(self, names)} {what_to_do}")


@dataclass(frozen=True)
class Text:
    """A text of a lesson with fields.

    A field is `{name}`, `{name:.2f}` with a format of Python, or `{name:one text|another}`: the first text where the value is
    true, the second where it is not; of a whole number, the text at that place, from 0. A brace that is no field is doubled.

    Attributes
    ----------
    lines : tuple of Line
    """

    lines: tuple[Line, ...] = ()

    @property
    def markdown(self):
        """The text with its fields, one line a paragraph."""
        return paragraphs("\n".join(self.lines))

    def where(self, part=""):
        """File and line of the first line that holds `part`."""
        return next((line for line in self.lines if part in line), (*self.lines, Line(""))[0]).where

    def filled(self, values):
        """The text with the `values` of its fields, by name.

        Raises
        ------
        FileError
            If a field is not among the values, or is not written as one.
        """
        return self._filled(self.markdown, values)

    def _filled(self, text, values):
        try:
            parts = list(string.Formatter().parse(text))
        except ValueError:
            odd = next((str(line) for line in self.lines if line.count("{") != line.count("}")), text)
            raise FileError(
                f"{self.where(odd)}: expected fields such as {{name}}, got {odd!r}. Close the brace, or double one that is "
                "no field."
            ) from None
        filled = ""
        for before, name, form, _ in parts:
            filled += before
            if name is not None and name not in values:
                raise FileError(
                    f"{self.where('{' + name)}: expected a field among {', '.join(values)}, got {name!r}."
                    f"{near_miss(name, values)} Correct it, or let the function of the step give it."
                )
            if name is not None:
                filled += self._as_text(name, values[name], self._filled(form, values))
        return filled

    def _as_text(self, name, value, form):
        try:
            if "|" in form:
                return form.split("|")[value if type(value) is int else 0 if value else 1]
            if isinstance(value, Number):
                return format(value.value, form) if form else value.text
            return format(value, form)
        except (ValueError, TypeError, IndexError):
            raise FileError(
                f"{self.where('{' + name)}: expected a form that {name!r} can be written in, got {form!r}. Leave it out, or "
                "correct it."
            ) from None


def constants(work):
    """The constants of the file of a function, which texts can use, too."""
    return {name: value for name, value in work.__globals__.items() if name.isupper()}


@dataclass(frozen=True)
class Step(Short):
    """One step of a lesson, or its exercise.

    Attributes
    ----------
    title, text : str
        `text` is Markdown, shown at once.
    work : callable
        (**settings) -> mapping of the names that the answer and the lists below use to what is computed: Number, Figure, lists of
        them, text. The answer can also name settings, constants of the file of `work`, and `right_option`.
    question : str
    options : tuple of str
        Predictions to choose from; none of an exercise.
    right : int
        Place of the right option.
    answer : Text
    controls : tuple of Slider or Selector
    shown, revealed : tuple of str
        Names of the pictures with the question and with the answer. With the answer the first ones take the place of those of
        the question, the others come below.
    numbers, table, quoted : tuple of str
        Names of the numbers and of the table with the answer; of a text that the step is about and of its credit.
    sentences : mapping of str to Text
        What a picture shows, in words, by its name; other pictures have their own sentence.
    """

    title: str
    text: str
    work: Callable[..., Mapping[str, Any]]
    question: str = ""
    options: tuple[str, ...] = ()
    right: int = 0
    answer: Text = field(default_factory=Text)
    controls: tuple[Slider | Selector, ...] = ()
    shown: tuple[str, ...] = ()
    revealed: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    sentences: Mapping[str, Text] = field(default_factory=dict, hash=False)

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
        FileError
            If the file of the lesson names what `work` does not give.
        """
        unknown = sorted(set(settings) - set(self.defaults))
        if unknown:
            known = ", ".join(self.defaults) or "none"
            raise PredictionsError(f"settings: expected some of {known}, got {', '.join(unknown)}. Leave them out.")
        given = {control.name: control.allowed(settings.get(control.name, control.value)) for control in self.controls}
        found = self.work(**given)
        right_option = "".join(self.options[self.right : self.right + 1])
        fields = {**constants(self.work), **given, **found, "right_option": right_option}
        for name, text in self.sentences.items():
            (picture,) = self._named((name,), found)
            found = {**found, name: replace(picture, said=text.filled(fields))}
        shown, revealed = self._named(self.shown, found), self._named(self.revealed, found)
        place = len(shown)
        quoted, credit = self._named(self.quoted, found) or ("", "")
        return Result(
            self.answer.filled(fields),
            self.right,
            numbers=self._named(self.numbers, found),
            asked=() if self.shown == self.revealed[: len(self.shown)] else shown,
            before=revealed[:place],
            after=revealed[place:],
            rows=self._named(self.table, found),
            quoted=quoted,
            credit=credit,
        )

    def _named(self, names, found):
        """What some names mean, lists one after the other."""
        values = []
        for name in names:
            if name not in found:
                raise FileError(
                    f"{names[0].file}, {self.title!r}: expected what {self.work.__name__} gives ({', '.join(found)}), got "
                    f"{name!r}.{near_miss(name, found)} Correct it in the block of the step."
                )
            values += found[name] if isinstance(found[name], (list, tuple)) else [found[name]]
        return tuple(values)


@dataclass(frozen=True)
class OnData:
    """What the lesson says on opened predictions: numbers of `hierviz.evaluate`, written ``block.key``, and what to look at."""

    text: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Lesson(Short):
    """A lesson.

    Attributes
    ----------
    key, title, summary : str
    steps : tuple of Step
    exercise : Step
        Its text is the task, its answer the solution.
    terms : tuple of str
        Keys of the glossary.
    on_data : OnData, optional
    models : tuple of str
        Models of the demo (`hierviz.lessons.quantities`) that are run when it opens, which takes some seconds.
    sources : tuple of str
    practice : tuple of str
        Inference rules of the ladder that asks about one sample, next to the exercise; none where there is no ladder.
    """

    key: str
    title: str
    summary: str
    steps: tuple[Step, ...]
    exercise: Step
    terms: tuple[str, ...] = ()
    on_data: OnData | None = None
    models: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    practice: tuple[str, ...] = ()

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


def markdown_table(heads, lines):
    """A Markdown table of lines of texts."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, ["---"] * len(heads), *lines))


def paragraphs(text):
    """A docstring-like text as Markdown: indentation and line breaks inside paragraphs removed."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        "\n".join(line.strip() for line in part.splitlines())
        if part.lstrip().startswith(("-", "|", "1."))
        else " ".join(part.split())
        for part in parts
    )
