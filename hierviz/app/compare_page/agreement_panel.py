"""Do the metrics agree in the order of the models, and on which samples do two metrics, or two models, disagree most?

Also the rank of every method by every metric, and one number of all methods with their runs and intervals.
"""

import math
from functools import partial

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page.table_panel import preset_control, worked_out_table
from hierviz.app.state.escape import escape
from hierviz.app.widgets import frame, numbers, table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.links import link_to_sample
from hierviz.charts._matrices import n_metrics_drawn
from hierviz.charts._points import LISTED, MOST_DOTS
from hierviz.comparison.disagreement import metrics_on_samples, models_on_samples, sample_metrics
from hierviz.metrics.registry import METRICS

# What is compared at first: the first of these that the samples have.
FIRST, SECOND = ("softmax_win", "hp_samples"), ("hf1_samples",)
KINDS = {"metrics": "two metrics of a model", "models": "two models by a metric"}


def draw(compared, row):
    """The matrix of all metrics of the table, then single samples."""
    with row:
        preset = preset_control(170)
    found = worked_out_table(compared, preset)
    if found is None:
        return
    agreement = found.agreement
    if agreement.n_methods < 2 or len(agreement.columns) < 2:
        st.markdown(escape(agreement.sentence))
    else:
        figure(charts.agreement_matrix(agreement, width=state.session.px), name="agreement", main=True)
        st.markdown(
            "Each cell is a pair of metrics: Kendall's τ-b is 1 where they put the models in the same order, −1 in the "
            "opposite one."
            if any(value is not None for row in agreement.kendall for value in row)
            else "Each cell is a pair of metrics: how many pairs of models they put in opposite orders, of all pairs. "
            "(Kendall's τ-b needs five models.)"
        )
        st.caption(_direction(agreement.columns))
        n_drawn, n_metrics = n_metrics_drawn(agreement, state.session.px), len(agreement.columns)
        if n_drawn < n_metrics:
            st.caption(f"The window has room for {n_drawn} of {n_metrics} metrics; the table has all.")
    st.subheader("Single samples")
    _samples(compared)


def _direction(columns):
    """Which metrics have their signs reversed, and why the height of errors may order models differently."""
    lower = [escape(column.label) for column in columns if column.sign < 0]
    words = f"Signs are reversed where lower is better ({', '.join(lower)})." if lower else ""
    if any(column.metric == "error_lca_height" for column in columns):
        words += (
            f" {METRICS['error_lca_height'].label} is a mean over wrong leaves only: a model with fewer errors is left with the "
            "hard ones, so it may order the models the other way round."
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
    metrics = {name: METRICS[name].label for name in usable}
    with st.container(horizontal=True, vertical_alignment="top"):
        kind = pick("Compare", {key: KINDS[key] for key in kinds}, ("compare samples", "kind"), segmented=True)
        key = compared.model_control("compare samples")
        run = compared.run_control(key, "compare samples")
        if kind == "models":
            second = compared.model_control("compare samples", "second", "and", 1)
            run_of_second = compared.run_control(second, "compare second", int(second == key))
        one = pick("Metric", metrics, ("compare samples", "one"), _first_of(FIRST, usable, 0))
        if kind == "metrics":
            other = pick("and", metrics, ("compare samples", "other"), _first_of(SECOND, usable, 1))
    model, choice, shown = compared.runs(key)[run], compared.choice_of(key), compared.run_words(key, run)
    if kind == "metrics":
        made = partial(metrics_on_samples, model, one, other, **choice)
        found = compared.computed("two metrics", key, made, run, one, other)
    else:
        made = partial(models_on_samples, model, compared.runs(second)[run_of_second], one, **choice)
        found = compared.computed("two models", key, made, run, run_of_second, compared.where(second), one)
        shown = f"{shown} {compared.run_words(second, run_of_second)}".strip()
    if shown:
        st.caption(f"Single samples are those of one run. {escape(shown)}")
    if not len(found.known):
        st.info("No sample has both numbers.", icon=":material/info:")
        return
    # Of more samples the chart shows how many there are in each place.
    has_dots = len(found.known) <= MOST_DOTS
    left, right = frame.side_by_side(1, 1)
    with left:
        drawn = charts.sample_scatter(found, width=state.session.px // (1 if state.is_narrow() else 2))
        event = figure(drawn, name="sample-scatter", select="sample" if has_dots else None)
    with right:
        st.markdown("**Largest disagreement first**")
        rows = found.to_frame(LISTED)
        # Metrics and models are written as everywhere: hF1, pred_flat.
        columns = {"sample_id": "Sample"} | {
            name: table.number("Difference" if name == "difference" else name) for name in rows.columns[1:]
        }
        chosen = table.draw(rows, columns, key=f"disagree-{kind}-{key}-{run}-{one}", select="one", height=430)
        clicked = [point["sample"] for point in (event.selection.get("sample", []) if has_dots else [])]
        sample = (clicked or [None])[0] if chosen.place is None else str(rows["sample_id"].iloc[chosen.place])
        if sample is not None:
            label = f"Open {escape(sample)} in Examples"
            link_to_sample(label, sample=sample, model=compared.data.runs_of(key)[run], outcome="")
        else:
            st.caption("Click a row, or a dot, to open its sample." if has_dots else "Click a row to open its sample.")
    if kind == "models":
        compared.caution(one)


def _has_finite(found, key):
    values = (method.value(key) for method in found.methods)
    return any(value is not None and math.isfinite(value) for value in values)


def _first_of(wanted, usable, otherwise):
    """The first of the wanted metrics that there is, else the one at a place."""
    return next((key for key in wanted if key in usable), usable[min(otherwise, len(usable) - 1)])


def draw_ranks(compared, row):
    """Both charts of the columns that are chosen."""
    with row:
        preset = preset_control(170)
    found = worked_out_table(compared, preset)
    if found is None:
        return
    ranked = [column for column in found.columns if any(rank is not None for rank in found.ranks[column.key])]
    if len(found.methods) < 2:
        st.markdown("One method has no rank: ranks need at least two.")
    elif not ranked:
        st.markdown("None of these numbers has a better direction, so no method has a rank.")
    else:
        figure(charts.rank_matrix(found, width=state.session.px), name="ranks", main=True)
        st.caption(
            "1 is the best by that number. ≈: not clearly different from the best when all pairs are compared."
            if found.resamples is not None
            else "1 is the best by that number. Without intervals (see the part Table) small differences count too."
        )
        compared.caution(*(column.metric for column in ranked))
    st.subheader("One number of all methods")
    columns = {column.key: column for column in found.columns if _has_finite(found, column.key)}
    if not columns:
        st.markdown("No method has a finite number here.")
        return
    key = pick("Number", {key: column.label for key, column in columns.items()}, ("compare ranks", "column"))
    figure(charts.method_intervals(found, key, width=state.session.px), name="methods")
    said = ["Small dots are runs, the large one is their mean."] if any(m.n_runs > 1 for m in found.methods) else []
    if found.resamples is None:
        said.append("No intervals: they are computed on request in the part Table.")
    reasons = {found.interval_reasons(method).get(key) for method in found.methods} - {None}
    said += [f"Dots without a line: {escape(reason)}." for reason in sorted(reasons) if found.resamples is not None]
    if said:
        st.caption(" ".join(said))
    numbers.definitions((columns[key].metric,), "compare-ranks")
    compared.caution(columns[key].metric)
