r"""Metrics of one predicted node against one true node, by information and by depth.

Conventions
-----------
`truth` and `predicted` are node numbers of shape (n_samples,); results are per sample. With a value v, bits of
information or depth in edges,

    shared = v(lca),  claimed = v(predicted),  due = v(truth),

    precision = shared / claimed,  recall = shared / due,  F1 = their harmonic mean,
    dist = claimed + due - 2 shared,  excess = claimed - shared,  deficient = due - shared.

0/0 is 1: predicting the root claims nothing and is not wrong. A prediction below the truth is first replaced by the
truth (truncation) unless ``truncated=False``: being finer than the truth is not judged. Trees only.

Functions
---------
truncate, path_metrics, PATH_KEYS

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import numpy as np

from hierviz.errors import PredictionsError

PATH_KEYS = (
    "exact",
    "correct",
    *(
        f"{value}_{what}"
        for value in ("info", "depth")
        for what in ("precision", "recall", "f1", "dist", "excess", "deficient", "lca")
    ),
)


def truncate(taxonomy, truth, predicted):
    """`predicted`, replaced by the truth where it lies below the truth.

    Parameters
    ----------
    taxonomy : Taxonomy
    truth, predicted : ndarray of int, shape (n_samples,)

    Returns
    -------
    ndarray of int, shape (n_samples,)
    """
    truth, predicted = checked_nodes(taxonomy, truth, predicted)
    return np.where(taxonomy.is_ancestor(truth, predicted), truth, predicted)


def path_metrics(taxonomy, truth, predicted, *, truncated=True):
    """All sixteen tree metrics of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth, predicted : ndarray of int, shape (n_samples,)
        Node numbers; inner nodes and the root are allowed.
    truncated : bool
        Replace a prediction below the truth by the truth first. Without it ``correct`` is still 1 there, and precision
        is not.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        `PATH_KEYS`: ``exact`` and ``correct`` are 0 or 1; precision, recall and F1 are in [0, 1], higher is better;
        ``info_dist``, ``info_excess``, ``info_deficient`` are bits and ``depth_*`` edges, >= 0, lower is better.

    Raises
    ------
    PredictionsError
        If the lengths differ or a value is not a node number.
    TaxonomyError
        If the taxonomy is not a tree.

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> values = path_metrics(taxonomy, taxonomy.nodes("cat", "cat"), taxonomy.nodes("dog", "mammal"))
    >>> values["depth_precision"], values["depth_recall"]
    (array([0.5, 1. ]), array([0.5, 0.5]))
    """
    truth, predicted = checked_nodes(taxonomy, truth, predicted)
    common = taxonomy.lca(truth, predicted)
    if truncated:
        predicted = np.where(common == truth, truth, predicted)
    found = {
        "exact": (predicted == truth).astype(float),
        "correct": ((common == predicted) | (common == truth)).astype(float),
    }
    for name, value in (("info", taxonomy.information), ("depth", taxonomy.depth.astype(float))):
        shared, claimed, due = value[common], value[predicted], value[truth]
        precision, recall = ratio(shared, claimed), ratio(shared, due)
        found[f"{name}_precision"], found[f"{name}_recall"] = precision, recall
        found[f"{name}_f1"] = harmonic_mean(precision, recall)
        found[f"{name}_excess"], found[f"{name}_deficient"] = claimed - shared, due - shared
        found[f"{name}_dist"] = found[f"{name}_excess"] + found[f"{name}_deficient"]
        found[f"{name}_lca"] = shared
    return {key: found[key] for key in PATH_KEYS}


def ratio(part, whole, empty=1.0):
    """part / whole, `empty` where whole is 0."""
    whole = np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, float(empty)), where=whole != 0)


def harmonic_mean(precision, recall):
    """2PR / (P + R), 0 where both are 0."""
    return ratio(2 * precision * recall, np.asarray(precision + recall), empty=0.0)


def checked_nodes(taxonomy, truth, predicted):
    """`truth` and `predicted` as arrays; an error unless this is a tree and both hold one node number a sample."""
    taxonomy.require_tree("path metrics")
    truth, predicted = np.asarray(truth), np.asarray(predicted)
    if truth.shape != predicted.shape or truth.ndim != 1:
        raise PredictionsError(
            f"truth and predicted: expected two arrays of one length, got shapes {truth.shape} and {predicted.shape}. Align them."
        )
    for what, nodes in (("truth", truth), ("predicted", predicted)):
        check_nodes(taxonomy, what, nodes)
    return truth, predicted


def check_nodes(taxonomy, what, nodes):
    """Raise a PredictionsError unless all of `nodes` are node numbers."""
    if len(nodes) and (
        not np.issubdtype(nodes.dtype, np.integer) or nodes.min() < 0 or nodes.max() >= taxonomy.n_nodes
    ):
        raise PredictionsError(
            f"{what}: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {nodes.min()} to {nodes.max()} "
            f"({nodes.dtype}). Use Taxonomy.nodes to look names up."
        )
