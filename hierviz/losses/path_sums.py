r"""Losses of softmaxes whose logits are sums of scores along the path: over the leaves, or over a cut of the tree.

Conventions
-----------
As in `hierviz.losses.softmax`; columns are nodes 1, 2, ...

Functions
---------
ps_softmax, deep_rtc

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

import numpy as np

from hierviz.losses._rows import below_finder, loss_function, mass_nll, number
from hierviz.messages.errors import PredictionsError
from hierviz.predictions.parametrisation import VALMADRE, default_columns
from hierviz.taxonomy.tree_sums import accumulate_down, sum_up


@loss_function(
    "Parameter-sharing softmax",
    "Flat cross entropy on scores added along the path, so that related classes share parameters.",
    r"-\log \sum_{\text{leaf } u \text{ below or at } y} \text{softmax}(\beta)_u, \quad "
    r"\beta_u = \sum_{v \in \text{path}(u)} \theta_v",
    f"{VALMADRE} (parameter sharing)",
    "ps_softmax",
)
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
    `flat_ce` of :math:`\beta_u = \sum_{v \in \text{path}(u)} \theta_v` [1]_.
    """
    below = below_finder(taxonomy)

    def compute(scores, truth):
        beta = _path_sums(taxonomy, scores)
        values, by_leaf = mass_nll(beta[:, taxonomy.leaves], below(truth))
        gradient = np.zeros_like(beta)
        gradient[:, taxonomy.leaves] = by_leaf
        return values, sum_up(taxonomy, gradient)[:, 1:]

    return compute


@loss_function(
    "Deep RTC",
    "Cross entropy over the classes of a random cut through the tree.",
    r"-\log \frac{e^{\beta_{c(y)}}}{\sum_{c \in \text{cut}} e^{\beta_c}}, \quad "
    r"\beta_c = \sum_{u \in \text{path}(c)} \theta_u",
    f"{VALMADRE} (Deep RTC)",
    "deep_rtc",
    leaf_truth_only=True,
    root_truth=False,
)
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
    :math:`\beta_u = \sum_{v \in \text{path}(u)} \theta_v` [1]_. Without drops it is `ps_softmax`.
    """
    cut = number(cut, "cut", 0, 1)
    drops = None if drops is None else _checked_drops(drops, (len(scores), taxonomy.n_nodes), cut)
    generator = _generator(seed)

    def compute(scores, truth, *given):
        dropped = given[0] if given else generator.random((len(scores), taxonomy.n_nodes)) < cut
        inside, outside = _cut_nodes(taxonomy, truth, dropped)
        values, gradient = mass_nll(_path_sums(taxonomy, scores), inside, outside)
        return values, sum_up(taxonomy, gradient)[:, 1:]

    return compute if drops is None else (compute, drops)


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
