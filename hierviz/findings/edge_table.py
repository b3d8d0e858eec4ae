"""Faults of an edge list, one check after the other, each on the list as the checks before have fixed it."""

from __future__ import annotations

from collections import Counter

from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import ALIKE, look_alikes, plain_name, with_zeros_of
from hierviz.messages.errors import shown
from hierviz.readers.columns import unfit_keys
from hierviz.readers.taxonomy_tables import edge_columns, edge_header
from hierviz.taxonomy.edges import cycle_of, cycle_words, named_and_tops

# So many are reported, one by one.
MOST_CYCLES = 20


def look_at_edges(look, direction=None, has_header=None):
    """Note the faults of an edge list, and how they are fixed.

    Parameters
    ----------
    look : TableLook
    direction, has_header : optional
        As `load_taxonomy` takes them.
    """
    look.read_rows(has_header=False)
    has_header, _ = edge_header(look.table, look.columns, has_header)
    if has_header:
        del look.rows[0]
    words = [name.casefold() for name in look.names] if has_header else None
    left, right, _ = edge_columns(look.columns(), words, direction)
    edges = _Edges(look, left, right)
    for check in ("blanks", "characters", "alike", "themselves", "repeats", "cycles", "tops", "shortcuts"):
        getattr(edges, check)()


class _Edges:
    """The edges as they are fixed so far: `pairs` by record, of the records that are left."""

    def __init__(self, look, left, right):
        self.look, self.places = look, (left, right)
        self.pairs = {record: (cells[left].strip(), cells[right].strip()) for record, (_, cells) in look.rows.items()}

    def drop(self, code, records, message, is_fix=True, fix=None):
        """Note records and leave them out."""
        self.look.note(code, records, message, fix or (f"without {self.look.lines(records)}" if is_fix else None))
        self.look.drop(records, is_fix)
        for record in records:
            del self.pairs[record]

    def rename(self, renamed):
        """Write names otherwise: {old: new}."""
        for record, pair in self.pairs.items():
            for place, name in zip(self.places, pair, strict=True):
                if name in renamed:
                    self.look.fixes.cells[record, place] = renamed[name]
            self.pairs[record] = tuple(renamed.get(name, name) for name in pair)

    def records_of(self, names):
        return [record for record, pair in self.pairs.items() if not set(names).isdisjoint(pair)]

    def blanks(self):
        blank = [record for record, (_, cells) in self.look.rows.items() if not any(map(str.strip, cells))]
        if blank:
            text = f"{counted(len(blank), 'row is', 'rows are')} empty: {self.look.lines(blank)}."
            self.drop("empty_names", blank, text)
        nameless = [record for record, pair in self.pairs.items() if not pair[1]]
        if nameless:
            text = f"{counted(len(nameless), 'row names', 'rows name')} no class: {self.look.lines(nameless)}. Name every node."
            self.drop("empty_names", nameless, text, is_fix=False)

    def characters(self):
        names = dict.fromkeys(name for pair in self.pairs.values() for name in pair)
        odd = {name: plain_name(name) for name in names if name != plain_name(name)}
        if odd:
            # Both spellings are there: without the fix they are two classes.
            is_split = any(plain in names for plain in odd.values())
            text = f"{counted(len(odd), 'name contains', 'names contain')} invisible characters: {some(odd)}"
            text += ", and also occurs without them, as another class." if is_split else "."
            fix, severity = f"{some(odd.values())} in plain characters", "error" if is_split else None
            self.look.note("odd_characters", self.records_of(odd), text, fix, severity)
            self.rename(odd)

    def alike(self):
        as_child = Counter(child for _, child in self.pairs.values())
        uses = as_child + Counter(parent for parent, _ in self.pairs.values() if parent)
        zeros = with_zeros_of([name for name in uses if name not in as_child], as_child)
        groups = [[full, short] for short, full in zeros.items()] + look_alikes(uses)
        for group in groups:
            defined = [name for name in group if as_child[name]]
            if len(defined) > 1:
                text = ALIKE.format(some(group), len(group))
                self.look.note("look_alike_names", self.records_of(group), text, severity="warning")
                continue
            # The one that has a parent; of tops the one that is written most often.
            first, *rest = sorted(group, key=lambda name: (-as_child[name], -uses[name]))
            is_clear = bool(defined) or all(uses[name] < uses[first] for name in rest)
            text = f"{some(group)} look alike: {some(rest)} has no parent, and is another class."
            fix = f"{shown(first)} everywhere" if is_clear else None
            self.look.note("look_alike_names", self.records_of(rest), text, fix)
            if is_clear:
                self.rename(dict.fromkeys(rest, first))

    def themselves(self):
        own = [record for record, (parent, child) in self.pairs.items() if parent == child]
        if own:
            names = some(self.pairs[record][1] for record in own)
            self.drop("own_parent", own, f"{names}: a class is its own parent in {self.look.lines(own)}.")

    def repeats(self):
        again, other = [], []
        for record, first in unfit_keys(self.pairs.items()):
            (again if self.look.rows[record][1] == self.look.rows[first][1] else other).append(record)
        for records, is_fix in ((again, True), (other, False)):
            if records:
                lines = self.look.lines(records)
                text = f"{counted(len(records), 'row repeats an edge', 'rows repeat edges')}: {lines}."
                self.drop("repeated_rows", records, text, is_fix)

    def cycles(self):
        # Classes of cycles of which any edge may be wrong, and all that lay on or below a cycle when one was left out.
        doubtful, under = set(), set()
        for _ in range(MOST_CYCLES):
            cycle, below = cycle_of(self.pairs.values())
            if not cycle:
                return
            inside = set(cycle)
            inner = {pair for pair in self.pairs.values() if inside.issuperset(pair)}
            outer = [pair for pair in self.pairs.values() if pair[0] and pair[1] in inside and pair not in inner]
            entries = {child for _, child in outer}
            # Only one edge can be wrong: it leads to the one class that has another parent, which is below no cycle itself.
            is_plain = len(inner) == len(inside) and inside.isdisjoint(doubtful)
            is_certain = len(entries) == 1 and is_plain and not any(top in below or top in under for top, _ in outer)
            if not is_certain:
                doubtful |= inside
                under |= below
            first = next(name for pair in self.pairs.values() for name in pair if name in (entries or inside))
            start = cycle.index(first)
            cycle = [*cycle[start:-1], *cycle[:start], first]
            pair = tuple(cycle[-2:])
            records = [record for record, other in self.pairs.items() if other == pair]
            closing = " > ".join(map(shown, pair))
            advice = "Remove one of these edges."
            if is_certain:
                advice = f"Only {closing} leads back to a class that also has another parent."
            fix = f"without {self.look.lines(records)} ({closing})" if is_certain else None
            self.drop(
                "cycles", records, f"classes are below themselves: {cycle_words(cycle, 8)}. {advice}", is_certain, fix
            )

    def tops(self):
        _, tops = named_and_tops(self.pairs.values())
        if len(tops) > 1:
            text = (
                f"{len(tops)} classes have no parent: {some(tops)}. A root is added above them; if that is not intended, "
                f"add their parents."
            )
            self.look.note("several_roots", self.records_of(tops), text)

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
            self.drop("redundant_edges", short, text)


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
