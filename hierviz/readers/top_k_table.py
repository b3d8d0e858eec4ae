"""Tables of the best classes of each sample: columns ``class_1, score_1, class_2, score_2, ...``, the best first."""

from __future__ import annotations

import re

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.listed_entries import NOTHING_LISTED, ListedEntries, first_repeat
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import column_node
from hierviz.readers.labels import unknown_node
from hierviz.readers.long_table import CLASS_COLUMNS, SCORE_COLUMNS

_COLUMN = re.compile(
    rf"(?:(?P<class>{'|'.join(CLASS_COLUMNS)})|(?P<score>{'|'.join(SCORE_COLUMNS)}))[_ ]?(?P<rank>\d{{1,6}})"
)


def top_k_roles(names, where):
    """Places of (class, score), the best first: a list of pairs; None when the names have no class and score of one rank.

    Raises
    ------
    PredictionsError
        If a class has no score, or a score no class, or a number between the first and the last is not there.
    """
    places = {}
    for place, name in enumerate(names):
        match = _COLUMN.fullmatch(name.casefold())
        if match:
            role = "class" if match["class"] else "score"
            places.setdefault(int(match["rank"]), {}).setdefault(role, place)
    ranks = sorted(places)
    pairs = [(places[rank].get("class"), places[rank].get("score")) for rank in ranks]
    if not any(None not in pair for pair in pairs):
        return None
    for class_, score in pairs:
        if class_ is None or score is None:
            there, lacking = names[score if class_ is None else class_], "class" if class_ is None else "score"
            raise PredictionsError(
                f"{where}: expected a column of the {lacking} for {there!r}, got none. "
                "Name the columns class_1, score_1, class_2, score_2, ..."
            )
    # Bounds take every class that is not listed for no better than the last one that is.
    wanted = next((k for k, rank in enumerate(ranks, min(ranks[0], 1)) if rank != k), None)
    if wanted is not None:
        raise PredictionsError(
            f"{where}: expected the columns of the best classes without a gap, got none of number {wanted} before "
            f"{names[pairs[wanted - min(ranks[0], 1)][0]]!r}. Add them, or number the columns 1, 2, 3, ..."
        )
    return pairs


def read_top_k(columns, taxonomy, roles, notes=None, unknown=None):
    """The entries of a top-k table.

    Parameters
    ----------
    columns : Columns
        Classes as text, scores as numbers in the order of their ranks; nan for an empty cell.
    taxonomy : Taxonomy
    roles : list of (int, int)
        From `top_k_roles`.
    notes : list of str, optional
        Grows by names that were matched by their meaning.
    unknown : OutsideNames, optional
        Takes names that are not in the taxonomy where these are no error.

    Returns
    -------
    ListedEntries

    Raises
    ------
    PredictionsError
        If a class is not in the taxonomy or there twice in a row, a score is missing, or the
        scores of a row do not fall; names line and column.
    """
    names, n = columns.names, len(columns)
    nodes = np.full((n, len(roles)), -1)
    loose = LooseMatches(taxonomy)
    for rank, (class_, _) in enumerate(roles):
        nodes[:, rank] = _nodes(columns, class_, taxonomy, loose, unknown)
    if notes is not None:
        notes += loose.notes(columns.where)
    values = columns.numbers
    is_listed, has_score = nodes != -1, ~np.isnan(values)
    both = "Fill in both cells, or leave both empty at the end of the row."
    for wrong, what, place, what_to_do in (
        (is_listed & ~has_score, "a score of this class", 1, both),
        (has_score & ~is_listed, "the class of this score", 0, both),
        (~is_listed & (np.arange(len(roles)) == 0), "at least one class", 0, NOTHING_LISTED),
    ):
        if wrong.any():
            row, rank = np.argwhere(wrong)[0]
            raise PredictionsError(
                f"{columns.place(row)}, column {names[roles[rank][place]]!r}: expected {what}, got an empty cell. {what_to_do}"
            )
    gap = np.argwhere(is_listed[:, 1:] & ~is_listed[:, :-1])
    if len(gap):
        row, rank = gap[0]
        raise PredictionsError(
            f"{columns.place(row)}, column {names[roles[rank][0]]!r}: expected a class, got an empty cell before "
            f"{columns.single_text(roles[rank + 1][0])[row]!r}. List the classes of a sample one after the other."
        )
    rises = np.argwhere(values[:, 1:] > values[:, :-1])
    if len(rises):
        row, rank = rises[0]
        raise PredictionsError(
            f"{columns.place(row)}, column {names[roles[rank + 1][1]]!r}: expected scores that fall from the first class on, got "
            f"{float(values[row, rank + 1])!r} after {float(values[row, rank])!r}. Sort the classes of each sample by score."
        )
    row, rank = np.nonzero(is_listed)
    entries = ListedEntries(row, nodes[row, rank], values[row, rank], n, is_top_k=True)
    twice = first_repeat(row, entries.node)
    if twice is not None:
        raise PredictionsError(
            f"{columns.place(row[twice])}, column {names[roles[rank[twice]][0]]!r}: expected every class once in a row, got "
            f"{columns.single_text(roles[rank[twice]][0])[row[twice]]!r} again. Remove one of them."
        )
    return entries if unknown is None else unknown.settle_entries(entries)


def _nodes(columns, place, taxonomy, loose, unknown):
    """Node of each cell, -1 where it is empty."""
    cells = columns.single_text(place)
    known = {"": -1}
    for row, cell in enumerate(cells):
        if cell not in known:
            node = column_node(cell, taxonomy, loose) if cell.strip() else -1
            if node is None and unknown is not None:
                node = unknown.code(cell)
            if node is None:
                at, more = f"{columns.place(row)}, column {columns.names[place]!r}", unknown.advice if unknown else ""
                raise unknown_node(at, cell, taxonomy, more=more)
            known[cell] = node
    return np.array([known[cell] for cell in cells])
