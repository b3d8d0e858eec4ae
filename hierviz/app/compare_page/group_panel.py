"""Where models are weak: a metric by depth of the truth, by training samples, by number of labels, by attribute."""

from __future__ import annotations

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page import part_curves
from hierviz.app.compare_page.caution import caution
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure
from hierviz.diagnosis._means_by import DEPTH, N_LABELS, means_by, ways_to_divide
from hierviz.diagnosis.sample_values import sample_keys
from hierviz.metrics.registry import METRICS

WORDS = {DEPTH: "depth of the truth", N_LABELS: "number of true labels", "train_count": "number of training samples"}


def draw(compared):
    """What divides the samples, the metric, and a chart of all models."""
    runs = {key: compared.answers_of_runs(key) for key in compared.keys}
    answers = [of_method[0] for of_method in runs.values()]
    ways = ways_to_divide(answers[0])
    keys = [key for key in sample_keys(answers[0]) if all(key in sample_keys(one) for one in answers[1:])]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = pick("Divide the samples by", {way: WORDS.get(way, way) for way in ways}, "by", width=260)
        metric = pick("Metric", {key: METRICS[key].label for key in keys}, "metric", width=260)
    found = {
        compared.name(key): compared.computed(
            "means by", key, lambda own=own: means_by(own, by, metric=metric), by, metric
        )
        for key, own in runs.items()
    }
    _means_chart(compared, found, metric)
    part_curves.curves(compared)
    part_curves.levels(compared)


def _means_chart(compared, found, metric):
    first = next(iter(found.values()))
    if not len(first):
        st.info("No sample has a value of this kind.", icon=":material/info:")
        return
    figure(charts.means_by(found, width=state.session.px), name="means-by")
    without = f" {first.n_without:,} samples have no such value and are left out." if first.n_without else ""
    st.caption(
        f"{100 * first.confidence:.0f} % intervals: Wilson's for shares, Student's for other means; none below ten samples. "
        f"Samples count as independent.{without}{_runs_words(found)}"
    )
    numbers.definitions((metric,), "compare-groups")
    caution(compared, metric)


def _runs_words(found):
    """What the marks of methods with several runs are, and which samples they leave out."""
    several = [one for one in found.values() if one.n_runs > 1]
    if not several:
        return ""
    least, most = min(one.n_runs for one in several), max(one.n_runs for one in several)
    words = (
        f" Small circles are the {least if least == most else f'{least} to {most}'} runs of a method, the dot is their mean; its "
        "interval is over samples, with the runs fixed. The standard deviation between runs is in the table and the tooltip."
    )
    left_out = {name: one.n_left_out for name, one in found.items() if one.n_left_out}
    if left_out:
        named = ", ".join(f"{n:,} of {escape(name)}" for name, n in left_out.items())
        words += f" Filters by answers leave different samples in each run; left out, as not in every run: {named}."
    return words
