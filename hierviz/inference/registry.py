"""Inference rules: how a row of node probabilities becomes one predicted node, or a set of nodes.

Conventions
-----------
`p` has shape (n_samples, n_nodes); rules return node numbers of shape (n_samples,), before truncation at the truth.
Ties go to the lowest node number unless said otherwise. Nodes with a single child, and in graphs those
with a single leaf below, are never predicted, except by `exclusive`. The functions are in `inference.rules` and `inference.crm`.

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

from hierviz.inference import crm, rules
from hierviz.inference.parameters import BITS, COST, EXPECTATION, LAM, THRESHOLD, THRESHOLDS_BY_DEPTH, Parameter, named
from hierviz.inference.rules import threshold, threshold_set, top_down
from hierviz.messages.errors import PredictionsError, near_miss
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_key, check_one_of, checked_probabilities
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# Rows are processed in blocks of about this many values (4 MB of float64), so that they stay in the processor's cache.
WORK_VALUES = 1 << 19


@dataclass(frozen=True)
class InferenceRule(Short):
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
    """

    _printed = ("key", "label")

    key: str
    label: str
    sentence: str
    formula: str
    source: str
    function: Callable
    tree_only: bool = False
    returns_sets: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def __post_init__(self):
        check_key("rule", self.key)

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
        ``darts``; ``thresholds_by_depth="0.9,0.8"`` or a sequence of numbers for ``depth_thresholds``; ``cost="depth_dist"``
        or LeafCosts for ``crm_leaf``, ``expectation="leaves"`` or ``"exclusive"`` for ``crm_nodes``.

    Returns
    -------
    ndarray of int, shape (n_samples,), or NodeLists for ``threshold_set``

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


def inference_rule(rule):
    """The entry of `INFERENCE_RULES` called `rule`, or a PredictionsError that lists them."""
    check_one_of("rule", rule, INFERENCE_RULES)
    return INFERENCE_RULES[rule]


def rule_parameters():
    """The parameters of all rules by name, in the order of the rules."""
    return {name: parameter for entry in INFERENCE_RULES.values() for name, parameter in entry.parameters.items()}


VALMADRE = "Valmadre, NeurIPS 2022"

_RULES = {
    entry.key: entry
    for entry in (
        InferenceRule(
            "leaf",
            "Most probable leaf",
            "Answer with the most probable leaf.",
            r"\hat y = \arg\max_{\text{leaf } y} p(y)",
            VALMADRE,
            rules.leaf,
        ),
        InferenceRule(
            "majority",
            "Majority",
            "Answer with the most specific node that is more probable than not.",
            r"\hat y = \arg\max_{y:\, p(y) > 0.5} I(y)",
            VALMADRE,
            rules.majority,
        ),
        InferenceRule(
            "threshold",
            "Threshold",
            "Answer with the most specific node whose probability exceeds the threshold τ.",
            r"\hat y = \arg\max_{y:\, p(y) > \tau} I(y)",
            f"{VALMADRE} (confidence threshold)",
            threshold,
            parameters=named(THRESHOLD),
        ),
        InferenceRule(
            "depth_thresholds",
            "Threshold by depth",
            "Answer with the most specific node whose probability exceeds the threshold of its depth.",
            r"\hat y = \arg\max_{y:\, p(y) > \tau_{d(y)}} I(y)",
            "confidence threshold with a threshold for each depth, as in per-level thresholds of text classification",
            rules.depth_thresholds,
            parameters=named(THRESHOLDS_BY_DEPTH),
        ),
        InferenceRule(
            "plurality",
            "Plurality",
            "Answer with the most specific node that is more probable than every runner-up among siblings.",
            r"\hat y = \arg\max_{y:\, p(y) > T} I(y), \quad "
            r"T = \max_u \operatorname{second\,largest}_{c \in \text{children}(u)} p(c)",
            VALMADRE,
            rules.plurality,
        ),
        InferenceRule(
            "expected_information",
            "Expected information",
            "Answer with the node of the largest expected information: its information times its probability.",
            r"\hat y = \arg\max_y I(y)\, p(y)",
            VALMADRE,
            crm.expected_information,
        ),
        InferenceRule(
            "darts",
            "DARTS",
            "As expected information, with λ extra bits for any correct answer: the larger λ, the less specific.",
            r"\hat y = \arg\max_y (I(y) + \lambda)\, p(y)",
            f"Deng et al., CVPR 2012; {VALMADRE}",
            crm.darts,
            parameters=named(LAM),
        ),
        InferenceRule(
            "information_threshold",
            "Information threshold",
            "Answer with the most probable node of at least ζ bits of information.",
            r"\hat y = \arg\max_{y:\, I(y) \ge \zeta} p(y)",
            f"{VALMADRE} (paper only, not in its code)",
            rules.information_threshold,
            parameters=named(BITS),
        ),
        InferenceRule(
            "exclusive",
            "Exclusive",
            "Answer with the node of the largest exclusive probability: its own minus that of its children.",
            r"\hat y = \arg\max_y \tilde p(y), \quad \tilde p(y) = p(y) - \sum_{c \in \text{children}(y)} p(c)",
            VALMADRE,
            crm.exclusive,
            tree_only=True,
        ),
        InferenceRule(
            "crm_leaf",
            "Least expected distance",
            "Answer with the leaf that is, on average, the fewest edges away from the true leaf, or cheapest by given costs.",
            r"\hat y = \arg\min_{\text{leaf } y} \sum_{\text{leaf } u} p(u)\, c(y, u), \quad "
            r"c(y, u) = d(u) + d(y) - 2 d(\text{lca}(u, y)) \text{ by default}",
            f"{VALMADRE} (conditional risk minimisation over leaves)",
            crm.crm_leaf,
            tree_only=True,
            parameters=named(COST),
        ),
        InferenceRule(
            "crm_nodes",
            "Largest expected reward",
            "Answer with the node of the largest expected reward: information F1 over the leaves, or, over all nodes with their "
            "exclusive probability, information recall of correct answers.",
            r"\hat y = \arg\max_y \sum_{\text{leaf } u} p(u)\, F_1(u, y) \;\text{ or }\; "
            r"\arg\max_y \sum_u \tilde p(u)\, \text{Correct}(u, y)\, \text{Recall}(u, y)",
            f"{VALMADRE} (conditional risk minimisation over all nodes)",
            crm.crm_nodes,
            tree_only=True,
            parameters=named(EXPECTATION),
        ),
        InferenceRule(
            "top_down",
            "Top-down best leaf",
            "From the root, keep stepping to the most probable child until a leaf is reached.",
            r"n_{j+1} = \arg\max_{c \in \text{children}(n_j)} p(c)",
            "Wu, Tygert & LeCun 2019",
            top_down,
        ),
        InferenceRule(
            "threshold_set",
            "All above threshold",
            "Answer with every node whose probability exceeds the threshold τ: none, one or several paths.",
            r"\hat Y = \{y \ne \text{root} : p(y) > \tau\}",
            "Plaud et al., CoNLL 2024, section 2",
            threshold_set,
            parameters=named(THRESHOLD),
            returns_sets=True,
        ),
    )
}
# Complete here, and read-only: what shows rules reads it at every call.
INFERENCE_RULES = MappingProxyType(_RULES)
