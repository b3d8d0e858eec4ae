r"""Losses of a softmax within each family of siblings, multiplied along the path.

Conventions
-----------
As in `hierviz.losses.softmax`. Conditional-softmax columns are grouped by parent; r_u is the probability of node u given
its parent. A family is all children of one node; an only child has r = 1 and neither loss nor gradient.

Functions
---------
conditional_softmax, conditional_softmax_la, hxe, train_shares

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] R. Plaud et al., Revisiting hierarchical text classification: inference and metrics, CoNLL 2024.
.. [3] L. Bertinetto et al., Making better mistakes: leveraging class hierarchies with deep networks, CVPR 2020.
"""

import numpy as np

from hierviz.losses._rows import PLAUD, indicator, loss_function, number
from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.parametrisation import VALMADRE, default_columns, family_runs


@loss_function(
    "Conditional softmax likelihood",
    "Minus the log of the probability of the truth, a product of softmaxes among siblings along its path.",
    r"-\log p_y = -\sum_{u \in A(y)} \log r_u",
    f"{VALMADRE} (conditional softmax); {PLAUD}",
    "conditional_softmax",
)
def conditional_softmax(taxonomy, truth, scores, *, smoothing=0.0):
    r"""Negative log-likelihood of the truth under a softmax within each family.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node.
    scores : ndarray, shape (n_samples, n_nodes - 1)
        Grouped by parent, the order of `default_columns`.
    smoothing : float
        In [0, 1]: share of the weight that is spread over the tree by the number of leaves below.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root and there is no smoothing.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \sum_{u} -w_u \log r_u, \qquad w_u = (1 - \varepsilon) [u \in A(y)] + \varepsilon L(u) / L

    over the nodes without the root, where :math:`A(y)` is the path to the truth and :math:`L(u)` counts the leaves at or
    below :math:`u` [1]_. Without smoothing it is :math:`-\log p_y`, and families off the path have no gradient.
    """
    smoothing = number(smoothing, "smoothing", 0, 1)
    columns, families = default_columns(taxonomy, "conditional_softmax"), family_runs(taxonomy)
    spread = smoothing * (taxonomy.n_leaves_below / taxonomy.n_leaves)[columns]

    def compute(scores, truth):
        weights = (1 - smoothing) * indicator(taxonomy.ancestors(truth), taxonomy.n_nodes)[:, columns] + spread
        return _weighted_nll(scores, weights, families)[:2]

    return compute


@loss_function(
    "Conditional softmax, logit adjusted",
    "As the conditional softmax, with logits shifted by the log frequency of the siblings, so that rare ones are learnt.",
    r"-\sum_{u \in A(y)} \log \frac{e^{\theta_u + \tau \log \nu_u}}{\sum_{v} e^{\theta_v + \tau \log \nu_v}}",
    f"{PLAUD} (logit adjustment)",
    "conditional_softmax",
)
def conditional_softmax_la(taxonomy, truth, scores, *, tau=1.0, counts=None):
    r"""`conditional_softmax` on logits adjusted by how often each node occurs in training.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node.
    scores : ndarray, shape (n_samples, n_nodes - 1)
        Grouped by parent, unadjusted: the adjustment is part of the loss only [2]_.
    tau : float
        At least 0: strength of the adjustment; 0 gives `conditional_softmax`.
    counts : ndarray, shape (n_nodes,), optional
        Training samples that carry each node, inner nodes included; 0 counts as 1. Default: the node attribute
        ``train_count`` of the taxonomy.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root.
    gradient : ndarray of float, shape of `scores`

    Raises
    ------
    PredictionsError
        If shapes or values do not fit, or there are no counts.

    Notes
    -----
    .. math:: -\sum_{u \in A(y)} \log \frac{e^{\theta_u + \tau \log \nu_u}}{\sum_{v \text{ sibling of or } u}
              e^{\theta_v + \tau \log \nu_v}}

    where :math:`\nu_u` is the share of :math:`u` in the counts of its family [2]_.
    """
    tau = number(tau, "tau", 0)
    columns, families = default_columns(taxonomy, "conditional_softmax"), family_runs(taxonomy)
    adjustment = tau * np.log(train_shares(taxonomy, counts)[columns])

    def compute(scores, truth):
        weights = indicator(taxonomy.ancestors(truth), taxonomy.n_nodes)[:, columns].astype(np.float64)
        return _weighted_nll(scores + adjustment, weights, families)[:2]

    return compute


def train_shares(taxonomy, counts=None):
    """Share of every node in the training counts of its family, shape (n_nodes,); 1 at the root.

    `counts` as in `conditional_softmax_la`.
    """
    if counts is None:
        counts = taxonomy.attributes.get("train_count")
        if counts is None:
            raise PredictionsError(
                "counts: expected the training samples of every node, got none. Pass counts, or give the taxonomy a node "
                "attribute 'train_count'."
            )
    try:
        counts = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise PredictionsError(
            f"counts: expected one number per node, got {listed(counts)}. Pass numbers of training samples."
        ) from None
    if counts.shape != (taxonomy.n_nodes,):
        raise PredictionsError(
            f"counts: expected shape {(taxonomy.n_nodes,)} (one per node, the root included), got {counts.shape}. "
            "Count inner nodes too."
        )
    counts[0] = 1
    bad = np.flatnonzero(~((counts >= 0) & np.isfinite(counts)))
    if len(bad):
        raise PredictionsError(
            f"counts: expected numbers of at least 0, got {counts[bad[0]]} at {taxonomy.names[bad[0]]!r}. "
            "Pass numbers of training samples."
        )
    counts[counts == 0] = 1
    family = np.bincount(taxonomy.parent[1:], weights=counts[1:], minlength=taxonomy.n_nodes)
    counts[1:] /= family[taxonomy.parent[1:]]
    return counts


@loss_function(
    "Hierarchical cross entropy (HXE)",
    "Weighted sum of the cross entropies of the steps along the true path; deeper steps weigh less.",
    r"\sum_{u \in A(y)} -e^{-\alpha(\text{depth}(u) - 1)} \log \frac{p_u}{p_{\text{parent}(u)}}",
    f"Bertinetto et al., CVPR 2020; {VALMADRE}",
    "flat_softmax",
)
def hxe(taxonomy, truth, scores, *, alpha=0.1, parametrisation="flat_softmax"):
    r"""Hierarchical cross entropy: the steps of the path cost less the deeper they are.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth : ndarray of int, shape (n_samples,)
        Any node.
    scores : ndarray, shape (n_samples, n_scores)
        Columns of `parametrisation`.
    alpha : float
        At least 0; 0 gives -log p of the truth.
    parametrisation : str
        'flat_softmax' or 'conditional_softmax'.

    Returns
    -------
    values : ndarray of float, shape (n_samples,)
        In [0, inf), nats, lower is better; 0 where the truth is the root.
    gradient : ndarray of float, shape of `scores`

    Notes
    -----
    .. math:: \sum_{u \in A(y)} -e^{-\alpha (\text{depth}(u) - 1)} \log \frac{p_u}{p_{\text{parent}(u)}}

    over the path to the truth without the root [1]_, [3]_. A flat softmax is a conditional softmax whose scores are the
    log-sum-exp of the leaves below each node, so no small probability is ever divided by another.
    """
    alpha = number(alpha, "alpha", 0)
    columns, families = default_columns(taxonomy, "conditional_softmax"), family_runs(taxonomy)
    decay = np.exp(-alpha * (taxonomy.depth[columns] - 1))

    def compute(scores, truth):
        weights = indicator(taxonomy.ancestors(truth), taxonomy.n_nodes)[:, columns] * decay
        if parametrisation == "conditional_softmax":
            return _weighted_nll(scores, weights, families)[:2]
        own = np.full((len(scores), taxonomy.n_nodes), -np.inf)
        own[:, taxonomy.leaves] = scores
        values, by_node, r = _weighted_nll(subtree_logsumexp(taxonomy, own)[:, columns], weights, families)
        return values, _to_leaves(taxonomy, columns, by_node, r)

    return compute


def subtree_logsumexp(taxonomy, scores):
    """Log-sum-exp of the scores at and below every node of a tree, in place, shape (n_samples, n_nodes).

    Leaves are finite; inner nodes without a score of their own hold -inf.
    """
    for nodes, start, parents in reversed(taxonomy.families):
        below = scores[:, nodes]
        top = np.maximum.reduceat(below, start, axis=1)
        below = np.exp(below - np.repeat(top, np.diff(np.append(start, len(nodes))), axis=1))
        scores[:, parents] = np.logaddexp(scores[:, parents], top + np.log(np.add.reduceat(below, start, axis=1)))
    return scores


def _weighted_nll(scores, weights, families):
    """Sum of -weight log r, its gradient with respect to the scores, and r; columns grouped by parent."""
    start, length = families
    log_r = scores - np.repeat(np.maximum.reduceat(scores, start, axis=1), length, axis=1)
    r = np.exp(log_r)
    total = np.add.reduceat(r, start, axis=1)
    log_r -= np.repeat(np.log(total), length, axis=1)
    r /= np.repeat(total, length, axis=1)
    # 0 - x, not -x: a zero loss is 0, not -0.
    values = 0 - (weights * log_r).sum(axis=1)
    return values, np.repeat(np.add.reduceat(weights, start, axis=1), length, axis=1) * r - weights, r


def _to_leaves(taxonomy, columns, by_node, r):
    """Gradient by leaf scores from the gradient by the log-sum-exp of every node: each passes its share to its children."""
    passed, share = (np.zeros((len(r), taxonomy.n_nodes)) for _ in range(2))
    passed[:, columns], share[:, columns] = by_node, r
    for nodes, _, _ in taxonomy.families:
        passed[:, nodes] += passed[:, taxonomy.parent[nodes]] * share[:, nodes]
    return passed[:, taxonomy.leaves]
