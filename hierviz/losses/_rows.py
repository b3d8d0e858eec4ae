"""The arguments of every loss, checked once: truth, scores and keywords. Then rows are worked on in blocks.

Masses of a softmax: the share that lies in some of the entries, and which leaves are below a node.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.parametrisation import column_order, sigmoid
from hierviz.taxonomy.checks import check_truth_first
from hierviz.taxonomy.node_lists import distinct
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.taxonomy.tree_sums import accumulate_down

# A block has about this many node values (8 MB in float64): a handful of temporaries of this size stay cheap.
BLOCK_VALUES = 1_000_000


def opened(
    taxonomy, truth, scores, key, parametrisation, *, tree_only=True, leaf_only=False, above_root=True, width=None
):
    """Truth as ndarray of int and scores as float64, or the error that says what is wrong with them.

    Parameters
    ----------
    parametrisation : str
        Whose columns the scores have; `width` (n_scores, words) replaces it.
    leaf_only : bool
        True when the loss is defined for leaves only.
    above_root : bool
        False when a truth at the root has no loss.
    """
    if tree_only:
        taxonomy.require_tree(f"loss {key!r}")
    check_truth_first(truth, "scores")
    scores = _numbers(scores)
    if width is None:
        column_order(taxonomy, parametrisation, scores.shape[1])
    elif scores.shape[1] != width[0]:
        raise PredictionsError(
            f"scores: expected {width[0]} columns for {key} ({width[1]}), got {scores.shape[1]}. Check the taxonomy."
        )
    if isinstance(truth, NodeLists):
        raise PredictionsError(
            f"truth: expected one node per sample for {key}, got lists of nodes. Lists are defined for multilabel_bce, "
            "multilabel_focal, conditional_sigmoid and champ."
        )
    truth = _nodes(taxonomy, truth)
    _same_length(scores, truth)
    if leaf_only:
        _refuse(taxonomy, truth, ~taxonomy.is_leaf[truth], f"leaves for {key}", "Leave these samples out.")
    if not above_root:
        _refuse(taxonomy, truth, truth == 0, f"nodes below the root for {key}", "Leave these samples out.")
    return truth, scores


def opened_sets(taxonomy, truth, scores, key, parametrisation, *, tree_only=True, leaf_only=False, may_be_empty=True):
    """As `opened` for losses of label sets: truth as NodeLists closed under ancestors, the root included."""
    several = isinstance(truth, NodeLists)
    if not several:
        nodes, scores = opened(
            taxonomy,
            truth,
            scores,
            key,
            parametrisation,
            tree_only=tree_only,
            leaf_only=leaf_only,
            above_root=may_be_empty,
        )
        return taxonomy.ancestors(nodes), scores
    if tree_only:
        taxonomy.require_tree(f"loss {key!r}")
    check_truth_first(truth, "scores")
    scores = _numbers(scores)
    column_order(taxonomy, parametrisation, scores.shape[1])
    _same_length(scores, truth)
    rows = np.repeat(np.arange(len(truth)), truth.lengths)
    paths = taxonomy.ancestors(_nodes(taxonomy, truth.nodes))
    # One pair per sample for the root, so that an empty list is the set of the root alone.
    pairs = distinct(
        np.concatenate(
            [np.arange(len(truth)) * taxonomy.n_nodes, np.repeat(rows, paths.lengths) * taxonomy.n_nodes + paths.nodes]
        )
    )
    rows, nodes = np.divmod(pairs, taxonomy.n_nodes)
    length = np.bincount(rows, minlength=len(truth))
    empty = np.flatnonzero(length == 1)
    if len(empty) and not may_be_empty:
        raise PredictionsError(
            f"truth: expected a node below the root in every list for {key}, got none in rows {listed(empty.tolist())}. "
            "Leave these samples out."
        )
    return NodeLists(np.concatenate([[0], np.cumsum(length)]), nodes), scores


def number(value, name, low, high=np.inf, *, open_low=False):
    """`value` as float when it is a finite number from `low` to `high`, else a PredictionsError."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and low <= number <= high):
        span = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of at least {low:g}"
        raise PredictionsError(f"{name}: expected a number {span}, got {value!r}. Choose one in that range.")
    return number


def choice(value, name, known):
    """`value` when it is one of `known`, else a PredictionsError that lists them."""
    if not isinstance(value, str) or value not in known:
        raise PredictionsError(f"{name}: expected one of {', '.join(known)}, got {value!r}. Choose one of them.")
    return value


def by_blocks(taxonomy, compute, scores, *per_row):
    """(values, gradient) of `compute(scores, *per_row)`, called on blocks of rows."""
    values, gradient = np.empty(len(scores)), np.empty(scores.shape)
    step = max(1, BLOCK_VALUES // taxonomy.n_nodes)
    for first in range(0, len(scores), step):
        rows = np.arange(first, min(first + step, len(scores)))
        block = slice(first, first + step)
        parts = (part.take(rows) if isinstance(part, NodeLists) else part[block] for part in per_row)
        values[block], gradient[block] = compute(scores[block], *parts)
    return values, gradient


# Arrays over (samples, nodes) that start from the true path ------------------------------------------------------------


def entries(lists):
    """(row, node) of every entry of NodeLists."""
    return np.repeat(np.arange(len(lists)), lists.lengths), lists.nodes


def indicator(taxonomy, lists):
    """True where the node is in the sample's list, shape (n_samples, n_nodes)."""
    inside = np.zeros((len(lists), taxonomy.n_nodes), dtype=bool)
    inside[entries(lists)] = True
    return inside


def at_meeting(taxonomy, lists, values):
    """`values` at the lowest member of each sample's list on the way from a node to the root, shape (n_samples, n_nodes).

    For a list that is one path this is the value at the lowest common ancestor with the truth. `values` (n_nodes,) is 0
    at the root, in every list, and never falls from parent to child; a tree.
    """
    met = np.zeros((len(lists), taxonomy.n_nodes))
    row, node = entries(lists)
    met[row, node] = values[node]
    return accumulate_down(taxonomy, met, np.maximum)


def _numbers(scores):
    try:
        scores = np.asarray(scores)
        if scores.dtype.kind not in "fiub":
            raise ValueError
        scores = scores.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise PredictionsError(
            "scores: expected an array of real numbers, got something else. Pass raw model outputs."
        ) from None
    if scores.ndim != 2:
        raise PredictionsError(f"scores: expected two axes (samples, scores), got shape {scores.shape}. Reshape them.")
    if not np.isfinite(scores).all():
        row, column = np.argwhere(~np.isfinite(scores))[0]
        raise PredictionsError(
            f"scores: expected finite numbers, got {scores[row, column]} in row {row}, column {column}. "
            "Check the model, or leave these samples out."
        )
    return scores


def _nodes(taxonomy, nodes):
    nodes = np.asarray(nodes)
    if nodes.ndim != 1 or (nodes.dtype.kind not in "iu" and nodes.size):
        raise PredictionsError(
            f"truth: expected one node number per sample, got {nodes.dtype} of shape {nodes.shape}. "
            "Use Taxonomy.nodes to look names up."
        )
    nodes = nodes.astype(np.intp)
    bad = nodes[(nodes < 0) | (nodes >= taxonomy.n_nodes)]
    if len(bad):
        raise PredictionsError(
            f"truth: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {listed(bad.tolist())}. "
            "Leave out samples whose truth is not known."
        )
    return nodes


def _same_length(scores, truth):
    if len(scores) != len(truth):
        raise PredictionsError(
            f"truth: expected {len(scores)} values (one per row of scores), got {len(truth)}. Align the rows."
        )


def _refuse(taxonomy, truth, bad, expected, advice):
    if bad.any():
        names = dict.fromkeys(taxonomy.names[node] for node in truth[bad].tolist())
        raise PredictionsError(
            f"truth: expected {expected}, got {listed(names)} in {int(bad.sum())} of {len(truth)} rows. {advice}"
        )


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


def below_finder(taxonomy):
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
