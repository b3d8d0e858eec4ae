"""Scores that are node probabilities on another taxonomy, worked out in blocks of rows when they are read.

Nothing of size n_samples x n_nodes is held, whatever the predictions: arrays, memory-mapped files, lists of the best classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hierviz.predictions.array_rows import ArrayRows
from hierviz.predictions.predictions import BLOCK_VALUES, Predictions

# Own mass of a node is a difference of sums: what is smaller than this share of the node is rounding.
ROUNDING = 1e-12


class NodeColumns(ArrayRows):
    """Probabilities of some nodes of a Predictions, column by column.

    Parameters
    ----------
    source : Predictions
        With scores.
    nodes : ndarray of int, shape (n_columns,)
        Node of the source's taxonomy of each column; -1 for a column of zeros.
    own : ndarray of int, shape (n_own,)
        Nodes of the source whose own mass follows in further columns: their probability less that of the children in `below`,
        at least 0.
    below : NodeLists, length n_own
        Nodes of the source, at least one each.
    """

    def __init__(self, source: Predictions, nodes: np.ndarray, own: np.ndarray | None = None, below: Any = None):
        self.source, self.nodes = source, np.asarray(nodes, dtype=np.intp)
        self.own, self.below = np.asarray(() if own is None else own, dtype=np.intp), below
        self.shape = (source.n_samples, len(self.nodes) + len(self.own))
        self.dtype = np.dtype(np.float64)

    def __repr__(self):
        return f"<NodeColumns of {self.source.name!r}: {self.shape[0]} x {self.shape[1]}>"

    def __getitem__(self, key):
        rows = np.arange(len(self))[key]
        if rows.ndim == 0:
            return self[rows[None]][0]
        values = np.empty((len(rows), self.shape[1]))
        step = max(1, BLOCK_VALUES // self.source.taxonomy.n_nodes)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            # A run of rows as a slice, which files are read by.
            is_run = len(some) == 1 or (np.diff(some) == 1).all()
            p = self.source.node_probabilities(slice(int(some[0]), int(some[-1]) + 1) if is_run else some)
            block = values[start : start + step]
            block[:, : len(self.nodes)] = np.where(self.nodes >= 0, p[:, self.nodes], 0)
            if len(self.own):
                total = p[:, self.own]
                own = total - np.add.reduceat(p[:, self.below.nodes], self.below.offsets[:-1], axis=1)
                block[:, len(self.nodes) :] = np.where(own > ROUNDING * total, own, 0)
        return values
