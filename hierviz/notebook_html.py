"""What notebooks show of the objects of this package: a heading, small tables and a tree that opens, as HTML without scripts.

Every text is escaped: names of classes and samples stay text.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hierviz.number_text import value_text

# Nodes of a tree that are written at most, and children of one node.
MOST_NODES, MOST_CHILDREN = 200, 15


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
