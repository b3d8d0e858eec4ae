"""The difference of two models where the same share of their answers is correct, with its band, and where it is not clear.

Not at the same threshold: thresholds of different models mean different things.
"""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts._plane import Plane, by_name, plot_of
from hierviz.charts.curve_table import short_label
from hierviz.charts.theme import palette
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text
from hierviz.metrics.registry import METRICS
from hierviz.taxonomy.checks import check_one_of
from hierviz.uncertainty.comparison import fewest_resamples, no_clear_difference, simultaneous
from hierviz.uncertainty.model_difference import ModelDifference
from hierviz.uncertainty.resamples import Interval, leaves_too_few_wrong

HATCH, UNCLEAR = 10, "no clear difference"
# Stretches that a sentence names.
MOST_RUNS = 3


def difference_band(difference, key, names, *, most_correct=None, dark=None, width=800, height=190):
    """Paired difference of two models against the share of correct answers: line, band, grey hatch where 0 lies in the band.

    Parameters
    ----------
    difference : CurveBands or ModelDifference
        Of `hierviz.uncertainty.comparison.paired_difference`: first model minus second, at equal correctness. Of
        `hierviz.uncertainty.difference_of_models`: its differences at equal specificity.
    key : str
        Of `difference.at_correct`; of a ModelDifference ``"correct"``, which is what differs there.
    names : (str, str)
        Of the two models.
    most_correct : (float, float), optional
        The largest share of correct answers of each model at any threshold. Beyond it a model counts as 0, and the
        sentence says so.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``correct, difference, low, high, clear, verdict``, one row a share of correct answers. Of a
        ModelDifference the first column is the specificity, by its key, at which both curves have points. The band holds at
        all these shares at once (`uncertainty.comparison.simultaneous`). Shares that leave too few wrong answers to compare
        are left out (`uncertainty.resamples.leaves_too_few_wrong`), and so are all but the last of those below which both models
        can always name the most probable leaf: nothing changes there. Its sentence says where one model is clearly more
        specific with the same share of correct answers.

    Raises
    ------
    PredictionsError
        If there is no such key.
    """
    levels, band = _compared(difference, key)
    clear = ~no_clear_difference(band)
    verdict = np.where(~clear, UNCLEAR, np.where(band.estimate > 0, "first is higher", "second is higher"))
    columns = {"correct": levels, "difference": band.estimate, "low": band.lower, "high": band.upper}
    table = frame(columns | {"clear": clear, "verdict": verdict.astype(object)})
    draw = functools.partial(_drawn, difference, key, names, table, height)
    sentence = functools.partial(_sentence, difference, levels, band, key, names, most_correct)
    # What is equal there is the specificity.
    if isinstance(difference, ModelDifference):
        table = table.rename(columns={"correct": difference.key})
    return Figure(draw, table, sentence, dark, width)


def _drawn(difference, key, names, rows, height, dark, width):
    look = palette(dark)
    top = max(0.02, 1.08 * float(np.nanmax(np.abs(np.append(rows[["low", "high"]].to_numpy(dtype=float), 0.0)))))
    low, high = (float(rows["correct"].min()), float(rows["correct"].max())) if len(rows) else (0.0, 1.0)
    ends = (low, high) if low < high else (low - 0.005, high + 0.005)
    title = "Share of the answers that is correct, at least"
    if isinstance(difference, ModelDifference):
        title = f"{METRICS[difference.key].label}, at least"
    titles = title, f"{short_label(key)}: {names[0]} − {names[1]}"
    on = Plane(look, titles, (ends, (-top, top)), plot_of(width), height, (".0%", "+.2f"))
    at_x, at_y = on.place["x"], on.place["y"]
    still, base, layers = STILL | {"clip": True}, alt.Chart(rows.assign(x=rows["correct"], y=rows["difference"])), []
    spans = unclear_spans(rows)
    if spans:
        grey = alt.Chart(frame([span | {"text": UNCLEAR} for span in spans]))
        across = {"x": alt.X("start:Q"), "x2": alt.X2("end:Q")}
        box = {"symbolType": "square", "symbolStrokeColor": look.muted, "offset": 28}
        colour = by_name(alt.Color, "text", {UNCLEAR: look.others}, on.plot, **box)
        # Hatched along its foot: not marked by colour alone.
        foot = grey.mark_rule(color=look.muted, strokeWidth=HATCH, strokeDash=[1.5, 3.5], yOffset=-HATCH / 2, **still)
        layers.append(grey.mark_rect(opacity=0.75, **still).encode(**across, color=colour))
        layers.append(foot.encode(**across, y=alt.YValue(height)))
    fields = {"correct:Q": (title, ".1%"), "difference:Q": ("Difference", "+.3f"), "low:Q": ("from", "+.3f")}
    tips = tooltips(fields | {"high:Q": ("to", "+.3f"), "verdict:N": "Verdict"})
    zero = alt.Chart(frame({"y": [0.0]})).mark_rule(color=look.muted, strokeDash=[3, 3], **still)
    layers += [
        base.mark_area(color=look.path, opacity=0.28, **still).encode(at_x, alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        zero.encode(at_y),
        base.mark_line(color=look.path, strokeWidth=2, **still).encode(at_x, at_y),
        base.mark_rule(opacity=0, strokeWidth=3).encode(at_x, y=alt.YValue(0), y2=alt.Y2Value(height), tooltip=tips),
    ]
    return on.chart(layers)


def _sentence(difference, levels, interval, key, names, most_correct):
    """One plain sentence: where one model is clearly higher, with the same share of correct answers or the same specificity."""
    unclear, n_drawn = no_clear_difference(interval), interval.resamples.n_resamples
    enough, label = fewest_resamples(interval.level), METRICS[key].label
    band = f"{100 * interval.level:.4g} % band of the paired difference"
    specificity = METRICS[difference.key].name if isinstance(difference, ModelDifference) else None
    if not len(levels):
        if specificity:
            return f"{label}: {names[0]} and {names[1]} share no {specificity} at which both can be compared."
        few = interval.resamples.why_no_interval or f"{interval.resamples.n_samples:,} samples are too few"
        who = f"{names[0]} and {names[1]}"
        return f"{label}: {few.partition(':')[0]} to compare {who} where the same share of answers is correct."
    if n_drawn < enough:
        return f"{label}: {n_drawn} resamples are too few to call a difference clear: take at least {enough}."
    if specificity:
        what, of_all = f"{label} where {specificity} is at least the same", "for all at once"
        until = f"up to {percent_text(levels[-1], 1)}, where the first of the curves ends"
    else:
        what, of_all = f"{label} where the same share of answers is correct", "for all shares at once"
        until = f"up to {percent_text(levels[-1], 1)} correct; beyond it too few answers are wrong to compare"
    for name, most in zip(names, most_correct or (), strict=bool(most_correct)):
        if most < levels[-1]:
            until += f"; {name} never has more than {percent_text(most, 1)} correct and counts as 0 from there on"
    if unclear.all():
        return f"{what}: no clear difference between {names[0]} and {names[1]}: the {band} contains 0 everywhere ({until})."
    sides = [(name, ~unclear & (sign * interval.estimate > 0)) for name, sign in zip(names, (1, -1), strict=True)]
    higher = [f"{name} is clearly higher {_where(levels, where, specificity)}" for name, where in sides if where.any()]
    rest = "; where it is grey and hatched, no difference is clear" if unclear.any() else ""
    return f"{what}: {', '.join(higher)}{rest} ({band}, {of_all}, {until})."


def _runs(holds):
    """First and last place of each stretch in which something holds: two arrays."""
    change = np.diff(np.concatenate([[0], holds.astype(int), [0]]))
    return np.flatnonzero(change == 1), np.flatnonzero(change == -1) - 1


def unclear_spans(table):
    """Stretches without a clear difference: list of dicts ``start``, ``end``, ascending, half a step wider each way."""
    level, inside = table["correct"].to_numpy(), ~table["clear"].to_numpy(dtype=bool)
    if not inside.any():
        return []
    middles = np.concatenate([[level[0]], (level[1:] + level[:-1]) / 2, [level[-1]]])
    first, last = _runs(inside)
    return [{"start": start, "end": end} for start, end in zip(middles[first].tolist(), middles[last + 1].tolist())]


def _where(levels, where, specificity=None):
    """The shares of correct answers, or the values of a measure of specificity, at which something holds, in words."""
    if where.all():
        return "at all shares" if specificity is None else "everywhere"
    runs = [
        f"{percent_text(levels[a], 1)}" if a == b else f"{percent_text(levels[a], 1)} to {percent_text(levels[b], 1)}"
        for a, b in zip(*_runs(where), strict=True)
    ]
    left = len(runs) - MOST_RUNS
    more = f" and in {left} more range{'s' if left > 1 else ''}" if left > 0 else ""
    named = ", ".join(runs[:MOST_RUNS])
    return f"where at least {named} are correct{more}" if specificity is None else f"at {specificity} {named}{more}"


def _compared(difference, key):
    """The shares of correct answers at which two models are compared, ascending, and their band there."""
    if isinstance(difference, ModelDifference):
        return _at_specificity(difference, key)
    check_one_of("key", key, difference.at_correct)
    interval, levels = difference.at_correct[key], difference.levels
    usable = ~leaves_too_few_wrong(interval.resamples.n_samples, levels) & ~np.isnan(interval.lower)
    same = (interval.estimate == interval.estimate[:1]) & (interval.draws == interval.draws[:, :1]).all(axis=0)
    usable &= np.arange(len(levels)) >= np.logical_and.accumulate(same).sum() - 1
    picked = [values[..., usable] for values in (interval.estimate, interval.lower, interval.upper, interval.draws)]
    return levels[usable], simultaneous(Interval(*picked, interval.level, interval.resamples))


def _at_specificity(difference, key):
    """The values of specificity at which both models have an interval, and the band there."""
    if key != "correct":
        raise PredictionsError(f"key: expected 'correct' of a difference at equal specificity, got {key!r}. Choose it.")
    usable = ~np.isnan(difference.at_specificity.lower)
    if not usable.any():
        found = difference.at_specificity
        parts = (values[..., :0] for values in (found.estimate, found.lower, found.upper, found.draws))
        return difference.specificity[:0], Interval(*parts, found.level, found.resamples)
    return difference.specificity[usable], difference.over_range(0, 1, of="specificity")
