"""Names outside the taxonomy and what they are mapped to: a table to review and change, which is then used and saved."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state import opened
from hierviz.app.state.escape import escape
from hierviz.app.state.upload_fields import keep_content
from hierviz.app.widgets import table
from hierviz.app.widgets.links import go_to
from hierviz.messages.errors import HiervizError
from hierviz.predictions.name_mapping import NameMapping
from hierviz.readers.mapping_file import mapping_csv

FILE = "mapping.csv"
# Classes that a cell offers as a list; of more, their names are typed. Pixels of the table, and rows that are shown.
MOST_OFFERED, HEIGHT, MOST_ROWS = 2000, 400, 1000
NO_CLASS = "(no class)"
# Entry of the session: the table was asked for.
ASKED = "mapping_asked"


def mapping_panel(data):
    """The table for the open data; nothing where all names are those of classes."""
    reviews = [record.review for one in data.models.values() for record in one.predictions.outside.values()]
    mapping = NameMapping.joined([review for review in reviews if review is not None])
    if mapping is None or not len(mapping):
        return
    is_asked = bool(state.session.get(ASKED, False))
    with st.expander(mapping.sentence, icon=":material/spellcheck:", expanded=is_asked):
        st.markdown(f"Change what a name is mapped to, or choose *{NO_CLASS}*.")
        changed = edited(mapping, f"mapping-{data.key}")
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
                "`--mapping mapping.csv` reads it in every command, and here the field *Mapping of names*.",
                width="content",
            )


def review_button():
    """A button that opens the page of files with the table unfolded."""
    if st.button("Review the mapping", type="tertiary", icon=":material/edit:", key="review-mapping"):
        state.session[ASKED] = True
        go_to("open")


def edited(mapping, key):
    """Draw a mapping as a table in which its classes can be changed; returns the mapping as it is there."""
    taxonomy, names, rows = mapping.taxonomy, mapping.taxonomy.names, _shown(mapping)
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
    found = st.data_editor(
        shown,
        key=key,
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
    return _with_classes(mapping, dict(enumerate(found["mapped_to"].tolist())))


def submitted(mapping, key):
    """The mapping as it is in the table of `edited` when its form is sent."""
    cells = state.session[key]["edited_rows"]
    return _with_classes(mapping, {int(place): row["mapped_to"] for place, row in cells.items() if "mapped_to" in row})


def _shown(mapping):
    """The rows of the table, the most frequent names first."""
    return sorted(mapping, key=lambda row: -row.count)[:MOST_ROWS]


def _with_classes(mapping, classes):
    """A mapping with classes by name for rows of its table, by their place."""
    names, rows, changed = mapping.taxonomy.names, _shown(mapping), mapping
    for place, text in classes.items():
        row, name = rows[place], text.strip() if isinstance(text, str) else ""
        name = "" if name == NO_CLASS else name
        if name != (names[row.node] if row.node >= 0 else ""):
            try:
                changed = changed.choose(row.given, name)
            except HiervizError as error:
                st.error(escape(str(error)), icon=":material/error:")
    return changed


def chosen_file(mapping):
    """Name and content of a file of what a person chose; other names are matched as before."""
    chosen = replace(mapping, rows=tuple(row for row in mapping if row.is_chosen))
    return FILE, mapping_csv(chosen).encode()


def with_mapping(files, mapping):
    """Files that are read with what a person chose in a mapping."""
    kept = keep_content(*chosen_file(mapping))
    return replace(files, mapping=str(kept.paths[0]), held=(*files.held, kept))


def _use(files, mapping):
    """Read the files of the open data again with the choices of a mapping."""
    try:
        opened.open_and_put(with_mapping(files, mapping))
        state.publish()
    except HiervizError as error:
        st.error(escape(str(error)), icon=":material/error:")
