"""Classes, truths and answers by depth, and how many labels a sample has.

The levels of a subtree: nodes, truths and answers of every depth, and its worst node.

Conventions
-----------
The depth of a node is the number of edges from the root, in a graph by the shortest path. What several labels of one sample
have in common counts once for each label here.

Arrays over levels have shape (max_depth + 1,); depth 0 is the root. In a graph the depth is that of the shortest path.

Functions
---------
level_table, subtree_levels
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis._excess import excess
from hierviz.diagnosis._node_table import NodeTable, cost_key, node_table
from hierviz.evaluation._judged_answers import Judged, judged_answers, known_answers
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows, Short
from hierviz.taxonomy.positions import check_position
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class SubtreeLevels(Rows):
    """Numbers of every depth, arrays of shape (n_levels,).

    Attributes
    ----------
    taxonomy : Taxonomy
    n_nodes, n_leaves, n_supported : ndarray of int
        Nodes, leaves, and nodes with a truth at or below them.
    support : ndarray of int
        Samples with a truth at this depth or below it.
    truths, answers : ndarray of int
        Truths and answers that are nodes of this depth; samples without an answer stop at the root.
    worst : ndarray of int
        Of the nodes with a cost that with the highest excess over what is expected of its samples; on ties the smaller one,
        then the later; -1 where no node has a cost.
    cost : ndarray of float
        Its cost: wrong answers, or missed samples with several truths or answers; 0 where no node has a cost.
    cost_key : str
        Which of the two: column of `NodeTable`.
    excess : ndarray of float
        Its cost beyond the expected one; below 0 where all nodes of the depth are better than the average.
    """

    taxonomy: Taxonomy
    n_nodes: np.ndarray
    n_leaves: np.ndarray
    n_supported: np.ndarray
    support: np.ndarray
    truths: np.ndarray
    answers: np.ndarray
    worst: np.ndarray
    cost: np.ndarray
    cost_key: str
    excess: np.ndarray

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a depth: the numbers, the worst node by name, its cost and its excess."""
        keys = ("n_nodes", "n_leaves", "n_supported", "support", "truths", "answers")
        worst = ["" if node < 0 else self.taxonomy.names[node] for node in self.worst.tolist()]
        columns = {key: getattr(self, key) for key in keys}
        more = {"worst": worst, self.cost_key: self.cost, "excess": self.excess}
        return frame({"depth": np.arange(len(self)), **columns, **more})


def subtree_levels(answers: Judged, root: int = 0, *, nodes: NodeTable | None = None) -> SubtreeLevels:
    """Nodes, truths, answers and the worst node of every depth below a node.

    Parameters
    ----------
    answers : JudgedAnswers, Evaluation, or Predictions
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    root : int
        Count nodes at or below this one only, and truths and answers that are such nodes; `worst` is below it, but at the root
        of all. Depths are those of the whole taxonomy.
    nodes : NodeTable, optional
        `node_table` of the same answers, where it is there already.

    Returns
    -------
    SubtreeLevels

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or this is no node.
    """
    answers = judged_answers(answers)
    taxonomy = answers.taxonomy
    table = node_table(answers) if nodes is None else nodes
    check_position("root", root, taxonomy.n_nodes, "node number")
    depth, n_levels = taxonomy.depth, taxonomy.max_depth + 1
    inside = np.zeros(taxonomy.n_nodes, dtype=bool)
    inside[taxonomy.subtree(root)] = True

    def per_depth(which, weights=None):
        return np.bincount(depth[which], weights, n_levels).astype(np.intp)

    lists = NodeLists.of(answers.truth)
    truth_rows, truths = lists.rows, lists.nodes
    truth_rows, truths = truth_rows[inside[truths]], truths[inside[truths]]
    deepest = np.full(answers.n_judged, -1)
    np.maximum.at(deepest, truth_rows, depth[truths])
    below = np.flatnonzero(inside)
    key = cost_key(table)
    costs = np.asarray(getattr(table, key), dtype=float)
    # The last of each depth in ascending order is the worst.
    beyond = excess(table, key)
    candidates = np.flatnonzero((np.nan_to_num(costs) > 0) & inside)
    candidates = candidates[candidates != root] if root else candidates
    ties = candidates, -table.support[candidates], np.round(beyond[candidates], 9)
    order = candidates[np.lexsort((*ties, depth[candidates]))]
    last = np.flatnonzero(np.diff(depth[order], append=-1))
    worst, cost, more = np.full(n_levels, -1, dtype=np.intp), np.zeros(n_levels), np.zeros(n_levels)
    worst[depth[order[last]]] = order[last]
    cost[depth[order[last]]] = costs[order[last]]
    more[depth[order[last]]] = beyond[order[last]]
    return SubtreeLevels(
        taxonomy,
        per_depth(below),
        per_depth(below[taxonomy.is_leaf[below]]),
        per_depth(below[table.support[below] > 0]),
        np.cumsum(np.bincount(deepest[deepest >= 0], minlength=n_levels)[::-1])[::-1],
        per_depth(truths),
        per_depth(below, table.stopped_here[below]),
        worst,
        cost,
        key,
        more,
    )


@dataclass(frozen=True, eq=False)
class LevelTable(Short):
    """Numbers by depth, arrays of int, shape (max_depth + 1,), and by number of labels.

    Attributes
    ----------
    n_nodes, n_leaves : ndarray of int
        Nodes and leaves at each depth.
    n_truths, n_answers : ndarray of int
        True nodes and answers at each depth, over all judged samples.
    truths_per_sample, answers_per_sample : ndarray of int
        Number of judged samples with 0, 1, 2, ... of them; an answer outside the taxonomy is none.
    """

    n_nodes: np.ndarray
    n_leaves: np.ndarray
    n_truths: np.ndarray
    n_answers: np.ndarray
    truths_per_sample: np.ndarray
    answers_per_sample: np.ndarray

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a depth."""
        keys = ("n_nodes", "n_leaves", "n_truths", "n_answers")
        return frame({"depth": np.arange(len(self.n_nodes)), **{key: getattr(self, key) for key in keys}})


def level_table(evaluation: Judged, rule: str = "majority", threshold: float = 0.5, **parameters: Any) -> LevelTable:
    """Classes, truths and answers by depth, and labels by sample.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.

    Returns
    -------
    LevelTable

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or the rule or a parameter is not valid.
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    depth = answers.taxonomy.depth
    lists = [NodeLists.of(nodes) for nodes in (answers.truth, known_answers(answers.predicted))]
    of_classes = np.arange(len(depth)), answers.taxonomy.leaves
    levels = (
        np.bincount(depth[nodes], minlength=depth.max() + 1) for nodes in (*of_classes, *(one.nodes for one in lists))
    )
    return LevelTable(*levels, *(np.bincount(one.lengths) for one in lists))
