"""Faults of level columns: rows, gaps, odd and look-alike names."""

from __future__ import annotations

from collections import Counter

from hierviz.findings.edge_table import whole_rows
from hierviz.findings.finding import counted, lines_words, some
from hierviz.findings.name_looks import look_alikes, plain_name
from hierviz.messages.errors import shown
from hierviz.readers.taxonomy_tables import is_rank, without_empty_rank


def look_at_levels(table, found, changes):
    """Note the faults of level columns in `found`, and how they are mended in `changes`.

    Parameters
    ----------
    table : TextTable
    found : Findings
    changes : Changes
    """
    rows = whole_rows(table, found, changes)
    ranks = [place for place, cell in enumerate(table.first) if is_rank(cell)]
    is_header = len(ranks) > 1
    places = ranks if is_header else list(range(len(table.first)))
    lines = {record: line for record, line, _ in rows[is_header:]}
    paths = {record: [without_empty_rank(cells[place]) for place in places] for record, _, cells in rows[is_header:]}

    def note(code, records, message, fix=None, severity=None):
        found.note(code, f"{table.where}:{lines[min(records)]}", message, fix, severity)

    def write(record, level, name):
        changes.fixes.cells[record, places[level]] = paths[record][level] = name

    odd = {name for path in paths.values() for name in path if name != plain_name(name)}
    if odd:
        records = [record for record, path in paths.items() if not odd.isdisjoint(path)]
        for record in records:
            for level, name in enumerate(paths[record]):
                if name in odd:
                    write(record, level, plain_name(name))
        text = f"{counted(len(odd), 'name holds', 'names hold')} characters that cannot be seen: {some(sorted(odd))}."
        note("odd_characters", records, text, "the names in plain characters")
    for level in range(len(places)):
        uses = Counter(path[level] for path in paths.values() if path[level])
        for group in look_alikes(uses):
            first, *rest = sorted(group, key=lambda name: -uses[name])
            records = [record for record, path in paths.items() if path[level] in rest]
            is_clear = level < len(places) - 1 and all(2 * uses[name] < uses[first] for name in rest)
            text = (
                f"{some(group)} look alike and are {len(group)} classes. If one is meant, write one of them everywhere."
            )
            severity = "error" if is_clear else "warning"
            note("look_alike_names", records, text, f"{shown(first)} everywhere" if is_clear else None, severity)
            for record in records if is_clear else ():
                write(record, level, first)
    _gaps(paths, lines, note, write, changes, places)
    seen: dict = {}
    again = [record for record, path in paths.items() if seen.setdefault(tuple(path), record) != record]
    if again:
        words = lines_words(lines[record] for record in again)
        note(
            "repeated_rows",
            again,
            f"{counted(len(again), 'row stands', 'rows stand')} there twice: {words}.",
            f"without {words}",
        )
        changes.fixes.dropped.update(again)


def _gaps(paths, lines, note, write, changes, places):
    """Empty cells with a class below them, filled where the other rows of the class below say with what."""
    filled, left, dropped = [], [], set()
    known: dict = {}
    any_known: dict = {}
    for path in paths.values():
        for level in range(len(path) - 1):
            if path[level] and path[level + 1]:
                known.setdefault((*path[:level], level, path[level + 1]), set()).add(path[level])
                any_known.setdefault((*path[:level],), path[level])
    for record, path in paths.items():
        depth = max((k + 1 for k, name in enumerate(path) if name), default=0)
        for level in [k for k in range(depth) if not path[k]]:
            above = known.get((*path[:level], level, path[level + 1]), ())
            if path[level + 1] and len(above) == 1:
                write(record, level, next(iter(above)))
                filled.append(record)
            else:
                left.append(record)
                # To read on, below any class of that place: without the row its classes would be missing everywhere else.
                above = any_known.get((*path[:level],))
                if above is None:
                    dropped.add(record)
                else:
                    changes.to_read_on.cells[record, places[level]] = above
    for records, is_fix in ((filled, True), (left, False)):
        if records:
            records = list(dict.fromkeys(records))
            words = lines_words(lines[record] for record in records)
            text = f"{counted(len(records), 'row has', 'rows have')} an empty cell above a class: {words}."
            fix = "the cells filled as in the other rows of these classes" if is_fix else None
            note("gaps_in_levels", records, text + ("" if is_fix else " Fill the gap (for example 'unplaced')."), fix)
    changes.to_read_on.dropped.update(dropped)
