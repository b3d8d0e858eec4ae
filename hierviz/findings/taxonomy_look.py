"""All that is wrong with a taxonomy file, and the taxonomy for the looks that need one."""

from __future__ import annotations

import os
from pathlib import Path

from hierviz.findings.edge_table import look_at_edges
from hierviz.findings.level_table import look_at_levels
from hierviz.findings.mend import Changes
from hierviz.findings.taxonomy_shape import look_at_shape
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
        For a copy that is mended so far as to be read.
    separator, direction, **reading
        Keywords of `load_taxonomy`.

    Returns
    -------
    taxonomy : Taxonomy or None
        As it is mended; None where it cannot be read.
    fixes : Mend or None
    """
    where, kind, table, changes = Path(os.fspath(path)).name, None, None, None
    said = {"separator": separator, "direction": direction, **reading}
    try:
        if not has_taxonomy_tables(path):
            source = open_source(path, "a class taxonomy", ("text", "xml"))
            kind, table = plain_table(source, reading.get("form"), separator)
        before = len(found)
        if kind is not None:
            changes = Changes.of(table)
            if kind == "edges":
                look_at_edges(table, direction, found, changes)
            else:
                look_at_levels(table, found, changes)
    except HiervizError as error:
        found.failed(error, where)
        return None, None if changes is None else changes.fixes
    place = path
    try:
        if changes is not None and changes.all:
            place = folder / changes.fixes.name
            changes.all.write(place)
            # It was told of the whole file.
            said["form"] = kind
        taxonomy = load_taxonomy(place, **said)
    except HiervizError as error:
        # What the looks above have found says it better.
        if kind is None or not any(one.severity == "error" for one in found[before:]):
            found.failed(error, where)
        return None, None if changes is None else changes.fixes
    look_at_shape(taxonomy, where, found, with_names=kind is None)
    return taxonomy, None if changes is None else changes.fixes
