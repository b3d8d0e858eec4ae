"""How the table of methods is drawn: cells, marks, what its signs mean, and its downloads."""

import json

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.numbers import MARKS, TIES
from hierviz.comparison.formats import number
from hierviz.messages.number_text import fixed_text
from hierviz.metrics.registry import METRICS

CONSTANT = "Best constant"
# What is shown with each number: its label, and parts of a cell; None: intervals if all columns fit with them.
WITH_NUMBER = {
    "": ("intervals where they fit", None),
    "interval": ("intervals", ("interval",)),
    "rank": ("ranks", ("rank",)),
    "both": ("intervals and ranks", ("interval", "rank")),
    "none": ("nothing", ()),
}
# Digits after the point; downloads have more.
DECIMALS = 3
# Headings that are shorter than the label, which is in the tooltip.
SHORT = {
    "Top-1 accuracy": "Top-1",
    "Top-5 accuracy": "Top-5",
    "F1 of the leaf": "Leaf F1",
    "Hierarchical win": "Win",
    "Height of errors": "Height",
    "hF1 sample mean": "hF1 mean",
    "hP sample mean": "hP mean",
    "hR sample mean": "hR mean",
    "ihF1 sample mean": "ihF1 mean",
    "Subset accuracy": "Subset",
    "Matthews correlation": "MCC",
    "F1 (nodes)": "F1 nodes",
}


def draw_table(found, shown, key="compare-table"):
    """Methods as rows, then the best constant; numbers sort as numbers. `shown` is a key of `WITH_NUMBER`."""
    heads = _heads(found.columns)
    # In a narrow window a number must fit next to the names.
    names = [method.name if method.n_runs == 1 else f"{method.name} ({method.n_runs} runs)" for method in found.methods]
    most = 165 if state.is_narrow() else 330
    name_width = int(min(28 + 7.2 * max(map(len, [*names, CONSTANT])), most))
    room = state.session.px - name_width
    _, parts = WITH_NUMBER[shown]
    texts = _texts(found, ("interval",) if parts is None else parts)
    widths = _widths(heads, texts)
    # Widths are those of the widest cell in bold: a little more than fits into the narrowest window of this kind is fine.
    if parts is None and sum(widths.values()) > 1.08 * room:
        texts = _texts(found, ())
        widths = _widths(heads, texts)
    of_all = [*(method.value for method in found.methods), found.constants.values.get]
    numbers = {head: [value_of(key) for value_of in of_all] for key, head in heads.items()}
    data = pd.DataFrame(numbers, dtype=float)
    data.insert(0, "Model", [*names, CONSTANT])
    is_best = [
        [heads[column.key] for column in found.columns if found.marks[column.key][place] in ("best", "tied")]
        for place in range(len(found.methods))
    ]
    looks = table.bold(data, [*is_best, []])
    looks.iloc[-1] = "font-style: italic; opacity: 0.75"
    columns = {"Model": table.words("Model", width=name_width, pinned=True)}
    for column in found.columns:
        help = f"**{escape(column.label)}** ({column.key}): {METRICS[column.metric].sentence}"
        columns[heads[column.key]] = st.column_config.NumberColumn(help=help, width=widths[column.key])
    written = {head: texts[key] for key, head in heads.items()}
    table.draw(data, columns, key=key, most=640, texts=written, looks=looks, placeholder="–")
    table.say_cut((name_width, *widths.values()), len(found.columns))


def _texts(found, parts):
    """Text of every cell by key, that of the constants last."""
    values = found.constants.values
    return {
        column.key: [
            *(_cell(found, method, place, column, parts) for place, method in enumerate(found.methods)),
            number(values.get(column.key), column, DECIMALS),
        ]
        for column in found.columns
    }


def _widths(heads, texts):
    """Pixels of each column by key."""
    return {key: table.width_of(head, texts[key]) for key, head in heads.items()}


def _heads(columns):
    """Heading of each column: short where its label is long, with the key where two are the same, and an arrow."""
    short = {column.key: SHORT.get(column.label, column.label) for column in columns}
    n_of = pd.Series(list(short.values())).value_counts()
    arrows = {1: " ↑", -1: " ↓", 0: ""}
    return {
        column.key: (short[column.key] if n_of[short[column.key]] == 1 else f"{column.label} · {column.key}")
        + arrows[column.sign]
        for column in columns
    }


def _cell(found, method, place, column, parts):
    value, spread = method.value(column.key), method.spread(column.key)
    decimals = len(number(value, column, DECIMALS).partition(".")[2])
    rank = found.ranks[column.key][place]
    interval = found.interval(method, column) if "interval" in parts else None
    marks = {found.marks[column.key][place]} & {"second", "tied"}
    spread = "" if spread is None else fixed_text(spread, decimals)
    text = table.cell_text(value, interval, marks, spread=spread, write=lambda value: number(value, column, DECIMALS))
    return f"{text} #{rank}" if "rank" in parts and rank is not None else text


def legend(found):
    """What the signs mean in one line; why cells are empty, and other notes, behind a click."""
    has_runs = any(method.n_runs > 1 for method in found.methods)
    said = [MARKS] * (found.resamples is not None) + ["↑ ↓ point to the better side."]
    st.caption(" ".join([*said, *["±: standard deviation between runs."] * has_runs]))
    with st.expander("About these numbers", icon=":material/info:"):
        st.markdown("\n".join(f"- {line}" for line in _about(found, has_runs)))


def _about(found, has_runs):
    """Notes on the table, as lines."""
    if found.resamples is not None:
        yield TIES
        yield (
            "Intervals are over samples and, of methods with several runs, over trainings; ± is between the runs alone."
            if has_runs
            else "Intervals are over samples; with one run of each model nothing is known about retraining."
        )
    yield from map(escape, found.notes_of_files)
    yield f"*{CONSTANT}*: the constant answer that is best in each column."
    if any(model.predictions.has_scores for model in found.models):
        labels = [column.label for column in found.columns if column.is_of_answers]
        yield (
            f"The inference rule and τ change these columns only: {escape(', '.join(labels))}."
            if labels
            else "The inference rule and τ change no column of this table: all depend on scores or on all thresholds."
        )
    reasons, labels = {}, {column.key: column.label for column in found.columns}
    for method in found.methods:
        for why in (found.reasons(method.name), found.interval_reasons(method), found.interval_cautions(method)):
            for key, reason in why.items():
                if key in labels:
                    reasons.setdefault(reason, set()).add(labels[key])
    for reason, columns in reasons.items():
        sign = "" if reason.startswith(("no interval", "its interval")) else "–: "
        end = "; so there are no marks either." if reason.startswith("no interval") else "."
        yield f"{sign}{escape(', '.join(sorted(columns)))}: {escape(reason)}{end}"


def downloads(found):
    """The table in four forms, and its methods paragraph."""
    contents = {
        "csv": ("CSV", found.to_csv),
        "md": ("Markdown", found.to_markdown),
        "tex": ("LaTeX", found.to_latex),
        "json": ("JSON", lambda: json.dumps(found.to_dict(), indent=1, ensure_ascii=False)),
    }
    with st.container(horizontal=True):
        for kind, (label, content) in contents.items():
            table.download(label, content, f"table.{kind}", f"get-table-{kind}")
    with st.expander("Methods paragraph, for copying"):
        st.code(found.methods_paragraph, language=None, wrap_lines=True)
