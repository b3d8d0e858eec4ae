"""Tables of labels with one column a level, as hiclass predicts them: ``level_1, level_2, ...`` or ``predicted_1, ...``; a row
stops where its cells are empty. Columns of ranks are read so too (`rank_columns`).
"""

from __future__ import annotations

import re

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.node_names import level_nodes
from hierviz.readers.rank_columns import deepest_nodes, rank_places
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.truth_file import Truth, id_column
from hierviz.taxonomy.node_lists import NodeLists

_WORDS = r"(?:level|lvl|rank|depth|tier|l)"
_PREDICTED = re.compile(rf"(?:(?:predicted|prediction|pred|y_pred)[_ ]?(?:{_WORDS}[_ ]?)?|{_WORDS}[_ ]?)(\d{{1,3}})")
_TRUTH = re.compile(rf"(?:truth|true|y_true|target)[_ ]?(?:{_WORDS}[_ ]?)?(\d{{1,3}})")


def level_places(names):
    """(places of the predicted levels, of the true ones), each from the top down; empty where there are not two predicted."""
    found = []
    for pattern in (_PREDICTED, _TRUTH):
        by_level = {int(m[1]): k for k, name in enumerate(names) if (m := pattern.fullmatch(name.casefold()))}
        found.append([by_level[level] for level in sorted(by_level)])
    return (found[0], found[1]) if len(found[0]) > 1 else ([], [])


def looks_like(names):
    """Whether there are two columns of levels."""
    return bool(level_places(names)[0])


def read(table, names, of_samples, other_columns):
    """RawPredictions of such a table.

    Parameters
    ----------
    table : TextTable or ParquetTable
    names : list of str
    of_samples : dict
        Keywords of `other_columns`.
    other_columns : callable
        (columns, special, left_out=..., **of_samples) → ids, truth, attributes.

    Raises
    ------
    PredictionsError
        If there are no such columns, a name is no child of the one in the column before it, or a row has gaps.
    """
    predicted, true = level_places(names)
    columns, taxonomy = table.read(has_header=True), of_samples["taxonomy"]
    if len(columns) == 0:
        raise PredictionsError(
            f"{table.where}: expected a row for every sample, got none below the header. Is it complete?"
        )
    ranks = [] if predicted else rank_places(names)
    if not predicted and not ranks:
        raise PredictionsError(
            f"{table.where}: expected the columns level_1, level_2, ..., got {listed(names)}. Rename them so."
        )
    more = other_columns(columns, {id_column(names)} - {None}, **of_samples, left_out={*predicted, *true, *ranks})
    if ranks:
        labels, predicted = _of_ranks(columns, ranks, taxonomy), ranks
    else:
        labels = _nodes(columns, predicted, taxonomy, table.where)
    if true and more["truth"] is None:
        nodes = _nodes(columns, true, taxonomy, f"{table.where}, truth")
        single = np.full(len(nodes), -1, dtype=np.intp)
        single[nodes.lengths == 1] = nodes.nodes
        more["truth"] = Truth(single, where=table.where)
    shown = ", ".join(names[place] for place in predicted)
    detected = {
        "form": "labels with one column a level",
        "predicted columns": shown,
        **table.detected,
        **more["detected"],
    }
    n_empty = int((labels.lengths == 0).sum())
    if n_empty:
        raise PredictionsError(
            f"{table.where}: expected a class in column {names[predicted[0]]!r} of every row, got {n_empty} rows without. "
            "Write the name of the root for an answer without a class."
        )
    more |= {"detected": detected, "notes": tuple(more["notes"])}
    return RawPredictions(table.where, "levels", labels=labels, is_hard=True, **more)


def _nodes(columns, places, taxonomy, where):
    cells = np.array([columns.single_text(place) for place in places], dtype=object).T
    return level_nodes(cells, taxonomy, where)


def _of_ranks(columns, places, taxonomy):
    rows = list(zip(*(columns.single_text(place) for place in places), strict=True))
    nodes = deepest_nodes(rows, taxonomy, columns.place)
    return NodeLists.from_lists([[node] if node >= 0 else [] for node in nodes.tolist()])
