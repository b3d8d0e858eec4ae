r"""Losses of a softmax over all nodes, inner nodes and leaves together.

Conventions
-----------
As in `hierviz.losses.softmax`; columns are nodes 0, 1, ..., the root included. A(y) is the path from the root to the
truth, both included.

Functions
---------
soft_max_descendant, soft_max_margin, hard_margin

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

import numpy as np

from hierviz.losses._rows import at_meeting, indicator, loss_function, mass_nll, number
from hierviz.losses.conditional import subtree_logsumexp
from hierviz.predictions.parametrisation import VALMADRE, sigmoid
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.tree_sums import accumulate_down

COSTS = ("incorrect", "depth_dist", "info_dist")


@loss_function(
    "Soft-max-descendant",
    "Softmax of each node of the true path against all nodes that are neither its ancestors nor its descendants.",
    r"\sum_{u \in A(y)} \frac{1}{L(u)} \Big[ \log\Big(e^{\theta_u} + \sum_{v \text{ unrelated to } u} e^{\theta_v}\Big) "
    r"- \theta_u \Big]",
    f"{VALMADRE} (soft-max-descendant)",
    "softmax_all_nodes",
)
def soft_max_descendant(taxonomy, truth, scores, *, weighted=True):
    r"""Each node of the true path against all nodes that are neither above nor below it.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node.
    scores : ndarray, shape (n_samples, n_nodes)
    weighted : bool
        False: every node of the path counts 1 instead of 1 / (leaves below it).

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \sum_{u \in A(y)} \frac{1}{L(u)} \Big[ \log\Big(e^{\theta_u} +
              \sum_{v \text{ unrelated to } u} e^{\theta_v}\Big) - \theta_u \Big]

    where :math:`L(u)` counts the leaves at or below :math:`u`, and unrelated nodes are neither ancestors nor descendants of
    :math:`u` [1]_. Nodes unrelated to :math:`u` are the subtrees of the siblings of :math:`u` and of its ancestors, so
    their sum grows step by step along the path and nothing is ever subtracted. A node without unrelated nodes adds 0.
    """
    weight = 1 / taxonomy.n_leaves_below if weighted else np.ones(taxonomy.n_nodes)

    def compute(scores, truth):
        scores = scores - scores.max(axis=1, keepdims=True)
        path = taxonomy.ancestors(truth)
        row, node = path.rows, path.nodes
        depth = taxonomy.depth[node]
        unrelated = _unrelated(taxonomy, scores, path)[row, depth]
        odds = unrelated - scores[row, node]
        values = np.bincount(row, weights=weight[node] * np.logaddexp(0, odds), minlength=len(scores))
        # Off the path, v is unrelated to the nodes of the path below their lowest common ancestor, at depth k. Its
        # gradient is exp(theta_v) times the sum over these of weight / (total of their denominator): exp(factor[k]).
        denominator = np.full((len(scores), depth.max(initial=0) + 2), -np.inf)
        denominator[row, depth] = np.log(weight[node]) - np.logaddexp(scores[row, node], unrelated)
        factor = np.logaddexp.accumulate(denominator[:, :0:-1], axis=1)[:, ::-1]
        spread = np.full(scores.shape, np.inf)
        spread[row, node] = factor[row, depth]
        # factor falls along the path, so the minimum with the parent hands it down to what hangs off the path.
        exponent = scores + accumulate_down(taxonomy, spread, np.minimum)
        exponent[row, node] = -np.inf
        gradient = np.exp(exponent)
        gradient[row, node] = -weight[node] * sigmoid(odds)
        return values, gradient

    return compute


@loss_function(
    "Soft-max-margin",
    "Softmax over all nodes with a margin added to the scores of the wrong ones.",
    r"\log \sum_v e^{\theta_v + \tau C_v} - \theta_y",
    f"{VALMADRE} (soft-max-margin)",
    "softmax_all_nodes",
    tree_only=False,
)
def soft_max_margin(taxonomy, truth, scores, *, tau=5.0, cost="incorrect"):
    r"""Cross entropy over all nodes, in which wrong nodes get a head start.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree; for ``cost="incorrect"`` also a directed acyclic graph.
    truth : ndarray of int, shape (n_samples,)
        Any node. Nodes below an inner truth count as wrong here, unlike in the metrics.
    scores : ndarray, shape (n_samples, n_nodes)
    tau : float
        At least 0: size of the head start; 5 in [1]_, 0 gives the cross entropy over all nodes.
    cost : str
        'incorrect': 0 on the true path, else 1; 'depth_dist': edges between the node and the truth; 'info_dist': the
        information between them, in nats (the only place that is not in bits).

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \log \sum_v e^{\theta_v + \tau C_v} - \theta_y

    where :math:`C_v` is the cost of answering :math:`v` [1]_.
    """
    tau = _margin("soft_max_margin", taxonomy, tau, cost)

    def compute(scores, truth):
        answer = np.arange(taxonomy.n_nodes)[None, :] == truth[:, None]
        return mass_nll(scores + tau * _costs(taxonomy, truth, cost), answer)

    return compute


@loss_function(
    "Hard margin",
    "Hinge loss: the score of the truth must exceed that of the best other node by a margin.",
    r"\max\big(0, \max_v (\theta_v - \theta_y + \tau C_v)\big)",
    f"{VALMADRE} (hard margin)",
    "softmax_all_nodes",
    tree_only=False,
)
def hard_margin(taxonomy, truth, scores, *, tau=5.0, cost="incorrect"):
    r"""How far the best wrong node, with its head start, is above the truth.

    Parameters as in `soft_max_margin`.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), dimensionless, lower is better.
    gradient : ndarray of float, shape of `scores`
        A subgradient: +1 at the best node (the lowest number on ties), -1 at the truth; 0 where the value is 0.

    Notes
    -----
    .. math:: \max\big(0, \max_v (\theta_v - \theta_y + \tau C_v)\big)

    where :math:`C_v` is the cost of answering :math:`v` [1]_; the truth itself gives the 0.
    """
    tau = _margin("hard_margin", taxonomy, tau, cost)

    def compute(scores, truth):
        row = np.arange(len(scores))
        above = scores - scores[row, truth][:, None] + tau * _costs(taxonomy, truth, cost)
        best = above.argmax(axis=1)
        values = above[row, best]
        gradient = np.zeros_like(scores)
        gradient[row, best] += values > 0
        gradient[row, truth] -= values > 0
        return values, gradient

    return compute


def _margin(key, taxonomy, tau, cost):
    """`tau` as a number; an error where it is none, or the cost is unknown or not defined on a graph."""
    check_one_of("cost", cost, COSTS)
    if cost != "incorrect":
        taxonomy.require_tree(f"loss {key!r}")
    return number(tau, "tau", 0)


def _costs(taxonomy, truth, cost):
    """C of `soft_max_margin`, shape (n, n_nodes); exactly 0 at the truth."""
    path = taxonomy.ancestors(truth)
    if cost == "incorrect":
        return ~indicator(path, taxonomy.n_nodes)
    value = taxonomy.depth if cost == "depth_dist" else taxonomy.information * np.log(2)
    return value[truth][:, None] + value - 2 * at_meeting(taxonomy, path, value)


def _unrelated(taxonomy, scores, path):
    """Log-sum-exp of the nodes unrelated to the path's node of each depth, shape (n, longest path); -inf for none."""
    below = subtree_logsumexp(taxonomy, scores.copy())
    row, node = path.rows, path.nodes
    depth = taxonomy.depth[node]
    total = np.full((len(scores), depth.max(initial=0) + 1), -np.inf)
    down = np.flatnonzero(depth > 0)
    if len(down):
        family = taxonomy.children.take(node[down - 1])
        values = below[np.repeat(row[down], family.lengths), family.nodes]
        values[family.nodes == np.repeat(node[down], family.lengths)] = -np.inf
        top = np.maximum.reduceat(values, family.offsets[:-1])
        shift = np.where(np.isfinite(top), top, 0)
        values = np.exp(values - np.repeat(shift, family.lengths))
        with np.errstate(divide="ignore"):
            total[row[down], depth[down]] = np.log(np.add.reduceat(values, family.offsets[:-1])) + shift
    return np.logaddexp.accumulate(total, axis=1)
