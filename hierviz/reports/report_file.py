"""One HTML file with numbers, operating curves, examples, confusion matrix and taxonomy of some models.

Conventions
-----------
The file needs no network and asks for none. The same predictions and arguments give the same bytes. Every text that comes
from files or from the author is escaped: it stays text. Scripts are named by their hashes in a content security policy that
allows no request: no name or note could run or reach the network, even if it were not escaped.

Functions and classes
---------------------
report, Report, ReportSamples, ReportRun
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from hierviz._version import version
from hierviz.charts import palette
from hierviz.charts.export import browser_library
from hierviz.charts.scripts import LADDER, ZOOM, script_of, text_of
from hierviz.curves.operating_curve import OperatingCurve
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import evaluate, evaluations_of
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.new_files import new_text
from hierviz.predictions.predictions import Predictions
from hierviz.reports.markup import all_numbers, folded
from hierviz.reports.report_parts import ReportParts
from hierviz.reports.report_samples import ReportSamples
from hierviz.reports.story_step import StoryStep
from hierviz.reports.view_pages import SECTIONS
from hierviz.taxonomy.checks import check_kind
from hierviz.uncertainty.conformal import ConformalNodes

TITLE = "Hierarchical classification report"
_SPACE = re.compile(r"(?<=[0-9]) (?=%)")
_HERE = Path(__file__).parent
SCRIPTS = ("base.js", "charts.js", "ladders.js", "zooms.js", "tree.js", "matrix.js", "story.js")
LAST_SECTIONS = {"pair": "A against B", "files": "How the files were read", "about": "About this file"}
COLOURS = ("background", "ink", "muted", "grid", "axis", "tp", "fp", "fn", "path", "others")


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
    curves : dict of str to OperatingCurve
        Of each model that has one, by name.
    """

    html: str
    evaluate: dict[str, Any]
    left_out: str = ""
    curves: dict[str, OperatingCurve] = field(default_factory=dict)

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
    stage : callable
        As of `hierviz.evaluate`.
    threads : int, optional
        As of `hierviz.evaluate`.
    conformal : sequence of (ConformalNodes or None), optional
        Of each model, `hierviz.evaluation.conformal_of_model`: what they promise and how the held-out samples bear it out.
    """

    command: str = ""
    words: Callable[[Any], Any] = lambda value: value
    stage: Callable[[str, str], Callable[[int, int], object] | None] = lambda name, unit: None
    threads: int | None = None
    conformal: Sequence[ConformalNodes | None] = ()


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
    samples, run = samples or ReportSamples(), run or ReportRun()
    for what, text in (("title", title), ("notes", notes), ("command", run.command)):
        check_kind(what, text, str, "Pass a text.")
    how = {"stage": run.stage, "threads": run.threads}
    evaluations, rule, thresholds = evaluations_of(predictions, rule, threshold, parameters, **how)
    names = [evaluation.predictions.name for evaluation in evaluations]
    if model is not None and model not in names:
        raise PredictionsError(f"model: expected one of {', '.join(names)}, got {shown(model)}. Choose one.")
    place = 0 if model is None else names.index(model)
    numbers = evaluate(
        evaluations, rule, thresholds, stage=run.stage, class_weights=class_weights, more=True, **parameters
    )
    numbers = run.words(numbers)
    for entry, found in zip(numbers["models"], run.conformal):
        entry["conformal"] = None if found is None else found.to_json()
    parts = ReportParts(evaluations, place, numbers, {"rule": rule, **parameters}, thresholds, run.stage)
    html, left_out = _page(parts, title, notes, run.command, samples, story)
    curves = {entry.predictions.name: entry.curve for entry in evaluations if entry.why_no_curve() is None}
    return Report(html, numbers, left_out, curves)


# The page ----------------------------------------------------------------------------------------------------------------


def _page(parts, title, notes, command, samples, story):
    """The whole page as text, and what was left out of it."""
    examples, left_out = parts.examples(samples)
    sections = {
        "story": parts.story(story, samples),
        "overview": parts.overview(),
        "curves": parts.curves(),
        "examples": f"<p>{escape(parts.setting)}.</p>{examples}" if examples else "",
        "matrix": parts.matrix(),
        "taxonomy": parts.taxonomy_table(samples),
        "pair": parts.pair(),
        "numbers": folded("Show all numbers", all_numbers(parts.numbers["models"])),
        "files": folded("Show", parts.account()),
    }
    # A number and its sign stay on one line; the command of the last section is copied as it is.
    sections = {name: _SPACE.sub("\u00a0", html) for name, html in sections.items() if html}
    sections["about"] = about(command, left_out, parts.credits)
    headings = SECTIONS | {"story": "Story" if len(story) > 1 else "The view"} | LAST_SECTIONS
    data = {"command": command, "evaluate": parts.numbers}
    return assembled(title, _paragraphs(notes), sections, headings, data, parts.store), left_out


def assembled(title, notes, sections, headings, data, store):
    """The whole page as text.

    Parameters
    ----------
    title : str
    notes : str
        HTML above the sections.
    sections : dict of str to str
        HTML by id.
    headings : dict of str to str
        Of the sections, by id.
    data : dict
        For whoever reads the file by a program.
    store : dict of str to str
        What the browser unpacks, by its name.
    """
    links = "".join(f'<a href="#{name}">{escape(headings[name])}</a>' for name in sections)
    body = "".join(
        f'<section id="{name}"><h2>{escape(headings[name])}</h2>{html}</section>' for name, html in sections.items()
    )
    data = {"hierviz": version(), **data}
    packed = "".join(f'<script type="text/plain" id="packed-{name}">{text}</script>' for name, text in store.items())
    own = [script_of(*LADDER, *ZOOM), *((_HERE / name).read_text("utf-8") for name in SCRIPTS)]
    scripts = [browser_library(), "\n".join(own)]
    policy = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    content = {"title": escape(title), "style": _style(), "notes": notes, "links": links, "body": body}
    content |= {"policy": policy, "data": _json(data), "packed": packed}
    content["scripts"] = "".join(f"<script>{script}</script>" for script in scripts)
    made = Template((_HERE / "report.html").read_text("utf-8")).substitute(content)
    # Names of files that are not UTF-8 have halves of characters.
    return made.encode("utf-8", "backslashreplace").decode("utf-8")


def _style():
    looks = (palette(dark) for dark in (False, True))
    light, dark = ("".join(f"--{name}:{getattr(look, name)};" for name in COLOURS) for look in looks)
    css = text_of("ladder.css") + text_of("zoom.css") + (_HERE / "report.css").read_text("utf-8")
    return f":root{{{light}}}@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}{css}"


def _json(value):
    """JSON that cannot end a script element."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def _digest(script):
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def _paragraphs(text):
    parts = [part for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]
    if not parts:
        return ""
    made = "".join(f"<p>{escape(part.strip()).replace(chr(10), '<br>')}</p>" for part in parts)
    return f'<div class="notes" aria-label="Notes of the author">{made}</div>'


def about(command, left_out, credits, is_report=True):
    """The last section: whose the data are, what is left out, the command, and in a report where the numbers are: HTML."""
    made = f"<p>Made by hierviz {escape(version())}. This file needs no network and sends no data.</p>"
    made += "".join(f"<p>{escape(credit)}</p>" for credit in credits)
    if left_out:
        made += f"<p>{escape(left_out)}</p>"
    if command:
        what = "this file" if is_report else "a report that begins with this view"
        made += f"<p>Command that makes {what}:</p><pre><code>{escape(command)}</code></pre>"
    if not is_report:
        return made
    return (
        f"{made}<p>The element <code>hierviz-report</code> of this file holds the numbers as JSON, the same as those of "
        "<code>hierviz evaluate</code>.</p>"
    )
