"""Parameters of inference rules: their class, and those that rules share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hierviz.taxonomy.checks import check_key, is_number


@dataclass(frozen=True)
class Parameter:
    """One parameter of an inference rule, by the same name wherever it can be chosen. A name means one thing in all rules.

    Attributes
    ----------
    name : str
        The keyword of the rule's function.
    label, sentence : str
        Title and help of a control.
    default : float or str
        The value where none is given.
    kind : str
        'number', 'choice' (one of `choices`), 'costs' (one of `choices`, or `hierviz.inference.leaf_costs.LeafCosts`), or
        'numbers' (a text of numbers in `range`, separated by commas, or a sequence of them).
    range : (low, high)
        Of a number.
    limit : callable, optional
        Taxonomy -> the highest number that makes sense there.
    limit_words : str
        What that is, in words.
    unit, sign : str
        Of a number; the sign it has in formulas.
    choices : mapping of str to str
        What may be chosen, with its name for people.
    is_optional : bool
        `infer` may be called without it.
    is_whole : bool
        Whether a number is a whole one.
    """

    name: str
    label: str
    sentence: str
    default: float | str
    kind: str = "number"
    range: tuple[float, float] = (0.0, float("inf"))
    limit: Callable | None = None
    limit_words: str = ""
    unit: str = ""
    sign: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False
    is_whole: bool = False

    def __post_init__(self):
        check_key("parameter of a rule", self.name)

    def highest(self, taxonomy=None):
        """The highest number that may be chosen, of a taxonomy where one is given."""
        most = self.range[1]
        return most if self.limit is None or taxonomy is None else min(most, float(self.limit(taxonomy)))

    def settled(self, value):
        """A value in the form in which two can be compared: numbers as their text."""
        if self.kind != "numbers" or isinstance(value, str):
            return value
        return ",".join(_exact(number) if is_number(number) else str(number) for number in np.ravel(value).tolist())

    def to_json(self, value):
        """A value as plain JSON: a number, a choice, the text of numbers, or the name of costs."""
        return float(value) if self.kind == "number" else getattr(value, "name", value)


def _exact(number):
    """The shortest text that is read as this number."""
    short = format(number, ".12g")
    return short if float(short) == number else repr(float(number))


THRESHOLD = Parameter(
    "threshold",
    "Threshold τ",
    "The answer is the most specific class whose probability exceeds τ. Drag it on Operating curves.",
    0.5,
    range=(0.0, 1.0),
    sign="τ",
)
BITS = Parameter(
    "bits",
    "At least ζ bits",
    "The answer is the most probable class with at least this information: 1 bit excludes half of the leaf classes.",
    1.0,
    limit=lambda taxonomy: np.max(taxonomy.information),
    limit_words="the bits of a leaf",
    unit="bits",
    sign="ζ",
)
LAM = Parameter("lam", "λ in bits", "The larger λ, the less specific the answer.", 1.0, unit="bits", sign="λ")
COST = Parameter(
    "cost",
    "Cost of a mistake",
    "Cost of an answer under each truth. The answer is the one of the smallest expected cost, among the leaves or among all "
    "classes by the rule.",
    "depth_dist",
    kind="costs",
    choices={
        "depth_dist": "edges between answer and truth",
        "info_dist": "bits between answer and truth",
        "info_f1": "information F1 lost",
        "depth_f1": "depth F1 lost",
        "wu_palmer": "Wu-Palmer similarity lost",
        "win": "win lost",
        "exact": "every mistake 1 (a leaf is best)",
        "correct": "not above the truth (the root is best)",
        "info_precision": "information precision lost (the root is best)",
        "depth_precision": "depth precision lost (the root is best)",
        "info_recall": "information recall lost (a leaf is best)",
        "depth_recall": "depth recall lost (a leaf is best)",
    },
    is_optional=True,
)
EXPECTATION = Parameter(
    "expectation",
    "Expected over",
    "Over the leaves the reward is information F1. Over all nodes, each with its exclusive probability (its own minus that of "
    "its children), the reward is information recall of correct answers, 0 for wrong ones.",
    "leaves",
    kind="choice",
    choices={"leaves": "leaves", "exclusive": "all nodes, exclusive probability"},
    is_optional=True,
)
THRESHOLDS_BY_DEPTH = Parameter(
    "thresholds_by_depth",
    "Thresholds τ by depth",
    "One threshold for each depth from 1 down, separated by commas; the last one also holds for all deeper classes.",
    "0.5",
    kind="numbers",
    range=(0.0, 1.0),
)
ANSWER_LEVEL = Parameter(
    "answer_level",
    "Level",
    "The answer is the most probable class at this many steps below the root; a leaf above it counts at that level, too.",
    1,
    range=(1.0, float("inf")),
    limit=lambda taxonomy: max(taxonomy.max_depth, 1),
    limit_words="the depth of the taxonomy",
    is_optional=True,
    is_whole=True,
)
BETA = Parameter(
    "beta",
    "β",
    "How many times as important recall is as precision: 1 gives hF1, below 1 smaller sets, above 1 larger ones.",
    1.0,
    range=(0.001, 1000.0),
    sign="β",
    is_optional=True,
)


def named(*parameters):
    """Parameters by their name."""
    return {parameter.name: parameter for parameter in parameters}


def rule(label, sentence, formula, source, *parameters, **facts):
    """Decorator of the function of a rule, its name the key: what `inference.registry.InferenceRule` says of it."""

    def decorate(function):
        function.described = function.__name__, label, sentence, formula, source, function
        function.facts = {**facts, "parameters": named(*parameters)}
        return function

    return decorate
