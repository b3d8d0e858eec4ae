"""One HTML file with numbers, operating curves, examples, confusion matrix and taxonomy of some models.

Conventions
-----------
The file needs no network and asks for none. The same predictions and arguments give the same bytes. Every text that comes
from files or from the author is escaped: it stays text.

Functions and classes
---------------------
report, Report, ReportSamples, ReportRun
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import check_models, evaluate, thresholds_of
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import PredictionsError, shown
from hierviz.new_files import new_text
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.reports.page import page
from hierviz.reports.report_parts import ReportParts
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.story_step import StoryStep
from hierviz.taxonomy.checks import check_kind

TITLE = "Hierarchical classification report"


@dataclass(frozen=True)
class Report:
    """A report that has been made; notebooks show it, `write` writes it.

    Attributes
    ----------
    html : str
        The whole page.
    evaluate : dict
        The JSON of `hierviz.evaluate` that it holds.
    left_out : str
        What was made smaller or left out for want of room, as a sentence; empty where nothing was.
    """

    html: str
    evaluate: dict[str, Any]
    left_out: str = ""

    def write(self, path: str | os.PathLike) -> None:
        """Write the page to a file, whole or not at all; a file that is there is replaced.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        with new_text(path) as file:
            file.write(self.html)

    def __repr__(self):
        return f"<Report of {len(self.evaluate['models'])} models, {len(self.html.encode()) / 1e6:.1f} MB>"


@dataclass(frozen=True)
class ReportRun:
    """How a report is made: the command that it quotes, progress and threads.

    Attributes
    ----------
    command : str
        What makes the report again.
    words : callable
        Takes the dict of `hierviz.evaluate` and returns it with names of parameters replaced, such as ``{classes}`` by a
        flag of the command line.
    stage, threads
        As of `hierviz.evaluate`.
    """

    command: str = ""
    words: Callable[[Any], Any] = lambda value: value
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None
    threads: int | None = None


def report(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    rule: str | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    title: str = TITLE,
    notes: str = "",
    model: str | None = None,
    samples: ReportSamples | None = None,
    story: Sequence[StoryStep] = (),
    class_weights: Any = None,
    run: ReportRun | None = None,
    **parameters: Any,
) -> Report:
    """Make one HTML file of some models that opens from disk without a network.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list or dict of them
        Several models need the same taxonomy and the same samples. A dict gives them their names.
    rule, threshold, class_weights, **parameters
        As of `hierviz.evaluate`.
    title : str
    notes : str
        Text of the author; empty lines divide paragraphs.
    model : str, optional
        Name of the model of the examples, the confusion matrix and the taxonomy; the first if not given.
    samples : hierviz.reports.ReportSamples, optional
        The examples; the worst answers and some samples drawn at random if not given.
    story : sequence of StoryStep
        Views with captions that the report begins with; models are named by their names in small letters, joined by hyphens.
    run : hierviz.reports.ReportRun, optional
        Command, progress, threads.

    Returns
    -------
    Report

    Raises
    ------
    PredictionsError
        If models differ in samples, or an argument is not valid.
    TaxonomyError
        If models differ in their taxonomy.
    """
    models = listed_models(predictions)
    rule, threshold = rule_and_threshold(rule, threshold)
    thresholds = thresholds_of(models, threshold)
    check_models(models, rule, thresholds, **parameters)
    samples, run = samples or ReportSamples(), run or ReportRun()
    for what, text in (("title", title), ("notes", notes), ("command", run.command)):
        check_kind(what, text, str, "Pass a text.")
    evaluations = [
        found
        if isinstance(found, Evaluation)
        else Evaluation.from_predictions(
            found, run.stage(f"Evaluating {found.name}", "rows"), threshold=of, threads=run.threads
        )
        for found, of in zip(models, thresholds, strict=True)
    ]
    names = [evaluation.predictions.name for evaluation in evaluations]
    if model is not None and model not in names:
        raise PredictionsError(f"model: expected one of {', '.join(names)}, got {shown(model)}. Choose one.")
    place = 0 if model is None else names.index(model)
    numbers = evaluate(evaluations, rule, thresholds, stage=run.stage, class_weights=class_weights, **parameters)
    numbers = run.words(numbers)
    parts = ReportParts(evaluations, place, numbers, {"rule": rule, **parameters}, thresholds, run.stage)
    examples, left_out = parts.examples(samples)
    made = page(parts, title=title, notes=notes, command=run.command, examples=examples, left_out=left_out, story=story)
    return Report(made, numbers, left_out)
