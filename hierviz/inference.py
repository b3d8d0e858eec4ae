"""Inference rules: how a row of node probabilities becomes one predicted node.

Conventions
-----------
`p` has shape (n_samples, n_nodes); rules return node numbers of shape (n_samples,), before truncation at the truth.
Ties go to the lowest node number unless said otherwise. Nodes with a single child are never predicted, except by `leaf`
and `top_down`, which return leaves.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
.. [2] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hierviz.errors import PredictionsError


@dataclass(frozen=True)
class InferenceRule:
    """One inference rule: registry key, name, plain sentence, LaTeX, source, function and its keywords."""

    key: str
    label: str
    sentence: str
    formula: str
    source: str
    function: Callable
    parameters: tuple[str, ...] = ()
    tree_only: bool = False


def infer(taxonomy, p, rule="majority", **parameters):
    """Predicted node of every row.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_samples, n_nodes)
        Node probabilities.
    rule : str
        A key of `INFERENCE_RULES`.
    **parameters
        Keywords of the rule: ``threshold`` in [0, 1] for ``rule="threshold"``.

    Returns
    -------
    ndarray of int, shape (n_samples,)

    Raises
    ------
    PredictionsError
        If the rule is unknown, a keyword is missing or not one of the rule's, or `p` has another width.
    """
    entry = inference_rule(rule)
    p = checked_probabilities(taxonomy, p)
    if set(parameters) != set(entry.parameters):
        raise PredictionsError(
            f"rule {rule!r}: expected the keywords {list(entry.parameters)}, got {sorted(parameters)}. Pass exactly these."
        )
    if entry.tree_only:
        taxonomy.require_tree(f"rule {rule!r}")
    return entry.function(taxonomy, p, **parameters)


def inference_rule(rule):
    """The entry of `INFERENCE_RULES` called `rule`, or a PredictionsError that lists them."""
    try:
        return INFERENCE_RULES[rule]
    except KeyError:
        raise PredictionsError(
            f"rule: expected one of {', '.join(INFERENCE_RULES)}, got {rule!r}. Choose one."
        ) from None


def leaf(taxonomy, p):
    """The most probable leaf."""
    return taxonomy.leaves[p[:, taxonomy.leaves].argmax(axis=1)]


def threshold(taxonomy, p, threshold):
    """Among candidates with p > threshold (strict) the most informative, then the most probable, then the lowest.

    Where nothing exceeds the threshold: the first element of the Pareto set, normally the root. `threshold` in [0, 1].
    """
    check_threshold(threshold)
    predicted = np.full(len(p), -1, dtype=np.intp)
    top = np.full(len(p), -np.inf)
    first = np.zeros(len(p), dtype=np.intp)
    for group in taxonomy.candidate_groups:
        inside = p[:, group]
        place = inside.argmax(axis=1)
        best = inside[np.arange(len(p)), place]
        take = (predicted < 0) & (best > threshold)
        predicted[take] = group[place[take]]
        lead = best > top
        top[lead], first[lead] = best[lead], group[place[lead]]
    return np.where(predicted < 0, first, predicted)


def majority(taxonomy, p):
    """`threshold` at 0.5."""
    return threshold(taxonomy, p, 0.5)


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


def checked_probabilities(taxonomy, p):
    """`p` as float64; a PredictionsError unless its shape is (n_samples, n_nodes) and no value is nan."""
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != taxonomy.n_nodes:
        raise PredictionsError(
            f"p: expected shape (n_samples, {taxonomy.n_nodes}), got {p.shape}. Pass node probabilities."
        )
    if np.isnan(p).any():
        row, node = np.argwhere(np.isnan(p))[0]
        raise PredictionsError(f"p: expected numbers, got nan in row {row} at {taxonomy.names[node]!r}. Remove it.")
    return p


def check_threshold(threshold):
    """Raise a PredictionsError unless `threshold` is a number in [0, 1]."""
    try:
        inside = 0 <= float(threshold) <= 1
    except (TypeError, ValueError):
        inside = False
    if not inside:
        raise PredictionsError(
            f"threshold: expected a number from 0 to 1, got {threshold!r}. Choose one in that range."
        )


INFERENCE_RULES = {
    entry.key: entry
    for entry in (
        InferenceRule(
            "leaf",
            "Most probable leaf",
            "Always answer with the single most probable leaf, however unsure.",
            r"\hat y = \arg\max_{\text{leaf } y} p(y)",
            "Valmadre, NeurIPS 2022",
            leaf,
        ),
        InferenceRule(
            "majority",
            "Majority",
            "Answer with the most specific node that is more probable than not.",
            r"\hat y = \arg\max_{y:\, p(y) > 0.5} I(y)",
            "Valmadre, NeurIPS 2022",
            majority,
        ),
        InferenceRule(
            "threshold",
            "Threshold",
            "Answer with the most specific node whose probability exceeds the threshold τ.",
            r"\hat y = \arg\max_{y:\, p(y) > \tau} I(y)",
            "Valmadre, NeurIPS 2022 (confidence threshold)",
            threshold,
            ("threshold",),
        ),
        InferenceRule(
            "top_down",
            "Top-down best leaf",
            "From the root, keep stepping to the most probable child until a leaf is reached.",
            r"n_{j+1} = \arg\max_{c \in \text{children}(n_j)} p(c)",
            "Wu, Tygert & LeCun 2019",
            top_down,
        ),
    )
}
