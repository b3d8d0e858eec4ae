r"""Rules that answer with the node of largest expected reward (conditional risk minimisation).

Conventions
-----------
As in `hierviz.inference.rules`: `p` of shape (n_samples, n_nodes) in, node numbers of shape (n_samples,) out, only candidates are
answers unless said otherwise, the lowest node wins ties. The expectation over a truth u runs over the leaves with
weight p(u), or over all nodes with the exclusive probability

    p~(u) = p(u) - sum of p over the children of u,

the probability of "u and nothing finer". Neither has to sum to 1, and p~ is negative where the children of u are
together more probable than u: the formulas are used unchanged.

Nothing is of size nodes x nodes. What u and y share is the value at their lowest common ancestor, and a value at that
node is the sum of its steps from parent to child over all ancestors that u and y have in common. So, with M(a) the
weight of all truths at or below a,

    sum over u of weight(u) value(lca(u, y)) = sum over a at or above y of (value(a) - value(parent(a))) M(a),

which is one sum up the tree and one down.

Functions
---------
expected_information, darts, exclusive, crm_leaf, crm_nodes, optimal_node

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] J. Deng, J. Krause, A. Berg, L. Fei-Fei, Hedging your bets, CVPR 2012.
"""

from __future__ import annotations

import numpy as np

from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.node_costs import expected_costs
from hierviz.inference.parameters import COST, EXPECTATION, LAM, rule
from hierviz.inference.rules import lowest_of_best
from hierviz.inference.truth_mass import truth_mass
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.parametrisation import VALMADRE, accumulate_down, sum_up
from hierviz.taxonomy.checks import is_within


@rule(
    "Expected information",
    "Answer with the node of the largest expected information: its information times its probability.",
    r"\hat y = \arg\max_y I(y)\, p(y)",
    VALMADRE,
)
def expected_information(taxonomy, p):
    """The candidate of largest I p, bits: `darts` at 0."""
    return darts(taxonomy, p, 0.0)


@rule(
    "DARTS",
    "As expected information, with λ extra bits for any correct answer: the larger λ, the less specific.",
    r"\hat y = \arg\max_y (I(y) + \lambda)\, p(y)",
    f"Deng et al., CVPR 2012; {VALMADRE}",
    LAM,
)
def darts(taxonomy, p, lam):
    """The candidate of largest (I + lam) p [2]_. `lam` in bits, from 0 (expected information) to any size (the root)."""
    if not is_within(lam, 0, np.inf):
        raise PredictionsError(f"lam: expected a number of bits, 0 or more, got {shown(lam)}. Choose one.")
    lam = float(lam)
    nodes = taxonomy.candidates
    values = p[:, nodes] * (taxonomy.information[nodes] + lam)
    return nodes[lowest_of_best(values, np.abs(values).max(axis=1))]


@rule(
    "Exclusive",
    "Answer with the node of the largest exclusive probability: its own minus that of its children.",
    r"\hat y = \arg\max_y \tilde p(y), \quad \tilde p(y) = p(y) - \sum_{c \in \text{children}(y)} p(c)",
    VALMADRE,
    tree_only=True,
)
def exclusive(taxonomy, p):
    """The node, of all nodes, with the largest exclusive probability; trees only."""
    return lowest_of_best(_exclusive_mass(taxonomy, p), np.abs(p).max(axis=1))


@rule(
    "Least expected distance",
    "Answer with the leaf that is, on average, the fewest edges away from the true leaf, or cheapest by given costs.",
    r"\hat y = \arg\min_{\text{leaf } y} \sum_{\text{leaf } u} p(u)\, c(y, u), \quad "
    r"c(y, u) = d(u) + d(y) - 2 d(\text{lca}(u, y)) \text{ by default}",
    f"{VALMADRE} (conditional risk minimisation over leaves)",
    COST,
    tree_only=True,
)
def crm_leaf(taxonomy, p, cost="depth_dist"):
    r"""The leaf of smallest expected cost; trees only.

    Parameters
    ----------
    cost : str or LeafCosts
        A key of `hierviz.inference.node_costs.NODE_COSTS`, ``"depth_dist"``: the distance in edges to the true leaf. Or the costs
        c(y, u) of every pair of leaves; those of answers that are inner nodes play no part.

    Notes
    -----
    .. math:: \sum_u p(u)\, c(y, u), \quad c(y, u) = d(u) + d(y) - 2 d(\mathrm{lca}(u, y))

    unless another cost is given.
    """
    values, scale = _costs(taxonomy, p, cost, leaves_only=True)
    return taxonomy.leaves[lowest_of_best(-values[:, taxonomy.leaves], scale)]


@rule(
    "Least expected cost",
    "Answer with the leaf or inner class of the smallest expected cost: the best answer for what mistakes cost, if the model's "
    "probabilities are right.",
    r"\hat y = \arg\min_v \sum_u \tilde p(u)\, C(v, u)",
    f"conditional risk minimisation; {VALMADRE}; hierviz",
    COST,
    tree_only=True,
    decisions="Answers are the leaves and the inner classes with several children; of a table, all its rows. p̃(u) is as for the "
    "rule of best expected hFβ; under a table the truth is one of the leaves. An answer below a truth that is an inner class is "
    "not truncated: what it names beyond the truth costs, where block `predicted` takes it as exact. For cost `correct` and for "
    "precisions the root is always optimal, for `exact` and recalls a leaf where truths are leaves. 0/0 is 1. Of equal costs, up "
    "to rounding, the lowest class is answered. Trees only, because the costs need one lowest common ancestor.",
)
def optimal_node(taxonomy, p, cost="depth_dist"):
    r"""The candidate of smallest expected cost; trees only.

    Parameters
    ----------
    cost : str or LeafCosts
        A key of `hierviz.inference.node_costs.NODE_COSTS`. Or a table: each of its answers, inner nodes too, is a candidate, and
        the expectation runs over the leaves.

    Notes
    -----
    .. math:: \sum_u \tilde p(u)\, C(v, u)

    with the probability :math:`\tilde p(u)` that the truth is exactly u (`hierviz.inference.truth_mass`).
    """
    nodes = cost.answer_nodes(taxonomy) if isinstance(cost, LeafCosts) else taxonomy.candidates
    values, scale = _costs(taxonomy, p, cost)
    return nodes[lowest_of_best(-values[:, nodes], scale)]


def _costs(taxonomy, p, cost, leaves_only=False):
    """Expected cost of each node, inf of those without one, and the size of the terms, shape (n_samples,)."""
    if isinstance(cost, LeafCosts):
        of_leaves = truth_mass(taxonomy, p, leaves_only=True)[:, taxonomy.leaves]
        return cost.expected(taxonomy, of_leaves), of_leaves.sum(axis=1) * cost.values.max()
    _check_choice(COST, cost)
    return expected_costs(taxonomy, truth_mass(taxonomy, p, leaves_only=leaves_only), cost)


@rule(
    "Largest expected reward",
    "Answer with the node of the largest expected reward: information F1 over the leaves, or, over all nodes with their "
    "exclusive probability, information recall of correct answers.",
    r"\hat y = \arg\max_y \sum_{\text{leaf } u} p(u)\, F_1(u, y) \;\text{ or }\; "
    r"\arg\max_y \sum_u \tilde p(u)\, \text{Correct}(u, y)\, \text{Recall}(u, y)",
    f"{VALMADRE} (conditional risk minimisation over all nodes)",
    EXPECTATION,
    tree_only=True,
)
def crm_nodes(taxonomy, p, expectation="leaves"):
    """The candidate of largest expected reward; trees only.

    Parameters
    ----------
    expectation : str
        ``"leaves"``: the reward is the F1 of information, 2 I(lca) / (I(u) + I(y)). ``"exclusive"``: the reward is
        Correct times recall of information, I(lca) / I(u) where y contains u and also where y lies below u (being finer
        than the truth is not judged), else 0.
    """
    _check_choice(EXPECTATION, expectation)
    nodes = taxonomy.candidates
    values, scale = (_information_f1 if expectation == "leaves" else _correct_recall)(taxonomy, p)
    return nodes[lowest_of_best(values[:, nodes], scale)]


def _information_f1(taxonomy, p):
    """Expected F1 of information of every node over the leaves, and the mass of the leaves."""
    below = _leaf_mass(taxonomy, p)
    mass = np.abs(below[:, 0])
    # The quotient of equal numbers is exactly 1: an only child adds exactly 0 bits.
    below *= np.log2(taxonomy.n_leaves_below[taxonomy.parent] / taxonomy.n_leaves_below) * (taxonomy.parent >= 0)
    both = np.log2(taxonomy.n_leaves) + taxonomy.information
    return 2 * accumulate_down(taxonomy, below, np.add) / np.where(both > 0, both, 1), mass


def _correct_recall(taxonomy, p):
    """Expected Correct times recall of information of every node over the exclusive probability, but for what all share.

    A truth at or below y gives I(y) / I(u), one above y gives 1. A truth of no information gives every candidate 1 and
    is left out.
    """
    own, information = _exclusive_mass(taxonomy, p), taxonomy.information
    own[:, information == 0] = 0
    recalled = sum_up(taxonomy, own / np.where(information > 0, information, 1)) * information
    return recalled + accumulate_down(taxonomy, own.copy(), np.add) - own, np.abs(own).sum(axis=1)


def _leaf_mass(taxonomy, p):
    """Sum of p over the leaves below each node, a new array: the mass that inner nodes keep to themselves left out."""
    below = np.zeros(p.shape)
    below[:, taxonomy.leaves] = p[:, taxonomy.leaves]
    return sum_up(taxonomy, below)


def _exclusive_mass(taxonomy, p):
    own = p.copy()
    for nodes, start, parents in taxonomy.families:
        own[:, parents] -= np.add.reduceat(p[:, nodes], start, axis=1)
    return own


def _check_choice(parameter, value):
    if not isinstance(value, str) or value not in parameter.choices:
        costs = ", or LeafCosts (hierviz.load_costs reads them)" if parameter.kind == "costs" else ""
        raise PredictionsError(
            f"{parameter.name}: expected one of {', '.join(parameter.choices)}{costs}, got {shown(value)}. Choose one."
        )
