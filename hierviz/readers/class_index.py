"""Lists of classes, and which column of scores each name belongs to where a table or a mapping numbers them.

Conventions
-----------
Columns are counted from 0 or from 1, each number once. Numbers may also be the names of classes: a column of names holds
nodes of the taxonomy. Where numbers could be either, and it would make a difference, the table is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.labels import is_all_nodes

NAME_COLUMNS = (
    ("node", "class", "name", "label", "leaf", "names", "classes", "labels", "class_name")
    + ("wnid", "synset")
    + ("category", "words")
)
# Written in small letters, without blanks, - and _. These say nothing but the place of a column ...
PLACE_COLUMNS = frozenset(
    ("index", "idx", "column", "col", "columnindex", "columnidx", "columnnumber", "classindex", "classidx")
    + ("labelindex", "labelidx", "position", "output", "outputindex", "outputidx", "scoreindex")
)
# ... these may also be names or codes of classes.
ID_COLUMNS = frozenset(
    ("id", "classid", "labelid", "nodeid", "categoryid", "targetid", "number", "classnumber", "labelnumber", "num")
    + ("no", "nr", "#", "i", "target", "y", "key")
)


@dataclass(frozen=True)
class ClassTable:
    """The cells of a table of class names.

    Parameters
    ----------
    where : str
    names : list of str
        Of the columns; empty without a header.
    cells : list of list of str
        By column, all of the same length.
    place : callable
        Row to what errors call it.
    """

    where: str
    names: list
    cells: list
    place: Callable

    def title(self, column):
        """How errors call a column."""
        return f"column {self.names[column]!r}" if self.names else f"column {column + 1}"

    def kind(self, column):
        """What the header says that a column holds: "name", "place", "id", or "" where it does not say."""
        if not self.names:
            return ""
        folded = self.names[column].casefold()
        bare = "".join(character for character in folded if character not in " _-")
        kinds = {"name": NAME_COLUMNS, "place": PLACE_COLUMNS, "id": ID_COLUMNS}
        return next((kind for kind, known in kinds.items() if folded in known or bare in known), "")


def whole(cell):
    """The whole number of a cell such as ``7``, ``7.0`` or ``7:``, else None."""
    text = str(cell).strip().rstrip(":.)").removeprefix("#")
    try:
        if text.isascii() and text.isdigit():
            return int(text)
        return int(float(text)) if "_" not in text and float(text).is_integer() and float(text) >= 0 else None
    except ValueError:
        return None


def index_order(numbers, where, place=None):
    """Rows in the order of their numbers.

    Parameters
    ----------
    numbers : sequence of int or None
    where : str
        What errors call the numbers.
    place : callable, optional
        Row to what errors call it.

    Returns
    -------
    order : list of int
        Row of each column of scores.
    first : int
        0 or 1: what is counted from.

    Raises
    ------
    PredictionsError
        If a number is none, is repeated or left out.
    """
    n, seen = len(numbers), {}
    wanted = f"{where}: expected whole numbers from 0 to {n - 1}, or from 1 to {n}, each once"
    advice = "Number every column of scores once, or remove the numbers and list the names in order."
    for row, number in enumerate(numbers):
        at = "" if place is None else f" in {place(row)}"
        if number is None:
            raise PredictionsError(f"{wanted}, got none{at}. {advice}")
        if number in seen:
            raise PredictionsError(f"{wanted}, got {number} again{at}. {advice}")
        seen[number] = row
    first = 0 if 0 in seen else 1
    missing = [number for number in range(first, first + n) if number not in seen]
    if missing:
        raise PredictionsError(f"{wanted}, got none for {listed(missing)} (the highest is {max(seen)}). {advice}")
    return [seen[number] for number in range(first, first + n)], first


def index_words(where, title, first):
    """The note about column numbers that were used."""
    return f"{where}: {title} says which column of scores each class name belongs to, counted from {first}"


def numbered_names(mapping, where, notes):
    """Names out of a mapping from column number to name, or the other way round, in the order of the columns.

    Parameters
    ----------
    mapping : dict
    where : str
    notes : list of str
        Grows by what is counted from, where it is not 0.

    Returns
    -------
    list of str

    Raises
    ------
    PredictionsError
        If neither side is whole numbers, both could be the columns, or a number is left out or repeated.
    """
    sides = [list(mapping), list(mapping.values())]
    numbers = [[None if isinstance(entry, bool) else whole(entry) for entry in side] for side in sides]
    readings, problems = [], []
    for side, other in ((0, 1), (1, 0)):
        if None in numbers[side] or any(isinstance(side, (dict, list, tuple, bool)) for side in sides[other]):
            continue
        try:
            order, first = index_order(numbers[side], where)
            readings.append(([str(sides[other][row]) for row in order], first))
        except PredictionsError as error:
            problems.append(error)
    if len(readings) == 2 and readings[0][0] != readings[1][0]:
        raise PredictionsError(
            f"{where}: expected column numbers on one side and names on the other, got numbers on both. "
            "List the names in the order of the columns."
        )
    if not readings and problems:
        raise problems[0]
    if not readings:
        raise PredictionsError(
            f"{where}: expected an object from column number to class name, or the other way round, got neither. "
            "List the names in the order of the columns."
        )
    names, first = readings[0]
    if first:
        notes.append(f"{where}: the columns of scores are counted from {first}")
    return names


def named_rows(table, taxonomy, notes):
    """Class names of a table in the order of the columns of scores.

    Parameters
    ----------
    table : ClassTable
    taxonomy : Taxonomy
    notes : list of str
        Gets a note about the column that was used.

    Returns
    -------
    list of (str, str), or None
        Place of each name in the table, and the name; None when no column looks like names of classes.

    Raises
    ------
    PredictionsError
        If several columns could be the names or the numbers and it makes a difference, or a number is left out or twice.
    """
    if not table.cells or not table.cells[0]:
        return None
    numbers = {}
    for column, cells in enumerate(table.cells):
        whole_numbers = [whole(cell) for cell in cells]
        # A column that is called an index and is none is an error below, not overlooked.
        if None not in whole_numbers or (
            table.kind(column) == "place" and any(number is not None for number in whole_numbers)
        ):
            numbers[column] = whole_numbers
    names = _name_column(table, taxonomy, numbers)
    if names is None:
        return None
    index = _index_column(table, taxonomy, numbers, names)
    order = range(len(table.cells[names]))
    if index is not None:
        order, first = index_order(numbers[index], f"{table.where}, {table.title(index)}", table.place)
        notes.append(index_words(table.where, table.title(index), first))
    return [(table.place(row), table.cells[names][row]) for row in order]


def _name_column(table, taxonomy, numbers):
    """Place of the column of names, None when there is none."""
    columns = range(len(table.cells))
    said = [k for k in columns if table.kind(k) == "name"]
    full = [k for k in columns if is_all_nodes(table.cells[k], taxonomy)]
    words = [k for k in columns if k not in numbers]
    full = full or [k for k in words if is_all_nodes(table.cells[k], taxonomy, LooseMatches(taxonomy))]
    # Whole numbers that are nodes are names, unless there is a column of text that is nodes too.
    fits = [k for k in full if k not in numbers] or [k for k in full if table.kind(k) != "place"] or full
    if not fits:  # a name is misspelt, written in other letters, or that of a background class
        most = [k for k in words if 2 * _n_nodes(table.cells[k], taxonomy) > len(table.cells[k])]
        fits = [k for k in said if k in most] or [k for k in said if k in words] or most or said
    fits = [k for k in fits if k in said] or fits
    # A class may repeat in a column of its superclasses, never in one of the classes.
    fits = [k for k in fits if len(set(table.cells[k])) == len(table.cells[k])] or fits
    fits.sort(key=lambda k: NAME_COLUMNS.index(table.names[k].casefold()) if k in said else k)
    if not fits:
        return None
    if fits[0] not in said and any(table.cells[k] != table.cells[fits[0]] for k in fits):
        raise PredictionsError(
            f"{table.where}: expected one column of node names, got {' and '.join(table.title(k) for k in fits[:5])}, which "
            "all hold nodes. Call the one that is meant 'node' in the first row, or list one name per line."
        )
    return fits[0]


def _n_nodes(cells, taxonomy):
    loose = LooseMatches(taxonomy)
    return sum(is_all_nodes([cell], taxonomy, loose) for cell in cells)


def _index_column(table, taxonomy, numbers, names):
    """Place of the column that numbers the columns of scores, None when the rows are in their order."""
    candidates = {k: number for k, number in numbers.items() if k != names}
    index = None
    # Without a header, whole numbers next to names can mean nothing else.
    for kinds in (("place",), ("id", "name")) if table.names else (("",),):
        said = [k for k in candidates if table.kind(k) in kinds]
        fits = [k for k in said if _is_index(candidates[k])]
        if said and index is None:
            index = (fits or said)[0]
            _require_one(table, {k: candidates[k] for k in fits})
    strange = [
        k
        for k in candidates
        if table.kind(k) == "" and _is_index(candidates[k]) and candidates[k] != sorted(candidates[k])
    ]
    if index is None and strange:
        raise PredictionsError(
            f"{table.where}: expected to know what {table.title(strange[0])} counts, got numbers in another order than that "
            "of the rows. Call it 'index' if it says which column of scores a class is, else remove it."
        )
    doubtful = names if index is None else index
    is_said = table.kind(doubtful) == ("name" if index is None else "place")
    values = numbers.get(doubtful)
    matters = values and not is_said and _is_index(values) and values != sorted(values)
    if matters and is_all_nodes(table.cells[doubtful], taxonomy):
        raise PredictionsError(
            f"{table.where}: expected to know what {table.title(doubtful)} is, got numbers that are names of nodes and "
            "could also say which column of scores a row is. Call it 'node' or 'index' in the first row."
        )
    return index


def _require_one(table, index_columns):
    """Raise a PredictionsError when several columns number the scores in different ways."""
    orders = {tuple(index_order(numbers, table.where)[0]) for numbers in index_columns.values()}
    if len(orders) > 1:
        raise PredictionsError(
            f"{table.where}: expected one column that says which column of scores a class is, got "
            f"{' and '.join(table.title(k) for k in list(index_columns)[:5])}, which differ. Call the right one 'index', or "
            "remove the others."
        )


def _is_index(numbers):
    n = len(numbers)
    return None not in numbers and sorted(numbers) in (list(range(n)), list(range(1, n + 1)))


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
        gaps, said = "", index_words(where, what, first)
    is_told = is_always_told or gaps or first or order != list(range(len(order)))
    return ClassList(
        where,
        tuple(entries[row] for row in order),
        tuple(numbers[row] for row in order),
        (*notes, *([said] if is_told else ())),
    )
