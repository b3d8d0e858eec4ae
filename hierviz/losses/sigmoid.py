r"""Losses of one yes/no decision per node.

Conventions
-----------
As in `hierviz.losses.softmax`; p_u is the sigmoid of the score of node u, columns are nodes 1, 2, ... Truth is one node per
sample, or NodeLists for samples with several true nodes; either way it is closed under ancestors first, and the root is
never a target. With Y the true nodes without the root, sums run over all nodes but the root and are not divided by their
number.

Functions
---------
multilabel_bce, multilabel_focal, conditional_sigmoid, champ

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] R. Plaud et al., Revisiting hierarchical text classification: inference and metrics, CoNLL 2024.
.. [3] A. Vaswani et al., All mistakes are not equal: comprehensive hierarchy aware multi-label predictions (CHAMP), 2022.
"""

import numpy as np

from hierviz.losses._rows import PLAUD, at_meeting, indicator, loss_function, number
from hierviz.predictions.parametrisation import VALMADRE


@loss_function(
    "Multi-label binary cross entropy",
    "Binary cross entropy of every node, all with the same weight.",
    r"\sum_{u \in Y} -\log p_u + \sum_{u \notin Y} -\log(1 - p_u)",
    f"{VALMADRE} (multilabel); {PLAUD} (BCE)",
    "multilabel_sigmoid",
    tree_only=False,
    takes_lists=True,
)
def multilabel_bce(taxonomy, truth, scores):
    r"""Binary cross entropy of every node.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a directed acyclic graph.
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Any nodes; an empty list means that no node is true.
    scores : ndarray, shape (n_samples, n_nodes - 1)

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \sum_{u \in Y} -\log p_u + \sum_{u \notin Y} -\log(1 - p_u)
    """

    def compute(scores, truth):
        return _binary(scores, indicator(truth, taxonomy.n_nodes)[:, 1:], 1.0)

    return compute


@loss_function(
    "Multi-label focal loss",
    "Binary cross entropy of every node, with less weight on nodes that are already predicted well.",
    r"\sum_{u \in Y} -\alpha (1 - p_u)^\gamma \log p_u + \sum_{u \notin Y} -(1 - \alpha) p_u^\gamma \log(1 - p_u)",
    f"{VALMADRE} (multilabel focal)",
    "multilabel_sigmoid",
    tree_only=False,
    takes_lists=True,
)
def multilabel_focal(taxonomy, truth, scores, *, alpha=0.95, gamma=1.0):
    r"""Focal loss of every node: decisions that are already right count less.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a directed acyclic graph.
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Any nodes; an empty list means that no node is true.
    scores : ndarray, shape (n_samples, n_nodes - 1)
    alpha : float
        In [0, 1]: weight of true nodes, the others weigh 1 - alpha.
    gamma : float
        At least 0: how fast a decision stops to count. The defaults are what run names of [1]_ suggest for its Table 1.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \sum_{u \in Y} -\alpha (1 - p_u)^\gamma \log p_u + \sum_{u \notin Y} -(1 - \alpha) p_u^\gamma \log(1 - p_u)
    """
    alpha, gamma = number(alpha, "alpha", 0, 1), number(gamma, "gamma", 0)

    def compute(scores, truth):
        target = indicator(truth, taxonomy.n_nodes)[:, 1:]
        sign = np.where(target, 1.0, -1.0)
        cost, wrong = _log_loss(sign * scores)
        # With wrong = 1 - right: d/ds wrong^gamma cost = -wrong^gamma (gamma right cost + wrong).
        factor = np.where(target, alpha, 1 - alpha) * wrong**gamma
        return (factor * cost).sum(axis=1), -sign * factor * (gamma * (1 - wrong) * cost + wrong)

    return compute


@loss_function(
    "Conditional sigmoid",
    "Binary cross entropy of every child of a true node; other nodes are ignored.",
    r"\sum_{u:\, \text{parent}(u) \in Y \cup \{\text{root}\}} -[u \in Y] \log p_u - [u \notin Y] \log(1 - p_u)",
    f"{VALMADRE} (conditional sigmoid); {PLAUD}, section 4.3 and appendix C.4",
    "conditional_sigmoid",
    leaf_truth_only=True,
    root_truth=False,
    takes_lists=True,
)
def conditional_sigmoid(taxonomy, truth, scores):
    r"""Binary cross entropy of the nodes whose parent is true.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Leaves [1]_. Lists may hold any nodes [2]_: where no child of a listed node is listed, all of them are false.
    scores : ndarray, shape (n_samples, n_nodes - 1)

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`
        0 for nodes whose parent is not true.

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, or a truth given as one node is an inner node.

    Notes
    -----
    .. math:: \sum_{u:\, \text{parent}(u) \in Y \cup \{\text{root}\}} -[u \in Y] \log p_u - [u \notin Y] \log(1 - p_u)

    where :math:`p_u` is the probability of :math:`u` given its parent. [2]_ clamps it to [1e-7, 1 - 1e-7], this does not.
    """

    def compute(scores, truth):
        inside = indicator(truth, taxonomy.n_nodes)
        return _binary(scores, inside[:, 1:], inside[:, taxonomy.parent[1:]])

    return compute


@loss_function(
    "CHAMP",
    "Binary cross entropy of every node, where a false positive weighs more the farther it is from the truth.",
    r"\sum_{u \in Y} -\log p_u + \sum_{u \notin Y} -\big(1 + \beta((1 + d_u/d_{\max})^2 - 1)\big) \log(1 - p_u)",
    f"Vaswani et al., 2022 (CHAMP), as in {PLAUD}",
    "multilabel_sigmoid",
    root_truth=False,
    takes_lists=True,
)
def champ(taxonomy, truth, scores, *, beta=0.2):
    r"""Binary cross entropy of every node, where a false node costs more the farther it is from the truth (CHAMP).

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,), or NodeLists
        Any nodes, at least one below the root.
    scores : ndarray, shape (n_samples, n_nodes - 1)
    beta : float
        At least 0; 0 gives `multilabel_bce`.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, or a sample has no true node below the root: distances need one.

    Notes
    -----
    .. math:: \sum_{u \in Y} -\log p_u
              + \sum_{u \notin Y} -\big(1 + \beta \big((1 + d_u / d_{\max})^2 - 1\big)\big) \log(1 - p_u)

    where :math:`d_u` counts the edges to the nearest node of :math:`Y` and :math:`d_{\max}` is the largest distance between
    two nodes other than the root [2]_, [3]_. A tied nearest node counts once; the code of [2]_ counts it twice.
    """
    beta = number(beta, "beta", 0)
    longest = max(1, _longest_distance(taxonomy))

    def compute(scores, truth):
        target = indicator(truth, taxonomy.n_nodes)[:, 1:]
        # The way to the nearest true node goes up to the first true ancestor, or through the root to depth 1.
        met = at_meeting(taxonomy, truth, taxonomy.depth)
        distance = np.where(met > 0, taxonomy.depth - met, taxonomy.depth + 1)[:, 1:]
        return _binary(scores, target, np.where(target, 1, 1 + beta * ((1 + distance / longest) ** 2 - 1)))

    return compute


def _longest_distance(taxonomy):
    """Edges between the two nodes farthest from each other, the root left out."""
    # Per node the two longest ways down through different children; a path bends at its highest node.
    height = np.zeros(taxonomy.n_nodes, dtype=np.intp)
    longest = 0
    for nodes, start, parents in reversed(taxonomy.families):
        up = height[nodes] + 1
        first = np.maximum.reduceat(up, start)
        length = np.diff(np.append(start, len(nodes)))
        place = np.where(up == np.repeat(first, length), np.arange(len(nodes)), len(nodes))
        up[np.minimum.reduceat(place, start)] = 0
        second = np.maximum.reduceat(up, start)
        height[parents] = first
        # A way that ends at the root ends at a node that is left out: it loses its last edge.
        longest = max(longest, int((first + second - ((parents == 0) & (second == 0))).max()))
    return longest


def _log_loss(margin):
    """(-log sigmoid(margin), 1 - sigmoid(margin)), without overflow and without cancellation."""
    small = np.exp(-np.abs(margin))
    return np.log1p(small) + np.maximum(-margin, 0), np.where(margin >= 0, small, 1) / (1 + small)


def _binary(scores, target, weights):
    """Weighted binary cross entropy summed over the columns, and its gradient."""
    sign = np.where(target, 1.0, -1.0)
    cost, wrong = _log_loss(sign * scores)
    return (weights * cost).sum(axis=1), weights * (-sign * wrong)
