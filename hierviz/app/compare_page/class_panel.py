"""Precision, recall and F of every class, and their averages over classes."""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import shell
from hierviz.app.widgets.controls import width_for
from hierviz.diagnosis._class_table import READINGS, class_table, hierarchical_f
from hierviz.messages.number_text import value_text
from hierviz.uncertainty.repeats import OverRuns

COLUMNS = {
    "precision": "Of the answers that are this class, the share that is right.",
    "recall": "Of the samples that are this class, the share that is answered.",
    "f": "F with the weight β of recall.",
}

NAMES = {"precision": "precision", "recall": "recall", "f": "F"}


def draw(compared):
    """Which model, which reading and which β; the averages in a sentence, and the table."""
    memory = state.memory("compare classes")
    with st.container(horizontal=True, vertical_alignment="top"):
        key = compared.keys[0]
        if len(compared.keys) > 1:
            chosen = memory.get("model", key)
            key = st.selectbox(
                "Model",
                compared.keys,
                format_func=compared.name,
                width=width_for([compared.name(key) for key in compared.keys]),
                **state.kept("compare classes", "model", chosen if chosen in compared.keys else key),
            )
        reading = st.segmented_control(
            "A class counts where",
            list(READINGS),
            format_func={"exact": "it is the class itself", "inclusive": "it is the class or one below"}.get,
            required=True,
            **state.kept("compare classes", "reading", "exact"),
        )
        beta = st.number_input(
            "β",
            0.1,
            10.0,
            step=0.5,
            width=110,
            help="How much more recall counts than precision.",
            **state.kept("compare classes", "beta", 1.0),
        )
    answers = compared.answers_of_runs(key)
    has_runs = len(answers) > 1
    found = compared.computed("class table", key, lambda: class_table(answers, beta=beta), beta)
    hf = compared.computed("hierarchical f", key, lambda: hierarchical_f(answers, beta=beta), beta)
    scores = getattr(found, reading)
    if has_runs:
        st.caption(_runs_words(found))
    for words in _averages(scores.averages(), has_runs):
        st.markdown(words)
    st.markdown(
        f"Hierarchical F with β = {beta:g}, ancestors added: micro {_number(hf['micro'])}, mean over samples "
        f"{_number(hf['samples'])}."
    )
    table = found.to_frame().loc[scores.is_class[1:]]
    suffix = "" if reading == "exact" else "_inclusive"
    shown = table[
        ["class", "depth", f"support{suffix}", f"answered{suffix}"]
        + [f"{column}{suffix}{part}" for column in COLUMNS for part in (("", "_sd") if has_runs else ("",))]
        + ([f"precision{suffix}_runs"] if has_runs else [])
        + ["confused_with", "confused_count"]
    ].sort_values(f"support{suffix}", ascending=False, kind="stable")
    number = {
        f"{column}{suffix}": st.column_config.NumberColumn(
            "F" if column == "f" else column.capitalize(), format="%.3f", help=words
        )
        for column, words in COLUMNS.items()
    }
    number |= {
        f"{column}{suffix}_sd": st.column_config.NumberColumn(
            "±", format="%.3f", width=62, help=f"Standard deviation of {NAMES[column]} between runs."
        )
        for column in COLUMNS
    }
    number[f"precision{suffix}_runs"] = st.column_config.NumberColumn(
        "Runs",
        help="Runs that have a precision: in the others the class is never answered. Its mean and ± are of these.",
    )
    event = st.dataframe(
        shown,
        hide_index=True,
        height=min(35 * (len(shown) + 1) + 3, 458),
        column_config={
            "class": st.column_config.TextColumn("Class", width=110 if state.is_narrow() else "medium"),
            "depth": "Depth",
            f"support{suffix}": st.column_config.NumberColumn("Samples", format="localized"),
            f"answered{suffix}": st.column_config.NumberColumn(
                "Answers", **({"format": "%.1f", "help": "Mean over runs."} if has_runs else {"format": "localized"})
            ),
            "confused_with": st.column_config.TextColumn(
                "Most often taken for", help="The most frequent wrong answer to samples of exactly this class."
            ),
            "confused_count": st.column_config.NumberColumn(
                "Times", format="localized", help="In all runs together." if has_runs else None
            ),
            **number,
        },
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],
        placeholder="–",
        key=f"classes-{key}-{reading}",
    )
    st.download_button(
        "All classes (CSV)",
        lambda: charts.to_csv(found.to_frame()),
        "classes.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="get-classes",
    )
    picked = [row for row, _ in event.selection.cells] or event.selection.rows
    picked = [row for row in picked if row < len(shown)]
    if picked:
        name = str(shown["class"].iloc[picked[0]])
        st.page_link(
            shell.page("example"),
            label=f"Samples of {escape(name)} in Examples",
            icon=":material/account_tree:",
            query_params=state.link(
                sample="", outcome="", model=key, **({"truth": name} if reading == "exact" else {"under": name})
            ),
        )
    else:
        st.caption("Click a row to go to its samples; click a column's head to sort.")


def _runs_words(found):
    """What the numbers of a method with several runs are."""
    words = f"Mean over {found.n_runs} runs, each with ± the standard deviation between them; wrong answers of all runs together."
    if found.n_left_out:
        n = f"{found.n_left_out:,}"
        words += f" Filters by answers leave other samples in each run: {n} that are not in every run are left out."
    return words


def _number(value):
    """A number, or its mean over runs with ± the standard deviation between them."""
    if not isinstance(value, OverRuns):
        return value_text(value)
    return f"{value_text(float(value.mean))} ± {value_text(float(value.sd))}"


def _averages(averages, has_runs=False):
    """The macro averages in sentences; one where both are over the same classes."""
    is_same = averages["all"]["n_classes"] == averages["support"]["n_classes"]
    never = "never answered in some run, where their precision counts as 0"
    never = never if has_runs else "never answered, and their precision counts as 0"
    for name, average in averages.items():
        if average["f"] is None or (is_same and name == "support"):
            continue
        n = f"{average['n_classes']:,}"
        which = f"the {n} classes with samples" if name == "support" else f"all {n} classes, one without a sample as 0"
        which = f"all {n} classes, each of which has samples" if is_same else which
        n_undefined = average["n_undefined"]
        undefined = f"; {n_undefined:,} were {never}" if n_undefined else ""
        yield (
            f"Macro average over {which}: precision **{_number(average['precision'])}**, recall "
            f"**{_number(average['recall'])}**, F **{_number(average['f'])}**{undefined}."
        )
