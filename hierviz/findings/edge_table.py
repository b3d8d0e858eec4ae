"""Faults of an edge list, one look after the other, each on the list as the looks before have mended it."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

from hierviz.findings.cycles import closing_edges, knots
from hierviz.findings.finding import counted, lines_words, some
from hierviz.findings.name_looks import look_alikes, plain_name, with_zeros_of
from hierviz.messages.errors import shown
from hierviz.readers.taxonomy_tables import edge_columns, edge_header


def look_at_edges(table, direction, found, changes):
    """Note the faults of an edge list in `found`, and how they are mended in `changes`.

    Parameters
    ----------
    table : TextTable
    direction : str, optional
        As `load_taxonomy` takes it.
    found : Findings
    changes : Changes
    """
    rows = whole_rows(table, found, changes)
    where, words = table.where, [cell.strip().casefold() for cell in table.first]
    is_header = edge_header(table, words)[0] if len(rows) > 1 else False
    rows = rows[is_header:]
    columns = SimpleNamespace(
        names=[cell.strip() for cell in table.first],
        where=where,
        text={place: [cells[place].strip() for _, _, cells in rows] for place in range(len(table.first))},
    )
    left, right, _ = edge_columns(columns, words if is_header else None, direction)
    edges = _Edges(rows, left, right, where, found, changes)
    edges.blanks()
    edges.characters()
    edges.alike()
    edges.themselves()
    edges.repeats()
    edges.cycles()
    edges.tops()
    edges.shortcuts()


def whole_rows(table, found, changes):
    """(record, line, cells) of all rows as wide as the first; the others are noted."""
    rows, ragged, width = [], [], len(table.first)
    for record, (line, cells) in enumerate(table.records(with_ragged=True)):
        if len(cells) == width:
            rows.append((record, line, cells))
        else:
            ragged.append((record, line, len(cells)))
    if ragged:
        got = some(sorted({n for *_, n in ragged}))
        found.note(
            "ragged_rows",
            f"{table.where}:{ragged[0][1]}",
            f"{counted(len(ragged), 'row has', 'rows have')} other than {width} cells ({got}): "
            f"{lines_words(line for _, line, _ in ragged)}. Quote cells that hold the separator, or add what is missing.",
        )
        changes.to_read_on.dropped.update(record for record, *_ in ragged)
    return rows


def rows_below_header(table, found, changes):
    """Those of `whole_rows` but the first: dict of record to (line, cells)."""
    return {record: (line, cells) for record, line, cells in whole_rows(table, found, changes)[1:]}


class _Edges:
    """The edges as they are mended so far: `pairs` by record, of the records that are left."""

    def __init__(self, rows, left, right, where, found, changes):
        self.where, self.found, self.changes, self.places = where, found, changes, (left, right)
        self.lines = {record: line for record, line, _ in rows}
        self.cells = {record: tuple(cells) for record, _, cells in rows}
        self.pairs = {record: (cells[left].strip(), cells[right].strip()) for record, _, cells in rows}

    def note(self, code, records, message, fix=None, severity=None):
        self.found.note(code, f"{self.where}:{min(self.lines[r] for r in records)}", message, fix, severity)

    def lines_of(self, records):
        return lines_words(self.lines[record] for record in records)

    def drop(self, records, is_fix=True):
        (self.changes.fixes if is_fix else self.changes.to_read_on).dropped.update(records)
        for record in records:
            del self.pairs[record]

    def rename(self, renamed):
        """Write names otherwise: {old: new}."""
        for record, pair in self.pairs.items():
            for place, name in zip(self.places, pair, strict=True):
                if name in renamed:
                    self.changes.fixes.cells[record, place] = renamed[name]
            self.pairs[record] = tuple(renamed.get(name, name) for name in pair)

    def records_of(self, names):
        return [record for record, pair in self.pairs.items() if not names.isdisjoint(pair)]

    def blanks(self):
        blank = [
            record
            for record, pair in self.pairs.items()
            if not any(pair) and not any(map(str.strip, self.cells[record]))
        ]
        if blank:
            text = f"{counted(len(blank), 'row is', 'rows are')} empty: {self.lines_of(blank)}."
            self.note("empty_names", blank, text, f"without {self.lines_of(blank)}")
            self.drop(blank)
        nameless = [record for record, pair in self.pairs.items() if not pair[1]]
        if nameless:
            text = f"{counted(len(nameless), 'row names', 'rows name')} no class: {self.lines_of(nameless)}. Name every node."
            self.note("empty_names", nameless, text)
            self.drop(nameless, is_fix=False)

    def characters(self):
        names = dict.fromkeys(name for pair in self.pairs.values() for name in pair)
        odd = {name: plain_name(name) for name in names if name != plain_name(name)}
        if odd:
            # Both spellings are there: without the fix they are two classes.
            is_split = any(plain in names for plain in odd.values())
            text = f"{counted(len(odd), 'name holds', 'names hold')} characters that cannot be seen: {some(odd)}"
            text += ", and stands there without them too, as another class." if is_split else "."
            severity = "error" if is_split else None
            self.note(
                "odd_characters", self.records_of(set(odd)), text, f"{some(odd.values())} in plain characters", severity
            )
            self.rename(odd)

    def alike(self):
        as_child = Counter(child for _, child in self.pairs.values())
        uses = as_child + Counter(parent for parent, _ in self.pairs.values() if parent)
        zeros = with_zeros_of([name for name in uses if name not in as_child], as_child)
        groups = [[full, short] for short, full in zeros.items()] + look_alikes(uses)
        for group in groups:
            defined = [name for name in group if as_child[name]]
            if len(defined) > 1:
                text = f"{some(group)} look alike and are {len(group)} classes. If one is meant, write one of them everywhere."
                self.note("look_alike_names", self.records_of(set(group)), text, severity="warning")
                continue
            # The one that has a parent; of tops the one that is written most often.
            first, *rest = sorted(group, key=lambda name: (-as_child[name], -uses[name]))
            is_clear = bool(defined) or all(uses[name] < uses[first] for name in rest)
            text = f"{some(group)} look alike: {some(rest)} has no parent, and is another class."
            self.note(
                "look_alike_names", self.records_of(set(rest)), text, f"{shown(first)} everywhere" if is_clear else None
            )
            if is_clear:
                self.rename(dict.fromkeys(rest, first))

    def themselves(self):
        own = [record for record, (parent, child) in self.pairs.items() if parent == child]
        if own:
            text = (
                f"{some(self.pairs[record][1] for record in own)}: a class is its own parent in {self.lines_of(own)}."
            )
            self.note("own_parent", own, text, f"without {self.lines_of(own)}")
            self.drop(own)

    def repeats(self):
        seen, again, other = {}, [], []
        for record, pair in self.pairs.items():
            if pair in seen:
                (again if self.cells[record] == self.cells[seen[pair]] else other).append(record)
            seen.setdefault(pair, record)
        for records, fix in ((again, f"without {self.lines_of(again)}" if again else None), (other, None)):
            if records:
                text = f"{counted(len(records), 'row repeats an edge', 'rows repeat edges')}: {self.lines_of(records)}."
                self.note("repeated_rows", records, text, fix)
                self.drop(records, is_fix=fix is not None)

    def cycles(self):
        edges = [(parent or None, child) for parent, child in self.pairs.values()]
        for knot in knots(edges):
            closing, is_certain, cycle = closing_edges(knot, edges)
            records = [record for record, pair in self.pairs.items() if pair in closing]
            words = " > ".join(map(shown, cycle[:8])) + (" > …" if len(cycle) > 8 else "")
            more = "" if len(closing) == 1 else f" ({len(closing)} cycles of {len(knot)} classes)"
            pair = " > ".join(map(shown, self.pairs[records[0]]))
            advice = (
                f"Only {pair} leads back to a class that hangs elsewhere too."
                if is_certain
                else "Remove one of these edges."
            )
            fix = f"without {self.lines_of(records)} ({pair})" if is_certain else None
            self.note("cycles", records, f"classes lie below themselves: {words}{more}. {advice}", fix)
            self.drop(records, is_fix=is_certain)

    def tops(self):
        as_child = {child for parent, child in self.pairs.values() if parent}
        tops = [
            name for name in dict.fromkeys(n for pair in self.pairs.values() for n in pair if n) if name not in as_child
        ]
        if len(tops) > 1:
            text = (
                f"{len(tops)} classes have no parent: {some(tops)}. A root is added above them; if that is not meant, "
                f"add their parents."
            )
            self.note("several_roots", self.records_of(set(tops)), text)

    def shortcuts(self):
        parents = {}
        for parent, child in self.pairs.values():
            if parent:
                parents.setdefault(child, []).append(parent)
        short = []
        for record, (parent, child) in self.pairs.items():
            others = [other for other in parents.get(child, ()) if other != parent]
            if parent and others and _is_above(parent, others, parents):
                short.append(record)
        if short:
            pairs = some((" > ".join(self.pairs[record]) for record in short), 3)
            text = (
                f"{counted(len(short), 'edge says', 'edges say')} nothing new, because the parent is above another parent of the "
                f"class: {pairs}. They make a graph of what may be a tree."
            )
            self.note("redundant_edges", short, text, f"without {self.lines_of(short)}")
            self.drop(short)


def _is_above(name, starts, parents):
    """Whether a class is above one of some others."""
    waiting, seen = list(starts), set(starts)
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent == name:
                return True
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False
