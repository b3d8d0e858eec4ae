"""Wrong and coarse answers as flows from the classes of the truth to those of the answer, some classes open.

Conventions
-----------
The classes, and which of them are open, are those of the confusion matrix (`hierviz.diagnosis.matrix` of the wrong and coarse
answers alone, folded by `folded_matrix`). A *ribbon* has the samples of a cell with one outcome: wrong, or coarse (the answer is
an ancestor of the truth, not the root). What is confused inside a closed class is a ribbon from the class to itself. So in every
state the ribbons together are the wrong and the coarse answers, each once.

Functions
---------
mistake_flow, MistakeFlow
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.diagnosis.confusion_matrix import matrix
from hierviz.diagnosis.folded_matrix import FoldedMatrix, folded_matrix
from hierviz.evaluation._judged_answers import Judged, JudgedAnswers, judged_answers
from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import frame
from hierviz.messages.frames import in_backend
from hierviz.messages.notebook_html import Rows
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_one_of, check_whole, listed_values
from hierviz.taxonomy.positions import places_of

# Outcomes that flow, the place of each in `OUTCOMES`.
KINDS = ("coarse", "wrong")


@dataclass(frozen=True, eq=False)
class MistakeFlow(Rows):
    """Ribbons, arrays of shape (n_ribbons,), by the line of the truth, that of the answer, and the kind.

    Attributes
    ----------
    folded : FoldedMatrix
        Of the wrong and coarse answers: its lines are the classes.
    n_samples : int
        All judged samples, of which these are some.
    row, column : ndarray of int
        Lines of truth and answer.
    kind : ndarray of str
        ``coarse`` or ``wrong``.
    count : ndarray of int
        Samples.
    is_wrong : ndarray of bool, shape (n_mistakes,)
        Whether each of the wrong and coarse answers is wrong, in the order of the pairs of the matrix.
    """

    folded: FoldedMatrix
    n_samples: int
    row: np.ndarray
    column: np.ndarray
    kind: np.ndarray
    count: np.ndarray
    is_wrong: np.ndarray

    @property
    def total(self) -> dict[str, int]:
        """Samples by kind."""
        return {kind: int(self.count[self.kind == kind].sum()) for kind in KINDS}

    @property
    def is_within(self) -> np.ndarray:
        """Whether a ribbon is from a closed class, or several classes on one line, to itself, shape (n_ribbons,)."""
        return self.row == self.column

    def samples(self, row: int, column: int, kind: str) -> np.ndarray:
        """Rows of the Predictions of the samples of a ribbon, ascending; lines of truth and answer, and the kind."""
        check_one_of("kind", kind, KINDS)
        rows, columns = _lines(self.folded)
        inside = (rows == row) & (columns == column) & (self.is_wrong == (kind == "wrong"))
        return self.folded.matrix.pairs.row[inside]

    def line_name(self, line: int) -> str:
        """Name of a class, with what its line stands for where that is not the class alone."""
        node, n_folded = int(self.folded.nodes[line]), int(self.folded.n_folded[line])
        if node < 0:
            return "(outside the taxonomy)"
        name = self.folded.matrix.taxonomy.names[node]
        if n_folded:
            return f"{n_folded} other classes of {name}"
        return f"{name} itself" if self.folded.is_open[line] else name

    @in_backend
    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a ribbon, the largest first: truth, predicted, outcome, count, within."""
        order = np.argsort(-self.count, kind="stable")
        names = [[self.line_name(line) for line in of[order].tolist()] for of in (self.row, self.column)]
        columns = {"outcome": self.kind[order], "count": self.count[order], "within": self.is_within[order]}
        return frame({"truth": names[0], "predicted": names[1], **columns})


def mistake_flow(
    evaluation: Judged,
    rule: str = "majority",
    threshold: float = 0.5,
    *,
    open_nodes: Iterable[int] = (),
    most: int = 24,
    **parameters: Any,
) -> MistakeFlow:
    """Flows of the wrong and the coarse answers between the classes of a taxonomy, some of which are open.

    Parameters
    ----------
    evaluation : Evaluation, Predictions, or JudgedAnswers
        Of scores or labels, of trees or graphs, with one truth and one answer a sample.
    rule, threshold, **parameters
        How the answer is chosen, as in `Evaluation.answers`; ignored for labels.
    open_nodes : iterable of int
        Nodes whose children are shown; the root is always open.
    most : int
        Classes that are wanted, as in `folded_matrix`: rare ones of a family share a line.

    Returns
    -------
    MistakeFlow

    Raises
    ------
    PredictionsError
        If samples have several truths or answers, no answer is wrong or coarse, a node is none, or `most` is below 1.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("fruit", "citrus"), ("citrus", "lemon"), ("citrus", "orange"), ("fruit", "pear")])
    >>> answers = taxonomy.nodes("orange", "citrus", "pear", "lemon")
    >>> found = mistake_flow(Predictions.from_labels(taxonomy, answers, truth=taxonomy.nodes(*["lemon"] * 4)))
    >>> list(zip(found.kind.tolist(), found.count.tolist(), found.is_within.tolist()))
    [('coarse', 1, True), ('wrong', 1, True), ('wrong', 1, False)]
    """
    answers = judged_answers(evaluation, rule, threshold, **parameters)
    check_whole("most", most, 1)
    nodes = places_of(
        "open_nodes", listed_values("open_nodes", open_nodes, "node numbers"), answers.taxonomy.n_nodes, "node number"
    )
    mistakes = wrong_and_coarse(answers)
    kept = answers.taxonomy.ancestors(nodes).nodes.tolist() if len(nodes) else ()
    folded = folded_matrix(matrix(mistakes, open_nodes=nodes), most, kept)
    # Of one truth and one answer a sample, pairs are in the order of the samples.
    n, is_wrong, (rows, columns) = len(folded.nodes), mistakes.is_wrong, _lines(folded)
    keys, count = np.unique((rows * n + columns) * 2 + is_wrong, return_counts=True)
    cell, wrong = np.divmod(keys, 2)
    row, column = np.divmod(cell, n)
    return MistakeFlow(folded, answers.n_judged, row, column, np.array(KINDS)[wrong], count, is_wrong)


def _lines(folded):
    """Line of the truth and of the answer of each pair."""
    return folded.row_line[folded.matrix.pair_rows], folded.column_line[folded.matrix.pair_columns]


def wrong_and_coarse(answers: JudgedAnswers) -> JudgedAnswers:
    """The wrong and the coarse ones of some answers; a PredictionsError where there are none."""
    _ = answers.single
    places = [list(OUTCOMES).index(kind) for kind in KINDS]
    found = np.isin(answers.outcome, places)
    if not found.any():
        raise PredictionsError(
            f"{answers.evaluation.predictions.name}: expected wrong or coarse answers, got none. Choose another rule, threshold "
            "or filter."
        )
    return answers.take(found)
