"""Marks of single samples by the visitor: truth doubtful or model wrong, with a note; kept as long as the data are open."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.table import download
from hierviz.diagnosis.sample_paths import sample_paths

MARKS = ("truth doubtful", "model wrong")
KEPT = "Kept for this browser until these data are closed or the server ends:"


def marks_of(data):
    """Marks of the samples of a data set by id: dict of str to dict with ``mark`` and ``note``."""
    return state.of_data("marks", data)


def controls(asked, sample_id):
    """Mark and note of one sample."""
    store = marks_of(asked.data)
    keys = {field: f"mark-{field}-{asked.data.key}-{sample_id}" for field in ("mark", "note")}
    for field, key in keys.items():
        state.session[key] = store.get(sample_id, {}).get(field) or (None if field == "mark" else "")

    def changed():
        kept = {field: state.session[key] or "" for field, key in keys.items()}
        if any(kept.values()):
            store[sample_id] = kept
        else:
            store.pop(sample_id, None)

    st.segmented_control("Who is wrong?", MARKS, key=keys["mark"], on_change=changed)
    st.text_input("Note", key=keys["note"], on_change=changed, max_chars=1000, placeholder="for the export")
    if store:
        st.caption(f"{KEPT} export them under *Label errors*.")


def export(asked):
    """The download of all marked samples, with both paths."""
    store, predictions = marks_of(asked.data), asked.predictions
    ids = [sample_id for sample_id in store if predictions.row(sample_id) is not None]
    ids = [sample_id for sample_id in ids if asked.model.judged[predictions.row(sample_id)]]
    n = {mark: sum(store[sample_id]["mark"] == mark for sample_id in ids) for mark in MARKS}
    counts = ", ".join(f"{count:,} {mark}" for mark, count in n.items())
    st.markdown(f"**{len(ids):,} marked** ({counts}). {KEPT} export them.")

    def table():
        paths = sample_paths(asked.whole, [predictions.row(sample_id) for sample_id in ids]).to_frame()
        fields = {field: [store[sample_id][field] for sample_id in ids] for field in ("mark", "note")}
        return pd.concat([pd.DataFrame(fields), paths], axis=1)[["sample_id", *fields, *list(paths)[1:]]]

    download("Marked samples (CSV)", table, "marked-samples.csv", "get-marks", disabled=not ids)
