"""What the panels below the operating curves share: the samples, the choices that stay in the session, tables, buttons."""

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets.metric_table import span_text
from hierviz.charts import threshold_text
from hierviz.charts.curve_table import short_label
from hierviz.evaluation.common_samples import judged_samples
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS, share_keys

MEMORY = "choosing"
# Share of correct answers that is asked for at first, in percent.
LEVEL = 95.0


def kept(field, default, options=None, **widget):
    """Keywords of a widget whose value stays in the session; the default where it is none of `options` any more."""
    state.memory(MEMORY)[field] = value(field, default, options)
    return state.kept(MEMORY, field, default, **({} if options is None else {"options": list(options)}), **widget)


def value(field, default, options=None):
    """The value of such a widget, also where it is not on the page."""
    stored = state.memory(MEMORY).get(field, default)
    return stored if options is None or stored in options else default


def samples_of(choice):
    """JudgedSamples of every model on the page by key: the samples that all of them judge."""
    keys = tuple(choice.keys)
    return state.computed(
        "judged samples",
        (choice.data_key, keys),
        lambda: dict(zip(keys, judged_samples(choice.models.values()), strict=True)),
    )


def columns_of(choice, find):
    """What `find`, one of `group_columns` and `facet_columns`, finds among the samples of the page."""
    first = next(iter(samples_of(choice).values()))
    return state.computed(find.__name__, (choice.data_key, tuple(choice.keys)), lambda: find(first))


def with_interval(number, interval=None):
    """A number as text, with its interval where it has one."""
    if number is None or number != number:
        return "–"
    return f"{value_text(number)}{span_text(interval)}"


def use_threshold(threshold, model, key):
    """The button that moves the handle of a model to a threshold."""
    is_there = state.view().threshold_of(model) == threshold
    st.button(
        f"{'Current' if is_there else 'Use'} τ = {threshold_text(threshold)}",
        key=f"use-{key}",
        type="primary",
        disabled=is_there,
        icon=":material/check:" if is_there else ":material/my_location:",
        on_click=state.move_threshold,
        args=(threshold, model),
    )


def shown_keys():
    """Metrics of an operating point: the shares by information, and how many samples get no answer."""
    return (*share_keys(), "no_answer")


def value_table(rows, key, *, first, keys=None, intervals=None):
    """Rows of numbers, the same columns in all panels.

    Parameters
    ----------
    rows : dict of str to dict of str to object
        First column, then ``τ`` and the metrics; those that are no column are left out.
    key : str
        Of the widget.
    first : str
        Title of the first column.
    keys : sequence of str, optional
        Metrics; those by information from 0 to 1 if not given.
    intervals : dict of str to dict of str to Interval, optional
        By row and metric.
    """
    keys = shown_keys() if keys is None else keys
    table = pd.DataFrame(
        [[name, row["τ"], *(row.get(key) for key in keys)] for name, row in rows.items()],
        columns=[first, "τ", *(short_label(key) for key in keys)],
    )
    for place, metric in enumerate(keys, 2):
        spans = [(intervals or {}).get(name, {}).get(metric) for name in rows]
        texts = [with_interval(row.get(metric), span) for row, span in zip(rows.values(), spans, strict=True)]
        table.isetitem(place, texts)
    st.dataframe(
        table,
        hide_index=True,
        key=key,
        width="content",
        # Without a width the first column may cut its names off.
        column_config={first: st.column_config.TextColumn(width=20 + 8 * max(map(len, [first, *rows])))}
        | {
            short_label(key): st.column_config.TextColumn(help=METRICS[key].sentence, alignment="right") for key in keys
        },
    )
