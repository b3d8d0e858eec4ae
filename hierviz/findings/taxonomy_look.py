"""All problems of a taxonomy file, the taxonomy for the checks that need one, and notable properties of its shape: only
children, several parents, uneven depths, names that repeat."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np

from hierviz.findings.edge_table import look_at_edges
from hierviz.findings.finding import counted, some
from hierviz.findings.level_table import look_at_levels
from hierviz.findings.name_looks import ALIKE, look_alikes
from hierviz.findings.table_look import TableLook
from hierviz.messages.errors import HiervizError
from hierviz.readers.sources import open_source
from hierviz.readers.taxonomy_file import has_taxonomy_tables, load_taxonomy, plain_table


def look_at_taxonomy(path, found, folder, *, separator=None, direction=None, **reading):
    """Note the faults of a taxonomy file.

    Parameters
    ----------
    path : str or path
    found : Findings
    folder : Path
        For a copy that is fixed so far as to be read.
    separator, direction, **reading
        Keywords of `load_taxonomy`.

    Returns
    -------
    taxonomy : Taxonomy or None
        As it is fixed; None where it cannot be read.
    fixes : Changes or None
    """
    where, kind, look = Path(os.fspath(path)).name, None, None
    said = {"separator": separator, "direction": direction, **reading}
    try:
        if not has_taxonomy_tables(path):
            source = open_source(path, "a class taxonomy", ("text", "xml"))
            kind, table = plain_table(source, reading.get("form"), separator)
        before = len(found)
        if kind is not None:
            look = TableLook(table, found)
            if kind == "edges":
                look_at_edges(look, direction)
            else:
                look_at_levels(look)
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
