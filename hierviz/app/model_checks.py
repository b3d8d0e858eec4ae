"""What the truth of some samples says about a model: is the order of its classes right, are its pictures prepared right?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from hierviz.app.form_words import sentence
from hierviz.app.numbers import escape
from hierviz.errors import HiervizError
from hierviz.onnx.class_order import check_class_order
from hierviz.onnx.input_check import MOST_ROWS, check_inputs
from hierviz.taxonomy import NodeLists

MOST_SHOWN = 6


@dataclass(frozen=True)
class Checks:
    """Tables and warnings of `check_class_order` and `check_inputs`."""

    orders: list
    ways: list
    warnings: tuple
    names_known: bool


def check(model, samples):
    """Run both checks on at most `MOST_ROWS` samples with known truth."""
    samples.inputs.checked(model.inputs)
    rows = slice(0, min(MOST_ROWS, len(samples)))
    truth = samples.truth.take(range(rows.stop)) if isinstance(samples.truth, NodeLists) else samples.truth[rows]
    scores = model.run_blocks(lambda: samples.inputs.blocks(model.inputs, rows, 64), rows.stop)
    taxonomy, nodes, key, warnings = model.taxonomy, None, None, []
    if model.outputs:
        read = model.read_scores(scores)
        scores, nodes, key = read.scores, read.nodes, read.parametrisation
        warnings += read.notes
    orders, warning = check_class_order(scores, taxonomy, nodes, truth, parametrisation=key)
    warnings += [warning] if warning else []
    ways = []
    if model.outputs:
        ways, warning = check_inputs(model, samples.inputs, samples.truth)
        warnings += [warning] if warning else []
    return Checks(orders, ways, tuple(warnings), nodes is not None)


def attempt(model, samples):
    """As `check`, or the error as text."""
    try:
        return check(model, samples)
    except HiervizError as error:
        return str(error)


def show(checks):
    """Tables and warnings on the page."""
    if isinstance(checks, str):
        st.markdown(f":material/info: {escape(sentence(checks))}")
        return
    for one in checks.warnings:
        st.warning(escape(sentence(one)), icon=":material/warning:")
    left, right = st.columns(2, gap="large")
    with left:
        title = "Order of the classes" if checks.names_known else "Which order of the classes would fit?"
        _table(title, checks.orders, "order", "is_chosen", "order of the columns")
    with right:
        _table("Preparation of the pictures", checks.ways, "variant", "is_declared", "how they are prepared")


def _table(title, rows, words, chosen, header):
    if not rows:
        return
    st.markdown(f"**{title}**")
    shown = rows[:MOST_SHOWN] + [row for row in rows[MOST_SHOWN:] if row[chosen]]
    frame = pd.DataFrame(
        {
            "used": ["✓" if row[chosen] else "" for row in shown],
            "right": [row["accuracy"] for row in shown],
            header: [row[words] for row in shown],
        }
    )
    right = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1, width=110)
    st.dataframe(
        frame,
        hide_index=True,
        key=f"checks-{words}",
        column_config={"right": right, "used": st.column_config.TextColumn(width=50)},
    )
    st.caption(f"Most probable final class right, of {rows[0]['n']} samples with known truth.")
