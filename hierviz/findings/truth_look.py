"""All problems of a table of truths, and of a class list."""

from __future__ import annotations

import os
from pathlib import Path

from hierviz.findings.file_looks import TableLook
from hierviz.findings.finding import counted
from hierviz.findings.prediction_rows import RowRoles, look_at_rows
from hierviz.findings.sample_ids import IdColumn
from hierviz.messages.errors import HiervizError, listed
from hierviz.predictions.name_matching import advice
from hierviz.readers.classes_file import looked_up
from hierviz.readers.columns import unfit_keys
from hierviz.readers.tables import TextTable, open_table
from hierviz.readers.truth_file import TRUTH_COLUMNS, id_column, truth_place


def look_at_truth(path, taxonomy, found, *, truth_column=None, numbers=None, outside=None):
    """Note the faults of a table of truths.

    Parameters
    ----------
    path : str or path
    taxonomy : Taxonomy
    found : Findings
    truth_column : str, optional
    numbers : dict of int to int, optional
        Node of each number of a class list.
    outside : mapping of str to str, optional
        As `name_looks.look_at_names` takes it.

    Returns
    -------
    look : TableLook or None
        None where it is no text table with a header that says which column is the truth: its reader says what is wrong.
    ids : IdColumn or None
    """
    try:
        table = open_table(path, "a table of true classes (CSV, TSV or Parquet)")
        if not isinstance(table, TextTable):
            return None, None
        look = TableLook(table, found)
        place = truth_place(look.names, truth_column, accepted=TRUTH_COLUMNS)
        if place is None:
            return None, None
        id_place = id_column(look.names)
        look_at_rows(look, RowRoles(id_place, [(place, "truth")]), taxonomy, numbers, outside)
    except HiervizError as error:
        found.failed(error, Path(path).name)
        return None, None
    if id_place is None:
        return look, None
    return look, IdColumn(look.where, [cells[id_place] for _, cells in look.rows.values()], look, look.rows, id_place)


def look_at_classes(classes, taxonomy, found):
    """Note the faults of a class list.

    Parameters
    ----------
    classes : str, path, or names
        As `load_predictions` takes them.
    taxonomy : Taxonomy
    found : Findings

    Returns
    -------
    classes : as given, or None
        None where predictions cannot be read by it.
    numbers : dict of int to int or None
        Node of each number of the list.
    """
    where = Path(classes).name if isinstance(classes, (str, os.PathLike)) else "classes"
    try:
        read, nodes, loose = looked_up(classes, taxonomy)
    except HiervizError as error:
        found.failed(error, where)
        return None, None
    unfit = list(unfit_keys(enumerate(nodes)))
    unknown = [read.entries[k] for k, first in unfit if first is None]
    twice = [read.entries[k] for k, first in unfit if first is not None]
    if unknown:
        text = f"{counted(len(unknown), 'class is', 'classes are')} not in the taxonomy: {listed(name for _, name in unknown)}."
        found.note("unknown_names", unknown[0][0], text + advice(unknown[0][1], taxonomy))
    if twice:
        names = listed(name for _, name in twice)
        text = f"{counted(len(twice), 'class is', 'classes are')} listed twice: {names}."
        found.note("repeated_classes", twice[0][0], text)
    for note in loose.notes(where):
        found.note("other_spellings", where, note.partition(": ")[2] + ".")
    if unknown or twice:
        return None, None
    return classes, dict(zip(read.numbers, nodes, strict=True))
