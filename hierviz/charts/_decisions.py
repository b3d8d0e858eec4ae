"""Which rule for which metric: a cell for each of both, with the rule that is optimal in theory and the best one marked."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._compose import frame
from hierviz.charts._figure import Figure
from hierviz.charts._word_cells import cells_drawn, room_of, word_cell
from hierviz.charts.theme import palette, rule_label
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.thresholds._decisions import Decisions

# Pixels of a cell of two lines: its height, and the narrowest; of the width, what names of rules take at most.
ROW, NARROWEST, NAMES_SHARE = 44, 88, 0.44
# Of a best cell: how blue it is.
BEST = 0.3


def decisions(found, *, dark=None, width=900):
    """Rules by metrics: the mean with its interval; a frame around the rule that is optimal in theory, bold on blue the best.

    Parameters
    ----------
    found : Decisions
        Of `hierviz.thresholds.decisions`.
    dark : bool, optional
    width : int
        Pixels. Where cells would be too narrow the first metrics are drawn and the table has all.

    Returns
    -------
    Figure
        Its table: ``rule, metric, value, lower, upper, threshold`` (of a tuned rule, the median of those chosen), ``optimal``: in
        theory, ``best``: of the metric, or equal to it, ``expected``: what the optimal rule would reach if the probabilities were
        right.

    Raises
    ------
    PredictionsError
        If these are no Decisions.
    """
    if not isinstance(found, Decisions):
        raise PredictionsError(
            "decisions: expected what hierviz.thresholds.decisions gives, got something else. Pass that."
        )
    return Figure(functools.partial(_drawn, found), lambda: _table(found), lambda: _sentence(found), dark, width)


def n_metrics_drawn(found, width):
    """How many of the metrics `decisions` draws in so many pixels: the first ones."""
    return min(len(found.metrics), room_of(width, NARROWEST, NAMES_SHARE)[1])


def _drawn(found, dark, width):
    look, cells, all_best = palette(dark), [], found.is_best
    for row, rule in enumerate(found.rules):
        for column, key in enumerate(found.metrics):
            entry, value = METRICS[key], found.values[row, column]
            is_best, is_optimal = all_best[row, column], found.optimal[column] == row
            tips = {"rule": rule_label(rule), "metric": f"{entry.label} ({entry.better} is better)"}
            if np.isnan(value):
                text = "–"
                tips["said"] = "A set of classes has no value for a metric of one class"
            else:
                text = f"{value_text(value)}\n{_interval(found.lower[row, column], found.upper[row, column])}"
                tips["said"] = _said(found, row, column)
            shade = None if np.isnan(value) else BEST * bool(is_best)
            name = f"{entry.label}{' ↓' if entry.better == 'lower' else ''}"
            cells.append(
                word_cell(look, _name(found, rule), name, text, shade, "bold" if is_best else "normal", **tips)
            )
            if is_optimal:
                cells[-1]["edge"] = look.ink
    titles = {"rule": "Rule", "metric": "Metric", "said": "Value"}
    return cells_drawn(cells, titles, dark, width, row=ROW, narrowest=NARROWEST, share=NAMES_SHARE)


def _name(found, rule):
    is_tuned = np.isfinite(found.thresholds[found.rules.index(rule)]).any()
    return f"{rule_label(rule)}{' (tuned)' if is_tuned else ''}"


def _interval(low, high):
    return "" if np.isnan(low) else f"[{value_text(low)}, {value_text(high)}]"


def _said(found, row, column):
    parts = [f"{value_text(found.values[row, column])} {_interval(found.lower[row, column], found.upper[row, column])}"]
    if np.isfinite(found.thresholds[row, column]):
        parts.append(f"τ = {found.thresholds[row, column]:.3g}, median of those chosen on other samples")
    if found.optimal[column] == row:
        parts.append("optimal if the probabilities are right")
        if np.isfinite(found.expected[column]):
            parts.append(f"expected {value_text(found.expected[column])}")
    return "; ".join(parts)


def _table(found):
    names = ("rule", "metric", "value", "lower", "upper", "threshold", "optimal", "best", "expected")
    columns, all_best = {name: [] for name in names}, found.is_best
    for row, rule in enumerate(found.rules):
        for column, key in enumerate(found.metrics):
            is_optimal = bool(found.optimal[column] == row)
            cell = (
                *(rule, key),
                *(float(of[row, column]) for of in (found.values, found.lower, found.upper, found.thresholds)),
                *(is_optimal, bool(all_best[row, column])),
                float(found.expected[column]) if is_optimal else float("nan"),
            )
            for name, value in zip(names, cell, strict=True):
                columns[name].append(value)
    return frame(columns)


def _sentence(found):
    """Where the optimal rule has the best value, and where another wins: by how much, and what was expected."""
    some = "" if found.n_samples == found.n_judged else f", {found.n_samples:,} samples drawn from {found.n_judged:,}"
    wins, said = {"highest": [], "lowest": []}, []
    for column, key in enumerate(found.metrics):
        name, optimal, best = METRICS[key].label, found.optimal[column], found.best[column]
        reached, expected = found.values[optimal, column], found.expected[column]
        if optimal == best:
            wins["lowest" if METRICS[key].better == "lower" else "highest"].append(name)
            continue
        interval = _interval(found.difference_lower[column], found.difference_upper[column])
        apart = f"paired difference {value_text(found.difference[column])} {interval}".rstrip()
        better, rule = "better" if found.is_clear(column) else "not clearly better", rule_label(found.rules[optimal])
        said.append(f"{name}: {_name(found, found.rules[best])} is {better} than {rule} ({apart}).")
        if np.isfinite(expected):
            said.append(f"{rule} was expected to reach {value_text(expected)} and reached {value_text(reached)}.")
    first, has_others = f"{found.name}{some}: ", bool(said)
    if any(wins.values()):
        which = " and ".join(f"the {end} {', '.join(names)}" for end, names in wins.items() if names)
        said.insert(0, f"the rule that is optimal in theory has {which}; whether by more than chance is not tested.")
    if has_others:
        said.append(
            f"Each interval is of that pair alone, whose first is the best of {len(found.rules)} rules. The more expected and "
            "reached values differ, the more the probabilities are off."
        )
    return first + " ".join(said)
