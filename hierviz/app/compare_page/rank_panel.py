"""The rank of every method by every metric, and one number of all methods with their runs and intervals."""

from __future__ import annotations

import math

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page.table_panel import preset_control, worked_out_table
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure


def draw(compared):
    """Both charts of the columns that are chosen."""
    found = worked_out_table(compared, preset_control())
    if found is None:
        return
    st.subheader("Rank of each method")
    ranked = [column for column in found.columns if any(rank is not None for rank in found.ranks[column.key])]
    if len(found.methods) < 2:
        st.markdown("One method has no rank: ranks need at least two.")
    elif not ranked:
        st.markdown("None of these numbers has a better direction, so no method has a rank.")
    else:
        figure(charts.rank_matrix(found, width=state.session.px), name="ranks")
        st.caption(
            "1 is the best by that number. ≈: not clearly different from the best when all pairs are compared."
            if found.resamples is not None
            else "1 is the best by that number. Without intervals (see the part Table) small differences count too."
        )
        compared.caution(*(column.metric for column in ranked))
    st.subheader("One number of all methods")
    columns = {
        column.key: column
        for column in found.columns
        if any(_is_finite(method.value(column.key)) for method in found.methods)
    }
    if not columns:
        st.markdown("No method has a finite number here.")
        return
    key = pick("Number", {key: column.label for key, column in columns.items()}, ("compare ranks", "column"))
    figure(charts.method_intervals(found, key, width=state.session.px), name="methods")
    said = ["Small dots are runs, the large one is their mean."] if any(m.n_runs > 1 for m in found.methods) else []
    if found.resamples is None:
        said.append("No intervals: they are computed on request in the part Table.")
    reasons = {found.interval_reasons(method).get(key) for method in found.methods} - {None}
    said += [f"Dots without a line: {escape(reason)}." for reason in sorted(reasons) if found.resamples is not None]
    if said:
        st.caption(" ".join(said))
    numbers.definitions((columns[key].metric,), "compare-ranks")
    compared.caution(columns[key].metric)


def _is_finite(value):
    return value is not None and math.isfinite(value)
