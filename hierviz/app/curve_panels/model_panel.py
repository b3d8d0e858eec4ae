"""Panel "Model comparison": all models side by side, with intervals, by facet, and means over runs."""

import pandas as pd
import streamlit as st

from hierviz.app.curve_panels import choosing, uncertainty
from hierviz.app.curve_panels.choosing import Setting
from hierviz.app.state.current import bound_member
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.controls import pick_several
from hierviz.app.widgets.numbers import FIRSTS, MARKS, TIES, Row
from hierviz.app.widgets.table import cell_text, draw
from hierviz.evaluation.common_samples import facet_columns, facets, judged_samples
from hierviz.evaluation.model_table import (
    AT_ONE_THRESHOLD,
    TABLE_KEYS,
    model_intervals,
    model_numbers,
    run_groups,
    spread_over_runs,
)
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.bootstrap import AT_CORRECT
from hierviz.uncertainty.comparison import never_reached, too_few_for
from hierviz.uncertainty.resamples import FEWEST

WHOLE = "all samples"
FACET = Setting(*("facet", "Split by", WHOLE, 260), lambda choice: (WHOLE, *choice.columns(facet_columns)))


def panel(choice, now):
    """The table, what its marks mean, its download, and the means over runs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Columns", icon=":material/view_column:"):
            labels, where = {key: METRICS[key].label for key in TABLE_KEYS}, (choosing.MEMORY, "columns")
            chosen = pick_several("Columns", labels, where, TABLE_KEYS, label_visibility="collapsed")
        facet = FACET.ask(choice)
        st.toggle("Show bands and intervals", **bound_member("drawn", "bands"))
    keys = [key for key in TABLE_KEYS if key in chosen]
    if not keys:
        st.info("Choose at least one column.")
        return
    rows = _rows(choice, facet, keys)
    numbers.metric_table(rows, keys, "models-table")
    _explain(choice, facet, rows, keys)
    _runs(choice)
    st.markdown("Definitions of the columns:")
    numbers.definitions(keys, "models")


def prepare(choice, key):
    """Compute what takes long: intervals of the parts."""
    for part, samples in _parts(choice, FACET.value(choice)).items():
        for key, sample in samples.items():
            _spans(choice, key, sample, part)


def _parts(choice, facet):
    """JudgedSamples by key of each part of the samples: (facet, value), or None for all."""
    samples = choice.samples()
    if facet == WHOLE:
        return {None: samples}
    return {
        (facet, value): {key: sample.take(places) for key, sample in samples.items()}
        for value, places in facets(choice.first_samples(), facet).items()
    }


def _rows(choice, facet, keys):
    """The Rows, ranked among the models of each value of the facet."""
    rows = []
    for part, samples in _parts(choice, facet).items():
        n_samples = next(iter(samples.values())).n_samples
        unranked = TABLE_KEYS if n_samples < FEWEST else too_few_for(AT_CORRECT, n_samples)
        rows += numbers.ranked([_row(choice, key, one, part) for key, one in samples.items()], keys, unranked)
    return rows


def _row(choice, key, samples, part):
    lead = {"model": samples.name} | ({} if part is None else dict([part]) | {"n": samples.n_samples})
    never = choice.computed("never reached", lambda: tuple(never_reached(samples.curve)), key, part)
    # No intervals of what the samples are too few for.
    few = too_few_for(AT_CORRECT, samples.n_samples)
    spans = {name: span for name, span in _spans(choice, key, samples, part).items() if name not in few}
    return Row(lead, _numbers(choice, key, samples, part), spans, never=never)


def _numbers(choice, key, samples, part=None):
    return choice.computed("model numbers", lambda: model_numbers(samples), key, part)


def _numbers_of_run(choice, key, run):
    return choice.computed("numbers of runs", lambda: model_numbers(judged_samples([run])[0]), key, run.predictions.run)


def _spans(choice, key, samples, part):
    """Intervals of the numbers of some samples; empty where they are not wanted or cannot be had."""
    if part is None:
        of_all = uncertainty.intervals(choice)
        return of_all[key].numbers if of_all else {}
    if not uncertainty.is_on():
        return {}
    how = uncertainty.settings(choice)
    try:
        resamples = how.resamples(samples)
    except HiervizError:
        return {}  # all samples of this value are of one group
    what = f"Bootstrap of {choice.name(key)}, {part[1]}"

    def made(told):
        return model_intervals(samples, resamples, thresholds=(), keys=(), levels=(), progress=told).numbers

    return choice.worked_out("facet intervals", what, made, key, part, how, unit="resamples") or {}


def _explain(choice, facet, rows, keys):
    first = choice.first_samples()
    who = "Each row is a model" if facet == WHOLE else f"Each row is a model on the samples of one value of {facet}"
    text = f"{escape(who)}, evaluated at all thresholds on "
    text += f"{first.n_samples:,} samples." if facet == WHOLE else f"n of the {first.n_samples:,} samples."
    if len(choice.keys) > 1:
        marks = MARKS if any(row.intervals for row in rows) else FIRSTS
        text += f" {marks} {numbers.unmarked([key for key in keys if key in AT_ONE_THRESHOLD])}"
    few = too_few_for(keys, min(row.lead.get("n", first.n_samples) for row in rows))
    if len(choice.keys) > 1 or uncertainty.is_on():
        text += f" {numbers.too_few_text(few)}"
    has_intervals = any(row.intervals for row in rows)
    if has_intervals:
        text += f" In brackets: 95 % intervals. {TIES if len(choice.keys) > 1 else ''}"
    elif not uncertainty.is_on():
        text += " With intervals, clear differences are marked."
    judged = max(model.n_judged for model in choice.models.values())
    if judged > first.n_samples:
        text += f" Only samples that all these models predict are counted; single models have up to {judged:,}."
    st.markdown(text)
    for row in rows if has_intervals else ():
        cautions = {key: row.intervals[key].caution(METRICS[key].range) for key in keys if key in row.intervals}
        of_row = ", ".join(escape(str(row.lead[name])) for name in row.lead if name != "n")
        cautions = [f"{METRICS[key].label}: {caution}" for key, caution in cautions.items() if caution is not None]
        if cautions:
            st.caption(f"{of_row}: {'; '.join(cautions)}.")


def _runs(choice):
    """Mean and spread over several runs of a method: those opened as runs, those with the names of runs, those chosen."""
    names = {choice.name(key): key for key in choice.keys}
    if len(names) < 2 and not choice.runs:
        return
    samples = choice.samples()

    def numbers_of(of_names):
        return [_numbers(choice, names[name], samples[names[name]]) for name in of_names]

    groups = {stem: numbers_of(of_stem) for stem, of_stem in run_groups(names).items()}
    for key, models in choice.runs.items():
        # Each run on all samples that it judges.
        groups[choice.name(key)] = [_numbers_of_run(choice, key, model) for model in models]
    with st.expander("Several runs of one model: mean ± standard deviation", expanded=bool(groups)):
        if len(names) > 1:
            help = "Models whose names differ only in the number of a seed or run are grouped automatically."
            chosen = pick_several("These are runs of one model", list(names), (choosing.MEMORY, "runs"), help=help)
            if len(chosen) > 1:
                groups["chosen"] = numbers_of(chosen)
        if not groups:
            st.markdown("Choose at least two runs.")
            return
        rows = []
        for stem, runs in groups.items():
            spreads = {METRICS[key].label: spread for key, spread in spread_over_runs(runs).items()}
            texts = {label: cell_text(one.mean, spread=value_text(one.sd)) for label, one in spreads.items()}
            rows.append({"model": stem, "runs": len(runs)} | texts)
        draw(pd.DataFrame(rows), key="runs-table", width="content")
        st.markdown(
            "Each row is the mean over the runs ± their standard deviation (n − 1 in the denominator), the variation between "
            "trainings; published tables may give 1.96 times it (Valmadre 2022) or an interval of the mean (Plaud et al. "
            "2024). The variation between samples is under Uncertainty."
        )
