r"""Where the answer to one sample changes over the own parameter of an inference rule.

Conventions
-----------
Steps ascend in the parameter. Under ``threshold``, ``threshold_set`` and ``darts`` a step holds for ``low <= value < high``,
the last one at its end too; under ``information_threshold``, which admits I >= zeta, for ``low < value <= high``, the first
one at 0 too. Bounds are those of `hierviz.infer` to the last digit of a float: what it takes for equal is equal here. A bound of
bits is thus 1e-9 above the information of a node, and as the lower of two equally good nodes is the answer of ``darts``, its
step ends about 1e-13 of λ beyond the point where their lines cross. Where lines of three or more nodes cross in one point, or
two of them are equal but for rounding, a node may be the answer at that point alone: it has no step, and the bound is where the
answer before it ends.

Functions
---------
steps_of_rule, RuleSteps
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.curves._rule_curve import darts_table
from hierviz.diagnosis._flip_intervals import RULES, FlipIntervals
from hierviz.inference.parameters import LAM
from hierviz.inference.pareto_table import ParetoTable
from hierviz.inference.registry import infer
from hierviz.inference.rules import BITS_TIE, TIE, lowest_of_best
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import probability_text
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

# A handle of λ in bits reaches a quarter beyond the last breakpoint, at least to the first and at most to the second.
LEAST_LAM, MOST_LAM = 2 * float(LAM.default), 1e6
# Steps of λ that are narrower, as a share of λ, are left out.
NARROW = 1e-9


@dataclass(frozen=True, eq=False)
class RuleSteps(Short):
    """Steps of one rule for one sample; arrays of shape (n_steps,).

    Attributes
    ----------
    parameter : str
        Name of the rule's own number; "" where it has none.
    axis : tuple of float
        Ends of what the steps tile.
    closed : str
        'low' or 'high': the bound that belongs to the step.
    low, high : ndarray of float
    answers : NodeLists, length n_steps
    is_set : bool
        False where every list holds one node.
    following : ndarray of int
        What is answered, or added to a set, next below; -1 for none.
    unlisted : str
        What the axis leaves out, in one sentence; "" for nothing.
    """

    parameter: str
    axis: tuple[float, float]
    closed: str
    low: np.ndarray
    high: np.ndarray
    answers: NodeLists
    is_set: bool
    following: np.ndarray
    unlisted: str = ""


def steps_of_rule(
    taxonomy: Taxonomy,
    p: np.ndarray,
    rule: str,
    settings: Mapping[str, Any],
    flips: FlipIntervals,
    table: ParetoTable,
    most_nodes: int,
) -> RuleSteps:
    """The steps of a rule.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (1, n_nodes)
    rule : str
    settings : mapping
        All parameters of the rule; of its own number any value.
    flips : FlipIntervals
    table : ParetoTable
        Both of this sample.
    most_nodes : int
        Sets of more nodes are not listed.

    Returns
    -------
    RuleSteps
    """
    if rule in RULES:
        nodes = flips.node
        following = np.append(-1, nodes[:-1])
        if rule == "threshold":
            return _of_nodes(rule, (0.0, 1.0), flips.low, flips.high, nodes, following)
        here = [flips.place(0.5)]
        return only_step(NodeLists.of(nodes[here]), following[here])
    if rule == "darts":
        return _darts(taxonomy, p, table)
    if rule == "information_threshold":
        return _bits(taxonomy, table)
    if rule == "threshold_set":
        return _sets(p[0], most_nodes)
    answers = infer(taxonomy, p, rule, **settings)
    return only_step(NodeLists.of(answers), is_set=isinstance(answers, NodeLists))


def only_step(answers: NodeLists, following: np.ndarray | None = None, *, is_set: bool = False) -> RuleSteps:
    """One answer without a parameter, from 0 to 1."""
    next_node = np.array([-1]) if following is None else following
    return RuleSteps("", (0.0, 1.0), "low", np.zeros(1), np.ones(1), answers, is_set, next_node)


def _of_nodes(parameter, axis, low, high, nodes, following, closed="low", unlisted=""):
    answers = NodeLists.of(nodes.astype(np.intp))
    return RuleSteps(parameter, axis, closed, low, high, answers, False, following, unlisted)


def _bits(taxonomy, table):
    """Of `information_threshold`: the elements of the Pareto set, each up to its own bits."""
    bits, top = taxonomy.information[table.nodes], float(taxonomy.information.max())
    # The last float that the rule takes for no more than these bits.
    high = bits + BITS_TIE
    while (above := high - BITS_TIE > bits).any():
        high[above] = np.nextafter(high[above], -np.inf)
    while (above := np.nextafter(high, np.inf) - BITS_TIE <= bits).any():
        high[above] = np.nextafter(high[above], np.inf)
    high[-1] = top
    none = np.full(len(bits), -1)
    return _of_nodes("bits", (0.0, top), np.append(0.0, high[:-1]), high, table.nodes, none, closed="high")


def _darts(taxonomy, p, table):
    """Of `darts`: the upper envelope gives where to look, the rule itself each bound."""
    envelope = darts_table(taxonomy, table)
    crossings = envelope.scores[:0:-1]
    last = float(crossings[-1]) if len(crossings) else 0.0
    top = min(max(1.25 * last, LEAST_LAM), MOST_LAM)
    # Two lines count as equal a little to both sides of their crossing, where a third one may be so too: anywhere else the
    # envelope is further from all other lines. Each bound is near the end of such a zone.
    slopes = p[0, envelope.nodes][::-1]
    steeper = np.maximum(np.diff(slopes), np.finfo(float).tiny)
    zone = TIE * (crossings + taxonomy.information[envelope.nodes[:0:-1]]) * slopes[:-1] / steeper
    near = [crossings + side * zone for side in (-1.02, -0.98, 0.98, 1.02)]
    ends = np.concatenate([[0.0], crossings[crossings < top], [top]])
    lam = np.concatenate([ends, (ends[1:] + ends[:-1]) / 2, *near])
    lam = np.unique(lam[(lam >= 0) & (lam <= top)])
    nodes = _darts_answers(taxonomy, p, lam)
    while True:
        differs = np.flatnonzero(nodes[1:] != nodes[:-1])
        middle = lam[differs] + (lam[differs + 1] - lam[differs]) / 2
        inside = (middle > lam[differs]) & (middle < lam[differs + 1])
        if not inside.any():
            break
        places, middle = differs[inside] + 1, middle[inside]
        # Where lines cross, rounding makes the rule go back and forth: an answer begins where it holds for two floats.
        here, after = (_darts_answers(taxonomy, p, value) for value in (middle, np.nextafter(middle, np.inf)))
        nodes = np.insert(nodes, places, np.where(here != nodes[places], here, after))
        lam = np.insert(lam, places, middle)
    starts = np.append(0, differs + 1)
    starts = starts[(np.diff(lam[starts], append=top) > NARROW * lam[starts]) | (starts == 0)]
    starts = starts[np.append(True, nodes[starts[1:]] != nodes[starts[:-1]])]
    low, nodes = lam[starts], nodes[starts]
    unlisted = f"λ above {MOST_LAM:,.0f} bits is not listed; the answer changes there again." * (last >= MOST_LAM)
    high = np.append(low[1:], top)
    return _of_nodes("lam", (0.0, top), low, high, nodes, np.append(-1, nodes[:-1]), unlisted=unlisted)


def _darts_answers(taxonomy, p, lam):
    """Answer of `hierviz.inference.crm.darts` to one sample at each λ."""
    nodes = taxonomy.candidates
    values = p[:, nodes] * (taxonomy.information[nodes] + lam[:, None])
    return nodes[lowest_of_best(values, np.abs(values).max(axis=1))]


def _sets(p, most_nodes):
    """Of `threshold_set`: a step from every distinct probability of a node below the root to the next."""
    bounds = np.append(0.0, np.unique(p[1:][(p[1:] > 0) & (p[1:] <= 1)]))
    size = len(p) - 1 - np.searchsorted(np.sort(p[1:]), bounds, side="right")
    low = bounds[size <= most_nodes] if size[-1] <= most_nodes else bounds[-1:]
    unlisted = ""
    if low[0] > 0:
        unlisted = (
            f"τ below {probability_text(float(low[0]))} is not listed: more than {most_nodes:,} classes are above it."
        )
    some = np.flatnonzero(p > low[0])
    some = some[some > 0]
    step, place = np.nonzero(p[some] > low[:, None])
    # The most probable class that is not above the bound: the first of those that are equal to it.
    first = np.argsort(p, kind="stable")
    first = first[first > 0]
    following = first[np.searchsorted(p[first], low)] if len(first) else np.zeros(len(low), np.intp)
    following = np.where(low > 0, following, -1)
    return RuleSteps(
        "threshold",
        (float(low[0]), 1.0),
        "low",
        low,
        np.append(low[1:], 1.0),
        NodeLists.of_pairs(step, some[place], len(low)),
        True,
        following,
        unlisted,
    )
