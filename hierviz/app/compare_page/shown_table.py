"""How the table of methods is drawn: cells, marks, what its signs mean, and its downloads."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.metric_table import MARKS, SECOND, TIED, TIES
from hierviz.comparison.formats import number
from hierviz.metrics import METRICS
from hierviz.number_text import fixed_text

CONSTANT = "Best constant answer"


def draw_table(found, shown, key="compare-table"):
    """Methods as rows, then the best constant; numbers sort as numbers."""
    labels = _labels(found.columns)
    rows, texts = [], []
    for place, method in enumerate(found.methods):
        rows.append({column.key: method.value(column.key) for column in found.columns})
        texts.append({column.key: _cell(found, method, place, column, shown) for column in found.columns})
    values = found.constants.values
    rows.append({column.key: values.get(column.key) for column in found.columns})
    texts.append({column.key: number(values.get(column.key), column) for column in found.columns})
    names = [method.name if method.n_runs == 1 else f"{method.name} ({method.n_runs} runs)" for method in found.methods]
    data = pd.DataFrame(rows, dtype=float).rename(columns=labels)
    data.insert(0, "Model", [*names, CONSTANT])
    styled = data.style
    for place, cells in enumerate(texts):
        for key, text in cells.items():
            styled = styled.format(lambda _, text=text: text, subset=([place], [labels[key]]))
    bold = pd.DataFrame("", index=data.index, columns=data.columns)
    bold.iloc[-1] = "font-style: italic; opacity: 0.75"
    for column in found.columns:
        for place, mark in enumerate(found.marks[column.key]):
            if mark in ("best", "tied"):
                bold.loc[place, labels[column.key]] = "font-weight: bold"
    # A bold cell that is wider than its column would be cut at its start; in a narrow window the number counts more than the
    # whole heading.
    widths = {
        labels[column.key]: int(
            max(
                28 + 7.2 * max(len(cells[column.key]) for cells in texts),
                90 if state.is_narrow() else 40 + 8 * len(labels[column.key]),
            )
        )
        for column in found.columns
    }
    # In a narrow window a number has to stand beside the names.
    name_width = int(min(28 + 7.2 * max(map(len, data["Model"])), 130 if state.is_narrow() else 330))
    st.dataframe(
        styled.apply(lambda _: bold, axis=None),
        hide_index=True,
        height=min(35 * (len(data) + 1) + 3, 640),
        key=key,
        placeholder="–",
        column_config={"Model": st.column_config.TextColumn("Model", width=name_width, pinned=not state.is_narrow())}
        | {
            labels[column.key]: st.column_config.NumberColumn(
                help=METRICS[column.metric].sentence, width=widths[labels[column.key]]
            )
            for column in found.columns
        },
    )
    _further(widths, state.session.px - name_width)


def _further(widths, room):
    """Which columns the window has no room for: a table that is cut looks like a whole one."""
    at, beyond = 0, []
    for label, width in widths.items():
        at += width
        if at - width / 2 > room:
            beyond.append(label.rstrip(" ↑↓"))
    if beyond:
        n = f"{len(beyond)} of {len(widths)} columns"
        st.caption(
            f":material/arrow_forward: Further to the right (scroll the table): {n}: {escape(', '.join(beyond))}."
        )


def _labels(columns):
    """Heading of each column: its label, with the block where two have the same one, and an arrow to the better side."""
    n_of = pd.Series([column.label for column in columns]).value_counts()
    arrows = {1: " ↑", -1: " ↓", 0: ""}
    return {
        column.key: (column.label if n_of[column.label] == 1 else f"{column.label} · {column.key}")
        + arrows[column.sign]
        for column in columns
    }


def _cell(found, method, place, column, shown):
    value, spread = method.value(column.key), method.spread(column.key)
    if value is None:
        return "–"
    text = number(value, column)
    if spread is not None:
        decimals = len(text.partition(".")[2])
        text += f" ± {fixed_text(spread, decimals)}"
    text += {"second": f" {SECOND}", "tied": f" {TIED}"}.get(found.marks[column.key][place], "")
    interval = found.interval(method, column)
    if "interval" in shown and interval is not None:
        text += f"  [{number(interval[0], column)}, {number(interval[1], column)}]"
    rank = found.ranks[column.key][place]
    if "rank" in shown and rank is not None:
        text += f"  #{rank}"
    return text


def legend(found):
    """What the signs mean, and why cells are empty."""
    said = ["Arrows point to the better side."]
    if found.resamples is not None:
        said = [MARKS, TIES, *said]
    if any(method.n_runs > 1 for method in found.methods):
        said.append("± is the standard deviation between runs.")
    elif found.resamples is not None:
        said.append("Intervals are over samples; one run of each model says nothing about retraining.")
    said.append(f"*{CONSTANT}*: for each column the constant answer that is best by it.")
    st.caption(" ".join(said))
    reasons = {}
    labels = _labels(found.columns)
    for method in found.methods:
        for key, reason in found.reasons(method.name).items():
            if key in labels:
                reasons.setdefault(reason, set()).add(labels[key].rstrip(" ↑↓"))
        for key, reason in found.interval_reasons(method).items():
            if key in labels:
                reasons.setdefault(reason, set()).add(labels[key].rstrip(" ↑↓"))
    for reason, columns in reasons.items():
        if reason.startswith("no interval"):
            st.caption(f"{escape(', '.join(sorted(columns)))}: {escape(reason)}; so there are no marks either.")
            continue
        st.caption(f"–: {escape(', '.join(sorted(columns)))}: {escape(reason)}.")


def downloads(found):
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
