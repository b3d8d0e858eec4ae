"""Faults of an edge list, one check after the other, each on the list as the checks before have fixed it."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import ALIKE, look_alikes, plain_name, with_zeros_of
from hierviz.messages.errors import shown
from hierviz.readers.taxonomy_tables import edge_columns, edge_header


def look_at_edges(look, direction):
    """Note the faults of an edge list, and how they are fixed.

    Parameters
    ----------
    look : TableLook
    direction : str, optional
        As `load_taxonomy` takes it.
    """
    look.read_rows(has_header=False)
    words = [name.casefold() for name in look.names]
    is_header = len(look.rows) > 1 and edge_header(look.table, words)[0]
    if is_header:
        del look.rows[0]
    rows = look.rows.values()
    columns = SimpleNamespace(
        names=look.names,
        where=look.where,
        text={place: [cells[place].strip() for _, cells in rows] for place in range(len(look.names))},
    )
    left, right, _ = edge_columns(columns, words if is_header else None, direction)
    edges = _Edges(look, left, right)
    for check in ("blanks", "characters", "alike", "themselves", "repeats", "cycles", "tops", "shortcuts"):
        getattr(edges, check)()


class _Edges:
    """The edges as they are fixed so far: `pairs` by record, of the records that are left."""

    def __init__(self, look, left, right):
        self.look, self.places = look, (left, right)
        self.pairs = {record: (cells[left].strip(), cells[right].strip()) for record, (_, cells) in look.rows.items()}

    def note(self, code, records, message, fix=None, severity=None):
        self.look.note(code, records, message, fix, severity)

    def drop(self, code, records, message, is_fix=True, fix=None):
        """Note records and leave them out."""
        self.note(code, records, message, fix or (f"without {self.look.lines(records)}" if is_fix else None))
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
            self.note("odd_characters", self.records_of(odd), text, fix, severity)
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
                self.note("look_alike_names", self.records_of(group), text, severity="warning")
                continue
            # The one that has a parent; of tops the one that is written most often.
            first, *rest = sorted(group, key=lambda name: (-as_child[name], -uses[name]))
            is_clear = bool(defined) or all(uses[name] < uses[first] for name in rest)
            text = f"{some(group)} look alike: {some(rest)} has no parent, and is another class."
            fix = f"{shown(first)} everywhere" if is_clear else None
            self.note("look_alike_names", self.records_of(rest), text, fix)
            if is_clear:
                self.rename(dict.fromkeys(rest, first))

    def themselves(self):
        own = [record for record, (parent, child) in self.pairs.items() if parent == child]
        if own:
            names = some(self.pairs[record][1] for record in own)
            self.drop("own_parent", own, f"{names}: a class is its own parent in {self.look.lines(own)}.")

    def repeats(self):
        seen, again, other = {}, [], []
        for record, pair in self.pairs.items():
            first = seen.setdefault(pair, record)
            if first != record:
                (again if self.look.rows[record][1] == self.look.rows[first][1] else other).append(record)
        for records, is_fix in ((again, True), (other, False)):
            if records:
                lines = self.look.lines(records)
                text = f"{counted(len(records), 'row repeats an edge', 'rows repeat edges')}: {lines}."
                self.drop("repeated_rows", records, text, is_fix)

    def cycles(self):
        edges = [(parent or None, child) for parent, child in self.pairs.values()]
        for knot in knots(edges):
            closing, is_certain, cycle = closing_edges(knot, edges)
            records = [record for record, pair in self.pairs.items() if pair in closing]
            words = " > ".join(map(shown, cycle[:8])) + (" > …" if len(cycle) > 8 else "")
            more = "" if len(closing) == 1 else f" ({len(closing)} cycles of {len(knot)} classes)"
            pair = " > ".join(map(shown, self.pairs[records[0]]))
            advice = "Remove one of these edges."
            if is_certain:
                advice = f"Only {pair} leads back to a class that also has another parent."
            fix = f"without {self.look.lines(records)} ({pair})" if is_certain else None
            text = f"classes are below themselves: {words}{more}. {advice}"
            self.drop("cycles", records, text, is_certain, fix)

    def tops(self):
        as_child = {child for parent, child in self.pairs.values() if parent}
        names = dict.fromkeys(name for pair in self.pairs.values() for name in pair if name)
        tops = [name for name in names if name not in as_child]
        if len(tops) > 1:
            text = (
                f"{len(tops)} classes have no parent: {some(tops)}. A root is added above them; if that is not intended, "
                f"add their parents."
            )
            self.note("several_roots", self.records_of(tops), text)

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


def knots(edges):
    """Sets of classes that lie below each other.

    Parameters
    ----------
    edges : list of (parent, child)
        Without edges from a class to itself.

    Returns
    -------
    list of list of str
        Strongly connected components of two and more classes.
    """
    below: dict = {}
    for parent, child in edges:
        if parent is not None:
            below.setdefault(parent, []).append(child)
    number: dict = {}
    low: dict = {}
    stack: list = []
    on_stack, found = set(), []
    for start in list(below):
        if start in number:
            continue
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        walk = [(start, iter(below[start]))]
        while walk:
            node, children = walk[-1]
            child = next(children, None)
            if child is None:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == number[node]:
                    knot = []
                    while not knot or knot[-1] != node:
                        knot.append(stack.pop())
                        on_stack.discard(knot[-1])
                    if len(knot) > 1:
                        found.append(knot[::-1])
            elif child not in number:
                number[child] = low[child] = len(number)
                stack.append(child)
                on_stack.add(child)
                walk.append((child, iter(below.get(child, ()))))
            elif child in on_stack:
                low[node] = min(low[node], number[child])
    return found


def closing_edges(knot, edges):
    """Which edges to leave out of a knot so that it is none.

    Parameters
    ----------
    knot : list of str
    edges : list of (parent, child)

    Returns
    -------
    closing : set of (parent, child)
    is_certain : bool
        Only one edge can be wrong: a plain cycle, of which one class alone has a parent outside.
    cycle : list of str
        One way round, its first class at both ends.
    """
    inside, own = set(knot), {}
    entries = {child for parent, child in edges if child in inside and parent is not None and parent not in inside}
    pairs = {(parent, child) for parent, child in edges if parent in inside and child in inside}
    for parent, child in sorted(pairs):
        own.setdefault(parent, []).append(child)
    start = min(entries) if entries else knot[0]
    is_certain = len(entries) == 1 and len(pairs) == len(knot)
    # Edges back to a class that the walk down from the start is still below.
    closing, state, path = set(), {start: "open"}, [start]
    walk, cycle = [(start, iter(own[start]))], []
    while walk:
        node, children = walk[-1]
        child = next(children, None)
        if child is None:
            walk.pop()
            path.pop()
            state[node] = "done"
        elif state.get(child) == "open":
            closing.add((node, child))
            cycle = cycle or [*path[path.index(child) :], child]
        elif child not in state:
            state[child] = "open"
            path.append(child)
            walk.append((child, iter(own[child])))
    return closing, is_certain, cycle
