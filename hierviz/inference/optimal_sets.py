r"""The set of nodes that maximises an expected hierarchical F measure.

Conventions
-----------
`p` has shape (n_samples, n_nodes). A(u) is u with its ancestors, the root left out everywhere; \tilde p(u) is the
probability that the truth is exactly u (`hierviz.inference.truth_mass`). Of a set H of k nodes the expectation is

.. math:: E[hF_\beta(H)] = \sum_u \tilde p(u)\, \frac{(1 + \beta^2)\, |H \cap A(u)|}{k + \beta^2 |A(u)|}
          = \sum_{v \in H} g_k(v), \qquad
          g_k(v) = \sum_{u \text{ at or below } v} \tilde p(u)\, \frac{1 + \beta^2}{k + \beta^2 |A(u)|}

so that the best set of k nodes has the k largest gains [1]_. No set of k or more nodes exceeds

.. math:: \sum_u \tilde p(u)\, \frac{(1 + \beta^2)\, |A(u)|}{k + \beta^2 |A(u)|},

which falls with k: the search ends where it reaches the best so far. The empty set has 0.

Truths with equally many ancestors share a denominator: their probabilities are added child into parent, and gains combine
these sums in one order. Each step is monotone, rounding included, so that no node gains more than its parent: the set holds the
ancestors of its nodes. In a graph the sums below a node have no such order, and a node takes the largest sum at or below it.

Sums have rounding errors. A larger set is taken where it is better by more than `TIE` of the probability of all truths; nodes
whose gains are `TIE` of the root's apart are equal, and the lowest of them are taken. `hierviz.compiled.set_kernels` gives the
same bits.

Functions
---------
best_sets, expected_hf, hf_optimal

References
----------
.. [1] R. Plaud, A. Saillenfest, T. Bonald, M. Labeau, Optimal decisions for hierarchical metrics, ICML 2025 (arXiv
       2506.01552), hF_beta. The paper's bound counts the root; without it the search would end too early or too late.
"""

from __future__ import annotations

import numpy as np

from hierviz.inference.parameters import BETA, rule
from hierviz.inference.truth_mass import TIE, ancestor_counts, truth_mass
from hierviz.messages.errors import PredictionsError, shown
from hierviz.taxonomy.checks import is_within
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.taxonomy.tree_sums import accumulate_down, max_up, sum_up

# Where the paper is silent; `docs/metrics.md` has it.
DECISIONS = (
    "The root is never counted: not in the set, not in A(u), not in the bound that ends the search. p̃(u) is p(u) "
    "minus the sum of its children where this is at least 0 for all nodes of a sample, so that a truth may be an "
    "inner node; else, and in graphs with several parents, the truth is one of the leaves. Differences of 1e-13 of "
    "the largest p are rounding. A truth at the root yields 0 for any set, and where all probability is there the set "
    "is empty. Of equally good sets the smaller one is taken, of nodes with equal gain the lower one. Nothing is "
    "scaled: a multiple of p has the same sets and that multiple of the expected value. With several true classes a "
    "sample the set is made alike, and the expected value is left out, because it assumes one."
)
# Values of all sums that are held at a time (4 MB of float64).
WORK_VALUES = 1 << 19


@rule(
    "Best expected hFβ",
    "Answer with the set of classes that has the largest expected hFβ if the model's probabilities are right: no threshold.",
    r"\hat Y = \arg\max_H \sum_u \tilde p(u)\, \frac{(1 + \beta^2)\, |H \cap A(u)|}{|H| + \beta^2 |A(u)|}",
    "Plaud et al., ICML 2025 (arXiv 2506.01552)",
    BETA,
    returns_sets=True,
    decisions=DECISIONS,
)
def hf_optimal(taxonomy, p, beta=1.0):
    """The set of the largest expected hF_beta of each sample: closed under ancestors, ascending, without the root.

    `beta` above 0: how many times as important recall is as precision. On graphs the truth is one of the leaves.

    Returns
    -------
    NodeLists

    Examples
    --------
    Figure 7 of Plaud et al., CoNLL 2024: no threshold of the paper's gives the best set.

    >>> taxonomy = Taxonomy.from_edges([("root", "1"), ("root", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> hf_optimal(taxonomy, np.array([[1, 0.75, 0.25, 0.2, 0.2, 0.35]]))[0]
    array([1, 2, 5])
    """
    return best_sets(taxonomy, p, beta)[0]


def check_beta(beta):
    """Raise a PredictionsError unless `beta` is a number above 0 and at most the highest of the parameter."""
    if not is_within(beta, 0, BETA.range[1]) or beta <= 0:
        raise PredictionsError(
            f"beta: expected a number above 0 and at most {BETA.range[1]:g}, got {shown(beta)}. Choose 1 for hF1."
        )


def best_sets(taxonomy: Taxonomy, p: np.ndarray, beta: float = 1.0) -> tuple[NodeLists, np.ndarray]:
    """Sets of the largest expected hF_beta, and the expectation.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float64, shape (n_samples, n_nodes)
    beta : float
        Above 0.

    Returns
    -------
    sets : NodeLists
        Nodes of each sample, ascending, closed under ancestors, without the root.
    expected : ndarray of float, shape (n_samples,)
        >= 0, dimensionless; at most the sum of the probabilities of all truths. A multiple of `p` has that multiple of it and the
        same sets.
    """
    check_beta(beta)
    counts = ancestor_counts(taxonomy)
    # Sums are kept for every number of ancestors that a truth can have.
    step = max(1, WORK_VALUES // (taxonomy.n_nodes * (int(counts.max(initial=0)) + 1)))
    blocks = [p[start : start + step] for start in range(0, max(len(p), 1), step)]
    sets, expected = zip(*(_best_sets(taxonomy, block, float(beta), counts) for block in blocks), strict=True)
    return NodeLists.concatenate(sets), np.concatenate(expected)


def _best_sets(taxonomy, p, beta, counts):
    square = beta * beta
    below, sizes = _mass_below(taxonomy, truth_mass(taxonomy, p), counts)
    n, n_nodes = p.shape
    total = _in_order(below[:, :, 0], np.ones(len(sizes)))
    best, best_size, last = np.zeros(n), np.zeros(n, dtype=np.intp), np.zeros(n)
    rows, of_rows = np.arange(n), below
    for size in range(1, n_nodes):
        share = (1 + square) / (size + square * sizes)
        is_open = _in_order(of_rows[:, :, 0], share * sizes) > best[rows]
        if not is_open.all():
            rows, of_rows = rows[is_open], of_rows[:, is_open]
        if not len(rows):
            break
        gains = _in_order(of_rows[:, :, 1:], share)
        largest = np.sort(np.partition(gains, n_nodes - 1 - size, axis=1)[:, n_nodes - 1 - size :], axis=1)[:, ::-1]
        value = np.add.accumulate(largest, axis=1)[:, -1]
        better = value > best[rows] + TIE * total[rows]
        best[rows[better]], best_size[rows[better]] = value[better], size
        last[rows[better]] = largest[better, -1]
    share = (1 + square) / (best_size[:, None] + square * sizes[:, None, None])
    return _largest(_in_order(below, share), best_size, last), best


def _largest(gains, size, last):
    """The `size` nodes of largest gain of each sample, the lowest of equal ones; `last` is the smallest gain among them."""
    margin = TIE * gains[:, :1]
    is_sure = gains > last[:, None] + margin
    is_near = (gains >= last[:, None] - margin) & ~is_sure
    is_sure[:, 0] = is_near[:, 0] = False
    left = size - is_sure.sum(axis=1)
    inside = is_sure | (is_near & (is_near.cumsum(axis=1) <= left[:, None]))
    inside[size == 0] = False
    row, node = np.nonzero(inside)
    return NodeLists.of_pairs(row, node, len(gains))


def _mass_below(taxonomy, own, counts):
    """Mass at or below each node of the truths with equally many ancestors, shape (n_sizes, n, n_nodes), and these numbers."""
    sizes = np.unique(counts[(own > 0).any(axis=0)])
    sizes = sizes[sizes > 0]
    below = np.empty((len(sizes), *own.shape))
    for values, size in zip(below, sizes, strict=True):
        values[:] = np.where(counts == size, own, 0.0)
        sum_up(taxonomy, values)
        if not taxonomy.is_tree:
            max_up(taxonomy, values)
    return below, sizes.astype(np.float64)


def _in_order(values, weights):
    """Sum over the first axis of values times weights, one after the other."""
    total = np.zeros(values.shape[1:])
    for of_size, weight in zip(values, weights, strict=True):
        total += of_size * weight
    return total


def expected_hf(taxonomy: Taxonomy, p: np.ndarray, sets: NodeLists, beta: float = 1.0) -> np.ndarray:
    """Expected hF_beta of given sets.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float64, shape (n_samples, n_nodes)
    sets : NodeLists, length n_samples
        As they are, no ancestors are added; each node once, and the root does not count.
    beta : float
        Above 0.

    Returns
    -------
    ndarray of float, shape (n_samples,)
        As of `best_sets`.
    """
    check_beta(beta)
    square, counts = float(beta) * float(beta), ancestor_counts(taxonomy)
    inside = np.zeros(p.shape)
    inside[sets.rows, sets.nodes] = 1.0
    inside[:, 0] = 0.0
    size = inside.sum(axis=1)
    if taxonomy.is_tree:
        shared = accumulate_down(taxonomy, inside, np.add)
    else:
        up = taxonomy.ancestors(np.arange(taxonomy.n_nodes))
        shared = np.add.reduceat(inside[:, up.nodes], up.offsets[:-1], axis=1)
    whole = size[:, None] + square * counts
    values = (1 + square) * shared / np.where(whole > 0, whole, 1.0)
    return (truth_mass(taxonomy, p) * values).sum(axis=1)
