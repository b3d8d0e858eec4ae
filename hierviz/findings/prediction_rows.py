"""Faults in the rows and columns of a table of predictions: all of them, where its reader stops at the first.

Tables of scores and labels, and those in which classes stand in cells: long tables, tables of the best classes, labels without a
header row.
"""

from __future__ import annotations

from types import SimpleNamespace

from hierviz.findings.edge_table import rows_below_header, whole_rows
from hierviz.findings.finding import counted, lines_words, some
from hierviz.findings.name_looks import look_alike_key, look_at_names, with_zeros_of
from hierviz.findings.sample_ids import look_at_ids
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import find_node
from hierviz.readers.columns import EVERY_SCORE, as_number
from hierviz.readers.long_table import long_roles
from hierviz.readers.prediction_forms.local_numbers import with_local_numbers
from hierviz.readers.prediction_tables import PREDICTED_COLUMNS, TEXT_COLUMNS, TRUTH_IN_PREDICTIONS, VERBATIM_COLUMNS
from hierviz.readers.top_k_table import top_k_roles
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
    rows = rows_below_header(table, found, changes)
    places = [place for place in scores if place not in changes.to_read_on.columns]
    wrong = {record: _wrong_numbers(cells, places) for record, (_, cells) in rows.items()}
    _note_wrong_numbers(rows, wrong, names, table.where, found, changes, EVERY_SCORE)
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
            look_at_names(rows, place, taxonomy, table.where, what, found, changes, numbers=numbers)


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


def _note_wrong_numbers(rows, wrong, names, where, found, changes, advice):
    """Cells of scores that hold no number: their places by record; the rows are left out."""
    wrong = {record: places for record, places in wrong.items() if places}
    if not wrong:
        return
    first = next(iter(wrong))
    lines, n = lines_words(rows[record][0] for record in wrong), sum(map(len, wrong.values()))
    shown = ", ".join(f"{rows[first][1][place]!r} in column {names[place]!r}" for place in wrong[first][:2])
    text = f"{counted(n, 'cell of scores holds', 'cells of scores hold')} no number ({lines}): {shown}. {advice}"
    found.note("not_numbers", f"{where}:{rows[first][0]}", text)
    changes.to_read_on.dropped.update(wrong)
    for record in wrong:
        del rows[record]


def _wrong_numbers(cells, places):
    try:
        [float(cells[place]) for place in places]
    except ValueError:
        return [place for place in places if as_number(cells[place]) is None]
    return []


def listed_roles(table, taxonomy):
    """(place of the samples, [(class, score), ...]) of a long table or one of the best classes; None of others."""
    names = [cell.strip() for cell in table.first]
    if any(name in taxonomy.index and table.is_number_column(place) for place, name in enumerate(names)):
        return None
    try:
        pairs = top_k_roles(names, table.where)
    except PredictionsError:
        return None
    if pairs is not None:
        return SimpleNamespace(sample=id_column(names), pairs=pairs, is_long=False)
    roles = long_roles(names)
    if roles is None:
        return None
    return SimpleNamespace(sample=roles[0], pairs=[roles[1:]], is_long=True)


def look_at_listed_rows(table, roles, taxonomy, found, changes, numbers=None):
    """Note what a long table, or one of the best classes, holds that cannot be read.

    Parameters
    ----------
    table : TextTable
    roles : SimpleNamespace
        From `listed_roles`.
    taxonomy : Taxonomy
    found : Findings
    changes : Changes
    numbers : dict of int to int, optional
        Node of each number of a class list.
    """
    names, where = [cell.strip() for cell in table.first], table.where
    everything = {record: cells for record, (_, cells) in enumerate(table.records(with_ragged=True)) if record}
    rows = rows_below_header(table, found, changes)
    wrong = {}
    for record, (_, cells) in rows.items():
        # Both cells are empty behind the last class of a row.
        filled = [place for class_, place in roles.pairs if cells[class_].strip() or cells[place].strip()]
        wrong[record] = [place for place in filled if as_number(cells[place]) is None]
    _note_wrong_numbers(rows, wrong, names, where, found, changes, "Every class that is named needs a score.")
    for class_, _ in roles.pairs:
        what = "prediction" if roles.is_long else names[class_]
        look_at_names(rows, class_, taxonomy, where, what, found, changes, numbers=numbers)
        unknown = [record for record in rows if changes.to_read_on.cells.get((record, class_)) == ""]
        for record in unknown:
            del changes.to_read_on.cells[record, class_], rows[record]
        changes.to_read_on.dropped.update(unknown)
    if roles.is_long:
        class_ = roles.pairs[0][0]
        # Of a sample that lost a row, the others are no whole sample.
        lost = {
            cells[roles.sample]
            for record, cells in everything.items()
            if record not in rows and len(cells) > roles.sample
        }
        parts = [record for record, (_, cells) in rows.items() if cells[roles.sample] in lost]
        changes.to_read_on.dropped.update(parts)
        pairs = {
            record: (line, [*cells, f"{cells[roles.sample]} / {cells[class_]}" if cells[roles.sample].strip() else ""])
            for record, (line, cells) in rows.items()
        }
        look_at_ids(pairs, -1, where, found, changes, of="sample and class")
    elif roles.sample is not None:
        look_at_ids(rows, roles.sample, where, found, changes)


def missing_header(table, taxonomy, truth_column=None):
    """Names for the columns of a table of labels whose first row is no header; None of others."""
    first = [cell.strip() for cell in table.first]
    if not table.can_lack_header or len(first) < 2 or truth_column in first:
        return None
    if any(cell.casefold() in VERBATIM_COLUMNS for cell in first):
        return None
    labels = [place for place, cell in enumerate(first) if cell and find_node(cell, taxonomy) is not None]
    # Codes of classes are numbers too; below a header of classes stand other numbers.
    below = [[cells[place] for _, cells in table.sample if place < len(cells)] for place in labels]
    are_labels = all(2 * sum(find_node(cell, taxonomy) is not None for cell in cells) > len(cells) for cells in below)
    if not labels or len(labels) > 2 or not are_labels:
        return None
    names = [f"column {place + 1}" for place in range(len(first))]
    others = [place for place in range(len(first)) if place not in labels]
    if others:
        names[others[0]] = "sample_id"
    for place, name in zip(labels, ("predicted", "truth")):
        names[place] = name if len(labels) == 1 else names[place]
    return names


def look_at_headerless_rows(table, names, taxonomy, found, changes, numbers=None):
    """Note that a header row is missing, and what else is wrong with the rows; for parameters see `look_at_listed_rows`."""
    where = table.where
    text = f"the first row is no header but a sample already ({listed([cell.strip() for cell in table.first], 3)}). "
    said = ",".join("truth or predicted" if name.startswith("column") else name for name in names)
    found.note("no_header", f"{where}:{table.sample[0][0]}", f"{text}Add a header row, such as {said}.")
    rows = {record: (line, cells) for record, line, cells in whole_rows(table, found, changes)}
    if "sample_id" in names:
        look_at_ids(rows, names.index("sample_id"), where, found, changes)
    if "predicted" in names:
        place = names.index("predicted")
        look_at_names(rows, place, taxonomy, where, "prediction", found, changes, numbers=numbers)
