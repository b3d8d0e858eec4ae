"""Faults in the rows and columns of a table of predictions: all of them, where its reader stops at the first."""

from __future__ import annotations

from hierviz.findings.edge_table import whole_rows
from hierviz.findings.finding import counted, lines_words, some
from hierviz.findings.look_alikes import look_alike_key, with_zeros_of
from hierviz.findings.node_cells import look_at_names
from hierviz.findings.sample_ids import look_at_ids
from hierviz.messages.errors import listed, near_miss
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.columns import as_number
from hierviz.readers.prediction_forms.local_numbers import with_local_numbers
from hierviz.readers.prediction_tables import PREDICTED_COLUMNS, TEXT_COLUMNS, TRUTH_IN_PREDICTIONS, VERBATIM_COLUMNS
from hierviz.readers.truth_file import id_column


def look_at_prediction_rows(
    table, taxonomy, found, changes, *, numbers=None, truth_column=None, are_named=True, may_lack=False
):
    """Note what a table of scores or labels holds that cannot be read.

    Parameters
    ----------
    table : TextTable
    taxonomy : Taxonomy
    found : Findings
    changes : Changes
    numbers : dict of int to int, optional
        Node of each number of a class list.
    truth_column : str, optional
    are_named : bool
        The header names the classes; a class list does otherwise.
    may_lack : bool
        Columns of classes may be missing.
    """
    table = with_local_numbers(table, VERBATIM_COLUMNS)
    names = [cell.strip() for cell in table.first]
    scores = _score_places(table, names, taxonomy, truth_column)
    if are_named and scores:
        _look_at_columns(table, names, scores, taxonomy, found, changes, may_lack)
    rows = {record: (line, cells) for record, line, cells in whole_rows(table, found, changes)[1:]}
    _look_at_numbers(
        rows, [place for place in scores if place not in changes.to_read_on.columns], names, table.where, found, changes
    )
    id_place = id_column(names)
    if id_place is not None:
        look_at_ids(rows, id_place, table.where, found, changes)
    folded = [name.casefold() for name in names]
    truth_place = names.index(truth_column) if truth_column in names else None
    if truth_place is None:
        truth_place = next((folded.index(name) for name in TRUTH_IN_PREDICTIONS if name in folded), None)
    label_place = next((folded.index(name) for name in PREDICTED_COLUMNS if name in folded), None)
    for what, place in (("truth", truth_place), ("prediction", None if scores else label_place)):
        if place is not None and place not in scores:
            look_at_names(
                {record: cells[place] for record, (_, cells) in rows.items()},
                taxonomy,
                table.where,
                what,
                found,
                changes,
                lines={record: line for record, (line, _) in rows.items()},
                place=place,
                numbers=numbers,
            )


def _score_places(table, names, taxonomy, truth_column):
    """Places of the columns that hold numbers in most of the first rows, or are named as classes, of ids and the like apart."""
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


def _look_at_columns(table, names, scores, taxonomy, found, changes, may_lack):
    """Columns of no class, and classes without a column."""
    loose, of_place = LooseMatches(taxonomy), {}
    for place in scores:
        node = taxonomy.index.get(names[place])
        of_place[place] = loose.find(names[place]) if node is None else node
    strange = {names[place]: place for place, node in of_place.items() if node is None}
    zeros = with_zeros_of(strange, taxonomy.index)
    if len(strange) == len(of_place) and not zeros:
        return
    known = {node for node in of_place.values() if node is not None} | {taxonomy.index[name] for name in zeros.values()}
    has_inner = any(not taxonomy.is_leaf[node] for node in known)
    wanted = range(1, taxonomy.n_nodes) if has_inner else taxonomy.leaves.tolist()
    lacking = [taxonomy.names[node] for node in wanted if node not in known]
    if zeros:
        text = f"{counted(len(zeros), 'column')} lost the leading zeros that the taxonomy has: {some(zeros)}."
        found.note("leading_zeros", f"{table.where}:{table.sample[0][0]}", text, "the names as the taxonomy has them")
    unknown = [name for name in strange if name not in zeros]
    typed = _mistyped(unknown, lacking)
    if unknown:
        text = (
            f"{counted(len(unknown), 'column of numbers is', 'columns of numbers are')} no class of the taxonomy: "
            f"{listed(unknown)}."
        )
        text += f" Classes without a column: {listed(lacking)}." if lacking else ""
        fix = f"{some(unknown)} called {some(typed.values())}" if typed else None
        found.note("unknown_names", f"{table.where}:{table.sample[0][0]}", text, fix)
    elif lacking and not may_lack:
        text = f"{counted(len(lacking), 'class has', 'classes have')} no column: {listed(lacking)}. "
        text += "Add the columns, or say that the model does not know these classes: {missing=zero}."
        found.note("missing_classes", f"{table.where}:{table.sample[0][0]}", text)
    spelt = {
        names[k]: taxonomy.names[node]
        for k, node in of_place.items()
        if node is not None and names[k] not in taxonomy.index
    }
    sure = {name: right for name, right in spelt.items() if look_alike_key(name) == look_alike_key(right)}
    if spelt:
        shown = ", ".join(f"{a!r} is {b!r}" for a, b in list(spelt.items())[:3])
        text = f"{counted(len(spelt), 'column is', 'columns are')} spelt otherwise than in the taxonomy: {shown}."
        fix = "the names as the taxonomy has them" if len(sure) == len(spelt) else None
        found.note("other_spellings", f"{table.where}:{table.sample[0][0]}", text, fix)
        sure = sure if fix else {}
    for name, right in (zeros | typed | sure).items():
        changes.fixes.cells[0, names.index(name)] = right
    changes.to_read_on.columns.update(strange[name] for name in unknown if name not in typed)


def _mistyped(unknown, lacking):
    """The class that each unknown name was meant to be, where each has one of its own; else nothing."""
    if not unknown or len(unknown) != len(lacking):
        return {}
    meant = {}
    for name in unknown:
        near = near_miss(name, lacking)
        meant[name] = next((other for other in lacking if near == f" Did you mean {other!r}?"), None)
    return meant if None not in meant.values() and len(set(meant.values())) == len(meant) else {}


def _look_at_numbers(rows, places, names, where, found, changes):
    """Cells that hold no number."""
    wrong = {}
    for record, (_, cells) in rows.items():
        try:
            [float(cells[place]) for place in places]
        except ValueError:
            wrong[record] = [place for place in places if as_number(cells[place]) is None]
    if wrong:
        record, bad = next((record, bad) for record, bad in wrong.items())
        n, lines = sum(map(len, wrong.values())), lines_words(rows[record][0] for record in wrong)
        shown = ", ".join(f"{rows[record][1][place]!r} in column {names[place]!r}" for place in bad[:2])
        text = (
            f"{counted(n, 'cell of scores holds', 'cells of scores hold')} no number ({lines}): {shown}. Every sample "
            f"needs a score for every class."
        )
        found.note("not_numbers", f"{where}:{rows[record][0]}", text)
        changes.to_read_on.dropped.update(wrong)
        for record in wrong:
            del rows[record]
