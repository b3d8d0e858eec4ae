r"""Training losses for hierarchical classifiers, in torch.

Conventions: `scores` is float (n, n_scores), `truth` int (n,) holds node numbers, each function returns one loss per
sample, (n,), in nats, lower is better. A(y) is y with all its ancestors, A'(y) the same without the root. Columns: one
per leaf, one per node without the root, or one per node, in node order; only `conditional_softmax` groups them by parent
(`Tree.grouped_by_parent`). Inner-node truths are allowed unless a function says otherwise.

flat_ce, conditional_softmax, conditional_sigmoid, multilabel_bce, ps_softmax, soft_max_margin, soft_max_descendant, log_win,
raw_win

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022, arXiv 2210.10929.
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, PLOS ONE
   14(12), 2019, arXiv 1709.01062.
"""

from functools import lru_cache

import numpy as np
import torch
from torch.nn import functional as F


@lru_cache(maxsize=8)
def _table(tree, name, dtype):
    """A tree's array as a tensor of that type, made once."""
    made = {
        "leaf_below": lambda: tree.contains[:, tree.leaves],
        "on_path": lambda: tree.contains.T[:, 1:],
        "path_sum": lambda: tree.contains[1:, tree.leaves],
        "off_path": lambda: ~tree.contains.T,
        "judged": lambda: tree.contains.T[:, tree.parent[1:]],
        "log_share": lambda: _log_win_of_leaf(tree),
        "share": lambda: np.exp(_log_win_of_leaf(tree)),
        "path_share": lambda: tree.contains.T / tree.contains[:, tree.leaves].sum(1),
        "rivals": lambda: ~(tree.contains | tree.contains.T) | np.eye(len(tree), dtype=bool),
    }
    return torch.from_numpy(np.ascontiguousarray(made[name]())).to(dtype)


def _log_win_of_leaf(tree):
    """Log of the rescaled win of all mass on leaf j when node i is the truth; (n_nodes, n_leaves), at most 0, -inf for none."""
    weight = np.where(tree.contains.T, 0.5 ** tree.depth[None, :], 0.0)
    weight[:, 0] = 0.0
    weight[np.arange(len(tree)), np.arange(len(tree))] += 0.5**tree.depth
    win = weight @ tree.contains[:, tree.leaves]
    return np.log(win, where=win > 0, out=np.full(win.shape, -np.inf))


def flat_ce(tree, scores, truth):
    r"""-log of the softmax mass below the truth: cross-entropy at a leaf, [1]_ flat NLL at an inner node."""
    below = _table(tree, "leaf_below", torch.bool)[truth]
    return scores.logsumexp(1) - scores.masked_fill(~below, -torch.inf).logsumexp(1)


def ps_softmax(tree, scores, truth):
    r"""Parameter sharing [1]_: a leaf's score is the sum of the scores on its path (root without one), then `flat_ce`."""
    return flat_ce(tree, scores @ _table(tree, "path_sum", scores.dtype), truth)


def conditional_softmax(tree, scores, truth):
    r"""-log q_y, where q is the product along the path of softmaxes over siblings [1]_. Columns grouped by parent."""
    node = tree.grouped_by_parent
    on_path = _table(tree, "on_path", scores.dtype)[truth][:, torch.from_numpy(node - 1)]
    log_conditional = torch.cat(
        [
            scores[:, torch.from_numpy(np.flatnonzero(tree.parent[node] == parent))].log_softmax(1)
            for parent in np.unique(tree.parent[node])
        ],
        dim=1,
    )
    return -(log_conditional * on_path).sum(1)


def conditional_sigmoid(tree, scores, truth):
    r"""Sum of binary cross-entropies over all nodes whose parent lies in A(y) [1]_. Leaf truths only."""
    judged = _table(tree, "judged", scores.dtype)[truth]
    loss = F.binary_cross_entropy_with_logits(scores, _table(tree, "on_path", scores.dtype)[truth], reduction="none")
    return (loss * judged).sum(1)


def multilabel_bce(tree, scores, truth):
    r"""Sum of binary cross-entropies over all nodes but the root, target 1 on A'(y) ([1]_, focal loss with gamma 0)."""
    return F.binary_cross_entropy_with_logits(
        scores, _table(tree, "on_path", scores.dtype)[truth], reduction="none"
    ).sum(1)


def soft_max_margin(tree, scores, truth, tau=1.0):
    r"""log sum_v exp(theta_v + tau [v not in A(y)]) - theta_y over all nodes, root included [1]_.

    The paper takes tau = 5; the demo is trained with 1.
    """
    return (scores + tau * _table(tree, "off_path", scores.dtype)[truth]).logsumexp(1) - scores.gather(
        1, truth[:, None]
    )[:, 0]


def log_win(tree, scores, truth):
    r"""-ln W, where W = sum over u in A'(y) of 2^-depth(u) v(u), plus 2^-depth(y) v(y), v(u) the softmax mass below u [2]_."""
    return scores.logsumexp(1) - (scores + _table(tree, "log_share", scores.dtype)[truth]).logsumexp(1)


def raw_win(tree, scores, truth):
    r"""-W, with W as in `log_win` [2]_."""
    return -(scores.softmax(1) * _table(tree, "share", scores.dtype)[truth]).sum(1)


def soft_max_descendant(tree, scores, truth):
    r"""Sum over u in A(y) of 1 / L(u) times -log of the softmax of u among itself and the nodes unrelated to it [1]_.

    L(u) is the number of leaves below u; unrelated are nodes neither above nor below it.
    """
    rivals = scores[:, None, :].masked_fill(~_table(tree, "rivals", torch.bool), -torch.inf).logsumexp(2)
    return ((rivals - scores) * _table(tree, "path_share", scores.dtype)[truth]).sum(1)
