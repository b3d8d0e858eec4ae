r"""Losses of one softmax over leaves or other nodes that exclude each other.

Conventions
-----------
`scores` have the columns of the parametrisation named in `hierviz.losses.LOSSES`; every function returns the value of each
sample and its gradient with respect to the scores, both float64. Values are in nats unless said otherwise, lower is better. Mass
outside the truth is summed by itself, never as 1 minus the mass inside, so small losses and gradients keep their digits.

Functions
---------
flat_ce, raw_win, log_win, coarse_ce

Examples
--------
>>> from hierviz import Taxonomy
>>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
>>> values, gradient = flat_ce(taxonomy, taxonomy.nodes("cat", "mammal"), [[0.0, 0.0, 0.0]] * 2)
>>> values.round(3), gradient.round(3)
(array([1.099, 0.405]), array([[-0.667,  0.333,  0.333], [-0.167, -0.167,  0.333]]))

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically,
   version of 11 December 2019.
"""

import numpy as np

from hierviz.losses._rows import (
    WU,
    at_meeting,
    below_finder,
    coarse_columns,
    loss_function,
    mass_nll,
    number,
    refuse,
)
from hierviz.predictions.parametrisation import VALMADRE, softmax


@loss_function(
    "Flat cross entropy",
    "Minus the log of the probability of the true class; the taxonomy is used only where the truth is an inner node.",
    r"-\log \sum_{\text{leaf } u \text{ below or at } y} p_u",
    f"{VALMADRE}; {WU} (flat)",
    "flat_softmax",
    tree_only=False,
)
def flat_ce(taxonomy, truth, scores, *, smoothing=0.0):
    r"""Cross entropy of a softmax over the leaves.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a directed acyclic graph.
    truth : ndarray of int, shape (n_samples,)
        Leaves; without smoothing any node, whose mass is the sum over the leaves below it.
    scores : ndarray, shape (n_samples, n_leaves)
    smoothing : float
        In [0, 1]: share of the target spread evenly over the leaves.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root.
    gradient : ndarray of float, shape (n_samples, n_leaves)

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, or a truth is an inner node while `smoothing` is positive.

    Notes
    -----
    .. math:: -\log \sum_{\text{leaf } u \text{ below or at } y} p_u, \qquad
              (1 - \varepsilon)(-\log p_y) + \frac{\varepsilon}{L} \sum_{\text{leaf } u} -\log p_u

    where :math:`p` is the softmax of the scores and :math:`L` the number of leaves.
    """
    smoothing = number(smoothing, "smoothing", 0, 1)
    if smoothing:
        refuse(taxonomy, truth, ~taxonomy.is_leaf[truth], "leaves for flat_ce")
    below = below_finder(taxonomy)

    def compute(scores, truth):
        values, gradient = mass_nll(scores, below(truth))
        if smoothing:
            shifted = scores - scores.max(axis=1, keepdims=True)
            log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
            values = (1 - smoothing) * values - smoothing * log_p.mean(axis=1)
            gradient = (1 - smoothing) * gradient + smoothing * (np.exp(log_p) - 1 / taxonomy.n_leaves)
        return values, gradient

    return compute


@loss_function(
    "Raw win",
    "Minus the hierarchical win, in which each level of the true path counts half of the level above.",
    r"-W = -\sum_{d=1}^{D} 2^{-d} p(a_d) - 2^{-D} p(y)",
    f"{WU} (loss, raw)",
    "flat_softmax",
)
def raw_win(taxonomy, truth, scores):
    r"""Minus the rescaled hierarchical win of the softmax over the leaves.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node; for an inner truth the path ends there, as in `hierviz.metrics.win`.
    scores : ndarray, shape (n_samples, n_leaves)

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [-1, 0], dimensionless, lower is better; -1 where the truth is the root.
    gradient : ndarray of float, shape (n_samples, n_leaves)

    Notes
    -----
    .. math:: -W = -\sum_{\text{leaf } i} g_i p_i, \qquad \partial(-W)/\partial\theta_k = -p_k (g_k - W)

    where :math:`g_i = 1` at or below the truth and else :math:`1 - 2^{-d}` with :math:`d` the depth of the lowest common
    ancestor of leaf :math:`i` and the truth [1]_.
    """
    below = below_finder(taxonomy)

    def compute(scores, truth):
        p = softmax(scores)
        # What is lost, 1 - W, keeps its digits where the win is close to 1.
        miss = _missed(taxonomy, truth, below)
        lost = (p * miss).sum(axis=1)
        return lost - 1, p * (miss - lost[:, None])

    return compute


@loss_function(
    "Log win",
    "Minus the log of the hierarchical win: unbounded, unlike the raw win.",
    r"-\log W, \quad W = \sum_{d=1}^{D} 2^{-d} p(a_d) + 2^{-D} p(y)",
    f"{WU} (loss, log)",
    "flat_softmax",
)
def log_win(taxonomy, truth, scores):
    r"""Minus the logarithm of the rescaled hierarchical win of the softmax over the leaves.

    Parameters and truth as in `raw_win`.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better. A softmax of finite scores never reaches win 0, so all values are finite, also
        where every probability underflows.
    gradient : ndarray of float, shape (n_samples, n_leaves)

    Notes
    -----
    .. math:: -\log W = \log\sum_i e^{\theta_i} - \log\sum_i g_i e^{\theta_i}

    with the :math:`g_i` of `raw_win`; "log" is the natural logarithm of the rescaled win [1]_.
    """
    below = below_finder(taxonomy)

    def compute(scores, truth):
        scores = scores - scores.max(axis=1, keepdims=True)
        p, miss = softmax(scores), _missed(taxonomy, truth, below)
        with np.errstate(divide="ignore"):
            won = scores + np.log1p(-miss)
        top = won.max(axis=1, keepdims=True)
        far = np.log(np.exp(scores).sum(axis=1)) - top[:, 0] - np.log(np.exp(won - top).sum(axis=1))
        # Close to win 1 what is lost has more digits than what is won; far from it the win may underflow.
        lost = (p * miss).sum(axis=1)
        is_near, lost = lost < 0.5, np.minimum(lost, 0.5)
        near = p * (miss - lost[:, None]) / (1 - lost)[:, None]
        return np.where(is_near, -np.log1p(-lost), far), np.where(is_near[:, None], near, p - softmax(won))

    return compute


@loss_function(
    "Coarse cross entropy",
    "Cross entropy of the true top-level class; finer classes are not trained.",
    r"-\log \frac{e^{\theta_{a_1}}}{\sum_{v \text{ child of the root}} e^{\theta_v}}",
    f"{WU} (coarse)",
    "conditional_softmax",
    root_truth=False,
)
def coarse_ce(taxonomy, truth, scores):
    r"""Cross entropy of a softmax over the children of the root.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node but the root; its ancestor at depth 1 is the class.
    scores : ndarray, shape (n_samples, number of children of the root)
        In ascending node order: the first columns of `conditional_softmax`.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better.
    gradient : ndarray of float, shape of `scores`

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, or a truth is the root: it has no ancestor at depth 1.

    Notes
    -----
    .. math:: -\log \frac{e^{\theta_{a_1}}}{\sum_{v \text{ child of the root}} e^{\theta_v}}

    where :math:`a_1` is the ancestor of the truth at depth 1 [1]_.
    """
    tops = coarse_columns(taxonomy)

    def compute(scores, truth):
        return mass_nll(scores, taxonomy.is_ancestor(tops[None, :], truth[:, None]))

    return compute


# What they share -------------------------------------------------------------------------------------------------------


def _missed(taxonomy, truth, below):
    """1 - g of `raw_win`: what a unit of mass on each leaf loses, shape (n, n_leaves)."""
    shared = at_meeting(taxonomy, taxonomy.ancestors(truth), taxonomy.depth)[:, taxonomy.leaves]
    return np.where(below(truth), 0, np.exp2(-shared))
