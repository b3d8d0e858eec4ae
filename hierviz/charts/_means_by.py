"""A number with its interval, a dot a method: in parts of the samples, and over all samples with the runs of each method."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import frame
from hierviz.charts._figure import Figure
from hierviz.charts._items import dots
from hierviz.charts._text import wrap_words
from hierviz.charts.theme import SMALL, model_colours, palette
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.checks import check_one_of
from hierviz.uncertainty.resamples import FEWEST

# Parts that are drawn: the largest ones.
MOST = 24


def means_by(found, *, among=None, dark=None, width=800):
    """Dot plot of a metric in each part of the samples, with intervals.

    Parameters
    ----------
    found : dict of str to MeansBy
        Model, or method with its runs; of the same samples, divided by the same value.
    among : sequence of str, optional
        Names that these models are chosen from, as of `operating_curves`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model``, ``part``, ``n``, ``mean``, ``lower``, ``upper``; with runs ``n_runs``, ``spread``. Small
        circles are runs, the dot is their mean. Of more than `MOST` parts the largest are drawn; the table has all. A note
        says how many samples have no value and are in no part.

    Raises
    ------
    PredictionsError
        If there is no model, no part, or models differ in what divides their samples.
    """
    first, table = _checked(found), _table(found)
    return Figure(functools.partial(_drawn, found, first, table, among), table, lambda: _sentence(found), dark, width)


def _drawn(found, first, rows, among, dark, width):
    kept = np.sort(np.argsort(-first.n, kind="stable")[:MOST]).tolist()
    items = {first.label[place]: f"{first.by}: {first.label[place]}\nn = {int(first.n[place]):,}" for place in kept}
    rows = rows[rows["part"].isin(list(items)) & np.isfinite(rows["mean"].astype(float))]
    label = METRICS[first.metric].label
    tooltip = {"model:N": "Model", "part:N": first.by, "value:Q": label}
    tooltip |= {"lower:Q": "Interval from", "upper:Q": "to", "n:Q": "Samples"}
    if "spread" in rows:
        tooltip |= {"spread:Q": "Standard deviation between runs", "n_runs:Q": "Runs"}
    rows = rows.assign(item=[items[part] for part in rows["part"]], value=rows["mean"])
    look, notes = palette(dark), _notes(found, len(first) - len(kept))
    drawn = dots(
        rows.sort_values("part", key=lambda parts: parts.map(list(items).index), kind="stable"),
        model_colours(found, dark, among),
        tooltip,
        title=label,
        domain=_limits(found),
        look=look,
        width=width,
        runs=_run_rows(found, items),
    )
    text = [line for note in notes for line in wrap_words(note, 0.6 * width, SMALL, 6)]
    title = alt.TitleParams(text, color=look.muted, fontSize=SMALL, anchor="start", frame="group")
    return drawn.properties(title=title) if notes else drawn


def _notes(found, n_hidden=0):
    """What the dots do not count, in words."""
    first, n = next(iter(found.values())), {name: one.n_without for name, one in found.items() if one.n_without}
    notes = [f"Only in the table: {n_hidden} smaller parts."] if n_hidden else []
    if not n:
        return notes
    is_one = len(n) == len(found) and len(set(n.values())) == 1
    counts = f"{first.n_without:,}" if is_one else ", ".join(f"{of_one:,} ({name})" for name, of_one in n.items())
    return [*notes, f"Left out: {counts} samples without a value of {first.by} or of {METRICS[first.metric].label}."]


def _run_rows(found, items):
    """Rows of the single runs of methods that have several."""
    return [
        {"model": name, "run": f"{run + 1} of {one.n_runs}", "part": part, "value": float(value), "item": items[part]}
        for name, one in found.items()
        if one.n_runs > 1
        for run, means in enumerate(one.run_means)
        for part, value in zip(one.label, means, strict=True)
        if part in items and np.isfinite(value)
    ]


def _table(found):
    keys = ["n", "mean", "lower", "upper"]
    keys += ["n_runs", "spread"] if any(one.n_runs > 1 for one in found.values()) else []
    columns = {"model": np.repeat(np.array(list(found), dtype=object), [len(one) for one in found.values()])}
    columns |= {"part": [label for one in found.values() for label in one.label]}
    values = {key: [np.broadcast_to(getattr(one, key), len(one)) for one in found.values()] for key in keys}
    return frame(columns | {key: np.concatenate(of) for key, of in values.items()})


def _sentence(found):
    """Where each model is weakest, in words, and whether its interval excludes the mean over all samples."""
    said = []
    for name, one in found.items():
        entry = METRICS[one.metric]
        known = np.flatnonzero(np.isfinite(one.mean) & np.isfinite(one.lower))
        if not len(known):
            said.append(f"{name}: no part has ten samples.")
            continue
        lower_is_worse = entry.better != "lower"
        worst = known[np.argmin(one.mean[known]) if lower_is_worse else np.argmax(one.mean[known])]
        is_clear = one.upper[worst] < one.overall if lower_is_worse else one.lower[worst] > one.overall
        mean, low, high = (value_text(float(values[worst])) for values in (one.mean, one.lower, one.upper))
        said.append(
            f"{name}: {entry.label} is worst for {one.by} "
            f"{one.label[worst]}, {mean}{_spread(one, worst)} [{low}, {high}] of {int(one.n[worst]):,} samples; "
            f"over all samples {'with a value ' if one.n_without else ''}it is "
            f"{value_text(one.overall)}{'' if is_clear else ', inside this interval: no clear difference'}."
        )
    first = next(iter(found.values()))
    few = [label for label, n in zip(first.label, first.n.tolist(), strict=True) if 0 < n < FEWEST]
    if few:
        named = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        said.append(f"Dots without a line ({first.by} {named}): fewer than {FEWEST} samples have no interval.")
    return " ".join(said)


def _spread(one, place):
    """± the standard deviation between runs, in words; empty with one run."""
    if one.n_runs < 2 or not np.isfinite(one.spread[place]):
        return ""
    return f" (± {value_text(float(one.spread[place]))} between {one.n_runs} runs)"


def _checked(found):
    if not found:
        raise PredictionsError(
            "means_by: expected at least one model, got none. Pass {name: hierviz.diagnosis.means_by(...)}."
        )
    first = next(iter(found.values()))
    for name, one in found.items():
        if (one.by, one.metric, one.label) != (first.by, first.metric, first.label):
            raise PredictionsError(
                f"means_by: expected models whose samples are divided alike, got {one.by!r} with {len(one)} parts in {name!r}. "
                "Use the same samples, value and metric."
            )
    if not len(first):
        raise PredictionsError(
            "means_by: expected at least one part of the samples, got none. Divide by something else."
        )
    return first


def _limits(found):
    """Range of the axis: that of the metric where it is bounded, else of what is drawn."""
    low, high = METRICS[next(iter(found.values())).metric].range
    if np.isfinite([low, high]).all():
        return low, high
    values = np.concatenate([of for one in found.values() for of in (one.mean, one.upper)])
    values = values[np.isfinite(values)]
    return low if np.isfinite(low) else 0.0, float(values.max(initial=1.0)) * 1.05


def method_intervals(found, key=None, *, dark=None, width=800):
    """Dot plot of one column of a table of methods.

    Parameters
    ----------
    found : ComparisonTable
        Of `hierviz.compare`.
    key : str, optional
        Of a column; the first when absent.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model, runs, value, spread, low, high, rank, mark``. Small dots are runs, the large one their mean
        with its interval.

    Raises
    ------
    PredictionsError
        If there is no such column, or no method has a finite value.
    """
    column = _column(found, key)
    table = _table_method(found, column)
    rows = table[np.isfinite(table["value"].astype(float))]
    if not len(rows):
        raise PredictionsError(f"method_intervals: expected a finite {column.key}, got none. Choose another column.")
    draw = functools.partial(_drawn_method, found, column, rows)
    return Figure(draw, table, lambda: _sentence_method(found, column), dark, width)


def _drawn_method(found, column, rows, dark, width):
    look, constant = palette(dark), found.constants.values.get(column.key)
    constant = constant if constant is not None and np.isfinite(constant) else None
    of_runs = [
        {"item": method.name, "model": "", "run": file.run or "", "value": value}
        for method in found.methods
        for file in found.files
        if file.name == method.name and method.n_runs > 1
        for value in (file.values[column.key],)
        if value is not None and np.isfinite(value)
    ]
    ends = [*rows["value"], *rows["low"].dropna(), *rows["high"].dropna(), *(run["value"] for run in of_runs)]
    ends += [] if constant is None else [constant]
    pad = 0.04 * (max(ends) - min(ends)) or 0.05
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(column.better, "")
    tooltip = {"item:N": "Method", "value:Q": column.label, "runs:Q": "Runs", "spread:Q": "Standard deviation of runs"}
    return dots(
        rows.assign(item=rows["model"], model="", lower=rows["low"], upper=rows["high"]),
        {"": look.path},
        tooltip | {"lower:Q": "Interval from", "upper:Q": "to"},
        title=f"{column.label}{f', {column.unit}' if column.unit else ''}{better}",
        domain=(max(column.range[0], min(ends) - pad), min(column.range[1], max(ends) + pad)),
        look=look,
        width=width,
        runs=of_runs,
        line=None if constant is None else (constant, {"color": look.fp, "strokeDash": [4, 3]}),
    )


def _table_method(found, column):
    key, methods = column.key, found.methods
    ends = [found.interval(method, column) or (None, None) for method in methods]
    columns = {"model": [one.name for one in methods], "runs": [one.n_runs for one in methods]}
    columns |= {"value": [one.value(key) for one in methods], "spread": [one.spread(key) for one in methods]}
    columns |= {"low": [low for low, _ in ends], "high": [high for _, high in ends]}
    return frame(columns | {"rank": list(found.ranks[key]), "mark": list(found.marks[key])})


def _sentence_method(found, column):
    """The best method of a column and all that are not clearly different from it, in words."""
    marked = list(zip(found.methods, found.marks[column.key], strict=True))
    best, tied = ([method for method, mark in marked if mark == wanted] for wanted in ("best", "tied"))
    constant = found.constants.values.get(column.key)
    answer = "" if constant is None else f" Dashed: the best constant answer, {value_text(constant)}."
    if not best:
        return f"{column.label}: nothing is marked, as the methods have no intervals.{answer}"
    first, others = (", ".join(one.name for one in methods) for methods in (best, tied))
    rest = f"not clearly different: {others}" if tied else "all others are clearly different"
    return f"{column.label}: {first} is best with {value_text(best[0].value(column.key))}; {rest}.{answer}"


def _column(found, key):
    if not isinstance(found, ComparisonTable):
        raise PredictionsError("method_intervals: expected a table of methods. Pass what hierviz.compare gives.")
    by_key = {column.key: column for column in found.columns}
    key = found.columns[0].key if key is None else key
    check_one_of("key", key, by_key)
    return by_key[key]
