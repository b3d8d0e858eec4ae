"""Node probabilities of the demo models, and the numbers of their model card.

Conventions: `p` is float64 (n, n_nodes); `truth` int (n,) holds node numbers. Written apart from `hierviz`, from the
same definitions, so that each can check the other.
"""

import numpy as np


def _softmax(scores):
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _sigmoid(scores):
    return 0.5 * (1 + np.tanh(0.5 * scores))


def _along_path(tree, conditional):
    """Product along the path of (n, n_nodes - 1) conditionals, node order."""
    p = np.ones((len(conditional), len(tree)))
    for node in range(1, len(tree)):
        p[:, node] = p[:, tree.parent[node]] * conditional[:, node - 1]
    return p


def node_probabilities(tree, scores, parametrisation):
    """Probability of every node, (n, n_nodes), from scores whose columns are in the order of this parametrisation."""
    scores = np.asarray(scores, np.float64)
    if parametrisation == "flat_softmax":
        return _softmax(scores) @ tree.contains[:, tree.leaves].T
    if parametrisation == "ps_softmax":
        return _softmax(scores @ tree.contains[1:, tree.leaves]) @ tree.contains[:, tree.leaves].T
    if parametrisation == "softmax_all_nodes":
        return _softmax(scores) @ tree.contains.T
    if parametrisation == "multilabel_sigmoid":
        return np.concatenate([np.ones((len(scores), 1)), _sigmoid(scores)], axis=1)
    if parametrisation == "conditional_sigmoid":
        return _along_path(tree, _sigmoid(scores))
    if parametrisation == "conditional_softmax":
        node = tree.grouped_by_parent
        conditional = np.empty_like(scores)
        for parent in np.unique(tree.parent[node]):
            family = tree.parent[node] == parent
            conditional[:, node[family] - 1] = _softmax(scores[:, family])
        return _along_path(tree, conditional)
    raise ValueError(f"no parametrisation {parametrisation!r}")


def best_leaf(tree, p):
    """The most probable leaf, int (n,)."""
    return tree.leaves[p[:, tree.leaves].argmax(1)]


def majority(tree, p):
    """The most informative node with p > 1/2, the more probable of equals, int (n,)."""
    candidate = p > 0.5
    information = np.where(candidate, tree.information, -1.0)
    best = information.max(1, keepdims=True)
    return np.where(candidate & (information == best), p, -1.0).argmax(1)


def measures(tree, p, truth):
    """The columns of the model card for one model, all means over samples.

    Returns
    -------
    dict of float
        leaf_right: the most probable leaf is the truth, samples with leaf truths only (share, higher is better).
        top_level_wrong: best leaf and truth lie below different children of the root, all samples (share, lower is better).
        height: edges from the truth up to the last common ancestor with the best leaf, leaf truths, mistakes only
        (edges, lower is better).
        correct: the majority node is the truth or an ancestor of it or lies below it, all samples (share, higher is better).
        info_recall: bits of what the majority node shares with the truth, over bits of the truth, all samples
        (share, higher is better).
    """
    leaf, on_leaves = best_leaf(tree, p), tree.is_leaf[truth]
    meet = tree.lowest_common_ancestor(truth, leaf)
    missed = on_leaves & (leaf != truth)
    predicted = majority(tree, p)
    shared = tree.lowest_common_ancestor(truth, predicted)
    return {
        "leaf_right": float((leaf == truth)[on_leaves].mean()),
        "top_level_wrong": float((meet == 0).mean()),
        "height": float((tree.depth[truth] - tree.depth[meet])[missed].mean()),
        "correct": float(((shared == predicted) | (shared == truth)).mean()),
        "info_recall": float((tree.information[shared] / tree.information[truth]).mean()),
    }


def only_one_right(tree, p, other, truth):
    """How often the best leaf of `p` is right where that of `other` is wrong, and the reverse; leaf truths."""
    on_leaves = tree.is_leaf[truth]
    right, other_right = ((best_leaf(tree, q) == truth)[on_leaves] for q in (p, other))
    return int((right & ~other_right).sum()), int((~right & other_right).sum())
