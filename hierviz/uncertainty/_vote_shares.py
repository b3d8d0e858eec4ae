"""Shares of the answers to a sample that was asked several times, with their intervals.

The answers to one sample count as independent draws of one model: a class has k of n answers at or below it, and the interval is
Wilson's [1]_, of one class at a time.

References
----------
.. [1] E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import fixed_text
from hierviz.predictions.predictions import Predictions
from hierviz.predictions.score_rows import COUNTS
from hierviz.taxonomy.positions import places_of
from hierviz.taxonomy.tree_sums import sum_up
from hierviz.uncertainty.risk_bounds import wilson


@dataclass(frozen=True, eq=False)
class VoteShares(Short):
    """Numbers of answers at or below every class, of some samples.

    Attributes
    ----------
    n_answers : ndarray of float, shape (n_rows,)
        Answers to each sample; 0 for a sample without an answer.
    at_or_below : ndarray of float, shape (n_rows, n_nodes + 1)
        Those of them at or below each class; all of them for the root. Last, where -1 finds them, those that name no class below
        the root.
    low, high : ndarray of float, shape (n_rows, n_nodes + 1)
        Interval of the share, in [0, 1]; 0 to 1 without an answer, and 1 to 1 of the root.
    confidence : float
        Of the interval.
    """

    n_answers: np.ndarray
    at_or_below: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence: float

    def share(self, row: int, node: int) -> float:
        """Share of the answers at or below a class, in [0, 1]; of a sample with an answer."""
        return float(self.at_or_below[row, node] / self.n_answers[row])

    def counted(self, row: int, node: int) -> str:
        """The answers at or below a class, as ``12 of 20``."""
        return f"{self.at_or_below[row, node]:,.0f} of {self.n_answers[row]:,.0f}"

    def words(self, row: int, node: int) -> str:
        """The answers at or below a class and the interval of their share, as ``12 of 20, 0.39–0.78``."""
        low, high = (fixed_text(float(ends[row, node]), 2) for ends in (self.low, self.high))
        return f"{self.counted(row, node)}, {low}–{high}"


def counted_answers(n: float) -> str:
    """A number of answers in words."""
    return f"{n:,.0f} answer{'' if n == 1 else 's'}"


def has_votes(predictions: Predictions) -> bool:
    """Whether the scores are numbers of answers."""
    return predictions.parametrisation == COUNTS


def vote_shares(
    predictions: Predictions, rows: slice | np.ndarray = slice(None), confidence: float = 0.95
) -> VoteShares:
    """Share of the answers at or below every class, with Wilson's interval.

    Parameters
    ----------
    predictions : Predictions
        Of several answers to each sample, as `Predictions.from_votes` makes them.
    rows : slice or ndarray of int
        Which samples; all of them when absent, which needs 3 * n_samples * n_nodes * 8 bytes.
    confidence : float
        In (0, 1).

    Returns
    -------
    VoteShares

    Raises
    ------
    PredictionsError
        If the scores are not numbers of answers, a row is not there, or the confidence is out of range.

    Examples
    --------
    >>> from hierviz import Predictions, Taxonomy
    >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    >>> votes = Predictions.from_votes(taxonomy, [["cat"] * 12 + ["dog"] * 8])
    >>> vote_shares(votes).words(0, taxonomy.node("cat"))
    '12 of 20, 0.39–0.78'
    """
    if not has_votes(predictions):
        raise PredictionsError(
            f"{predictions.name}: expected several answers to each sample, got "
            f"{predictions.parametrisation or 'labels'}. Pass what Predictions.from_votes returns."
        )
    if not 0 < confidence < 1:
        raise PredictionsError(f"confidence: expected a number between 0 and 1, got {confidence!r}. Pass such as 0.95.")
    if not isinstance(rows, slice):
        rows = places_of("rows", rows, predictions.n_samples, "row")
    scores = np.asarray(predictions.scores[rows], dtype=np.float64)
    own = np.zeros((len(scores), predictions.taxonomy.n_nodes))
    own[:, slice(None) if predictions.scored_nodes is None else predictions.scored_nodes] = scores
    n_answers = own.sum(axis=1)
    at_root = own[:, :1].copy()  # the sums are made in place
    below = np.hstack([sum_up(predictions.taxonomy, own), at_root])
    n = np.broadcast_to(np.maximum(n_answers, 1)[:, None], below.shape)
    low, high = wilson(below, n, confidence)
    low[n_answers == 0], high[n_answers == 0] = 0, 1
    low[:, 0] = high[:, 0] = 1
    return VoteShares(n_answers, below, low, high, confidence)
