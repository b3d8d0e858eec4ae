"""What each inference rule reaches with one model: exact curves over their own number, families, and single points."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import layer, vconcat
from hierviz.charts._coupling import LEFT
from hierviz.charts._figure import Figure
from hierviz.charts._legend import legend
from hierviz.charts._plane import RIGHT, line_layers, plane
from hierviz.charts._rows import frame
from hierviz.charts._text import text_width
from hierviz.charts.curve_lines import envelopes, polylines
from hierviz.charts.theme import FONT, SMALL, palette, rule_label, rule_shape
from hierviz.curves.equal_levels import correctness_at
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import value_text
from hierviz.metrics.registry import METRICS, path_keys
from hierviz.thresholds._rule_frontiers import PUBLISHED, RuleFrontier, fronts

HEIGHT = 320
# Numbers that are written beside a curve, where they fit.
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
    """Two metrics of every rule: lines over the rule's own number, written beside them; points for rules without one.

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
    plot = max(width - LEFT - RIGHT, 160)
    domains = [numbers.domain(key, np.concatenate([one.values[key] for one in frontiers.values()])) for key in (x, y)]
    place = plane([numbers.axis_label(key) for key in (x, y)], domains, plot)
    layers = _lines(frontiers, x, y, domains, place, colours, front)
    points = _points(frontiers, x, y, colours, published)
    if points:
        layers.append(_marks(points, place, look, x, y))
        layers += _texts(_words(points, domains, plot, height), place, look)
    items = [
        {"kind": "point", "label": rule_label(rule), "shape": rule_shape(rule), "colour": colour}
        for rule, colour in colours.items()
    ]
    notes = [{"kind": "note", "label": "Better: top right"}]
    notes += [{"kind": "note", "label": note} for rule, note in NUMBERS.items() if rule in frontiers]
    if published and "threshold" in frontiers:
        notes += [{"kind": "note", "label": f"{name}: τ = {tau:g}"} for name, tau in PUBLISHED.items()]
    key = legend([("Rules", items), (None, notes)], width - RIGHT, dark=dark, start=LEFT)
    return vconcat(key, layer(*layers).properties(width=plot, height=height), spacing=18)


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
    """Where single rules and families lie beside the threshold curve, in words; all on the samples at hand."""
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
    said.append("Thresholds by depth were chosen on these samples." if _has_family(frontiers) else "")
    return " ".join(part for part in said if part)


def _has_family(frontiers):
    return any(one.thresholds_by_depth is not None for one in frontiers.values())


def _check(frontiers, x, y):
    if not frontiers or not all(isinstance(one, RuleFrontier) for one in frontiers.values()):
        raise PredictionsError(
            "rule_frontiers: expected a dict of rule to RuleFrontier, got none. Pass those of thresholds.rule_frontiers."
        )
    for what, key in (("x", x), ("y", y)):
        if key not in path_keys() or METRICS[key].better == "lower":
            known = [name for name in path_keys() if METRICS[name].better != "lower"]
            raise PredictionsError(f"{what}: expected one of {', '.join(known)}, got {key!r}. Choose one.")


def _lines(frontiers, x, y, domains, place, colours, front):
    curves = {rule: one.curve for rule, one in frontiers.items() if one.curve is not None}
    if front:
        curves = {rule: one for rule, one in frontiers.items() if one.n_points > 1}
    if not curves:
        return []
    drawn = (envelopes if front else polylines)(curves, x, y, *domains)
    return line_layers(drawn, place, [colours[rule] for rule in curves])


def _points(frontiers, x, y, colours, published):
    """Rows of the marks: settings along the curves, points of families, single rules, published thresholds."""
    rows = []
    for rule, one in frontiers.items():
        if one.curve is None:
            # A target, or the rule itself.
            wanted = [(k, f"{one.number[k]:g}" if one.sign else rule_label(rule)) for k in range(one.n_points)]
            at = [(text, float(one.values[x][k]), float(one.values[y][k])) for k, text in wanted]
        else:
            at = []
            for number in SHOWN[rule]:
                values = one.curve.at(number)
                at.append((f"{one.sign} {number:g}", float(values[x]), float(values[y])))
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
            rows.append(
                {
                    "rule": name,
                    "key": "published",
                    "text": name.split(" ")[0],
                    "x": float(values[x]),
                    "y": float(values[y]),
                }
                | {"colour": colours["threshold"], "shape": "circle", "size": 190}
            )
    return rows


def _marks(points, place, look, x, y):
    return (
        alt.Chart(frame(points))
        .mark_point(strokeWidth=1.8, fill=look.background, fillOpacity=0.85, opacity=1)
        .encode(
            **place,
            stroke=alt.Stroke("colour:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            size=alt.Size("size:Q", scale=None),
            tooltip=[
                alt.Tooltip("rule:N", title="Rule"),
                alt.Tooltip("text:N", title="Setting"),
                alt.Tooltip("x:Q", title=numbers.axis_label(x), format=numbers.number_format(x)),
                alt.Tooltip("y:Q", title=numbers.axis_label(y), format=numbers.number_format(y)),
            ],
        )
    )


def _texts(words, place, look):
    if not words:
        return []
    base = alt.Chart(frame(words)).encode(**place, text=alt.Text("text:N"))
    mark = {
        "align": alt.ExprRef("datum.align"),
        "dx": alt.ExprRef("datum.dx"),
        "dy": alt.ExprRef("datum.dy"),
        "baseline": "middle",
        "font": FONT,
        "fontSize": SMALL,
        "tooltip": None,
        "aria": False,
    }
    return [
        base.mark_text(stroke=look.background, strokeWidth=4, strokeJoin="round", **mark),
        base.mark_text(**mark).encode(color=alt.Color("colour:N", scale=None)),
    ]


def _words(points, domains, plot, height):
    """Labels that overlap neither another label nor the edge: single rules first, then settings; right, left, above, below."""
    taken, words = [], []

    def pixel(row):
        return (
            (row["x"] - domains[0][0]) / (domains[0][1] - domains[0][0]) * plot,
            (domains[1][1] - row["y"]) / (domains[1][1] - domains[1][0]) * height,
        )

    marks = [pixel(row) for row in points]
    order = sorted(
        range(len(points)), key=lambda k: (points[k]["key"] in SHOWN, points[k]["key"] == "depth_thresholds")
    )
    for k in order:
        row, (across, up) = points[k], marks[k]
        wide = text_width(row["text"], SMALL) + 4
        # Beyond the curves is room: above for the threshold, below for other rules.
        sides = [("left", 8, -10), ("left", 8, 13), ("right", -8, 13), ("right", -8, -10)]
        if row["key"] != "threshold":
            sides = [sides[2], sides[1], sides[0], sides[3]]
        for align, dx, dy in sides:
            start = across + dx - (wide if align == "right" else 0)
            box = (start, start + wide, up + dy - 7, up + dy + 7)
            inside = box[0] >= 0 and box[1] <= plot and box[2] >= 0 and box[3] <= height
            if (
                inside
                and not any(_meet(box, other) for other in taken)
                and not any(
                    box[0] - 4 < a < box[1] + 4 and box[2] - 2 < b < box[3] + 2
                    for j, (a, b) in enumerate(marks)
                    if j != k
                )
            ):
                taken.append(box)
                words.append(row | {"align": align, "dx": dx, "dy": dy})
                break
    return words


def _meet(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
