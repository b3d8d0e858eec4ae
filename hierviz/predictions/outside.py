"""Names in a file that the taxonomy does not hold: which, how often, and what was done with them.

Conventions
-----------
`OUTSIDE` is the node number of an answer outside the taxonomy, in lists of labels and in arrays of answers. It counts as one
claimed leaf directly below the root that is never true. The taxonomy stays as it is, with its leaves and the information of all
nodes.

Functions
---------
Outside, outside_mass
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz.messages.errors import shown
from hierviz.messages.notebook_html import Short
from hierviz.messages.number_text import percent_text
from hierviz.predictions.name_mapping import NameMapping

OUTSIDE = -1
# The same in arrays of answers by level, where -1 is none.
OUTSIDE_AT_LEVEL = -2
# Attribute of samples: what the file says in place of a class.
GIVEN = "answer outside the taxonomy"
# Attributes of samples that a language model answers: its text, whether a class was read of it or why none, how sure it says it
# is, what the class is called, and where the text names classes.
TEXT, READ_AS, CONFIDENCE = "answer_text", "answer_read_as", "answer_confidence"
READ_CLASS, MARKS = "answer_class", "answer_marks"
OF_TEXTS = frozenset({TEXT, READ_AS, CONFIDENCE, READ_CLASS, MARKS})
# Names that are shown, the most frequent first.
MOST_SHOWN = 10


def outside_mass(leaf_mass: np.ndarray) -> np.ndarray:
    """Probability of an answer outside the taxonomy: what the leaves leave, in [0, 1]; shape and order of `leaf_mass`."""
    return np.clip(1 - leaf_mass, 0, 1)


@dataclass(frozen=True, eq=False)
class Outside(Short):
    """Names that the taxonomy does not hold, the most frequent first.

    Attributes
    ----------
    what : str
        ``answers`` or ``truths``.
    how : str
        What was done with them: ``wrong``, ``drop`` or ``nearest``; ``error`` where only names of a mapping are taken.
    names : tuple of str
        Also those that were mapped.
    counts : ndarray of int, shape (n_names,)
        How often each is there.
    rows : ndarray of int, shape (n_rows,)
        Rows of the file with a name that stayed outside, ascending.
    mapped : mapping of str to int
        Node of each name that was mapped.
    n_mapped : int
        Rows with a name that was mapped.
    review : NameMapping, optional
        What each name was mapped to and how sure that is, for an expert to review.
    n_rows : int
        Rows of the file.
    """

    what: str
    how: str
    names: tuple[str, ...]
    counts: np.ndarray
    rows: np.ndarray
    mapped: Mapping[str, int] = field(default_factory=dict)
    n_mapped: int = 0
    review: NameMapping | None = None
    n_rows: int = 0

    @property
    def left(self) -> dict[str, int]:
        """How often each name is there that was not mapped, the most frequent first."""
        pairs = zip(self.names, self.counts.tolist(), strict=True)
        return {name: count for name, count in pairs if name not in self.mapped and count}

    @property
    def mapped_words(self) -> str:
        """The share that was mapped, as it stands next to numbers; nothing where none was."""
        if not self.n_mapped:
            return ""
        chosen = () if self.review is None else (row.given for row in self.review if row.is_chosen)
        to = "another name" if set(self.mapped) <= set(chosen) else "the nearest name"
        return f"{percent_text(self.n_mapped / max(self.n_rows, 1), 1)} of {self.what} mapped to {to}"

    def words(self) -> str:
        """The most frequent names that stayed outside with their counts."""
        left = list(self.left.items())
        more = f" and {len(left) - MOST_SHOWN} more" if len(left) > MOST_SHOWN else ""
        return ", ".join(f"{shown(name)} ({count:,})" for name, count in left[:MOST_SHOWN]) + more

    def to_dict(self) -> dict[str, Any]:
        """For the JSON: how, samples, names and the most frequent ones with their counts, and what was mapped."""
        left = self.left
        found: dict[str, Any] = {"how": self.how, "n_samples": len(self.rows), "n_names": len(left)}
        found["names"] = dict(list(left.items())[:MOST_SHOWN])
        if not self.mapped:
            return found
        share = self.n_mapped / max(self.n_rows, 1)
        return found | {"n_mapped": self.n_mapped, "n_names_mapped": len(self.mapped), "share_mapped": share}
