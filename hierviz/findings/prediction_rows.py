"""Faults in the rows and columns of a table of predictions: all of them, where its reader stops at the first.

Tables of scores and labels, and those in which cells name classes: long tables, tables of the best classes, labels without a
header row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import AS_IN_TAXONOMY, look_alike_key, look_at_names, with_zeros_of
from hierviz.findings.sample_ids import look_at_ids
from hierviz.messages.errors import PredictionsError, listed, nearest
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import find_node
from hierviz.predictions.parametrisation import without_column
from hierviz.readers.columns import EVERY_SCORE, as_number, no_numbers
from hierviz.readers.long_table import long_roles
from hierviz.readers.prediction_forms.local_numbers import with_local_numbers
from hierviz.readers.prediction_tables import TEXT_COLUMNS, VERBATIM_COLUMNS, predicted_place
from hierviz.readers.top_k_table import top_k_roles
from hierviz.readers.truth_file import id_column, truth_place


@dataclass(frozen=True)
class RowRoles:
    """What the columns of a table of samples are.

    Parameters
    ----------
    samples : int or None
        Place of the ids.
    names : list of (int, str)
        Places of the columns that name classes, and what their cells are ("truth").
    pairs : list of (int or None, int)
        Places of the columns of scores, each behind that of the classes that it is about; None where its header says that.
    is_long : bool
        A row is about a sample and a class.
    has_header : bool
    """

    samples: int | None
    names: Sequence = ()
    pairs: Sequence = ()
    is_long: bool = False
    has_header: bool = True


def look_at_rows(look, roles, taxonomy, numbers=None, outside=None):
    """Note what the rows of a table hold that cannot be read.

    Parameters
    ----------
    look : TableLook
    roles : RowRoles
    taxonomy : Taxonomy
    numbers : dict of int to int, optional
        Node of each number of a class list.
    outside : mapping of str to str, optional
        As `name_looks.look_at_names` takes it.
    """
    look.read_rows(roles.has_header)
    everything = look.rows | look.ragged
    _look_at_numbers(look, roles.pairs)
    for place, what in roles.names:
        look_at_names(look, place, taxonomy, what, numbers=numbers, outside=outside)
        if any(place == class_ for class_, _ in roles.pairs):
            unknown = [record for record in look.rows if look.to_read_on.cells.get((record, place)) == ""]
            for record in unknown:
                del look.to_read_on.cells[record, place]
            look.drop(unknown)
    if roles.is_long:
        sample, class_ = roles.samples, roles.pairs[0][0]
        # Of a sample that lost a row, the others are no whole sample.
        lost = {
            cells[sample]
            for record, (_, cells) in everything.items()
            if record not in look.rows and len(cells) > sample
        }
        look.to_read_on.dropped.update(record for record, (_, cells) in look.rows.items() if cells[sample] in lost)
        look_at_ids(
            look,
            lambda cells: f"{cells[sample]} / {cells[class_]}" if cells[sample].strip() else "",
            of="sample and class",
        )
    elif roles.samples is not None:
        look_at_ids(look, itemgetter(roles.samples))


def _look_at_numbers(look, pairs):
    """Cells of scores that hold no number: the rows are left out."""
    is_wide, wrong = any(class_ is None for class_, _ in pairs), {}
    for record, (_, cells) in look.rows.items():
        # Both cells are empty behind the last class of a row.
        filled = [place for class_, place in pairs if class_ is None or cells[class_].strip() or cells[place].strip()]
        if places := no_numbers(cells, filled):
            wrong[record] = places
    if wrong:
        first, places = next(iter(wrong.items()))
        shown = ", ".join(f"{look.rows[first][1][place]!r} in column {look.names[place]!r}" for place in places[:2])
        holds = counted(sum(map(len, wrong.values())), "cell of scores holds", "cells of scores hold")
        advice = EVERY_SCORE if is_wide else "Every class that is named needs a score."
        look.note("not_numbers", wrong, f"{holds} no number ({look.lines(wrong)}): {shown}. {advice}")
        look.drop(wrong)


def sample_roles(look, taxonomy, *, truth_column=None, are_named=True, may_lack=False):
    """RowRoles of a table of scores or labels, whose header is checked.

    Parameters
    ----------
    look : TableLook
    taxonomy : Taxonomy
    truth_column : str, optional
    are_named : bool
        The header names the classes; a class list does otherwise.
    may_lack : bool
        Columns of classes may be missing.
    """
    look.table = with_local_numbers(look.table, VERBATIM_COLUMNS)
    names = look.names
    scores = _score_places(look.table, names, taxonomy, truth_column)
    if are_named and scores:
        _look_at_columns(look, scores, taxonomy, may_lack)
    named = [(truth_place(names, truth_column), "truth")]
    named += [] if scores else [(predicted_place(names, truth_column), "prediction")]
    return RowRoles(
        id_column(names),
        [(place, what) for place, what in named if place is not None and place not in scores],
        [(None, place) for place in scores if place not in look.to_read_on.columns],
    )


def _score_places(table, names, taxonomy, truth_column):
    """Places of the columns that hold numbers in most of the first rows, or are named as classes, of ids and the like apart.

    A reader (`SampleTable`) asks for numbers in all of them: here some may be the fault.
    """
    found, named = [], []
    for place, name in enumerate(names):
        cells = [row[place] for _, row in table.sample[1:] if place < len(row)]
        n_numbers = sum(as_number(cell) is not None for cell in cells)
        is_other = name == truth_column or name.casefold() in VERBATIM_COLUMNS or name.casefold() in TEXT_COLUMNS
        if 2 * n_numbers > len(cells) and (not is_other or name in taxonomy.index):
            found.append(place)
        elif name in taxonomy.index and not is_other:
            named.append(place)
    # Beside columns of numbers a column with the name of a class is one of scores, whatever its first cells hold.
    return sorted(found + named) if found else []


def _look_at_columns(look, scores, taxonomy, may_lack):
    """Columns of no class, and classes without a column."""
    names, loose, of_place = look.names, LooseMatches(taxonomy), {}
    for place in scores:
        node = taxonomy.index.get(names[place])
        of_place[place] = loose.find(names[place]) if node is None else node
    strange = {names[place]: place for place, node in of_place.items() if node is None}
    zeros = with_zeros_of(strange, taxonomy.index)
    if len(strange) == len(of_place) and not zeros:
        return
    known = {node for node in of_place.values() if node is not None} | {taxonomy.index[name] for name in zeros.values()}
    lacking = [taxonomy.names[node] for node in without_column(taxonomy, np.array(list(known), dtype=np.intp))]
    if zeros:
        text = f"{counted(len(zeros), 'column')} lost the leading zeros that the taxonomy has: {some(zeros)}."
        look.note_header("leading_zeros", text, AS_IN_TAXONOMY)
    unknown = [name for name in strange if name not in zeros]
    typed = _mistyped(unknown, lacking)
    if unknown:
        are = counted(len(unknown), "column of numbers is", "columns of numbers are")
        text = f"{are} no class of the taxonomy: {listed(unknown)}."
        text += f" Classes without a column: {listed(lacking)}." if lacking else ""
        fix = f"{some(unknown)} renamed to {some(typed.values())}" if typed else None
        look.note_header("unknown_names", text, fix)
    elif lacking and not may_lack:
        text = f"{counted(len(lacking), 'class has', 'classes have')} no column: {listed(lacking)}. "
        text += "Add the columns, or say that the model does not know these classes: {missing=zero}."
        look.note_header("missing_classes", text)
    spelt = {names[k]: taxonomy.names[node] for k, node in of_place.items() if node is not None}
    spelt = {name: right for name, right in spelt.items() if name not in taxonomy.index}
    is_sure = all(look_alike_key(name) == look_alike_key(right) for name, right in spelt.items())
    if spelt:
        shown = ", ".join(f"{a!r} is {b!r}" for a, b in list(spelt.items())[:3])
        text = f"{counted(len(spelt), 'column is', 'columns are')} spelt differently from the taxonomy: {shown}."
        look.note_header("other_spellings", text, AS_IN_TAXONOMY if is_sure else None)
    for name, right in (zeros | typed | (spelt if is_sure else {})).items():
        look.fixes.cells[0, names.index(name)] = right
    look.to_read_on.columns.update(strange[name] for name in unknown if name not in typed)


def _mistyped(unknown, lacking):
    """The class that each unknown name was meant to be, where each has one of its own; else nothing."""
    meant = {name: nearest(name, lacking) for name in unknown} if len(unknown) == len(lacking) else {}
    return meant if None not in meant.values() and len(set(meant.values())) == len(meant) else {}


def listed_roles(look, taxonomy):
    """RowRoles of a long table or one of the best classes; None of others."""
    names = look.names
    if any(name in taxonomy.index and look.table.is_number_column(place) for place, name in enumerate(names)):
        return None
    try:
        pairs = top_k_roles(names, look.where)
    except PredictionsError:
        return None
    if pairs is not None:
        return RowRoles(id_column(names), [(class_, names[class_]) for class_, _ in pairs], pairs)
    roles = long_roles(names)
    return roles and RowRoles(roles[0], [(roles[1], "prediction")], [roles[1:]], is_long=True)


def headerless_roles(look, taxonomy, truth_column=None):
    """RowRoles of a table of labels whose first row is no header, which is noted; None of others.

    A reader refuses a header with one name of a class above text; to read on, it must be clear which columns are the labels.
    """
    table, first = look.table, look.names
    if not table.can_lack_header or len(first) < 2 or truth_column in first:
        return None
    if any(cell.casefold() in VERBATIM_COLUMNS for cell in first):
        return None
    labels = [place for place, cell in enumerate(first) if cell and find_node(cell, taxonomy) is not None]
    # Codes of classes are numbers too; below a header of classes there are other numbers.
    below = [[cells[place] for _, cells in table.sample if place < len(cells)] for place in labels]
    are_labels = all(2 * sum(find_node(cell, taxonomy) is not None for cell in cells) > len(cells) for cells in below)
    if not labels or len(labels) > 2 or not are_labels:
        return None
    others = [place for place in range(len(first)) if place not in labels]
    label = "predicted" if len(labels) == 1 else "truth or predicted"
    names = [
        label if place in labels else "sample_id" if place in others[:1] else "truth or predicted"
        for place in range(len(first))
    ]
    look.note_header(
        "no_header",
        f"the first row is a sample, not a header ({listed(first, 3)}). Add a header row, such as {','.join(names)}.",
    )
    named = [(labels[0], "prediction")] if len(labels) == 1 else []
    return RowRoles(others[0] if others else None, named, has_header=False)
