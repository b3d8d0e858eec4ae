"""What a tracker is given of some models: numbers under stable names, curves as tables, and the report.

Conventions
-----------
A number is called ``block/key``, such as ``curve/ac``; of several models ``model/block/key``, and by depth
``block/key/depth``. These names are the keys of the JSON of `hierviz.evaluate` and do not change between versions. Numbers that
are undefined are left out, infinite ones are infinite floats.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.summary import evaluate, evaluations_of
from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Short
from hierviz.predictions.predictions import Predictions

FOLDER = "hierviz"
REPORT = "report.html"
# Rows of the table of a curve: trackers draw no more.
MOST_POINTS = 1_000
# Names of numbers may hold these characters everywhere.
_FOREIGN = re.compile(r"[^\w.\- ]")
_NOT_NUMBERS = ("name", "run", "parametrisation", "rule", "threshold", "outside", "bounds", "notes")


@dataclass(frozen=True)
class Logged(Short):
    """What is logged.

    Attributes
    ----------
    numbers : dict of str to float
    tags : dict of str to str
        How the numbers were made: version, rule, threshold, kind of scores.
    curves : dict of str to dict of str to ndarray of float, shape (n_points,)
        By name of the table: ``threshold`` and the path metrics at it, at most `MOST_POINTS` points.
    report : Report or None
    """

    numbers: dict[str, float]
    tags: dict[str, str]
    curves: dict[str, dict[str, np.ndarray]]
    report: Any

    @classmethod
    def from_results(cls, results: Any, with_report: bool, choice: Mapping[str, Any]) -> Logged:
        """What is logged of a report, or of models.

        Parameters
        ----------
        results : Report, or what `hierviz.evaluate` takes
        with_report : bool
            Whether a report is made of models; one that is given is logged in any case.
        choice : mapping
            rule, threshold and parameters of the rule, for models.

        Raises
        ------
        PredictionsError
            If `results` is something else, a report is given a choice, or names of models are equal.
        """
        report = None
        if hasattr(results, "html") and hasattr(results, "evaluate"):
            if choice:
                raise PredictionsError(
                    f"report: expected no {listed(list(choice))}, as the report is made, got one. Make it with hierviz.report."
                )
            report, numbers, curves = results, results.evaluate, results.curves
        elif with_report:
            # The drawing of charts needs packages that the numbers do not.
            from hierviz.reports.report_file import report as report_of

            report = report_of(_checked(results), **choice)
            numbers, curves = report.evaluate, report.curves
        else:
            rule, threshold = choice.get("rule"), choice.get("threshold")
            parameters = {key: value for key, value in choice.items() if key not in ("rule", "threshold")}
            evaluations, rule, thresholds = evaluations_of(_checked(results), rule, threshold, parameters)
            numbers = evaluate(evaluations, rule, thresholds, more=True, **parameters)
            curves = curves_of(evaluations)
        prefixes = _prefixes(numbers["models"])
        tags = {f"{FOLDER}.version": numbers["hierviz"]}
        values: dict[str, float] = {}
        for entry, prefix in zip(numbers["models"], prefixes, strict=True):
            blocks = {key: value for key, value in entry.items() if key not in _NOT_NUMBERS}
            values |= {f"{prefix}{name}": value for name, value in _flat(blocks)}
            of_model = prefix.replace("/", ".")
            for key in ("name", "rule", "threshold", "parametrisation"):
                if entry[key] is not None:
                    tags[f"{FOLDER}.{of_model}{key}"] = str(entry[key])
        names = [f"{prefix.rstrip('/')}-curve".lstrip("-") for prefix in prefixes]
        tables = {
            name: _thinned(curves[entry["name"]].columns())
            for name, entry in zip(names, numbers["models"], strict=True)
            if entry["name"] in curves
        }
        return cls(values, tags, tables, report)


def curves_of(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """OperatingCurve of each model that has one, by name."""
    return {model.predictions.name: model.curve for model in evaluations if model.why_no_curve() is None}


def _checked(results):
    models = results.values() if isinstance(results, Mapping) else results
    models = list(models) if isinstance(models, (list, tuple)) or isinstance(results, Mapping) else [models]
    wrong = [type(model).__name__ for model in models if not isinstance(model, (Predictions, Evaluation))]
    if wrong or not models:
        raise PredictionsError(
            f"results: expected a Report, an Evaluation or Predictions, or several of these, got {listed(wrong) or 'none'}. "
            "Pass hierviz.report(predictions) or hierviz.Evaluation.from_predictions(predictions)."
        )
    return results


def _prefixes(models):
    """What the names of each model begin with: nothing where there is one."""
    if len(models) == 1:
        return [""]
    names = [_FOREIGN.sub("_", entry["name"]).strip() or "model" for entry in models]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PredictionsError(
            f"models: expected names that differ, got {listed(twice)} more than once. Pass a dict of name to model."
        )
    return [f"{name}/" for name in names]


def _flat(value, path=()):
    """(name, float) of every number in nested dicts; settings such as the sizes of cuts are lists, and left out."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, (*path, str(key)))
    elif (isinstance(value, (int, float)) and not isinstance(value, bool)) or value in ("Infinity", "-Infinity"):
        yield "/".join(path), float(value)


def _thinned(columns):
    n = len(columns["threshold"])
    kept = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp))
    return {key: values[kept] for key, values in columns.items()}


@contextlib.contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for a moment; what was there comes back."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
