"""One HTML file with numbers, operating curves, examples, confusion matrix and taxonomy of some models.

Conventions
-----------
The file needs no network and asks for none. The same predictions and arguments give the same bytes. Every text that comes
from files or from the author is escaped: it stays text.

Functions
---------
report
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
from hierviz.reports.story_step import StoryStep
from hierviz.taxonomy.checks import check_kind, is_number

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


def report(
    predictions: Predictions | Evaluation | Sequence[Predictions | Evaluation],
    rule: str | None = None,
    threshold: float | Sequence[float] | None = None,
    *,
    title: str = TITLE,
    notes: str = "",
    model: str | None = None,
    worst: int = 6,
    samples: Sequence[str] = (),
    random: int = 3,
    seed: int = 0,
    max_mb: float = 5,
    command: str = "",
    words: Callable[[Any], Any] = lambda value: value,
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None,
    threads: int | None = None,
    class_weights: Any = None,
    numbers: dict[str, Any] | None = None,
    story: Sequence[StoryStep] = (),
    **parameters: Any,
) -> Report:
    """Make one HTML file of some models that opens from disk without a network.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or list or dict of them
        Several models need the same taxonomy and the same samples. A dict gives them their names.
    rule, threshold, threads, class_weights, **parameters
        As of `hierviz.evaluate`.
    title : str
    notes : str
        What the author has to say; empty lines divide paragraphs.
    model : str, optional
        Name of the model of the examples, the confusion matrix and the taxonomy; the first if not given.
    worst, random : int
        How many of the worst answers to show, and of samples drawn at random.
    samples : sequence of str
        Ids of further samples to show.
    seed : int
        Of the draw.
    max_mb : float
        Millions of bytes that pictures of samples may need together: they are reduced, then left out, and the report says so.
    command : str
        What makes the report again, written into it.
    words : callable
        Takes the dict of `hierviz.evaluate` or a text of notes and returns it with names of parameters replaced, such as
        ``{classes}`` by a flag of the command line; as it is by default.
    stage : callable
        Called with (what is done, unit) when a part of the work begins, returns None or what is called with (done, in all)
        while it goes on: for progress bars.
    story : sequence of StoryStep
        Views with captions that the report begins with; models are named by their names in small letters, joined by hyphens.
    numbers : dict, optional
        What `hierviz.evaluate` returned for the same predictions, rule, threshold and parameters, so that it is not computed
        again; it is taken as it is, not checked.

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
    for what, text in (("title", title), ("notes", notes), ("command", command)):
        check_kind(what, text, str, "Pass a text.")
    if not is_number(max_mb) or max_mb < 0:
        raise PredictionsError(f"max_mb: expected a number of megabytes from 0, got {shown(max_mb)}. Give one.")
    evaluations = [
        found
        if isinstance(found, Evaluation)
        else Evaluation.from_predictions(
            found, stage(f"Evaluating {found.name}", "rows"), threshold=of, threads=threads
        )
        for found, of in zip(models, thresholds, strict=True)
    ]
    place = _place_of(model, evaluations)
    if numbers is None:
        numbers = evaluate(evaluations, rule, thresholds, stage=stage, class_weights=class_weights, **parameters)
    numbers = words(numbers)
    parts = ReportParts(evaluations, place, numbers, {"rule": rule, **parameters}, thresholds, stage)
    examples, left_out = parts.examples(worst, samples, random, seed, max_mb)
    made = page(parts, title=title, notes=notes, command=command, examples=examples, left_out=left_out, story=story)
    return Report(made, numbers, left_out)


def _place_of(name, evaluations):
    """Number of the model that is looked at."""
    if name is None:
        return 0
    names = [evaluation.predictions.name for evaluation in evaluations]
    if name not in names:
        raise PredictionsError(f"model: expected one of {', '.join(names)}, got {shown(name)}. Choose one.")
    return names.index(name)
