"""Models side by side: a table, whether its metrics agree, where models are weak, class by class."""

import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page import (
    agreement_panel,
    class_panel,
    group_panel,
    pair_panel,
    second_panel,
    table_panel,
    temperatures,
    training_panel,
)
from hierviz.app.compare_page.compared import MOST, Compared
from hierviz.app.widgets import controls, filters, frame, shell
from hierviz.app.widgets.progress import answers_worked_out
from hierviz.reports.view_pages import COMPARISONS

DRAW = {
    "table": table_panel.draw,
    "ranks": agreement_panel.draw_ranks,
    "agreement": agreement_panel.draw,
    "groups": group_panel.draw,
    "classes": class_panel.draw,
    "second": second_panel.draw,
    "training": training_panel.draw,
}

PAIR, TRAINING = "pair", "training"
# Parts that show all samples, whatever the filters.
WHOLE = ("table", "ranks", "agreement", "second", TRAINING)


data = shell.open_data()
if not data.first.n_judged:
    st.title("Compare")
    shell.stop("Comparing needs samples with a known truth, and none has one.")


def methods_compared(keys, row, part, choice):
    """The parts about all methods that are chosen."""
    if not keys:
        shell.stop("Choose at least one method.", "checklist")
    if not state.view().models and len(keys) < len(data.methods):
        st.caption(f"Showing the first {len(keys)} of {len(data.methods)} methods, in the order of their files")
    temperatures.fit(data)
    temperatures.words(data)
    compared = Compared(data, keys, choice)
    if part not in WHOLE:
        filters.chips(data.taxonomy, but=("outcome",))
    elif compared.is_filtered:
        st.caption("Filters of other pages do not apply here: all samples with a known truth.")
    if part not in ("table", "ranks", "second", TRAINING):
        for key in keys:
            for run in data.runs_of(key):
                if not answers_worked_out(data.digest, run, data.models[run], compared.choice_of(key)):
                    shell.stop()
    if part not in WHOLE and any(compared.answers_of_runs(key) is None for key in keys):
        shell.stop(*shell.NO_MATCH)
    DRAW[part](compared, row)
    temperatures.offer(data, choice)


keys = [key for key in state.view().models if key in data.methods] or list(data.methods)[:MOST]
with frame.title_row("Compare") as row:
    n, runs = len(data.methods), {key: len(of_method) for key, of_method in data.methods.items()}
    names = {key: data.models[key].predictions.name + f" ({runs[key]} runs)" * (runs[key] > 1) for key in runs}
    parts = {key: label for key, label in COMPARISONS.items() if key != TRAINING or data.trainings}
    part = controls.part_control(parts, "comparison")
    if part != PAIR:
        if n > 1:
            label = f"{len(keys)} of {n} methods" if len(keys) < n else f"{n} methods"
            with st.popover(label, icon=":material/checklist:"):
                keys = controls.models_control("Methods", names, keys, MOST, 520, in_popover=True)
        with controls.behind_a_press("Rule", "tune"):
            choice = controls.rule_controls(data, (keys or list(data.methods))[0], in_popover=state.is_narrow())
        if part not in WHOLE:
            filters.more(data.models[(keys or list(data.methods))[0]], data.digest)
if part == PAIR:
    pair_panel.draw(data, row)
else:
    methods_compared(keys, row, part, choice)
