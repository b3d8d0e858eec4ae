"""One HTML file of what a page shows: its figures, tables, samples and living drawing as they were drawn, in their order.

Functions and classes
---------------------
view_file, SeenFigure, SeenTable, SeenCards, SeenLadder
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from hierviz.charts import packed
from hierviz.charts.export import NARROW
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.messages.number_text import value_text
from hierviz.reports.markup import figure_html, folded, ladder, table
from hierviz.reports.report_file import about, assembled

# Rows of a table that are in the file.
MOST_ROWS = 2000


@dataclass(frozen=True, eq=False)
class SeenFigure:
    """A figure, as it was drawn.

    Attributes
    ----------
    name : str
    figure : hierviz.charts.Figure
    note : str
        What is said next to it besides its own sentence.
    alt : str
        Its alternative text, where that is not what is said.
    """

    name: str
    figure: Any
    note: str = ""
    alt: str = ""

    def html(self, store):
        """The figure with its sentence and its table; what the browser unpacks is put into `store`."""
        drawn = self.figure
        said = drawn.sentence if self.note in drawn.sentence else f"{drawn.sentence} {self.note}".strip()
        cells = drawn.table
        columns = [cells[name].tolist() for name in list(cells)]
        heads = [str(name) for name in cells]
        whole = SeenTable(heads, list(zip(*(column[:MOST_ROWS] for column in columns), strict=True)), len(cells))
        made = figure_html(drawn, self.name, store, said, self.alt, wide=max(drawn.width, NARROW + 1))
        return made + folded("Table", whole.html(store))


@dataclass(frozen=True, eq=False)
class SeenTable:
    """The first rows of a table.

    Attributes
    ----------
    heads : sequence of str
    rows : sequence of sequence
        Of cells: texts, or numbers, which are written as on the pages.
    n : int
        Rows of the whole table.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    n: int

    def html(self, store):
        """The table, and how many rows are left out."""
        del store
        if not self.rows:
            return ""
        cells = [[escape(_cell(cell)) for cell in row] for row in self.rows]
        is_numbers = all(isinstance(cell, int | float) for cell in self.rows[0][1:])
        made = table([escape(head) for head in self.heads], cells, "numbers" if is_numbers else "texts")
        left_out = f'<p class="muted">The first {len(self.rows):,} of {self.n:,} rows.</p>'
        return made + (left_out if len(self.rows) < self.n else "")


@dataclass(frozen=True, eq=False)
class SeenCards:
    """Samples with picture or words.

    Attributes
    ----------
    cards : sequence of (str, str, str, str)
        Address of the picture or "", first words, what is said of the sample, and a note.
    """

    cards: Sequence[tuple[str, str, str, str]]

    def html(self, store):
        """A list of cards."""
        del store
        made = []
        for picture, words, said, note in self.cards:
            head = f'<img src="{picture}" alt="">' if picture else f"<span>{escape(words)}</span>"
            more = f'<span class="muted">{escape(note)}</span>' if note else ""
            made.append(f"<li>{head}<span>{escape(said)}</span>{more}</li>")
        return f'<ul class="story-mistakes">{"".join(made)}</ul>'


@dataclass(frozen=True, eq=False)
class SeenLadder:
    """The living drawing of a sample.

    Attributes
    ----------
    name : str
    record : str
        What `hierviz.charts.packed` made of it.
    """

    name: str
    record: str

    def html(self, store):
        """The place of the drawing, its picture above it."""
        record = json.loads(gzip.decompress(base64.b64decode(self.record)))
        store["ladder"] = packed({"spec": ladder_spec(fills=False), "tables": {}})
        store[self.name] = self.record
        picture = next((one.get("picture") for one in record["sample"]), None)
        shown = f'<img class="story-picture" src="{escape(picture)}" alt="Sample">' if picture else ""
        return shown + ladder(self.name, "")


def view_file(
    title: str, caption: Sequence[str], seen: Sequence[Any], command: str = "", credits: Sequence[str] = ()
) -> str:
    """Make one HTML file of what a page shows, which opens from disk without a network.

    Parameters
    ----------
    title : str
    caption : sequence of str
        What is shown, one paragraph each; the first is the heading.
    seen : sequence of SeenFigure, SeenTable, SeenCards and SeenLadder
    command : str
        What makes a report that begins with this view.
    credits : sequence of str
        Whose the data are.

    Returns
    -------
    str
    """
    store: dict[str, str] = {}
    heading, *more = caption
    said = "".join(f'<p class="caption">{escape(one)}</p>' for one in more)
    # Each part is a step of its own: a living drawing takes the picture of its own.
    parts = "".join(f'<article class="step">{one.html(store)}</article>' for one in seen)
    sections = {
        "view": f'<div class="step">{said}</div>{parts}',
        "about": about(command, "", credits, is_report=False),
    }
    headings = {"view": heading, "about": "About this file"}
    return assembled(title, "", sections, headings, {"command": command, "view": heading}, store)


def _cell(cell):
    if cell is None or (isinstance(cell, float) and cell != cell):
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return value_text(cell)
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
