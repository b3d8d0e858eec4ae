"""What the drawing of one sample looks up: a record of plain values, for every model, rule and step of the threshold.

Conventions
-----------
A *scene* is what is drawn for one answer of one model, see `ladder_scene`. Rows of all tables name the model by its number
(``m``), those of scenes the scene by its number (``a``). All texts are made here: what draws the record looks up, and computes
no answer, number or sentence.

Functions and classes
---------------------
ladder_record, started, colour_places, step_at, LadderSettings
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.charts.ladder_model import LadderModel, lines
from hierviz.charts.ladder_questions import questions
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.predictions.outside import GIVEN, MARKS, READ_AS, READ_CLASS
from hierviz.predictions.outside import TEXT as TEXT_OF_MODEL
from hierviz.uncertainty._vote_shares import counted_answers

# Letters and lines, wide and narrow: of a text sample, of its attributes.
TEXT = {"wide": (34, 15), "narrow": (52, 3)}
FACTS = {"wide": (40, 4), "narrow": (42, 2)}
# Of the sentence on what a conformal node holds, in small type.
HELD = {"wide": (150, 1), "medium": (104, 2), "narrow": (58, 3)}
HIDDEN = ("image", "file", "text", "path", TEXT_OF_MODEL, READ_AS, READ_CLASS, MARKS)


@dataclass(frozen=True)
class LadderSettings:
    """What is shown first, and of which rules.

    Attributes
    ----------
    rule : str
    threshold : float
    rules : tuple of str
        Keys of `INFERENCE_RULES` that can be chosen; that of `rule` is added.
    parameters : dict
        Of the rules, such as ``lam``.
    asks : bool
        Whether it asks before it shows.
    """

    rule: str = "threshold"
    threshold: float = 0.5
    rules: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = False

    @classmethod
    def of(cls, choice, rules=(), asks=False):
        """Of keywords of `Evaluation.answers`."""
        own = {name: value for name, value in choice.items() if name not in ("rule", "threshold")}
        return cls(choice["rule"], choice.get("threshold", 0.5), tuple(rules), own, asks)


def ladder_record(
    evaluations, sample_id, settings, *, shown=None, picture=None, curve=True, changed="", colours=None, held=None
):
    """The record of one sample.

    Parameters
    ----------
    evaluations : dict of str to Evaluation
        Models by key, all of one taxonomy; those without the sample are left out.
    sample_id : str
    settings : LadderSettings
    shown : str, optional
        Key of the model that is shown first.
    picture : str, optional
        Address of its picture, with its data.
    curve : bool
        Whether the models have a small operating curve, where their samples are a data set.
    changed : str
        What a visitor has changed in the first model, in words, where the record asks.
    colours : dict of str to int, optional
        Place of the colour of each model among those of `theme`, by key; by default the place of its name.
    held : dict of str to str, optional
        Which class holds the truth with a stated probability by each model, by key, in one sentence; drawn below the answer.

    Returns
    -------
    dict
        Plain values, ready for JSON.
    """
    found = {key: evaluation.predictions.row(sample_id) for key, evaluation in evaluations.items()}
    keys = [key for key, row in found.items() if row is not None]
    models = [LadderModel(number, evaluations[key], found[key], settings, curve) for number, key in enumerate(keys)]
    colours = colours or colour_places(evaluations)
    start = keys.index(shown) if shown in keys else 0
    tables = {name: [row for model in models for row in model.tables[name]] for name in models[0].tables}
    numbers = {row["r"]: row["parameter"] for row in tables["steps"]}
    is_labels, held = models[0].p is None, held or {}
    record = {
        "id": models[start].evaluation.predictions.sample_id(models[start].row),
        "models": [
            {"key": key, "name": model.evaluation.predictions.name, "colour": colours[key]} | _held(held.get(key, ""))
            for key, model in zip(keys, models, strict=True)
        ],
        "rules": [
            {
                "key": key,
                "label": "Labels of the file" if is_labels else INFERENCE_RULES[key].label,
                "parameter": number,
            }
            for key, number in numbers.items()
        ],
        "values": {},
        "start": {"model": start},
        "sample": [_sample(models[start], picture)],
        **tables,
        **_ticks(tables["curve"]),
        **({"ask": questions(models, tables["steps"], changed)} if settings.asks else {}),
    }
    return started(record, settings)


def started(record, settings):
    """The record where another of its rules, or another value of their numbers, is shown first."""
    numbers, values = {rule["key"]: rule["parameter"] for rule in record["rules"]}, _values(settings)
    rule = settings.rule if settings.rule in numbers else next(iter(numbers))
    shown = {"rule": rule, "value": values.get(numbers[rule], settings.threshold)}
    return record | {"values": values, "start": record["start"] | shown}


def colour_places(evaluations):
    """Place of the colour of each model, by its key: runs of one name share theirs."""
    names = list(dict.fromkeys(one.predictions.name for one in evaluations.values()))
    return {key: names.index(one.predictions.name) for key, one in evaluations.items()}


def step_at(record, model, rule, value):
    """The step of a model (number) and a rule (key) that holds at a value of its parameter, as the drawing looks it up."""
    steps = [one for one in record["steps"] if one["m"] == model and one["r"] == rule]
    if not steps[0]["parameter"]:
        return steps[0]
    if steps[0]["closed"] == "low":
        return next((one for one in reversed(steps) if one["low"] <= value), steps[0])
    return next((one for one in steps if value <= one["high"]), steps[-1])


def _ticks(curve):
    """Ends of the axes of the small curve: whole steps of 5 % around the curves of all models."""
    ends = {}
    for name in ("x", "y"):
        values = [row[name] for row in curve] or [0.0, 1.0]
        low, high = np.floor(20 * min(values)) / 20, np.ceil(20 * max(values)) / 20
        ends[f"ticks_{name}"] = [{"at": float(low)}, {"at": float(max(high, low + 0.05))}] if curve else []
    return ends


def _values(settings):
    """The value of each number that a handle can move."""
    numbers = {name: one for name, one in rule_parameters().items() if one.kind == "number"}
    return {"threshold": settings.threshold} | {
        name: settings.parameters.get(name, one.default) for name, one in numbers.items() if name != "threshold"
    }


def _held(sentence):
    if not sentence:
        return {}
    return {"held": sentence} | {f"held_{size}": lines(sentence, *room) for size, room in HELD.items()}


def _sample(model, picture):
    predictions, row = model.evaluation.predictions, model.row
    text = predictions.text(row) or ""
    # A text that names no class is what was given.
    hidden = (*HIDDEN, GIVEN) if TEXT_OF_MODEL in predictions.attributes else HIDDEN
    known = {k: v[row] for k, v in predictions.attributes.items() if k not in hidden and str(v[row]) != ""}
    votes = [] if model.votes is None else [counted_answers(model.votes.n_answers[0])]
    facts = [f"sample: {predictions.sample_id(row)}", *votes, *(f"{key}: {value}" for key, value in known.items())]
    made = {"picture": picture, "root": model.taxonomy.title(0)}
    made["has_p"] = model.p is not None
    made["axis"] = "labels of the file, without probabilities" if model.p is None else "probability p"
    if model.votes is not None:
        made["axis"] = "p: share of the answers, with its 95 % interval"
    made |= {f"text_{size}": lines(text, *room) for size, room in TEXT.items()}
    made |= {f"facts_{size}": lines(" · ".join(facts), *room) for size, room in FACTS.items()}
    # Where it asks, the name of a file would often say the class.
    made |= {f"asked_{size}": lines(" · ".join(facts[1:]), *room) for size, room in FACTS.items()}
    return made | {"truth": ", ".join(map(model.taxonomy.title, model.truth))}
