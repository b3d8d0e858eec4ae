r"""Which true class is taken for which: pairs of classes at any level, or the branches that are mixed up under one node.

Conventions
-----------
A sample is counted where its answer is wrong, unless `outcomes` says otherwise. At a level, a node counts as its ancestor at
that depth, and for itself where it is above it; samples whose truth and answer are then one node are not confused at this
level. Under a lowest common ancestor z, the branches are the children of z on the way to the truth and to the answer, z
itself where one of them is z. With several paths a sample, matched pairs are counted, and what has no partner.

Functions
---------
confused_pairs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import LABEL_OUTSIDE, NO_PARTNER, Judged, judged_answers
from hierviz.evaluation.severity import severity, why_no_severity
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.metrics.ties import DECIMALS
from hierviz.taxonomy.checks import check_one_of, is_number, listed_values
from hierviz.taxonomy.node_lists import offsets_of
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import Taxonomy

GROUPINGS = {
    "classes": "true class → predicted class",
    "branches": "branches under the lowest common ancestor",
    "common": "lowest common ancestor",
}
WITHOUT_A_NODE = {NO_PARTNER: "(none left)", LABEL_OUTSIDE: "(outside the taxonomy)"}


@dataclass(frozen=True, eq=False)
class Confusions(Rows):
    """Groups of confused samples, the most frequent or most expensive first.

    Attributes
    ----------
    taxonomy : Taxonomy
    common : ndarray of int, shape (n,)
        Lowest common ancestor of the two nodes; -1 where there is none (a path without a partner, a graph).
    truth, predicted : ndarray of int, shape (n,)
        Node numbers; with several paths `NO_PARTNER` and `LABEL_OUTSIDE` too. Equal to `common` where groups are common
        ancestors.
    count : ndarray of int, shape (n,)
        Samples, or pairs of paths.
    cost : ndarray of float, shape (n,)
        Summed severity; nan where it is not defined.
    cost_key : str
        Key of `hierviz.evaluation.severity.SEVERITIES`.
    n_total : int
        Sum of `count`.
    offsets, members : ndarray of int
        Group i holds the rows ``members[offsets[i]:offsets[i + 1]]`` of the Predictions.
    """

    taxonomy: Taxonomy
    common: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    count: np.ndarray
    cost: np.ndarray
    cost_key: str
    n_total: int
    offsets: np.ndarray
    members: np.ndarray

    def rows(self, place: int) -> np.ndarray:
        """Rows of the Predictions that a group counts, ascending, shape (count,)."""
        check_position("place", place, len(self))
        return self.members[self.offsets[place] : self.offsets[place + 1]]

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a group: nodes by name, ``count`` and the cost by its key."""
        columns = {key: node_names(self.taxonomy, getattr(self, key)) for key in ("truth", "predicted")}
        common = ["" if node < 0 else self.taxonomy.names[node] for node in self.common.tolist()]
        return frame({"common": common, **columns, "count": self.count, self.cost_key: self.cost})


def node_names(taxonomy: Taxonomy, nodes: np.ndarray) -> list[str]:
    """Names of nodes, and what is shown where there is none."""
    return [WITHOUT_A_NODE[node] if node < 0 else taxonomy.names[node] for node in nodes.tolist()]


def confused_pairs(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    by: str = "classes",
    level: int | None = None,
    cost: str | None = None,
    order: str = "count",
    outcomes: Sequence[str] = ("wrong",),
    **parameters: Any,
) -> Confusions:
    """Pairs of a true and a predicted class that are confused, with count and cost.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    by : 'classes', 'branches' or 'common'
        Group by true and predicted class; by the branches below their lowest common ancestor; or by that ancestor alone.
    level : int, optional
        With ``by="classes"``: replace every node below this depth by its ancestor there.
    cost : str, optional
        Key of `SEVERITIES`; by default the information distance in bits, and lost hF1 where that is not defined. The cost of
        a group is the sum over its samples.
    order : 'count' or 'cost'
        Largest first; ties by the other one, then by node.
    outcomes : sequence of str
        Keys of ``OUTCOMES`` to count. Without effect with several truths or answers, where pairs
        of one class are left out instead.

    Returns
    -------
    Confusions

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or a keyword is not valid.
    TaxonomyError
        If a level or a common ancestor is asked for and the taxonomy is no tree.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> truth = taxonomy.nodes("cat", "cat", "dog")
    >>> answers = Predictions.from_labels(taxonomy, taxonomy.nodes("dog", "dog", "newt"), truth=truth)
    >>> found = confused_pairs(answers)
    >>> [taxonomy.names[node] for node in found.truth], found.count, found.cost.round(3), found.rows(0)
    (['cat', 'dog'], array([2, 1]), array([4.  , 3.17]), array([0, 1]))
    """
    check_one_of("by", by, GROUPINGS)
    check_one_of("order", order, ("count", "cost"))
    keys = listed_values("outcomes", outcomes, ", ".join(OUTCOMES))
    if not keys or not all(isinstance(key, str) and key in OUTCOMES for key in keys):
        raise PredictionsError(f"outcomes: expected a list of {', '.join(OUTCOMES)}, got {shown(outcomes)}. Name some.")
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    taxonomy = answers.taxonomy
    if level is not None:
        taxonomy.require_tree("a level of classes")
        if by != "classes" or not is_number(level) or level != int(level) or not 1 <= level <= taxonomy.max_depth:
            raise PredictionsError(
                f"level: expected a depth from 1 to {taxonomy.max_depth} with by='classes', got {shown(level)} with "
                f"by={by!r}. Choose one in that range."
            )
    if by != "classes":
        taxonomy.require_tree("confusions by lowest common ancestor")
    if cost is None:
        has_bits = why_no_severity(answers.evaluation, answers.truth, answers.predicted, "info_dist") is None
        cost = "info_dist" if has_bits else "lost_hf1"
    costs = severity(
        answers.evaluation,
        answers.truth,
        answers.predicted,
        cost,
        rows=answers.rows,
        what="cost",
        costs=answers.parameters.get("cost"),
    )
    pairs, place = answers.pairs, None
    if answers.is_single:
        place = np.flatnonzero(np.isin(answers.outcome, [list(OUTCOMES).index(key) for key in keys]))
        costs = costs[place]
    else:
        place = np.flatnonzero(pairs.truth != pairs.predicted)
        # What a sample lost is shared by its pairs that are not right.
        sample = np.searchsorted(answers.rows, pairs.row[place])
        costs = costs[sample] / np.bincount(sample, minlength=answers.n_judged)[sample]
    rows, truth, predicted = (values[place] for values in (pairs.row, pairs.truth, pairs.predicted))
    if level is not None:
        truth, predicted = (_at_level(taxonomy, nodes, int(level)) for nodes in (truth, predicted))
        apart = (truth != predicted) | ("exact" in keys and answers.is_single)
        rows, truth, predicted, costs = rows[apart], truth[apart], predicted[apart], costs[apart]
    common = np.full(len(rows), NO_PARTNER)
    if taxonomy.is_tree:
        known = np.flatnonzero((truth >= 0) & (predicted >= 0))
        common[known] = taxonomy.lca(truth[known], predicted[known])
        if answers.is_single:
            # What lies outside the taxonomy is below the root.
            common[predicted == LABEL_OUTSIDE] = 0
    if by == "common":
        truth = predicted = common
    elif by == "branches":
        truth, predicted = (branch_below(taxonomy, common, nodes) for nodes in (truth, predicted))
    return _grouped(taxonomy, rows, common, truth, predicted, costs, cost, order)


def _grouped(taxonomy, rows, common, truth, predicted, costs, cost_key, order):
    base = taxonomy.n_nodes + 2
    key = (truth + 2) * base + predicted + 2
    by_key = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.diff(key[by_key], prepend=-1))
    sizes = np.diff(np.append(start, len(key)))
    group_of = np.repeat(np.arange(len(start)), sizes)
    total = np.bincount(group_of, costs[by_key], len(start))
    first = by_key[start]
    rounded = -np.round(total, DECIMALS)
    ranks = (rounded, -sizes) if order == "count" else (-sizes, rounded)
    sequence = np.lexsort((predicted[first], truth[first], *ranks))
    offsets = offsets_of(sizes[sequence])
    places = np.arange(len(key)) + np.repeat(start[sequence] - offsets[:-1], sizes[sequence])
    nodes = (values[first][sequence] for values in (common, truth, predicted))
    counts = (sizes[sequence], total[sequence], cost_key, len(key))
    return Confusions(taxonomy, *nodes, *counts, offsets, rows[by_key[places]])


def _at_level(taxonomy, nodes, level):
    """The ancestor at depth `level`, one or each its own, of nodes below it; others, and what is no node, as they are."""
    nodes, level = nodes.copy(), np.broadcast_to(level, nodes.shape)
    deep = np.flatnonzero((nodes >= 0) & (taxonomy.depth[nodes] > level))
    while len(deep):
        nodes[deep] = taxonomy.parent[nodes[deep]]
        deep = deep[taxonomy.depth[nodes[deep]] > level[deep]]
    return nodes


def branch_below(taxonomy, common, nodes):
    """The child of each common ancestor on the way to a node; the node itself where it is no node below one."""
    return _at_level(taxonomy, nodes, np.where(common >= 0, taxonomy.depth[common] + 1, taxonomy.max_depth))
