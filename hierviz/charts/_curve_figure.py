"""Everything the panels of the operating curves share, worked out once: knots, domains, markers, the coupling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._coupling import Coupling
from hierviz.charts.curve_knots import ThresholdScale, knots
from hierviz.charts.theme import model_colours, palette, rule_label, rule_shape
from hierviz.curves.operating_curve import best_at_correct
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.registry import METRICS


@dataclass(frozen=True)
class CurveWords:
    """What is told of some curves.

    Attributes
    ----------
    told : dict of str to str
        Metrics of the sentence, each with its words.
    best : dict of str to str
        Metrics that have a threshold where they are best, each with its words.
    half : str
        What the threshold 0.5 is called.
    at_level : str
        Metric whose best threshold with 95 % correct answers is a stop; none where empty.
    """

    told: dict
    best: dict
    half: str
    at_level: str = ""

    def stops(self, curve):
        """(label, threshold) of the thresholds worth stopping at."""
        stops = [(self.half, 0.5)]
        stops += [(f"best {label}", curve.best_threshold(key)) for key, label in self.best.items()]
        if self.at_level:
            stops.append(("95 % correct", curve.best_threshold(self.at_level, correct=0.95)))
        return [(label, threshold) for label, threshold in stops if threshold is not None]


def words_of(curves, counts="information"):
    """The CurveWords of some curves; `counts` is 'information' or 'depth'."""
    if numbers.are_sets(curves):
        briefs = {key: METRICS[key].brief or METRICS[key].label for key in numbers.common_keys(curves)}
        return CurveWords(briefs, {key: brief for key, brief in briefs.items() if "f1" in key}, "0.5")
    value = "depth" if counts == "depth" else "info"
    told = {
        "correct": "correct",
        "exact": "exact",
        "no_answer": "no answer",
        f"{value}_recall": METRICS[f"{value}_recall"].name,
    }
    return CurveWords(told, {f"{value}_f1": "F1"}, "majority", f"{value}_recall")


LEVELS = (0.90, 0.95)
# Axes and strip where none are chosen: of one answer a sample, and of predicted sets.
DEFAULTS = (
    {"x": "info_recall", "y": "correct", "strip": "info_f1"},
    {"x": "hr_samples", "y": "hp_samples", "strip": "hf1_samples"},
)


@dataclass(frozen=True, eq=False)
class CurveFigure:
    """Models, axes and look of one figure of operating curves; parameters as of `operating_curves`."""

    curves: dict
    threshold: float | dict = 0.5
    x: str | None = None
    y: str | None = None
    strip: str | None = None
    model: str | None = None
    rules: dict | None = None
    answers: dict | None = None
    spread: bool | None = None
    zoom: bool = True
    dark: bool = False
    bands: dict | None = None
    points: list | None = None
    among: list | None = None

    def __post_init__(self):
        object.__setattr__(self, "curves", numbers.checked_curves(self.curves))
        for field, key in DEFAULTS[numbers.are_sets(self.curves)].items():
            if getattr(self, field) is None:
                object.__setattr__(self, field, key)
        if self.x != "threshold":
            numbers.checked_metric(self.x, "x", self.curves)
        numbers.checked_metric(self.y, "y", self.curves)
        numbers.checked_metric(self.strip, "strip", self.curves)
        for point in self.points or ():
            if point["model"] not in self.curves:
                raise PredictionsError(
                    f"points: expected a model of {', '.join(self.curves)}, got {point['model']!r}. Choose one."
                )

    @cached_property
    def look(self):
        """Palette of the theme."""
        return palette(self.dark)

    @cached_property
    def colours(self):
        """Colour of every model, in order."""
        return list(model_colours(self.curves, self.dark, self.among).values())

    @cached_property
    def coupling(self):
        """What the browser shares between the panels."""
        thresholds, is_shared = numbers.checked_thresholds(self.threshold, self.curves)
        picked = numbers.checked_model(self.model, self.curves)
        return Coupling(list(self.curves), thresholds, picked, is_shared)

    @cached_property
    def thresholds(self):
        """Thresholds that the handle can stand at, ascending."""
        return knots(
            self.curves, *self.coupling.thresholds, *(threshold for stops in self.stops for _, threshold in stops)
        )

    @cached_property
    def scale(self):
        """Where thresholds stand on their axis."""
        return ThresholdScale.from_curves(self.curves, self.spread)

    @cached_property
    def keys(self):
        """Metrics of the read-out."""
        return numbers.read_out_keys(self.x, self.y, self.curves)

    @cached_property
    def words(self):
        """The CurveWords: what is told of these curves."""
        return words_of(self.curves, numbers.counted(self.x, self.y))

    @cached_property
    def knots(self):
        """The knot table with all that is drawn."""
        axes = (key for key in (self.x, self.y, self.strip) if key != "threshold")
        keys = dict.fromkeys([*self.keys, *axes, *self.words.told])
        return numbers.knot_table(self.curves, list(keys), self.thresholds, self.scale, self.answers)

    @cached_property
    def stops(self):
        """(label, threshold) of the thresholds worth stopping at, for every model."""
        return [self.words.stops(curve) for curve in self.curves.values()]

    @cached_property
    def markers(self):
        """Where the rules without a threshold land: one row a model and rule."""
        rows = []
        for number, name in enumerate(self.curves):
            for rule, values in (self.rules or {}).get(name, {}).items():
                at = values.get(self.x), values.get(self.y)
                if all(number is not None and math.isfinite(number) for number in at):
                    rows.append(
                        {"model": name, "rule": rule, "label": rule_label(rule), "shape": rule_shape(rule)}
                        | {"x": float(at[0]), "y": float(at[1]), "colour": self.colours[number]}
                    )
        return rows

    @cached_property
    def levels(self):
        """Construction of "as specific as possible at 90 and 95 % correct": one row a model and level; empty elsewhere.

        ``level``, ``x`` (the largest at which so much is correct), ``j``, ``colour``.
        """
        if self.y != "correct" or self.x == "threshold":
            return []
        return [
            {"level": level, "x": best_at_correct(curve.values[self.x], curve.values["correct"], level)}
            | {"j": number, "colour": self.colours[number]}
            for level in LEVELS
            for number, curve in enumerate(self.curves.values())
        ]

    @cached_property
    def x_domain(self):
        """Range of the x axis."""
        return self._domain(self.x, "x")

    @cached_property
    def y_domain(self):
        """Range of the y axis."""
        return self._domain(self.y, "y")

    def _domain(self, key, field):
        if key == "threshold":
            return 0.0, 1.0
        drawn = [numbers.extremes(curve, key) for curve in self.curves.values()] + [
            [row[field] for row in self.markers]
        ]
        for band in (self.bands or {}).values():
            # A band that leaves the picture would look narrower than it is.
            drawn += [band.curve[key].lower, band.curve[key].upper] if field == "y" and key in band.curve else []
        return numbers.domain(key, np.concatenate(drawn), self.zoom)

    def places(self, number):
        """Places of a model on the main panel at all knots, shares of its width and height: x and y, shape (n_knots,)."""
        at = list(self.curves.values())[number].at(self.thresholds)
        across = self.scale.place(self.thresholds) if self.x == "threshold" else _share(at[self.x], self.x_domain)
        return across, 1 - _share(at[self.y], self.y_domain)


def _share(values, limits):
    return (np.asarray(values) - limits[0]) / (limits[1] - limits[0])
