"""What each inference rule reaches with one model: exact curves over their own number, families, and single points."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, STILL, frame
from hierviz.charts._figure import Figure
from hierviz.charts._plane import Plane, Room, by_name, plot_of, points
from hierviz.charts.curve_lines import envelopes, polylines
from hierviz.charts.theme import SMALL, palette, rule_label, rule_shape
from hierviz.curves.equal_levels import correctness_at
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.taxonomy.checks import check_one_of
from hierviz.thresholds._rule_frontiers import PUBLISHED, RuleFrontier, fronts

HEIGHT = 320
# Numbers that are written next to a curve, where they fit.
SHOWN = {
    "threshold": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99),
    "darts": (0, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000),
    "information_threshold": tuple(range(1, 12)),
}
NUMBERS = {"darts": "λ in bits", "information_threshold": "ζ in bits", "depth_thresholds": "by depth: target"}
# Points of one rule that a table lists.
MOST_ROWS = 2000


def rule_frontiers(
    frontiers, *, x="info_recall", y="correct", front=False, published=False, dark=None, width=800, height=HEIGHT
):
    """Two metrics of every rule: lines over the rule's own number, written next to them; points for rules without one.

    Parameters
    ----------
    frontiers : dict of str to RuleFrontier
        Of `hierviz.thresholds.rule_frontiers`.
    x, y : str
        Of `hierviz.metrics.registry.path_keys`, in both of which more is better.
    front : bool
        Draw the Pareto front of each rule, as steps: the best y at each x or a larger one.
    published : bool
        Mark the thresholds of `hierviz.thresholds._rule_frontiers.PUBLISHED` on the curve of rule ``threshold``.
    dark : bool, optional
    width, height : int
        Pixels: of the whole figure, of the plot.

    Returns
    -------
    Figure
        Its table: ``rule, setting, number, thresholds_by_depth``, the metrics, ``on_front``: no point of any rule beats
        this one in `x` and `y`. Of a rule with more than `MOST_ROWS` points it has the front, and points evenly among the
        rest; `RuleFrontier.values` has all.

    Raises
    ------
    PredictionsError
        If there is no rule, or a metric is unknown or a loss.
    """
    _check(frontiers, x, y)
    draw = functools.partial(_drawn, frontiers, x, y, front, published, height)
    on_front = functools.cache(lambda: fronts(frontiers, x, y))
    sentence = functools.partial(_sentence, frontiers, x, y, on_front)
    return Figure(draw, lambda: _table(frontiers, on_front()), sentence, dark, width)


def _drawn(frontiers, x, y, front, published, height, dark, width):
    look = palette(dark)
    colours = {rule: look.models[place % len(look.models)] for place, rule in enumerate(frontiers)}
    values = [np.concatenate([one.values[key] for one in frontiers.values()]) for key in (x, y)]
    domains = tuple(map(numbers.domain, (x, y), values))
    on = Plane(look, (numbers.axis_label(x), numbers.axis_label(y)), domains, plot_of(width), height)
    if front:
        curves = {rule: one for rule, one in frontiers.items() if one.n_points > 1}
    else:
        curves = {rule: one.curve for rule, one in frontiers.items() if one.curve is not None}
    drawn = (envelopes if front else polylines)(curves, x, y, *domains) if curves else None
    layers = on.lines(drawn, {"colour": [colours[rule] for rule in curves]}, color=OWN_COLOUR) if curves else []
    rows = _points(frontiers, x, y, colours, published)
    if rows:
        fields = {"rule:N": "Rule", "text:N": "Setting", **numbers.tips_of(x, y)}
        layers += [points(rows, on.place, look, fields), *on.words(_words(rows, on), fontSize=SMALL)]
    of_rules = alt.Chart(frame({"label": [rule_label(rule) for rule in frontiers]})).mark_point(opacity=0, **STILL)
    looks = {"symbolFillColor": "transparent", "symbolSize": 70, "symbolStrokeWidth": 1.8, "offset": 28}
    channels = [
        by_name(channel, "label", {rule_label(rule): of for rule, of in drawn_as.items()}, on.plot, "Rules", **looks)
        for channel, drawn_as in ((alt.Stroke, colours), (alt.Shape, {rule: rule_shape(rule) for rule in frontiers}))
    ]
    notes = ["Better: top right", *(note for rule, note in NUMBERS.items() if rule in frontiers)]
    if published and "threshold" in frontiers:
        notes += [f"{name}: τ = {tau:g}" for name, tau in PUBLISHED.items()]
    return on.chart([*layers, of_rules.encode(*channels)], notes)


def _table(frontiers, on_front):
    columns = {name: [] for name in ("rule", "setting", "number", "thresholds_by_depth", *path_keys(), "on_front")}
    for rule, one in frontiers.items():
        kept = np.arange(one.n_points)
        if one.n_points > MOST_ROWS:
            evenly = np.linspace(0, one.n_points - 1, MOST_ROWS).astype(int)
            kept = np.unique(np.append(np.flatnonzero(on_front[rule]), evenly))
        texts = one.thresholds_by_depth or [None] * one.n_points
        columns["rule"] += [rule] * len(kept)
        columns["setting"] += [one.setting(k) for k in kept.tolist()]
        columns["number"] += one.number[kept].tolist()
        columns["thresholds_by_depth"] += [texts[k] for k in kept.tolist()]
        columns["on_front"] += on_front[rule][kept].tolist()
        for key in path_keys():
            columns[key] += one.values[key][kept].tolist()
    return frame(columns)


def _sentence(frontiers, x, y, on_front):
    """Single rules and families compared with the threshold curve, in words; all on these samples."""
    on_front = on_front()
    n_front = sum(int(mask.sum()) for mask in on_front.values())
    shares = ", ".join(f"{rule_label(rule)} {int(mask.sum()):,}" for rule, mask in on_front.items())
    said = [f"{n_front:,} points are beaten by no other in both metrics: {shares}."]
    threshold = frontiers.get("threshold")
    names = METRICS[x].label.lower(), METRICS[y].label.lower()
    for rule, one in frontiers.items():
        if one.sign or threshold is None or y != "correct" or threshold.curve is None:
            continue
        at, value = float(one.values[x][0]), float(one.values[y][0])
        reached = float(correctness_at(threshold.curve, at, x))
        best = "never reaches it" if np.isnan(reached) else f"reaches {value_text(reached)}"
        said.append(
            f"{rule_label(rule)}: {names[1]} {value_text(value)} at {names[0]} {value_text(at)}, where the curve of the "
            f"threshold {best}."
        )
    has_family = any(one.thresholds_by_depth is not None for one in frontiers.values())
    said.append("Thresholds by depth were chosen on these samples." if has_family else "")
    return " ".join(part for part in said if part)


def _check(frontiers, x, y):
    if not frontiers or not all(isinstance(one, RuleFrontier) for one in frontiers.values()):
        raise PredictionsError(
            "rule_frontiers: expected a dict of rule to RuleFrontier, got none. Pass those of thresholds.rule_frontiers."
        )
    known = [name for name in path_keys() if METRICS[name].better != "lower"]
    for what, key in (("x", x), ("y", y)):
        check_one_of(what, key, known)


def _points(frontiers, x, y, colours, published):
    """Rows of the marks: settings along the curves, points of families, single rules, published thresholds."""
    rows = []
    for rule, one in frontiers.items():
        if one.curve is None:
            # A target, or the rule itself.
            texts = [f"{one.number[k]:g}" if one.sign else rule_label(rule) for k in range(one.n_points)]
            at = [(text, float(one.values[x][k]), float(one.values[y][k])) for k, text in enumerate(texts)]
        else:
            values = [(f"{one.sign} {number:g}", one.curve.at(number)) for number in SHOWN[rule]]
            at = [(text, float(value[x]), float(value[y])) for text, value in values]
        # Settings that give the same point are one mark.
        at = list({(across, up): (text, across, up) for text, across, up in reversed(at)}.values())[::-1]
        rows += [
            {"rule": rule_label(rule), "key": rule, "text": text, "x": across, "y": up, "size": 60}
            | {"colour": colours[rule], "shape": rule_shape(rule)}
            for text, across, up in at
        ]
    if published and "threshold" in frontiers:
        for name, tau in PUBLISHED.items():
            values = frontiers["threshold"].curve.at(tau)
            place = {"x": float(values[x]), "y": float(values[y]), "shape": "circle", "size": 190}
            of_name = {"rule": name, "key": "published", "text": name.split(" ")[0], "colour": colours["threshold"]}
            rows.append(of_name | place)
    return rows


def _words(rows, on):
    """Labels that overlap neither another label nor a mark: single rules first, then settings; right, left, above, below."""
    marks, words = [on.pixel(row) for row in rows], []
    room = Room((0, on.plot, 0, on.height), SMALL, others=np.transpose(marks))
    for k in sorted(range(len(rows)), key=lambda k: (rows[k]["key"] in SHOWN, rows[k]["key"] == "depth_thresholds")):
        # Beyond the curves is room: above for the threshold, below for other rules.
        spots = [("left", 8, -10), ("left", 8, 13), ("right", -8, 13), ("right", -8, -10)]
        if rows[k]["key"] != "threshold":
            spots = [spots[2], spots[1], spots[0], spots[3]]
        label = room.placed(rows[k]["text"], [(*marks[k], *spot) for spot in spots])
        if label:
            words.append(rows[k] | label)
    return words
