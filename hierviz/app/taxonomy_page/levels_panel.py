"""The levels of the subtree: classes, truths and answers of each depth, and how many classes a sample has."""

import pandas as pd
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._node_table import NODE_COLUMNS


def draw(choice):
    """Bars of the levels, their table, and labels per sample."""
    levels = choice.levels
    st.markdown(
        "Of each depth (edges from the root): its classes, the truths that are classes of this depth, and the answers that stop "
        "there."
    )
    figure(charts.level_bars(levels, width=min(state.session.px, 900)), name="taxonomy-levels")
    cost = NODE_COLUMNS[levels.cost_key].label.lower()
    table = levels.to_frame()
    st.dataframe(
        table[table["n_nodes"] > 0],
        hide_index=True,
        column_config={
            "depth": "Depth",
            "n_nodes": st.column_config.NumberColumn("Classes", format="localized"),
            "n_leaves": st.column_config.NumberColumn("Leaves", format="localized"),
            "n_supported": st.column_config.NumberColumn(
                "With samples", format="localized", help="Classes with a truth at or below them."
            ),
            "support": st.column_config.NumberColumn(
                "Support", format="localized", help="Samples with a truth at this depth or deeper."
            ),
            "truths": st.column_config.NumberColumn("Truths here", format="localized"),
            "answers": st.column_config.NumberColumn("Answers here", format="localized"),
            "worst": st.column_config.TextColumn(
                f"Most {cost}", help=f"The class of this depth with the most {cost} samples."
            ),
            levels.cost_key: st.column_config.NumberColumn(cost.capitalize(), format="localized"),
        },
    )
    st.markdown("**Classes per sample**, as they are listed, of the whole taxonomy:")
    per = choice.per_sample
    most = max(len(per.truths_per_sample), len(per.answers_per_sample))
    per_sample = pd.DataFrame(
        {
            "classes": range(most),
            "truths": [*per.truths_per_sample.tolist(), *[0] * (most - len(per.truths_per_sample))],
            "answers": [*per.answers_per_sample.tolist(), *[0] * (most - len(per.answers_per_sample))],
        }
    )
    per_sample = per_sample[(per_sample["truths"] > 0) | (per_sample["answers"] > 0)]
    full = int(per_sample[["truths", "answers"]].max().max())
    st.dataframe(
        per_sample,
        hide_index=True,
        width=460,
        column_config={
            "classes": "Classes",
            "truths": st.column_config.ProgressColumn(
                "Samples with so many true classes", format="localized", max_value=full
            ),
            "answers": st.column_config.ProgressColumn("with so many answers", format="localized", max_value=full),
        },
    )
