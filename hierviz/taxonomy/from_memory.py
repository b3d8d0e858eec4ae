"""Taxonomies from what libraries and programs hold in memory: graphs of networkx, nested dicts, frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from hierviz.messages.errors import TaxonomyError, listed, shown
from hierviz.messages.frames import frame_columns, is_frame
from hierviz.taxonomy.class_places import Places, named_places, places_of_paths
from hierviz.taxonomy.nested_names import is_adjacency, walk

# Of an edge list in a frame, and of the nodes of a graph.
PARENT, CHILD, TITLE = "parent", "child", "title"


class TaxonomyFromMemory:
    """Constructors of `hierviz.Taxonomy`, which has `from_edges` and `from_anytree`."""

    if TYPE_CHECKING:
        from_edges: Callable[..., Any]

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Build a taxonomy from a directed graph of networkx, whose edges lead from parents to children.

        Parameters
        ----------
        graph : networkx.DiGraph
            Nodes are called by themselves, as text; their data ``title`` are display names, other data attributes. Edges that
            lead from children to parents are turned by ``graph.reverse()``.

        Returns
        -------
        Taxonomy

        Raises
        ------
        TaxonomyError
            If the graph is not directed, has a cycle or fewer than two nodes, or two nodes are the same text.

        Examples
        --------
        >>> import networkx as nx
        >>> from hierviz import Taxonomy
        >>> Taxonomy.from_networkx(nx.DiGraph([("animal", "cat"), ("animal", "dog")]))
        <Taxonomy: tree of 3 nodes, 2 leaves, depth 1>
        """
        if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
            raise TaxonomyError(f"graph: expected a networkx.DiGraph, got {type(graph).__name__}.{_way(graph)}")
        if not graph.is_directed():
            raise TaxonomyError(
                "graph: expected a directed graph, got an undirected one. Pass the edges from parents to children, for example "
                "networkx.bfs_tree(graph, root)."
            )
        names = {node: str(node) for node in graph.nodes}
        if len(set(names.values())) < len(names):
            texts = list(names.values())
            twice = listed(dict.fromkeys(name for name in texts if texts.count(name) > 1))
            raise TaxonomyError(f"graph: expected nodes of different names, got {twice} more than once. Rename them.")
        titles: dict[str, str] = {}
        attributes: dict[str, dict[str, Any]] = {}
        for node, data in graph.nodes(data=True):
            for key, value in data.items():
                if key == TITLE:
                    titles[names[node]] = str(value)
                else:
                    attributes.setdefault(str(key), {})[names[node]] = value
        edges = list(dict.fromkeys((names[edge[0]], names[edge[1]]) for edge in graph.edges))
        joined = {name for edge in edges for name in edge}
        alone = [(None, name) for name in names.values() if name not in joined]
        return cls.from_edges([*edges, *alone], titles=titles or None, attributes=attributes, where="graph")

    @classmethod
    def from_dict(cls, nested: Any) -> Self:
        """Build a taxonomy from nested dicts and lists, in the forms of JSON files.

        Parameters
        ----------
        nested : dict or list
            Names that hold what is below them (``{"animal": {"mammal": ["cat", "dog"], "newt": None}}``), nodes with ``name``
            and ``children``, or lists of children by parent (``{"animal": ["mammal"], "mammal": ["cat", "dog"]}``).

        Returns
        -------
        Taxonomy
            The same name at two places means two classes, which are then called by their parent too.

        Raises
        ------
        TaxonomyError
            If there is no class, a name is empty or no text, or siblings share a name.

        Examples
        --------
        >>> from hierviz import Taxonomy
        >>> Taxonomy.from_dict({"animal": {"mammal": ["cat", "dog"], "newt": None}}).names
        ('animal', 'mammal', 'cat', 'dog', 'newt')
        """
        if not isinstance(nested, (dict, list, tuple)):
            raise TaxonomyError(f"nested: expected dicts and lists, got {type(nested).__name__}.{_way(nested)}")
        if isinstance(nested, dict) and is_adjacency(nested):
            edges = [(str(parent), str(child)) for parent, children in nested.items() for child in children]
            return cls.from_edges(edges, where="nested")
        _, places, attributes, notes = walk(nested, "nested")
        return _of_places(cls, places, "nested", attributes, notes)

    @classmethod
    def from_frame(cls, frame: Any, *, levels: Sequence[str] | None = None) -> Self:
        """Build a taxonomy from a frame of pandas or polars, or a table of Arrow.

        Parameters
        ----------
        frame : DataFrame or Table
            An edge list with the columns ``parent`` (empty for the top) and ``child``, and if there are ``title`` and attributes;
            or columns of levels from the top down, one row a class, whose cells are empty from where a class stops.
        levels : sequence of str, optional
            Columns of the levels from the top down; all columns where the frame is no edge list.

        Returns
        -------
        Taxonomy
            As from a file with this table.

        Raises
        ------
        TaxonomyError
            If there is no class or no such column, a row has a gap above a class, or an edge lacks its child.

        Examples
        --------
        >>> import pandas as pd
        >>> from hierviz import Taxonomy
        >>> Taxonomy.from_frame(pd.DataFrame({"parent": ["animal", "animal"], "child": ["cat", "dog"]}))
        <Taxonomy: tree of 3 nodes, 2 leaves, depth 1>
        >>> Taxonomy.from_frame(pd.DataFrame({"order": ["Carnivora", "Caudata"], "species": ["cat", "newt"]})).n_leaves
        2
        """
        if not is_frame(frame):
            raise TaxonomyError(f"frame: expected a DataFrame or a Table, got {type(frame).__name__}.{_way(frame)}")
        columns = frame_columns(frame, "frame", TaxonomyError)
        if levels is None and {PARENT, CHILD} <= set(columns):
            return _of_edge_columns(cls, columns)
        levels = list(columns) if levels is None else [str(name) for name in levels]
        unknown = [name for name in levels if name not in columns]
        if unknown:
            raise TaxonomyError(
                f"levels: expected columns of the frame ({listed(columns)}), got {listed(unknown)}. Choose among them."
            )
        paths = []
        for row, cells in enumerate(zip(*(columns[name] for name in levels), strict=True)):
            path = ["" if cell is None else str(cell).strip() for cell in cells]
            filled = [name for name in path if name]
            if path[: len(filled)] != filled:
                raise TaxonomyError(
                    f"frame, row {row}: expected classes without gaps from the top down, got {shown(path)}. Fill the gap; cells "
                    "are empty only at the end of a row."
                )
            paths.append(filled)
        return _of_places(cls, places_of_paths(paths), "frame", {}, ())


def _of_edge_columns(cls, columns):
    parents, children = (
        ["" if cell is None else str(cell).strip() for cell in columns[name]] for name in (PARENT, CHILD)
    )
    empty = next((row for row, child in enumerate(children) if not child), None)
    if empty is not None:
        raise TaxonomyError(f"frame, row {empty}: expected the name of a class as child, got none. Name every node.")
    titles = {child: str(text) for child, text in zip(children, columns.get(TITLE, ()), strict=False) if text}
    attributes = {
        name: dict(zip(children, cells, strict=True))
        for name, cells in columns.items()
        if name not in (PARENT, CHILD, TITLE)
    }
    edges = [(parent or None, child) for parent, child in zip(parents, children, strict=True)]
    return cls.from_edges(edges, titles=titles or None, attributes=attributes, where="frame")


def _of_places(cls, places: Places, where, attributes, notes):
    if not len(places):
        raise TaxonomyError(f"{where}: expected classes, got none. Is it empty?")
    named = named_places(places, where)
    columns = {
        key: {named.names[number]: value for number, value in values.items()} for key, values in attributes.items()
    }
    return cls.from_edges(
        named.edges, titles=named.titles, attributes=columns, where=where, notes=[*notes, *named.notes]
    )


def constructor_for(value: Any) -> str:
    """Name of the constructor of `hierviz.Taxonomy` that takes a value, "" where it may be none of them."""
    if isinstance(value, (str, bytes)):
        return ""
    if is_frame(value):
        return "from_frame"
    if hasattr(value, "nodes") and hasattr(value, "is_directed"):
        return "from_networkx"
    if all(hasattr(value, name) for name in ("name", "parent", "children")):
        return "from_anytree"
    if isinstance(value, Mapping):
        return "from_dict"
    is_pairs = isinstance(value, (list, tuple)) and all(
        isinstance(one, (list, tuple)) and len(one) == 2 for one in value
    )
    return "from_edges" if is_pairs and value else ""


def _way(value):
    name = constructor_for(value)
    return f" Use Taxonomy.{name}." if name else " Check what is passed."
