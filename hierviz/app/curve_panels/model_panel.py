"""Panel "Model comparison": all models side by side, with intervals, by facet, and means over runs."""

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, uncertainty
from hierviz.app.curve_panels.choosing import Setting
from hierviz.app.state.current import bound_member
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.numbers import FIRSTS, MARKS, TIES, Row, metric_table, ranked, too_few_text, unmarked
from hierviz.app.widgets.progress import worked_out
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
FACET = Setting(*("facet", "Split by", WHOLE, 260), lambda choice: (WHOLE, *choosing.columns_of(choice, facet_columns)))


def panel(choice, now):
    """The table, what its marks mean, its download, and the means over runs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Columns", icon=":material/view_column:"):
            st.multiselect(
                "Columns",
                TABLE_KEYS,
                format_func=lambda key: METRICS[key].label,
                label_visibility="collapsed",
                **state.kept(choosing.MEMORY, "columns", list(TABLE_KEYS)),
            )
        facet = FACET.ask(choice)
        st.toggle("Show bands and intervals", **bound_member("drawn", "bands"))
    chosen = state.memory(choosing.MEMORY).get("columns", TABLE_KEYS)
    keys = [key for key in TABLE_KEYS if key in chosen]
    if not keys:
        st.info("Choose at least one column.")
        return
    rows = _rows(choice, facet, keys)
    metric_table(rows, keys, "models-table")
    _explain(choice, facet, rows, keys)
    _runs(choice)
    st.markdown("Definitions of the columns:")
    numbers.definitions(keys, "models")


def prepare(choice, key):
    """Compute what takes long: intervals of the parts."""
    facet, first = FACET.value(choice), choosing.first_samples(choice)
    if facet == WHOLE or not uncertainty.is_on():
        return
    samples = choosing.samples_of(choice)
    for value, places in facets(first, facet).items():
        for key, sample in samples.items():
            _spans(choice, key, sample.take(places), (facet, value))


def _rows(choice, facet, keys):
    """The Rows, ranked among the models of each value of the facet."""
    samples, all_rows = choosing.samples_of(choice), []
    parts = {None: None} if facet == WHOLE else facets(choosing.first_samples(choice), facet)
    of_all = uncertainty.intervals(choice) if facet == WHOLE else {}
    for value, places in parts.items():
        part = None if facet == WHOLE else (facet, value)
        some = samples if part is None else {key: sample.take(places) for key, sample in samples.items()}
        rows = []
        for key, sample in some.items():
            lead = {"model": sample.name} | ({} if part is None else {facet: value, "n": sample.n_samples})
            spans = _spans(choice, key, sample, part) if part else of_all[key].numbers if key in of_all else {}
            never = choice.computed("never reached", lambda of=sample: tuple(never_reached(of.curve)), key, part)
            # No intervals of what the samples are too few for.
            few = too_few_for(AT_CORRECT, sample.n_samples)
            spans = {name: span for name, span in spans.items() if name not in few}
            rows.append(Row(lead, _numbers(choice, key, sample, part), spans, never=never))
        n_samples = next(iter(some.values())).n_samples
        unranked = TABLE_KEYS if n_samples < FEWEST else too_few_for(AT_CORRECT, n_samples)
        all_rows += ranked(rows, keys, unranked)
    return all_rows


def _numbers(choice, key, samples, part=None):
    return choice.computed("model numbers", lambda: model_numbers(samples), key, part)


def _spans(choice, key, samples, part):
    """Intervals of the numbers of some samples; empty where they are not wanted or cannot be had."""
    if not uncertainty.is_on():
        return {}
    how = uncertainty.settings(choice)
    try:
        resamples = how.resamples(samples)
    except HiervizError:
        return {}  # all samples of this value are of one group
    what = f"Bootstrap of {choice.name(key)}, {part[1]}"

    def make(stages):
        return model_intervals(
            samples, resamples, thresholds=(), keys=(), levels=(), progress=stages(what, "resamples")
        ).numbers

    asked = (choice.data_key, tuple(choice.keys), key, part, how)
    return worked_out("facet intervals", asked, what, make) or {}


def _explain(choice, facet, rows, keys):
    first = choosing.first_samples(choice)
    who = "Each row is a model" if facet == WHOLE else f"Each row is a model on the samples of one value of {facet}"
    text = f"{escape(who)}, evaluated at all thresholds on "
    text += f"{first.n_samples:,} samples." if facet == WHOLE else f"n of the {first.n_samples:,} samples."
    if len(choice.keys) > 1:
        marks = MARKS if any(row.intervals for row in rows) else FIRSTS
        text += f" {marks} {unmarked([key for key in keys if key in AT_ONE_THRESHOLD])}"
    few = too_few_for(keys, min(row.lead.get("n", first.n_samples) for row in rows))
    if len(choice.keys) > 1 or uncertainty.is_on():
        text += f" {too_few_text(few)}"
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
    samples = choosing.samples_of(choice)

    def numbers_of(of_names):
        return [_numbers(choice, names[name], samples[names[name]]) for name in of_names]

    groups = {stem: numbers_of(of_stem) for stem, of_stem in run_groups(names).items()}
    for key, models in choice.runs.items():
        # Each run on all samples that it judges.
        groups[choice.name(key)] = [
            choice.computed(
                "numbers of runs",
                lambda model=model: model_numbers(judged_samples([model])[0]),
                *(key, model.predictions.run),
            )
            for model in models
        ]
    with st.expander("Several runs of one model: mean ± standard deviation", expanded=bool(groups)):
        if len(names) > 1:
            st.multiselect(
                "These are runs of one model",
                list(names),
                help="Models whose names differ only in the number of a seed or run are grouped automatically.",
                **state.kept(choosing.MEMORY, "runs", []),
            )
            chosen = [name for name in state.memory(choosing.MEMORY).get("runs", []) if name in names]
            if len(chosen) > 1:
                groups["chosen"] = numbers_of(chosen)
        if not groups:
            st.markdown("Choose at least two runs.")
            return
        rows = [
            {"model": stem, "runs": len(runs)}
            | {
                METRICS[key].label: cell_text(spread.mean, spread=value_text(spread.sd))
                for key, spread in spread_over_runs(runs).items()
            }
            for stem, runs in groups.items()
        ]
        draw(pd.DataFrame(rows), key="runs-table", width="content")
        st.markdown(
            "Each row is the mean over the runs ± their standard deviation (n − 1 in the denominator), the variation between "
            "trainings; published tables may give 1.96 times it (Valmadre 2022) or an interval of the mean (Plaud et al. "
            "2024). The variation between samples is under Uncertainty."
        )
