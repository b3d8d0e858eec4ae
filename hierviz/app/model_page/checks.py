"""Checks of a model against the truth of samples: the order of its classes, and the preparation of its pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app.state.escape import escape, sentence
from hierviz.app.widgets import table
from hierviz.messages.errors import HiervizError
from hierviz.messages.parameters import Sentence
from hierviz.onnx.class_order import check_class_order, rows_to_check
from hierviz.onnx.input_check import check_inputs, most_rows
from hierviz.taxonomy.taxonomy import NodeLists

MOST_SHOWN = 6


@dataclass(frozen=True)
class Checks:
    """Tables and warnings of `check_class_order` and `check_inputs`."""

    orders: list
    ways: list
    warnings: tuple
    names_known: bool


def check(model, samples):
    """Run both checks on the same samples with known truth, so that the tables can be compared."""
    samples.inputs.checked(model.inputs)
    rows = rows_to_check(samples.truth, most_rows(model.inputs))
    if not len(rows):
        return Checks([], [], (), bool(model.outputs))
    truth = samples.truth.take(rows) if isinstance(samples.truth, NodeLists) else samples.truth[rows]
    step = samples.inputs.rows_at_once(model.inputs, 64)

    def blocks():
        for start in range(0, len(rows), step):
            parts = [
                samples.inputs.feed(model.inputs, slice(row, row + 1)) for row in rows[start : start + step].tolist()
            ]
            yield {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    scores = model.run_blocks(blocks, len(rows))
    taxonomy, nodes, key, warnings = model.taxonomy, None, None, []
    if model.outputs:
        read = model.read_scores(scores)
        scores, nodes, key, taxonomy = read.scores, read.nodes, read.parametrisation, read.taxonomy
        truth = model.known.truth(truth)
        warnings += read.notes
    orders, ways = [], []
    if model.known is None or not model.known.is_shared:
        orders, warning = check_class_order(taxonomy, truth, scores, nodes, parametrisation=key)
        warnings.append(warning)
    if model.outputs:
        ways, warning = check_inputs(model, samples.inputs, samples.truth)
        warnings.append(warning)
    return Checks(orders, ways, tuple(filter(None, warnings)), nodes is not None)


def attempt(model, samples):
    """As `check`, or the error as a Sentence."""
    try:
        return check(model, samples)
    except HiervizError as error:
        return Sentence(error.template)


def show(checks):
    """Tables and warnings on the page."""
    if isinstance(checks, str):
        st.markdown(f":material/info: {escape(sentence(checks))}")
        return
    for warning in checks.warnings:
        st.warning(f"{escape(sentence(warning).removesuffix('.'))}.", icon=":material/warning:")
    left, right = st.columns(2, gap="large")
    with left:
        title = "Order of the classes" if checks.names_known else "Accuracy by order of the classes"
        _table(title, checks.orders, "order", "is_chosen", "order of the columns")
    with right:
        _table(
            "Preprocessing of the pictures", checks.ways, "variant", "is_declared", "preprocessing", len(checks.ways)
        )


def _table(title, rows, words, chosen, header, most=MOST_SHOWN):
    if not rows:
        return
    st.markdown(f"**{title}**")
    shown = rows[:most] + [row for row in rows[most:] if row[chosen]]
    frame = pd.DataFrame(
        {
            "used": ["✓" if row[chosen] else "" for row in shown],
            "accuracy": [row["accuracy"] for row in shown],
            header: [row[words] for row in shown],
        }
    )
    columns = {"used": table.words(width=50), "accuracy": table.bar(None, 1, "percent", width=110), header: None}
    table.draw(frame, columns, key=f"checks-{words}")
    st.caption(f"Top-1 accuracy on {rows[0]['n']:,} samples with known truth.")
