"""Rules that compare node probabilities with each other or with a bound.

Conventions
-----------
`p` has shape (n_samples, n_nodes) and float64; rules return node numbers of shape (n_samples,), before truncation at the
truth. Candidates are `Taxonomy.candidates`; only `exclusive` and `at_level` answer with others. A more
informative node has fewer leaves below it. Sums of probabilities have rounding errors: where they are compared,
differences up to `TIE` of the largest are ties. `inference.registry.infer` checks the arguments; these functions do not.

Functions
---------
leaf, threshold, majority, depth_thresholds, at_level, plurality, information_threshold, top_down, threshold_set,
checked_probabilities,
check_threshold, lowest_of_best

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
.. [3] R. Plaud et al., Revisiting hierarchical text classification: inference and metrics, CoNLL 2024.
"""

import numpy as np

from hierviz.inference.parameters import ANSWER_LEVEL, BITS, THRESHOLD, THRESHOLDS_BY_DEPTH, rule
from hierviz.inference.truth_mass import TIE
from hierviz.messages.errors import PredictionsError, shown
from hierviz.predictions.parametrisation import VALMADRE
from hierviz.taxonomy.checks import check_threshold, is_within
from hierviz.taxonomy.taxonomy import NodeLists

# Bits of a node are a difference of logarithms; a bound of 1 bit must hold for half of the leaves.
BITS_TIE = 1e-9


@rule("Most probable leaf", "Answer with the most probable leaf.", r"\hat y = \arg\max_{\text{leaf } y} p(y)", VALMADRE)
def leaf(taxonomy, p):
    """The most probable leaf."""
    return taxonomy.leaves[p[:, taxonomy.leaves].argmax(axis=1)]


@rule(
    "Threshold",
    "Answer with the most specific node whose probability exceeds the threshold τ.",
    r"\hat y = \arg\max_{y:\, p(y) > \tau} I(y)",
    f"{VALMADRE} (confidence threshold)",
    THRESHOLD,
)
def threshold(taxonomy, p, threshold):
    """Among candidates with p > threshold (strict) the most informative, then the most probable, then the lowest.

    Where nothing exceeds the threshold: the first element of the Pareto set, normally the root. `threshold` in [0, 1].
    """
    check_threshold(threshold)
    return _most_informative(taxonomy, p, p, threshold)


@rule(
    "Majority",
    "Answer with the most specific node that is more probable than not.",
    r"\hat y = \arg\max_{y:\, p(y) > 0.5} I(y)",
    VALMADRE,
)
def majority(taxonomy, p):
    """`threshold` at 0.5."""
    return threshold(taxonomy, p, 0.5)


@rule(
    "Threshold by depth",
    "Answer with the most specific node whose probability exceeds the threshold of its depth.",
    r"\hat y = \arg\max_{y:\, p(y) > \tau_{d(y)}} I(y)",
    "confidence threshold with a threshold for each depth, as in per-level thresholds of text classification",
    THRESHOLDS_BY_DEPTH,
)
def depth_thresholds(taxonomy, p, thresholds_by_depth):
    """As `threshold`, each node against the threshold of its depth; equal ones give the answers of `threshold`.

    Parameters
    ----------
    thresholds_by_depth : str or sequence of float
        In [0, 1], of depth 1, 2, ...; the first also for the root, the last for all deeper nodes. A text separates them by
        commas.
    """
    allowed = np.where(p > node_thresholds(taxonomy, thresholds_by_depth), p, -np.inf)
    return _most_informative(taxonomy, p, allowed, -np.inf)


def node_thresholds(taxonomy, thresholds_by_depth):
    """Threshold of every node, shape (n_nodes,); a PredictionsError unless all are numbers in [0, 1]."""
    given = thresholds_by_depth
    parts = given.split(",") if isinstance(given, str) else np.ravel(np.asarray(given, dtype=object)).tolist()
    try:
        values = [float(part) for part in parts]
    except (TypeError, ValueError):
        values = []
    if not values or not all(is_within(value, 0, 1) for value in values):
        raise PredictionsError(
            f"thresholds_by_depth: expected numbers from 0 to 1, separated by commas, got {shown(given)}. Give one for each "
            "depth from 1 down."
        )
    return np.array(values)[np.clip(taxonomy.depth - 1, 0, len(values) - 1)]


@rule(
    "Only at one level",
    "Answer with the most probable class at one level of the taxonomy: the answers of a model that names nothing finer.",
    r"\hat y = \arg\max_{y:\, d(y) = k \text{ or leaf } y,\, d(y) < k} p(y)",
    "classes cut at a rank, as in flat evaluation per level",
    ANSWER_LEVEL,
    tree_only=True,
)
def at_level(taxonomy, p, answer_level=1):
    """The most probable of the classes at depth `answer_level` and of the leaves above it, the lowest on ties.

    A whole number from 1 to the depth of the taxonomy. A class with a single child is answered, too: below the level nothing is.
    """
    most = max(taxonomy.max_depth, 1)
    if not is_within(answer_level, 1, most) or answer_level != int(answer_level):
        raise PredictionsError(
            f"answer_level: expected a whole number from 1 to {most} (the depth of the taxonomy), got {shown(answer_level)}. "
            "Choose one in that range."
        )
    nodes = taxonomy.nodes_at_level(int(answer_level))
    return nodes[p[:, nodes].argmax(axis=1)]


@rule(
    "Plurality",
    "Answer with the most specific node that is more probable than every runner-up among siblings.",
    r"\hat y = \arg\max_{y:\, p(y) > T} I(y), \quad "
    r"T = \max_u \operatorname{second\,largest}_{c \in \text{children}(u)} p(c)",
    VALMADRE,
)
def plurality(taxonomy, p):
    """The most informative, then lowest, candidate that is more probable than the runner-up of every family [1]_.

    The bound is the largest p that is second among the children of one node; a p that equals it but for rounding is not
    above it. Where no candidate is above it: the least informative candidate, which is the root unless that has a single
    child or a single leaf.
    """
    bound = _runner_up(taxonomy, p)[:, None] * (1 + TIE)
    predicted, rows = np.full(len(p), -1, dtype=np.intp), np.arange(len(p))
    for group in taxonomy.candidate_groups:
        above = p[:, group] > bound
        place = above.argmax(axis=1)
        take = (predicted < 0) & above[rows, place]
        predicted[take] = group[place[take]]
    return np.where(predicted < 0, taxonomy.candidate_groups[-1][0], predicted)


@rule(
    "Information threshold",
    "Answer with the most probable node of at least ζ bits of information.",
    r"\hat y = \arg\max_{y:\, I(y) \ge \zeta} p(y)",
    f"{VALMADRE} (paper only, not in its code)",
    BITS,
)
def information_threshold(taxonomy, p, bits):
    """Among candidates of at least `bits` bits the most probable, then the most informative, then the lowest [1]_.

    `bits` in [0, log2(n_leaves)]: at 0 the first element of the Pareto set, at the other end the most probable leaf.
    """
    check_bits(taxonomy, bits)
    groups = taxonomy.candidate_groups
    return _most_probable(p, [g for g in groups if taxonomy.information[g[0]] >= float(bits) - BITS_TIE])


@rule(
    "Top-down best leaf",
    "From the root, keep stepping to the most probable child until a leaf is reached.",
    r"n_{j+1} = \arg\max_{c \in \text{children}(n_j)} p(c)",
    "Wu, Tygert & LeCun 2019",
)
def top_down(taxonomy, p):
    """Wu's best leaf: from the root always to the child of largest p, the first child in declared order on ties [2]_."""
    node = np.zeros(len(p), dtype=np.intp)
    open_rows = np.arange(len(p)) if taxonomy.n_nodes > 1 else np.empty(0, np.intp)
    while len(open_rows):
        below = taxonomy.children.take(node[open_rows])
        values = p[np.repeat(open_rows, below.lengths), below.nodes]
        best = np.repeat(np.maximum.reduceat(values, below.offsets[:-1]), below.lengths)
        place = np.where(values == best, np.arange(len(values)), len(values))
        node[open_rows] = below.nodes[np.minimum.reduceat(place, below.offsets[:-1])]
        open_rows = open_rows[~taxonomy.is_leaf[node[open_rows]]]
    return node


@rule(
    "All above threshold",
    "Answer with every node whose probability exceeds the threshold τ: none, one or several paths.",
    r"\hat Y = \{y \ne \text{root} : p(y) > \tau\}",
    "Plaud et al., CoNLL 2024, section 2",
    THRESHOLD,
    returns_sets=True,
)
def threshold_set(taxonomy, p, threshold):
    """The nodes with p > threshold (strict) of every sample, ascending and without the root [3]_.

    The set may be empty, and incomplete when `p` is not coherent. `threshold` is in [0, 1].

    Returns
    -------
    NodeLists

    Examples
    --------
    >>> from hierviz import Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> threshold_set(taxonomy, np.array([[1, 0.75, 0.5, 0.25, 0.25]]), 0.4)[0]
    array([1, 2])
    """
    check_threshold(threshold)
    # Compared in float64, also where p is float32.
    inside = np.asarray(p, dtype=np.float64) > threshold
    inside[:, 0] = False
    row, node = np.nonzero(inside)
    return NodeLists.of_pairs(row, node, len(p))


def lowest_of_best(values, scale):
    """Place of the first of the largest values in each row; those less than ``TIE * scale`` apart are equal.

    Parameters
    ----------
    values : ndarray of float, shape (n_samples, n_places)
    scale : ndarray of float, shape (n_samples,)
        Size of the terms that were added up.

    Returns
    -------
    ndarray of int, shape (n_samples,)
    """
    return (values >= (values.max(axis=1) - TIE * scale)[:, None]).argmax(axis=1)


def _most_informative(taxonomy, p, values, bound):
    """The node of the most informative group with a value above the bound, that of the largest; else the most probable one."""
    predicted = np.full(len(p), -1, dtype=np.intp)
    for best, node in _best_of_groups(values, taxonomy.candidate_groups):
        take = (predicted < 0) & (best > bound)
        predicted[take] = node[take]
    none = np.flatnonzero(predicted < 0)
    predicted[none] = _most_probable(p[none], taxonomy.candidate_groups)
    return predicted


def _most_probable(p, groups):
    """The node of largest p, that of the first group on ties."""
    top, node = np.full(len(p), -np.inf), np.zeros(len(p), dtype=np.intp)
    for best, place in _best_of_groups(p, groups):
        lead = best > top
        top[lead], node[lead] = best[lead], place[lead]
    return node


def _best_of_groups(p, groups):
    """For each group of nodes: its largest p and that node, the lowest on ties; two arrays of shape (n_samples,)."""
    rows = np.arange(len(p))
    for group in groups:
        inside = p[:, group]
        place = inside.argmax(axis=1)
        yield inside[rows, place], group[place]


def _runner_up(taxonomy, p):
    """Largest p that is second among the children of one node, shape (n_samples,); -inf where no node has two."""
    families = taxonomy.children.take(np.flatnonzero(~taxonomy.is_leaf))
    start, values = families.offsets[:-1], p[:, families.nodes]
    best = np.maximum.reduceat(values, start, axis=1)
    is_best = values == np.repeat(best, families.lengths, axis=1)
    # Either all that is not the best of its family, or a best that occurs twice.
    is_tied = np.add.reduceat(is_best, start, axis=1, dtype=np.intp) > 1
    others = np.where(is_best, -np.inf, values).max(axis=1)
    return np.maximum(others, np.where(is_tied, best, -np.inf).max(axis=1))


def check_bits(taxonomy, bits):
    """Raise a PredictionsError unless `bits` is a number from 0 to the bits of a leaf."""
    most = float(np.log2(taxonomy.n_leaves))
    if not is_within(bits, 0, most + BITS_TIE):
        raise PredictionsError(
            f"bits: expected a number from 0 to {most:.4g} (the bits of a leaf), got {bits!r}. Choose one in that range."
        )
