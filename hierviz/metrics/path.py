r"""Metrics of one predicted node against one true node, by information and by depth.

Conventions
-----------
`truth` and `predicted` are node numbers of shape (n_samples,), -1 in `predicted` being an answer outside the taxonomy; results
are per sample. With a value v, bits of information or depth in edges,

    shared = v(lca),  claimed = v(predicted),  due = v(truth),

    precision = shared / claimed,  recall = shared / due,  F1 = their harmonic mean,
    dist = claimed + due - 2 shared,  excess = claimed - shared,  deficient = due - shared.

0/0 is 1: predicting the root claims nothing and is not wrong. A prediction below the truth is first replaced by the
truth (truncation) unless ``truncated=False``: answers below the truth are not penalised. Trees only.

Functions
---------
truncate, path_metrics, mean_path_metrics, PARTS

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.messages.errors import PredictionsError, listed
from hierviz.metrics.node_pairs import NodePairs
from hierviz.metrics.node_pairs import truncated as truncated_at
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_taxonomy, one_each
from hierviz.taxonomy.node_lists import counted
from hierviz.taxonomy.taxonomy import Taxonomy

# Parts of the metrics by information and by depth, which `path_metrics` returns with them.
PARTS = tuple(f"{prefix}_{what}" for prefix in ("info", "depth") for what in ("excess", "deficient", "lca"))


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
    return truncated_at(truth, predicted, lowest_common_ancestors(taxonomy, truth, predicted))


def path_metrics(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    predicted: ArrayLike,
    *,
    truncated: bool = True,
    common: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """All metrics of an answer against the truth, of each sample.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    truth, predicted : ndarray of int, shape (n_samples,)
        Node numbers; inner nodes and the root are allowed. -1 in `predicted` is an answer outside the taxonomy: one claimed leaf
        below the root that is never true.
    truncated : bool
        Replace a prediction below the truth by the truth first. Without it ``correct`` is still 1 there, and precision
        is not.
    common : ndarray of int, shape (n_samples,), optional
        Lowest common ancestors, where they are known already.

    Returns
    -------
    dict of str to ndarray of float, shape (n_samples,)
        The keys of `hierviz.metrics.registry.path_keys`, whose range, unit and direction are in `METRICS`, and `PARTS`:
        ``info_*`` in bits and ``depth_*`` in edges, >= 0.

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
    pairs = node_pairs(taxonomy, truth, predicted, truncated=truncated, common=common)
    metrics = _of_pairs(pairs)
    for prefix, values in (("info", pairs.information), ("depth", pairs.depth)):
        parts = {"excess": values.excess, "deficient": values.deficient, "lca": values.shared}
        metrics |= {f"{prefix}_{what}": part for what, part in parts.items()}
    return metrics


def mean_path_metrics(
    taxonomy: Taxonomy,
    truth: np.ndarray,
    predicted: np.ndarray,
    numbers: Callable[..., Mapping[str, Any]] | None = None,
) -> dict[str, float]:
    """Means over samples, at least one, of the metrics `path_keys`, or of other `numbers` of an answer against the truth.

    Arguments and errors are those of `path_metrics`. Samples with the same truth and answer have the same numbers, which are
    worked out once.
    """
    truth, predicted = checked_nodes(taxonomy, truth, predicted)
    # An answer outside the taxonomy is one node more.
    n_nodes = taxonomy.n_nodes + 1
    pairs, count = counted(truth.astype(np.intp, copy=False) * n_nodes + predicted + 1, n_nodes**2)
    different = taxonomy, pairs // n_nodes, pairs % n_nodes - 1
    of_pairs = _of_pairs(node_pairs(*different)) if numbers is None else numbers(*different)
    return {key: float((values * count).sum() / len(truth)) for key, values in of_pairs.items()}


def _of_pairs(pairs):
    return {key: METRICS[key].function(pairs) for key in path_keys()}


def node_pairs(
    taxonomy: Taxonomy,
    truth: ArrayLike,
    predicted: ArrayLike,
    *,
    truncated: bool = True,
    common: np.ndarray | None = None,
) -> NodePairs:
    """The NodePairs that the path metrics are functions of; arguments and errors as in `path_metrics`."""
    truth, answered = checked_nodes(taxonomy, truth, predicted)
    common = lowest_common_ancestors(taxonomy, truth, answered) if common is None else common
    predicted = truncated_at(truth, answered, common) if truncated else answered
    return NodePairs(taxonomy, truth, predicted, common, answered)


def checked_nodes(taxonomy: Taxonomy, truth: object, predicted: object) -> tuple[np.ndarray, np.ndarray]:
    """`truth` and `predicted` as arrays; an error unless this is a tree and both hold one node number a sample."""
    check_taxonomy(taxonomy)
    taxonomy.require_tree("path metrics")
    truth, predicted = one_each("truth", truth), one_each("predicted", predicted)
    if truth.shape != predicted.shape or truth.ndim != 1:
        raise PredictionsError(
            f"truth and predicted: expected two arrays of one length, got shapes {truth.shape} and {predicted.shape}. Align them."
        )
    for what, nodes, lowest in (("truth", truth, 0), ("predicted", predicted, -1)):
        check_nodes(taxonomy, what, nodes, lowest)
    return truth, predicted


def check_nodes(taxonomy, what, nodes, lowest=0):
    """Raise a PredictionsError unless all of `nodes` are node numbers, or from `lowest` up, where -1 is a label outside."""
    if not len(nodes):
        return
    is_number = nodes.dtype.kind in "iuf"
    if nodes.dtype.kind not in "iu" or nodes.min() < lowest or nodes.max() >= taxonomy.n_nodes:
        got = f"{nodes.min()} to {nodes.max()} ({nodes.dtype})" if is_number else listed(nodes.ravel().tolist(), 2)
        raise PredictionsError(
            f"{what}: expected node numbers from 0 to {taxonomy.n_nodes - 1}{', or -1 (outside the taxonomy)' * (lowest < 0)}, "
            f"got {got}. "
            "Use Taxonomy.nodes to look names up."
        )
