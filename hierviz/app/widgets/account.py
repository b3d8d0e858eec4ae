"""What was understood of the open files, in words."""

import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.widgets.form_words import in_form_words


def account(data):
    """Taxonomy, models, truth, and every note of the readers."""
    taxonomy = data.taxonomy
    _facts(
        "Taxonomy",
        {
            "classes": f"{taxonomy.n_nodes:,} nodes, {taxonomy.n_leaves:,} leaves, up to {taxonomy.max_depth} levels below "
            f"the root {taxonomy.title(0)!r}",
            "shape": "a tree" if taxonomy.is_tree else "a DAG: some nodes have several parents",
            **taxonomy.detected,
        },
        taxonomy.notes,
    )
    for model in data.models.values():
        predictions = model.predictions
        judged = f"{model.n_judged:,} with known truth" if model.n_judged else "none with known truth"
        _facts(
            predictions.name,
            {"samples": f"{predictions.n_samples:,}, {judged}", **predictions.detected},
            predictions.notes,
        )


def _facts(title, facts, notes):
    with st.container(border=True):
        st.markdown(f"**{escape(title)}**")
        st.markdown("  \n".join(f"{escape(str(key))}: {escape(str(value))}" for key, value in facts.items()))
        for note in notes:
            st.markdown(f":material/info: {escape(in_form_words(note))}")
