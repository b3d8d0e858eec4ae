"""Classes given by their place: tuples of names from the top, from which unique node names are made.

Conventions
-----------
Two places are two classes, even when the last name is the same ("vulgaris" below "Beta" and below "Sturnus"). A name that
comes once is the node's name. Where it comes several times, each is called by the shortest end of its place that no other
has, joined by ``" > "``, and keeps the plain name as its title.
"""

from __future__ import annotations

from collections import Counter

from hierviz.errors import listed
from hierviz.taxonomy import Taxonomy


def taxonomy_of_paths(paths, where, *, notes=(), detected=None, attributes=None):
    """Taxonomy of classes given by their places.

    Parameters
    ----------
    paths : iterable of tuple of str
        From the top down. Places above a path are classes too, whether listed or not.
    where : str
        How errors call the file.
    attributes : mapping of str to (mapping of path to value), optional

    Returns
    -------
    Taxonomy
        Nodes in the order in which they first come, parents before children.
    """
    places = {}
    for path in paths:
        for end in range(1, len(path) + 1):
            places.setdefault(path[:end])
    names, titles = _unique_names(places)
    edges = [(names[place[:-1]] if len(place) > 1 else None, names[place]) for place in places]
    notes = list(notes)
    renamed = [names[place] for place in places if names[place] != place[-1]]
    if renamed:
        notes.append(
            f"{len(renamed)} classes share their name with another one and are called by their parent too: {listed(renamed)}"
        )
    attributes = {
        key: {names[place]: value for place, value in values.items()} for key, values in (attributes or {}).items()
    }
    return Taxonomy.from_edges(
        edges, titles=titles if renamed else None, attributes=attributes, where=where, notes=notes, detected=detected
    )


def _unique_names(places):
    by_name = {}
    for place in places:
        by_name.setdefault(place[-1], []).append(place)
    names = {group[0]: name for name, group in by_name.items() if len(group) == 1}
    taken = set(names.values())
    for group in by_name.values():
        if len(group) == 1:
            continue
        ends = Counter(place[start:] for place in group for start in range(len(place)))
        for place in group:
            names[place] = _shortest_end(place, ends, taken)
            taken.add(names[place])
    return names, {names[place]: place[-1] for place in places}


def _shortest_end(place, ends, taken):
    for start in range(len(place) - 2, -1, -1):
        name = " > ".join(place[start:])
        if ends[place[start:]] == 1 and name not in taken:
            return name
    # A top class that also is the end of another place, or a name that looks like a joined one.
    name, k = " > ".join(place), 2
    while name in taken:
        name, k = f"{' > '.join(place)} ({k})", k + 1
    return name
