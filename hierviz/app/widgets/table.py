"""The table of all pages: declared columns, one format of cells, rows to choose, and its download.

Functions
---------
words, number, count, bar
    Declarations of columns.
cell_text, percent_cell
    Numbers with their marks and intervals as text of a cell.
draw, bold, width_of, say_cut, pages_of, download
"""

import math
import mimetypes
from typing import NamedTuple

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.charts import to_csv
from hierviz.messages.number_text import percent_text, value_text
from hierviz.reports.view_file import MOST_ROWS, SeenTable

FIRST, SECOND, TIED = "①", "②", "≈"
SIGNS = {"first": FIRST, "second": SECOND, "tied": TIED}
SPACE = "\N{NO-BREAK SPACE}"
# Streamlit breaks lines in rows of more than 64 pixels only. Letters of a line in a column of medium width.
ROW_HEIGHT, WRAPPED_HEIGHT, LETTERS = 35, 66, 32
# Cells of a table whose numbers are written here; pandas writes no more than 262,144.
MOST_WRITTEN = 200_000
words = st.column_config.TextColumn


def unbroken(text):
    """A short text that no line break parts."""
    return text.replace(" ", SPACE)


def number(head=None, decimals=3, **options):
    """A column of numbers with so many decimals."""
    return st.column_config.NumberColumn(head, format=f"%.{decimals}f", **options)


def count(head=None, help=None, **options):
    """A column of whole numbers with their thousands grouped."""
    return st.column_config.NumberColumn(head, format="localized", help=help, **options)


def bar(head, largest, form="localized", **options):
    """A column of numbers with bars, which are full at the largest."""
    return st.column_config.ProgressColumn(head, format=form, min_value=0, max_value=largest, **options)


def cell_text(value, interval=None, marks=(), *, spread="", note="", write=value_text):
    """A number of a cell as text: with its spread, a note, the signs of its marks, and its interval.

    Parameters
    ----------
    value : float or None
    interval : (float, float), optional
        Left out where its ends are NaN.
    marks : collection of str
        Those of `SIGNS` are shown.
    spread : str
        Standard deviation as text.
    note : str
    write : callable
        How a number is written.
    """
    if value is None or math.isnan(value):
        return "–"
    low, high = (None, None) if interval is None else interval
    signs = "".join(f"{SPACE}{sign}" for name, sign in SIGNS.items() if name in marks)
    span = "" if low is None or math.isnan(low) else f"  [{write(low)}, {write(high)}]"
    return f"{write(value)}{f' ± {spread}' if spread else ''}{note}{signs}{span}"


def percent_cell(share):
    """A share of 1 as a percentage that no line break parts; – where unknown."""
    unknown = share is None or math.isnan(share)
    return "–" if unknown else unbroken(percent_text(share, 1))


def ends(interval):
    """(lower, upper) of an Interval; None without one."""
    return None if interval is None else (interval.lower, interval.upper)


class ChosenRows(NamedTuple):
    """Rows that are chosen: the place of the one that was pressed last, or None, and the places of those that are ticked."""

    place: int | None
    ticked: list


MODES = {"one": ["single-row", "single-cell"], "many": ["multi-row", "single-cell"], "ticks": ["multi-row"]}


def draw(frame, columns=None, *, key, select=None, most=None, letters=None, texts=None, looks=None, **options):
    """Draw a table.

    Parameters
    ----------
    frame : DataFrame
    columns : dict of str to column declaration, str or None, optional
        Columns of the frame that are shown, in their order, and their heads: their names where None; all if not given.
    key : str
        Of the widget; another one for other rows that can be chosen.
    select : {'one', 'many', 'ticks'}, optional
        Which rows can be chosen: by a press, by a press or by ticks, by ticks alone.
    most : int, optional
        Pixels that it is at most high; as high as Streamlit makes it if not given.
    letters : int, optional
        Of the longest text that has room in a line of its column: longer ones wrap.
    texts : dict of str to callable or sequence of str, optional
        How the numbers of a column are written: a function, or the text of every row. It sorts by the numbers all the same.
    looks : DataFrame of str, optional
        CSS of every cell.
    **options
        Of `st.dataframe`.

    Returns
    -------
    ChosenRows
    """
    if columns is not None:
        frame = frame[list(columns)]
        # None would hide a column from Streamlit's table.
        columns = {name: str(name) if column is None else column for name, column in columns.items()}
    state.see(key, lambda: seen_table(frame, columns or {}, texts or {}))
    row_height = options.get("row_height", ROW_HEIGHT)
    if letters is not None:
        row_height = options["row_height"] = WRAPPED_HEIGHT if _longest(frame) > letters else row_height
    if most is not None:
        options["height"] = min(row_height * len(frame) + ROW_HEIGHT + 3, most)
    if select is not None:
        options |= {"on_select": options.get("on_select", "rerun"), "selection_mode": MODES[select]}
    shown = frame
    if frame.size <= MOST_WRITTEN and (texts or looks is not None):
        shown = _styled(frame.reset_index(drop=True), texts or {}, looks)
    event = st.dataframe(shown, hide_index=True, key=key, column_config=columns, **options)
    if select is None or event is None:
        return ChosenRows(None, [])
    ticked, pressed = (
        [row for row in rows if row < len(frame)]
        for rows in (event.selection.rows, [row for row, _ in event.selection.get("cells", [])])
    )
    return ChosenRows((pressed or ticked or [None])[-1], ticked)


def seen_table(frame, columns, texts):
    """The SeenTable of what `draw` shows."""
    # A column of buttons says nothing.
    names = [name for name in frame if isinstance(columns.get(name), dict | str | None)]
    shown, some = [], frame[names].head(MOST_ROWS)
    for name in some:
        column, written = columns.get(name), texts.get(name)
        values = some[name].astype(object).where(some[name].notna(), None).tolist()
        if callable(written):
            values = [None if value is None else written(value) for value in values]
        elif written is not None:
            values = list(written)[: len(values)]
        elif isinstance(column, dict):
            form = (column.get("type_config") or {}).get("format")
            values = [_formatted(form, value) for value in values]
        shown.append(values)
    heads = [_head(columns.get(name), str(name)) for name in some]
    return SeenTable(heads, list(zip(*shown, strict=True)), len(frame))


def _head(column, name):
    """The head of a column, whatever declares it."""
    head = column.get("label") if isinstance(column, dict) else column
    return head if isinstance(head, str) and head else name


def _formatted(form, value):
    """A number as the browser writes it in a column with this format; text as it is."""
    if not isinstance(form, str) or not isinstance(value, int | float):
        return value
    if form == "percent":
        return percent_text(value)
    if "%" not in form:
        return value
    return form.replace("%d", "%.0f") % value


def _longest(frame):
    """Letters of the longest text."""
    columns = [frame[name] for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    of_columns = [column.cat.categories if column.dtype == "category" else column for column in columns]
    # Of none it is not a number.
    lengths = [column.astype("str").str.len().max() for column in of_columns]
    return max((int(length) for length in lengths if length == length), default=0)


def _styled(frame, texts, looks):
    styled = frame.style.format({name: write for name, write in texts.items() if callable(write)})
    for name, written in texts.items():
        for place, text in enumerate(() if callable(written) else written):
            styled = styled.format(lambda _, text=text: text, subset=([place], [name]))
    return styled if looks is None else styled.apply(lambda _: looks, axis=None)


def bold(frame, is_bold):
    """Looks of a table: `is_bold` has the names of the columns whose cell is bold, one collection a row."""
    return pd.DataFrame(
        [["font-weight: bold" * (name in of_row) for name in frame] for of_row in is_bold], columns=frame.columns
    )


def pages_of(n, most, memory, key):
    """(slice of the rows that are shown, what draws the buttons of the rows before and after them)."""
    start = min(memory.get("start", 0), max(n - 1, 0) // most * most)

    def buttons():
        with st.container(horizontal=True):
            for name, to in (("Previous", start - most), ("Next", start + most)):
                moved = {"on_click": memory.update, "args": ({"start": to},)}
                st.button(f"{name} {most:,}", key=f"{name}-{key}", disabled=not 0 <= to < n, **moved)

    return slice(start, min(start + most, n)), buttons


def download(label, content, file, key, icon="download", **options):
    """A button that saves a file.

    Parameters
    ----------
    label : str
    content : str, bytes, DataFrame, or callable that gives one of them
        A function is called when the button is pressed; a DataFrame becomes CSV.
    file : str
        Its name.
    key : str
        Of the widget.
    icon : str
        Name of a Material symbol; none where it is empty.
    """

    def written(value):
        return to_csv(value) if isinstance(value, pd.DataFrame) else value

    data = (lambda: written(content())) if callable(content) else written(content)
    kind, icon = mimetypes.guess_type(file)[0] or "application/octet-stream", f":material/{icon}:" if icon else None
    st.download_button(label, data, file, kind, key=key, on_click="ignore", icon=icon, **options)


def width_of(head, texts):
    """Pixels that a column needs for its head and its texts in bold: a cell that is wider would be cut at its start."""
    return int(max(24 + 7.2 * max(map(len, texts), default=0), 26 + 7.4 * len(head)))


def say_cut(widths, n_columns):
    """A caption where columns of so many pixels in all do not fit: a table that is cut looks like a whole one."""
    # How wide the window is, is known roughly.
    if sum(widths) > state.session.px:
        st.caption(f":material/arrow_forward: {n_columns} columns. Scroll right for more.")
