r"""The four counts of a hierarchical confusion matrix: their sums, the measures made of them, and the nodes behind them.

Conventions
-----------
Counts are numbers of nodes per sample; how they come about stands in `hierviz.metrics.confusion.confusion`. Data set counts are
sums; measures are ratios of these sums.

Functions
---------
HierarchicalConfusion, measures, CELLS

References
----------
.. [1] K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation,
   J. R. Stat. Soc. C, 2023.
.. [2] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.messages.extras import require
from hierviz.messages.notebook_html import Short, fact_rows, fact_sheet, table
from hierviz.metrics.node_pairs import harmonic_mean, ratio
from hierviz.metrics.parts import OfSums
from hierviz.metrics.registry import CELLS, METRICS, keys_of
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


@dataclass(frozen=True, eq=False)
class HierarchicalConfusion(Short):
    """Hierarchical confusion of one predicted against one true path per sample.

    Attributes
    ----------
    taxonomy : Taxonomy
    truth, predicted : ndarray of int, shape (n_samples,)
    tp, tn, fp, fn : ndarray of int, shape (n_samples,)
        Numbers of nodes.
    """

    taxonomy: Taxonomy
    truth: np.ndarray
    predicted: np.ndarray
    tp: np.ndarray
    tn: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    def _repr_html_(self):
        counts = self.counts
        cells = [["true", counts["tp"], counts["fn"]], ["not true", counts["fp"], counts["tn"]]]
        matrix = table(["nodes of all samples", "predicted", "not predicted"], cells)
        return fact_sheet(f"Hierarchical confusion of {len(self.tp):,} samples", matrix, fact_rows(self.measures))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Sums over samples, exact integers: {'tp':, 'tn':, 'fp':, 'fn':}."""
        return {cell: int(getattr(self, cell).sum()) for cell in CELLS}

    @cached_property
    def measures(self) -> dict[str, float | None]:
        """The measures of `measures` from the summed counts."""
        return measures(**self.counts)

    @cached_property
    def per_sample(self) -> dict[str, np.ndarray]:
        """Per sample: the four counts and hierarchical precision, recall and F1 (``hp``, ``hr``, ``hf1``) in [0, 1].

        hp is 1 where nothing is predicted (the root), hr is 1 where the truth is the root [2]_.
        """
        hp, hr = ratio(self.tp, self.tp + self.fp), ratio(self.tp, self.tp + self.fn)
        return {**{cell: getattr(self, cell) for cell in CELLS}, "hp": hp, "hr": hr, "hf1": harmonic_mean(hp, hr)}

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row a sample: ``truth`` and ``predicted`` by name, and `per_sample`.

        Of several paths the names are joined by ``;``, a label outside the taxonomy being "".
        """
        require("to_frame", "files", "pandas")
        import pandas as pd

        return pd.DataFrame({"truth": self._names(self.truth), "predicted": self._names(self._ends), **self.per_sample})

    @property
    def _ends(self):
        """Predicted nodes: one a sample, or NodeLists."""
        return self.predicted

    def _names(self, nodes):
        names = (*self.taxonomy.names, "")
        if isinstance(nodes, NodeLists):
            return [";".join(names[node] for node in nodes[row].tolist()) for row in range(len(nodes))]
        return [names[node] for node in nodes.tolist()]

    def node_sets(self, row: int) -> dict[str, np.ndarray]:
        """The nodes behind the four counts of one sample.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of str to ndarray of int
            ``tp``, ``tn``, ``fp``, ``fn``, each ascending.
        """
        taxonomy = self.taxonomy
        true, predicted = (taxonomy.path(node) for node in (self.truth[row], self.predicted[row]))
        tp = np.intersect1d(true, predicted)
        # Children of every common node: siblings of the nodes below it, or of nothing under the last one.
        near = taxonomy.children.take(tp).nodes
        return {
            "tp": tp[1:],
            "tn": np.setdiff1d(near, np.union1d(true, predicted)),
            "fp": np.setdiff1d(predicted, true),
            "fn": np.setdiff1d(true, predicted),
        }


def measures(tp: int, tn: int, fp: int, fn: int) -> dict[str, float | None]:
    """The measures of a confusion matrix from exact integers.

    Parameters
    ----------
    tp, tn, fp, fn : int

    Returns
    -------
    dict of str to float or None
        ``acc, ppv, tpr, fnr, fpr, tnr, pt, f1`` in [0, 1] and ``mcc`` in [-1, 1]; None where undefined (0/0).
    """
    counts = {"tp": int(tp), "tn": int(tn), "fp": int(fp), "fn": int(fn)}
    found = {key: float(METRICS[key].made.of(counts)) for key in keys_of("confusion", OfSums)}
    # Of whole numbers the product of the four sums is exact.
    tp, tn, fp, fn = counts.values()
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    found["mcc"] = (tp * tn - fp * fn) / math.sqrt(product) if product else math.nan
    return {key: None if math.isnan(value) else value for key, value in found.items()}
