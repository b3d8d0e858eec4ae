"""How the table of methods is drawn: cells, marks, what its signs mean, and its downloads."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.metric_table import MARKS, SECOND, TIED, TIES
from hierviz.comparison.formats import number
from hierviz.messages.number_text import fixed_text
from hierviz.metrics.registry import METRICS

CONSTANT = "Best constant"
# What stands beside each number: parts of a cell, None where there are intervals if all columns have room with them.
BESIDE = {"": None, "interval": ("interval",), "rank": ("rank",), "both": ("interval", "rank"), "none": ()}
# Digits after the point; downloads have more.
DECIMALS = 3
# Headings that are shorter than the label, which stands in the tooltip.
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
    """Methods as rows, then the best constant; numbers sort as numbers. `shown` is a key of `BESIDE`."""
    heads = _heads(found.columns)
    # In a narrow window a number has to stand beside the names.
    names = [method.name if method.n_runs == 1 else f"{method.name} ({method.n_runs} runs)" for method in found.methods]
    most = 165 if state.is_narrow() else 330
    name_width = int(min(28 + 7.2 * max(map(len, [*names, CONSTANT])), most))
    room = state.session.px - name_width
    parts = BESIDE[shown]
    texts = _texts(found, ("interval",) if parts is None else parts)
    widths = _widths(heads, texts)
    # Widths are those of the widest cell in bold: a little more than fits into the narrowest window of this kind does no harm.
    if parts is None and sum(widths.values()) > 1.08 * room:
        texts = _texts(found, ())
        widths = _widths(heads, texts)
    rows = [{column.key: method.value(column.key) for column in found.columns} for method in found.methods]
    rows.append({column.key: found.constants.values.get(column.key) for column in found.columns})
    data = pd.DataFrame(rows, dtype=float).rename(columns=heads)
    data.insert(0, "Model", [*names, CONSTANT])
    styled = data.style
    for place, cells in enumerate(texts):
        for column_key, text in cells.items():
            styled = styled.format(lambda _, text=text: text, subset=([place], [heads[column_key]]))
    bold = pd.DataFrame("", index=data.index, columns=data.columns)
    bold.iloc[-1] = "font-style: italic; opacity: 0.75"
    for column in found.columns:
        for place, mark in enumerate(found.marks[column.key]):
            if mark in ("best", "tied"):
                bold.loc[place, heads[column.key]] = "font-weight: bold"
    st.dataframe(
        styled.apply(lambda _: bold, axis=None),
        hide_index=True,
        height=min(35 * (len(data) + 1) + 3, 640),
        key=key,
        placeholder="–",
        column_config={"Model": st.column_config.TextColumn("Model", width=name_width, pinned=True)}
        | {
            heads[column.key]: st.column_config.NumberColumn(
                help=f"**{escape(column.label)}** ({column.key}): {METRICS[column.metric].sentence}",
                width=widths[column.key],
            )
            for column in found.columns
        },
    )
    _further(found.columns, widths, room)


def _texts(found, parts):
    """Text of every cell by key, a dict a row, that of the constants last."""
    texts = [
        {column.key: _cell(found, method, place, column, parts) for column in found.columns}
        for place, method in enumerate(found.methods)
    ]
    values = found.constants.values
    return [*texts, {column.key: number(values.get(column.key), column, DECIMALS) for column in found.columns}]


def _widths(heads, texts):
    """Pixels of each column by key: a bold cell that is wider than its column would be cut at its start."""
    return {
        key: int(max(24 + 7.2 * max(len(cells[key]) for cells in texts), 26 + 7.4 * len(head)))
        for key, head in heads.items()
    }


def _further(columns, widths, room):
    """That there is more to the right: a table that is cut looks like a whole one. How wide the window is, is known roughly."""
    if sum(widths.values()) > room:
        st.caption(
            f":material/arrow_forward: {len(columns)} columns, the last is {escape(columns[-1].label)}: what is not in sight "
            "is to the right (scroll the table)."
        )


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
    if value is None:
        return "–"
    text = number(value, column, DECIMALS)
    if spread is not None:
        decimals = len(text.partition(".")[2])
        text += f" ± {fixed_text(spread, decimals)}"
    text += {"second": f" {SECOND}", "tied": f" {TIED}"}.get(found.marks[column.key][place], "")
    interval = found.interval(method, column)
    if "interval" in parts and interval is not None:
        text += f" [{number(interval[0], column, DECIMALS)}, {number(interval[1], column, DECIMALS)}]"
    rank = found.ranks[column.key][place]
    if "rank" in parts and rank is not None:
        text += f" #{rank}"
    return text


def legend(found):
    """What the signs mean in one line; why cells are empty, and what else has to be known, behind a click."""
    has_runs = any(method.n_runs > 1 for method in found.methods)
    said = ["↑ ↓ point to the better side."]
    if found.resamples is not None:
        said = [MARKS, *said]
    if has_runs:
        said.append("±: standard deviation between runs.")
    st.caption(" ".join(said))
    with st.expander("About these numbers", icon=":material/info:"):
        st.markdown("\n".join(f"- {line}" for line in _about(found, has_runs)))


def _about(found, has_runs):
    """What a reader of the table may want to know, as lines."""
    if found.resamples is not None:
        yield TIES
        yield (
            "Intervals are over samples and, of methods with several runs, over trainings; ± is between the runs alone."
            if has_runs
            else "Intervals are over samples; one run of each model says nothing about retraining."
        )
    yield from map(escape, found.notes_of_files)
    yield f"*{CONSTANT}*: for each column the constant answer that is best by it."
    if any(model.predictions.has_scores for model in found.models):
        labels = [column.label for column in found.columns if column.is_of_answers]
        yield (
            f"The inference rule and τ change these columns only: {escape(', '.join(labels))}."
            if labels
            else "The inference rule and τ change no column of this table: all are of scores or of all thresholds."
        )
    reasons = {}
    labels = {column.key: column.label for column in found.columns}
    for method in found.methods:
        for why in (found.reasons(method.name), found.interval_reasons(method), found.interval_cautions(method)):
            for key, reason in why.items():
                if key in labels:
                    reasons.setdefault(reason, set()).add(labels[key])
    for reason, columns in reasons.items():
        if reason.startswith("no interval"):
            yield f"{escape(', '.join(sorted(columns)))}: {escape(reason)}; so there are no marks either."
        elif reason.startswith("its interval"):
            yield f"{escape(', '.join(sorted(columns)))}: {escape(reason)}."
        else:
            yield f"–: {escape(', '.join(sorted(columns)))}: {escape(reason)}."


def downloads(found):
    """The table in four forms, and its methods paragraph."""
    with st.container(horizontal=True):
        for kind, label, mime, make in (
            ("csv", "CSV", "text/csv", found.to_csv),
            ("md", "Markdown", "text/markdown", found.to_markdown),
            ("tex", "LaTeX", "text/x-tex", found.to_latex),
            ("json", "JSON", "application/json", lambda: json.dumps(found.to_dict(), indent=1, ensure_ascii=False)),
        ):
            st.download_button(
                label,
                make,
                f"table.{kind}",
                mime,
                key=f"get-table-{kind}",
                on_click="ignore",
                icon=":material/download:",
            )
    with st.expander("Methods paragraph, for copying"):
        st.code(found.methods_paragraph, language=None, wrap_lines=True)
