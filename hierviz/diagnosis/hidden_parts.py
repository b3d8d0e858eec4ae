"""Parts of a sample that were hidden one at a time: patches of a picture, words and sentences of a text, columns of a row.

Conventions
-----------
Pixels count from the top left, letters from the first; ends are not included.

Functions and classes
---------------------
HiddenParts, grid_of, on_grid
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.messages.notebook_html import Short

KINDS = ("picture", "text", "row")
# Beyond these shares of a side a part is lower or right, before the others upper or left.
FIRST, LAST = 0.37, 0.63


@dataclass(frozen=True, eq=False)
class HiddenParts(Short):
    """What was hidden of one sample.

    Attributes
    ----------
    kind : {"picture", "text", "row"}
    what : ndarray of str, shape (n_parts,)
        ``1/4`` and ``1/8``: a patch with this share of the side; ``word``, ``sentence``; ``column`` of numbers, ``category``.
    names : tuple of str
        What each part is called: its place in the picture, the words themselves, the name of the column.
    places : ndarray of int, shape (n_parts, 4), (n_parts, 2) or (n_parts, 1)
        Of a picture top, left, bottom and right in pixels; of a text start and end in letters; the number of the column.
    content : ndarray of uint8, shape (height, width, 3), str, or tuple of str
        The picture as the model sees it; the text; the values of the columns.
    instead : tuple of str
        Of a row the values that replaced them.
    """

    kind: str
    what: np.ndarray
    names: tuple[str, ...]
    places: np.ndarray
    content: Any
    instead: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.what)

    def columns(self) -> dict[str, Any]:
        """The parts as columns of a table."""
        found: dict[str, Any] = {"part": list(self.names), "what": self.what}
        if self.kind == "row":
            return found | {"value": list(self.content), "instead": list(self.instead)}
        names = ("top", "left", "bottom", "right") if self.kind == "picture" else ("start", "end")
        return found | dict(zip(names, self.places.T, strict=True))

    def hiding(self, part: int) -> str:
        """What hiding a part is called, as the start of a sentence."""
        name = self.names[part]
        if self.kind == "picture":
            return f"Hiding the {name}"
        if self.kind == "row":
            return f"Setting {name} to its {'median' if self.what[part] == 'column' else 'most common value'}"
        return f"Leaving out the {self.what[part]} “{name}”"


def part_of_picture(top: int, left: int, bottom: int, right: int, shape: tuple[int, ...]) -> str:
    """Where a patch is in a picture of a shape (height, width), such as "lower left part"."""
    down, across = (top + bottom) / 2 / shape[0], (left + right) / 2 / shape[1]
    row = "upper" if down < FIRST else "lower" if down > LAST else ""
    column = "left" if across < FIRST else "right" if across > LAST else ""
    words = " ".join(filter(None, (row, column or ("middle" if row else "")))) or "middle"
    return f"{words} part"


def grid_of(parts: HiddenParts) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the rows and of the columns, in pixels, between which every pixel is covered by the same patches."""
    return np.unique(parts.places[:, [0, 2]]), np.unique(parts.places[:, [1, 3]])


def on_grid(parts: HiddenParts, effects: np.ndarray) -> np.ndarray:
    """The mean over the patches that cover each cell of `grid_of`.

    Parameters
    ----------
    parts : HiddenParts
        Of a picture.
    effects : ndarray of float, shape (n, n_parts)
        Of several samples.

    Returns
    -------
    ndarray of float, shape (n, n_rows, n_columns)
    """
    down, across = grid_of(parts)
    top, left, bottom, right = (side[:, None] for side in parts.places.T)
    rows = ((top <= down[:-1]) & (bottom >= down[1:])).astype(np.float64)
    columns = ((left <= across[:-1]) & (right >= across[1:])).astype(np.float64)
    sums = np.einsum("np,pr,pc->nrc", effects, rows, columns, optimize=True)
    return sums / np.maximum(rows.T @ columns, 1)
