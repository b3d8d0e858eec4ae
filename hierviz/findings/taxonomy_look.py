"""All problems of a taxonomy file, the taxonomy for the checks that need one, and notable properties of its shape: only
children, several parents, uneven depths, names that repeat."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np

from hierviz.findings.edge_table import look_at_edges
from hierviz.findings.file_looks import TableLook
from hierviz.findings.finding import counted, some
from hierviz.findings.name_looks import ALIKE, look_alikes, plain_name
from hierviz.messages.errors import HiervizError, shown
from hierviz.readers.columns import unfit_keys
from hierviz.readers.sources import open_source
from hierviz.readers.taxonomy_file import form_of, has_taxonomy_tables, load_taxonomy, plain_table
from hierviz.readers.taxonomy_tables import depth_and_gaps, level_columns, without_empty_rank


def look_at_taxonomy(path, found, folder, *, separator=None, direction=None, has_header=None, **reading):
    """Note the faults of a taxonomy file.

    Parameters
    ----------
    path : str or path
    found : Findings
    folder : Path
        For a copy that is fixed so far as to be read.
    separator, direction, has_header, **reading
        Keywords of `load_taxonomy`.

    Returns
    -------
    taxonomy : Taxonomy or None
        As it is fixed; None where it cannot be read.
    fixes : Changes or None
    """
    where, kind, look = Path(os.fspath(path)).name, None, None
    said = {"separator": separator, "direction": direction, "has_header": has_header, **reading}
    try:
        if not has_taxonomy_tables(path):
            source = open_source(path, "a class taxonomy", ("text", "xml"))
            kind, table = plain_table(source, reading.get("form"), separator)
        before = len(found)
        if kind is not None:
            look = TableLook(table, found)
            if kind == "edges":
                look_at_edges(look, direction, has_header)
            else:
                look_at_levels(look, has_header)
    except HiervizError as error:
        found.failed(error, where)
        return None, look and look.fixes
    try:
        if look is not None and look.all:
            # The form was detected in the whole file.
            taxonomy = load_taxonomy(look.copy_in(folder), **said | {"form": kind})
        else:
            taxonomy = load_taxonomy(path, **said)
    except HiervizError as error:
        # What the checks above have found says it better.
        if kind is None or not any(one.severity == "error" for one in found[before:]):
            found.failed(error, where)
        return None, look and look.fixes
    if (form := form_of(path, reading.get("form"))) is not None:
        found.note("other_form", where, f"the file is read as {form.words} ({form.key}).")
    look_at_shape(taxonomy, where, found, with_names=kind is None)
    return taxonomy, look and look.fixes


def look_at_shape(taxonomy, where, found, with_names=True):
    """Note properties of a taxonomy.

    Parameters
    ----------
    taxonomy : Taxonomy
    where : str
    found : Findings
    with_names : bool
        Check for names that look alike too: where no table was checked.
    """
    names, children = taxonomy.names, taxonomy.children
    if not taxonomy.is_tree:
        nodes = np.flatnonzero(taxonomy.parents.lengths > 1)
        text = (
            f"{counted(len(nodes), 'class has', 'classes have')} several parents "
            f"({some([names[node] for node in nodes.tolist()])}): the "
            "taxonomy is a graph, on which the win, rules that go down the tree, and curves of one answer are not defined."
        )
        found.note("several_parents", where, text)
    is_only = children.lengths == 1
    only = children.nodes[np.repeat(is_only, children.lengths)]
    if len(only):
        text = (
            f"{counted(len(only), 'class has', 'classes have')} no siblings ({some([names[node] for node in only.tolist()])}). "
            "The step into an only child is always right: it never lowers the hierarchical win and takes the weight of deeper "
            "steps, it counts as a step in numbers by depth, and as nothing in numbers by information. Compare wins on the same "
            "taxonomy only."
        )
        found.note("only_children", where, text)
    if taxonomy.is_tree:
        depths, counts = np.unique(taxonomy.depth[taxonomy.leaves], return_counts=True)
        if len(depths) > 1:
            shown = ", ".join(
                f"{count:,} at {depth}" for depth, count in zip(depths[:6].tolist(), counts[:6].tolist(), strict=True)
            )
            more = ", ..." if len(depths) > 6 else ""
            text = f"leaves lie at {len(depths)} depths ({shown}{more}): not every class has one of each level."
            found.note("uneven_depths", where, text)
    if taxonomy.titles is not None:
        # Names from paths and levels that repeat are called by their parent too.
        ends = [name.rpartition(" > ")[2] for name in names]
        twice = [name for name, n in Counter(end for end, name in zip(ends, names, strict=True)).items() if n > 1]
        twice = [name for name in twice if any(" > " in other and other.endswith(f" > {name}") for other in names)]
        if twice:
            text = (
                f"{counted(len(twice), 'name is', 'names are')} used under several parents ({some(twice)}): they are "
                f"called by their parent too."
            )
            found.note("duplicate_names", where, text)
    for group in look_alikes(names) if with_names else ():
        found.note("look_alike_names", where, ALIKE.format(some(group), len(group)), severity="warning")


def look_at_levels(look, has_header=None):
    """Note the faults of level columns, and how they are fixed.

    Parameters
    ----------
    look : TableLook
    has_header : bool, optional
        As `load_taxonomy` takes it.
    """
    look.read_rows(has_header=False)
    has_header, places, _ = level_columns(look.table, look.columns, has_header)
    if has_header:
        del look.rows[0]
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
    again = [record for record, _ in unfit_keys((record, tuple(path)) for record, path in paths.items())]
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
        for level in depth_and_gaps(path)[1]:
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
