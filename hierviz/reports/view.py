"""A view: what a reader would send to a colleague, for links, stories, session files and reports."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields, replace
from urllib.parse import quote, unquote

from hierviz.charts.curve_axes import axes, set_axes
from hierviz.comparison._two_by_two import READINGS
from hierviz.diagnosis._node_table import NODE_COLUMNS
from hierviz.diagnosis._review_queue import FILTERS as REVIEWED
from hierviz.diagnosis.mistakes import ORDERS
from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import step_text, threshold_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.registry import METRICS
from hierviz.reports.view_pages import ASPECTS, COMPARISONS, CONTRASTS, DRAWN, PAGES, PANELS, PARTS, PRESETS, TREES
from hierviz.uncertainty.confidence_folds import MAPS_OF_ANSWERS

DEMO, WIKIPEDIA = "demo", "wikipedia"
# Keys of the demos, which are open to everybody, and what the command line calls them.
NAME_OF_DEMO = {DEMO: "vehicles", WIKIPEDIA: "wikipedia"}
# Digits of thresholds: those near 1 need many. Highest value and digits of the parameters of rules.
DIGITS_OF_THRESHOLD, MOST, DIGITS = 12, 64.0, 3
# Memories of a session whose choices are part of the field `choices`, where they are words, switches or lists of words.
CHOICES = (
    *(
        "choosing",
        "confidence",
        "changes",
        "departures",
        "matrix",
        "slices",
        "mistakes",
        "review",
        "confusions",
        "taxonomy",
        "looks",
    ),
    *(f"compare {part}" for part in ("table", "ranks", "classes", "samples", "parts", "pair")),
)
# Filters by a class: truth at or below it, truth, answer at or below it, answer.
NODES = ("under", "truth", "answered", "answer")
# Before a depth in the field `common`: it or a deeper one.
DEEPER = "from-"
# What a selection of samples is made of; another one starts with its own first sample.
FILTERS = ("outcome", *NODES, "where", "text", "common", "outside", "right", "review")
_KEY = "[a-z0-9]+(-[a-z0-9]+)*"
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
_SHARE = r"(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)"
# Names of files' own making: any text in one line.
_NAME = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{0,1000}"


def _field(words, kind, default=""):
    """A field of a link.

    Parameters
    ----------
    words : str, iterable of str, or callable that gives one
        Pattern of its values, of a field that holds several words of each of them; or all values.
    kind : str
        What it holds, in words for people.
    default : str, float or tuple
        Left out of links. A tuple marks a field that holds several words.
    """
    return field(default=default, metadata={"words": words, "kind": kind})


@dataclass(frozen=True)
class View:
    """Data, models, rule, threshold, sample and selection. Defaults are left out of the URL.

    `axes`, `drawn` and `marked` are of the operating curves, `to` (the second threshold) and `flow` of the answers that change
    there; `thresholds` holds ``model:threshold`` where every model has a threshold of its own, and is empty where `threshold` is
    shared. `panel` is the one open below them. `parameters` holds those of the rules that are not the default, each by name and
    with a field of the URL for itself; of costs that were uploaded the name of the file. `where` holds ``column=value``, both
    percent-encoded, see `conditions`; `common` is a depth as text, after ``from-`` that or a deeper one. `part` of the page
    Mistakes is shown; `opened` are the numbers of the nodes that are open in its matrix.
    `confidence` is how that of the answers is calibrated, a key of `MAPS_OF_ANSWERS`; empty as it is.
    `right` says which models are right, a word of `hierviz.comparison.right_together(...).select` by the keys of the models;
    `outside` keeps answers outside the taxonomy, or the others; `review` what an expert said of the samples, a word of
    `hierviz.diagnosis.review_samples`.
    `comparison` is the part of the page Compare, `preset` the columns of its table, `by` what divides the samples there,
    `metric` their number. `node_rows` are of the page Taxonomy; `lesson`, `step` and `presenter` (large type) of the page Learn;
    `ask` (the ladder asks before it shows) and `at_step` (of a training; the last one where it is empty) of Examples.
    `choices` holds ``memory.field=value`` of other choices, percent-encoded, the value as JSON.
    `zoom` is the class that the difference tree of two models is zoomed into.
    `focus` is the node that the probability tree shows alone, or whose family it shows where it is a leaf; `unfold` holds
    ``number:node``, a node so many of whose children are shown.
    """

    data: str = _field("|".join((*NAME_OF_DEMO, "[0-9a-f]{16}")), "data set", DEMO)
    models: tuple[str, ...] = _field(_KEY, "model", ())
    model: str = _field(_KEY, "model")
    rule: str = _field(INFERENCE_RULES, "inference rule", "threshold")
    threshold: float = _field(_NUMBER, "threshold", 0.5)
    sample: str = _field(_NAME, "sample")
    outcome: str = _field(OUTCOMES, "filter")
    under: str = _field(_NAME, "class")
    truth: str = _field(_NAME, "class")
    answered: str = _field(_NAME, "class")
    answer: str = _field(_NAME, "class")
    where: tuple[str, ...] = _field("[A-Za-z0-9_.~%-]{1,1000}=[A-Za-z0-9_.~%-]{0,1000}", "filter", ())
    text: str = _field(_NAME, "search words")
    common: str = _field("(from-)?[0-9]{1,4}", "filter")
    outside: str = _field("yes|no", "filter")
    right: str = _field(rf"none|all|only:{_KEY}(\.{_KEY})*", "filter")
    review: str = _field(REVIEWED, "filter")
    confidence: str = _field(MAPS_OF_ANSWERS, "calibration of the confidence")
    order: str = _field(ORDERS, "order", "win_lost")
    tree: str = _field(TREES, "drawing", "ladder")
    ask: str = _field("yes", "questions")
    at_step: str = _field(_NUMBER, "step of the training")
    part: str = _field(PARTS, "part of the page", "list")
    opened: tuple[str, ...] = _field("[0-9]{1,7}", "open class", ())
    aspect: str = _field(ASPECTS, "part of the page", "table")
    comparison: str = _field(COMPARISONS, "part of the page", "table")
    preset: str = _field(PRESETS, "columns")
    against: str = _field(_KEY, "model")
    contrast: str = _field(CONTRASTS, "part of the page", "cells")
    reading: str = _field(READINGS, "what right means", "named")
    level: str = _field("[1-9][0-9]{0,3}", "depth", "1")
    correct: float = _field(_NUMBER, "share of correct answers", 0.95)
    cell: str = _field("[a-z_]{1,12}-[a-z_]{1,12}", "cell")
    both: str = _field(_NAME, "sample")
    zoom: str = _field(_NAME, "class")
    lesson: str = _field(_KEY, "lesson")
    step: str = _field("[1-9]|exercise|all|answers", "step")
    presenter: str = _field("yes", "large type")
    by: str = _field(_NAME, "groups of samples")
    metric: str = _field(METRICS, "metric")
    node_order: str = _field(lambda: ("tree", *NODE_COLUMNS, *(f"{key}-reversed" for key in NODE_COLUMNS)), "order")
    node_rows: str = _field("tree|all|leaves|depth-[0-9]{1,4}", "rows", "tree")
    colour: str = _field(NODE_COLUMNS, "colour", "correct")
    focus: str = _field(_NAME, "class")
    unfold: str = _field(rf"[1-9][0-9]{{0,4}}:{_NAME}", "open class")
    axes: str = _field(lambda: (*axes(), *set_axes()), "axes", "recall-correct")
    drawn: tuple[str, ...] = _field(DRAWN, "lines of the chart", ())
    to: float = _field(_NUMBER, "threshold", 0.7)
    flow: str = _field("[a-z_]{1,12}-[a-z_]{1,12}", "flow")
    marked: tuple[str, ...] = _field(INFERENCE_RULES, "marked inference rule", ())
    thresholds: tuple[str, ...] = _field(f"{_KEY}:{_NUMBER}", "model or threshold", ())
    panel: str = _field(("none", *PANELS), "part of the page", "target")
    choices: tuple[str, ...] = _field(
        rf"(?:{'|'.join(map(quote, CHOICES))})\.[A-Za-z0-9_.~%-]{{1,300}}=[A-Za-z0-9_.~%-]{{1,1000}}", "choice", ()
    )
    parameters: tuple[tuple[str, float | str], ...] = ()

    @property
    def unfolded(self):
        """(name of a node, how many of its children the probability tree shows), or None."""
        number, _, name = self.unfold.partition(":")
        return (name, int(number)) if name else None

    @property
    def own(self):
        """Thresholds of single models by their key; empty where one is shared."""
        return {key: float(threshold) for key, _, threshold in (word.rpartition(":") for word in self.thresholds)}

    def threshold_of(self, model):
        """Threshold of a model by its key."""
        return self.own.get(model, self.threshold)

    def with_threshold(self, threshold, model):
        """The view with another threshold: of one model where each has its own, else of all."""
        own = self.own
        if own:
            own[model] = threshold
        return replace(self, threshold=threshold, thresholds=own_thresholds(own))

    @property
    def conditions(self):
        """(column, value) of the attributes that samples have to have."""
        return tuple(tuple(map(unquote, pair.split("=", 1))) for pair in self.where)

    def where_with(self, column, value):
        """`where` with another value of a column, None for any."""
        others = tuple(word for word, (name, _) in zip(self.where, self.conditions, strict=True) if name != column)
        return others if value is None else (*others, condition(column, value))

    def choice(self, memory, field, default):
        """A choice that the address names, of the kind of the default; None where it names none."""
        start = _choice(memory, field)
        text = next((word[len(start) :] for word in self.choices if word.startswith(start)), None)
        try:
            value = None if text is None else json.loads(unquote(text))
        except ValueError:
            return None
        # Numbers have ranges that are not known here.
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        kind = str if default is None else type(default)
        return value if type(value) is kind and (is_list or isinstance(value, str | bool)) else None

    def with_choice(self, memory, field, value, default):
        """The view with another choice; the default is left out, and so is a number."""
        start = _choice(memory, field)
        others = tuple(word for word in self.choices if not word.startswith(start))
        is_named = isinstance(value, str | bool | list) and value != default
        return replace(self, choices=(*others, start + quote(json.dumps(value), safe="")) if is_named else others)

    @property
    def filters(self):
        """Fields of the filters that are set."""
        return [name for name in FILTERS if getattr(self, name)]

    def parameter(self, name):
        """Value of a parameter of a rule."""
        return dict(self.parameters).get(name, rule_parameters()[name].default)

    def with_parameter(self, name, value):
        """The view with another value of a parameter of a rule."""
        values = {**dict(self.parameters), name: value}
        if value == rule_parameters()[name].default:
            del values[name]
        return replace(self, parameters=tuple(sorted(values.items())))

    def sample_filter(self, model, right=None, review=None):
        """The SampleFilter of the view for a model; what is not defined for it is left out.

        `right` takes the field `right` where it is set, and gives the SampleSet that it means, or None; `review` likewise.
        """
        index, is_single = model.taxonomy.index, model.why_no_mistakes() is None
        columns = model.predictions.attributes
        return SampleFilter(
            outcome=self.outcome if self.outcome and (is_single or self.outcome != "coarse") else None,
            **{name: index.get(getattr(self, name)) for name in NODES},
            where=tuple(pair for pair in self.conditions if pair[0] in columns),
            text=self.text.strip(),
            **self._common(is_single),
            outside=self.outside == "yes" if self.outside else None,
            right=right(self.right) if right is not None and self.right else None,
            review=review(self.review) if review is not None and self.review else None,
        )

    def _common(self, is_single):
        """Condition on the depth of the lowest common ancestor, as keywords of a SampleFilter."""
        if not self.common or not is_single:
            return {}
        return {"common_least" if self.common.startswith(DEEPER) else "common": int(self.common.removeprefix(DEEPER))}

    def to_query(self):
        """The query parameters, as text."""
        default, values = vars(View()), vars(self)
        changed = {name: value for name, value in values.items() if value != default[name]}
        changed |= dict(changed.pop("parameters", ()))
        return {name: _text(value) for name, value in changed.items()}

    @classmethod
    def from_query(cls, asked):
        """The view of query parameters; what is not understood has its default."""
        values, allowed = {}, grammar()
        for name in FIELDS.keys() & asked.keys():
            default, text, fits = FIELDS[name].default, asked[name], allowed[name].fullmatch
            if isinstance(default, tuple):
                values[name] = tuple(filter(fits, text.split(",")))
            elif fits(text) and not isinstance(default, float):
                values[name] = text
            elif fits(text) and 0 <= float(text) <= 1:
                # Out of range it is the default, not the end of the range, where every answer is the root.
                values[name] = round(float(text), DIGITS_OF_THRESHOLD)
        view = cls(**values)
        own = {key: round(min(max(at, 0.0), 1.0), DIGITS_OF_THRESHOLD) for key, at in view.own.items()}
        view = replace(view, thresholds=own_thresholds(own))
        for name, parameter in _in_url().items():
            if name in asked and allowed[name].fullmatch(asked[name]):
                value = asked[name]
                if parameter.kind == "number":
                    low, high = parameter.range[0], min(parameter.highest(), MOST)
                    value = round(min(max(float(value), low), high), DIGITS)
                view = view.with_parameter(name, value)
        return view

    def cleaned(self, data):
        """The view without what the open data do not have, so that a link says what the page shows."""
        index, attributes = data.taxonomy.index, data.first.predictions.attributes
        nodes = {name: value if (value := getattr(self, name)) in index else "" for name in NODES}
        step = step_text(float(self.at_step)) if self.at_step else ""
        return replace(
            self,
            at_step=step if step in data.steps else "",
            sample="" if data.first.predictions.row(self.sample) is None else self.sample,
            both="" if data.first.predictions.row(self.both) is None else self.both,
            against=self.against if self.against in data.models else "",
            right=self.right if set(right_keys(self.right)) <= set(data.methods) else "",
            models=tuple(name for name in self.models if name in data.models),
            model=self.model if self.model in data.models else "",
            thresholds=own_thresholds({key: threshold for key, threshold in self.own.items() if key in data.models}),
            where=tuple(pair for pair in self.where if unquote(pair.split("=", 1)[0]) in attributes),
            opened=tuple(node for node in self.opened if int(node) < data.taxonomy.n_nodes),
            **nodes,
            focus=self.focus if self.focus in index else "",
            zoom=self.zoom if self.zoom in index else "",
            unfold=self.unfold if self.unfolded and self.unfolded[0] in index else "",
        )


def right_keys(word):
    """Keys of the methods that a value of `View.right` names."""
    _, _, keys = word.partition(":")
    return keys.split(".") if keys else []


def condition(column, value):
    """A word of `View.where`."""
    return f"{quote(column, safe='')}={quote(value, safe='')}"


def _choice(memory, field):
    return f"{quote(memory)}.{quote(field, safe='')}="


FIELDS = {one.name: one for one in fields(View) if one.metadata}


def grammar():
    """Patterns of the values of each field of a link, of a field with several words of each of them. Anything else is dropped."""
    return {
        **{name: _pattern(one.metadata["words"]) for name, one in FIELDS.items()},
        **{name: _values_of(parameter) for name, parameter in _in_url().items()},
    }


def _pattern(words):
    words = words() if callable(words) else words
    return re.compile(words if isinstance(words, str) else "|".join(map(re.escape, words)), re.ASCII)


def _in_url():
    """The parameters of rules that have a field of the URL; the threshold has the fields `threshold` and `thresholds`."""
    parameters = {name: parameter for name, parameter in rule_parameters().items() if name != THRESHOLD.name}
    taken = next((name for name in parameters if name in FIELDS), None)
    if taken is not None:
        raise PredictionsError(
            f"parameter of a rule: expected a name that no field of a link has, got {taken!r}. Rename the parameter."
        )
    return parameters


def _values_of(parameter):
    if parameter.kind == "number":
        return _pattern(_NUMBER)
    if parameter.kind == "numbers":
        # Shares from 0 to 1, as many as a tree is deep.
        return _pattern(f"{_SHARE}(?:,{_SHARE}){{0,99}}")
    return _pattern(f"(?=.){_NAME}" if parameter.kind == "costs" else parameter.choices)


def foreign_fields(page):
    """Fields of a link that other pages use and this one does not, sorted.

    Parameters
    ----------
    page : str
        Of the address, "overview" where it is empty.
    """
    others = {name for record in PAGES.values() for name in record.fields}
    return sorted(others - set(PAGES[page].fields if page in PAGES else others))


def own_thresholds(own):
    """Field `thresholds` of a dict of thresholds by model."""
    return tuple(f"{key}:{threshold_text(threshold)}" for key, threshold in own.items())


def _text(value):
    if isinstance(value, tuple):
        return ",".join(value) or "-"
    return threshold_text(value) if isinstance(value, float) else str(value)
