"""The table of models against metrics that all pages use: sortable numbers, intervals, and the same marks everywhere."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.charts.comparison_words import ONE_TAU, never_text
from hierviz.evaluation.bounds import WIDENED
from hierviz.evaluation.model_table import standings
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.comparison import fewest_samples

FIRST, SECOND, TIED = "①", "②", "≈"
# Bold is a verdict by intervals on every page; without intervals a sign says which number is first, and no more.
MARKS = f"**Bold**: the best of a column and, with {TIED}, what is not clearly different from it; {SECOND}: the best of the rest."
FIRSTS = f"{FIRST} is the best number of a column, which may be chance."
BOUNDS = (
    "In brackets: the file lists some classes of each sample only, so the number leaves out the unknown scores of the others; "
    f"the number that all scores would give lies between these bounds ({WIDENED}). No best is marked in such a column."
)
TIES = (
    f"{TIED}: not clearly different from the best by simultaneous intervals of the differences of all pairs (max-|t|)."
)


def unmarked(keys):
    """Why some columns have no such marks, in Markdown; empty where all have."""
    names = [METRICS[key].label for key in keys]
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"{listing(names)} {verb} measured at one τ, so no best is marked: {ONE_TAU[0].lower()}{ONE_TAU[1:]}"


def too_few_text(keys):
    """Why columns have neither intervals nor marks in rows of few samples, in Markdown; empty without such columns."""
    if not keys:
        return ""
    least = listing([f"{METRICS[key].label} needs at least {fewest_samples(key)} samples" for key in keys])
    return f"{least}; with fewer, neither marks nor intervals are shown."


def listing(names):
    """Names in words: one, two and three."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True)
class Row:
    """One row: what stands before the metrics (column -> value), the metrics, their Intervals, Standing marks by key.

    `never` has the keys whose share of correct answers no threshold reaches; `bounds` (low, high) of keys, or None where there
    are none, when scores are unknown.
    """

    lead: dict
    values: dict
    intervals: dict = field(default_factory=dict)
    marks: dict = field(default_factory=dict)
    never: tuple = ()
    bounds: dict = field(default_factory=dict)


def ranked(rows, keys, unranked=()):
    """The rows with marks by key: "best", "tied" and "second" by intervals, else "first"; the same columns stand in all.

    No mark for the keys in `unranked`.
    """
    marks = [{} for _ in rows]
    for key in keys:
        if key in unranked:
            continue
        intervals = [row.intervals.get(key) for row in rows]
        intervals = None if any(interval is None for interval in intervals) else intervals
        standing = standings(key, [row.values.get(key) for row in rows], intervals)
        for mark, name in zip(marks, standing, strict=True):
            mark[key] = {"first" if intervals is None else name} if name else set()
    return [replace(row, marks=mark) for row, mark in zip(rows, marks, strict=True)]


def metric_table(rows, keys, key):
    """Draw Rows; a column sorts by its number, not by its text.

    Parameters
    ----------
    rows : list of Row
    keys : sequence of str
        Keys of METRICS.
    key : str
        Of the widget.
    """
    leads = list(rows[0].lead)
    labels = [METRICS[key].label for key in keys]
    table = pd.DataFrame(
        [[*row.lead.values(), *(row.values.get(key) for key in keys)] for row in rows], columns=[*leads, *labels]
    )
    for label in labels:
        table[label] = pd.to_numeric(table[label], errors="coerce")
    # Whole numbers, such as how many samples a row is about.
    styled = table.style.format("{:,}", subset=[name for name in leads if pd.api.types.is_integer_dtype(table[name])])
    for place, row in enumerate(rows):
        for metric, label in zip(keys, labels, strict=True):
            styled = styled.format(_CellText(cell_text(row, metric)), subset=([place], [label]))
    bold = pd.DataFrame("", index=table.index, columns=table.columns)
    for place, row in enumerate(rows):
        for metric, label in zip(keys, labels, strict=True):
            if row.marks.get(metric, set()) & {"best", "tied"}:
                bold.loc[place, label] = "font-weight: bold"
    st.dataframe(
        styled.apply(lambda _: bold, axis=None),
        hide_index=True,
        key=key,
        column_config={
            label: st.column_config.NumberColumn(help=METRICS[key].sentence)
            for key, label in zip(keys, labels, strict=True)
        },
    )


def cell_text(row, key):
    """A number with its marks and its interval, as text."""
    value, interval, marks = row.values.get(key), row.intervals.get(key), row.marks.get(key, ())
    if value is None or value != value:
        return "–"
    signs = {"first": FIRST, "second": SECOND, "tied": TIED}
    signs = "".join(f"\N{NO-BREAK SPACE}{sign}" for name, sign in signs.items() if name in marks)
    span = span_text(interval)
    note = f" ({never_text(key)})" if key in row.never else ""
    return f"{value_text(value)}{note}{signs}{span}{bounds_text(row, key)}"


def span_text(interval):
    """An interval as text behind its number; empty where there is none."""
    if interval is None or np.isnan(interval.lower):
        return ""
    return f"  [{value_text(interval.lower)}, {value_text(interval.upper)}]"


def bounds_text(row, key):
    """What unknown scores could make of a number, as text behind it; empty where nothing is unknown."""
    if key not in row.bounds:
        return ""
    pair = row.bounds[key]
    return "  (no bounds)" if pair is None else f"  ({value_text(float(pair[0]))} to {value_text(float(pair[1]))})"


class _CellText:
    """A formatter of one cell."""

    def __init__(self, text):
        self.text = text

    def __call__(self, value):
        return self.text
