"""Mappings of names as files: a table of what names outside the taxonomy are taken for, read and written."""

from __future__ import annotations

import io
import os

from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.errors import FileError, listed, shown
from hierviz.messages.new_files import new_text
from hierviz.predictions.name_mapping import COLUMNS, MappedName, NameMapping
from hierviz.readers.columns import as_number
from hierviz.readers.labels import find_node, unknown_node
from hierviz.readers.tables import open_table
from hierviz.taxonomy.checks import check_kind, check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

NEEDED = ("given", "mapped_to")


def load_mapping(source: str | os.PathLike[str], taxonomy: Taxonomy) -> NameMapping:
    """Read what names outside the taxonomy are taken for, as `write_mapping` and the page Open files write it.

    Parameters
    ----------
    source : str or path
        A CSV, TSV or Parquet table (gzipped too) with the columns ``given`` and ``mapped_to``, which is empty for a name that is
        no class, and ``sure`` if it is there. Other columns are not read.
    taxonomy : Taxonomy

    Returns
    -------
    NameMapping
        Its choices hold before those of ``outside="nearest"``.

    Raises
    ------
    FileError
        If the table cannot be read, a column is missing, or a name is empty, repeated, or that of another class of the taxonomy,
        for which it would be read in any case; names the line.
    PredictionsError
        If a class is no node of the taxonomy; names the line.
    """
    check_taxonomy(taxonomy, "It comes after the file.")
    table = open_table(source, "a mapping of names (CSV, TSV or Parquet)")
    words = [name.strip().casefold() for name in table.first]
    if any(words.count(name) != 1 for name in NEEDED):
        raise FileError(
            f"{table.where}: expected the columns {' and '.join(NEEDED)}, each once, got {listed(table.first, 6)}. Use a file "
            "that the page Open files saved, or name the columns so."
        )
    columns = table.read(has_header=True)
    given, mapped, sure = (
        columns.single_text(words.index(name)) if name in words else [""] * len(columns) for name in (*NEEDED, "sure")
    )
    rows: dict[str, MappedName] = {}
    for row, (name, name_of_class, cell) in enumerate(zip(map(str.strip, given), mapped, sure, strict=True)):
        if not name or name in rows:
            got = f"{shown(name)} again" if name else "nothing"
            raise FileError(f"{columns.place(row)}: expected every given name once, got {got}. Remove the row.")
        node = find_node(name_of_class, taxonomy) if name_of_class.strip() else -1
        if node is None:
            raise unknown_node(f"{columns.place(row)}, column 'mapped_to'", name_of_class, taxonomy)
        own = find_node(name, taxonomy)
        if own not in (None, node):
            raise FileError(
                f"{columns.place(row)}: expected names that the taxonomy does not hold, got {shown(name)}, which is its class "
                f"{shown(taxonomy.names[own])} and is always read as that. Remove the row, or rename the class in the taxonomy."
            )
        similarity = as_number(cell) if cell.strip() else None
        rows[name] = MappedName(name, node=int(node), sure=similarity if node >= 0 else None, is_chosen=True)
    return NameMapping(taxonomy, tuple(rows.values()))


def mapping_csv(mapping: NameMapping) -> str:
    """A mapping as the text of its file."""
    text = io.StringIO()
    _write(mapping, text)
    return text.getvalue()


def write_mapping(mapping: NameMapping, path: str | os.PathLike[str]) -> None:
    """Write a mapping as CSV (UTF-8), whole or not at all; FileError when the file cannot be written."""
    check_kind("write_mapping", mapping, NameMapping, "It comes first, then the path.")
    with new_text(path) as file:
        _write(mapping, file)


def _write(mapping, file):
    writer = SafeWriter(file)
    writer.writerow(COLUMNS)
    writer.writerows(mapping.records())
