"""Panel "Model comparison": all models side by side, with intervals, by facet, and means over runs."""

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.curve_panels import choosing, uncertainty
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.metric_table import FIRSTS, MARKS, TIES, Row, metric_table, ranked, too_few_text, unmarked
from hierviz.app.widgets.progress import worked_out
from hierviz.charts import to_csv
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


def panel(choice, now):
    """The table, what its marks mean, its download, and the means over runs."""
    first = next(iter(choosing.samples_of(choice).values()))
    columns = (WHOLE, *choosing.columns_of(choice, facet_columns))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Columns", icon=":material/view_column:"):
            st.multiselect(
                "Columns",
                TABLE_KEYS,
                format_func=lambda key: METRICS[key].label,
                label_visibility="collapsed",
                **choosing.kept("columns", list(TABLE_KEYS)),
            )
        if len(columns) > 1:
            st.selectbox("Split by", **choosing.kept("facet", WHOLE, columns, width=260))
        st.toggle("Show bands and intervals", **state.bound_member("drawn", "bands"))
    keys = [key for key in TABLE_KEYS if key in choosing.value("columns", list(TABLE_KEYS))]
    if not keys:
        st.info("Choose at least one column.")
        return
    facet = choosing.value("facet", WHOLE, columns)
    rows = _rows(choice, facet, keys)
    metric_table(rows, keys, "models-table")
    _explain(choice, first, facet, rows, keys)
    st.download_button(
        "CSV",
        to_csv(pd.DataFrame([_flat(row, keys) for row in rows])),
        "models.csv",
        "text/csv",
        key="get-models",
        on_click="ignore",
        icon=":material/download:",
    )
    _runs(choice)
    st.markdown("Definitions of the columns:")
    numbers.definitions(keys, "models")


def prepare(choice, key):
    """Work out what takes long: intervals of the parts."""
    first = next(iter(choosing.samples_of(choice).values()))
    facet = choosing.value("facet", WHOLE, (WHOLE, *choosing.columns_of(choice, facet_columns)))
    if facet == WHOLE or not uncertainty.is_on():
        return
    samples = choosing.samples_of(choice)
    for value, places in facets(first, facet).items():
        for key, sample in samples.items():
            _spans(choice, key, sample.take(places), (facet, value))


def _rows(choice, facet, keys):
    """The Rows, ranked among the models of each value of the facet."""
    samples, all_rows = choosing.samples_of(choice), []
    if facet == WHOLE:
        spans = {key: intervals_of_model.numbers for key, intervals_of_model in uncertainty.intervals(choice).items()}
        rows = [
            _row(
                {"model": sample.name},
                sample,
                _numbers(choice, key, sample, None),
                spans.get(key, {}),
                _never(choice, key, sample, None),
            )
            for key, sample in samples.items()
        ]
        return ranked(rows, keys, _unranked(samples))
    for value, places in facets(next(iter(samples.values())), facet).items():
        rows, parts = [], {key: sample.take(places) for key, sample in samples.items()}
        for key, part in parts.items():
            lead = {"model": part.name, facet: value, "n": part.n_samples}
            rows.append(_row(lead, part, *(of(choice, key, part, (facet, value)) for of in (_numbers, _spans, _never))))
        all_rows += ranked(rows, keys, _unranked(parts))
    return all_rows


def _row(lead, samples, values, spans, never):
    """A Row without intervals of what its samples are too few for."""
    few = too_few_for(AT_CORRECT, samples.n_samples)
    spans = {key: span for key, span in spans.items() if key not in few}
    return Row(lead, values, spans, never=never)


def _unranked(samples):
    """Columns without marks: samples by model, as many for each."""
    n_samples = next(iter(samples.values())).n_samples
    return TABLE_KEYS if n_samples < FEWEST else too_few_for(AT_CORRECT, n_samples)


def _numbers(choice, key, samples, part):
    return state.computed(
        "model numbers", (choice.data_key, tuple(choice.keys), key, part), lambda: model_numbers(samples)
    )


def _never(choice, key, samples, part):
    """Numbers whose share of correct answers no threshold reaches."""
    return state.computed(
        "never reached",
        (choice.data_key, tuple(choice.keys), key, part),
        lambda: tuple(never_reached(samples.curve)),
    )


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


def _explain(choice, first, facet, rows, keys):
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
        text += " With intervals, it is marked which differences are clear."
    judged = max(model.n_judged for model in choice.models.values())
    if judged > first.n_samples:
        text += f" Only samples that all these models predict are counted; single models have up to {judged:,}."
    st.markdown(text)
    for row in rows if has_intervals else ():
        cautions = {key: row.intervals[key].caution(METRICS[key].range) for key in keys if key in row.intervals}
        of_row = ", ".join(escape(str(row.lead[name])) for name in row.lead if name != "n")
        told = [f"{METRICS[key].label}: {caution}" for key, caution in cautions.items() if caution is not None]
        if told:
            st.caption(f"{of_row}: {'; '.join(told)}.")


def _flat(row, keys):
    """A row of the download: numbers with the ends of their intervals in columns of their own."""
    cells = dict(row.lead)
    for key in keys:
        cells[key] = row.values.get(key)
        if row.intervals:
            span = row.intervals.get(key)
            ends = (None, None) if span is None else (float(span.lower), float(span.upper))
            cells |= dict(zip((f"{key}_low", f"{key}_high"), ends, strict=True))
    return cells


def _runs(choice):
    """Mean and spread over several runs of a method: those that were opened as such, those whose names say so, those chosen."""
    names = {choice.name(key): key for key in choice.keys}
    if len(names) < 2 and not choice.runs:
        return
    groups = {
        stem: [_numbers_of(choice, names[name]) for name in of_stem] for stem, of_stem in run_groups(names).items()
    }
    for key, models in choice.runs.items():
        groups[choice.name(key)] = [_numbers_of_run(choice, key, model) for model in models]
    with st.expander("Several runs of one model: mean ± standard deviation", expanded=bool(groups)):
        if len(names) > 1:
            st.multiselect(
                "These are runs of one model",
                list(names),
                help="Models whose names differ only in the number of a seed or run are grouped automatically.",
                **choosing.kept("runs", []),
            )
            chosen = [name for name in choosing.value("runs", []) if name in names]
            if len(chosen) > 1:
                groups["chosen"] = [_numbers_of(choice, names[name]) for name in chosen]
        if not groups:
            st.markdown("Choose at least two runs.")
            return
        table = []
        for stem, runs in groups.items():
            cells = {
                METRICS[key].label: f"{value_text(spread.mean)} ± {value_text(spread.sd)}"
                for key, spread in spread_over_runs(runs).items()
            }
            table.append({"model": stem, "runs": len(runs)} | cells)
        st.dataframe(pd.DataFrame(table), hide_index=True, key="runs-table", width="content")
        st.markdown(
            "Each row is the mean over the runs ± their standard deviation (n − 1 in the denominator), the variation between "
            "trainings; published tables may write 1.96 of it (Valmadre 2022) or an interval of the mean (Plaud et al. "
            "2024). The variation between samples is under Uncertainty."
        )


def _numbers_of(choice, key):
    return _numbers(choice, key, choosing.samples_of(choice)[key], None)


def _numbers_of_run(choice, key, model):
    """The numbers of one run of a method, on all samples that it judges."""
    return state.computed(
        "numbers of runs",
        (choice.data_key, key, model.predictions.run),
        lambda: model_numbers(judged_samples([model])[0]),
    )
