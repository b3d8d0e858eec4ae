"""What a list of classes says: a name for each column of scores, and the number that the list gives it."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.messages.errors import PredictionsError, listed
from hierviz.readers.class_index import index_order, whole


@dataclass(frozen=True)
class ClassList:
    """Classes in the order of the columns of scores.

    Parameters
    ----------
    where : str
        What errors call it.
    entries : tuple of (str, str)
        What errors call each entry, and its name: as written, with synonyms and ids.
    numbers : tuple of int
        The number of each class: the place of its column, from what the list counts from, or the id that the list gives it.
    notes : tuple of str
    """

    where: str
    entries: tuple
    numbers: tuple = ()
    notes: tuple = ()

    def __post_init__(self):
        if not self.numbers:
            object.__setattr__(self, "numbers", tuple(range(len(self.entries))))

    @property
    def names(self):
        """The names alone."""
        return [name for _, name in self.entries]


def in_order(where, entries, numbers, what, notes=(), *, may_have_gaps=False, is_always_told=False):
    """A ClassList of entries that have numbers.

    Parameters
    ----------
    where : str
    entries : sequence of (str, str)
    numbers : sequence
        Whole numbers, as text or not.
    what : str
        What says the numbers, for example ``"the key of each name"``.
    notes : iterable of str
    may_have_gaps : bool
        The numbers are ids of classes and need not be places: columns are in the order of the ids.
    is_always_told : bool
        Note what was used even if it makes no difference.

    Raises
    ------
    PredictionsError
        If a number is none, is repeated or, where they are places, left out.
    """
    numbers = [None if isinstance(number, bool) else whole(number) for number in numbers]
    if may_have_gaps and None not in numbers:
        seen: set = set()
        twice = [number for number in numbers if number in seen or seen.add(number)]
        if twice:
            raise PredictionsError(
                f"{where}: expected every id once, got {listed(dict.fromkeys(twice))} more than once. Correct the list."
            )
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        first, n_ids = min(numbers), max(numbers) - min(numbers) + 1
        gaps = "" if n_ids == len(numbers) else f"; {n_ids - len(numbers)} ids between them have no class"
        said = f"{where}: the columns of scores are taken in the order of the ids, {first} to {max(numbers)}{gaps}"
    else:
        order, first = index_order(numbers, where)
        gaps, said = "", f"{where}: {what} says which column of scores each class name belongs to, counted from {first}"
    is_told = is_always_told or gaps or first or order != list(range(len(order)))
    return ClassList(
        where,
        tuple(entries[row] for row in order),
        tuple(numbers[row] for row in order),
        (*notes, *([said] if is_told else ())),
    )
