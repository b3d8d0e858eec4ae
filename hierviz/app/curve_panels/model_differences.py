"""The difference of two models at equal correctness, at equal specificity and of whole curves: never at the same threshold."""

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels.choosing import Setting
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import figure
from hierviz.charts.curve_table import short_label
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.bootstrap import SPECIFICITY_KEYS
from hierviz.uncertainty.comparison import paired_difference
from hierviz.uncertainty.model_difference import (
    difference_of_models,
    difference_sentence,
    difference_verdict,
    runs_sentence,
)

WAYS = {"correct": "equal correctness", "specificity": "equal specificity", "curve": "whole curve"}
# Whole-curve numbers, in the order of their sentences.
AREAS = ("ac", "ap")
LEVELS = np.arange(0, 101) / 100
FIRST, SECOND = (
    Setting(field, label, width=230, options=lambda choice: {key: choice.name(key) for key in choice.keys})
    for field, label in (("first", "First model"), ("second", "Second model"))
)
WAY = Setting("difference_at", "Compared at", "correct", options=WAYS, segmented=True)
SPECIFICITY = Setting(
    "difference", "Specificity is", "info_recall", 200, {key: short_label(key) for key in SPECIFICITY_KEYS}
)


def panel(choice, now, how, bands_by_model):
    """Which models, compared where, and the difference with its band in chart, sentence and table.

    `bands_by_model` are the lists of the CurveBands of the runs of both models of `pair`, by key.
    """
    st.markdown(
        "The same τ means different things for different models, because their scores are on different scales. They are "
        "compared where the same share of their answers is correct, where their answers are equally specific, or by a "
        "number of the whole curve; every resample is taken of both models."
    )
    first, second = pair(choice, now.model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        a, b, way, metric = FIRST.ask(choice, first), SECOND.ask(choice, second), WAY.ask(), SPECIFICITY.ask()
    if a == b:
        st.info("Choose two different models.")
        return
    if not {a, b} <= bands_by_model.keys():
        return  # cancelled, as the page notes above the chart
    names, n_runs = (choice.name(a), choice.name(b)), tuple(len(bands_by_model[key]) for key in (a, b))
    if way == "curve":
        for key in AREAS:
            apart = paired_difference(*_summaries(bands_by_model, (a, b), key))
            st.markdown(escape(difference_sentence(names, apart, METRICS[key].label)))
        if said := runs_sentence(names, n_runs):
            st.markdown(escape(said))
        return
    width = state.session.px
    if way == "specificity":
        found = _at_specificity(choice, a, b, how)
        if found is not None:
            figure(charts.difference_band(found, "correct", names, width=width), name="difference-specificity")
        return
    difference = paired_difference(bands_by_model[a], bands_by_model[b])
    runs = choice.samples_of_runs()
    most = [min(float(run.curve.values["correct"].max()) for run in runs[key]) for key in (a, b)]
    figure(charts.difference_band(difference, metric, names, most_correct=most, width=width), name="difference")


def _summaries(bands_by_model, keys, name):
    """Lists of the Intervals of a number of the whole curve, one a run, of each model."""
    return [[run.summary[name] for run in bands_by_model[key]] for key in keys]


def verdict(choice, model, bands_by_model):
    """Which of the two models of `pair` is better, in a sentence; nothing where there is no interval."""
    a, b = pair(choice, model)
    if a == b or not {a, b} <= bands_by_model.keys():
        return
    values = _summaries(bands_by_model, (a, b), "ac")
    apart = paired_difference(*values)
    if not np.isfinite([apart.estimate, apart.lower]).all():
        return
    names = (choice.name(a), choice.name(b))
    words = difference_verdict(names, apart)
    first, second = (float(np.mean([run.estimate for run in runs])) for runs in values)
    # With as many digits as it takes for the written difference to be that of the written values.
    digits = next((k for k in (3, 4, 5) if round(round(first, k) - round(second, k), k) == round(first - second, k)), 5)
    low, high, difference = (
        f"{float(of):+.{digits}f}".replace("-", "−") for of in (apart.lower, apart.upper, apart.estimate)
    )
    said = runs_sentence(names, tuple(map(len, values)))
    st.markdown(
        f"**{escape(words[:1].upper() + words[1:])}**, over all thresholds: AC {first:.{digits}f} and {second:.{digits}f}, "
        f"difference {difference}, "
        f"{100 * apart.level:g} % interval [{low}, {high}] from {apart.resamples.n_resamples:,} paired resamples. "
        f"{escape(said)}{' ' * bool(said)}The panel *Uncertainty* below compares them where the same share of their answers is "
        "correct."
    )


def prepare(choice, how):
    """Compute what takes long."""
    a, b = pair(choice, state.shown_model_of(choice.keys))
    if WAY.value() == "specificity" and a != b:
        _at_specificity(choice, a, b, how)


def pair(choice, model):
    """Keys of the two models that are compared."""
    other = next(key for key in choice.keys if key != model)
    return FIRST.value(choice, model), SECOND.value(choice, other)


def _at_specificity(choice, a, b, how):
    """ModelDifference of two models at values of specificity; None where it was cancelled."""
    runs_of, metric = choice.samples_of_runs(), SPECIFICITY.value()
    first, second = runs_of[a], runs_of[b]

    def made(told):
        tables = ([run.table for run in runs] for runs in (first, second))
        both = (choice.taxonomy, first[0].truth, *tables, how.resamples(first[0]))
        return difference_of_models(*both, correct=(), specificity=LEVELS, key=metric, progress=told)

    what = f"Difference of {choice.name(a)} and {choice.name(b)}"
    return choice.worked_out("difference", what, made, a, b, how, metric, unit="resamples")
