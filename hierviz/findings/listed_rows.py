"""Faults of tables in which classes stand in cells: long tables, tables of the best classes, labels without a header row."""

from __future__ import annotations

from types import SimpleNamespace

from hierviz.findings.edge_table import whole_rows
from hierviz.findings.finding import counted, lines_words
from hierviz.findings.node_cells import look_at_names
from hierviz.findings.sample_ids import look_at_ids
from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.node_names import find_node
from hierviz.readers.columns import as_number
from hierviz.readers.long_table import long_roles
from hierviz.readers.prediction_tables import VERBATIM_COLUMNS
from hierviz.readers.top_k_table import top_k_roles
from hierviz.readers.truth_file import id_column


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
    rows = {record: (line, cells) for record, line, cells in whole_rows(table, found, changes)[1:]}
    _look_at_scores(rows, roles.pairs, names, where, found, changes)
    for class_, _ in roles.pairs:
        cells = {record: cells[class_] for record, (_, cells) in rows.items() if cells[class_].strip()}
        lines = {record: rows[record][0] for record in cells}
        of = {"lines": lines, "place": class_, "numbers": numbers}
        look_at_names(cells, taxonomy, where, "prediction" if roles.is_long else names[class_], found, changes, **of)
        unknown = [record for record in cells if changes.to_read_on.cells.get((record, class_)) == ""]
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
        cells = {record: cells[place] for record, (_, cells) in rows.items()}
        lines = {record: line for record, (line, _) in rows.items()}
        of = {"lines": lines, "place": place, "numbers": numbers}
        look_at_names(cells, taxonomy, where, "prediction", found, changes, **of)


def _look_at_scores(rows, pairs, names, where, found, changes):
    """Cells of scores that hold no number, beside a class."""
    wrong = {}
    for record, (_, cells) in rows.items():
        named = [place for class_, place in pairs if cells[class_].strip() or cells[place].strip()]
        wrong[record] = [place for place in named if as_number(cells[place]) is None]
    wrong = {record: places for record, places in wrong.items() if places}
    if wrong:
        first = next(iter(wrong))
        lines, n = lines_words(rows[record][0] for record in wrong), sum(map(len, wrong.values()))
        shown = ", ".join(f"{rows[first][1][place]!r} in column {names[place]!r}" for place in wrong[first][:2])
        text = f"{counted(n, 'cell of scores holds', 'cells of scores hold')} no number ({lines}): {shown}."
        found.note("not_numbers", f"{where}:{rows[first][0]}", f"{text} Every class that is named needs a score.")
        changes.to_read_on.dropped.update(wrong)
        for record in wrong:
            del rows[record]
