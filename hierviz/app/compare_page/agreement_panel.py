"""Do the metrics agree in the order of the models, and on which samples do two metrics, or two models, disagree most?"""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page.asked_table import preset_control, worked_out_table
from hierviz.app.compare_page.caution import caution
from hierviz.app.state.escape import escape
from hierviz.app.widgets import shell
from hierviz.app.widgets.controls import width_for
from hierviz.app.widgets.figure import figure
from hierviz.charts._matrices import n_metrics_drawn
from hierviz.charts._sample_scatter import LISTED, MOST_DOTS
from hierviz.comparison.disagreement import metrics_on_samples, models_on_samples, sample_metrics
from hierviz.metrics.registry import METRICS

# What is compared at first: the first of these that the samples have.
FIRST, SECOND = ("softmax_win", "hp_samples"), ("hf1_samples",)


def draw(compared):
    """The matrix of all metrics of the table, then single samples."""
    found = worked_out_table(compared, preset_control())
    if found is None:
        return
    st.subheader("The order of the models")
    agreement = found.agreement
    if agreement.n_methods < 2 or len(agreement.columns) < 2:
        st.markdown(escape(agreement.sentence))
    else:
        st.markdown(
            "Each cell is a pair of metrics: Kendall's τ-b is 1 where they put the models in the same order, −1 in the "
            "opposite one."
            if any(value is not None for row in agreement.kendall for value in row)
            else "Each cell is a pair of metrics: how many pairs of models they put in opposite orders, of all pairs. "
            "(Kendall's τ-b needs five models.)"
        )
        figure(charts.agreement_matrix(agreement, width=state.session.px), name="agreement")
        st.caption(_direction(agreement.columns))
        n_drawn, n_metrics = n_metrics_drawn(agreement, state.session.px), len(agreement.columns)
        if n_drawn < n_metrics:
            st.caption(f"The window has room for {n_drawn} of {n_metrics} metrics; the table has all.")
    st.subheader("Single samples")
    _samples(compared)


def _direction(columns):
    """Which metrics were turned round, and why the height of errors may order models by another thing."""
    lower = [escape(column.label) for column in columns if column.sign < 0]
    words = f"Where lower is better ({', '.join(lower)}) values were turned round first." if lower else ""
    if any(column.metric == "error_lca_height" for column in columns):
        words += (
            f" {METRICS['error_lca_height'].label} is a mean over wrong leaves only: a model with fewer errors is left with the "
            "hard ones, so it may well order the models the other way round."
        )
    return words.strip() or "In all these metrics higher is better."


def _samples(compared):
    first = compared.keys[0]
    choice = compared.choice_of(first)
    # Which numbers there are depends on the rule, not on its threshold.
    usable = state.computed(
        "sample metrics",
        (compared.data.digest, first, choice["rule"]),
        lambda: sample_metrics(compared.model(first), **choice),
    )
    kinds = ["metrics"] + (["models"] if len(compared.keys) > 1 or compared.has_runs else [])
    with st.container(horizontal=True, vertical_alignment="top"):
        kind = st.segmented_control(
            "Compare",
            kinds,
            format_func={"metrics": "two metrics of a model", "models": "two models by a metric"}.get,
            required=True,
            **state.kept("compare samples", "kind", "metrics"),
        )
        kind = kind if kind in kinds else "metrics"
        if kind == "metrics":
            key = _choose("Model", compared.keys, "model", 0, compared.name)
            run = compared.run_control(key, "compare samples")
            one = _choose("Metric", usable, "one", _place(usable, FIRST, 0))
            other = _choose("and", usable, "other", _place(usable, SECOND, 1))
        else:
            key = _choose("Model", compared.keys, "model", 0, compared.name)
            run = compared.run_control(key, "compare samples")
            second = _choose("and", compared.keys, "second", 1, compared.name)
            run_of_second = compared.run_control(second, "compare second", int(second == key))
            one = _choose("Metric", usable, "one", _place(usable, FIRST, 0))
    model, choice = compared.runs(key)[run], compared.choice_of(key)
    if kind == "metrics":
        found = compared.computed(
            "two metrics", key, lambda: metrics_on_samples(model, one, other, **choice), run, one, other
        )
        shown = compared.run_words(key, run)
    else:
        with_second = compared.runs(second)[run_of_second]
        found = compared.computed(
            "two models",
            key,
            lambda: models_on_samples(model, with_second, one, **choice),
            run,
            run_of_second,
            compared.where(second),
            one,
        )
        shown = f"{compared.run_words(key, run)} {compared.run_words(second, run_of_second)}".strip()
    if shown:
        st.caption(f"Single samples are those of one run. {escape(shown)}")
    if not len(found.known):
        st.info("No sample has both numbers.", icon=":material/info:")
        return
    # Of more samples the chart shows how many there are in each place.
    has_dots = len(found.known) <= MOST_DOTS
    beside = st.container() if state.is_narrow() else None
    left, right = (beside, beside) if beside else st.columns([1, 1], gap="large")
    with left:
        event = figure(
            charts.sample_scatter(found, width=state.session.px if beside else state.session.px // 2),
            name="sample-scatter",
            select="sample" if has_dots else None,
        )
    with right:
        st.markdown("**Largest disagreement first**")
        table = found.to_frame(LISTED)
        selected = st.dataframe(
            table,
            hide_index=True,
            height=430,
            on_select="rerun",
            selection_mode=["single-row", "single-cell"],
            key=f"disagree-{kind}-{key}-{run}-{one}",
            column_config={"sample_id": "Sample"}
            | {
                # Metrics and models are written as everywhere: hF1, pred_flat.
                name: st.column_config.NumberColumn("Difference" if name == "difference" else name, format="%.3f")
                for name in table.columns[1:]
            },
        ).selection
        rows = [row for row, _ in selected.cells] or selected.rows
        clicked = [one["sample"] for one in (event.selection.get("sample", []) if has_dots else [])]
        sample = str(table["sample_id"].iloc[rows[0]]) if rows and rows[0] < len(table) else (clicked or [None])[0]
        if sample is not None:
            st.page_link(
                shell.page("example"),
                label=f"Open {escape(sample)} in Examples",
                icon=":material/account_tree:",
                query_params=state.link(sample=sample, model=compared.data.runs_of(key)[run], outcome=""),
            )
        else:
            st.caption("Click a row, or a dot, to open its sample." if has_dots else "Click a row to open its sample.")
    if kind == "models":
        caution(compared, one)


def _place(usable, wanted, otherwise):
    """Place of the first of the wanted metrics that there is."""
    return next((usable.index(key) for key in wanted if key in usable), otherwise)


def _choose(label, options, name, place, words=None):
    default = options[min(place, len(options) - 1)]
    now = state.memory("compare samples").get(name, default)
    words = words or (lambda key: METRICS[key].label)
    return st.selectbox(
        label,
        options,
        format_func=words,
        width=width_for(list(map(words, options))),
        **(state.kept("compare samples", name, default) if now in options else {"key": f"fresh-{name}"}),
    )
