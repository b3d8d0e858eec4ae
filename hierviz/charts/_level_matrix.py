"""Models trained at different levels tested at each level: a row a model, a column a level."""

from __future__ import annotations

import functools

import numpy as np

from hierviz.charts._cell_matrix import cell_matrix
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import palette
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS
from hierviz.metrics.ties import rounded

TITLES = {"model": "Model", "trained": "Trained at", "tested": "Tested at", "value": "Value"}


def level_matrix(found, *, dark=None, width=800):
    """Cells of models by level; the darker the better within a level; a dash where a model does not know the level.

    Parameters
    ----------
    found : LevelMatrix
        Of `hierviz.diagnosis.level_matrix`.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``model, trained_at, tested_at, value``, each cell once.
    """
    return Figure(functools.partial(_drawn, found), lambda: _table(found), lambda: _sentence(found), dark, width)


def _drawn(found, dark, width):
    look, sign = palette(dark), METRICS[found.metric].sign
    cells = []
    for row, name in enumerate(found.models):
        line = []
        for column, level in enumerate(found.levels):
            value, known = found.value[row, column], sign * found.value[:, column]
            known = known[~np.isnan(known)]
            is_known = not np.isnan(value)
            is_best = is_known and rounded(sign * value) == rounded(known).max()
            share = 0.0
            if is_known:
                share = 0.8 if is_best else 0.45 * (sign * value - known.min()) / ((known.max() - known.min()) or 1)
            line.append(
                {
                    "text": value_text(float(value)) if is_known else "–",
                    "colour": mixed(look.background, look.path, share) if is_known else look.grid,
                    "ink": look.on_colour if is_best else look.ink,
                    "weight": "bold" if is_best else "normal",
                    "model": name,
                    "trained": f"level {found.finest[row]}",
                    "tested": f"level {level}",
                    "value": value_text(float(value)) if is_known else "the model does not know this level",
                }
            )
        cells.append(line)
    rows = [f"level {finest}: {name}" for name, finest in zip(found.models, found.finest, strict=True)]
    return cell_matrix(rows, [f"level {level}" for level in found.levels], cells, TITLES, dark=dark, width=width)


def _table(found):
    rows = {"model": [], "trained_at": [], "tested_at": [], "value": []}
    for row, name in enumerate(found.models):
        for column, level in enumerate(found.levels):
            for key, value in zip(rows, (name, found.finest[row], level, float(found.value[row, column])), strict=True):
                rows[key].append(value)
    return frame(rows)


def _sentence(found):
    """The best model of each level, in words."""
    sign, said = METRICS[found.metric].sign, []
    for column, level in enumerate(found.levels):
        values = sign * found.value[:, column]
        if not np.isnan(values).all():
            best = int(np.nanargmax(values))
            said.append(f"level {level} {found.models[best]} ({value_text(float(found.value[best, column]))})")
    return (
        f"{METRICS[found.metric].label}, best at {'; '.join(said)}." if said else "No model knows a level completely."
    )
