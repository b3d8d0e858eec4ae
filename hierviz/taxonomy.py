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
import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hierviz.errors import TaxonomyError, listed, near_miss


@dataclass(frozen=True, eq=False)
class NodeLists:
    """Lists of nodes of different lengths, one after the other.

    Parameters
    ----------
    offsets : ndarray of int, shape (n_lists + 1,)
        List i is ``nodes[offsets[i]:offsets[i + 1]]``.
    nodes : ndarray of int, shape (offsets[-1],)
    """

    offsets: np.ndarray
    nodes: np.ndarray

    @classmethod
    def from_lists(cls, lists):
        """Build from an iterable of sequences of node numbers."""
        lists = [np.asarray(one, dtype=np.intp).reshape(-1) for one in lists]
        lengths = np.array([len(one) for one in lists], dtype=np.intp)
        nodes = np.concatenate(lists) if lists else np.empty(0, np.intp)
        return cls(np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp), nodes)

    @classmethod
    def concatenate(cls, parts):
        """The lists of several NodeLists, in order."""
        lengths = np.concatenate([np.empty(0, np.intp), *(part.lengths for part in parts)])
        nodes = np.concatenate([np.empty(0, np.intp), *(part.nodes for part in parts)])
        return cls(np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp), nodes)

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, i):
        return self.nodes[self.offsets[i] : self.offsets[i + 1]]

    @property
    def lengths(self):
        """Number of nodes of each list, shape (n_lists,)."""
        return np.diff(self.offsets)

    def take(self, rows):
        """The lists of `rows` (ndarray of int), in that order, as NodeLists."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return NodeLists(offsets, self.nodes[places])


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A rooted tree, or directed acyclic graph, of named classes. Immutable.

    Build one with `hierviz.load_taxonomy`, `Taxonomy.from_edges` or `Taxonomy.from_anytree`.

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
    edges: np.ndarray
    titles: tuple[str, ...] | None = None
    attributes: Mapping = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    detected: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self.edges.flags.writeable = False

    def __repr__(self):
        kind = "tree" if self.is_tree else "directed acyclic graph"
        return f"<Taxonomy: {kind} of {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    # Building ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_edges(cls, edges, *, titles=None, attributes=None, where="edges", notes=(), detected=None):
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
        edges = [tuple(name if name is None else str(name) for name in edge) for edge in edges]
        notes = list(notes)
        for number, (parent, child) in enumerate(edges, 1):
            if child in ("", None) or parent == "":
                raise TaxonomyError(
                    f"{where}: expected two names in edge {number}, got {(parent, child)!r}. Name every node."
                )
            if any(0xD800 <= ord(sign) <= 0xDFFF for name in (parent, child) for sign in name or ""):
                raise TaxonomyError(
                    f"{where}: expected names in Unicode text, got half a character in edge {number}: {(parent, child)!r}. "
                    "Write the file in UTF-8 again."
                )
            if parent == child:
                raise TaxonomyError(
                    f"{where}: expected a tree or a directed acyclic graph, got a cycle: {child!r} is its own parent "
                    f"(edge {number}). Remove that edge."
                )
        edges, repeated = _without_repeats(edges)
        if repeated:
            notes.append(f"{repeated} repeated edges were read once")
        is_child = {child for parent, child in edges if parent is not None}
        named = dict.fromkeys(name for edge in edges for name in edge if name is not None)
        tops = [name for name in named if name not in is_child]
        if len(named) < 2:
            raise TaxonomyError(f"{where}: expected at least two nodes, got {len(named)}. Is the file empty?")
        if not tops:
            raise TaxonomyError(_cycle_message(where, edges))
        if len(tops) > 1:
            root = (
                "root" if "root" not in named else next(f"root {k}" for k in range(2, 9**9) if f"root {k}" not in named)
            )
            notes.append(f"{len(tops)} nodes have no parent ({listed(tops)}): a root {root!r} was added above them")
            edges = _under_one_root(edges, set(tops), root)
        else:
            root = tops[0]
            edges = [edge for edge in edges if edge[0] is not None]
        order = _node_order(root, edges, where)
        number = {name: i for i, name in enumerate(order)}
        pairs = np.array([(number[parent], number[child]) for parent, child in edges], dtype=np.intp).reshape(-1, 2)
        titles = None if titles is None else tuple(str(titles.get(name, name)) for name in order)
        attributes = {key: tuple(values.get(name) for name in order) for key, values in (attributes or {}).items()}
        return cls(tuple(order), pairs, titles, attributes, tuple(notes), dict(detected or {}))

    @classmethod
    def from_anytree(cls, root, *, where="anytree"):
        """Build a tree from the root of an anytree tree; nodes are called by their ``name``."""
        from anytree import PreOrderIter

        nodes = list(PreOrderIter(root))
        names = [str(node.name) for node in nodes]
        twice = [name for name, count in zip(*np.unique(names, return_counts=True)) if count > 1]
        if twice:
            raise TaxonomyError(
                f"{where}: expected unique names, got {listed(map(str, twice))} more than once. Rename them."
            )
        return cls.from_edges([(None, names[0])] + [(str(n.parent.name), str(n.name)) for n in nodes[1:]], where=where)

    def to_anytree(self):
        """The root `anytree.Node` of an equal tree; every node carries ``name``, ``title`` and ``node`` (its number)."""
        from anytree import Node

        made = []
        for i, parent in enumerate(self.parent.tolist()):
            made.append(Node(self.names[i], parent=made[parent] if i else None, title=self.title(i), node=i))
        return made[0]

    def with_nodes(self, titles=None, attributes=None, notes=()):
        """The same taxonomy with display names and attributes: mappings as in `from_edges`."""
        unknown = [name for name in (titles or {}) if name not in self.index]
        unknown += [name for column in (attributes or {}).values() for name in column if name not in self.index]
        if unknown:
            raise TaxonomyError(
                f"node attributes: expected names of the taxonomy, got {listed(dict.fromkeys(unknown))}."
                f"{near_miss(unknown[0], self.names)} Remove or rename these rows."
            )
        titles = (
            self.titles
            if titles is None
            else tuple(str(titles.get(n, self.title(i))) for i, n in enumerate(self.names))
        )
        new = {key: tuple(column.get(name) for name in self.names) for key, column in (attributes or {}).items()}
        return Taxonomy(
            self.names, self.edges, titles, {**self.attributes, **new}, self.notes + tuple(notes), self.detected
        )

    # Names ---------------------------------------------------------------------------------------------------------

    @property
    def n_nodes(self):
        """Number of nodes, the root included."""
        return len(self.names)

    @cached_property
    def index(self):
        """Mapping of name to node number."""
        return {name: i for i, name in enumerate(self.names)}

    def node(self, name):
        """Number of the node called `name`; TaxonomyError with the near miss when there is none."""
        try:
            return self.index[str(name)]
        except KeyError:
            raise TaxonomyError(
                f"no node named {str(name)!r} in the taxonomy ({self.n_nodes} nodes).{near_miss(str(name), self.names)}"
            ) from None

    def nodes(self, *names):
        """Numbers of the nodes with these names, shape (len(names),)."""
        return np.array([self.node(name) for name in names], dtype=np.intp)

    def title(self, node):
        """Display name of a node."""
        return self.names[node] if self.titles is None else self.titles[node]

    # Shape ---------------------------------------------------------------------------------------------------------

    @cached_property
    def parents(self):
        """Parents of every node as NodeLists (offsets, nodes), in the order of the source; empty for the root."""
        return _group(self.edges[:, 1], self.edges[:, 0], self.n_nodes)

    @cached_property
    def children(self):
        """Children of every node as NodeLists (offsets, nodes), in the order of the source."""
        return _group(self.edges[:, 0], self.edges[:, 1], self.n_nodes)

    @cached_property
    def is_tree(self):
        """True when no node has two parents."""
        return bool(len(self.edges) == self.n_nodes - 1)

    def require_tree(self, what):
        """Raise a TaxonomyError that names a node with two parents unless this is a tree."""
        if not self.is_tree:
            node = int(np.argmax(self.parents.lengths > 1))
            raise TaxonomyError(
                f"{what}: expected a tree, got {self.names[node]!r} with {self.parents.lengths[node]} parents "
                f"({listed([self.names[i] for i in self.parents[node]])}). Keep one of them, or use what is defined on graphs."
            )

    @cached_property
    def parent(self):
        """Parent of every node of a tree, shape (n_nodes,); -1 for the root. TaxonomyError when not a tree."""
        self.require_tree("parent")
        parent = np.full(self.n_nodes, -1, dtype=np.intp)
        parent[self.edges[:, 1]] = self.edges[:, 0]
        return _frozen(parent)

    @cached_property
    def is_leaf(self):
        """True for nodes without children, shape (n_nodes,)."""
        return _frozen(self.children.lengths == 0)

    @cached_property
    def leaves(self):
        """Nodes without children in ascending order, shape (n_leaves,): the order of classes."""
        return _frozen(np.flatnonzero(self.is_leaf))

    @property
    def n_leaves(self):
        """Number of leaves."""
        return len(self.leaves)

    @cached_property
    def depth(self):
        """Edges from the root to every node (by the shortest path in a graph), shape (n_nodes,)."""
        depth = np.full(self.n_nodes, -1, dtype=np.intp)
        front, level = np.zeros(1, np.intp), 0
        while len(front):
            depth[front] = level
            below = np.unique(self.children.take(front).nodes)
            front, level = below[depth[below] < 0], level + 1
        return _frozen(depth)

    @property
    def max_depth(self):
        """Depth of the deepest node."""
        return int(self.depth.max())

    @cached_property
    def n_leaves_below(self):
        """Number of leaves under every node, a leaf counting itself, shape (n_nodes,)."""
        if not self.is_tree:
            return _frozen(np.bincount(self.ancestors(self.leaves).nodes, minlength=self.n_nodes))
        count = self.is_leaf.astype(np.intp)
        for level in reversed(self.levels[1:]):
            np.add.at(count, self.parent[level], count[level])
        return _frozen(count)

    @cached_property
    def information(self):
        """log2(n_leaves / leaves below) of every node, bits, shape (n_nodes,); 0 at the root."""
        return _frozen(np.log2(self.n_leaves) - np.log2(self.n_leaves_below))

    @cached_property
    def levels(self):
        """Nodes of each depth, grouped by parent: a list of max_depth + 1 arrays (trees)."""
        order = np.lexsort((self.parent, self.depth))
        return np.split(order, np.cumsum(np.bincount(self.depth))[:-1])

    @cached_property
    def families(self):
        """Per depth >= 1 of a tree: (nodes grouped by parent, start of each family, parent of each family)."""
        found = []
        for level in self.levels[1:]:
            start = np.flatnonzero(np.diff(self.parent[level], prepend=-2))
            found.append((level, start, self.parent[level][start]))
        return found

    @cached_property
    def candidate_groups(self):
        """Nodes that may be predicted, grouped by information: most informative group first, ascending inside.

        A node with a single child carries the same information as its child and is never predicted [1]_.
        """
        candidates = np.flatnonzero(self.children.lengths != 1)
        below = self.n_leaves_below[candidates]
        order = candidates[np.argsort(below, kind="stable")]
        return np.split(order, np.flatnonzero(np.diff(np.sort(below))) + 1)

    # Relations -----------------------------------------------------------------------------------------------------

    def ancestors(self, nodes):
        """Ancestors of each node and the node itself, as NodeLists in ascending order (in a tree: the path from the root).

        Parameters
        ----------
        nodes : ndarray of int, shape (n,)
        """
        nodes = np.asarray(nodes, dtype=np.intp)
        rows, found = [np.arange(len(nodes))], [nodes]
        row, node = rows[0], nodes
        while len(node):
            up = self.parents.take(node)
            row, node = np.repeat(row, up.lengths), up.nodes
            if not self.is_tree:
                row, node = np.divmod(np.unique(row * self.n_nodes + node), self.n_nodes)
            rows.append(row)
            found.append(node)
        pairs = np.unique(np.concatenate(rows) * self.n_nodes + np.concatenate(found))
        row, node = np.divmod(pairs, self.n_nodes)
        return NodeLists(np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(nodes)))]).astype(np.intp), node)

    def path(self, node):
        """Nodes from the root to `node` in a tree, shape (depth + 1,)."""
        self.require_tree("path")
        return self.ancestors(np.array([node]))[0]

    def lca(self, a, b):
        """Lowest common ancestors in a tree, element by element.

        Parameters
        ----------
        a, b : ndarray of int, shape (n,)

        Returns
        -------
        ndarray of int, shape (n,)
        """
        a, b = (np.array(one, dtype=np.intp) for one in np.broadcast_arrays(a, b))
        parent = self.parent
        differ = np.flatnonzero(a != b)
        while len(differ):
            # Parents have smaller numbers: the larger of two different nodes cannot be an ancestor of the smaller.
            x, y = a[differ], b[differ]
            a[differ], b[differ] = np.where(x > y, parent[x], x), np.where(y > x, parent[y], y)
            differ = differ[a[differ] != b[differ]]
        return a

    @cached_property
    def preorder(self):
        """Position of every node of a tree in depth-first order, shape (n_nodes,).

        The subtree of a node are the positions ``preorder[node] ... preorder[node] + subtree_size[node] - 1``.
        """
        position = np.zeros(self.n_nodes, dtype=np.intp)
        for nodes, start, _ in self.families:
            size = self.subtree_size[nodes]
            before = np.cumsum(size) - size
            first = np.repeat(before[start], np.diff(np.append(start, len(nodes))))
            position[nodes] = position[self.parent[nodes]] + 1 + before - first
        return _frozen(position)

    @cached_property
    def subtree_size(self):
        """Number of nodes of the subtree at every node, itself included (trees), shape (n_nodes,)."""
        size = np.ones(self.n_nodes, dtype=np.intp)
        for level in reversed(self.levels[1:]):
            np.add.at(size, self.parent[level], size[level])
        return _frozen(size)

    def is_ancestor(self, a, b):
        """True where a is an ancestor of b or b itself (trees), element by element."""
        step = self.preorder[b] - self.preorder[a]
        return (step >= 0) & (step < self.subtree_size[a])

    def subtree(self, node):
        """The node and everything below it, ascending, shape (n,)."""
        if self.is_tree:
            return np.flatnonzero(self.is_ancestor(node, np.arange(self.n_nodes)))
        inside = np.zeros(self.n_nodes, dtype=bool)
        front = np.array([node])
        while len(front):
            inside[front] = True
            front = np.unique(self.children.take(front).nodes)
            front = front[~inside[front]]
        return np.flatnonzero(inside)

    @cached_property
    def sha256(self):
        """Hash of the edges: SHA-256 of the sorted lines ``parent<TAB>child<LF>``; independent of node order."""
        lines = sorted(f"{self.names[parent]}\t{self.names[child]}\n" for parent, child in self.edges.tolist())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def _frozen(array):
    array.flags.writeable = False
    return array


def _group(keys, values, n):
    """`values` in NodeLists by key 0..n-1, keeping their order."""
    order = np.argsort(keys, kind="stable")
    return NodeLists(
        _frozen(np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n))]).astype(np.intp)),
        _frozen(values[order]),
    )


def _without_repeats(edges):
    once = list(dict.fromkeys(edges))
    return once, len(edges) - len(once)


def _under_one_root(edges, tops, root):
    """`edges` with (root, top) put before the first edge that names each top."""
    placed, result = set(), []
    for parent, child in edges:
        for name in (parent, child):
            if name in tops and name not in placed:
                placed.add(name)
                result.append((root, name))
        if parent is not None:
            result.append((parent, child))
    return result


def _node_order(root, edges, where):
    """The root, then nodes as they are first named as a child; a stable topological order when that puts a child first."""
    rank = {root: 0}
    for _, child in edges:
        rank.setdefault(child, len(rank))
    if all(parent in rank and rank[parent] < rank[child] for parent, child in edges):
        return list(rank)
    below, waiting = {}, dict.fromkeys(rank, 0)
    for parent, child in edges:
        below.setdefault(parent, []).append(child)
        waiting[child] += 1
    ready, order = [(0, root)], []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(name)
        for child in below.get(name, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (rank[child], child))
    if len(order) < len(rank):
        raise TaxonomyError(_cycle_message(where, edges))
    return order


def _cycle_message(where, edges):
    parent_of = {}
    for parent, child in edges:
        parent_of.setdefault(child, []).append(parent)
    # Nodes that remain after removing all that has no parent left lie on a cycle or below one: climb until one repeats.
    free, alive = True, set(parent_of)
    while free:
        free = [name for name in alive if all(parent not in alive for parent in parent_of[name])]
        alive -= set(free)
    name, seen = min(alive), []
    while name not in seen:
        seen.append(name)
        name = next(parent for parent in parent_of[name] if parent in alive)
    cycle = [*seen[seen.index(name) :], name][::-1]
    return (
        f"{where}: expected a tree or a directed acyclic graph, got a cycle: "
        f"{' > '.join(map(repr, cycle[:6]))}{' > …' if len(cycle) > 6 else ''}. Remove one of these edges."
    )
