"""Any numbers of one model over the steps of its training, with intervals, and from which step on they no longer change clearly.

Conventions
-----------
A step is a number: an epoch, or a share of one. All steps are judged on the same samples and resampled alike, so that two of
them are compared in pairs. Steps are read one after another: of each its numbers and their draws are kept, no scores.

Two steps are *clearly different* where the simultaneous intervals of all pairs of steps leave out 0
(`hierviz.uncertainty.comparison`): the best step is found by looking at all of them. Intervals are over samples; one training
says nothing about another one.

Functions
---------
training_steps, TrainingSteps
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.comparison.columns import Column, columns_of, file_numbers
from hierviz.comparison.formats import number, plain, table_row
from hierviz.comparison.methods import Method, clear_of, marks_of
from hierviz.comparison.resampled import ResampledNumbers, resampled_draws
from hierviz.comparison.table import RESAMPLES, method_of, resamples_of
from hierviz.evaluation.common_samples import rows_of
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import check_models, jsonable
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import PredictionsError, TaxonomyError, listed, near_miss
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import step_text, value_text
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.uncertainty.resamples import Resamples, check_level

# A step: what is read of it, or what reads it.
Step = Predictions | Evaluation | Callable[[], "Predictions | Evaluation"]


@dataclass(frozen=True, eq=False)
class TrainingSteps(Short):
    """Numbers over the steps of a training. Made by `training_steps`.

    Attributes
    ----------
    name : str
        Of the model.
    steps : tuple of float
        Ascending.
    columns : list of Column
        The numbers.
    methods : list of Method
        Of each step its values and draws.
    level : float
        Of intervals.
    resamples : Resamples or None
    """

    _printed = ("name", "sentence")

    name: str
    steps: tuple[float, ...]
    columns: list[Column]
    methods: list[Method]
    level: float
    resamples: Resamples | None

    @property
    def n_samples(self) -> int:
        """Samples that each step is judged on."""
        return self.methods[0].n_samples

    def column(self, key: str | None = None) -> Column:
        """The Column of a key, the first if None; PredictionsError where there is none."""
        by_key = {column.key: column for column in self.columns}
        if key is not None and key not in by_key:
            raise PredictionsError(
                f"key: expected one of {listed(list(by_key), 5)}, got {key!r}.{near_miss(key, by_key)} Choose one."
            )
        return self.columns[0] if key is None else by_key[key]

    def values(self, key: str) -> np.ndarray:
        """A number at each step: ndarray of float, shape (n_steps,), nan where it has no value."""
        found = [method.value(self.column(key).key) for method in self.methods]
        return np.array([np.nan if value is None else value for value in found])

    def intervals(self, key: str) -> np.ndarray:
        """Both ends of its interval at each step: ndarray of float, shape (n_steps, 2), nan where there is none."""
        ends = [method.interval(self.column(key), self.level) for method in self.methods]
        return np.array([(np.nan, np.nan) if pair is None else pair for pair in ends])

    def clear(self, key: str) -> np.ndarray | None:
        """Which pairs of steps are clearly different: ndarray of bool, shape (n_steps, n_steps); None without intervals."""
        return self._clear[self.column(key).key]

    @cached_property
    def _clear(self):
        return {column.key: clear_of(self.methods, column, self.level) for column in self.columns}

    @cached_property
    def marks(self) -> dict[str, list[str | None]]:
        """Of each number 'best', 'tied' (not clearly different from it), 'second' or None of every step, as of `hv.compare`."""
        return {column.key: marks_of(self.methods, column, self.level) for column in self.columns}

    def settled(self, key: str) -> float | None:
        """The first step from which on no step is clearly different from the last one; None without intervals."""
        clear = self.clear(key)
        if clear is None:
            return None
        different = np.flatnonzero(clear[-1])
        return self.steps[0 if not len(different) else int(different[-1]) + 1]

    def sentence_of(self, key: str, model: str = "") -> str:
        """How a number changes over the steps, in words, and what of it is more than chance; with the name of the model."""
        column, values = self.column(key), self.values(key)
        label = f"{column.label} of {model}" if model else column.label
        first, last = values[0], values[-1]
        if not np.isfinite([first, last]).all():
            return f"{label} has no finite value at step {step_text(self.steps[0 if not np.isfinite(first) else -1])}."
        ends = f"{value_text(first)} at step {step_text(self.steps[0])} to {value_text(last)} at step {step_text(self.steps[-1])}"
        clear, at = self.clear(key), self.settled(key)
        if clear is None or at is None:
            return f"{label} goes from {ends}{self._best(column, values, None)}; there are no intervals."
        is_clear = bool(clear[0, -1])
        verb = "goes" if not is_clear else "rises" if last > first else "falls"
        if at == self.steps[0]:
            rest = "; no step is clearly different from the last one"
        elif at == self.steps[-1]:
            rest = f"; step {step_text(self.steps[-2])} is still clearly different from the last one"
        else:
            rest = f"; from step {step_text(at)} on no step is clearly different from the last one"
            rest = rest if is_clear else f", no clear difference{rest}"
        return f"{label} {verb} from {ends}{rest}{self._best(column, values, clear)}."

    def _best(self, column, values, clear):
        """What the best step is, where it is not the last one, as the end of a sentence."""
        gains = column.sign * values
        if not column.sign or not np.isfinite(gains).any():
            return ""
        best = int(np.nanargmax(gains))
        if gains[best] <= gains[-1]:
            return ""
        how = "" if clear is None else ", clearly better than the last" if clear[best, -1] else ", not clearly better"
        return f"; the best is {value_text(values[best])} at step {step_text(self.steps[best])}{how}"

    @property
    def sentence(self) -> str:
        """`sentence_of` the first number."""
        return self.sentence_of(self.columns[0].key)

    def to_dict(self) -> dict[str, Any]:
        """As the JSON of `hierviz table` has it: model, columns, steps with values, intervals and marks, sentences."""
        rows = [
            {
                "step": int(step) if step.is_integer() else step,
                "values": {column.key: method.value(column.key) for column in self.columns},
                "interval": {column.key: method.interval(column, self.level) for column in self.columns},
                "mark": {column.key: self.marks[column.key][place] for column in self.columns},
            }
            for place, (step, method) in enumerate(zip(self.steps, self.methods, strict=True))
        ]
        return jsonable(
            {
                "model": self.name,
                "n_samples": self.n_samples,
                "columns": [column.to_dict() for column in self.columns],
                "steps": rows,
                "sentences": {column.key: self.sentence_of(column.key) for column in self.columns},
            }
        )

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a step: of each number the value, named as its key, and the ends of its interval
        ``<key>.lower`` and ``<key>.upper``, nan where there is none."""
        columns: dict[str, Any] = {}
        for column in self.columns:
            lower, upper = self.intervals(column.key).T
            columns |= {column.key: self.values(column.key), f"{column.key}.lower": lower, f"{column.key}.upper": upper}
        return frame(columns, index=list(self.steps), dtype=float)

    def to_text(self) -> str:
        """A sentence for each number, and a table in Markdown: best steps and those tied with them bold."""
        arrows = {"higher": " ↑", "lower": " ↓"}
        header = ["Step", *(column.label + arrows.get(column.better, "") for column in self.columns)]
        lines = [header, ["---:"] * len(header)]
        for place, (step, method) in enumerate(zip(self.steps, self.methods, strict=True)):
            lines.append([step_text(step), *(self._cell(column, method, place) for column in self.columns)])
        said = [f"- {self.sentence_of(column.key)}" for column in self.columns]
        table = map(table_row, lines)
        marks = (
            "Bold: the best step and all that are not clearly different from it when all pairs of steps are compared."
        )
        marked = [marks, ""] if any(mark for of in self.marks.values() for mark in of) else []
        return "\n".join([f"## {plain(self.name)} over its training", "", *said, "", *table, "", *marked])

    def _cell(self, column, method, place):
        text, ends = number(method.value(column.key), column), method.interval(column, self.level)
        text = f"**{text}**" if self.marks[column.key][place] in ("best", "tied") else text
        is_known = ends is not None and not any(map(math.isinf, ends))
        return f"{text} [{number(ends[0], column)}, {number(ends[1], column)}]" if is_known else text


def training_steps(
    steps: Mapping[float, Step],
    preset: str | None = None,
    metrics: Sequence[str] | str | None = None,
    *,
    name: str | None = None,
    rule: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    group: str | ArrayLike | None = None,
    threads: int | None = None,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    **parameters: Any,
) -> TrainingSteps:
    """Numbers of a model over the steps of its training.

    Parameters
    ----------
    steps : dict of float to Predictions or Evaluation, or to a function that gives one
        At least two steps, of the same samples. Functions are called in order, and what one gives is let go before the next.
    preset, metrics, level, resamples, seed, group, threads, stage
        As in `hierviz.compare`.
    name : str, optional
        Of the model; that of the last step when absent.
    rule, threshold, **parameters
        As in `hierviz.evaluate`.

    Returns
    -------
    TrainingSteps

    Raises
    ------
    PredictionsError
        If there are fewer than two steps, a step is no finite number, steps differ in their judged samples or truths, a column,
        rule, threshold or group is not valid.
    TaxonomyError
        If steps differ in their taxonomy.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> truth = taxonomy.nodes(*["cat"] * 20, *["dog"] * 20)
    >>> early = Predictions.from_labels(taxonomy, truth[::-1], truth=truth)
    >>> late = Predictions.from_labels(taxonomy, truth, truth=truth)
    >>> found = training_steps({1: early, 2: late}, metrics="confusion.f1", resamples=100)
    >>> found.values("confusion.f1").tolist()
    [0.0, 1.0]
    >>> found.sentence
    'F1 (nodes) rises from 0.000 at step 1 to 1.000 at step 2; step 1 is still clearly different from the last one.'
    """
    check_level(level)
    ordered = checked_steps(steps)
    rule, threshold = rule_and_threshold(rule, threshold)
    choice = {"rule": rule, "threshold": threshold, **parameters}
    first: _First | None = None
    methods, called = [], ""
    for step, given in ordered.items():
        made = given() if callable(given) else given
        check_models([made], rule, [threshold], **parameters)
        if isinstance(made, Predictions):
            progress = stage(f"Evaluating step {step_text(step)}", "rows")
            made = Evaluation.from_predictions(made, progress, threshold=threshold, threads=threads)
        if first is None:
            first = _First.of(made, columns_of(made.taxonomy, preset, metrics), resamples, seed, group)
        called = made.predictions.name
        methods.append(_method(made, step, first, choice, stage))
        made = given = None
    assert first is not None
    columns = first.columns
    if preset is None and not metrics:
        columns = [column for column in columns if any(method.value(column.key) is not None for method in methods)]
    return TrainingSteps(name or called, tuple(ordered), columns, methods, level, first.resamples)


def checked_steps(steps):
    """The steps in ascending order."""
    if not isinstance(steps, Mapping) or len(steps) < 2:
        raise PredictionsError(
            "steps: expected a dict of at least two steps, such as {1: predictions, 2: predictions}, got "
            f"{len(steps) if isinstance(steps, Mapping) else type(steps).__name__}. Pass one entry a step."
        )
    found = {}
    for step, given in steps.items():
        is_number = isinstance(step, int | float | np.number) and not isinstance(step, bool)
        if not is_number or not math.isfinite(step):
            raise PredictionsError(
                f"steps: expected finite numbers as keys, got {step!r}. Name each step by its number."
            )
        found[float(step)] = given
    return dict(sorted(found.items()))


@dataclass(frozen=True, eq=False)
class _First:
    """What all steps share with the first one: taxonomy, samples in its order, numbers, resamples."""

    taxonomy: Taxonomy
    ids: np.ndarray | None
    truth: np.ndarray | NodeLists
    columns: list[Column]
    resamples: Resamples | None

    @classmethod
    def of(cls, model, columns, n_resamples, seed, group):
        predictions, rows = model.predictions, model.rows
        if not model.n_judged:
            raise PredictionsError(
                f"{predictions.name}: expected samples with a known truth, got none. Give the truth."
            )
        ids = None if predictions.sample_ids is None else predictions.ids[rows]
        found = resamples_of([model], rows, n_resamples, seed, group)
        return cls(model.taxonomy, ids, model.truth, columns, found)

    def rows(self, model):
        """Rows of the samples in a model, in the order of the first step."""
        predictions, n = model.predictions, len(self.truth)
        if not model.taxonomy.has_nodes_of(self.taxonomy):
            raise TaxonomyError(
                f"{predictions.name}: expected the taxonomy of the first step ({self.taxonomy.n_nodes} nodes), got another one "
                f"({model.taxonomy.n_nodes} nodes). Judge all steps on one taxonomy."
            )
        rows = model.rows
        if self.ids is not None and predictions.sample_ids is not None:
            rows = rows_of(self.ids, predictions.ids)
        if model.n_judged != n or (rows < 0).any() or not model.judged[rows].all():
            raise PredictionsError(
                f"{predictions.name}: expected the {n:,} judged samples of the first step, got "
                f"{model.n_judged:,}{'' if model.n_judged != n else ' others'}. Use the same samples with the same truth."
            )
        truth = predictions.truth
        if not isinstance(truth, NodeLists) and not np.array_equal(truth[rows], self.truth):
            raise PredictionsError(
                f"{predictions.name}: expected the truths of the first step, got others. Use the same truth for all steps."
            )
        return rows


def _method(model, step, first, choice, stage):
    """The numbers of a step and their draws."""
    rows = first.rows(model)
    file = file_numbers(model, first.columns, choice, stage=stage)
    numbers, draws = [], []
    if first.resamples is not None:
        numbers = [ResampledNumbers(model, first.columns, file.values, rows, choice)]
        draws = resampled_draws(numbers, first.resamples, stage(f"{RESAMPLES} of step {step_text(step)}", "resamples"))
    return method_of(file.name, [file], draws, numbers, None, first.resamples, len(rows))
