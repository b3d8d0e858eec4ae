"""Several answers to one sample as numbers of answers at each class: the scores of the parametrisation ``votes``.

Conventions
-----------
An answer that names no class of the taxonomy, -1, is counted at the root: it is at or below no other class.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.listed_scores import ListedScores
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy


def answer_counts(answers: NodeLists, taxonomy: Taxonomy) -> ListedScores:
    """Number of answers at each class of every sample.

    Parameters
    ----------
    answers : NodeLists
        Of each sample, in any order; -1 for an answer outside the taxonomy.
    taxonomy : Taxonomy

    Returns
    -------
    ListedScores
        Of shape (n_samples, n_nodes); classes without an answer have 0.

    Raises
    ------
    PredictionsError
        If an answer is no node number.
    """
    n_nodes, nodes = taxonomy.n_nodes, answers.nodes
    if len(nodes) and not (nodes.min() >= -1 and nodes.max() < n_nodes):
        raise PredictionsError(
            f"answers: expected node numbers from 0 to {n_nodes - 1}, or -1 (no class), got "
            f"{nodes.min()} to {nodes.max()}. Use Taxonomy.nodes to look names up."
        )
    entries, count = np.unique(answers.rows * n_nodes + np.maximum(nodes, 0), return_counts=True)
    rows, columns = np.divmod(entries, n_nodes)
    shape = len(answers), n_nodes
    return ListedScores.from_entries(rows, columns, count.astype(np.float64), shape, missing="zero", is_top_k=False)
