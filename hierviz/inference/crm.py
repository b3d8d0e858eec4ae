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
expected_information, darts, exclusive, crm_leaf, crm_nodes
LeafCosts : what every answer costs under every truth, leaf by leaf; a table that people bring, for rule `crm_leaf`.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] J. Deng, J. Krause, A. Berg, L. Fei-Fei, Hedging your bets, CVPR 2012.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hierviz.inference.parameters import COST, EXPECTATION, LAM, rule
from hierviz.inference.rules import lowest_of_best
from hierviz.messages.errors import PredictionsError, TaxonomyError, shown
from hierviz.predictions.parametrisation import VALMADRE, accumulate_down, sum_up
from hierviz.taxonomy.checks import array_of_rows, check_taxonomy, is_within
from hierviz.taxonomy.taxonomy import Taxonomy


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
        ``"depth_dist"``: the distance in edges to the true leaf. Or the costs c(y, u) of every pair of leaves.

    Notes
    -----
    .. math:: \sum_u p(u)\, c(y, u), \quad c(y, u) = d(u) + d(y) - 2 d(\mathrm{lca}(u, y))

    unless costs are given. Of the distance the first term is the same for every y.
    """
    if isinstance(cost, LeafCosts):
        return _least_cost(taxonomy, p, cost)
    _check_choice(COST, cost)
    # The root's mass comes in once for every leaf and is not altered on the way down.
    shared = accumulate_down(taxonomy, _leaf_mass(taxonomy, p), np.add)
    leaves, mass = taxonomy.leaves, shared[:, 0]
    values = 2 * shared[:, leaves] - taxonomy.depth[leaves] * mass[:, None]
    return leaves[lowest_of_best(values, taxonomy.max_depth * np.abs(mass))]


def _least_cost(taxonomy, p, cost):
    cost.require_taxonomy(taxonomy)
    leaves = taxonomy.leaves
    # In C order, or the order of sums would depend on the number of rows.
    of_leaves = np.ascontiguousarray(p[:, leaves])
    expected = of_leaves @ cost.values.T
    return leaves[lowest_of_best(-expected, np.abs(of_leaves).sum(axis=1) * cost.values.max())]


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


# The table has the square of it: 2,000 leaves take 32 MB.
MOST_LEAVES = 2000


@dataclass(frozen=True)
class LeafCosts:
    """Cost of every pair of leaves of one taxonomy. Made by `from_array`; equal when all numbers and the name are.

    Attributes
    ----------
    name : str
        What reports call it, for example a file name.
    values : ndarray of float64, shape (n_leaves, n_leaves)
        Row: the leaf answered; column: the true leaf; both in the order of `Taxonomy.leaves`. Finite, not negative.
    leaves : tuple of str
        Their names in that order.
    """

    name: str = field(compare=False)
    values: np.ndarray = field(compare=False)
    leaves: tuple[str, ...] = field(compare=False)
    # Of all of them: what is compared.
    _digest: str = field(default="", repr=False)

    @classmethod
    def from_array(cls, taxonomy: Taxonomy, values: ArrayLike, name: str = "costs") -> Self:
        """Costs held in memory.

        Parameters
        ----------
        taxonomy : Taxonomy
            At most `MOST_LEAVES` leaves.
        values : array_like of float, shape (n_leaves, n_leaves)
            Row: the leaf answered; column: the true leaf.
        name : str

        Returns
        -------
        LeafCosts

        Raises
        ------
        TaxonomyError
            If the taxonomy has too many leaves.
        PredictionsError
            If the shape is another one, or a cost is negative or no finite number.
        """
        check_taxonomy(taxonomy)
        require_few_leaves(taxonomy, name)
        numbers, n = array_of_rows(values, name), taxonomy.n_leaves
        if numbers.dtype.kind not in "fiub":
            raise PredictionsError(
                f"{name}: expected an array of numbers, got values of type {numbers.dtype}. Give a row for each answer and a "
                "column for each truth."
            )
        numbers = numbers.astype(np.float64)
        if numbers.shape != (n, n):
            raise PredictionsError(
                f"{name}: expected a cost for every pair of the {n} leaves, shape ({n}, {n}), got {numbers.shape}. "
                "Give a row for each answer and a column for each truth."
            )
        bad = ~(np.isfinite(numbers) & (numbers >= 0))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            answer, truth = (taxonomy.names[leaf] for leaf in taxonomy.leaves[[i, j]])
            raise PredictionsError(
                f"{name}: expected costs of 0 or more, got {numbers[i, j]} for answer {answer!r} and truth {truth!r}. "
                "Correct it."
            )
        numbers.flags.writeable = False
        leaves = leaf_names(taxonomy)
        start = "\n".join((name, *leaves)).encode("utf-8", "surrogatepass")
        return cls(name, numbers, leaves, hashlib.sha256(start + numbers.tobytes()).hexdigest())

    def is_of(self, taxonomy: Taxonomy) -> bool:
        """Whether these are the costs of this taxonomy."""
        return leaf_names(taxonomy) == self.leaves

    def of_nodes(self, taxonomy: Taxonomy, predicted: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Cost of answers, inner classes too: the mean over all pairs of a leaf below the answer and one below the truth.

        Parameters
        ----------
        taxonomy : Taxonomy
            A tree.
        predicted, truth : ndarray of int, shape (n_samples,)

        Returns
        -------
        ndarray of float, shape (n_samples,)
        """
        self.require_taxonomy(taxonomy)
        taxonomy.require_tree("costs of inner classes")
        # In preorder the leaves below a node are neighbours: block sums of the table are differences of its double sums.
        order = np.argsort(taxonomy.preorder[taxonomy.leaves], kind="stable")
        sums = np.zeros((len(order) + 1, len(order) + 1))
        sums[1:, 1:] = self.values[np.ix_(order, order)].cumsum(axis=0).cumsum(axis=1)
        places = taxonomy.preorder[taxonomy.leaves[order]]
        first = np.searchsorted(places, taxonomy.preorder)
        last = np.searchsorted(places, taxonomy.preorder + taxonomy.subtree_size)
        a, b, c, d = first[predicted], last[predicted], first[truth], last[truth]
        total = sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c]
        return np.maximum(total, 0.0) / ((b - a) * (d - c))

    def require_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise a TaxonomyError unless these are the costs of this taxonomy."""
        if not self.is_of(taxonomy):
            raise TaxonomyError(
                f"{self.name}: expected the costs of this taxonomy ({taxonomy.n_leaves} leaves), got those of another "
                f"({len(self.leaves)} leaves). Read them with this taxonomy."
            )

    def __repr__(self):
        return f"LeafCosts({self.name!r}, {len(self.leaves)} leaves, {self._digest[:12]})"


def leaf_names(taxonomy):
    """Names of the leaves in the order of `Taxonomy.leaves`, as a tuple."""
    return tuple(taxonomy.names[leaf] for leaf in taxonomy.leaves.tolist())


def require_few_leaves(taxonomy, where):
    """Raise a TaxonomyError unless the costs of all pairs of leaves are few enough to be held."""
    if taxonomy.n_leaves > MOST_LEAVES:
        raise TaxonomyError(
            f"{where}: expected a taxonomy of at most {MOST_LEAVES:,} leaves for the costs of all pairs, got "
            f"{taxonomy.n_leaves:,}. Use a cost that has a name, such as depth_dist."
        )
