"""What the panels below the operating curves share: settings, samples, tables of values, and the button of a threshold."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import pick
from hierviz.charts import threshold_text
from hierviz.charts.curve_table import short_label
from hierviz.evaluation.common_samples import group_columns
from hierviz.metrics.registry import METRICS, share_keys

MEMORY = "choosing"


@dataclass(frozen=True)
class Setting:
    """One setting of the panels, which the session remembers: its field, and its value where the field is not shown.

    Attributes
    ----------
    field : str
        Of the memory.
    label : str
    default
        The first option if it is none of them; a function takes the choice of the page.
    width : int or None
        Pixels.
    options : dict of value to str, sequence, or callable, optional
        What can be chosen; a function takes the choice of the page. A field whose only option this is is not drawn.
    numbers : tuple, optional
        Lowest and highest number, step and format, in place of options.
    help : str, optional
    segmented : bool
        A row of segments, not a menu.
    is_labelled : bool
        Whether the label is visible.
    """

    field: str
    label: str
    default: object = None
    width: int | None = None
    options: object = None
    numbers: tuple = ()
    help: str | None = None
    segmented: bool = False
    is_labelled: bool = True

    def _of(self, choice, default):
        """(default, options or None) with this choice of the page."""
        default, options = (
            of(choice) if isinstance(of, Callable) else of
            for of in (self.default if default is None else default, self.options)
        )
        return default if options is None or default in options else next(iter(options)), options

    def value(self, choice=None, default=None):
        """The value, whether the field is drawn or not."""
        default, options = self._of(choice, default)
        stored = state.memory(MEMORY).get(self.field, default)
        return stored if options is None or stored in options else default

    def ask(self, choice=None, default=None):
        """Draw the field; returns the value."""
        default, options = self._of(choice, default)
        widget = {"help": self.help} | ({} if self.width is None else {"width": self.width})
        widget |= {} if self.is_labelled else {"label_visibility": "collapsed"}
        if options is None:
            low, high, step, form = self.numbers
            kept = state.kept(MEMORY, self.field, default, **widget)
            return st.number_input(self.label, low, high, step=step, format=form, **kept)
        if len(options) > 1:
            pick(self.label, options, (MEMORY, self.field), default, segmented=self.segmented, **widget)
        return self.value(choice, default)


def percent(field, label, default, width, low=0.0, high=100.0, step=1.0, form="%.1f", help=None):
    """A Setting in per cent."""
    return Setting(field, label, default, width, numbers=(low, high, step, form), help=help)


NO_GROUPS = "no groups"


def group_setting(field, help):
    """The Setting of the column whose values are groups of dependent samples; `group_of` gives it."""
    return Setting(
        field,
        "Group by",
        NO_GROUPS,
        230,
        lambda choice: (NO_GROUPS, *choice.columns(group_columns)),
        help=f"Samples of one user, document or place are dependent: {help}",
    )


def group_of(setting, choice):
    """The column of a `group_setting`, or None."""
    group = setting.value(choice)
    return None if group == NO_GROUPS else group


def ask(choice, *settings):
    """Draw settings in a row; returns their values."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return [setting.ask(choice) for setting in settings]


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
    keys, intervals = shown_keys() if keys is None else keys, intervals or {}
    cells = []
    for name, row in rows.items():
        spans = {key: table.ends(interval) for key, interval in intervals.get(name, {}).items()}
        texts = {short_label(key): table.cell_text(row.get(key), spans.get(key)) for key in keys}
        cells.append({first: name, "τ": row["τ"]} | texts)
    # Without a width the first column may cut its names off, and heads of neighbours touch.
    columns = {first: table.words(width=20 + 8 * max(map(len, [first, *rows]))), "τ": None}
    frame = pd.DataFrame(cells)
    for key in keys:
        head = short_label(key)
        width = table.width_of(head, frame[head])
        columns[head] = table.words(help=METRICS[key].sentence, alignment="right", width=width)
    table.draw(frame, columns, key=key, width="content")
