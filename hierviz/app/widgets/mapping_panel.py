"""Names outside the taxonomy and what they are mapped to: a table to review and change, which is then used and saved."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state import opened
from hierviz.app.state.escape import escape
from hierviz.app.state.upload_fields import keep_content
from hierviz.app.widgets import table
from hierviz.messages.errors import HiervizError
from hierviz.predictions.name_mapping import NameMapping
from hierviz.readers.mapping_file import mapping_csv

FILE = "mapping.csv"
# Classes that a cell offers as a list; of more, their names are typed. Pixels of the table, and rows that are shown.
MOST_OFFERED, HEIGHT, MOST_ROWS = 2000, 400, 1000
NO_CLASS = "(no class)"


def mapping_panel(data):
    """The table for the open data; nothing where all names are those of classes."""
    reviews = [record.review for one in data.models.values() for record in one.predictions.outside.values()]
    mapping = NameMapping.joined([review for review in reviews if review is not None])
    if mapping is None or not len(mapping):
        return
    st.subheader("Names outside the taxonomy")
    st.markdown(f"{mapping.sentence} Change what a name is mapped to, or choose *{NO_CLASS}*.")
    changed = _edited(mapping, data)
    is_changed = changed.node_of != mapping.node_of
    with st.container(horizontal=True, vertical_alignment="center"):
        if data.files is not None:
            st.button(
                "Open again with these changes",
                icon=":material/check:",
                type="primary" if is_changed else "secondary",
                disabled=not is_changed,
                key="use-mapping",
                on_click=_use,
                args=(data.files, changed),
            )
        table.download("Save the mapping", lambda: mapping_csv(changed), FILE, "get-mapping")
        st.caption(
            "`--mapping mapping.csv` reads it in every command, and here the field *Mapping of names*.", width="content"
        )


def _edited(mapping, data):
    """The mapping as it is in the table, which is drawn."""
    taxonomy, names = mapping.taxonomy, mapping.taxonomy.names
    order = sorted(range(len(mapping)), key=lambda place: -mapping.rows[place].count)[:MOST_ROWS]
    rows = [mapping.rows[place] for place in order]
    shown = pd.DataFrame(
        {
            "given": [row.given for row in rows],
            "mapped_to": [names[row.node] if row.node >= 0 else NO_CLASS for row in rows],
            "sure": [None if row.sure is None else 100 * row.sure for row in rows],
            "count": [row.count for row in rows],
            "note": [mapping.note(row) for row in rows],
        }
    )
    width = 120 if state.is_narrow() else "medium"
    offered = sorted(names) if taxonomy.n_nodes <= MOST_OFFERED else None
    mapped = (
        st.column_config.TextColumn("Mapped to", width=width)
        if offered is None
        else st.column_config.SelectboxColumn("Mapped to", options=[NO_CLASS, *offered], width=width)
    )
    edited = st.data_editor(
        shown,
        key=f"mapping-{data.key}",
        hide_index=True,
        height=min(35 * len(rows) + 38, HEIGHT),
        disabled=["given", "sure", "count", "note"],
        column_config={
            "given": st.column_config.TextColumn("Given", width=width),
            "mapped_to": mapped,
            "sure": st.column_config.ProgressColumn(
                "Similarity", format="%.0f %%", min_value=0, max_value=100, width="small"
            ),
            "count": table.count("Times", width="small"),
            "note": st.column_config.TextColumn("Why", width="medium"),
        },
    )
    if len(mapping) > MOST_ROWS:
        st.caption(f"The {MOST_ROWS:,} most frequent of {len(mapping):,} names; the file has all.")
    changed = mapping
    for row, name in zip(rows, edited["mapped_to"].tolist(), strict=True):
        name = name.strip() if isinstance(name, str) else ""
        name = "" if name == NO_CLASS else name
        if name != (names[row.node] if row.node >= 0 else ""):
            try:
                changed = changed.choose(row.given, name)
            except HiervizError as error:
                st.error(escape(str(error)), icon=":material/error:")
    return changed


def _use(files, mapping):
    """Read the files of the open data again with the choices of a mapping; the other names are matched as before."""
    chosen = replace(mapping, rows=tuple(row for row in mapping if row.is_chosen))
    try:
        kept = keep_content(FILE, mapping_csv(chosen).encode())
        opened.open_and_put(replace(files, mapping=str(kept.paths[0]), held=(*files.held, kept)))
        state.publish()
    except HiervizError as error:
        st.error(escape(str(error)), icon=":material/error:")
