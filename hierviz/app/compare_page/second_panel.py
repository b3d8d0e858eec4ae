"""A second opinion: every number of a model once more along an independent way, and what comes out equal."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.progress import worked_out
from hierviz.second_opinion.verify import BY_DEFINITION, DIFFERENT, EQUAL, LEFT_OUT, MOST_SAMPLES, verify

HEADINGS = {
    DIFFERENT: "Different",
    BY_DEFINITION: "Different by definition",
    LEFT_OUT: "Not recomputed",
    EQUAL: "Equal",
}


def draw(compared):
    """Which model, a button that starts the work, and what it found."""
    st.markdown(
        "Every number of a model is computed a second time in an independent way: from plain definitions with sets and loops, "
        "and by scikit-learn and hiclass where they are installed and define a number alike. This is slow: seconds to minutes, "
        f"on at most {MOST_SAMPLES:,} samples, of more drawn at random."
    )
    runs = {f"{key} {place}": run for key in compared.keys for place, run in enumerate(compared.runs(key))}
    key_of = {where: where.rpartition(" ")[0] for where in runs}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        now = state.memory("second opinion").get("model")
        where = st.selectbox(
            "Model",
            list(runs),
            format_func=lambda one: _called(runs[one].predictions),
            width=300,
            **state.kept("second opinion", "model", now if now in runs else next(iter(runs))),
        )
        model, choice = runs[where], compared.choice_of(key_of[where])
        asked = (compared.data.digest, where, repr(sorted(choice.items(), key=lambda pair: pair[0])))
        started = state.memory("second opinion started")
        found = state.known("second opinion", asked)
        if found is None:
            st.button("Second opinion", type="primary", icon=":material/fact_check:", on_click=_start, args=(asked,))
    if found is None and asked in started:
        found = worked_out(
            "second opinion",
            asked,
            "Second opinion",
            lambda stages: verify(model, progress=stages("Recomputing every number", "steps"), **choice),
        )
        if found is not None:
            st.rerun()
        # Cancelled: the button starts it anew.
        started.pop(asked, None)
    if found is not None:
        _found(found)


def _start(asked):
    state.memory("second opinion started")[asked] = True
    state.resume(f"second opinion-{asked}")


def _called(predictions):
    return predictions.name if predictions.run is None else f"{predictions.name}, {predictions.run}"


def _found(opinion):
    is_wrong = bool(opinion.of_verdict(DIFFERENT))
    (st.error if is_wrong else st.success)(
        escape(opinion.sentence), icon=":material/error:" if is_wrong else ":material/check_circle:"
    )
    table = pd.DataFrame(
        [[check.key, check.value, check.again, check.way, check.verdict, check.why] for check in opinion.checks],
        columns=["number", "hierviz", "again", "by", "verdict", "why"],
    )
    for column in ("hierviz", "again"):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    number = st.column_config.NumberColumn(format="%.6f")
    for verdict, heading in HEADINGS.items():
        part = table[table["verdict"] == verdict].drop(columns="verdict")
        if not len(part):
            continue
        part = part.drop(columns="why") if verdict == EQUAL else part
        with st.expander(f"{heading} ({len(part)})", expanded=verdict in (DIFFERENT, BY_DEFINITION)):
            st.dataframe(
                part,
                hide_index=True,
                height=min(35 * (len(part) + 1) + 3, 458),
                key=f"second-{verdict}",
                column_config={"hierviz": number, "again": number},
            )
    st.download_button(
        "All comparisons (CSV)",
        lambda: charts.to_csv(table),
        "second-opinion.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="get-second",
    )
