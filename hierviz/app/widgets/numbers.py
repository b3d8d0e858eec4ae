"""Numbers that open their definition, formula, source and arithmetic (of a sample); the table of models against metrics."""

import math
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.table import FIRST, SECOND, TIED, ends
from hierviz.charts.comparison_words import ONE_TAU, never_text
from hierviz.evaluation.bounds import WIDENED
from hierviz.evaluation.model_table import standings
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.uncertainty.comparison import fewest_samples

# Bold is a verdict by intervals on every page; without intervals a sign marks which number is first, and no more.
MARKS = f"**Bold**: the best of a column and, with {TIED}, what is not clearly different from it; {SECOND}: the best of the rest."
FIRSTS = f"{FIRST} is the best number of a column, which may be chance."
BOUNDS = (
    "In brackets: the file lists some classes of each sample only, so the number leaves out the unknown scores of the others; "
    f"the number from all scores is between these bounds ({WIDENED}). No best is marked in such a column."
)
TIES = (
    f"{TIED}: not clearly different from the best by simultaneous intervals of the differences of all pairs (max-|t|)."
)


def shown(key, value):
    """A value as text: yes or no, a count, or decimals; – where undefined."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if value in ("Infinity", math.inf):
        return "∞"
    if METRICS[key].is_binary and value in (0, 1):
        return "yes" if value else "no"
    if METRICS[key].unit in ("nodes", "samples", "points", "edges") and float(value).is_integer():
        return f"{int(value):,}"
    return value_text(float(value))


def number(key, value, arithmetic=None, *, label=None, where="", text=None):
    """A button with label and value, or its `text`, that opens the definition of the number."""
    entry = METRICS[key]
    with st.popover(f"{label or entry.label}  **{text or shown(key, value)}**", key=f"number-{where}-{key}"):
        if arithmetic:
            st.markdown(f"**This sample:** {escape(arithmetic)}")
        definition(key)


def definition(key):
    """Sentence, formula, range and source of a number."""
    entry = METRICS[key]
    st.markdown(f"**{entry.label}.** {escape(entry.sentence)}")
    st.latex(entry.formula)
    low, high = ("∞" if math.isinf(bound) else f"{bound:g}" for bound in entry.range)
    unit = f" {entry.unit}" if entry.unit else ""
    better = {"higher": "higher is better", "lower": "lower is better", "neither": ""}[entry.better]
    st.caption(f"From {low} to {high}{unit}{'; ' + better if better else ''}. Source: {entry.source}.")
    link_to("learn", "Terms and symbols", "menu_book", lesson="glossary", step="")


def definitions(keys, where, title=""):
    """A row of buttons after a title, one for each number, that open its definition."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if title:
            st.markdown(title, width="content")
        for key in keys:
            with st.popover(METRICS[key].label, type="tertiary", key=f"definition-{where}-{key}"):
                definition(key)


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
    """One row: what comes before the metrics (column -> value), the metrics, their Intervals, Standing marks by key.

    `never` has the keys whose share of correct answers no threshold reaches; `bounds` (low, high) of keys, or None where there
    are none, when scores are unknown; `spread` the standard deviations between runs.
    """

    lead: dict
    values: dict
    intervals: dict = field(default_factory=dict)
    marks: dict = field(default_factory=dict)
    never: tuple = ()
    bounds: dict = field(default_factory=dict)
    spread: dict = field(default_factory=dict)

    def flat(self, keys):
        """The row of the download: numbers, the ends of their intervals in columns of their own, and their bounds."""
        cells = dict(self.lead)
        for key in keys:
            cells[key] = self.values.get(key)
            if self.intervals:
                low, high = ends(self.intervals.get(key)) or (None, None)
                cells |= {f"{key}_low": low, f"{key}_high": high}
        pairs = {key: pair for key, pair in self.bounds.items() if pair is not None}
        return cells | {f"{key}_{end}": pair[k] for key, pair in pairs.items() for k, end in enumerate(("low", "high"))}


def ranked(rows, keys, unranked=()):
    """The rows with marks by key: "best", "tied" and "second" by intervals, else "first"; the same columns in all.

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
    """Draw Rows with their download; a column sorts by its number, not by its text.

    Parameters
    ----------
    rows : list of Row
    keys : sequence of str
        Keys of METRICS.
    key : str
        Of the widget.
    """
    labels = {key: METRICS[key].label for key in keys}
    frame = pd.DataFrame([row.lead | {labels[key]: row.values.get(key) for key in keys} for row in rows])
    for label in labels.values():
        frame[label] = pd.to_numeric(frame[label], errors="coerce")
    # Whole numbers, such as how many samples a row is about.
    texts = {name: "{:,}".format for name in rows[0].lead if pd.api.types.is_integer_dtype(frame[name])}
    texts |= {label: [cell_text(row, key) for row in rows] for key, label in labels.items()}
    is_bold = [[labels[key] for key in keys if row.marks.get(key, set()) & {"best", "tied"}] for row in rows]
    columns = dict.fromkeys(rows[0].lead) | {
        label: st.column_config.NumberColumn(help=METRICS[key].sentence) for key, label in labels.items()
    }
    table.draw(frame, columns, key=key, texts=texts, looks=table.bold(frame, is_bold))
    table.download("CSV", pd.DataFrame([row.flat(keys) for row in rows]), "models.csv", f"get-{key}")


def cell_text(row, key):
    """A number with its spread, its marks, its interval, and what unknown scores could make of it, as text."""
    spread = value_text(row.spread[key]) if key in row.spread else ""
    note = f" ({never_text(key)})" if key in row.never else ""
    interval, marks = ends(row.intervals.get(key)), row.marks.get(key, ())
    text = table.cell_text(row.values.get(key), interval, marks, spread=spread, note=note)
    if key not in row.bounds or text == "–":
        return text
    pair = row.bounds[key]
    bounds = "no bounds" if pair is None else f"{value_text(float(pair[0]))} to {value_text(float(pair[1]))}"
    return f"{text}  ({bounds})"
