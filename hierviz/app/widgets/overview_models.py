"""The models of the Overview in three plain columns; all other numbers are on demand."""

import streamlit as st

from hierviz.app.widgets import numbers, overview_table
from hierviz.app.widgets.metric_table import BOUNDS, MARKS, Row, cell_text, ranked
from hierviz.metrics import METRICS

# Key, and what it says without a term that has to be looked up.
OF_CURVES = {
    "argmax_leaf_accuracy": "most probable leaf class is the truth",
    "recall_at_95_correct": "how specific answers are at most when 95 % of them are correct, from 0 to 1",
    "ac": "correctness and specificity over all thresholds, from 0 to 1",
}
OF_SETS = {
    "micro_f1": "F1 of all classes of all samples together",
    "hf1_samples": "mean F1 of a sample's classes with their ancestors",
    "mcc": "correlation of answers and truth over all classes, from −1 to 1",
}


def draw(data):
    """Three columns, the best marked, and the rest in an expander that is filled when it is opened."""
    entries = overview_table.summaries(data)
    if entries is None:
        return
    shown = OF_CURVES if any(entry["curve"] for entry in entries.values()) else OF_SETS
    values = {
        name: {key: value for block in entry.values() if isinstance(block, dict) for key, value in block.items()}
        for name, entry in entries.items()
    }
    keys = [key for key in shown if any(isinstance(of.get(key), float | int) for of in values.values())]
    if keys:
        bounds = {name: _bounds(entry, keys) for name, entry in entries.items()}
        unranked = [
            key for key in keys if any(key in of for of in bounds.values()) or (len(entries) > 1 and key == "mcc")
        ]
        rows = ranked(
            [
                Row({"model": name}, {key: of.get(key) for key in keys}, bounds=bounds[name])
                for name, of in values.items()
            ],
            keys,
            unranked,
        )
        lines = [["Model", *(METRICS[key].label for key in keys)], ["---", *("---:" for _ in keys)]]
        for row in rows:
            cells = [cell_text(row, key) for key in keys]
            best = ["best" in row.marks.get(key, ()) for key in keys]
            lines.append([numbers.escape(row.lead["model"]), *(f"**{c}**" if b else c for c, b in zip(cells, best))])
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
        said = "; ".join(f"**{METRICS[key].label}**: {shown[key]}" for key in keys)
        if any(bounds.values()):
            st.markdown(BOUNDS)
        st.caption(f"{said}. {MARKS if len(rows) > 1 and len(unranked) < len(keys) else ''}")
    every = st.expander("All metrics", key="all-metrics", on_change="rerun")
    if every.open:
        with every:
            overview_table.draw(data)


def _bounds(entry, keys):
    """(low, high) by key of a model whose scores are partly unknown."""
    found = {key: pair for block in entry.get("bounds", {}).values() for key, pair in (block or {}).items()}
    return {key: found[key] for key in keys if key in found}
