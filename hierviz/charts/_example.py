"""Why one answer is what it is: paths of answer and truth, and the threshold among their probabilities, in one living figure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hierviz.charts._figure import Figure
from hierviz.charts.export import picture_url
from hierviz.charts.ladder_record import LadderSettings, ladder_record, step_at
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.diagnosis._sample_steps import sample_steps
from hierviz.evaluation.evaluation import Evaluation, as_evaluation
from hierviz.evaluation.summary import require_same_taxonomy
from hierviz.inference.registry import inference_rule, offered_rules
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.predictions.predictions import Predictions, listed_models
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import NodeLists

# Pixels of the longer side of the sample's picture.
PICTURE = 480


class ExampleFigure(Figure):
    """One sample in a figure whose threshold, rule and model are changed where it is seen.

    Its chart is one Vega specification with the signals ``model`` (number), ``rule`` (key), ``value`` (of the number of the
    rule), ``dark``, ``width`` and ``room`` (height there is).

    Attributes
    ----------
    record : dict
        What the drawing looks up: plain values.
    """

    def __init__(self, record, table, dark, width, height, asking):
        super().__init__(self._specification, table, lambda: self.step["sentence"], dark, width, still=self._still)
        self.record, self._room, self._asking = record, height, asking

    def asking(self):
        """The figure that asks before it shows: which answer, and which term of the win is lost; it opens row by row.

        In a file the drawing shows all. What a class with another p would change is asked on the page Examples alone.

        Returns
        -------
        ExampleFigure
        """
        return self._asking()

    def _specification(self, dark, width):
        spec = ladder_spec(self.record, dark=dark, width=width, height=self._room, fills=False)
        return spec | {"marks": [*spec["marks"], self._heading()]}

    def _still(self, dark, width, height):
        return ladder_spec(self.record, dark=dark, width=round(width), height=round(height), titled=False, fills=False)

    def _heading(self):
        """Model and rule, which a drawing without controls says itself."""
        models = [one["name"] for one in self.record["models"]]
        rules = {one["key"]: one["label"] for one in self.record["rules"]}
        words = [f"({json.dumps(models)})[model]", f"({json.dumps(rules)})[rule]"]
        # Where the controls are: next to the sentence, else below it.
        look = {
            "x": 0,
            "y": "narrow ? above + 60 : has_side ? 4 : 44",
            "fontSize": "has_side ? 13 : 11",
            "baseline": "'top'",
        }
        look |= {"text": f"has_side ? [{', '.join(words)}] : {words[0]} + ' · ' + {words[1]}"}
        look |= {"fill": "c.ink", "lineHeight": 18, "limit": "has_side ? 240 : width"}
        entries = {name: {"signal": one} if isinstance(one, str) else {"value": one} for name, one in look.items()}
        return {"type": "text", "interactive": False, "encode": {"update": entries}}

    @property
    def step(self):
        """The row of the record that holds at the start."""
        start = self.record["start"]
        return step_at(self.record, start["model"], start["rule"], start["value"])

    def looks(self, themes=(False, True), wide=None):
        """What the browser needs to draw it; one specification serves all themes and widths."""
        dark = themes[0] if len(themes) == 1 else None
        return {"spec": ladder_spec(fills=False), "record": self.record, "room": self._room, "dark": dark}


def example(
    predictions: Predictions | Evaluation | Mapping[str, Any] | Sequence[Any],
    sample_id: str,
    rule: str = "threshold",
    threshold: float = 0.5,
    *,
    model: str | None = None,
    rules: Sequence[str] | None = None,
    dark: bool | None = None,
    width: int = 1000,
    height: int = 600,
    **parameters: Any,
) -> Figure:
    """Why the answer to a sample is what it is: paths, probabilities, threshold, win and counts in one living figure.

    In a notebook the line of the threshold is dragged or moved by arrow keys, and rule and model are chosen; the figure
    changes without Python, with the network off.

    Parameters
    ----------
    predictions : Predictions, Evaluation, or a list or dict of them
        Models of one taxonomy; those that do not have the sample are left out.
    sample_id : str
        Such as ``hv.diagnosis.worst(predictions)[0]``; without ids the row number as text.
    rule, threshold, **parameters
        How the answer is chosen at first, as in `hierviz.infer`; ignored for labels.
    model : str, optional
        Name of the model that is shown first; the first that has the sample if not given.
    rules : sequence of str, optional
        Keys of `INFERENCE_RULES` to choose from; those that apply to the sample if not given.
    dark : bool, optional
        None: the theme of the notebook.
    width, height : int
        Pixels; as wide as its cell in a notebook, and less or more high where there are few or many bars.

    Returns
    -------
    Figure
        Its chart is a Vega specification (dict), its sentence says why the answer stops where it does. Its table has a row for
        each ``part``: ``step`` of the rule of the model shown first (`hierviz.diagnosis.SampleSteps`), ``class`` in the drawing
        (``depth``, ``class``, ``state``, ``p``).

    Raises
    ------
    PredictionsError
        If there is no such sample, rule or model.
    TaxonomyError
        If models differ in their taxonomy.
    """
    models = [as_evaluation("predictions", one) for one in listed_models(predictions)]
    if not models:
        raise PredictionsError("predictions: expected at least one model, got none. Pass Predictions.")
    require_same_taxonomy([one.predictions for one in models])
    evaluations = by_name(models)
    having = {name: one for name, one in evaluations.items() if one.predictions.row(sample_id) is not None}
    if not having:
        raise PredictionsError(
            f"sample_id: expected the id of a sample of {', '.join(evaluations)}, got {shown(sample_id)}. "
            "Predictions.ids lists them, hv.diagnosis.worst names the worst."
        )
    if model is not None:
        check_one_of("model", model, having)
    first = next(iter(having)) if model is None else model
    return example_figure(
        evaluations,
        sample_id,
        first,
        {"rule": rule, "threshold": threshold, **parameters},
        rules=rules,
        dark=dark,
        size=(width, height),
    )


def by_name(models):
    """Evaluations by their names, those of runs with their numbers: dict."""
    found: dict[str, Evaluation] = {}
    for one in models:
        name, run = one.predictions.name, one.predictions.run
        name = name if run is None else f"{name} {run}"
        found[name if name not in found else f"{name} ({len(found) + 1})"] = one
    return found


def example_figure(
    evaluations,
    sample_id,
    first,
    choice,
    *,
    rules=None,
    dark=None,
    size=(1000, 600),
    picture=True,
    asks=False,
    colours=None,
):
    """The ExampleFigure of a sample of Evaluations (by key); `picture` is whether it holds the sample's picture.

    Models without the sample are left out; `colours` is as in `ladder_record`.
    """
    evaluation = evaluations[first]
    predictions, row = evaluation.predictions, evaluation.predictions.row(sample_id)
    rules = rules_of(evaluation) if rules is None else rules
    for rule in (*rules, choice["rule"]):
        inference_rule(rule)
    parameters = {name: value for name, value in choice.items() if name not in ("rule", "threshold")}
    settings = LadderSettings(choice["rule"], choice["threshold"], tuple(rules), parameters, asks)
    url = picture_url(predictions.picture(row, PICTURE)) if picture else None
    record = ladder_record(evaluations, sample_id, settings, shown=first, picture=url, colours=colours)
    look = {"rules": rules, "dark": dark, "size": size, "picture": picture, "colours": colours}

    def asking():
        return example_figure(evaluations, sample_id, first, choice, **look, asks=True)

    return ExampleFigure(record, lambda: _table(evaluation, row, choice, record), dark, *size, asking)


def rules_of(evaluation):
    """Keys of the rules that apply to the samples of a model."""
    several = isinstance(evaluation.predictions.truth, NodeLists)
    return offered_rules(evaluation.taxonomy.is_tree, several, evaluation.why_no_mistakes() is not None)


def _table(evaluation, row, choice, record):
    """The steps of the shown rule, and the classes that the drawing shows."""
    steps = sample_steps(
        evaluation, row, choice["rule"], **{name: one for name, one in choice.items() if name != "rule"}
    ).to_frame()
    start = record["start"]
    scene = step_at(record, start["model"], start["rule"], start["value"])["a"]
    bars = [one for one in record["bars"] if one["m"] == start["model"] and one["a"] == scene]
    classes = {
        "depth": [one["row"] + 1 for one in bars],
        "class": [one["name"] for one in bars],
        "state": [one["state"] for one in bars],
        "p": [one["p"] if one["text"] else np.nan for one in bars],
    }
    columns = ["part", *classes, *(name for name in steps if name not in classes)]
    parts = {"step": steps, "class": frame(classes)}
    rows = [{"part": part, **one} for part, of_part in parts.items() for one in of_part.to_dict("records")]
    return frame({name: [row.get(name) for row in rows] for name in columns})
