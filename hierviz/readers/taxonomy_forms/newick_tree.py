"""Newick trees, and the first tree of a Nexus file, read by the package `newick`.

Conventions
-----------
Inner nodes without a name, and those that carry a number as a support value, are called "inner 1", "inner 2", ... in the order
of the file. Underscores are kept. Branch lengths become the attribute ``length``.

References
----------
.. [1] J. Felsenstein, The Newick tree format, https://phylipweb.github.io/phylip/newicktree.html.
.. [2] D. Maddison et al., NEXUS: an extensible file format for systematic information, Systematic Biology 46, 1997, 590-621.
"""

import math
import re
from itertools import pairwise

from hierviz.messages.errors import TaxonomyError
from hierviz.messages.extras import require
from hierviz.readers.class_paths import taxonomy_of_places
from hierviz.readers.sources import translated
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.taxonomy.class_places import Places

_COMMENT = re.compile(r"\[[^\[\]]*\]")  # without "[" inside, so that a file of brackets is read once
_NUMBER = re.compile(r"\d+(\.\d+)?(/\d+(\.\d+)?)*")
_QUOTED = r"'(?:[^']|'')*'"
_TREE = re.compile(
    rf"\bu?tree\s+\*?\s*((?:{_QUOTED}|[^=\s])+)\s*=\s*((?:{_QUOTED}|\[[^\]]*\]|[^;'\[])*;)", re.IGNORECASE
)
# The end of a tree, which is none in a quoted name or a comment; what is never closed is read once.
_END = re.compile(r"'(?:[^']|'')*(?:'|$)|\[[^\]]*(?:\]|$)|(;)")
# In the place of a backslash: no character of any text.
_BACKSLASH = "\uffff"
_TREES = re.compile(r"\bbegin\s+trees\s*;(.*?)\bend(?:block)?\s*;", re.IGNORECASE | re.DOTALL)
_TRANSLATE = re.compile(rf"\btranslate\s+((?:{_QUOTED}|[^;'])*);", re.IGNORECASE)
_ENTRY = re.compile(rf"\s*({_QUOTED}|[^\s,']+)\s+({_QUOTED}|[^,']+?)\s*(?:,|$)")


def looks_like_newick(name, lines):
    """Whether a text begins with a bracket (perhaps after a comment) and ends its tree with a semicolon."""
    text = _COMMENT.sub("", "".join(lines[:50])).strip()
    return text.startswith("(") and (text.endswith(";") or len(lines) >= 50 or name.endswith((".nwk", ".tre")))


@taxonomy_form(
    "a Newick tree",
    (".nwk", ".newick", ".tre", ".tree"),
    "begins with a bracket and ends with a semicolon",
    looks_like_newick,
)
def read_newick(source, options):
    """Taxonomy of a Newick file; see the module."""
    return _taxonomy(source.read_text(), source, {}, "Newick tree")


@taxonomy_form(
    "the first tree of a Nexus file",
    (".nex", ".nexus"),
    "begins with `#NEXUS`",
    lambda name, lines: re.match(r"[\ufeff \t]*#NEXUS", lines[0], re.IGNORECASE) is not None,
)
def read_nexus(source, options):
    """Taxonomy of the first tree of a Nexus file, its ``translate`` table applied."""
    text = source.read_text()
    # Comments are kept inside trees, where the package reads them; elsewhere they may hide commands.
    block = _TREES.search(text)
    trees = [] if block is None else _TREE.findall(block[1])
    if not trees:
        raise TaxonomyError(f"{source.where}: expected a block TREES with a tree, got none. Is the file complete?")
    said = _TRANSLATE.search(_COMMENT.sub("", block[1][: block[1].lower().find("tree ")] or block[1]))
    names = {_plain(key): _plain(name) for key, name in _ENTRY.findall(said[1])} if said else {}
    first = f"{source.where}: the first of {len(trees)} trees was read ({_plain(trees[0][0])})"
    return _taxonomy(trees[0][1], source, names, "Nexus", [first] if len(trees) > 1 else [])


def _plain(text):
    text = text.strip()
    return text[1:-1].replace("''", "'") if text[:1] == text[-1:] == "'" and len(text) > 1 else text


def _name(node):
    return (node.unquoted_name or "").strip().replace(_BACKSLASH, "\\")


def _has_support(tree, names):
    """Whether numbers at inner nodes are support values: they repeat, or no leaf is called by a number."""
    waiting, numbers, has_number_leaf = [tree], [], False
    while waiting:
        node = waiting.pop()
        name = _name(node)
        if _NUMBER.fullmatch(names.get(name, name)):
            has_number_leaf |= not node.descendants
            numbers += [node.name] if node.descendants else []
        waiting.extend(node.descendants)
    return len(set(numbers)) < len(numbers) or not has_number_leaf


def _length(node, name, where):
    try:
        length = float(node.length)
    except ValueError:
        length = math.nan
    if not math.isfinite(length):
        raise TaxonomyError(f"{where}: expected a finite number as the length of {name!r}, got none. Correct it.")
    return length


def _first_tree(text):
    """(the first tree of a text, how many there are): a file of many is not built to its end."""
    starts = [0, *(end.end() for end in _END.finditer(text) if end[1])]
    trees = [part for part in pairwise([*starts, len(text)]) if text[slice(*part)].strip(" \t\r\n;")]
    return (text[slice(*trees[0])] if trees else text), len(trees)


def _loaded(text):
    """The trees of a text by the package, which takes a backslash in quotes for an escape."""
    import newick

    text = re.sub(r"^\s*\[&[RU]\]", "", text, flags=re.IGNORECASE)
    # To the form itself it is a letter like others, so that is tried first; text in quotes ends elsewhere if it is an escape.
    plain = _END.sub(lambda part: part[0].replace("\\", _BACKSLASH) if part[0][0] == "'" else part[0], text)
    try:
        return newick.loads(plain)
    except ValueError:
        return newick.loads(text)


def _taxonomy(text, source, names, words, notes=()):
    where = source.where
    require(where, "files", "newick")
    first, n_trees = _first_tree(text.strip())
    with translated(where):
        try:
            trees = _loaded(first)
        except ValueError as error:
            raise TaxonomyError(
                f"{where}: expected a tree in Newick form, got an error ({error}). Correct the file."
            ) from None
    if not trees:
        raise TaxonomyError(f"{where}: expected a tree in Newick form, got none. Is the file complete?")
    notes = [*notes, *([f"{where}: the first of {n_trees:,} trees was read"] if n_trees > 1 else [])]
    places, lengths, n_unnamed, has_support = Places(), {}, 0, _has_support(trees[0], names)
    waiting = [(trees[0], Places.TOP)]
    while waiting:
        node, above = waiting.pop()
        name = _name(node)
        name = names.get(name, name)
        is_inner = bool(node.descendants)
        if not name and not is_inner:
            raise TaxonomyError(f"{where}: expected a name of every leaf, got one without. Name it.")
        if is_inner and (not name or (has_support and _NUMBER.fullmatch(name))):
            n_unnamed += 1
            name = f"inner {n_unnamed}"
        if places.has(above, name):
            raise TaxonomyError(f"{where}: expected children of different names, got {name!r} again. Rename one.")
        number = places.add(above, name)
        length = _length(node, name, where)
        if length:
            lengths[number] = length
        waiting.extend((child, number) for child in reversed(node.descendants))
    if n_unnamed:
        notes.append(
            f"{where}: {n_unnamed} inner nodes without a name (or with a number only) are called 'inner 1', ..."
        )
    detected = {"form": words, **source.detected}
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes={"length": lengths})
