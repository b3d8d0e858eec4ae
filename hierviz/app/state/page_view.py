"""What a reader would send to a colleague: the view, and how it stands in a URL."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields, replace
from urllib.parse import quote, unquote

from hierviz.app.state.curve_choices import DRAWN, FORMER_PANELS, MARKED, PANELS
from hierviz.app.state.dataset import DEMO, NAME_OF_DEMO
from hierviz.charts import threshold_text
from hierviz.charts.curve_axes import axes, set_axes
from hierviz.diagnosis._node_table import NODE_COLUMNS
from hierviz.diagnosis.mistakes import ORDERS
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.lessons.catalogue import LESSON_MODULES
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.registry import METRICS

# Of the page Mistakes.
PARTS = {
    "list": "Ranked list",
    "confusions": "Confusions",
    "matrix": "Confusion matrix",
    "slices": "Slices",
    "labels": "Label errors",
}
TREES = ("icicle", "node-link", "list")
# Parts of the page Taxonomy.
ASPECTS = {
    "table": "Table",
    "icicle": "Icicle",
    "treemap": "Treemap of mistakes",
    "calibration": "Calibration",
    "levels": "Levels",
}
# Parts of the page Compare.
COMPARISONS = {
    "table": "Table",
    "ranks": "Ranks",
    "agreement": "Do the metrics agree?",
    "groups": "Where they are weak",
    "classes": "Classes",
    "second": "Second opinion",
}
# Of the page Learn: a lesson or the glossary, and a step of it.
LESSON = "|".join(("glossary", *LESSON_MODULES))
STEP = "[1-9]|exercise|all|answers"
# Sets of columns of its table, by source.
PRESETS = ("wu", "riehl", "plaud", "valmadre", "kiritchenko", "all")


def _one_of(words):
    return re.compile("|".join(map(re.escape, words)))


# Highest value and digits of each number; the lowest is 0. Thresholds near 1 need many digits.
NUMBERS = {"threshold": (1.0, 12)}
# Of the parameters of rules.
MOST, DIGITS = 64.0, 3
# What fields were called in links of former versions.
FORMER_FIELDS = {"tau": "threshold", "taus": "thresholds"}
# Fields that hold several words; in the URL "-" stands for none of them.
SEVERAL = ("models", "drawn", "marked", "thresholds", "where", "opened", "choices")
# Memories whose choices stand in the field `choices`, where they are words, switches or lists of words.
CHOICES = (
    "choosing",
    "matrix",
    "slices",
    "mistakes",
    "confusions",
    "taxonomy",
    "compare table",
    "compare ranks",
    "compare classes",
    "compare samples",
    "compare parts",
)
# Filters by a class: truth at or below it, truth, answer at or below it, answer.
NODES = ("under", "truth", "answered", "answer")
# What a selection of samples is made of; another one starts with its own first sample.
FILTERS = ("outcome", *NODES, "where", "text", "common")
_KEY = "[a-z0-9]+(-[a-z0-9]+)*"
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
_SHARE = r"(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)"
# Names of files' own making: any text in one line.
_NAME = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{0,1000}"


def grammar():
    """What may stand in each field of a URL; of a field that holds several words, in each of them. Anything else is dropped."""
    return {
        "data": re.compile(f"{'|'.join(NAME_OF_DEMO)}|[0-9a-f]{{16}}"),
        "sample": re.compile(_NAME),
        **dict.fromkeys(NODES, re.compile(_NAME)),
        "where": re.compile("[A-Za-z0-9_.~%-]{1,1000}=[A-Za-z0-9_.~%-]{0,1000}"),
        "choices": re.compile(
            rf"(?:{'|'.join(map(quote, CHOICES))})\.[A-Za-z0-9_.~%-]{{1,300}}=[A-Za-z0-9_.~%-]{{1,1000}}"
        ),
        "text": re.compile(_NAME),
        "common": re.compile("[0-9]{1,4}", re.ASCII),
        "focus": re.compile(_NAME),
        "unfold": re.compile(rf"[1-9][0-9]{{0,4}}:{_NAME}"),
        **dict.fromkeys(("model", "models"), re.compile(_KEY)),
        **dict.fromkeys(NUMBERS, re.compile(_NUMBER, re.ASCII)),
        "thresholds": re.compile(f"{_KEY}:{_NUMBER}", re.ASCII),
        "rule": _one_of(INFERENCE_RULES),
        "outcome": _one_of(OUTCOMES),
        "order": _one_of(ORDERS),
        "tree": _one_of(TREES),
        "part": _one_of(PARTS),
        "opened": re.compile("[0-9]{1,7}", re.ASCII),
        "aspect": _one_of(ASPECTS),
        "comparison": _one_of(COMPARISONS),
        "preset": _one_of(PRESETS),
        "lesson": re.compile(LESSON),
        "step": re.compile(STEP),
        "presenter": re.compile("yes"),
        "by": re.compile(_NAME),
        "metric": _one_of(METRICS),
        "node_order": _one_of(("tree", *NODE_COLUMNS, *(f"{key}-reversed" for key in NODE_COLUMNS))),
        "node_rows": re.compile("tree|all|leaves|depth-[0-9]{1,4}", re.ASCII),
        "colour": _one_of(NODE_COLUMNS),
        "axes": _one_of([*axes(), *set_axes()]),
        "panel": _one_of(("none", *PANELS, *FORMER_PANELS)),
        "drawn": _one_of(DRAWN),
        "marked": _one_of(INFERENCE_RULES),
        **{name: _values_of(parameter) for name, parameter in _in_url().items()},
    }


def _in_url():
    """The parameters of rules that have a field of the URL; the threshold stands in `threshold` and `thresholds`."""
    parameters = {name: parameter for name, parameter in rule_parameters().items() if name != THRESHOLD.name}
    taken = next((name for name in parameters if name in FIELDS or name in FORMER_FIELDS), None)
    if taken is not None:
        raise PredictionsError(
            f"parameter of a rule: expected a name that no field of a link has, got {taken!r}. Rename the parameter."
        )
    return parameters


def _values_of(parameter):
    if parameter.kind == "number":
        return re.compile(_NUMBER, re.ASCII)
    if parameter.kind == "numbers":
        # Shares from 0 to 1, as many as a tree is deep.
        return re.compile(f"{_SHARE}(?:,{_SHARE}){{0,99}}", re.ASCII)
    return re.compile(f"(?=.){_NAME}") if parameter.kind == "costs" else _one_of(parameter.choices)


@dataclass(frozen=True)
class View:
    """Data, models, rule, threshold, sample and selection. Defaults are left out of the URL.

    `axes`, `drawn` and `marked` are of the operating curves; `thresholds` holds ``model:threshold`` where every model has a
    threshold of its own, and is empty where `threshold` is shared. `panel` is the one open below them. `parameters` holds
    those of the rules that are not the default, each by name and with a field of the URL for itself; of costs that were
    uploaded the name of the file. `where` holds ``column=value``, both percent-encoded, see `conditions`; `common` is a depth as
    text. `part` of the page Mistakes is shown; `opened` are the numbers of the nodes that are open in its matrix.
    `comparison` is the part of the page Compare, `preset` the columns of its table, `by` what divides the samples there,
    `metric` their number. `node_rows` are of the page Taxonomy; `lesson`, `step` and `presenter` (large type) of the page Learn.
    `choices` holds ``memory.field=value`` of other choices, percent-encoded, the value as JSON.
    `focus` is the node that the probability tree shows alone, or whose family it shows where it is a leaf; `unfold` holds
    ``number:node``, a node so many of whose children are shown.
    """

    data: str = DEMO
    models: tuple[str, ...] = ()
    model: str = ""
    rule: str = "threshold"
    threshold: float = 0.5
    sample: str = ""
    outcome: str = ""
    under: str = ""
    truth: str = ""
    answered: str = ""
    answer: str = ""
    where: tuple[str, ...] = ()
    text: str = ""
    common: str = ""
    order: str = "win_lost"
    tree: str = "icicle"
    part: str = "list"
    opened: tuple[str, ...] = ()
    aspect: str = "table"
    comparison: str = "table"
    preset: str = ""
    lesson: str = ""
    step: str = ""
    presenter: str = ""
    by: str = ""
    metric: str = ""
    node_order: str = ""
    node_rows: str = "tree"
    colour: str = "correct"
    focus: str = ""
    unfold: str = ""
    axes: str = "recall-correct"
    drawn: tuple[str, ...] = ()
    marked: tuple[str, ...] = MARKED
    thresholds: tuple[str, ...] = ()
    panel: str = "target"
    choices: tuple[str, ...] = ()
    parameters: tuple[tuple[str, float | str], ...] = ()

    @property
    def unfolded(self):
        """(name of a node, how many of its children the probability tree shows), or None."""
        number, _, name = self.unfold.partition(":")
        return (name, int(number)) if name else None

    @property
    def own(self):
        """Thresholds of single models by their key; empty where one is shared."""
        return {
            key: float(threshold) for key, _, threshold in (threshold.rpartition(":") for threshold in self.thresholds)
        }

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

    def to_query(self):
        """The query parameters, as text."""
        default, values = View(), asdict(self)
        changed = {name: value for name, value in values.items() if value != getattr(default, name)}
        changed |= dict(changed.pop("parameters", ()))
        return {name: _text(value) for name, value in changed.items()}

    @classmethod
    def from_query(cls, asked):
        """The view of query parameters; what is not understood has its default."""
        values, allowed, asked = {}, grammar(), dict(asked.items())
        # A name of today counts for more than a former one.
        for name, text in ({FORMER_FIELDS.get(name, name): text for name, text in asked.items()} | asked).items():
            text = re.sub("^tau-", "threshold-", text) if name == "axes" else text
            if name in SEVERAL:
                values[name] = tuple(word for word in text.split(",") if allowed[name].fullmatch(word))
            elif name in NUMBERS:
                # Out of range it is the default, not the end of the range, where every answer is the root.
                if allowed[name].fullmatch(text) and 0 <= float(text) <= NUMBERS[name][0]:
                    values[name] = _number(name, text)
            elif name in FIELDS and allowed[name].fullmatch(text):
                values[name] = text
        if "thresholds" in values:
            parts = (part.rpartition(":") for part in values["thresholds"])
            values["thresholds"] = own_thresholds({key: _number("threshold", threshold) for key, _, threshold in parts})
        if "panel" in values:
            values["panel"] = FORMER_PANELS.get(values["panel"], values["panel"])
        view = cls(**values)
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
        return replace(
            self,
            sample="" if data.first.predictions.row(self.sample) is None else self.sample,
            models=tuple(name for name in self.models if name in data.models),
            model=self.model if self.model in data.models else "",
            thresholds=own_thresholds({key: threshold for key, threshold in self.own.items() if key in data.models}),
            where=tuple(pair for pair in self.where if unquote(pair.split("=", 1)[0]) in attributes),
            opened=tuple(node for node in self.opened if int(node) < data.taxonomy.n_nodes),
            **nodes,
            focus=self.focus if self.focus in data.taxonomy.index else "",
            unfold=self.unfold if self.unfolded and self.unfolded[0] in data.taxonomy.index else "",
        )


def condition(column, value):
    """A word of `View.where`."""
    return f"{quote(column, safe='')}={quote(value, safe='')}"


def _choice(memory, field):
    return f"{quote(memory)}.{quote(field, safe='')}="


FIELDS = {field.name for field in fields(View)} - {"parameters"}


def own_thresholds(own):
    """Field `thresholds` of a dict of thresholds by model."""
    return tuple(f"{key}:{threshold_text(threshold)}" for key, threshold in own.items())


def _text(value):
    if isinstance(value, tuple):
        return ",".join(value) or "-"
    return threshold_text(value) if isinstance(value, float) else str(value)


def _number(name, text):
    """A number of the URL in its range."""
    highest, digits = NUMBERS[name]
    return round(min(max(float(text), 0.0), highest), digits)
