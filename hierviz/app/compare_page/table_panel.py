"""The table that a paper would print, with its intervals, ranks, constants, warnings and downloads."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page.caution import caution
from hierviz.app.state.escape import escape
from hierviz.app.widgets.metric_table import SECOND, TIED
from hierviz.app.widgets.progress import worked_out
from hierviz.comparison.columns import columns_of
from hierviz.comparison.formats import number
from hierviz.comparison.table import table
from hierviz.metrics import METRICS

TITLES = {
    "": "short selection",
    "wu": "Wu, Tygert & LeCun 2019",
    "riehl": "Riehl et al. 2023",
    "plaud": "Plaud et al. 2024",
    "valmadre": "Valmadre 2022",
    "kiritchenko": "Kiritchenko et al. 2006",
    "all": "all numbers",
}
CONSTANT = "Best constant answer"
SHOWN = {"interval": "intervals", "rank": "ranks"}


def worked_out_table(compared, preset, metrics=()):
    """The ComparisonTable of the models, worked out once; None where the visitor cancelled it."""
    key = (*(compared.where(model) for model in compared.keys), preset, metrics)
    thresholds = [compared.choice_of(model).get("threshold", 0.5) for model in compared.keys]
    others = {name: value for name, value in compared.choice.items() if name not in ("rule", "threshold")}
    return worked_out(
        "comparison table",
        key,
        "Table",
        lambda stages: table(
            [compared.data.models[model] for model in compared.keys],
            preset or None,
            metrics,
            rule=compared.choice["rule"],
            threshold=thresholds,
            stage=stages,
            **others,
        ),
    )


def draw(compared):
    """Which columns, the table, what its signs mean, and the same for a paper."""
    preset, metrics, shown = _asked(compared)
    found = worked_out_table(compared, preset, metrics)
    if found is None:
        return
    if compared.is_filtered:
        st.caption("The filters do not apply to this table: it has all samples with a known truth.")
    _table(found, shown)
    for name, warnings in found.warnings.items():
        for warning in warnings:
            st.warning(f"**{escape(name)}**: {escape(warning)}", icon=":material/warning:")
    _legend(found)
    _downloads(found)
    caution(compared, *(column.metric for column in found.columns))


def _asked(compared):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.selectbox(
            "Columns",
            list(TITLES),
            format_func=lambda key: TITLES[key] if not key or key == "all" else f"as in {TITLES[key]}",
            width=260,
            **state.bound("preset"),
        )
        every = {column.key: column.label for column in columns_of(compared.data.taxonomy, "all", None)}
        metrics = st.multiselect(
            "More columns",
            list(every),
            format_func=lambda key: f"{every[key]} ({key})",
            width=340,
            placeholder="Choose numbers",
            **state.kept("compare table", "metrics", []),
        )
        shown = st.pills(
            "Show",
            list(SHOWN),
            selection_mode="multi",
            format_func=SHOWN.get,
            default=["interval"],
            key="compare-shown",
        )
    return preset, tuple(metrics), shown


def _table(found, shown):
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
    st.dataframe(
        styled.apply(lambda _: bold, axis=None),
        hide_index=True,
        height=min(35 * (len(data) + 1) + 3, 640),
        key="compare-table",
        placeholder="–",
        column_config={"Model": st.column_config.TextColumn("Model", pinned=not state.is_narrow())}
        | {
            labels[column.key]: st.column_config.NumberColumn(help=METRICS[column.metric].sentence)
            for column in found.columns
        },
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
        text += f" ± {number(spread, column)}"
    text += {"second": f" {SECOND}", "tied": f" {TIED}"}.get(found.marks[column.key][place], "")
    interval = found.interval(method, column)
    if "interval" in shown and interval is not None:
        text += f"  [{number(interval[0], column)}, {number(interval[1], column)}]"
    rank = found.ranks[column.key][place]
    if "rank" in shown and rank is not None:
        text += f"  #{rank}"
    return text


def _legend(found):
    """What the signs mean, and why cells are empty."""
    said = [
        f"The best of a column is **bold**; {TIED} is not clearly different from it (the interval of the paired difference "
        f"contains 0, after Holm's correction), and is bold too; {SECOND} is the best of the rest. Arrows point to the better "
        "side."
    ]
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
    for reason, columns in reasons.items():
        st.caption(f"–: {escape(', '.join(sorted(columns)))}: {escape(reason)}.")


def _downloads(found):
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
