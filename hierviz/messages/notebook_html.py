"""What notebooks show of the objects of this package: a heading, small tables and a tree that opens, as HTML without scripts.

Every text is escaped: names of classes and samples stay text.
"""

from __future__ import annotations

import html
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hierviz.messages.number_text import value_text

# Nodes of a tree that are written at most, and children of one node.
MOST_NODES, MOST_CHILDREN = 200, 15
# Rows and columns of a table that are written, and letters of a value and of all values of an object that is printed.
MOST_ROWS, MOST_COLUMNS, BRIEF, LONGEST = 10, 12, 80, 600
# Elements of a list or dict that are written.
FEW = 6


def fact_sheet(heading: str, *parts: str) -> str:
    """A heading with what `fact_rows`, `table` and `tree` made below it."""
    return f"<div><strong>{escape(heading)}</strong>{''.join(parts)}</div>"


def fact_rows(facts: dict[str, Any]) -> str:
    """A table of two columns: what, and its value."""
    return table(None, facts.items())


def table(header: Sequence[str] | None, rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table; numbers are written as on the pages, None as –."""
    head = "" if header is None else f"<thead><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in header)}</tr></thead>"
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def tree(root: int, children: Callable[[int], list[int]], title: Callable[[int], str]) -> str:
    """The first levels of a tree or graph as nested lists that open; what is left out is counted."""
    left = MOST_NODES

    def written(node, depth):
        nonlocal left
        left -= 1
        below = children(node)
        if not below:
            return escape(title(node))
        shown = below[: MOST_CHILDREN if left > 0 and depth < 8 else 0]
        items = [f"<li>{written(child, depth + 1)}</li>" for child in shown]
        if len(shown) < len(below):
            items.append(f"<li>{len(below) - len(shown):,} {'more' if shown else 'children'}</li>")
        is_open = " open" if depth == 0 else ""
        return f"<details{is_open}><summary>{escape(title(node))}</summary><ul>{''.join(items)}</ul></details>"

    return written(root, 0)


def escape(value: Any) -> str:
    """A value as text in HTML."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return value_text(value)
    return html.escape(f"{value:,}" if isinstance(value, int) else str(value))


class Short:
    """A result that prints in one line, and in a notebook as its fields or the first rows of its table."""

    # Attributes that are printed; all fields where empty.
    _printed: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        # Else `dataclass` writes one that prints every value.
        if "__repr__" not in vars(cls):
            cls.__repr__ = Short.__repr__  # type: ignore[method-assign]

    def _facts(self) -> dict[str, str]:
        """What is printed: fields by name, each in a few letters."""
        names = self._printed or [name for name in getattr(self, "__dataclass_fields__", {}) if name[0] != "_"]
        return {name: brief(getattr(self, name)) for name in names}

    def _first_rows(self) -> Any:
        """The first rows of the table, as a DataFrame; None where there is none."""
        if not hasattr(self, "to_frame") or importlib.util.find_spec("pandas") is None:
            return None
        whole: Any = self
        is_long = hasattr(whole, "take") and len(whole) > MOST_ROWS
        return (whole.take(np.arange(MOST_ROWS)) if is_long else whole).to_frame().head(MOST_ROWS)

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value}" for name, value in self._facts().items())
        return f"{type(self).__name__}({text if len(text) <= LONGEST else f'{text[:LONGEST]}…'})"

    def _repr_html_(self) -> str:
        rows = self._first_rows()
        if rows is None or not len(rows):
            return fact_sheet(type(self).__name__, fact_rows(self._facts()))
        # Rows that have names keep them.
        rows = (
            rows.iloc[:, :MOST_COLUMNS] if rows.index.dtype.kind in "iu" else rows.iloc[:, :MOST_COLUMNS].reset_index()
        )
        cells = [[_plain(cell) for cell in row] for row in rows.itertuples(index=False)]
        sized = f"{type(self).__name__}, the first {len(rows)} rows" if len(rows) == MOST_ROWS else type(self).__name__
        return fact_sheet(sized, table([str(name) for name in rows.columns], cells))


@dataclass(frozen=True)
class Described(Short):
    """An entry of a registry.

    Attributes
    ----------
    key, label, sentence, formula, source : str
        Registry key, name for people, one plain sentence, LaTeX, paper, with section or equation where it is known.
    """

    _printed = ("key", "label")

    key: str
    label: str
    sentence: str
    formula: str
    source: str


class Rows(Short):
    """A `Short` of rows: its length is that of its arrays, of which the first counts."""

    def __len__(self) -> int:
        return next(len(value) for value in vars(self).values() if isinstance(value, np.ndarray))


def _plain(cell):
    """A cell of a DataFrame as Python has it."""
    return (
        brief(cell)
        if isinstance(cell, (list, tuple, dict)) or (hasattr(cell, "shape") and cell.shape)
        else (cell.item() if hasattr(cell, "item") else cell)
    )


def brief(value: Any) -> str:
    """A value in a few letters: arrays by type and shape, containers by their length."""
    if hasattr(value, "shape") and hasattr(value, "dtype") and value.shape:
        return f"array of {value.dtype}, shape {tuple(value.shape)}"
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple, dict)) and len(value) > FEW:
        return f"{type(value).__name__} of {len(value):,}"
    if isinstance(value, dict):
        text = f"{{{', '.join(f'{key!r}: {brief(one)}' for key, one in value.items())}}}"
    elif isinstance(value, (list, tuple)):
        text = ", ".join(map(brief, value)).join("()" if isinstance(value, tuple) else "[]")
    else:
        text = repr(value)
    if len(text) <= BRIEF:
        return text
    if isinstance(value, str):
        return f"{text[: BRIEF - 2]}…{text[-1]}"
    return f"{type(value).__name__} of {len(value):,}" if hasattr(value, "__len__") else f"<{type(value).__name__}>"
