"""A lesson on the opened data: the same numbers of the reader's own models."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import overview_table
from hierviz.app.widgets.numbers import shown
from hierviz.lessons.catalogue import LESSON_MODULES
from hierviz.metrics.registry import METRICS


def on_data(lesson):
    """Numbers of all open models, once they are asked for."""
    data = state.data()
    if lesson.on_data is None or data is None:
        return
    st.subheader("On the opened data", anchor=False)
    st.markdown(f"*{escape(data.title)}*: {escape(lesson.on_data.text)}")
    memory = state.memory("lessons")
    if not memory.get(f"data-{lesson.key}"):
        st.button(
            "Show the numbers",
            icon=":material/table_chart:",
            key=f"on-data-{list(LESSON_MODULES).index(lesson.key)}",
            on_click=memory.__setitem__,
            args=(f"data-{lesson.key}", True),
        )
        return
    found = overview_table.summaries(data)
    if found is None:
        return
    keys = [key.split(".") for key in lesson.on_data.keys]
    heads = ["model", *(METRICS[key].label for _, key in keys)]
    lines = [heads, ["---"] * len(heads)]
    for name, summary in found.items():
        values = [(summary.get(block) or {}).get(key) for block, key in keys]
        lines.append([escape(name), *(shown(key, value) for (_, key), value in zip(keys, values))])
    st.markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))
    if any((found[name].get(block) or {}).get(key) is None for name in found for block, key in keys):
        st.caption("A dash: the number is not defined for these data.")
