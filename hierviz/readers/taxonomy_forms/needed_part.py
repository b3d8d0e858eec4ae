"""The part of a taxonomy of millions that some classes need: themselves and what is above them.

Conventions
-----------
Rows are numbers in arrays: nothing is kept of a row that is not needed but its id and that of its parent, 16 bytes.
"""

from __future__ import annotations

import re

import numpy as np

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.predictions.name_matching import normal
from hierviz.readers import limits


class WantedNames:
    """The names of the classes that a taxonomy is needed for: as they stand, and by what they mean.

    Parameters
    ----------
    names : sequence of str
        A cell of synonyms is wanted once.
    """

    def __init__(self, names):
        self.names = list(dict.fromkeys(names))
        self.by_text, self.by_key = {}, {}
        for k, name in enumerate(self.names):
            for part in dict.fromkeys([name, *name.split(",")]):
                if part.strip():
                    self.by_text.setdefault(part.strip(), k)
                    self.by_key.setdefault(normal(part), k)
        # Place of each name -> (grade, ids): grade 0 is an exact one.
        self._found = {}

    def offer(self, text, key, grade):
        """A row of the taxonomy is called `text`; `grade` is 0 for its own name or id, 1 for another name."""
        place = self.by_text.get(text)
        if place is None:
            place, grade = self.by_key.get(normal(text)), grade + 2
        if place is not None:
            best, keys = self._found.get(place, (9, {}))
            if grade < best:
                self._found[place] = (grade, {key: None})
            elif grade == best:
                keys[key] = None

    def chosen(self, where, what):
        """What the row of each id is wanted as: dict of id to list of names; TaxonomyError when one is none or several."""
        unknown = [name for k, name in enumerate(self.names) if k not in self._found]
        if unknown:
            raise TaxonomyError(
                f"{where}: expected every class among the names of the taxonomy, got {len(unknown)} of {len(self.names)} that "
                f"are not: {listed(unknown)}. Check the spelling, or leave them out of {{taxonomy_classes}}."
            )
        for k, (_, keys) in self._found.items():
            if len(keys) > 1:
                raise TaxonomyError(
                    f"{where}: expected one class called {self.names[k]!r}, got {len(keys)} ({what} "
                    f"{', '.join(map(str, list(keys)[:5]))}). Give its {what} in {{taxonomy_classes}}."
                )
        chosen = {}
        for k, (_, keys) in self._found.items():
            chosen.setdefault(next(iter(keys)), []).append(self.names[k])
        return chosen


def aliases(wanted, names):
    """Other names by which classes were wanted: dict of id to text."""
    others = {key: "; ".join(name for name in as_wanted if name != names[key]) for key, as_wanted in wanted.items()}
    return {key: text for key, text in others.items() if text}


def require_moderate(n_classes, where):
    """Raise a TaxonomyError when a whole taxonomy is too large to be read."""
    if n_classes > limits.CLASSES:
        raise TaxonomyError(
            f"{where}: expected at most {limits.CLASSES:,} classes, got {n_classes:,}. Name those that are needed in "
            "{taxonomy_classes}: they are read with what is above them."
        )


def with_ancestors(ids, parents, wanted, where):
    """Ids of some rows and of all that is above them.

    Parameters
    ----------
    ids, parents : ndarray of int64, shape (n_rows,)
        A top is its own parent, or has one that is no row.
    wanted : ndarray of int64
        Ids.
    where : str

    Returns
    -------
    set of int

    Raises
    ------
    TaxonomyError
        If parents lead round in a circle.
    """
    order = np.argsort(ids, kind="stable")
    in_order = ids[order]
    needed, new, steps = set(), np.unique(wanted), 0
    while len(new):
        needed.update(new.tolist())
        place = np.minimum(np.searchsorted(in_order, new), max(len(ids) - 1, 0))
        rows = order[place[in_order[place] == new]]
        above = np.unique(parents[rows])
        new = np.array([number for number in above.tolist() if number not in needed], dtype=np.int64)
        steps += 1
        if steps > 1_000:
            raise TaxonomyError(f"{where}: expected at most 1,000 levels, got more. Are the parents right?")
    return needed


def text_key(text):
    """A number of 64 bits for an id that is text; two ids with the same one are told apart when rows are read again."""
    return int(text) if re.fullmatch(r"\d{1,18}", text) else hash(text) | (-1 << 63)
