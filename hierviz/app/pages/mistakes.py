"""What goes wrong, where and how badly: ranked mistakes, confusions, the collapsible matrix, slices, doubtful truths, review."""

import streamlit as st

from hierviz.app.mistakes_page import confusion_panel, matrix_panel, ranked_list, review_panel, slices_panel
from hierviz.app.mistakes_page.asked import Asked
from hierviz.app.widgets import controls, filters, frame, shell
from hierviz.reports.view_pages import PARTS

DRAW = {
    "list": ranked_list.draw,
    "confusions": confusion_panel.draw,
    "matrix": matrix_panel.draw,
    "slices": slices_panel.draw,
    "labels": ranked_list.draw_labels,
    "review": review_panel.draw,
}

data = shell.open_data()
with frame.title_row("Mistakes") as row:
    part = controls.part_control(PARTS, "part")
    key, choice = controls.answer_controls(data)
    filters.more(data.models[key], data.digest)
if not data.models[key].n_judged:
    shell.stop("No sample has a known truth, so there are no mistakes to show.")
filters.chips(data.taxonomy, but=("outcome",))
asked = Asked(data, key, choice, row)
if asked.answers is None:
    shell.stop(*shell.NO_MATCH)
left = f" · filtered: {asked.answers.n_judged:,}" if asked.answers is not asked.whole else ""
with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    st.caption(controls.setting(data, key, choice) + left, width="content")
    if part == "matrix":
        with asked.row_on_phone:
            matrix_panel.drawing_control(asked)
DRAW[part](asked)
