r"""Losses of one softmax over leaves or other nodes that exclude each other.

Conventions
-----------
`scores` have the columns of the parametrisation named in `hierviz.losses.LOSSES`; every function returns the value of each
sample and its gradient by the scores, both float64. Values are in nats unless said otherwise, lower is better. Mass
outside the truth is summed by itself, never as 1 minus the mass inside, so small losses and gradients keep their digits.

Functions
---------
flat_ce, raw_win, log_win, coarse_ce, ps_softmax, deep_rtc

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically,
   version of 11 December 2019.
.. [2] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import numpy as np

from hierviz.errors import PredictionsError
from hierviz.losses._rows import at_meeting, by_blocks, number, opened
from hierviz.parametrisation import default_columns, sigmoid, softmax
from hierviz.tree_sums import accumulate_down, sum_up


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

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> values, gradient = flat_ce(taxonomy, taxonomy.nodes("cat", "mammal"), [[0.0, 0.0, 0.0]] * 2)
    >>> values.round(3), gradient.round(3)
    (array([1.099, 0.405]), array([[-0.667,  0.333,  0.333], [-0.167, -0.167,  0.333]]))
    """
    smoothing = number(smoothing, "smoothing", 0, 1)
    truth, scores = opened(taxonomy, truth, scores, "flat_ce", "flat_softmax", tree_only=False, leaf_only=smoothing > 0)
    below = _below_finder(taxonomy)

    def compute(scores, truth):
        values, gradient = mass_nll(scores, below(truth))
        if smoothing:
            log_p = _log_softmax(scores)
            values = (1 - smoothing) * values - smoothing * log_p.mean(axis=1)
            gradient = (1 - smoothing) * gradient + smoothing * (np.exp(log_p) - 1 / taxonomy.n_leaves)
        return values, gradient

    return by_blocks(taxonomy, compute, scores, truth)


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
    truth, scores = opened(taxonomy, truth, scores, "raw_win", "flat_softmax")
    below = _below_finder(taxonomy)

    def compute(scores, truth):
        p = softmax(scores)
        # What is lost, 1 - W, keeps its digits where the win is close to 1.
        miss = _missed(taxonomy, truth, below)
        lost = (p * miss).sum(axis=1)
        return lost - 1, p * (miss - lost[:, None])

    return by_blocks(taxonomy, compute, scores, truth)


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
    truth, scores = opened(taxonomy, truth, scores, "log_win", "flat_softmax")
    below = _below_finder(taxonomy)

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

    return by_blocks(taxonomy, compute, scores, truth)


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
    taxonomy.require_tree("loss 'coarse_ce'")
    tops = coarse_columns(taxonomy)
    width = len(tops), "one per child of the root"
    truth, scores = opened(taxonomy, truth, scores, "coarse_ce", None, above_root=False, width=width)

    def compute(scores, truth):
        return mass_nll(scores, taxonomy.is_ancestor(tops[None, :], truth[:, None]))

    return by_blocks(taxonomy, compute, scores, truth)


def coarse_columns(taxonomy):
    """Node of each column of `coarse_ce`: the children of the root, ascending."""
    return np.flatnonzero(taxonomy.parent == 0)


def ps_softmax(taxonomy, truth, scores):
    r"""Cross entropy of the leaf softmax whose logits are sums of scores along the path.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node; the mass of an inner node is the sum over the leaves below it.
    scores : ndarray, shape (n_samples, n_nodes - 1)
        Nodes 1, 2, ...: the root has no score.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    `flat_ce` of :math:`\beta_u = \sum_{v \in \text{path}(u)} \theta_v` [2]_.
    """
    truth, scores = opened(taxonomy, truth, scores, "ps_softmax", "ps_softmax")
    below = _below_finder(taxonomy)

    def compute(scores, truth):
        beta = _path_sums(taxonomy, scores)
        values, by_leaf = mass_nll(beta[:, taxonomy.leaves], below(truth))
        gradient = np.zeros_like(beta)
        gradient[:, taxonomy.leaves] = by_leaf
        return values, sum_up(taxonomy, gradient)[:, 1:]

    return by_blocks(taxonomy, compute, scores, truth)


def deep_rtc(taxonomy, truth, scores, *, cut=0.0, seed=0, drops=None):
    r"""Cross entropy on a random cut of the tree, with logits summed along the path (Deep RTC).

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Leaves.
    scores : ndarray, shape (n_samples, n_nodes - 1)
        Nodes 1, 2, ...: the root has no score. No temperature is applied here.
    cut : float
        In [0, 1]: probability with which each node but the root is dropped, independently per sample.
    seed : int or numpy.random.Generator
        Draws ``random((n_samples, n_nodes)) < cut``. An int gives the same drops on every call: pass a Generator to train.
    drops : ndarray of bool, shape (n_samples, n_nodes), optional
        The dropped nodes, in place of `cut`. The column of the root is not used.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the tree is cut to one node.
    gradient : ndarray of float, shape of `scores`

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, a truth is an inner node, or both `cut` and `drops` are given.

    Notes
    -----
    The cut nodes are what has no child left once everything below the dropped nodes is removed; a dropped node stays as a
    cut node. The loss is the cross entropy, over the cut nodes, of the one on the path to the truth, on
    :math:`\beta_u = \sum_{v \in \text{path}(u)} \theta_v` [2]_. Without drops it is `ps_softmax`.
    """
    cut = number(cut, "cut", 0, 1)
    truth, scores = opened(taxonomy, truth, scores, "deep_rtc", "deep_rtc", leaf_only=True)
    drops = None if drops is None else _checked_drops(drops, (len(scores), taxonomy.n_nodes), cut)
    generator = _generator(seed)

    def compute(scores, truth, *given):
        dropped = given[0] if given else generator.random((len(scores), taxonomy.n_nodes)) < cut
        inside, outside = _cut_nodes(taxonomy, truth, dropped)
        values, gradient = mass_nll(_path_sums(taxonomy, scores), inside, outside)
        return values, sum_up(taxonomy, gradient)[:, 1:]

    return by_blocks(taxonomy, compute, scores, truth, *([] if drops is None else [drops]))


# What they share -------------------------------------------------------------------------------------------------------


def mass_nll(scores, inside, outside=None):
    """-log of the share of the softmax mass that lies in `inside`, and its gradient by the scores.

    Parameters
    ----------
    scores : ndarray of float, shape (n, n_scores)
    inside, outside : ndarray of bool, shape (n, n_scores)
        Disjoint; `inside` is never empty. Scores in neither take no part. `outside` defaults to what is not inside.
    """
    log_in, within = _masked_softmax(scores, inside)
    log_out, without = _masked_softmax(scores, ~inside if outside is None else outside)
    odds = log_out - log_in
    return np.logaddexp(0, odds), sigmoid(odds)[:, None] * (without - within)


def _masked_softmax(scores, mask):
    """(log-sum-exp, softmax) of each row over the True entries; -inf and zeros where there is none."""
    chosen = np.where(mask, scores, -np.inf)
    top = chosen.max(axis=1)
    shift = np.where(np.isfinite(top), top, 0)
    chosen = np.exp(chosen - shift[:, None])
    total = chosen.sum(axis=1)
    chosen /= np.where(total > 0, total, 1)[:, None]
    with np.errstate(divide="ignore"):
        return np.log(total) + shift, chosen


def _log_softmax(scores):
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def _below_finder(taxonomy):
    """Function (truth) -> True where the leaf is at or below the truth, shape (n, n_leaves)."""
    if taxonomy.is_tree:
        return lambda truth: taxonomy.is_ancestor(truth[:, None], taxonomy.leaves[None, :])
    above = taxonomy.ancestors(taxonomy.leaves)
    column = np.repeat(np.arange(taxonomy.n_leaves), above.lengths)[np.argsort(above.nodes, kind="stable")]
    offsets = np.concatenate([[0], np.cumsum(taxonomy.n_leaves_below)])

    def below(truth):
        length = taxonomy.n_leaves_below[truth]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[truth] - ends + length, length)
        inside = np.zeros((len(truth), taxonomy.n_leaves), dtype=bool)
        inside[np.repeat(np.arange(len(truth)), length), column[place]] = True
        return inside

    return below


def _missed(taxonomy, truth, below):
    """1 - g of `raw_win`: what a unit of mass on each leaf loses, shape (n, n_leaves)."""
    shared = at_meeting(taxonomy, taxonomy.ancestors(truth), taxonomy.depth)[:, taxonomy.leaves]
    return np.where(below(truth), 0, np.exp2(-shared))


def _path_sums(taxonomy, scores):
    """Scores added along the path from the root, which has none, shape (n, n_nodes)."""
    beta = np.zeros((len(scores), taxonomy.n_nodes))
    beta[:, default_columns(taxonomy, "ps_softmax")] = scores
    return accumulate_down(taxonomy, beta, np.add)


def _cut_nodes(taxonomy, truth, dropped):
    """(cut nodes on the path to the truth, the other cut nodes), each True in shape (n, n_nodes)."""
    on_path = taxonomy.is_ancestor(np.arange(taxonomy.n_nodes)[None, :], truth[:, None])
    dropped[:, 0] = False
    cut = dropped | taxonomy.is_leaf
    gone = accumulate_down(taxonomy, dropped, np.logical_or)
    # What lies below a dropped node is gone; the root has no parent and stays as it is.
    cut[:, 1:] &= ~gone[:, taxonomy.parent[1:]]
    return cut & on_path, cut & ~on_path


def _generator(seed):
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise PredictionsError(
            f"seed: expected an int of at least 0 or a numpy Generator, got {seed!r}. Choose another."
        ) from None


def _checked_drops(drops, shape, cut):
    drops = np.asarray(drops)
    if cut:
        raise PredictionsError(f"deep_rtc: expected either cut or drops, got drops and cut={cut!r}. Pass one of them.")
    if drops.dtype != bool or drops.shape != shape:
        raise PredictionsError(
            f"drops: expected True or False of shape {shape} (samples, nodes), got {drops.dtype} of shape {drops.shape}. "
            "Pass one column per node, the root included."
        )
    return drops.copy()
