"""The hierarchical confusion of all samples as two by two numbers, with the best constant answers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import frame, numbers, table
from hierviz.app.widgets.figure import below, written_out
from hierviz.app.widgets.figure import draw as draw_chart
from hierviz.diagnosis.constant_answers import against_constants, best_constants
from hierviz.metrics.registry import METRICS

KEYS = ("acc", "ppv", "tpr", "f1", "fnr", "fpr", "tnr", "pt", "mcc")
COUNTS = ("tp", "fp", "fn", "tn")


def draw(asked):
    """Alarms and the main numbers in a line; below it, on demand, counts and measures with those of constant answers."""
    # Constant answers are the same for every rule and threshold.
    constants = state.computed(
        "constants", (asked.data.digest, asked.key, asked.wanted), lambda: best_constants(asked.answers)
    )
    found = asked.computed("against constants", lambda: against_constants(asked.answers, constants=constants))
    # Among the samples of one class a constant answer is always right.
    for alarm in found.alarms if asked.answers is asked.whole else ():
        st.warning(escape(alarm), icon=":material/warning:")
    measures = {key: numbers.shown(key, found.confusion.measures[key]) for key in ("ppv", "tpr", "mcc")}
    label = (
        f"Hierarchical confusion of all samples: precision {measures['ppv']}, recall {measures['tpr']}, Matthews correlation "
        f"{measures['mcc']}"
    )
    if "mcc" in found.constants:
        _, best = found.constants["mcc"]
        label += f" (best constant answer {numbers.shown('mcc', best.measures['mcc'])})"
    with st.expander(label, key="dataset-confusion"):
        _all_measures(asked, found)


def _all_measures(asked, found):
    """The two by two counts, and all measures with those of constant answers."""
    left, right = frame.side_by_side(1, 1)
    with left:
        width = min(520, state.main_width() if state.is_narrow() else state.main_width() // 2)
        dark = state.is_dark()

        def drawn():
            figure = charts.confusion_matrix(asked.taxonomy, found.confusion, width=width)
            return figure, written_out(figure)

        figure, chart = asked.computed("two by two", drawn, width, dark)
        draw_chart(chart, key="two-by-two", alt=figure.sentence)
        below(figure, name="two-by-two")
    with right:
        rows = {"model": found.confusion.measures}
        rows |= {
            f"always {asked.taxonomy.title(node)}": constant.measures for node, constant in found.constants.values()
        }
        values = {name: [numbers.shown(key, measures[key]) for key in KEYS] for name, measures in rows.items()}
        labels = [METRICS[key].label for key in KEYS]
        table.draw(pd.DataFrame({"measure": labels, **values}), key="measures", most=400)
        said = " and by ".join(
            f"{METRICS[key].label} that is always *{escape(asked.taxonomy.title(node))}*"
            for key, (node, _) in found.constants.items()
        )
        st.markdown(
            "Counts are nodes of true and predicted paths, summed over all samples. A model without skill is not above the best "
            f"constant answer: by {said}."
        )
        with st.popover("Definitions", type="tertiary"):
            for key in (*COUNTS, *KEYS):
                numbers.definition(key)
