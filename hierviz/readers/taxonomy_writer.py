"""A taxonomy to a file or to text: edge list, levels, paths, nested JSON, Newick, DOT, and a tree drawn with characters.

Conventions
-----------
Edges, levels, paths and JSON are read back by `load_taxonomy` without any option, with the same names and edges.
Levels, paths, JSON and Newick need a tree. No text in a CSV cell is a formula.

Functions
---------
taxonomy_text, tree_text, write_taxonomy, FORMS
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.errors import FileError, TaxonomyError, listed, printable, shown
from hierviz.messages.extras import require
from hierviz.messages.new_files import new_text
from hierviz.taxonomy.checks import check_kind, check_taxonomy, is_number
from hierviz.taxonomy.taxonomy import Taxonomy

SEPARATOR = " > "
# Deeper trees overflow the stacks of writers and readers of nested forms.
DEEPEST = 200
_PLAIN = re.compile(r"[^\s()\[\]{}/\\,;:='\"]+")


def write_taxonomy(taxonomy: Taxonomy, path: str | os.PathLike[str], form: str | None = None) -> None:
    """Write a taxonomy to a file.

    Parameters
    ----------
    taxonomy : Taxonomy
    path : str or path
    form : str, optional
        Key of `FORMS`; by the suffix when None: ``.csv`` edges, ``.txt`` paths, ``.json``, ``.nwk``, ``.dot``.

    Raises
    ------
    FileError
        If the form is unknown or the file cannot be written.
    TaxonomyError
        If this taxonomy has no such form; says why.
    """
    check_kind("write_taxonomy", taxonomy, Taxonomy, "It comes first, then the path.")
    if form is None:
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        form = {".csv": "edges", ".txt": "paths", ".json": "json", ".nwk": "newick", ".dot": "dot"}.get(suffix)
        if form is None:
            raise FileError(
                f"{path}: expected a suffix that says the form, got {suffix!r}. Name the form: {', '.join(FORMS)}."
            )
    text = taxonomy_text(taxonomy, form)
    with new_text(path) as file:
        file.write(text)


def taxonomy_text(taxonomy: Taxonomy, form: str) -> str:
    """The content of the file that `write_taxonomy` writes.

    Parameters
    ----------
    taxonomy : Taxonomy
    form : str
        Key of `FORMS`.

    Raises
    ------
    FileError
        If the form is unknown.
    TaxonomyError
        If this taxonomy has no such form; says why.
    """
    if form not in FORMS:
        raise FileError(f"form: expected one of {', '.join(FORMS)}, got {shown(form)}. Choose one.")
    return FORMS[form](taxonomy)


def _edges(taxonomy):
    names = taxonomy.names
    rows = [(names[parent], names[child]) for parent, child in taxonomy.edges.tolist()]
    return _csv([("parent", "child"), *rows])


def _levels(taxonomy):
    paths = _leaf_paths(taxonomy, "levels")
    width = taxonomy.max_depth + 1
    rows = [[*path, *[""] * (width - len(path))] for path in paths]
    return _csv([[f"level_{depth}" for depth in range(width)], *rows])


def _paths(taxonomy):
    names = taxonomy.names
    unfit = [name for name in names if SEPARATOR in name or name != name.strip("> ") or len(name.splitlines()) > 1]
    if unfit:
        raise TaxonomyError(
            f"paths: expected names of one line that can be separated by {SEPARATOR.strip()!r}, got {listed(unfit)}. "
            "Write edges instead."
        )
    return "".join(f"{SEPARATOR.join(path)}\n" for path in _leaf_paths(taxonomy, "paths"))


def _json(taxonomy):
    root = _anytree(taxonomy, "JSON")
    from anytree.exporter import DictExporter, JsonExporter

    def kept(attributes):
        """Name, title where it is another one, and what is known of the node."""
        known = dict(attributes)
        name, title, node = known["name"], known["title"], known["node"]
        own = {key: values[node] for key, values in taxonomy.attributes.items() if values[node] is not None}
        return [("name", name), *([("title", title)] if title != name else []), *own.items()]

    return JsonExporter(DictExporter(attriter=kept), indent=1, ensure_ascii=False).export(root) + "\n"


def _newick(taxonomy):
    _require_shallow_tree(taxonomy, "Newick")
    # Children come after their parents: walked backwards, every subtree is complete before its parent is written.
    text: list[str] = [""] * taxonomy.n_nodes
    for node in range(taxonomy.n_nodes - 1, -1, -1):
        below = [text[child] for child in taxonomy.children[node].tolist()]
        text[node] = (f"({','.join(below)})" if below else "") + _newick_label(taxonomy.names[node])
    return f"{text[0]};\n"


def _newick_label(name):
    doubled = name.replace("'", "''")
    return name if _PLAIN.fullmatch(name) and "_" not in name else f"'{doubled}'"


def _dot(taxonomy):
    def quoted(text):
        return json.dumps(text, ensure_ascii=False)

    lines = ["digraph taxonomy {", "  node [shape=box];"]
    lines += [f"  n{node} [label={quoted(taxonomy.title(node))}];" for node in range(taxonomy.n_nodes)]
    lines += [f"  n{parent} -> n{child};" for parent, child in taxonomy.edges.tolist()]
    return "\n".join([*lines, "}\n"])


FORMS: Mapping[str, Callable[[Taxonomy], str]] = {
    write.__name__.removeprefix("_"): write for write in (_edges, _levels, _paths, _json, _newick, _dot)
}


def tree_text(
    taxonomy: Taxonomy,
    *,
    depth: int | None = None,
    values: Mapping[str, Any] | None = None,
) -> str:
    """A tree drawn with characters, one node a line.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    depth : int, optional
        Deepest level that is drawn; what is below is counted.
    values : mapping of str to sequence of str, length n_nodes, optional
        Texts to show after the names, by what they are.

    Returns
    -------
    str
        Lines, each with an end.

    Raises
    ------
    TaxonomyError
        If it is not a tree, or the depth is not valid.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    >>> print(tree_text(taxonomy, depth=1, values={"support": ["5", "3", "2", "1", "2"]}), end="")
    animal  (support 5)
    ├── mammal  (support 3)  + 2 below
    └── newt  (support 2)
    """
    if depth is not None and (not is_number(depth) or depth != int(depth) or depth < 0):
        raise TaxonomyError(f"depth: expected a whole number from 0 up, got {shown(depth)}. Choose one.")
    from anytree import ContStyle, RenderTree

    root = _anytree(taxonomy, "a drawing of the tree")
    lines = []
    for before, _, node in RenderTree(root, style=ContStyle(), maxlevel=None if depth is None else int(depth) + 1):
        title = printable(" ".join(taxonomy.title(node.node).split()))
        told = ", ".join(f"{what} {texts[node.node]}" for what, texts in (values or {}).items())
        hidden = ""
        if depth is not None and node.children and taxonomy.depth[node.node] == depth:
            hidden = f"  + {len(taxonomy.subtree(node.node)) - 1:,} below"
        lines.append(f"{before}{title}{f'  ({told})' if told else ''}{hidden}\n")
    return "".join(lines)


def _anytree(taxonomy, what):
    require("anytree", "files", "anytree")
    _require_shallow_tree(taxonomy, what)
    return taxonomy.to_anytree()


def _require_shallow_tree(taxonomy, what):
    check_taxonomy(taxonomy)
    taxonomy.require_tree(what)
    if taxonomy.max_depth > DEEPEST:
        raise TaxonomyError(
            f"{what}: expected a tree of up to {DEEPEST} levels, got {taxonomy.max_depth}. Write edges instead."
        )


def _leaf_paths(taxonomy, what):
    taxonomy.require_tree(what)
    names = taxonomy.names
    for leaf in taxonomy.leaves.tolist():
        path = [leaf]
        while path[-1]:
            path.append(int(taxonomy.parent[path[-1]]))
        yield [names[node] for node in reversed(path)]


def _csv(rows):
    file = io.StringIO(newline="")
    SafeWriter(file).writerows(rows)
    return file.getvalue()
