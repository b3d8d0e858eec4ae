"""What a loss is, and what the losses share: checks of truth and scores, blocks of rows, masses of a softmax."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Described
from hierviz.predictions.parametrisation import column_order, default_columns, sigmoid
from hierviz.taxonomy.checks import check_one_of, check_truth_first
from hierviz.taxonomy.node_lists import distinct, group
from hierviz.taxonomy.taxonomy import NodeLists
from hierviz.taxonomy.tree_sums import accumulate_down

WU = "Wu, Tygert & LeCun, 2019"

PLAUD = "Plaud et al., CoNLL 2024"
# A block has about this many node values (8 MB in float64): a handful of temporaries of this size stay cheap.
BLOCK_VALUES = 1_000_000


@dataclass(frozen=True)
class Loss(Described):
    """One training loss.

    Attributes
    ----------
    key, label, sentence, formula, source : str
        Registry key, name for people, one plain sentence, LaTeX, paper, with section or equation where it is known.
    parametrisation : str
        Key of `PARAMETRISATIONS` that the loss trains; gives the order of the columns. `coarse_ce` has only the first
        family of it.
    function : callable
        (taxonomy, truth, scores, **keywords) -> (values, gradient).
    tree_only : bool
        True when no directed acyclic graph is accepted.
    leaf_truth_only : bool
        True when a truth that is one inner node has no loss.
    root_truth : bool
        True when the truth may be the root.
    takes_lists : bool
        True when a sample may have several true nodes (NodeLists).
    """

    parametrisation: str
    function: Callable
    tree_only: bool = True
    leaf_truth_only: bool = False
    root_truth: bool = True
    takes_lists: bool = False

    @property
    def parameters(self):
        """Keywords with their defaults: a dict in the order of the function."""
        parameters = inspect.signature(self.function).parameters.values()
        return {
            parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        }

    def columns(self, taxonomy, **keywords):
        """Node of each column of the scores, shape (n_scores,)."""
        if self.key == "coarse_ce":
            return coarse_columns(taxonomy)
        return default_columns(taxonomy, keywords.get("parametrisation", self.parametrisation))


def loss_function(label, sentence, formula, source, parametrisation, **facts):
    """Decorator that makes a loss of a function which gives what computes one block of rows; `Loss` has the arguments.

    The function has the signature of the loss and is called once, with checked arguments: truth as node numbers (or NodeLists
    closed under ancestors where `takes_lists`), scores as float64. It returns ``compute(scores, truth) -> (values, gradient)``,
    or a tuple of that and further arrays, one row a sample, which `compute` takes as well. The loss has its entry as `entry`.
    """

    def decorate(function):
        @functools.wraps(function)
        def loss(taxonomy, truth, scores, **keywords):
            truth, scores = _opened(loss.entry, taxonomy, truth, scores, keywords)
            made = function(taxonomy, truth, scores, **keywords)
            compute, *per_row = made if isinstance(made, tuple) else (made,)
            return _by_blocks(taxonomy, compute, scores, truth, *per_row)

        loss.entry = Loss(function.__name__, label, sentence, formula, source, parametrisation, loss, **facts)
        return loss

    return decorate


def coarse_columns(taxonomy):
    """Node of each column of `coarse_ce`: the children of the root, ascending."""
    return np.flatnonzero(taxonomy.parent == 0)


def _opened(entry, taxonomy, truth, scores, keywords):
    """Truth as node numbers (where lists are taken as NodeLists closed under ancestors) and scores as float64.

    Raises the error that says what is wrong with them.
    """
    key, is_lists = entry.key, isinstance(truth, NodeLists)
    if entry.tree_only:
        taxonomy.require_tree(f"loss {key!r}")
    check_truth_first(truth, "scores")
    scores = _numbers(scores)
    _check_columns(entry, taxonomy, scores.shape[1], keywords)
    if is_lists and not entry.takes_lists:
        raise PredictionsError(
            f"truth: expected one node per sample for {key}, got lists of nodes. Lists are defined for multilabel_bce, "
            "multilabel_focal, conditional_sigmoid and champ."
        )
    nodes = _nodes(taxonomy, truth.nodes if is_lists else truth)
    n_truths = len(truth if is_lists else nodes)
    if len(scores) != n_truths:
        raise PredictionsError(
            f"truth: expected {len(scores)} values (one per row of scores), got {n_truths}. Align the rows."
        )
    if is_lists:
        # Without leaves alone, a list may be that of the root.
        return _closed(taxonomy, truth, key, entry.root_truth or entry.leaf_truth_only), scores
    if entry.leaf_truth_only:
        refuse(taxonomy, nodes, ~taxonomy.is_leaf[nodes], f"leaves for {key}")
    if not entry.root_truth:
        refuse(taxonomy, nodes, nodes == 0, f"nodes below the root for {key}")
    return taxonomy.ancestors(nodes) if entry.takes_lists else nodes, scores


def _check_columns(entry, taxonomy, n_scores, keywords):
    if "parametrisation" in keywords:
        check_one_of("parametrisation", keywords["parametrisation"], ("flat_softmax", "conditional_softmax"))
    if entry.key != "coarse_ce":
        column_order(taxonomy, keywords.get("parametrisation", entry.parametrisation), n_scores)
    elif n_scores != len(coarse_columns(taxonomy)):
        raise PredictionsError(
            f"scores: expected {len(coarse_columns(taxonomy))} columns for {entry.key} (one per child of the root), got "
            f"{n_scores}. Check the taxonomy."
        )


def _closed(taxonomy, truth, key, may_be_empty):
    """Lists of true nodes with their ancestors, the root included; unless they may be empty, an error that names those."""
    rows = truth.rows
    paths = taxonomy.ancestors(truth.nodes)
    # One pair per sample for the root, so that an empty list is the set of the root alone.
    starts = np.arange(len(truth)) * taxonomy.n_nodes
    pairs = distinct(np.concatenate([starts, np.repeat(rows, paths.lengths) * taxonomy.n_nodes + paths.nodes]))
    closed = NodeLists.of_pairs(*np.divmod(pairs, taxonomy.n_nodes), len(truth))
    empty = np.flatnonzero(closed.lengths == 1)
    if len(empty) and not may_be_empty:
        raise PredictionsError(
            f"truth: expected a node below the root in every list for {key}, got none in rows {listed(empty.tolist())}. "
            "Leave these samples out."
        )
    return closed


def number(value, name, low, high=np.inf):
    """`value` as float when it is a finite number from `low` to `high`, else a PredictionsError."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and low <= number <= high):
        span = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of at least {low:g}"
        raise PredictionsError(f"{name}: expected a number {span}, got {value!r}. Choose one in that range.")
    return number


def _by_blocks(taxonomy, compute, scores, *per_row):
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


def indicator(lists, n):
    """True where the node, of n, is in the sample's list, shape (n_samples, n)."""
    inside = np.zeros((len(lists), n), dtype=bool)
    inside[lists.rows, lists.nodes] = True
    return inside


def at_meeting(taxonomy, lists, values):
    """`values` at the lowest member of each sample's list on the way from a node to the root, shape (n_samples, n_nodes).

    For a list that is one path this is the value at the lowest common ancestor with the truth. `values` (n_nodes,) is 0
    at the root, in every list, and never falls from parent to child; a tree.
    """
    met = np.zeros((len(lists), taxonomy.n_nodes))
    met[lists.rows, lists.nodes] = values[lists.nodes]
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


def refuse(taxonomy, truth, bad, expected):
    """Raise a PredictionsError that names the truths where `bad` is True."""
    if bad.any():
        names = dict.fromkeys(taxonomy.names[node] for node in truth[bad].tolist())
        raise PredictionsError(
            f"truth: expected {expected}, got {listed(names)} in {int(bad.sum())} of {len(truth)} rows. "
            "Leave these samples out."
        )


def mass_nll(scores, inside, outside=None):
    """-log of the share of the softmax mass that lies in `inside`, and its gradient with respect to the scores.

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
    columns = group(above.nodes, above.rows, taxonomy.n_nodes)
    return lambda truth: indicator(columns.take(truth), taxonomy.n_leaves)
