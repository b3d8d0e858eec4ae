"""Inference rules: how a row of node probabilities becomes one predicted node, or a set of nodes.

Conventions
-----------
`p` has shape (n_samples, n_nodes); rules return node numbers of shape (n_samples,), before truncation at the truth.
Ties go to the lowest node number unless said otherwise. Nodes with a single child, and in graphs those
with a single leaf below, are never predicted, except by `exclusive` and `at_level`. The functions are in `inference.rules` and
`inference.crm`.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.inference import crm, optimal_sets, rules
from hierviz.inference.parameters import THRESHOLD, Parameter
from hierviz.messages.errors import PredictionsError, near_miss
from hierviz.messages.notebook_html import Described
from hierviz.messages.number_text import threshold_text
from hierviz.taxonomy.checks import check_key, check_one_of, checked_probabilities
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Rows are processed in blocks of about this many values (4 MB of float64), so that they stay in the processor's cache.
WORK_VALUES = 1 << 19


@dataclass(frozen=True)
class InferenceRule(Described):
    """One inference rule.

    Attributes
    ----------
    key, label, sentence, formula, source : str
        Registry key, name for people, one plain sentence, LaTeX, where it comes from.
    function : callable
        (taxonomy, p, **keywords) -> nodes, or NodeLists where `returns_sets`.
    tree_only : bool
        True when it is not defined on graphs.
    returns_sets : bool
        True when the answer to a sample is a set of nodes.
    parameters : mapping of str to Parameter
        All keywords of the function, by name.
    decisions : str
        What was decided where the source is silent; "" where nothing was.
    """

    function: Callable
    tree_only: bool = False
    returns_sets: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    decisions: str = ""

    def __post_init__(self):
        check_key("rule", self.key)

    @property
    def words(self):
        """The label inside a sentence: a name and symbols keep their letters."""
        return self.label if self.label.isupper() else self.label[0].lower() + self.label[1:]

    @property
    def defaults(self):
        """The keywords that may be left out of `infer`, with their values."""
        return {name: parameter.default for name, parameter in self.parameters.items() if parameter.is_optional}

    def settings(self, given):
        """The value of each parameter: that of `given` (dict), which may hold those of other rules, else the default.

        Raises
        ------
        PredictionsError
            If no rule has a parameter of a name in `given`.
        """
        known = rule_parameters()
        for name in given:
            if name not in known:
                raise PredictionsError(
                    f"rule {self.key!r}: expected parameters among {', '.join(known)}, got {name!r}."
                    f"{near_miss(name, known)} Leave it out."
                )
        return {
            name: parameter.settled(given.get(name, parameter.default)) for name, parameter in self.parameters.items()
        }

    @property
    def needs_threshold(self):
        """True when the answer depends on a threshold of probability."""
        return "threshold" in self.parameters


def infer(taxonomy: Taxonomy, p: ArrayLike, rule: str = "majority", **parameters: Any) -> np.ndarray | NodeLists:
    """Predicted node of every row.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_samples, n_nodes)
        Node probabilities.
    rule : str
        A key of `INFERENCE_RULES`.
    **parameters
        Keywords of the rule, ``INFERENCE_RULES[rule].parameters``: ``threshold`` in [0, 1] for ``threshold`` and
        ``threshold_set``, ``bits`` from 0 to log2(n_leaves) for ``information_threshold``, ``lam`` >= 0 in bits for
        ``darts``; ``answer_level`` from 1 to the depth of the taxonomy for ``at_level``;
        ``thresholds_by_depth="0.9,0.8"`` or a sequence of numbers for ``depth_thresholds``; ``cost="depth_dist"``,
        another named cost or LeafCosts for ``crm_leaf`` and ``optimal_node``, ``beta`` > 0 for ``hf_optimal``,
        ``expectation="leaves"`` or ``"exclusive"`` for ``crm_nodes``.

    Returns
    -------
    ndarray of int, shape (n_samples,), or NodeLists for ``threshold_set`` and ``hf_optimal``

    Raises
    ------
    PredictionsError
        If the rule is unknown, a keyword is missing, not one of the rule's or out of range, or `p` has another width or
        a value that is no finite number.
    TaxonomyError
        If the rule is defined on trees only and the taxonomy is not one.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> p = np.array([[1, 0.75, 0.5, 0.25, 0.25]])
    >>> infer(taxonomy, p, "majority"), infer(taxonomy, p, "darts", lam=0.5)
    (array([1]), array([2]))
    """
    entry = inference_rule(rule)
    p = checked_probabilities(taxonomy, p)
    if not set(entry.parameters) - set(entry.defaults) <= set(parameters) <= set(entry.parameters):
        optional = "".join(f" {name} may be left out." for name in entry.defaults)
        raise PredictionsError(
            f"rule {rule!r}: expected the keywords {list(entry.parameters)}, got {sorted(parameters)}. "
            f"Pass exactly these.{optional}"
        )
    if entry.tree_only:
        taxonomy.require_tree(f"rule {rule!r}")
    step = max(1, WORK_VALUES // taxonomy.n_nodes)
    starts = range(0, max(len(p), 1), step)
    answers = [entry.function(taxonomy, p[start : start + step], **parameters) for start in starts]
    if entry.returns_sets:
        return NodeLists.concatenate(answers)
    return np.concatenate(answers)


def rule_and_threshold(rule: Any, threshold: Any) -> tuple[Any, Any]:
    """Rule and threshold where either may be None: a threshold alone is that of the rule ``threshold``."""
    if rule is None:
        rule = "majority" if threshold is None else THRESHOLD.name
    return rule, THRESHOLD.default if threshold is None else threshold


def rule_words(rule: str, settings: Mapping[str, Any], write: Callable[[str], str] = str) -> str:
    """A rule with its parameters in words: "threshold τ = 0.500", "at a level, level 2".

    Parameters
    ----------
    rule : str
        Key of `INFERENCE_RULES`.
    settings : mapping
        Values of all its parameters; may hold others.
    write : callable
        Makes Markdown of names.
    """
    entry = inference_rule(rule)
    return entry.words + "".join(
        _parameter_words(parameter, settings[name], entry, write) for name, parameter in entry.parameters.items()
    )


def _parameter_words(parameter, value, rule, write):
    """A parameter of a rule in words; nothing of an optional one that has its default."""
    if parameter.is_whole:
        return f", {parameter.label.lower()} {value:g}"
    if parameter.kind == "number":
        return f" {parameter.sign or parameter.label} = {threshold_text(value)}"
    if parameter.kind == "numbers":
        return f", {parameter.label} = {write(str(value))}"
    if value == rule.defaults.get(parameter.name):
        return ""
    text = parameter.choices.get(value) or value.name
    return f", {parameter.label.lower()}: {write(text)}"


def inference_rule(rule):
    """The entry of `INFERENCE_RULES` called `rule`, or a PredictionsError that lists them."""
    check_one_of("rule", rule, INFERENCE_RULES)
    return INFERENCE_RULES[rule]


def offered_rules(is_tree, several, sets):
    """Keys of the rules to choose from, the default first where samples have several true classes.

    Parameters
    ----------
    is_tree : bool
        Whether the taxonomy is one.
    several : bool
        Whether samples have several true classes: "all above the threshold" then replaces the one most specific class above it.
    sets : bool
        Whether rules that answer with sets are among them.
    """
    rules = [key for key, rule in INFERENCE_RULES.items() if is_tree or not rule.tree_only]
    of_sets = [key for key in rules if INFERENCE_RULES[key].returns_sets] if sets else []
    single = [key for key in rules if not INFERENCE_RULES[key].returns_sets]
    if of_sets and several:
        return [*of_sets, *(key for key in single if THRESHOLD.name not in INFERENCE_RULES[key].parameters)]
    return [*single, *of_sets]


def rule_parameters():
    """The parameters of all rules by name, in the order of the rules."""
    return {name: parameter for entry in INFERENCE_RULES.values() for name, parameter in entry.parameters.items()}


_RULES = {
    function.__name__: InferenceRule(*function.described, **function.facts)
    for function in (
        *(rules.leaf, rules.majority, rules.threshold, rules.depth_thresholds, rules.at_level, rules.plurality),
        *(crm.expected_information, crm.darts, rules.information_threshold, crm.exclusive, crm.crm_leaf, crm.crm_nodes),
        crm.optimal_node,
        *(rules.top_down, rules.threshold_set, optimal_sets.hf_optimal),
    )
}
# Complete here, and read-only: what shows rules reads it at every call.
INFERENCE_RULES = MappingProxyType(_RULES)
