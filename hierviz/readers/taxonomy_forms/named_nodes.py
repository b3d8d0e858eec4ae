"""Taxonomies of nodes that have an id each, several parents perhaps, and a name that need not be theirs alone."""

from __future__ import annotations

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.taxonomy.taxonomy import Taxonomy


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
    count: dict = {}
    for name in names.values():
        count[name] = count.get(name, 0) + 1
    called = {key: name if count[name] == 1 else f"{name} ({key})" for key, name in names.items()}
    shared = [name for key, name in called.items() if name != names[key]]
    if shared:
        told = (
            f"{len(shared)} classes share their name with another class and are named with their id: {listed(shared)}"
        )
        notes = [*notes, f"{where}: {told}"]
    titles = {called[key]: name for key, name in names.items()} if shared else None
    columns = {
        key: {called[number]: value for number, value in values.items()} for key, values in (attributes or {}).items()
    }
    edges = [(None if parent is None else called[parent], called[child]) for parent, child in edges]
    return taxonomy_of_ids(edges, titles, where, attributes=columns, notes=notes, detected=detected)
