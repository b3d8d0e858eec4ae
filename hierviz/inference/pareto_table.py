r"""What threshold inference can answer, for every sample at once: the sufficient statistic of all thresholds.

Conventions
-----------
For a threshold t the answer to a sample is its most informative node with p > t. As t falls from 1 to 0 a sample
runs through few different answers: its Pareto set. A ParetoTable holds these sets for all samples and is all that
curves, look-ups and reports at any threshold need; the (n_samples, n_nodes) matrix is never kept.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hierviz.compiled.tree_pass import PassBlock, is_used, tree_pass
from hierviz.inference import rules
from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.notebook_html import Short
from hierviz.predictions.outside import OUTSIDE
from hierviz.predictions.predictions import Predictions
from hierviz.taxonomy.checks import check_taxonomy, check_threads, check_threshold, checked_probabilities, is_number
from hierviz.taxonomy.node_lists import entries_of, frozen, offsets_of
from hierviz.taxonomy.positions import places_of
from hierviz.taxonomy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class ParetoTable(Short):
    """The nodes that threshold inference can return, for every sample.

    Attributes
    ----------
    offsets : ndarray of int, shape (n_samples + 1,)
        Sample i owns elements ``offsets[i]:offsets[i + 1]``; at least one.
    nodes : ndarray of int32, shape (n_elements,)
        Ascending information inside a sample; -1 as the only one of a sample is an answer outside the taxonomy.
    scores : ndarray of float64, shape (n_elements,)
        Their probabilities, descending inside a sample.
    kept : dict
        What was made of the table, by name, for those who ask again; it goes where the table goes.

    Notes
    -----
    The arrays are read-only from then on: what is made of a table is kept with it.
    """

    _printed = ("offsets", "nodes", "scores")

    offsets: np.ndarray
    nodes: np.ndarray
    scores: np.ndarray
    kept: dict = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self):
        for array in (self.offsets, self.nodes, self.scores):
            frozen(array)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.offsets) - 1

    def take(self, rows: np.ndarray | slice) -> ParetoTable:
        """The table of some samples (ndarray of int), in that order."""
        if not isinstance(rows, slice):
            rows = places_of("rows", rows, self.n_samples, "row")
        offsets, places = entries_of(self.offsets, rows)
        return ParetoTable(offsets, self.nodes[places], self.scores[places])

    def with_outside(self, rows: np.ndarray, p: np.ndarray) -> ParetoTable:
        """The same with -1, outside the taxonomy, as the only answer of some samples.

        Parameters
        ----------
        rows : ndarray of bool, shape (n_samples,)
        p : ndarray of float, shape (n_samples,)
            What lies outside.
        """
        kept = ~np.repeat(rows, np.diff(self.offsets))
        firsts = self.offsets[:-1][rows]
        kept[firsts] = True
        nodes, scores = self.nodes.copy(), self.scores.copy()
        nodes[firsts], scores[firsts] = OUTSIDE, p[rows]
        sizes = np.where(rows, 1, np.diff(self.offsets))
        return ParetoTable(offsets_of(sizes), nodes[kept], scores[kept])

    def nodes_at(self, threshold: float) -> np.ndarray:
        """Answer of every sample at one threshold, shape (n_samples,): rule `threshold` without the matrix."""
        check_threshold(threshold)
        above = np.add.reduceat((self.scores > threshold).astype(np.intp), self.offsets[:-1])
        return self.nodes[self.offsets[:-1] + np.maximum(above, 1) - 1].astype(np.intp)

    def first_change(self, start: float, end: float) -> np.ndarray:
        """Threshold at which the answer of every sample first changes on the way from one threshold to another.

        Shape (n_samples,); NaN where the answer is the same all the way. Upwards it changes at this threshold, downwards just
        below it: an answer holds from a threshold, which is included, to the next, as in `hierviz.diagnosis.flip_intervals`.
        """
        check_threshold(start)
        check_threshold(end)
        first, last = self.offsets[:-1], self.offsets[1:]
        above = np.add.reduceat((self.scores > start).astype(np.intp), first)
        place = first + np.maximum(above, 1) - 1
        if end >= start:
            found = self.scores[place]
            return np.where((above > 1) & (found <= end), found, np.nan)
        found = self.scores[np.minimum(place + 1, len(self.scores) - 1)]
        return np.where((place + 1 < last) & (found > end), found, np.nan)

    def nodes_from_bits(self, taxonomy: Taxonomy, bits: float) -> np.ndarray:
        """Answer of every sample among nodes of at least `bits` bits, shape (n_samples,): rule `information_threshold`.

        The most probable of these nodes, the more informative of equal ones, is an element of the Pareto set, and its first
        one from `bits` on.
        """
        rules.check_bits(taxonomy, bits)
        # What lies outside the taxonomy has the bits of a leaf.
        information = np.append(taxonomy.information, np.inf)[self.nodes]
        below = information < float(bits) - rules.BITS_TIE
        return self.nodes[self.offsets[:-1] + np.add.reduceat(below.astype(np.intp), self.offsets[:-1])]

    @classmethod
    def concatenate(cls, tables: Sequence[ParetoTable]) -> ParetoTable:
        """One table of the samples of several, in order."""
        sizes = np.concatenate([np.diff(table.offsets) for table in tables])
        return cls(
            offsets_of(sizes),
            np.concatenate([table.nodes for table in tables]),
            np.concatenate([table.scores for table in tables]),
        )


def as_table(taxonomy: Taxonomy, table: ArrayLike | Predictions | ParetoTable) -> ParetoTable:
    """`table` itself when it is a ParetoTable, else that of node probabilities or Predictions.

    Raises
    ------
    PredictionsError
        If a ParetoTable has nodes that the taxonomy has not.
    """
    if not isinstance(table, ParetoTable):
        return pareto_table(taxonomy, table)
    check_taxonomy(taxonomy)
    if len(table.nodes) and table.nodes.max() >= taxonomy.n_nodes:
        raise PredictionsError(
            f"table: expected node numbers from 0 to {taxonomy.n_nodes - 1}, got {table.nodes.max()}. "
            "Pass the table of this taxonomy."
        )
    return table


def table_of_block(predictions: Predictions, block: PassBlock | slice) -> ParetoTable:
    """The table of the rows of one block of `tree_pass`."""
    if isinstance(block, slice):
        return pareto_table(predictions.taxonomy, predictions.node_probabilities(block))
    return ParetoTable(offsets_of(block.sizes), block.nodes, block.scores)


def pareto_table(
    taxonomy: Taxonomy, p: ArrayLike | Predictions, *, min_threshold: float | None = None, threads: int | None = None
) -> ParetoTable:
    """Pareto set of every row of node probabilities [1]_.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree or a graph.
    p : ndarray of float, shape (n_samples, n_nodes), or Predictions
        Predictions are processed in blocks of rows.
    min_threshold : float, optional
        Keep only candidates with p > min_threshold (strict): cheaper, but the curve then ends there and leaf inference
        is no longer on it.
    threads : int, optional
        Blocks of Predictions that are processed at a time, where compiled loops serve (`hierviz.compiled`); all
        processors when None.

    Returns
    -------
    ParetoTable

    Raises
    ------
    PredictionsError
        If `p` has another width or a value that is no finite number, or the Predictions hold labels.

    Notes
    -----
    `Taxonomy.candidates` are walked from the most to the least informative; the most probable
    of equal information (lowest node on ties) is kept when its p is strictly above all before it. The last element is
    thus the most probable leaf, and the first normally the root.
    """
    check_threads(threads)
    if isinstance(p, Predictions):
        if p.n_samples == 0:
            return ParetoTable(np.zeros(1, np.intp), np.empty(0, np.int32), np.empty(0))
        if min_threshold is None and is_used(p):
            blocks = tree_pass(p, threads=threads)
            return ParetoTable.concatenate([table_of_block(p, block) for block in blocks])
        pieces = (p.node_probabilities(rows) for rows in p.blocks())
        return ParetoTable.concatenate([pareto_table(taxonomy, piece, min_threshold=min_threshold) for piece in pieces])
    p = checked_probabilities(taxonomy, p)
    if min_threshold is not None and not is_number(min_threshold):
        raise PredictionsError(f"min_threshold: expected a number, got {shown(min_threshold)}. Choose one.")
    above = np.full(len(p), -np.inf if min_threshold is None else float(min_threshold))
    rows, nodes, scores = [], [], []
    for group in taxonomy.candidate_groups:
        inside = p[:, group]
        best = inside.max(axis=1)
        kept = np.flatnonzero(best > above)
        above[kept] = best[kept]
        rows.append(kept)
        nodes.append(group[inside[kept].argmax(axis=1)])
        scores.append(best[kept])
    if min_threshold is not None:
        # A set is never empty: where nothing exceeds the minimum it is its usual first element.
        bare = np.setdiff1d(np.arange(len(p)), np.concatenate(rows))
        rows, nodes = [*rows, bare], [*nodes, rules.threshold(taxonomy, p[bare], 1.0)]
        scores = [*scores, p[bare, nodes[-1]]]
    row, node, score = (np.concatenate(parts[::-1]) for parts in (rows, nodes, scores))
    order = np.argsort(row, kind="stable")
    offsets = offsets_of(np.bincount(row, minlength=len(p)))
    return ParetoTable(offsets, node[order].astype(np.int32), score[order])
