"""Labels and scores by level: tables of labels with one column a level, and ``.npz`` files with one array of scores a level.

Conventions
-----------
- Labels, as hiclass predicts them: ``level_1, level_2, ...`` or ``predicted_1, ...``; a row stops where its cells are empty.
  Columns of ranks are read so too (`rank_columns`).
- Scores: ``level_1`` of shape (samples, classes of that level), and so on. The names of the classes are in ``<array>_names``
  or ``<array>_classes``. Without them an array is taken for the classes of one depth in the order of the taxonomy, and there
  must be as many.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.metrics.level_answers import broken_links
from hierviz.predictions.node_names import level_nodes, nodes_by_level
from hierviz.predictions.predictions import Predictions
from hierviz.readers.labels import named_nodes
from hierviz.readers.rank_columns import deepest_nodes, rank_places
from hierviz.readers.truth_file import Truth, truths_of
from hierviz.taxonomy.node_lists import NodeLists, offsets_of

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


# What each row would repeat in a list of them.
_ADVICE = re.compile(r" (Check the names and the taxonomy|Correct the row)\.$")


def looks_like(names):
    """Whether there are two columns of levels."""
    return bool(level_places(names)[0])


def read(samples, where, reading, said):
    """RawPredictions of such a table.

    Parameters
    ----------
    samples : SampleTable
    where : str
    reading : Reading
    said : list of str
        Notes.

    Raises
    ------
    PredictionsError
        If there are no such columns, a name is no child of the one in the column before it, or a row has gaps.
    """
    names, taxonomy = samples.names, reading.taxonomy
    predicted, true = level_places(names)
    columns = samples.read()
    ranks = [] if predicted else rank_places(names)
    if not predicted and not ranks:
        raise PredictionsError(
            f"{where}: expected the columns level_1, level_2, ..., got {listed(names)}. Rename them so."
        )
    predicted = predicted or ranks
    words = {
        "form": "labels with one column a level",
        "predicted columns": ", ".join(names[place] for place in predicted),
    }
    raw = samples.predictions(columns, "levels", words, left_out={*predicted, *true})
    how, notes, unknown = reading.disagreeing, [], reading.answers
    if how == "error":
        try:
            labels = (
                _of_ranks(columns, ranks, taxonomy, unknown)
                if ranks
                else _nodes_of_columns(columns, predicted, taxonomy, where, unknown, columns.place)
            )
        except PredictionsError as error:
            more = (
                ""
                if "gaps" in error.template
                else " To keep the answer of each level, say {disagreeing=levels}, or only the deepest, {disagreeing=deepest}."
            )
            raise PredictionsError(f"{error.template}{more}") from None
    else:
        labels, notes = _kept(columns, predicted, reading, where)
    labels = labels if unknown is None else unknown.settle(labels)
    truth = raw.truth
    if true and truth is None:
        theirs = _nodes_of_columns(columns, true, taxonomy, f"{where}, truth", reading.truths)
        theirs = theirs if reading.truths is None else reading.truths.settle(theirs)
        nodes, outside = truths_of(theirs, reading.truths)
        truth = Truth(nodes, where=where, outside=outside)
    n_empty = int((labels.lengths == 0).sum())
    if n_empty:
        raise PredictionsError(
            f"{where}: expected a class in column {names[predicted[0]]!r} of every row, got {n_empty} rows without. "
            "Write the name of the root for an answer without a class."
        )
    is_by_level = how == "levels"
    kinds = {"is_hard": not is_by_level, "is_by_level": is_by_level}
    return replace(raw, labels=labels, truth=truth, notes=(*raw.notes, *notes), **kinds)


def _nodes_of_columns(columns, places, taxonomy, where, unknown, place=None):
    cells = np.array([columns.single_text(column) for column in places], dtype=object).T
    return level_nodes(cells, taxonomy, where, unknown, place)


def off_paths(columns, taxonomy, unknown):
    """(row, what is wrong) of the rows that stop `read` where levels may not disagree: all of them, in their order.

    Parameters
    ----------
    columns : Columns
        Of the rows.
    taxonomy : Taxonomy
    unknown : OutsideNames
    """
    names = [name.strip() for name in columns.names]
    predicted, _ = level_places(names)
    places = predicted or rank_places(names)
    known = {}
    for row, cells in enumerate(zip(*map(columns.single_text, places), strict=True)):
        if cells not in known:
            try:
                if predicted:
                    level_nodes(np.array([cells], dtype=object), taxonomy, "row", unknown)
                else:
                    deepest_nodes([cells], taxonomy, lambda row: "row", unknown)
                known[cells] = None
            except PredictionsError as error:
                known[cells] = _ADVICE.sub("", error.template.partition(": ")[2].removesuffix(unknown.advice))
        if known[cells] is not None:
            yield row, known[cells]


def _kept(columns, places, reading, where):
    """Labels of levels that may lie on no path, and what was done with those that do not."""
    taxonomy, how = reading.taxonomy, reading.disagreeing
    cells = np.array([columns.single_text(place) for place in places], dtype=object).T
    labels = nodes_by_level(cells, taxonomy, where, reading.answers)
    inside = NodeLists(labels.offsets, np.maximum(labels.nodes, -1))
    answers = Predictions(taxonomy, labels=inside, is_by_level=True).level_labels
    n_broken = int(broken_links(taxonomy, answers).any(axis=1).sum()) if taxonomy.is_tree else None
    done = "the answers of all levels are kept" if how == "levels" else "only the deepest answer of each row counts"
    count = "" if n_broken is None else f": those of {n_broken:,} of {len(labels):,} rows are no path from the top"
    if how == "deepest":
        last = labels.offsets[1:][labels.lengths > 0] - 1
        labels = NodeLists(offsets_of((labels.lengths > 0).astype(np.intp)), labels.nodes[last])
    return labels, [f"{where}: {done}{count}"]


def _of_ranks(columns, places, taxonomy, unknown):
    rows = list(zip(*(columns.single_text(place) for place in places), strict=True))
    nodes = deepest_nodes(rows, taxonomy, columns.place, unknown)
    return NodeLists.from_lists([[node] if node != -1 else [] for node in nodes.tolist()])


NAMES_OF_LEVEL = ("_names", "_classes", "_labels")


def level_keys(headers):
    """Keys of arrays of numbers with two axes, in the order of the numbers at their ends; empty where they have none."""
    tables = [key for key, array in headers.items() if array.ndim == 2 and array.dtype.kind in "fiu"]
    numbers = [re.search(r"(\d+)$", key) for key in tables]
    if len(tables) < 2 or not all(numbers) or len({match[1] for match in numbers}) < len(tables):
        return []
    return [key for _, key in sorted(zip((int(match[1]) for match in numbers), tables, strict=True))]


def joined_levels(npz, keys, taxonomy, where, as_text, notes):
    """Scores of all levels side by side, and the node of each column.

    Returns
    -------
    scores : ndarray, shape (n_samples, n_columns)
    nodes : ndarray of int, shape (n_columns,)

    Raises
    ------
    PredictionsError
        If arrays differ in rows, a level has no names and is not as wide as a depth, or a class is at two levels.
    """
    arrays = {key: npz[key] for key in keys}
    if len({len(array) for array in arrays.values()}) > 1:
        shapes = ", ".join(f"{key!r} {array.shape}" for key, array in arrays.items())
        raise PredictionsError(
            f"{where}: expected as many rows in the array of every level, got {shapes}. Align the rows."
        )
    nodes, assumed = [], []
    for place, key in enumerate(keys):
        width = arrays[key].shape[1]
        names = next((as_text(npz[key + end]) for end in NAMES_OF_LEVEL if key + end in npz.headers), None)
        if names is None:
            depth = next((d for d in (place + 1, place) if np.count_nonzero(taxonomy.depth == d) == width), None)
            if depth is None:
                counts = ", ".join(map(str, np.bincount(taxonomy.depth).tolist()))
                raise PredictionsError(
                    f"{where}, array {key!r}: expected {key + NAMES_OF_LEVEL[0]!r} with {width} names, or as many columns as a "
                    f"depth has classes ({counts} from the root down), got {width} columns. Save the names."
                )
            nodes.append(np.flatnonzero(taxonomy.depth == depth))
            assumed.append(key)
        else:
            nodes.append(_named(names, width, taxonomy, f"{where}, array {key!r}", notes))
    if assumed:
        notes.append(
            f"{where}: arrays {listed(assumed)} were assumed to be the classes of a depth in the order of the taxonomy"
        )
    joined = np.concatenate(nodes)
    twice = np.flatnonzero(np.bincount(joined, minlength=taxonomy.n_nodes) > 1)
    if len(twice):
        raise PredictionsError(
            f"{where}: expected every class at one level, got {listed([taxonomy.names[node] for node in twice])} at several. "
            "Leave the column out of the lower level."
        )
    return np.concatenate(list(arrays.values()), axis=1), joined


def _named(names, width, taxonomy, where, notes):
    if names is None or len(names) != width:
        raise PredictionsError(
            f"{where}: expected {width} names of its columns as text, got {len(names or ())}. Save them."
        )
    return named_nodes(names, taxonomy, where, notes)
