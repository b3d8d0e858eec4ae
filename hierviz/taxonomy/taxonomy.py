"""The class taxonomy: a rooted tree, or directed acyclic graph, of named classes.

Conventions
-----------
Nodes are integers, node 0 is the root and a parent always has a smaller number than its children. Node order decides
ties and the order of classes. Arrays over nodes have shape (n_nodes,). Information is in bits, depth in edges.
Nothing here is of size nodes x nodes.

References
----------
.. [1] J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hierviz.messages.errors import TaxonomyError, listed, near_miss
from hierviz.messages.extras import require
from hierviz.messages.notebook_html import fact_sheet, tree
from hierviz.taxonomy.edges import numbered
from hierviz.taxonomy.from_memory import TaxonomyFromMemory, constructor_for
from hierviz.taxonomy.node_lists import NodeLists, frozen, group, lowest_common, reached, steps_from
from hierviz.taxonomy.positions import check_position, check_positions

__all__ = ["NodeLists", "Taxonomy"]


# What an answer is called that is no node.
OUTSIDE_TITLE = "(outside the taxonomy)"


@dataclass(frozen=True, eq=False)
class Taxonomy(TaxonomyFromMemory):
    """A rooted tree, or directed acyclic graph, of named classes. Immutable.

    Build one with `hierviz.load_taxonomy`, or from what is in memory with `from_edges`, `from_dict`, `from_frame`,
    `from_networkx` or `from_anytree`.

    Parameters
    ----------
    names : tuple of str, length n_nodes
        Unique.
    edges : ndarray of int, shape (n_edges, 2)
        (parent, child) in the order of the source; sibling order follows it. Parent < child.
    titles : tuple of str, length n_nodes, optional
        Display names; `names` where nothing better is known.
    attributes : mapping of str to sequence of length n_nodes
        Anything known per node, for example ``train_count``.
    notes : tuple of str
        What the reader had to assume or add.
    detected : mapping of str to str
        What the reader found out about the file.
    """

    names: tuple[str, ...]
    edges: np.ndarray = None  # type: ignore[assignment]
    titles: tuple[str, ...] | None = None
    attributes: Mapping = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    detected: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.edges, np.ndarray):
            way = constructor_for(self.names) or "from_edges"
            argument = {"from_networkx": "graph", "from_dict": "nested", "from_frame": "frame", "from_anytree": "root"}
            raise TaxonomyError(
                f"Taxonomy: expected names and an array of numbered edges, got {type(self.names).__name__} and "
                f"{type(self.edges).__name__}. Create one with Taxonomy.{way}({argument.get(way, 'edges')})."
            )
        frozen(self.edges)

    def __repr__(self):
        kind = "tree" if self.is_tree else "directed acyclic graph"
        return f"<Taxonomy: {kind} of {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    def _repr_html_(self):
        kind = "Tree" if self.is_tree else "Directed acyclic graph"
        heading = f"{kind} of {self.n_nodes:,} nodes, {self.n_leaves:,} leaves, depth {self.max_depth}"
        return fact_sheet(heading, tree(0, lambda node: self.children[node].tolist(), self.title))

    # Building ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[str | None]],
        *,
        titles: Mapping[str, str] | None = None,
        attributes: Mapping[str, Mapping] | None = None,
        where: str = "edges",
        notes: Iterable[str] = (),
        detected: Mapping[str, str] | None = None,
    ) -> Taxonomy:
        """Build a taxonomy from named edges.

        Parameters
        ----------
        edges : iterable of (parent, child)
            Names as text. A parent of None declares a node that has no parent.
        titles : mapping of name to display name, optional
        attributes : mapping of attribute to (mapping of name to value), optional
        where : str
            How errors call the source, for example a file name.

        Returns
        -------
        Taxonomy
            Node 0 is the root, then nodes in the order in which they are first named as a child, as long as parents
            come before children (else a stable topological order). Several nodes without a parent get a root of
            their own, which `notes` says.

        Raises
        ------
        TaxonomyError
            If there is no edge, a name is empty, or the edges form a cycle.

        Examples
        --------
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog")])
        >>> taxonomy
        <Taxonomy: tree of 4 nodes, 2 leaves, depth 2>
        """
        if (way := constructor_for(edges)) not in ("", "from_edges"):
            got = type(edges).__name__
            raise TaxonomyError(f"{where}: expected a list of pairs (parent, child), got {got}. Use Taxonomy.{way}.")
        order, pairs, added = numbered(edges, where)
        in_order = None if titles is None else tuple(str(titles.get(name, name)) for name in order)
        columns = {key: tuple(values.get(name) for name in order) for key, values in (attributes or {}).items()}
        return cls(order, pairs, in_order, columns, (*notes, *added), dict(detected or {}))

    @classmethod
    def from_anytree(cls, root: Any, *, where: str = "anytree") -> Taxonomy:
        """Build a tree from the root of an anytree tree; nodes are called by their ``name``."""
        require("anytree", "files", "anytree")
        from anytree import PreOrderIter

        nodes = list(PreOrderIter(root))
        if any(node.name is None for node in nodes):
            raise TaxonomyError(f"{where}: expected a name of every node, got None. Name every node.")
        names = [str(node.name) for node in nodes]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise TaxonomyError(f"{where}: expected unique names, got {listed(twice)} more than once. Rename them.")
        return cls.from_edges([(None, names[0])] + [(str(n.parent.name), str(n.name)) for n in nodes[1:]], where=where)

    def to_anytree(self) -> Any:
        """The root `anytree.Node` of an equal tree; every node carries ``name``, ``title`` and ``node`` (its number)."""
        require("anytree", "files", "anytree")
        from anytree import Node

        made: list = []
        for i, parent in enumerate(self.parent.tolist()):
            made.append(Node(self.names[i], parent=made[parent] if i else None, title=self.title(i), node=i))
        return made[0]

    def with_nodes(
        self, titles: Mapping | None = None, attributes: Mapping | None = None, notes: Iterable[str] = ()
    ) -> Taxonomy:
        """The same taxonomy with display names and attributes: mappings as in `from_edges`."""
        unknown = [name for name in (titles or {}) if name not in self.index]
        unknown += [name for column in (attributes or {}).values() for name in column if name not in self.index]
        if unknown:
            raise TaxonomyError(
                f"node attributes: expected names of the taxonomy, got {listed(dict.fromkeys(unknown))}."
                f"{near_miss(unknown[0], self.names)} Remove or rename these rows."
            )
        now = self.titles
        if titles is not None:
            before = self.names if now is None else now
            now = tuple(str(titles.get(name, title)) for name, title in zip(self.names, before, strict=True))
        new = {key: tuple(column.get(name) for name in self.names) for key, column in (attributes or {}).items()}
        return replace(self, titles=now, attributes={**self.attributes, **new}, notes=self.notes + tuple(notes))

    # Names ---------------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes, the root included."""
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, int]:
        """Mapping of name to node number."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def longest_name(self) -> int:
        """Number of characters of the longest name."""
        return max(map(len, self.names))

    def node(self, name: str) -> int:
        """Number of the node called `name`; TaxonomyError with the near miss when there is none."""
        try:
            return self.index[str(name)]
        except KeyError:
            raise TaxonomyError(
                f"no node named {str(name)!r} in the taxonomy ({self.n_nodes} nodes).{near_miss(str(name), self.names)}"
            ) from None

    def nodes(self, *names: str) -> np.ndarray:
        """Numbers of the nodes with these names, shape (len(names),)."""
        return np.array([self.node(name) for name in names], dtype=np.intp)

    def title(self, node: int) -> str:
        """Display name of a node; of -1, an answer outside the taxonomy, words; a TaxonomyError where there is no such node."""
        if isinstance(node, (int, np.integer)) and node == -1:
            return OUTSIDE_TITLE
        check_position("node", node, self.n_nodes, "node number", error=TaxonomyError)
        return self.shown_titles[node]

    @cached_property
    def shown_titles(self) -> tuple[str, ...]:
        """Display names of all nodes: with attribute ``common_name``, that in brackets: ``Vulpes vulpes (red fox)``."""
        titles = self.names if self.titles is None else self.titles
        common = self.attributes.get("common_name")
        if common is None:
            return tuple(titles)
        shown = ("" if text is None else str(text).strip() for text in common)
        return tuple(
            f"{title} ({text})" if text and text.casefold() not in title.casefold() else title
            for title, text in zip(titles, shown, strict=True)
        )

    # Shape ---------------------------------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> NodeLists:
        """Parents of every node as NodeLists (offsets, nodes), in the order of the source; empty for the root."""
        return group(self.edges[:, 1], self.edges[:, 0], self.n_nodes)

    @cached_property
    def children(self) -> NodeLists:
        """Children of every node as NodeLists (offsets, nodes), in the order of the source."""
        return group(self.edges[:, 0], self.edges[:, 1], self.n_nodes)

    @cached_property
    def is_tree(self) -> bool:
        """True when no node has two parents."""
        return bool(len(self.edges) == self.n_nodes - 1)

    def require_tree(self, what: str) -> None:
        """Raise a TaxonomyError that names a node with two parents unless this is a tree."""
        if not self.is_tree:
            node = int(np.argmax(self.parents.lengths > 1))
            raise TaxonomyError(
                f"{what}: expected a tree, got {self.names[node]!r} with {self.parents.lengths[node]} parents "
                f"({listed([self.names[i] for i in self.parents[node]])}). Keep one of them, or use what is defined on graphs."
            )

    @cached_property
    def parent(self) -> np.ndarray:
        """Parent of every node of a tree, shape (n_nodes,); -1 for the root. TaxonomyError when not a tree."""
        self.require_tree("parent")
        parent = np.full(self.n_nodes, -1, dtype=np.intp)
        parent[self.edges[:, 1]] = self.edges[:, 0]
        return frozen(parent)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """True for nodes without children, shape (n_nodes,)."""
        return frozen(self.children.lengths == 0)

    @cached_property
    def leaves(self) -> np.ndarray:
        """Nodes without children in ascending order, shape (n_leaves,): the order of classes."""
        return frozen(np.flatnonzero(self.is_leaf))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @cached_property
    def depth(self) -> np.ndarray:
        """Edges from the root to every node (by the shortest path in a graph), shape (n_nodes,)."""
        return frozen(steps_from(self.children, 0))

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node."""
        return int(self.depth.max())

    @cached_property
    def n_leaves_below(self) -> np.ndarray:
        """Number of leaves under every node, a leaf counting itself, shape (n_nodes,)."""
        if not self.is_tree:
            return frozen(np.bincount(self.ancestors(self.leaves).nodes, minlength=self.n_nodes))
        return self._summed_up(self.is_leaf.astype(np.intp))

    def _summed_up(self, counts):
        """Counts of every node of a tree with those of all nodes below it, in place."""
        for level in reversed(self.levels[1:]):
            np.add.at(counts, self.parent[level], counts[level])
        return frozen(counts)

    @cached_property
    def information(self) -> np.ndarray:
        """log2(n_leaves / leaves below) of every node, bits, shape (n_nodes,); 0 at the root."""
        return frozen(np.log2(self.n_leaves) - np.log2(self.n_leaves_below))

    @cached_property
    def levels(self) -> list[np.ndarray]:
        """Nodes of each depth, grouped by parent, siblings in declared order: a list of max_depth + 1 arrays (trees)."""
        parent, declared = self.parent, np.zeros(self.n_nodes, dtype=np.intp)
        declared[self.children.nodes] = np.arange(self.n_nodes - 1)
        order = np.lexsort((declared, parent, self.depth))
        return np.split(order, np.cumsum(np.bincount(self.depth))[:-1])

    @cached_property
    def families(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Per depth >= 1 of a tree: (nodes grouped by parent, start of each family, parent of each family)."""
        families = []
        for level in self.levels[1:]:
            start = np.flatnonzero(np.diff(self.parent[level], prepend=-2))
            families.append((level, start, self.parent[level][start]))
        return families

    @cached_property
    def candidates(self) -> np.ndarray:
        """Nodes that may be predicted, ascending, shape (n,): leaves, and nodes with several children and several leaves below.

        A node with a single child carries the same information as its child and is never predicted [1]_; in a graph, neither
        is one with several children and a single leaf below them. Two candidates of a graph may have the same leaves.
        """
        return frozen(np.flatnonzero(self.is_leaf | ((self.children.lengths > 1) & (self.n_leaves_below > 1))))

    @cached_property
    def candidate_groups(self) -> list[np.ndarray]:
        """`candidates` grouped by information: most informative group, the leaves, first, ascending inside."""
        below = self.n_leaves_below[self.candidates]
        order = self.candidates[np.argsort(below, kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(np.sort(below))) + 1)

    # Relations -----------------------------------------------------------------------------------------------------

    def ancestors(self, nodes: np.ndarray) -> NodeLists:
        """Ancestors of each node and the node itself, as NodeLists in ascending order (in a tree: the path from the root).

        Parameters
        ----------
        nodes : ndarray of int, shape (n,)

        Raises
        ------
        TaxonomyError
            If one is no node number.
        """
        check_positions("nodes", nodes, self.n_nodes, "node number", error=TaxonomyError, is_list=True)
        return reached(self.parents, nodes, one_way=self.is_tree)

    def path(self, node: int) -> np.ndarray:
        """Nodes from the root to `node` in a tree, shape (depth + 1,); a TaxonomyError where there is no such node."""
        self.require_tree("path")
        check_position("node", node, self.n_nodes, "node number", error=TaxonomyError)
        found = np.empty(self.depth[node] + 1, dtype=np.intp)
        for step in range(len(found) - 1, -1, -1):
            found[step] = node
            node = self.parent[node]
        return found

    def lca(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Lowest common ancestors in a tree, element by element.

        Parameters
        ----------
        a, b : ndarray of int, shape (n,)

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        TaxonomyError
            If one is no node number, or this is no tree.
        """
        for what, nodes in (("a", a), ("b", b)):
            check_positions(what, nodes, self.n_nodes, "node number", error=TaxonomyError, is_list=True)
        return lowest_common(self.parent, a, b)

    @cached_property
    def preorder(self) -> np.ndarray:
        """Position of every node of a tree in depth-first order, shape (n_nodes,).

        The subtree of a node are the positions ``preorder[node] ... preorder[node] + subtree_size[node] - 1``.
        """
        position = np.zeros(self.n_nodes, dtype=np.intp)
        for nodes, start, _ in self.families:
            size = self.subtree_size[nodes]
            before = np.cumsum(size) - size
            first = np.repeat(before[start], np.diff(np.append(start, len(nodes))))
            position[nodes] = position[self.parent[nodes]] + 1 + before - first
        return frozen(position)

    @cached_property
    def subtree_size(self) -> np.ndarray:
        """Number of nodes of the subtree at every node, itself included (trees), shape (n_nodes,)."""
        return self._summed_up(np.ones(self.n_nodes, dtype=np.intp))

    def is_ancestor(self, a: np.ndarray | int, b: np.ndarray | int) -> np.ndarray:
        """True where a is an ancestor of b or b itself (trees), element by element; a TaxonomyError where one is no node."""
        for what, nodes in (("a", a), ("b", b)):
            check_positions(what, nodes, self.n_nodes, "node number", error=TaxonomyError)
        step = self.preorder[b] - self.preorder[a]
        return (step >= 0) & (step < self.subtree_size[a])

    def subtree(self, node: int) -> np.ndarray:
        """The node and everything below it, ascending, shape (n,); a TaxonomyError where there is no such node."""
        check_position("node", node, self.n_nodes, "node number", error=TaxonomyError)
        if self.is_tree:
            return np.flatnonzero(self.is_ancestor(node, np.arange(self.n_nodes)))
        return np.flatnonzero(steps_from(self.children, node) >= 0)

    def nodes_at_level(self, depth: int) -> np.ndarray:
        """Nodes of a depth and the leaves above it, which stand for themselves there, ascending, shape (n,)."""
        return np.flatnonzero((self.depth == depth) | (self.is_leaf & (self.depth < depth)))

    def has_nodes_of(self, other: Taxonomy) -> bool:
        """Whether a node number means the same class in both: equal edges, and nodes in the same order."""
        return self is other or (self.names == other.names and self.sha256 == other.sha256)

    @cached_property
    def sha256(self) -> str:
        """Hash of the edges: SHA-256 of the sorted lines ``parent<TAB>child<LF>``; independent of node order."""
        lines = sorted(f"{self.names[parent]}\t{self.names[child]}\n" for parent, child in self.edges.tolist())
        return hashlib.sha256("".join(lines).encode()).hexdigest()
