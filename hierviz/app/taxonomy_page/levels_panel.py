"""The levels of the subtree: classes, truths and answers of each depth, and how many classes a sample has."""

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.widgets import table
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._node_table import NODE_COLUMNS


def draw(choice):
    """Bars of the levels, their table, and labels per sample."""
    levels = choice.levels
    st.markdown(
        "For each depth (edges from the root): its classes, the truths that are classes of this depth, and the answers that "
        "stop there."
    )
    figure(charts.level_bars(levels, width=min(state.session.px, 900)), name="taxonomy-levels")
    cost, frame = NODE_COLUMNS[levels.cost_key].label.lower(), levels.to_frame()
    columns = {
        "depth": "Depth",
        "n_nodes": table.count("Classes"),
        "n_leaves": table.count("Leaves"),
        "n_supported": table.count("With samples", "Classes with a truth at or below them."),
        "support": table.count("Support", "Samples with a truth at this depth or deeper."),
        "truths": table.count("Truths here"),
        "answers": table.count("Answers here"),
        "worst": table.words(f"Most {cost}", help=f"The class of this depth with the most {cost} samples."),
        levels.cost_key: table.count(cost.capitalize()),
    }
    table.draw(frame[frame["n_nodes"] > 0], columns, key="levels")
    st.markdown("**Classes per sample**, as listed, in the whole taxonomy:")
    per = choice.per_sample
    counts = {"truths": pd.Series(per.truths_per_sample), "answers": pd.Series(per.answers_per_sample)}
    per_sample = pd.DataFrame(counts).fillna(0).astype(int).rename_axis("classes").reset_index()
    per_sample = per_sample[(per_sample["truths"] > 0) | (per_sample["answers"] > 0)]
    full = int(per_sample[["truths", "answers"]].max().max())
    columns = {
        "classes": "Classes",
        "truths": table.bar("Samples with this many true classes", full),
        "answers": table.bar("with this many answers", full),
    }
    table.draw(per_sample, columns, key="per-sample", width=460)
