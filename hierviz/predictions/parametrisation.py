r"""How a model's raw scores become probabilities of nodes.

Conventions
-----------
Scores have shape (n_samples, n_scores); column j belongs to node ``scored_nodes[j]``. Node probabilities `p` have shape
(n_samples, n_nodes), are float64 for float32 input too, and are dimensionless in [0, 1]. Sums are taken child into
parent, so in a tree a sum never falls below one of its terms.

Without `scored_nodes` the columns have the order of [1]_: leaves ascending, nodes 1..n-1 ascending, conditional softmax
grouped by parent, or all nodes ascending; `default_columns` returns it.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.notebook_html import Described
from hierviz.taxonomy.checks import array_of_rows, check_one_of, check_taxonomy, in_order_of
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.taxonomy.tree_sums import accumulate_down, max_up, sum_up

VALMADRE = "Valmadre, NeurIPS 2022"
# A row of leaf probabilities may miss 1 by this much before it is read as something else.
SUM_TOLERANCE = 2e-3


@dataclass(frozen=True)
class Parametrisation(Described):
    """One way of modelling node probabilities.

    Attributes
    ----------
    key, label, sentence, formula, source : str
        Registry key, name for people, one plain sentence, LaTeX, where it comes from.
    columns : str
        Which nodes carry a score: 'leaves', 'nodes' (all but the root) or 'all'.
    prepare : callable
        (taxonomy, scores in `default_columns` order as float64) -> values, with the same columns, or the leaves for sums, or
        all nodes but the root where probabilities are given.
    combine : str
        How values become probabilities: 'leaf_mass' (of leaves, added up), 'own_mass' (of all nodes, added up),
        'conditional' (multiplied from the root down), 'given' (they are probabilities).
    is_normalised : bool
        Sums are at most 1 and the root is 1, whatever rounding says.
    tree_only : bool
    is_distribution : bool
        True when the leaves of a row sum to 1 by construction.
    is_coherent : bool
        True when a child is never above its parent by construction.
    is_prepared : bool
        True when the scores have to be changed before they are added up, multiplied or taken as they are.
    """

    columns: str
    prepare: Callable
    combine: str
    is_normalised: bool = False
    tree_only: bool = False
    is_distribution: bool = False
    is_coherent: bool = True
    is_prepared: bool = True


PARAMETRISATIONS: dict[str, Parametrisation] = {}


def _parametrisation(label, sentence, formula, source, columns, combine, **facts):
    """Decorator of a function ``_KEY``, the `prepare` of a Parametrisation that has the arguments and is registered by it."""

    def registered(prepare):
        key = prepare.__name__.removeprefix("_")
        described = key, label, sentence, formula, source, columns, prepare, combine
        PARAMETRISATIONS[key] = Parametrisation(*described, **facts)
        return prepare

    return registered


def default_columns(taxonomy: Taxonomy, parametrisation: str) -> np.ndarray:
    """Node of each column when nothing names them.

    Returns
    -------
    ndarray of int, shape (n_scores,)
    """
    entry = _entry(parametrisation)
    if entry.tree_only:
        taxonomy.require_tree(parametrisation)
    if parametrisation == "conditional_softmax":
        return np.argsort(taxonomy.parent[1:], kind="stable") + 1
    return taxonomy.leaves if entry.columns == "leaves" else np.arange(entry.columns == "nodes", taxonomy.n_nodes)


def column_nodes(
    taxonomy: Taxonomy, parametrisation: str, n_scores: int, scored_nodes: np.ndarray | None = None
) -> np.ndarray:
    """Node of each column of scores, shape (n_scores,): as named, else in the default order, which the root may precede."""
    if scored_nodes is not None:
        return scored_nodes
    nodes = default_columns(taxonomy, parametrisation)
    return np.arange(n_scores) if len(nodes) != n_scores else nodes


def node_probabilities(
    taxonomy: Taxonomy, scores: ArrayLike, parametrisation: str, scored_nodes: ArrayLike | None = None
) -> np.ndarray:
    """Probability of every node for every row of scores.

    Parameters
    ----------
    taxonomy : Taxonomy
    scores : ndarray, shape (n_samples, n_scores)
        Raw outputs, or probabilities for the two parametrisations called so.
    parametrisation : str
        A key of `PARAMETRISATIONS`.
    scored_nodes : ndarray of int, shape (n_scores,), optional
        Node of each column; `default_columns` when absent.

    Returns
    -------
    ndarray of float64, shape (n_samples, n_nodes)
        The root is 1, but for `leaf_probabilities` (the sum of the row) and `node_probabilities` files that score it.

    Raises
    ------
    PredictionsError
        If the parametrisation is unknown, the width is wrong, a column is missing, unknown or there twice, or a score is
        not finite. The range of probabilities is checked where files and Predictions are made.
    TaxonomyError
        If the parametrisation is defined on trees only and the taxonomy is not one.
    """
    check_taxonomy(taxonomy)
    if hasattr(scores, "columns"):
        given = None if scored_nodes is None else np.asarray(scored_nodes)
        nodes = column_nodes(taxonomy, parametrisation, np.shape(scores)[1], given)
        scores = in_order_of(scores, [taxonomy.names[node] for node in nodes.tolist()], "scores")
    scores = array_of_rows(scores, "scores")
    if scores.ndim != 2:
        raise PredictionsError(f"scores: expected two axes (samples, scores), got shape {scores.shape}. Reshape them.")
    values, nodes = prepared(taxonomy, scores, parametrisation, scored_nodes)
    values = np.array(values, dtype=np.float64, order="C")
    check_finite(values)
    return _combined(taxonomy, _entry(parametrisation), values, nodes)


def column_order(taxonomy, parametrisation, n_scores, scored_nodes=None):
    """Places that bring columns into `default_columns` order; None when they are in it already.

    The root's column is optional for `node_probabilities`; when present it comes first.

    Raises
    ------
    PredictionsError
        If the columns are not exactly the nodes that the parametrisation scores.
    """
    expected = default_columns(taxonomy, parametrisation)
    if parametrisation == "node_probabilities" and (
        n_scores == taxonomy.n_nodes if scored_nodes is None else 0 in np.asarray(scored_nodes)
    ):
        expected = np.arange(taxonomy.n_nodes)
    if scored_nodes is None:
        if n_scores != len(expected):
            raise PredictionsError(
                f"scores: expected {len(expected)} columns for {parametrisation} (one per "
                f"{_COLUMN_WORDS[_entry(parametrisation).columns]}), got {n_scores}. "
                "Check the taxonomy, or name the node of each column."
            )
        return None
    scored_nodes = np.asarray(scored_nodes)
    if len(scored_nodes) != n_scores:
        raise PredictionsError(
            f"scores: expected one node per column, got {len(scored_nodes)} nodes for {n_scores} columns. Name every column."
        )
    unknown = scored_nodes[(scored_nodes < 0) | (scored_nodes >= taxonomy.n_nodes)]
    if len(unknown):
        raise PredictionsError(
            f"scores: expected columns of nodes 0 to {taxonomy.n_nodes - 1}, got {listed(unknown.tolist())}. "
            "Use Taxonomy.nodes to look names up."
        )
    count = np.bincount(scored_nodes, minlength=taxonomy.n_nodes)
    wanted = np.zeros(taxonomy.n_nodes, dtype=bool)
    wanted[expected] = True
    for what, got, nodes in (
        ("a column for", "none", np.flatnonzero(wanted & (count == 0))),
        ("no column for", "one", np.flatnonzero(~wanted & (count > 0))),
        ("one column for", "several", np.flatnonzero(count > 1)),
    ):
        if len(nodes):
            raise PredictionsError(
                f"scores: expected {what} {listed([taxonomy.names[i] for i in nodes])} with {parametrisation} "
                f"({len(expected)} columns, one per {_COLUMN_WORDS[_entry(parametrisation).columns]}), got {got}. "
                "Check the column names or choose another parametrisation."
            )
    if np.array_equal(scored_nodes, expected):
        return None
    place = np.empty(taxonomy.n_nodes, dtype=np.intp)
    place[scored_nodes] = np.arange(n_scores)
    return place[expected]


_COLUMN_WORDS = {"leaves": "leaf", "nodes": "node except the root", "all": "node"}


def _entry(parametrisation):
    check_one_of("parametrisation", parametrisation, PARAMETRISATIONS)
    return PARAMETRISATIONS[parametrisation]


def probabilities_of(taxonomy: Taxonomy, nodes: np.ndarray) -> str:
    """The parametrisation of probabilities of some nodes: of the leaves where all are leaves, else of all nodes."""
    return "leaf_probabilities" if taxonomy.is_leaf[nodes].all() else "node_probabilities"


def without_column(taxonomy: Taxonomy, nodes: np.ndarray) -> np.ndarray:
    """Nodes that lack a column where columns of probabilities are of some nodes: leaves, or nodes but the root."""
    wanted = default_columns(taxonomy, probabilities_of(taxonomy, nodes))
    return wanted[~np.isin(wanted, nodes)]


# Scores to what is added up, multiplied or taken as it is ---------------------------------------------------------------


def softmax(scores):
    """Softmax of each row; rows are shifted by their maximum first."""
    # In C order each row is added by itself: in Fortran order numpy adds column to column, which rounds in another way.
    scores = np.ascontiguousarray(scores)
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def family_runs(taxonomy):
    """(first column, length) of each family of a tree in the order of `conditional_softmax`, by parent; shape (n_families,)."""
    parents = np.sort(taxonomy.parent[1:])
    start = np.flatnonzero(np.diff(parents, prepend=-2))
    return start, np.diff(np.append(start, len(parents)))


def sigmoid(scores):
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1, small) / (1 + small)


def _path_sums(taxonomy, scores):
    return accumulate_down(taxonomy, np.insert(scores, 0, 0, axis=1), np.add)


def _at_leaves(taxonomy, values):
    full = np.zeros((len(values), taxonomy.n_nodes))
    full[:, taxonomy.leaves] = values
    return full


@_parametrisation(
    "Flat softmax",
    "One score per leaf; softmax over the leaves, an inner node is the sum of the leaves below it.",
    r"p(y) = \sum_{\text{leaf } u \text{ below } y} \frac{e^{\theta_u}}{\sum_{\text{leaf } v} e^{\theta_v}}",
    f"{VALMADRE} (flat softmax)",
    "leaves",
    "leaf_mass",
    is_normalised=True,
    is_distribution=True,
)
def _flat_softmax(taxonomy, scores):
    return softmax(scores)


@_parametrisation(
    "Multi-label sigmoid",
    "One independent yes/no score per node; a child may be more probable than its parent.",
    r"p(y) = \sigma(\theta_y), \quad p(\text{root}) = 1",
    f"{VALMADRE} (multilabel)",
    "nodes",
    "given",
    is_coherent=False,
)
def _multilabel_sigmoid(taxonomy, scores):
    return sigmoid(scores)


@_parametrisation(
    "Conditional softmax",
    "A softmax among the children of each node, multiplied along the path from the root.",
    r"p(y) = \prod_{u \in \text{path}(y)} \frac{e^{\theta_u}}{\sum_{v \text{ sibling of } u \text{ or } u} e^{\theta_v}}",
    f"{VALMADRE} (conditional softmax); Plaud et al., CoNLL 2024",
    "nodes",
    "conditional",
    is_distribution=True,
    tree_only=True,
)
def _conditional_softmax(taxonomy, scores):
    start, length = family_runs(taxonomy)
    shifted = np.exp(scores - np.repeat(np.maximum.reduceat(scores, start, axis=1), length, axis=1))
    shifted /= np.repeat(np.add.reduceat(shifted, start, axis=1), length, axis=1)
    return shifted


@_parametrisation(
    "Conditional sigmoid",
    "A yes/no score per node given its parent, multiplied along the path; siblings need not sum to their parent.",
    r"p(y) = \prod_{u \in \text{path}(y)} \sigma(\theta_u)",
    f"{VALMADRE} (conditional sigmoid); Plaud et al., CoNLL 2024, section 4.3",
    "nodes",
    "conditional",
    tree_only=True,
)
def _conditional_sigmoid(taxonomy, scores):
    return sigmoid(scores)


@_parametrisation(
    "Deep RTC",
    "Scores are added along the path, followed by a sigmoid of temperature 10.",
    r"p(y) = \sigma\Big(\tfrac{1}{10} \sum_{u \in \text{path}(y)} \theta_u\Big), \quad p(\text{root}) = 1",
    f"{VALMADRE} (Deep RTC); temperature as in the published evaluation",
    "nodes",
    "given",
    is_coherent=False,
    tree_only=True,
)
def _deep_rtc(taxonomy, scores):
    return np.minimum(sigmoid(_path_sums(taxonomy, scores)[:, 1:] / 10), 1)


@_parametrisation(
    "Parameter-sharing softmax",
    "Scores are added along the path to each leaf, followed by a flat softmax: related leaves share scores.",
    r"p(y) = \text{flat softmax of } \beta_u = \sum_{v \in \text{path}(u)} \theta_v",
    f"{VALMADRE} (parameter sharing)",
    "nodes",
    "leaf_mass",
    is_normalised=True,
    is_distribution=True,
    tree_only=True,
)
def _ps_softmax(taxonomy, scores):
    return softmax(_path_sums(taxonomy, scores)[:, taxonomy.leaves])


@_parametrisation(
    "Softmax over all nodes",
    "One softmax over inner nodes and leaves together: a node's own share is the probability of this class and no finer "
    "one.",
    r"p(y) = \sum_{u \text{ below or at } y} \frac{e^{\theta_u}}{\sum_v e^{\theta_v}}",
    f"{VALMADRE} (soft-max-descendant and soft-max-margin)",
    "all",
    "own_mass",
    is_normalised=True,
)
def _softmax_all_nodes(taxonomy, scores):
    return softmax(scores)


@_parametrisation(
    "Leaf sigmoids, noisy or",
    "One independent yes/no score per leaf; an inner node is true unless all leaves below it are false.",
    r"p(y) = 1 - \prod_{\text{leaf } u \text{ below } y} (1 - \sigma(\theta_u)), \quad p(\text{root}) = 1",
    "Pearl, Probabilistic Reasoning in Intelligent Systems, 1988 (noisy or)",
    "leaves",
    "given",
)
def _leaf_sigmoid_noisy_or(taxonomy, scores):
    # -log(1 - sigmoid) adds up: no product of many numbers near 1.
    return -np.expm1(-sum_up(taxonomy, _at_leaves(taxonomy, np.logaddexp(0, scores)))[:, 1:])


@_parametrisation(
    "Leaf sigmoids, maximum",
    "One independent yes/no score per leaf; an inner node has the probability of its most probable leaf.",
    r"p(y) = \max_{\text{leaf } u \text{ below } y} \sigma(\theta_u), \quad p(\text{root}) = 1",
    "Obozinski et al., Genome Biology 2008 (heuristic max)",
    "leaves",
    "given",
)
def _leaf_sigmoid_max(taxonomy, scores):
    return max_up(taxonomy, _at_leaves(taxonomy, sigmoid(scores)))[:, 1:]


@_parametrisation(
    "Votes",
    "Several answers to each sample, counted by class: a class has the share of the answers at or below it.",
    r"p(y) = \frac{\sum_{u \text{ below or at } y} n_u}{\sum_v n_v}, \quad p(\text{root}) = 1",
    "Wang et al., ICLR 2023 (self-consistency)",
    "all",
    "given",
)
def _votes(taxonomy, scores):
    # Whole numbers are added up exactly, and divided once: half of the answers are never more than half.
    total = scores.sum(axis=1, keepdims=True)
    below = sum_up(taxonomy, scores)[:, 1:]
    return np.divide(below, total, out=np.zeros_like(below), where=total > 0)


@_parametrisation(
    "Leaf probabilities",
    "The columns are probabilities of the leaves; an inner node is the sum of the leaves below it.",
    r"p(y) = \sum_{\text{leaf } u \text{ below } y} s_u",
    "Wu, Tygert & LeCun 2019",
    "leaves",
    "leaf_mass",
    is_distribution=True,
    is_prepared=False,
)
def _leaf_probabilities(taxonomy, scores):
    return scores


@_parametrisation(
    "Node probabilities",
    "The columns are probabilities of all nodes and are not changed.",
    r"p(y) = s_y, \quad p(\text{root}) = 1 \text{ when it has no column}",
    "Plaud et al., CoNLL 2024",
    "nodes",
    "given",
    is_coherent=False,
    is_prepared=False,
)
def _node_probabilities(taxonomy, scores):
    return scores


def _combined(taxonomy, entry, values, nodes):
    """Node probabilities from the prepared values of `nodes` (ndarray of int, one a column)."""
    if entry.combine in ("leaf_mass", "own_mass"):
        p = np.zeros((len(values), taxonomy.n_nodes))
        p[:, nodes] = values
        sum_up(taxonomy, p)
        if entry.is_normalised:
            # Sums miss 1 by a rounding error, which would put children above the root and thresholds above 1.
            np.minimum(p, 1, out=p)
            p[:, 0] = 1
        return p
    if len(nodes) == taxonomy.n_nodes and np.array_equal(nodes, np.arange(len(nodes))):
        p = values
    else:
        p = np.ones((len(values), taxonomy.n_nodes))
        p[:, nodes] = values
    return accumulate_down(taxonomy, p, np.multiply) if entry.combine == "conditional" else p


def prepared(
    taxonomy: Taxonomy, scores: np.ndarray, parametrisation: str, scored_nodes: ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Values to add up, to multiply or to take as they are: the exponentials are behind them.

    Parameters
    ----------
    taxonomy, scores, parametrisation, scored_nodes
        As in `node_probabilities`.

    Returns
    -------
    values : ndarray of float, shape (n_samples, n_values)
        The scores themselves, not copied, where `Parametrisation.prepare` leaves them as they are.
    nodes : ndarray of int, shape (n_values,)
        Node of each value.
    """
    entry = _entry(parametrisation)
    order = column_order(taxonomy, parametrisation, scores.shape[1], scored_nodes)
    nodes = column_nodes(taxonomy, parametrisation, scores.shape[1])
    if not entry.is_prepared:
        if order is not None:
            nodes = nodes[np.argsort(order)]
        return scores, nodes
    # In C order, or sums over a row would depend on the order of the columns in the file.
    scores = np.array(scores if order is None else scores[:, order], dtype=np.float64, order="C")
    check_finite(scores)
    values = entry.prepare(taxonomy, scores)
    if entry.combine == "leaf_mass":
        return values, taxonomy.leaves
    # Of leaves alone, probabilities of all nodes were made.
    return values, nodes if entry.combine != "given" else np.arange(
        taxonomy.n_nodes - values.shape[1], taxonomy.n_nodes
    )


def check_finite(scores):
    """Raise a PredictionsError that names the row unless all scores are finite."""
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        raise PredictionsError(
            f"scores: expected finite numbers, got nan or an infinite one in row {row}. Correct them or leave the row out."
        )
