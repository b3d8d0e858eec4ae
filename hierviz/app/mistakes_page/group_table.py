"""A table of groups of samples: the one that is chosen, and the export of all."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz import charts

ROW_HEIGHT, WRAPPED_HEIGHT, LONG_NAME = 35, 66, 32
# Cells of a table whose numbers are written here; pandas writes no more than 262,144.
MOST_WRITTEN = 200_000


def draw(table, columns, found, note, *, name, key, height, texts=None, letters=LONG_NAME):
    """The table, a note below it and the export; the place of the group that is chosen, the first one at the start.

    Parameters
    ----------
    table : DataFrame
        The groups that are shown, the first of `found`.
    columns : dict
        Settings of its columns.
    found : Confusions or Slices
    note : str
        Markdown.
    name : str
        Of the exported file, in lower case.
    key : str
        Of the widget; another one for other groups.
    height : int
        Pixels at most.
    texts : dict of str to callable, optional
        How the numbers of a column are written; the table is sorted by the numbers all the same.
    letters : int
        Of the longest name that has room in a line of its column.
    """
    # Long names wrap, which Streamlit does in rows of more than 64 pixels only.
    words = (column for column in table if not pd.api.types.is_numeric_dtype(table[column]))
    is_long = any(len(cell) > letters for column in words for cell in table[column])
    row_height = WRAPPED_HEIGHT if is_long else ROW_HEIGHT
    event = st.dataframe(
        table.style.format(texts) if texts and table.size <= MOST_WRITTEN else table,
        hide_index=True,
        height=min(row_height * len(table) + ROW_HEIGHT + 3, height),
        row_height=row_height,
        column_config=columns,
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],
        key=key,
    )
    st.markdown(note)
    st.download_button(
        f"{name.capitalize()} (CSV)",
        lambda: charts.to_csv(found.to_frame()),
        f"{name}.csv",
        "text/csv",
        key=f"get-{name}",
        on_click="ignore",
        icon=":material/download:",
    )
    picked = [row for row, _ in event.selection.cells] or list(event.selection.rows)
    return min(picked[-1] if picked else 0, len(found) - 1)
