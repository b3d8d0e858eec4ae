"""Taxonomies in tables: edge lists, edge lists with attributes, level columns, and a column of paths.

Conventions
-----------
An edge list keeps the order of its rows: node j > 0 is the child of row j. Which column holds the parent is detected from
the header, else from which reading gives one tree; reading left to right wins when both do.
"""

import re
from functools import partial

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.class_paths import taxonomy_of_paths
from hierviz.readers.node_attributes import numbers_where_all
from hierviz.taxonomy.taxonomy import Taxonomy

PARENT_WORDS = (
    ("parent", "parent_id", "parent_name", "parent id", "parent name", "parent_node", "parent_class", "parentid")
    + ("source", "from", "superclass", "super", "supercategory")
    + ("hypernym", "broader", "ancestor")
)
# The first ones win.
CHILD_WORDS = (
    ("child", "node", "id", "name", "child_id", "child_name", "child id", "child name", "child_node", "child_class")
    + ("target", "to", "subclass", "sub", "hyponym", "narrower")
    + ("class", "label", "node_id", "category", "subcategory", "code")
)
TITLE_WORDS = ("title", "name", "label", "display_name")
# Ranks of biology, from the top down.
BIOLOGICAL_RANKS = (
    ("domain", "superkingdom", "kingdom", "subkingdom", "phylum", "division", "subphylum")
    + ("superclass", "class", "subclass", "infraclass", "superorder", "order", "suborder", "infraorder")
    + ("superfamily", "family", "subfamily", "tribe", "subtribe", "genus", "subgenus")
    + ("species", "subspecies", "variety", "strain")
)
RANKS = (
    BIOLOGICAL_RANKS
    + ("root", "coarse", "medium", "fine", "group", "subgroup", "category", "subcategory", "department")
    + ("section", "type", "subtype", "leaf", "super_class", "sub_class")
)
_NUMBERED = re.compile(r"(level|lvl|l|rank|depth|tier|cat|category|class|label|layer|h|hierarchy|name)[ _-]?\d+$")
DIRECTIONS = {"parent,child": "parent, child", "child,parent": "child, parent"}


def is_rank(word):
    """True for a word that heads a level column."""
    word = word.strip().casefold()
    return word in RANKS or bool(_NUMBERED.match(word))


def table_form(first):
    """ "edges" or "levels" for a table whose first record has these cells."""
    words = [cell.strip().casefold() for cell in first]
    if sum(map(is_rank, words)) >= 2 and not ("parent" in words or any(word in ("child", "node") for word in words)):
        return "levels"
    return "edges" if len(first) == 2 or any(word in PARENT_WORDS for word in words) else "levels"


def path_column(table, separator=None):
    """Place of the column ``path`` of a table, None when there is none: a class may be called so as well."""
    words = [cell.strip().casefold() for cell in table.first]
    if len(words) < 2 or "path" not in words or any(word in PARENT_WORDS for word in words):
        return None
    place = words.index("path")
    cells = [cells[place] for _, cells in table.sample[1:] if place < len(cells)]
    is_path = any(separator in cell for cell in cells) if separator else path_separator(cells)
    return place if is_path else None


def read_edges(table, has_header=None, direction=None):
    """Taxonomy of an edge list.

    Raises
    ------
    TaxonomyError
        If a name is empty, a node its own parent, or three and more columns have no header that says which is which.
    """
    words = [cell.strip().casefold() for cell in table.first]
    has_header, notes = edge_header(table, partial(table.read, has_header=False), has_header)
    columns = table.read(has_header=has_header)
    if len(columns) == 0:
        raise TaxonomyError(f"{table.where}: expected edges below the header, got none. Is the file complete?")
    left, right, how = edge_columns(columns, words if has_header else None, direction)
    parents, children = ([cell.strip() for cell in columns.text[place]] for place in (left, right))
    edges = []
    for row, (parent, child) in enumerate(zip(parents, children, strict=True)):
        if not child:
            raise TaxonomyError(
                f"{columns.place(row)}: expected the name of a class, got an empty cell. Name every node."
            )
        if parent == child:
            raise TaxonomyError(
                f"{columns.place(row)}: expected two different nodes, got {child!r} as its own parent. Remove the row."
            )
        edges.append((parent or None, child))
    if parents.count("") > 1:
        notes.append(f"{parents.count('')} rows have no parent and are roots")
    attributes, titles = {}, None
    for place, cells in columns.text.items():
        if place in (left, right):
            continue
        values = dict(zip(children, numbers_where_all(cells), strict=True))
        if titles is None and has_header and words[place] in TITLE_WORDS:
            titles = {child: text for child, text in zip(children, cells, strict=True) if text.strip()}
        else:
            attributes[columns.names[place]] = values
    detected = {"form": "edge list", **table.detected, "header": "yes" if has_header else "no", "direction": how}
    if attributes:
        detected["attributes"] = ", ".join(attributes)
    if how.endswith("(assumed)"):
        notes.append(f"{table.where}: the columns were read as {how}")
    return Taxonomy.from_edges(
        edges, titles=titles, attributes=attributes, where=table.where, notes=notes, detected=detected
    )


def edge_header(table, read, has_header=None):
    """Whether the first row of an edge list is a header, and notes about it.

    Where neither `has_header` nor the words of the row say it, `read` is called for the Columns with that row.
    """
    if has_header is not None:
        return has_header, []
    words = [cell.strip().casefold() for cell in table.first]
    has_parent = any(word in PARENT_WORDS for word in words)
    has_child = any(word in CHILD_WORDS and word not in PARENT_WORDS for word in words)
    if (has_parent and has_child) or len(words) > 2:
        return True, []
    # Unknown words are a header when they come nowhere else and would be a tree of their own next to a single one.
    columns = read()
    (head, *parents), (tail, *children) = columns.text[0], columns.text[1]
    rest = set(parents) | set(children)
    is_apart = rest and head not in rest and tail not in rest
    if is_apart and 1 in (len(set(parents) - set(children)), len(set(children) - set(parents))):
        return True, [
            f"{table.where}: the first row ({head!r}, {tail!r}) was read as a header, because neither name occurs in another row"
        ]
    return False, []


def edge_columns(columns, words, direction):
    """Places of parent and child, and how that is known."""
    n = len(columns.names)
    if words is not None:
        parents = [k for k, word in enumerate(words) if word in PARENT_WORDS]
        children = [k for k, word in enumerate(words) if word in CHILD_WORDS and k not in parents]
        children.sort(key=lambda k: CHILD_WORDS.index(words[k]))
        if parents and not children and n == 2:
            children = [1 - parents[0]]
        if children and not parents and n == 2 and words[children[0]] in ("child", "subclass", "hyponym", "narrower"):
            parents = [1 - children[0]]
        if parents and children and direction is None:
            parent = parents[0]
            wanted = set(columns.text[parent]) - {""}
            # Parents refer to ids or to names: the column that knows most of them.
            child = max(children, key=lambda k: len(wanted.intersection(columns.text[k])))
            return parent, child, f"{columns.names[parent]}, {columns.names[child]} (by the header)"
    if n != 2:
        raise TaxonomyError(
            f"{columns.where}: expected two columns, or a header with 'parent' and 'node', got {n} columns "
            f"({listed(columns.names)}). Name the columns, or pass form='levels'."
        )
    if direction is not None:
        if direction not in DIRECTIONS:
            raise TaxonomyError(
                f"direction: expected one of {', '.join(DIRECTIONS)}, got {direction!r}. Choose one of them."
            )
        places = (0, 1) if direction == "parent,child" else (1, 0)
        return *places, f"{DIRECTIONS[direction]} (as given)"
    left, right = columns.text[0], columns.text[1]
    forward, backward = _fit(left, right), _fit(right, left)
    if backward > forward:
        return 1, 0, "child, parent (only that gives one root)" if backward > 1 else "child, parent (assumed)"
    return 0, 1, "parent, child (assumed)" if backward == forward else "parent, child (only that gives one root)"


def _fit(parents, children):
    """3 one tree, 2 one root, 1 several trees, 0 none of these."""
    pairs = set(zip(parents, children, strict=True))
    tops = {parent for parent, _ in pairs} - {child for _, child in pairs}
    has_one_parent = len({child for _, child in pairs}) == len(pairs)
    return (3 if has_one_parent else 2) if len(tops) == 1 else 1 if has_one_parent and tops else 0


def read_levels(table, has_header=None):
    """Taxonomy of level columns: one column per rank, from the top down.

    Blanks at the end of a row make a class that stops there; a blank with something below it is an error.
    """
    has_header, places, notes = level_columns(table, partial(table.read, has_header=False), has_header)
    columns = table.read(has_header=has_header)
    ignored = [name for place, name in enumerate(columns.names) if place not in places]
    if ignored:
        notes.append(f"{table.where}: columns {listed(ignored)} are not levels and were not used")
    paths = []
    for row in range(len(columns)):
        path = [without_empty_rank(columns.text[place][row]) for place in places]
        depth, gaps = depth_and_gaps(path)
        if gaps:
            raise TaxonomyError(
                f"{columns.place(row)}, column {columns.names[places[gaps[0]]]!r}: expected the parent of {path[depth - 1]!r}, "
                "got an empty cell. Fill the gap (for example 'unplaced'); empty cells are allowed only at the end of a row."
            )
        if depth:
            paths.append(tuple(path[:depth]))
    if not paths:
        raise TaxonomyError(f"{table.where}: expected classes in level columns, got none. Is the file complete?")
    detected = {"form": "level columns", **table.detected, "header": "yes" if has_header else "no"}
    detected["levels"] = " > ".join(columns.names[place] for place in places)
    # Which depth a level has depends on it.
    detected["first level"] = "the root" if len({path[0] for path in paths}) == 1 else "below an added root"
    return taxonomy_of_paths(paths, table.where, notes=notes, detected=detected)


def level_columns(table, read, has_header=None):
    """Whether the first row of level columns is a header, the places of the levels, and notes about it.

    Where neither `has_header` nor the words of the row say it, `read` is called as by `edge_header`.
    """
    ranks, notes = [place for place, cell in enumerate(table.first) if is_rank(cell)], []
    if has_header is None:
        has_header = len(ranks) >= 2 or (len(ranks) == 1 and len(table.first) == 1)
        if not has_header:
            first, *others = read().text[0]
            # A word of its own above one top that repeats.
            has_header = len(others) > 1 and len(set(others)) == 1 and first not in others
            words = "a header" if has_header else "classes; if it is a header, pass has_header=True"
            notes.append(f"{table.where}: the first row ({listed(table.first)}) was read as {words}")
    return has_header, ranks if has_header and len(ranks) >= 2 else list(range(len(table.first))), notes


def depth_and_gaps(path):
    """Number of levels down to the last name that is not empty, and places of the empty ones above it."""
    depth = next((level for level in range(len(path), 0, -1) if path[level - 1]), 0)
    return depth, [level for level in range(depth) if not path[level]]


def without_empty_rank(cell):
    """A name without blanks; nothing for a rank without a name, as ``g__``."""
    cell = cell.strip()
    return "" if re.fullmatch(r"[A-Za-z]{1,2}__", cell) else cell


def read_path_cells(cells, where, separator=None, *, detected=None):
    """Taxonomy of classes given as paths.

    Parameters
    ----------
    cells : sequence of str
        For example ``"animal > mammal > cat"``.
    separator : str, optional
        Found when absent.
    """
    cells = [cell.strip() for cell in cells if cell.strip()]
    separator = separator or path_separator(cells)
    if separator is None:
        raise TaxonomyError(
            f"{where}: expected a tree (two columns parent,child; one column per level; or paths such as 'a > b > c'), "
            f"got one column of names ({listed(cells[:3])}). Add a column that names the parent of each class."
        )
    paths = []
    for cell in cells:
        parts = [without_empty_rank(part) for part in cell.strip(separator.strip() or separator).split(separator)]
        while parts and not parts[-1]:
            parts.pop()
        if "" in parts:
            raise TaxonomyError(
                f"{where}: expected a name between all separators {separator.strip()!r}, got {cell!r}. "
                "Name every step of the path."
            )
        if parts:
            paths.append(tuple(parts))
    detected = {"form": "paths", **(detected or {}), "separator": separator.strip()}
    return taxonomy_of_paths(paths, where, detected=detected)


def path_separator(cells):
    """The separator that most paths hold, None when there is none."""
    for separator in (" > ", "::", ">", "|", ";", "/", "\\"):
        holding = sum(separator in cell.strip(separator) for cell in cells)
        if holding and 2 * holding >= len(cells):
            return separator
    return None
