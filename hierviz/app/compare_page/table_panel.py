"""The table that a paper would print, with its intervals, ranks, constants, warnings and downloads."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page.caution import caution
from hierviz.app.state.escape import escape
from hierviz.app.widgets.metric_table import MARKS, SECOND, TIED, TIES
from hierviz.app.widgets.progress import worked_out
from hierviz.comparison.columns import columns_of
from hierviz.comparison.formats import number
from hierviz.comparison.table import table
from hierviz.metrics import METRICS
from hierviz.number_text import fixed_text

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
# Methods whose warnings stand open below the table.
MOST_WARNED = 3
# Samples of all models together whose intervals are worked out without being asked for, and about how many of them a second.
AT_ONCE, A_SECOND = 20_000, 2_000


def _n_resampled(compared):
    """Samples of all runs of all methods together."""
    return sum(run.n_judged for method in compared.keys for run in compared.runs(method))


def _asked_intervals(compared):
    """The memory of the choices of which intervals were asked for, and the one of this choice."""
    return state.memory("compare intervals"), str([compared.where(model) for model in compared.keys])


def _key(compared, preset, metrics):
    """What the table depends on: no filter plays a part."""
    asked, choice = _asked_intervals(compared)
    has_intervals = _n_resampled(compared) <= AT_ONCE or choice in asked
    return (*(compared.where(model)[:3] for model in compared.keys), preset, metrics, has_intervals)


def former_table(compared):
    """The table of these models that was shown last, whatever its columns, rule and threshold; None without one."""
    before = state.memory("compare table").get("last")
    if before is None or [of[:2] for of in before[:-3]] != [compared.where(model)[:2] for model in compared.keys]:
        return None
    return state.known("comparison table", before)


def worked_out_table(compared, preset, metrics=()):
    """The ComparisonTable of the models, worked out once; None where the visitor cancelled it.

    It has intervals where these are soon there, or were asked for.
    """
    key = _key(compared, preset, metrics)
    former = former_table(compared)
    runs = [
        (run, compared.choice_of(model).get("threshold", 0.5))
        for model in compared.keys
        for run in compared.runs(model)
    ]
    others = {name: value for name, value in compared.choice.items() if name not in ("rule", "threshold")}
    found = worked_out(
        "comparison table",
        key,
        "Table",
        lambda stages: _with_marks(
            table(
                [run for run, _ in runs],
                preset or None,
                metrics,
                rule=compared.choice["rule"],
                threshold=[threshold for _, threshold in runs],
                stage=stages,
                former=former,
                **({} if key[-1] else {"resamples": 0}),
                **others,
            )
        ),
    )
    if found is not None:
        state.memory("compare table")["last"] = key
    return found


def _with_marks(found):
    """The table with its marks, which take a moment, worked out while the progress is shown."""
    assert found.marks is not None
    return found


def draw(compared):
    """Which columns, the table, what its signs mean, and the same for a paper.

    While another table is worked out, the former one stays.
    """
    preset, metrics, shown = _asked(compared)
    bar, place = st.container(), st.empty()
    former = former_table(compared)
    if former is not None and state.known("comparison table", _key(compared, preset, metrics)) is None:
        with place.container():
            st.caption(f":material/history: The table as it was before: {_setting(former)}.")
            _table(former, shown, "compare-table-before")
    with bar:
        found = worked_out_table(compared, preset, metrics)
    if found is None:
        return
    with place.container():
        _draw(compared, found, shown)


def _warnings(found):
    """What is suspicious, one paragraph a method; of many methods folded away, so that they do not bury the table's legend."""
    told = {name: warnings for name, warnings in found.warnings.items() if warnings}
    if not told:
        return
    place = (
        st.expander(f"Warnings about {len(told)} of {len(found.methods)} methods", icon=":material/warning:")
        if len(told) > MOST_WARNED
        else st.container()
    )
    for name, warnings in told.items():
        place.warning(f"**{escape(name)}**: {escape(' '.join(warnings))}", icon=":material/warning:")


def _setting(found):
    """The rule and the threshold that a table was made with."""
    thresholds = ", ".join(f"{threshold:g}" for threshold in dict.fromkeys(found.thresholds))
    return f"rule {escape(found.choice['rule'].replace('_', ' '))}, τ = {thresholds}"


def _draw(compared, found, shown):
    if found.resamples is None:
        asked, choice = _asked_intervals(compared)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("No intervals yet: of so many samples they take long.")
            st.button(
                f"Work out intervals (up to {max(_n_resampled(compared) / A_SECOND / 60, 1):,.0f} min)",
                on_click=lambda: asked.update({choice: True}),
            )
    found = _without_hidden(found)
    _of_answers(compared, found)
    _table(found, shown)
    _warnings(found)
    _legend(found)
    _downloads(found)
    caution(compared, *(column.metric for column in found.columns))


def _of_answers(compared, found):
    """Which columns the inference rule and τ change."""
    if not any(model.predictions.has_scores for model in found.models):
        return
    labels = [column.label for column in found.columns if column.is_of_answers]
    what = (
        f"The inference rule and τ change these columns only: {escape(', '.join(labels))}."
        if labels
        else "The inference rule and τ change no column of this table: all are of scores or of all thresholds."
    )
    st.caption(what)


def preset_control():
    """Which columns: a key of `TITLES`."""
    return st.selectbox(
        "Columns",
        list(TITLES),
        format_func=lambda key: TITLES[key] if not key or key == "all" else f"as in {TITLES[key]}",
        **state.bound("preset", width=260),
    )


def _asked(compared):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = preset_control()
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
        _hide(columns_of(compared.data.taxonomy, preset or None, metrics))
    return preset, tuple(metrics), shown


def _without_hidden(found):
    """The table without the columns that the visitor hides, also in its downloads."""
    hidden = state.memory("compare table").get("hidden", [])
    columns = [column for column in found.columns if column.key not in hidden]
    return replace(found, columns=columns) if len(columns) < len(found.columns) and columns else found


def _hide(columns):
    """Which columns are hidden."""
    labels = {column.key: column.label for column in columns}
    store = state.memory("compare table")
    hidden = store["hidden"] = [key for key in store.get("hidden", []) if key in labels]
    with st.popover(
        f"Hide columns ({len(hidden)} hidden)" if hidden else "Hide columns", icon=":material/view_column:"
    ):
        st.multiselect(
            "Hidden, on the page and in downloads",
            list(labels),
            format_func=lambda key: f"{labels[key]} ({key})",
            **state.kept("compare table", "hidden", []),
        )


def _table(found, shown, key="compare-table"):
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


def _legend(found):
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
