"""Precision, recall and F of every class, and their averages over classes."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import behind_a_press, pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.frame import chart_and_controls
from hierviz.app.widgets.links import link_to_sample
from hierviz.diagnosis._class_table import READINGS, class_table, hierarchical_f
from hierviz.messages.number_text import value_text
from hierviz.uncertainty.repeats import OverRuns

HELP = {
    "precision": "Of the answers that are this class, the share that is right.",
    "recall": "Of the samples that are this class, the share that is answered.",
    "f": "F with the weight β of recall.",
}
NAMES = {"precision": "precision", "recall": "recall", "f": "F"}
COUNTED = dict(zip(READINGS, ("it is the class itself", "it is the class or one below"), strict=True))


def draw(compared, _row):
    """The table, and next to it which model, which reading and which β, with the averages in sentences."""
    main, side, _ = chart_and_controls()
    with side, behind_a_press("Numbers", "tune"), st.container(horizontal=True):
        key = compared.model_control("compare classes")
        reading = pick("A class counts where", COUNTED, ("compare classes", "reading"), "exact", width=260)
        kept = state.kept("compare classes", "beta", 1.0, width=90)
        beta = st.number_input("β", 0.1, 10.0, step=0.5, help="How much more recall counts than precision.", **kept)
    answers = compared.answers_of_runs(key)
    has_runs = len(answers) > 1
    found = compared.computed("class table", key, lambda: class_table(answers, beta=beta), beta)
    hf = compared.computed("hierarchical f", key, lambda: hierarchical_f(answers, beta=beta), beta)
    scores = getattr(found, reading)
    suffix = "" if reading == "exact" else "_inclusive"
    shown = found.to_frame().loc[scores.is_class[1:]].sort_values(f"support{suffix}", ascending=False, kind="stable")
    with main:
        with main_place():
            chosen = table.draw(
                shown,
                _columns(suffix, has_runs),
                key=f"classes-{key}-{reading}",
                select="one",
                most=640,
                placeholder="–",
            )
        table.download("All classes (CSV)", found.to_frame, "classes.csv", "get-classes")
        if chosen.place is not None:
            name = str(shown["class"].iloc[chosen.place])
            fields = {"truth": name} if reading == "exact" else {"under": name}
            link_to_sample(f"Samples of {escape(name)} in Examples", sample="", outcome="", model=key, **fields)
        else:
            st.caption("Click a row to open its samples; click a column's head to sort.")
    with main if state.is_narrow() else side:
        if has_runs:
            st.caption(_runs_words(found))
        for words in _averages(scores.averages(), has_runs):
            st.markdown(words)
        st.markdown(
            f"Hierarchical F with β = {beta:g}, ancestors added: micro {_number(hf['micro'])}, mean over samples "
            f"{_number(hf['samples'])}."
        )


def _columns(suffix, has_runs):
    """Columns of the table of classes; of several runs with their standard deviations."""
    columns = {
        "class": table.words("Class", width=110 if state.is_narrow() else "medium"),
        "depth": "Depth",
        f"support{suffix}": table.count("Samples"),
        f"answered{suffix}": table.number("Answers", 1, help="Mean over runs.") if has_runs else table.count("Answers"),
    }
    for name, words in HELP.items():
        columns[f"{name}{suffix}"] = table.number(NAMES[name][:1].upper() + NAMES[name][1:], help=words)
        if has_runs:
            spread = f"Standard deviation of {NAMES[name]} between runs."
            columns[f"{name}{suffix}_sd"] = table.number("±", width=62, help=spread)
    if has_runs:
        columns[f"precision{suffix}_runs"] = st.column_config.NumberColumn(
            "Runs",
            help="Runs that have a precision: in the others the class is never answered. Its mean and ± are of these.",
        )
    confused = "The most frequent wrong answer to samples of exactly this class."
    return columns | {
        "confused_with": table.words("Most often taken for", help=confused),
        "confused_count": table.count("Times", "In all runs together." if has_runs else None),
    }


def _runs_words(found):
    """What the numbers of a method with several runs are."""
    words = f"Mean over {found.n_runs} runs ± standard deviation; wrong answers are those of all runs together."
    if found.n_left_out:
        n = f"{found.n_left_out:,}"
        words += f" Filters by answers leave different samples in each run: {n} that are not in every run are left out."
    return words


def _number(value):
    """A number, or its mean over runs with ± the standard deviation between them."""
    if not isinstance(value, OverRuns):
        return value_text(value)
    return table.cell_text(float(value.mean), spread=value_text(float(value.sd)))


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
