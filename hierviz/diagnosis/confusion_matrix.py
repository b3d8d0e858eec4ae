r"""The confusion matrix of a taxonomy of which some nodes are open: subtree-correct in every state.

Conventions
-----------
The root is open, and so is what is asked for, as far as all nodes above it are open. A child of an open node that is not
open itself represents all nodes at or below it. An open node X has a group of its own, "stops at X", for truths and answers
that are X itself. So every node belongs to one group, rows and columns have the same groups in the order of the tree, and

- all cells together are all pairs, whatever is open;
- the cell of a closed node is the sum of the cells that open when it is opened;
- classes that are never true or never predicted keep their row and column.

With several paths a sample, pairs are the matched paths of the hierarchical confusion matrix; a last row counts answers for
which no truth was left, and last columns truths for which no answer was left, and labels outside the taxonomy. In a graph a
node is on its first path in depth-first order.

Cells are kept by what is counted: nothing is as large as groups x groups before `dense` is called.

Functions
---------
matrix
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.evaluation._judged_answers import LABEL_OUTSIDE, NO_PARTNER, AnswerPairs, Judged, judged_answers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Short
from hierviz.metrics.confusion.path_lists import Towards
from hierviz.taxonomy.checks import check_one_of, listed_values
from hierviz.taxonomy.node_lists import counted
from hierviz.taxonomy.positions import check_position, places_of
from hierviz.taxonomy.taxonomy import Taxonomy

NORMALISATIONS = ("row", "column", "total")
# Cells that `dense` makes at most (128 MB).
MOST_CELLS = 16_000_000


@dataclass(frozen=True, eq=False)
class ConfusionMatrix(Short):
    """Counts of the groups of true against the groups of predicted nodes.

    Attributes
    ----------
    taxonomy : Taxonomy
    open_nodes : ndarray of int
        The nodes that are open, ascending; the root among them.
    row_nodes, column_nodes : ndarray of int, shape (n_rows,), (n_columns,)
        Node of each row and column: in the order of the tree, an open node before its children. The last may be `NO_PARTNER`
        and `LABEL_OUTSIDE`.
    row, column, count : ndarray of int, shape (n_cells,)
        Cells that are not 0, by row, then column.
    total : int
        Sum of all cells: samples, or pairs and what has no partner.
    pairs : AnswerPairs
    pair_rows, pair_columns : ndarray of int, shape (n_pairs,)
        Row and column of each pair.
    """

    taxonomy: Taxonomy
    open_nodes: np.ndarray
    row_nodes: np.ndarray
    column_nodes: np.ndarray
    row: np.ndarray
    column: np.ndarray
    count: np.ndarray
    total: int
    pairs: AnswerPairs
    pair_rows: np.ndarray
    pair_columns: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """(n_rows, n_columns)."""
        return len(self.row_nodes), len(self.column_nodes)

    @property
    def row_totals(self) -> np.ndarray:
        """Sum of each row, shape (n_rows,)."""
        return np.bincount(self.pair_rows, minlength=self.shape[0])

    @property
    def column_totals(self) -> np.ndarray:
        """Sum of each column, shape (n_columns,)."""
        return np.bincount(self.pair_columns, minlength=self.shape[1])

    @property
    def row_labels(self) -> list[str]:
        """Name of each row: of an open node "stops at NAME"."""
        return self._labels(self.row_nodes, "(no truth left)")

    @property
    def column_labels(self) -> list[str]:
        """Name of each column: of an open node "stops at NAME"."""
        return self._labels(self.column_nodes, "(no answer left)")

    def _labels(self, nodes, without_partner):
        is_open = set(self.open_nodes.tolist())
        words = {NO_PARTNER: without_partner, LABEL_OUTSIDE: "(outside the taxonomy)"}
        return [
            words[node] if node < 0 else f"{'stops at ' * (node in is_open)}{self.taxonomy.names[node]}"
            for node in nodes.tolist()
        ]

    def shares(self, normalisation: str = "row") -> np.ndarray:
        """`count` over the sum of its row or column or over the total, shape (n_cells,), in (0, 1].

        Raises
        ------
        PredictionsError
            If `normalisation` is not one of `NORMALISATIONS`.
        """
        check_one_of("normalisation", normalisation, NORMALISATIONS)
        return shares_of(self, normalisation)

    def samples(self, row: int, column: int) -> np.ndarray:
        """Rows of the Predictions that a cell counts, ascending, each once; row and column by their place."""
        for what, place, n in (("row", row, self.shape[0]), ("column", column, self.shape[1])):
            check_position(what, place, n)
        inside = (self.pair_rows == row) & (self.pair_columns == column)
        return np.unique(self.pairs.row[inside])

    def dense(self) -> np.ndarray:
        """All cells, shape (n_rows, n_columns) of int.

        Raises
        ------
        PredictionsError
            If these are more than `MOST_CELLS`.
        """
        n_rows, n_columns = self.shape
        if n_rows * n_columns > MOST_CELLS:
            raise PredictionsError(
                f"confusion matrix: expected at most {MOST_CELLS // 10**6} million cells, got {n_rows} x {n_columns}. Close "
                "some nodes, or read the cells that are not 0."
            )
        cells = np.zeros(self.shape, dtype=np.intp)
        cells[self.row, self.column] = self.count
        return cells

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a cell that is not 0: ``truth``, ``predicted``, ``count`` and its shares."""
        rows, columns = (np.array(labels, dtype=object) for labels in (self.row_labels, self.column_labels))
        shares = {f"share_of_{key}": self.shares(key) for key in NORMALISATIONS}
        return frame({"truth": rows[self.row], "predicted": columns[self.column], "count": self.count, **shares})


def shares_of(cells, normalisation):
    """`count` of all cells of a matrix over the sum of their row or column, or over the total."""
    if normalisation == "total":
        return cells.count / cells.count.sum()
    lines = cells.row if normalisation == "row" else cells.column
    return cells.count / np.bincount(lines, cells.count)[lines]


def matrix(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    open_nodes: Iterable[int] = (),
    **parameters: Any,
) -> ConfusionMatrix:
    """Counts of true against predicted nodes, with some nodes open; a closed node counts its subtree.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth a sample or several.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    open_nodes : iterable of int
        Nodes whose children have rows and columns of their own. The root is always open; leaves, and nodes below a closed
        one, stay closed.

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    PredictionsError
        If no sample has a known truth, or `open_nodes` holds something else than node numbers.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")])
    >>> answers = Predictions.from_labels(taxonomy, taxonomy.nodes("orange", "fruit"), truth=taxonomy.nodes("lemon", "pear"))
    >>> closed = matrix(answers)
    >>> closed.row_labels, closed.dense().tolist()
    (['stops at fruit', 'citrus', 'pear'], [[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    >>> matrix(answers, open_nodes=taxonomy.nodes("citrus")).row_labels
    ['stops at fruit', 'stops at citrus', 'lemon', 'orange', 'pear']
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    taxonomy = placement(answers.taxonomy)
    opened = listed_values("open_nodes", open_nodes, "node numbers")
    asked = np.append(0, places_of("open_nodes", opened, taxonomy.n_nodes, "node number"))
    group, is_open = node_groups(taxonomy, asked)
    pairs = answers.pairs
    nodes = np.flatnonzero(group == np.arange(taxonomy.n_nodes))
    nodes = nodes[np.argsort(taxonomy.preorder[nodes])]
    place = np.empty(taxonomy.n_nodes, dtype=np.intp)
    place[nodes] = np.arange(len(nodes))
    row_nodes, rows = _lines(pairs.truth, group, place, nodes)
    column_nodes, columns = _lines(pairs.predicted, group, place, nodes)
    key, count = counted(rows * len(column_nodes) + columns, len(row_nodes) * len(column_nodes))
    cells = (*np.divmod(key, len(column_nodes)), count, len(rows))
    lines: tuple[Any, ...] = (row_nodes, column_nodes, *cells, pairs, rows, columns)
    return ConfusionMatrix(answers.taxonomy, np.flatnonzero(is_open), *lines)


def placement(taxonomy: Taxonomy) -> Taxonomy:
    """The tree in which each node has one place: the taxonomy itself, of a graph the first path to each node."""
    if taxonomy.is_tree:
        return taxonomy
    paths = Towards(taxonomy, np.arange(taxonomy.n_nodes)).first_paths()
    parent = paths.nodes[np.maximum(paths.offsets[1:] - 2, 0)]
    kept = parent[taxonomy.edges[:, 1]] == taxonomy.edges[:, 0]
    return Taxonomy(taxonomy.names, taxonomy.edges[kept])


def node_groups(taxonomy: Taxonomy, open_nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group that each node of a tree belongs to, by the node that it is called after, and which nodes are open.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    open_nodes : ndarray of int
        The root among them.

    Returns
    -------
    group : ndarray of int, shape (n_nodes,)
        The highest closed node at or above the node; the node itself where it is open.
    is_open : ndarray of bool, shape (n_nodes,)
    """
    is_open = np.zeros(taxonomy.n_nodes, dtype=bool)
    is_open[open_nodes] = True
    is_open &= ~taxonomy.is_leaf
    is_open[0] = True
    group = np.arange(taxonomy.n_nodes)
    for level in taxonomy.levels[1:]:
        above = taxonomy.parent[level]
        is_open[level] &= is_open[above]
        group[level] = np.where(is_open[above], level, group[above])
    return group, is_open


def _lines(nodes, group, place, of_tree):
    """Node of each row (or column), and the row of each pair; what is no node comes last where it occurs."""
    line_of = place[group]
    if not len(nodes) or nodes.min() >= 0:
        return of_tree, line_of[nodes]
    lines = np.empty(len(nodes), dtype=np.intp)
    inside = nodes >= 0
    lines[inside] = line_of[nodes[inside]]
    rest = [kind for kind in (NO_PARTNER, LABEL_OUTSIDE) if (nodes == kind).any()]
    for number, kind in enumerate(rest):
        lines[nodes == kind] = len(of_tree) + number
    return np.concatenate([of_tree, np.array(rest, dtype=np.intp)]), lines
