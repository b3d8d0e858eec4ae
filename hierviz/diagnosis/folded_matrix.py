r"""A confusion matrix with so few lines that it can be drawn: rare classes of a family share a line.

Conventions
-----------
Open nodes, what is asked for, and what has no partner keep their lines. Of the closed nodes those with the most pairs (truths
and answers together) keep theirs, the first ones on ties; the other children of one parent share a line "others", which
comes after the family. So all cells together are still all pairs, and a cell is the sum of what it hides. A class alone is
not folded. Rows and columns are folded alike.

Functions
---------
folded_matrix, opened_to_fill
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hierviz.compiled.curve_sums import lowest_common_ancestors
from hierviz.diagnosis.confusion_matrix import ConfusionMatrix, placement, shares_of
from hierviz.evaluation._judged_answers import LABEL_OUTSIDE, samples_at_or_below
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.taxonomy import Taxonomy

RELATIONS = {
    "same": "truth and answer are the same class, or both below it",
    "coarse": "the answer stops above the truth",
    "no_answer": "no answer: the root",
    "finer": "the answer is below the truth",
    "wrong": "wrong",
    "folded": "both are among the folded classes",
    "none": "without a partner",
    "outside": "the answer lies outside the taxonomy",
}


@dataclass(frozen=True, eq=False)
class FoldedMatrix(Short):
    """Lines and cells of a matrix that is drawn.

    Attributes
    ----------
    matrix : ConfusionMatrix
    tree : Taxonomy
        In which each node has one place: the taxonomy itself where it is a tree.
    nodes : ndarray of int, shape (n_lines,)
        Node of each line; the parent of a line "others"; negative of what has no node.
    n_folded : ndarray of int, shape (n_lines,)
        Classes that share the line; 0 of a line of one class.
    is_open, can_open : ndarray of bool, shape (n_lines,)
        Whether the line is "stops at" an open node; whether it is closed and has nodes below.
    row_line, column_line : ndarray of int
        Line of each row and column of the matrix.
    row, column, count, n_different : ndarray of int, shape (n_cells,)
        Lines of the cells that are not 0, their pairs, and how many of these have another answer than the truth.
    relation : ndarray of str, shape (n_cells,)
        Keys of `RELATIONS`.
    """

    matrix: ConfusionMatrix
    tree: Taxonomy
    nodes: np.ndarray
    n_folded: np.ndarray
    is_open: np.ndarray
    can_open: np.ndarray
    row_line: np.ndarray
    column_line: np.ndarray
    row: np.ndarray
    column: np.ndarray
    count: np.ndarray
    n_different: np.ndarray
    relation: np.ndarray

    @property
    def row_lines(self) -> np.ndarray:
        """Lines that are rows, in order."""
        return np.unique(self.row_line)

    @property
    def column_lines(self) -> np.ndarray:
        """Lines that are columns, in order."""
        return np.unique(self.column_line)

    def shares(self, normalisation: str) -> np.ndarray:
        """`count` over the sum of its row or column or over the total ('row', 'column', 'total'), shape (n_cells,)."""
        return shares_of(self, normalisation)

    def samples(self, row: int, column: int) -> np.ndarray:
        """Rows of the Predictions that a cell counts, ascending, each once; row and column by their line."""
        matrix = self.matrix
        inside = (self.row_line[matrix.pair_rows] == row) & (self.column_line[matrix.pair_columns] == column)
        return np.unique(matrix.pairs.row[inside])

    def worst_closed(self) -> int | None:
        """The closed node that hides most pairs of different classes; None where no closed node hides one."""
        inside = np.flatnonzero((self.row == self.column) & self.can_open[self.row] & (self.n_different > 0))
        if not len(inside):
            return None
        return int(self.nodes[self.row[inside[np.argmax(self.n_different[inside])]]])


def folded_matrix(matrix: ConfusionMatrix, most: int = 40, keep: Iterable[int] = ()) -> FoldedMatrix:
    """The matrix with about `most` lines.

    Parameters
    ----------
    matrix : ConfusionMatrix
    most : int
        Lines that are wanted; open nodes, `keep` and the lines of others are there even if these are more.
    keep : iterable of int
        Nodes that are not folded.

    Returns
    -------
    FoldedMatrix

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> from hierviz.diagnosis import matrix
    >>> taxonomy = Taxonomy.from_edges([("root", name) for name in "abcd"])
    >>> truth = taxonomy.nodes(*"aaabbcd")
    >>> found = folded_matrix(matrix(Predictions.from_labels(taxonomy, truth, truth=truth)), most=3)
    >>> [int(n) for n in found.n_folded], found.count.tolist()
    ([0, 0, 0, 2], [3, 2, 2])
    """
    tree = placement(matrix.taxonomy)
    groups = matrix.row_nodes[matrix.row_nodes >= 0]
    n = len(groups)
    is_open = np.isin(groups, matrix.open_nodes)
    weight = (matrix.row_totals[:n] + matrix.column_totals[:n]).astype(float)
    weight[is_open | np.isin(groups, np.fromiter(keep, dtype=np.intp))] = np.inf
    is_kept = np.zeros(n, dtype=bool)
    is_kept[np.argsort(-weight, kind="stable")[: max(most, 1)]] = True
    is_kept |= np.isinf(weight)
    above = np.where(groups > 0, tree.parent[groups], 0)
    is_kept |= np.bincount(above[~is_kept], minlength=tree.n_nodes)[above] == 1
    kept, folded = np.flatnonzero(is_kept), np.flatnonzero(~is_kept)
    parents, family, n_folded = np.unique(above[folded], return_inverse=True, return_counts=True)
    # The others of a family come after all that is below its parent, those of an inner family first.
    start = tree.preorder[groups]
    end = np.searchsorted(start, tree.preorder[parents] + tree.subtree_size[parents]) - 1
    position = np.concatenate([kept, end])
    depth_last = np.concatenate([np.full(len(kept), -np.inf), -tree.depth[parents].astype(float)])
    order = np.lexsort((depth_last, position))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    line_of_group = np.empty(n, dtype=np.intp)
    line_of_group[kept] = place[: len(kept)]
    line_of_group[folded] = place[len(kept) :][family]
    rest = np.unique(np.concatenate([matrix.row_nodes[n:], matrix.column_nodes[n:]]))[::-1]
    nodes = np.concatenate([np.concatenate([groups[kept], parents])[order], rest])
    folds = np.concatenate([np.concatenate([np.zeros(len(kept), dtype=np.intp), n_folded])[order], 0 * rest])
    opened = np.concatenate([np.concatenate([is_open[kept], np.zeros(len(parents), dtype=bool)])[order], rest > 0])
    row_line, column_line = (
        np.concatenate([line_of_group, len(order) + np.searchsorted(-rest, -special[n:])])
        for special in (matrix.row_nodes, matrix.column_nodes)
    )
    # Cells of the matrix become cells here; pairs of two classes are counted one by one in the closed cells of one class only.
    is_within = (matrix.pair_rows == matrix.pair_columns) & (matrix.pairs.truth != matrix.pairs.predicted)
    within = np.bincount(matrix.pair_rows[is_within], minlength=matrix.shape[0])
    differ = np.where(matrix.row == matrix.column, within[matrix.row], matrix.count)
    keys = row_line[matrix.row] * len(nodes) + column_line[matrix.column]
    cells, cell = np.unique(keys, return_inverse=True)
    count, different = (np.bincount(cell, n, len(cells)).astype(np.intp) for n in (matrix.count, differ))
    row, column = np.divmod(cells, max(len(nodes), 1))
    can_open = (nodes >= 0) & (folds == 0) & ~opened
    can_open[can_open] = ~tree.is_leaf[nodes[can_open]]
    relation = _relation(tree, nodes, folds, opened, row, column)
    lines = (nodes, folds, opened, can_open, row_line, column_line)
    return FoldedMatrix(matrix, tree, *lines, row, column, count, different, relation)


def opened_to_fill(matrix: ConfusionMatrix, most: int = 40) -> list[int]:
    """The nodes that are open in a matrix of at most `most` lines that shows as many mistakes as it can.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Whichever of its nodes are open.
    most : int
        Lines.

    Returns
    -------
    list of int
        Ascending, without the root: again and again the closed node is opened that hides most wrong pairs (on ties most pairs of
        different classes, then the first node), of those whose children have room. Nodes without different classes stay closed.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> from hierviz.diagnosis import matrix
    >>> taxonomy = Taxonomy.from_edges([("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")])
    >>> found = matrix(Predictions.from_labels(taxonomy, taxonomy.nodes("orange"), truth=taxonomy.nodes("lemon")))
    >>> [taxonomy.names[node] for node in opened_to_fill(found, 5)], opened_to_fill(found, 4)
    (['citrus'], [])
    """
    tree, pairs = placement(matrix.taxonomy), matrix.pairs
    differ = (pairs.truth >= 0) & (pairs.predicted >= 0) & (pairs.truth != pairs.predicted)
    truth, predicted = pairs.truth[differ], pairs.predicted[differ]
    common = lowest_common_ancestors(tree, truth, predicted)
    hidden = samples_at_or_below(tree, common)
    wrong = samples_at_or_below(tree, common[(common != truth) & (common != predicted)])
    n_children = tree.children.lengths
    n_lines, opened, waiting = 1, [], [(0, 0, 0)]
    # As many steps as nodes are opened, and their children.
    while waiting:
        *_, node = heapq.heappop(waiting)
        n_lines += int(n_children[node])
        if n_lines > most:
            n_lines -= int(n_children[node])
            continue
        opened.append(node)
        below = tree.children[node]
        below = below[(hidden[below] > 0) & ~tree.is_leaf[below]]
        for child in below.tolist():
            heapq.heappush(waiting, (-int(wrong[child]), -int(hidden[child]), child))
    return sorted(opened)[1:]


def _relation(tree, nodes, folds, opened, row, column):
    """Key of `RELATIONS` of each cell."""
    true, answer = nodes[row], nodes[column]
    known = (true >= 0) & (answer >= 0)
    above = np.zeros((2, len(row)), dtype=bool)
    above[0, known] = tree.is_ancestor(answer[known], true[known])
    above[1, known] = tree.is_ancestor(true[known], answer[known])
    same = row == column
    return np.select(
        [answer == LABEL_OUTSIDE, ~known, same & (folds[row] > 0), same, opened[column] & (answer == 0)]
        + [above[0] & opened[column], above[1] & opened[row]],
        ["outside", "none", "folded", "same", "no_answer", "coarse", "finer"],
        "wrong",
    )
