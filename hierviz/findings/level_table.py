"""Faults of level columns: rows, gaps, odd and look-alike names."""

from __future__ import annotations

from collections import Counter

from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import ALIKE, look_alikes, plain_name
from hierviz.messages.errors import shown
from hierviz.readers.taxonomy_tables import is_rank, without_empty_rank


def look_at_levels(look):
    """Note the faults of level columns, and how they are fixed.

    Parameters
    ----------
    look : TableLook
    """
    ranks = [place for place, cell in enumerate(look.names) if is_rank(cell)]
    is_header = len(ranks) > 1
    look.read_rows(has_header=is_header)
    places = ranks if is_header else list(range(len(look.names)))
    paths = {record: [without_empty_rank(cells[place]) for place in places] for record, (_, cells) in look.rows.items()}

    def write(record, level, name):
        look.fixes.cells[record, places[level]] = paths[record][level] = name

    odd = {name for path in paths.values() for name in path if name != plain_name(name)}
    if odd:
        records = [record for record, path in paths.items() if not odd.isdisjoint(path)]
        for record in records:
            for level, name in enumerate(paths[record]):
                if name in odd:
                    write(record, level, plain_name(name))
        text = f"{counted(len(odd), 'name contains', 'names contain')} invisible characters: {some(sorted(odd))}."
        look.note("odd_characters", records, text, "the names in plain characters")
    for level in range(len(places)):
        uses = Counter(path[level] for path in paths.values() if path[level])
        for group in look_alikes(uses):
            first, *rest = sorted(group, key=lambda name: -uses[name])
            records = [record for record, path in paths.items() if path[level] in rest]
            is_clear = level < len(places) - 1 and all(2 * uses[name] < uses[first] for name in rest)
            fix, severity = (f"{shown(first)} everywhere", "error") if is_clear else (None, "warning")
            look.note("look_alike_names", records, ALIKE.format(some(group), len(group)), fix, severity)
            for record in records if is_clear else ():
                write(record, level, first)
    _gaps(look, paths, write, places)
    seen: dict = {}
    again = [record for record, path in paths.items() if seen.setdefault(tuple(path), record) != record]
    if again:
        words = look.lines(again)
        text = f"{counted(len(again), 'row repeats another', 'rows repeat others')}: {words}."
        look.note("repeated_rows", again, text, f"without {words}")
        look.drop(again, is_fix=True)


def _gaps(look, paths, write, places):
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
                    look.to_read_on.cells[record, places[level]] = above
    for records, advice, fix in (
        (filled, "", "the cells filled as in the other rows of these classes"),
        (left, " Fill the gap (for example 'unplaced').", None),
    ):
        if records:
            records = list(dict.fromkeys(records))
            text = (
                f"{counted(len(records), 'row has', 'rows have')} an empty cell above a class: {look.lines(records)}."
            )
            look.note("gaps_in_levels", records, text + advice, fix)
    look.to_read_on.dropped.update(dropped)
