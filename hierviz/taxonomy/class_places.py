"""Classes given by their place, names from the top down, from which unique node names are made.

Conventions
-----------
Two places are two classes, even when the last name is the same ("vulgaris" below "Beta" and below "Sturnus"). A name that
comes once is the node's name. Where it comes several times, each is called by the shortest end of its place that no other
has, joined by ``" > "``, and keeps the plain name as its title.

A place is a number that knows the place above it, so that long paths cost no more than their names.

Functions and classes
---------------------
Places, places_of_paths, named_places, NamedPlaces
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.taxonomy.edges import require_depth

# Steps upwards, and letters of joined names, that telling classes of one name apart may take.
MOST_STEPS = 5_000_000
MOST_LETTERS = 25_000_000


class Places:
    """Classes numbered in the order in which they first come, the ones above before those below; `TOP` is above all."""

    TOP = -1

    def __init__(self):
        self.names, self.above, self.depth, self._number = [], [], [], {}

    def __len__(self):
        return len(self.names)

    def add(self, above, name):
        """Number of the class `name` below the class number `above`, a new one when it was not there."""
        number = self._number.setdefault((above, name), len(self.names))
        if number == len(self.names):
            self.names.append(name)
            self.above.append(above)
            self.depth.append(0 if above == self.TOP else self.depth[above] + 1)
        return number

    def has(self, above, name):
        """True when the class number `above` has a class `name` below it."""
        return (above, name) in self._number

    def end(self, number, steps):
        """The last names of a place from the top down, all of them when `steps` is None; and the class above them."""
        names = []
        while number != self.TOP and len(names) != steps:
            names.append(self.names[number])
            number = self.above[number]
        return names[::-1], number


def places_of_paths(paths: Iterable[Sequence[str]]) -> Places:
    """Places of paths from the top down; places above a path are classes too, whether listed or not."""
    places = Places()
    for path in paths:
        number = Places.TOP
        for name in path:
            number = places.add(number, name)
    return places


@dataclass(frozen=True)
class NamedPlaces:
    """Numbered classes with names of their own.

    Attributes
    ----------
    names : list of str
        Of each number.
    edges : list of (str or None, str)
        As `Taxonomy.from_edges` takes them, parents before children.
    titles : dict of str to str, or None
        The plain names, where some were changed.
    notes : list of str
    """

    names: list[str]
    edges: list[tuple[str | None, str]]
    titles: dict[str, str] | None
    notes: list[str]


def named_places(places: Places, where: str) -> NamedPlaces:
    """Names of numbered classes.

    Raises
    ------
    TaxonomyError
        If so many classes share their names that telling them apart would take very long names.
    """
    deepest = max(places.depth, default=0)
    if deepest:
        require_depth(deepest, places.names[places.depth.index(deepest)], where)
    names = _unique_names(places, where)
    edges = [
        (names[above] if above != Places.TOP else None, name) for above, name in zip(places.above, names, strict=True)
    ]
    renamed = [name for name, plain in zip(names, places.names, strict=True) if name != plain]
    if not renamed:
        return NamedPlaces(names, edges, None, [])
    note = (
        f"{len(renamed)} classes share their name with another class and are named with their parent: {listed(renamed)}"
    )
    return NamedPlaces(names, edges, dict(zip(names, places.names, strict=True)), [note])


def _unique_names(places, where):
    by_name = {}
    for number, name in enumerate(places.names):
        by_name.setdefault(name, []).append(number)
    names, taken = list(places.names), {name for name, group in by_name.items() if len(group) == 1}
    left = _Left(where)
    for group in by_name.values():
        if len(group) > 1:
            steps = _steps_that_tell(places, group, left)
            for number in group:
                names[number] = _shortest_end(places, number, steps.get(number), taken, left)
                taken.add(names[number])
    return names


class _Left:
    """What telling classes apart may still cost; TaxonomyError when it is used up."""

    def __init__(self, where):
        self.where, self.steps, self.letters = where, MOST_STEPS, MOST_LETTERS

    def spend(self, steps=0, letters=0):
        self.steps -= steps
        self.letters -= letters
        if self.steps < 0 or self.letters < 0:
            raise TaxonomyError(
                f"{self.where}: expected classes of one name to differ in the classes a few levels above them, got names "
                "that repeat along long paths. Give the classes names of their own."
            )


def _steps_that_tell(places, group, left):
    """How many names of its end no other of the group has, by class; none for a class whose whole place ends another."""
    steps_by_number, steps = {}, 1
    # Classes that agree so far, with the ancestor that each has come to.
    alike = [[(number, places.above[number]) for number in group]]
    while alike:
        steps += 1
        apart = []
        for together in alike:
            left.spend(steps=len(together))
            by_name = {}
            for number, above in together:
                if above != Places.TOP:
                    by_name.setdefault(places.names[above], []).append((number, places.above[above]))
            for same in by_name.values():
                if len(same) == 1:
                    steps_by_number[same[0][0]] = steps
                else:
                    apart.append(same)
        alike = apart
    return steps_by_number


def _shortest_end(places, number, steps, taken, left):
    if steps is not None:
        end, above = places.end(number, steps)
        while True:
            name = " > ".join(end)
            left.spend(len(end), len(name))
            if name not in taken:
                return name
            if above == Places.TOP:
                break
            end, above = [places.names[above], *end], places.above[above]
    # A top class that also is the end of another place, or a name that looks like a joined one.
    end, _ = places.end(number, None)
    plain = name = " > ".join(end)
    left.spend(len(end), len(name))
    k = 2
    while name in taken:
        name, k = f"{plain} ({k})", k + 1
        left.spend(letters=len(name))
    return name
