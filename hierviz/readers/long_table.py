"""Scores in long form: one row per sample and class."""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.listed_scores import ListedEntries, first_repeat, is_falling
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers import file_limits
from hierviz.readers.columns import Columns, joined, looks_numeric
from hierviz.readers.labels import find_node, text_array, unknown_node
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.truth_file import Truth, truth_of_column, truth_place

SAMPLE_COLUMNS = ("sample_id", "id", "sample")
CLASS_COLUMNS = ("class", "node", "class_name", "category", "leaf", "label", "name")
SCORE_COLUMNS = ("score", "probability", "prob", "p", "confidence")


def long_roles(names):
    """Places of (sample, class, score) among column names, None when one of them is missing."""
    folded = [name.casefold() for name in names]
    roles = [
        next((folded.index(name) for name in accepted if name in folded), None)
        for accepted in (SAMPLE_COLUMNS, CLASS_COLUMNS, SCORE_COLUMNS)
    ]
    return None if None in roles else tuple(roles)


def read_long(table, names, reading):
    """Read a long table of scores: a matrix, or, where `missing` says what classes without a row are, the listed scores.

    Samples and classes keep the order in which they first come.

    Returns
    -------
    RawPredictions

    Raises
    ------
    PredictionsError
        If a class is not in the taxonomy, a pair is there twice or missing (naming sample and class), or the truth of a
        sample changes from row to row.
    """
    roles = long_roles(names)
    if roles is None:
        raise PredictionsError(
            f"{table.where}: expected the columns sample_id, class and score, got {listed(names)}. Rename them so."
        )
    sample, class_, score = roles
    columns, taxonomy = table.read(numbers=[score]), reading.taxonomy
    columns.require_rows()
    samples, classes, loose = {}, {}, LooseMatches(taxonomy)
    rows = np.array([samples.setdefault(sample_id, len(samples)) for sample_id in columns.single_text(sample)])
    for row, name in enumerate(columns.single_text(class_)):
        if name not in classes:
            node = find_node(name, taxonomy, loose=loose)
            if node is None:
                raise unknown_node(f"{columns.place(row)}, column {names[class_]!r}", name, taxonomy)
            classes[name] = node
    nodes = np.array(list(dict.fromkeys(classes.values())), dtype=np.intp)
    place = {node: k for k, node in enumerate(nodes.tolist())}
    cells = np.array([place[classes[name]] for name in columns.text[class_]])
    twice = first_repeat(rows, cells)
    if twice is not None:
        raise pair_again(columns.place(twice), list(samples)[rows[twice]], taxonomy.names[nodes[cells[twice]]])
    found = {}
    if reading.missing is None or _is_complete(taxonomy, nodes, len(samples), len(rows)):
        found = {"scores": _matrix(columns, rows, cells, list(samples), nodes, taxonomy), "scored_nodes": nodes}
    else:
        value, lengths = columns.numbers[:, 0], np.bincount(rows)
        # Rows of one class after the other do not show that the best ones are listed.
        is_top_k = bool((lengths == lengths[0]).all()) and is_falling(rows, value)
        found = {"listed": ListedEntries(rows, nodes[cells], value, len(samples), is_top_k)}
    first = np.full(len(samples), -1)
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    more = per_sample(columns, roles, rows, first, reading)
    return long_predictions(table, names, found, len(nodes), list(samples), more, loose)


def long_predictions(table, names, found, n_classes, ids, more, loose):
    """RawPredictions of a long table.

    Parameters
    ----------
    table : TextTable or ParquetTable
    names : list of str
        Of its columns.
    found : dict
        Scores and their nodes, or what is listed: keywords of RawPredictions.
    n_classes : int
    ids : list of str
    more : dict
        From `per_sample`.
    loose : LooseMatches
    """
    roles = zip(("id column", "class column", "score column"), long_roles(names), strict=True)
    return RawPredictions(
        table.where,
        "long",
        **found,
        **more,
        ids=text_array(ids),
        detected={
            "form": "long scores (one row per sample and class)",
            **table.detected,
            **{words: names[place] for words, place in roles},
            "rows": f"{len(ids):,}",
            "columns of scores": f"{n_classes:,}",
        },
        notes=tuple(loose.notes(table.where)),
    )


def pair_again(place, sample, class_name):
    """The error about a pair of sample and class that is there twice."""
    return PredictionsError(
        f"{place}: expected every pair of sample and class once, got {sample!r} and {class_name!r} again. "
        "Remove one of the rows."
    )


def another_value(place, column, cell, before):
    """The error about a column that changes inside a sample."""
    return PredictionsError(
        f"{place}, column {column!r}: expected one value per sample, got {cell!r} after {before!r}. "
        "Make them equal or remove the column."
    )


def _is_complete(taxonomy, nodes, n_samples, n_rows):
    """Whether every sample has a row for every leaf or, with inner nodes, for every node but the root."""
    wanted = taxonomy.leaves if taxonomy.is_leaf[nodes].all() else np.arange(1, taxonomy.n_nodes)
    return n_rows == n_samples * len(nodes) and np.isin(wanted, nodes).all()


def _matrix(columns, rows, cells, samples, nodes, taxonomy):
    """Scores of every sample for every class, shape (n_samples, n_classes); PredictionsError where a pair is missing."""
    if len(samples) * len(nodes) > file_limits.TABLE_NUMBERS:
        raise PredictionsError(
            f"{columns.where}: expected at most {file_limits.TABLE_NUMBERS:,} scores, got more. Use .npy."
        )
    n_pairs, pairs = len(samples) * len(nodes), rows * len(nodes) + cells
    if len(pairs) < n_pairs:
        # Every pair that is there comes once: the first that is missing is the first that is not in its place.
        missing = np.append(np.sort(pairs) != np.arange(len(pairs)), True)
        sample, class_ = divmod(int(np.argmax(missing)), len(nodes))
        raise PredictionsError(
            f"{columns.where}: expected a score of every sample for every class, got none of sample {samples[sample]!r} for "
            f"class {taxonomy.names[nodes[class_]]!r}. Missing pairs: {n_pairs - len(pairs)}. Write a row for every class, or "
            "say what the others are: {missing=unknown | zero}."
        )
    scores = np.empty(n_pairs)
    scores[pairs] = columns.numbers[:, 0]
    return scores.reshape(len(samples), len(nodes))


def per_sample(columns, roles, rows, first, reading):
    """Truth and attributes of the samples: keywords of RawPredictions.

    Parameters
    ----------
    columns : Columns
    roles : tuple of int
        From `long_roles`.
    rows : ndarray of int, shape (n_rows,)
        Sample of each row.
    first : ndarray of int, shape (n_samples,)
        First row of each sample.
    reading : Reading
    """
    names, place = columns.names, truth_place(columns.names, reading.truth_column)
    attributes, truth = {}, None
    for k, cells in columns.text.items():
        if k in roles:
            continue
        cells = np.array(list(map(joined, cells)), dtype=object)
        differs = cells != cells[first][rows]
        if differs.any():
            row = int(np.argmax(differs))
            raise another_value(columns.place(row), names[k], cells[row], cells[first][rows][row])
        values = cells[first].tolist()
        if k == place:
            short = Columns(columns.where, names, {k: values}, None, columns.lines[first], columns.has_lines)
            nodes, notes = truth_of_column(short, k, reading.taxonomy)
            truth = Truth(nodes, where=columns.where, notes=tuple(notes))
        elif looks_numeric(values):
            raise PredictionsError(
                f"{columns.where}, column {names[k]!r}: expected text, got numbers that belong to no class. "
                "Remove it; put other numbers of a sample in the truth file."
            )
        else:
            attributes[names[k]] = text_array(values)
    return {"truth": truth, "attributes": attributes}
