"""Data that the browser unfolds: the taxonomy with its numbers, probabilities of a sample, the confusion matrix of all nodes."""

from __future__ import annotations

import numpy as np

from hierviz.diagnosis._node_table import NODE_COLUMNS, cost_key, number_text_of, usable_columns
from hierviz.diagnosis.confusion_matrix import LABEL_OUTSIDE, NO_PARTNER, matrix, placement
from hierviz.messages.number_text import probability_text

# Columns of the table of the taxonomy, as far as there are such numbers.
SHOWN = ("support", "n_wrong", "missed", "correct", "n_no_answer", "stopped_here", "recall", "precision", "mean_win")


def tree_data(taxonomy):
    """Names and children of all nodes: dict of plain lists."""
    return {
        "titles": [taxonomy.title(node) for node in range(taxonomy.n_nodes)],
        "offsets": taxonomy.children.offsets.tolist(),
        "children": taxonomy.children.nodes.tolist(),
    }


def shown_columns(table):
    """Keys of the columns of a NodeTable that a report shows."""
    return [key for key in SHOWN if key in usable_columns(table)]


def node_data(table):
    """Columns of a NodeTable as text, and the order of siblings: the most wrong answers first.

    Returns
    -------
    dict
        ``columns`` (label, sentence, texts of all nodes), ``share`` (numbers from 0 to 1 for the bars of the column of that
        place, or null), ``rank`` (place of each node among all, the worst first).
    """
    usable = shown_columns(table)
    columns = [
        {
            "label": NODE_COLUMNS[key].label,
            "sentence": NODE_COLUMNS[key].sentence,
            "texts": [number_text_of(key, value) for value in np.asarray(getattr(table, key), dtype=float).tolist()],
        }
        for key in usable
    ]
    cost = np.nan_to_num(getattr(table, cost_key(table)))
    # Ties keep the order of the taxonomy.
    rank = np.argsort(np.lexsort((np.arange(len(cost)), -table.support, -cost)))
    bar = next((place for place, key in enumerate(usable) if NODE_COLUMNS[key].kind == "share"), None)
    share = None
    if bar is not None:
        values = np.asarray(getattr(table, usable[bar]), dtype=float)
        share = {"column": bar, "values": [None if np.isnan(value) else round(value, 4) for value in values.tolist()]}
    return {"columns": columns, "share": share, "rank": rank.tolist()}


def probability_data(p, truth, predicted):
    """Probabilities of one sample for the same tree: ``texts``, ``rank`` (the most probable first), ``marks`` of nodes."""
    rank = np.argsort(np.argsort(-p, kind="stable"))
    marks: dict[int, str] = dict.fromkeys(truth, "truth")
    for node in predicted:
        marks[node] = f"{marks[node]}, answer" if node in marks else "answer"
    texts = [probability_text(value) for value in p.tolist()]
    return {
        "columns": [{"label": "p", "sentence": "Probability of the class.", "texts": texts}],
        "share": {"column": 0, "values": np.clip(np.round(p, 4), 0, 1).tolist()},
        "rank": rank.tolist(),
        "marks": {str(node): mark for node, mark in marks.items()},
    }


def matrix_data(answers):
    """Pairs of true and predicted nodes with their counts, from which each state of the matrix is summed: dict of lists.

    ``offsets`` and ``children`` of the tree in which each node has one place, ``truth``, ``answer`` (-1 without a partner, -2
    outside the taxonomy) and ``count`` of the pairs.
    """
    tree = placement(answers.taxonomy)
    found = matrix(answers, open_nodes=np.flatnonzero(~tree.is_leaf))
    words = {NO_PARTNER: -1, LABEL_OUTSIDE: -2}
    rows, columns = (
        np.array([words.get(node, node) for node in nodes.tolist()], dtype=int)
        for nodes in (found.row_nodes, found.column_nodes)
    )
    return {
        "offsets": tree.children.offsets.tolist(),
        "children": tree.children.nodes.tolist(),
        "truth": rows[found.row].tolist(),
        "answer": columns[found.column].tolist(),
        "count": found.count.tolist(),
    }
