"""What is known about nodes: display names and attributes such as ``train_count``, from a table of their own."""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError, listed, near_miss
from hierviz.readers import file_limits
from hierviz.readers.columns import joined, require_names, unfit_keys
from hierviz.readers.labels import find_node
from hierviz.readers.tables import open_table

NODE_COLUMNS = ("node", "class", "id", "child", "name")
TITLE_COLUMNS = ("name", "title", "display_name", "label")
# Shown next to the name: attribute `common_name`.
COMMON = "common_name"
COMMON_COLUMNS = (
    COMMON,
    "common name",
    "common",
    "vernacular_name",
    "vernacular name",
    "vernacularname",
    "english_name",
)
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def load_node_attributes(path, taxonomy):
    """The taxonomy with display names and attributes from a table.

    Parameters
    ----------
    path : str or path
        CSV, TSV or Parquet with a column ``node`` and any others: ``name`` (or ``title``) is how the node is shown, and
        ``common_name`` (or ``vernacular_name``) stands after it in brackets. Two columns without a header are node and name.
    taxonomy : Taxonomy

    Returns
    -------
    Taxonomy
        Columns that hold only numbers become numbers; None where a node has no row. Rows of nodes that are not in the
        taxonomy are left out, which `notes` says.

    Raises
    ------
    FileError
        If the table cannot be read.
    TaxonomyError
        If no row is about a node of the taxonomy, or a node has two rows.
    """
    table = open_table(path, "a table of node attributes with a column 'node'", most_rows=file_limits.CLASS_ROWS)
    words = [cell.strip().casefold() for cell in table.first]
    has_header = not table.can_lack_header or any(word in NODE_COLUMNS for word in words)
    if not has_header and len(words) != 2:
        raise TaxonomyError(f"{table.where}: expected a column 'node', got {listed(table.first)}. Name the columns.")
    columns = table.read(has_header=has_header)
    place = next((words.index(name) for name in NODE_COLUMNS if name in words), 0) if has_header else 0
    if has_header:
        require_names(columns.names, columns.where)
    names = columns.single_text(place)
    nodes = [find_node(name, taxonomy) for name in names]
    for row, first in unfit_keys(enumerate(nodes)):
        if first is not None:
            raise TaxonomyError(
                f"{columns.place(row)}: expected one row per node, got {names[row]!r} again "
                f"(first at {columns.place(first)}). Remove one."
            )
    unknown = [name for name, node in zip(names, nodes, strict=True) if node is None]
    if len(unknown) == len(nodes):
        near = near_miss(unknown[0], taxonomy.names) if unknown else ""
        raise TaxonomyError(
            f"{table.where}: expected rows about nodes of the taxonomy in column {columns.names[place]!r}, got "
            f"{listed(unknown) if unknown else 'none'}.{near} Is it the right file?"
        )
    notes = []
    if unknown:
        notes.append(
            f"{table.where}: {len(unknown)} rows are about no node of the taxonomy and were left out ({listed(unknown)})"
        )
    titles, attributes = None, {}
    for other, cells in columns.text.items():
        if other == place:
            continue
        cells = list(map(joined, cells))
        if titles is None and (not has_header or words[other] in TITLE_COLUMNS):
            titles = {
                taxonomy.names[n]: cell for n, cell in zip(nodes, cells, strict=True) if n is not None and cell.strip()
            }
            continue
        if COMMON not in attributes and has_header and words[other] in COMMON_COLUMNS:
            attributes[COMMON] = {
                taxonomy.names[n]: cell for n, cell in zip(nodes, cells, strict=True) if n is not None
            }
            continue
        values = numbers_where_all(cells)
        attributes[columns.names[other]] = {
            taxonomy.names[n]: v for n, v in zip(nodes, values, strict=True) if n is not None
        }
    return taxonomy.with_nodes(titles, attributes, notes)


def numbers_where_all(cells):
    """Cells as int or float when all that are not empty are such numbers, else as text; None for empty cells of numbers."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    for pattern, kind in ((_WHOLE, int), (_NUMBER, float)):
        # 007 is a name, not seven.
        if filled and all(
            len(cell) < 300 and pattern.fullmatch(cell) and not re.match(r"[+-]?0\d", cell) for cell in filled
        ):
            return [kind(cell) if cell.strip() else None for cell in cells]
    return list(cells)
