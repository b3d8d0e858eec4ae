"""Where models are weak: a metric by depth of the truth, by training samples, by number of labels, by attribute."""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page import part_curves
from hierviz.app.compare_page.caution import caution
from hierviz.app.widgets import numbers
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis.means_by import DEPTH, N_LABELS, means_by, ways_to_divide
from hierviz.diagnosis.sample_values import sample_keys
from hierviz.metrics import METRICS

WORDS = {DEPTH: "depth of the truth", N_LABELS: "number of true labels", "train_count": "number of training samples"}


def draw(compared):
    """What divides the samples, the metric, and a chart of all models."""
    answers = [compared.answers(key) for key in compared.keys]
    ways = ways_to_divide(answers[0])
    keys = [key for key in sample_keys(answers[0]) if all(key in sample_keys(one) for one in answers[1:])]
    by = state.view().by if state.view().by in ways else ways[0]
    metric = state.view().metric if state.view().metric in keys else keys[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Divide the samples by",
            ways,
            format_func=lambda way: WORDS.get(way, way),
            **state.bound("by", value=by, width=260),
        )
        st.selectbox(
            "Metric",
            keys,
            format_func=lambda key: METRICS[key].label,
            **state.bound("metric", value=metric, width=260),
        )
    found = {
        compared.name(key): compared.computed(
            "means by", key, lambda key=key, one=one: _means(compared, key, one, by, metric), by, metric
        )
        for key, one in zip(compared.keys, answers, strict=True)
    }
    _means_chart(compared, found, metric)
    part_curves.curves(compared)
    part_curves.levels(compared)


def _means(compared, key, answers, by, metric):
    """MeansBy of a model: over its runs where no filter leaves each of them other samples."""
    runs = compared.runs(key)
    if len(runs) == 1 or compared.is_filtered:
        return means_by(answers, by, metric=metric)
    return means_by(runs, by, metric=metric, **compared.choice_of(key))


def _means_chart(compared, found, metric):
    first = next(iter(found.values()))
    if not len(first):
        st.info("No sample has a value of this kind.", icon=":material/info:")
        return
    figure(
        charts.means_by(found, dark=state.is_dark(), width=state.session.px),
        name="means-by",
        sentence=charts.means_by_sentence(found),
        table=charts.means_by_table(found),
    )
    without = f" {first.n_without:,} samples have no such value and are left out." if first.n_without else ""
    st.caption(
        f"{100 * first.confidence:.0f} % intervals: Wilson's for shares, Student's for other means; none below ten samples. "
        f"Samples count as independent.{without}{_runs_words(compared)}"
    )
    numbers.definitions((metric,), "compare-groups")
    caution(compared, metric)


def _runs_words(compared):
    if not compared.has_runs:
        return ""
    if compared.is_filtered:
        return " With filters, the first run of each method is looked at."
    return " Of a method with several runs a sample has its mean over them; intervals are over samples, with the runs fixed."
