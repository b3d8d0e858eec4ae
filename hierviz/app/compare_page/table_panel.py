"""The table that a paper would print, with its intervals, ranks, constants, warnings and downloads."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page.compared import WITHOUT_THRESHOLD
from hierviz.app.compare_page.shown_table import WITH_NUMBER, downloads, draw_table, legend
from hierviz.app.state import server_memory
from hierviz.app.state.escape import escape
from hierviz.app.widgets.controls import pick, pick_several
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.progress import meanwhile, worked_out
from hierviz.comparison.columns import columns_of
from hierviz.comparison.table import compare
from hierviz.metrics.registry import METRICS

TITLES = {
    "": "short selection",
    "wu": "Wu, Tygert & LeCun 2019",
    "riehl": "Riehl et al. 2023",
    "plaud": "Plaud et al. 2024",
    "valmadre": "Valmadre 2022",
    "kiritchenko": "Kiritchenko et al. 2006",
    "bertinetto": "Bertinetto et al. 2020",
    "all": "all numbers",
}
# Samples of all models together whose intervals are computed unasked, and about how many of them a second.
AT_ONCE, A_SECOND = 20_000, 2_000
# Samples of all models together up to which a table is made before it is asked for.
MOST_AHEAD = 1_000_000
# Methods whose warnings are shown unfolded below the table.
MOST_WARNED = 3


def draw(compared, row):
    """Which columns, in the row of the page; the table, what its signs mean, and the same for a paper.

    While another table is computed, the former one stays; before the first one its numbers come without intervals.
    """
    with row:
        preset, metrics, shown = _asked(compared)
    bar, place = st.container(), st.empty()
    former = former_table(compared)
    if former is not None and state.known("comparison table", table_key(compared, preset, metrics)) is None:
        with place.container():
            st.caption(f":material/history: Previous table: {_setting(former)}.")
            with main_place(name="-before"):
                draw_table(former, shown, "compare-table-before")
    with bar, meanwhile(lambda: _numbers_first(compared, preset, metrics)) if former is None else nullcontext():
        found = worked_out_table(compared, preset, metrics)
    if found is None:
        return
    with place.container():
        _draw(compared, found, shown)


def _numbers_first(compared, preset, metrics):
    """The numbers of a table whose intervals are being computed; without any, those that need not read the scores again."""
    key = table_key(compared, preset, metrics)
    if key[-1]:
        key, said = (*key[:-1], False), "Intervals and marks are"
    else:
        columns = columns_of(compared.data.taxonomy, preset or None, metrics)
        metrics = tuple(column.key for column in columns if METRICS[column.metric].block in WITHOUT_THRESHOLD)
        if not metrics:
            return
        key, preset, said = (*key, metrics), "", f"{len(columns) - len(metrics)} more columns are"
    found = state.computed("comparison table", key, lambda: _compared(compared, preset, metrics)(resamples=0))
    st.caption(f":material/hourglass_top: {said} being computed.")
    with main_place(name="-first"):
        draw_table(found, "none", "compare-table-first")


def _warnings(found):
    """Warnings, one paragraph a method; folded where there are many methods, so that they do not bury the table's legend."""
    named = {name: warnings for name, warnings in found.warnings.items() if warnings}
    if not named:
        return
    place = (
        st.expander(f"Warnings about {len(named)} of {len(found.methods)} methods", icon=":material/warning:")
        if len(named) > MOST_WARNED
        else st.container()
    )
    for name, warnings in named.items():
        place.warning(f"**{escape(name)}**: {escape(' '.join(warnings))}", icon=":material/warning:")


def _setting(found):
    """The rule and the threshold that a table was made with."""
    thresholds = ", ".join(f"{threshold:g}" for threshold in dict.fromkeys(found.thresholds))
    return f"rule {escape(found.choice['rule'].replace('_', ' '))}, τ = {thresholds}"


def _draw(compared, found, shown):
    if found.resamples is None:
        asked, choice = asked_intervals(compared)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Intervals not computed (large data).")
            st.button(
                f"Compute intervals (up to {max(n_resampled(compared) / A_SECOND / 60, 1):,.0f} min)",
                on_click=lambda: asked.update({choice: True}),
            )
    # Hidden columns are left out of downloads too.
    hidden = state.memory("compare table").get("hidden", [])
    columns = [column for column in found.columns if column.key not in hidden]
    found = replace(found, columns=columns) if len(columns) < len(found.columns) and columns else found
    with main_place():
        draw_table(found, shown)
    legend(found)
    _warnings(found)
    downloads(found)
    compared.caution(*(column.metric for column in found.columns))


def _asked(compared):
    """Which columns the table has, and what is shown with each number: (preset, metrics, key of `WITH_NUMBER`)."""
    memory = "compare table"
    store = state.memory(memory)
    n = len(store.get("hidden", []))
    with st.popover(f"Columns ({n} hidden)" if n else "Columns", icon=":material/view_column:"):
        preset = preset_control(in_popover=True)
        every = _labels(compared, "all", None)
        metrics = pick_several("More columns", every, (memory, "metrics"), width=340, placeholder="Choose numbers")
        words = {key: label for key, (label, _) in WITH_NUMBER.items()}
        shown = pick("With each number", words, (memory, "shown"), width=250)
        labels = _labels(compared, preset or None, metrics)
        store["hidden"] = [key for key in store.get("hidden", []) if key in labels]
        pick_several("Hidden, on the page and in downloads", labels, (memory, "hidden"))
    return preset, tuple(metrics), shown


def _labels(compared, preset, metrics):
    """Label and key of each column of a table by its key."""
    columns = columns_of(compared.data.taxonomy, preset, metrics)
    return {column.key: f"{column.label} ({column.key})" for column in columns}


def n_resampled(compared):
    """Samples of all runs of all methods together."""
    return sum(run.n_judged for method in compared.keys for run in compared.runs(method))


def asked_intervals(compared):
    """The memory of the choices whose intervals are wanted, and this choice."""
    return state.memory("compare intervals"), str([compared.where(model) for model in compared.keys])


def table_key(compared, preset, metrics):
    """What the table depends on: filters do not apply."""
    asked, choice = asked_intervals(compared)
    has_intervals = n_resampled(compared) <= AT_ONCE or choice in asked
    return (*(compared.where(model)[:3] for model in compared.keys), preset, metrics, has_intervals)


def former_table(compared):
    """The table of these models that was shown last, whatever its columns, rule and threshold; None without one."""
    before = state.memory("compare table").get("last")
    if before is None or [of[:2] for of in before[:-3]] != [compared.where(model)[:2] for model in compared.keys]:
        return None
    return state.known("comparison table", before)


def worked_out_table(compared, preset, metrics=()):
    """The ComparisonTable of the models, computed once; None where the visitor cancelled it.

    It has intervals where these are quick, or wanted.
    """
    key = table_key(compared, preset, metrics)
    found = worked_out("comparison table", key, "Table", _making(compared, preset, metrics))
    if found is not None:
        state.memory("compare table")["last"] = key
    return found


def ahead(compared):
    """Begin with the table that the page opens with, where it has no intervals and takes seconds."""
    key = table_key(compared, state.view().preset, ())
    if not key[-1] and n_resampled(compared) <= MOST_AHEAD:
        server_memory.ahead("comparison table", key, _making(compared, state.view().preset, ()))


def _making(compared, preset, metrics):
    """What makes the table, given a `state.Stages`, in a thread without a session too."""
    has_intervals, made = table_key(compared, preset, metrics)[-1], _compared(compared, preset, metrics)
    how = {"former": former_table(compared), **({} if has_intervals else {"resamples": 0})}

    def make(stages):
        found = made(stage=stages, **how)
        assert found.marks is not None  # they take a moment: computed while the progress is shown
        return found

    return make


def _compared(compared, preset, metrics):
    """`hierviz.compare` of the models; more keywords are for whoever calls it."""
    runs = [
        (run, compared.choice_of(model).get("threshold", 0.5))
        for model in compared.keys
        for run in compared.runs(model)
    ]
    others = {name: value for name, value in compared.choice.items() if name not in ("rule", "threshold")}
    thresholds = [threshold for _, threshold in runs]
    models = [run for run, _ in runs]
    return partial(
        compare, models, preset or None, metrics, rule=compared.choice["rule"], threshold=thresholds, **others
    )


def preset_control(width=260, **widget):
    """Which columns: a key of `TITLES`."""
    words = {key: title if key in ("", "all") else f"as in {title}" for key, title in TITLES.items()}
    return pick("Columns", words, "preset", width=width, **widget)
