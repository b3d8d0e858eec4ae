"""Which samples the Examples page walks through, in which order, and the list of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.figure import picture_url
from hierviz.evaluation.mistakes import ORDERS, OUTCOMES, Mistakes, mistakes, outcome_counts
from hierviz.evaluation.severity import SEVERITIES

ON_A_PAGE, ROW_HEIGHT = 15, 44
SIGNS = {"exact": "✓", "coarse": "≈", "wrong": "×"}


@dataclass(frozen=True)
class Selection:
    """Samples in order and the one looked at.

    Attributes
    ----------
    rows : ndarray of int
        Rows of the Predictions.
    found : Mistakes or None
        The same samples with their outcome; None when answers cannot be judged.
    any_outcome : Mistakes or None
        The samples of the filter, whatever their outcome.
    place : int
        Place of the sample looked at in `rows`.
    """

    predictions: object
    rows: np.ndarray
    found: Mistakes | None
    any_outcome: Mistakes | None
    place: int

    def go(self, place):
        """Look at another sample of the selection."""
        state.change(sample=self.predictions.sample_id(int(self.rows[place])))


def select(model, choice):
    """The selection that the view asks for."""
    predictions, taxonomy = model.predictions, model.taxonomy
    selected = any_outcome = None
    if model.why_no_mistakes() is None:
        view = state.view()
        under = taxonomy.node(view.under) if view.under else None
        any_outcome = mistakes(model, **choice, under=under, order=view.order)
        selected = any_outcome.take(any_outcome.outcome == view.outcome) if view.outcome else any_outcome
    rows = np.arange(predictions.n_samples) if selected is None else selected.row
    row = predictions.row(state.view().sample) if state.view().sample else None
    hit = np.flatnonzero(rows == (-1 if row is None else row))
    return Selection(predictions, rows, selected, any_outcome, int(hit[0]) if len(hit) else 0)


def filters(selection, taxonomy):
    """Controls of the selection: outcome, subtree and order."""
    if selection.found is None:
        return
    counts = outcome_counts(selection.any_outcome)
    labels = {"": f"all {len(selection.any_outcome):,}"} | {
        key: f"{OUTCOMES[key].split()[-1]} {counts[key]:,}" for key in OUTCOMES
    }
    st.segmented_control(
        "Show",
        list(labels),
        format_func=labels.get,
        required=True,
        help="Coarse: correct, but less specific than the truth.",
        **state.bound("outcome"),
    )
    inner = [taxonomy.names[node] for node in np.flatnonzero(~taxonomy.is_leaf)[1:]]
    with st.container(horizontal=True):
        st.selectbox(
            "Truth in subtree",
            ["", *inner],
            format_func=lambda name: taxonomy.title(taxonomy.node(name)) if name else "all",
            **state.bound("under", width=155),
        )
        has_scores = selection.predictions.has_scores
        orders = [key for key in ORDERS if has_scores or key == "file" or not SEVERITIES[key].needs_scores]
        order = state.view().order if state.view().order in orders else orders[0]
        st.selectbox("Sort by", orders, format_func=ORDERS.get, **state.bound("order", value=order, width=155))


def sample_list(selection, taxonomy, key):
    """One page of the selection as a list to click in."""
    rows, place = selection.rows, selection.place
    start = place // ON_A_PAGE * ON_A_PAGE
    end = min(start + ON_A_PAGE, len(rows))
    st.markdown(f"**Samples** {start + 1:,} to {end:,} of {len(rows):,}")
    key = f"list-{key}-{start}-{place}"

    def picked():
        clicked = state.session[key].selection
        cells = [row for row, _ in clicked.cells]
        # A click on a cell leaves the tick of the row shown before in place.
        chosen = cells or [row for row in clicked.rows if row != place - start]
        if chosen:
            selection.go(start + chosen[0])

    st.dataframe(
        _table(selection, taxonomy, slice(start, end)),
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=(end - start + 1) * ROW_HEIGHT,
        column_config={
            " ": st.column_config.ImageColumn(" ", width=52),
            "truth": st.column_config.TextColumn(width=98),
            "answer": st.column_config.TextColumn(width=108),
            "lost": st.column_config.NumberColumn(
                width=60, format="%.3f", help="Win lost: 1 minus the hierarchical win."
            ),
            "distance": st.column_config.NumberColumn(
                width=65, format="%.2f", help="Distance between answer and truth in bits."
            ),
        },
        on_select=picked,
        selection_mode=["single-row", "single-cell"],
        selection_default={"selection": {"rows": [place - start]}},
        key=key,
    )
    with st.container(horizontal=True):
        before, after = max(start - ON_A_PAGE, 0), min(start + ON_A_PAGE, len(rows) - 1)
        st.button(f"Previous {ON_A_PAGE}", on_click=selection.go, args=(before,), disabled=start == 0)
        st.button(f"Next {ON_A_PAGE}", on_click=selection.go, args=(after,), disabled=end == len(rows))
    signs = "✓ exact, ≈ correct but coarse, × wrong. " if selection.found is not None else ""
    st.caption(f"{signs}Click a row to open it.")


def _table(selection, taxonomy, part):
    predictions, rows = selection.predictions, selection.rows[part].tolist()
    table = {}
    if predictions.media is not None:
        table[" "] = [picture_url(predictions.picture(row, most=64)) for row in rows]
    elif selection.found is None or "text" not in predictions.attributes:
        table["sample"] = [predictions.sample_id(row) for row in rows]
    if selection.found is not None:
        shown_mistakes = selection.found.take(part)
        table["truth"] = [taxonomy.title(node) for node in shown_mistakes.truth.tolist()]
        answers = zip(shown_mistakes.outcome, shown_mistakes.predicted.tolist())
        table["answer"] = [f"{SIGNS[kind]} {taxonomy.title(node)}" for kind, node in answers]
        by_bits = state.view().order == "info_dist" or not predictions.has_scores
        table["distance" if by_bits else "lost"] = (
            shown_mistakes.info_dist if by_bits else shown_mistakes.win_lost
        ).round(3)
    if "text" in predictions.attributes:
        table["text"] = [predictions.text(row)[:60] for row in rows]
    return pd.DataFrame(table)
