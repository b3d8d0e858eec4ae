"""Taxonomies of classes given by their place (`hierviz.taxonomy.class_places`), or by their ids.

Classes that have an id each may have several parents, and a name that need not be theirs alone.
"""

from __future__ import annotations

from collections import Counter

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.taxonomy.class_places import named_places, places_of_paths
from hierviz.taxonomy.taxonomy import Taxonomy


def taxonomy_of_paths(paths, where, *, notes=(), detected=None):
    """Taxonomy of classes given by their places.

    Parameters
    ----------
    paths : iterable of sequence of str
        From the top down. Places above a path are classes too, whether listed or not.
    where : str
        How errors call the file.

    Returns
    -------
    Taxonomy
        Nodes in the order in which they first come, parents before children.
    """
    return taxonomy_of_places(places_of_paths(paths), where, notes=notes, detected=detected)


def taxonomy_of_places(places, where, *, notes=(), detected=None, attributes=None):
    """Taxonomy of numbered classes; `attributes` maps names to mappings of class number to value.

    Raises
    ------
    TaxonomyError
        If so many classes share their names that telling them apart would take very long names.
    """
    named = named_places(places, where)
    return Taxonomy.from_edges(
        named.edges,
        titles=named.titles,
        attributes=_renamed(attributes, named.names),
        where=where,
        notes=[*notes, *named.notes],
        detected=detected,
    )


def _renamed(attributes, names):
    """Attributes by the names of classes in place of their numbers or ids; those without values are left out."""
    return {
        key: {names[number]: value for number, value in values.items()}
        for key, values in (attributes or {}).items()
        if values
    }


def taxonomy_of_ids(edges, titles, where, *, attributes=None, notes=(), detected=None):
    """Taxonomy whose nodes are called by their ids, with names as titles.

    Parameters
    ----------
    edges : list of (parent id or None, id)
    titles : dict of id to str
    where : str
    attributes : dict of str to (dict of id to value)
    notes : sequence of str
    detected : dict of str to str
    """
    if not edges:
        raise TaxonomyError(f"{where}: expected classes with their parents, got none. Is the file complete?")
    return Taxonomy.from_edges(
        edges, titles=titles or None, attributes=attributes, where=where, notes=notes, detected=detected
    )


def by_name(edges, names, where, *, attributes=None, notes=(), detected=None):
    """Taxonomy whose nodes are called by their names, and by "name (id)" where a name is that of several.

    Parameters
    ----------
    edges : list of (parent id or None, id)
    names : dict of id to str
    where, attributes, notes, detected
        As in `taxonomy_of_ids`.
    """
    count = Counter(names.values())
    called = {key: name if count[name] == 1 else f"{name} ({key})" for key, name in names.items()}
    shared = [name for key, name in called.items() if name != names[key]]
    if shared:
        are = f"{len(shared)} classes share their name with another class and are named with their id"
        notes = [*notes, f"{where}: {are}: {listed(shared)}"]
    titles = {called[key]: name for key, name in names.items()} if shared else None
    edges = [(None if parent is None else called[parent], called[child]) for parent, child in edges]
    return taxonomy_of_ids(
        edges, titles, where, attributes=_renamed(attributes, called), notes=notes, detected=detected
    )
