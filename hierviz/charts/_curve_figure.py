"""Everything the panels of the operating curves share, computed once: knots, domains, markers, the coupling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierviz.charts import curve_table as numbers
from hierviz.charts._coupling import Coupling
from hierviz.charts._plane import Plane
from hierviz.charts.curve_axes import CurveAxes
from hierviz.charts.curve_knots import ThresholdScale, knots
from hierviz.charts.curve_lines import pixels_of
from hierviz.charts.theme import model_colours, palette, rule_label, rule_shape
from hierviz.curves.envelopes import best_at_correct
from hierviz.messages.errors import PredictionsError
from hierviz.metrics.registry import METRICS


@dataclass(frozen=True)
class CurveWords:
    """What the sentence and the stops of some curves name.

    Attributes
    ----------
    metrics : dict of str to str
        Metrics of the sentence, each with its words.
    best : dict of str to str
        Metrics that have a threshold where they are best, each with its words.
    half : str
        What the threshold 0.5 is called.
    at_level : str
        Metric whose best threshold with 95 % correct answers is a stop; none where empty.
    """

    metrics: dict
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
    metrics = {"correct": "correct", "exact": "exact", "no_answer": "no answer"}
    metrics[f"{value}_recall"] = METRICS[f"{value}_recall"].name
    return CurveWords(metrics, {f"{value}_f1": "F1"}, "majority", f"{value}_recall")


LEVELS = (0.90, 0.95)
# Curves are apart where the eye sees it: by this share of the height of the picture.
PARTED = 0.01
# Axes and strip where none are chosen: of one answer a sample, and of predicted sets.
DEFAULTS = (
    {"x": "info_recall", "y": "correct", "strip": "info_f1"},
    {"x": "hr_samples", "y": "hp_samples", "strip": "hf1_samples"},
)


@dataclass(frozen=True, eq=False)
class CurveLayers:
    """What operating curves show besides their lines.

    Attributes
    ----------
    rules : dict of str to dict of str to dict, optional
        Model, inference rule, metric values (those of the axes are used): hollow markers.
    answers : dict of str to (Taxonomy, ParetoTable), optional
        By model, of the samples of its curve: adds the depths of the answers and the share not at a leaf.
    envelope : bool
        Draw the non-increasing envelopes that AP and AC integrate; the raw curves are pale below them.
    levels : bool
        Construct the largest `x` at 90 and 95 % correct (R@90C, R@95C for information recall), where `y` is correct.
    bands : dict of str to CurveBands, optional
        By model: a pale area, at each threshold the interval of `y` at the mean of `x`.
    points : list of dict, optional
        Thresholds to ring on the curve of the chosen model: ``model``, ``label``, ``threshold``; of a target that is a value of
        a metric also ``metric`` and ``level``: it is a line across where an axis has this metric.
    """

    rules: dict | None = None
    answers: dict | None = None
    envelope: bool = False
    levels: bool = False
    bands: dict | None = None
    points: list | None = None


@dataclass(frozen=True, eq=False)
class CurveFigure:
    """Models, axes and look of one figure of operating curves; parameters as of `operating_curves`."""

    curves: dict
    threshold: float | dict = 0.5
    axes: CurveAxes | None = None
    model: str | None = None
    layers: CurveLayers | None = None
    among: list | None = None
    dark: bool = False

    def __post_init__(self):
        object.__setattr__(self, "curves", numbers.checked_curves(self.curves))
        chosen = {field: key for field, key in vars(self.axes or CurveAxes()).items() if key is not None}
        axes = CurveAxes(**{**DEFAULTS[numbers.are_sets(self.curves)], **chosen})
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "layers", self.layers or CurveLayers())
        for field in ("x", "y", "strip"):
            if (field, getattr(axes, field)) != ("x", "threshold"):
                numbers.checked_metric(getattr(axes, field), field, self.curves)
        numbers.checked_model(self.model, self.curves)
        for point in self.layers.points or ():
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
        """Thresholds that the handle can be at, ascending."""
        stops = (threshold for of in self.stops for _, threshold in of)
        return knots(self.curves, *self.coupling.thresholds, *stops)

    @cached_property
    def scale(self):
        """Where thresholds are on their axis."""
        return ThresholdScale.from_curves(self.curves, self.axes.spread)

    @cached_property
    def keys(self):
        """Metrics of the read-out."""
        return numbers.read_out_keys(self.axes.x, self.axes.y, self.curves)

    @cached_property
    def words(self):
        """The CurveWords of these curves."""
        return words_of(self.curves, numbers.counted(self.axes.x, self.axes.y))

    @cached_property
    def knots(self):
        """The knot table with all that is drawn."""
        axes = (key for key in (self.axes.x, self.axes.y, self.axes.strip) if key != "threshold")
        keys = dict.fromkeys([*self.keys, *axes, *self.words.metrics])
        return numbers.knot_table(self.curves, list(keys), self.thresholds, self.scale, self.layers.answers)

    @cached_property
    def stops(self):
        """(label, threshold) of the thresholds worth stopping at, for every model."""
        return [self.words.stops(curve) for curve in self.curves.values()]

    @cached_property
    def markers(self):
        """Where the rules without a threshold land: one row a model and rule."""
        rows = []
        for number, name in enumerate(self.curves):
            for rule, values in (self.layers.rules or {}).get(name, {}).items():
                at = values.get(self.axes.x), values.get(self.axes.y)
                if all(number is not None and math.isfinite(number) for number in at):
                    rows.append(
                        {"model": name, "rule": rule, "label": rule_label(rule), "shape": rule_shape(rule)}
                        | {"x": float(at[0]), "y": float(at[1]), "colour": self.colours[number]}
                    )
        return rows

    @property
    def has_envelope(self):
        """Whether envelopes are drawn."""
        return self.layers.envelope and self.axes.x != "threshold"

    @cached_property
    def levels(self):
        """Construction of "as specific as possible at 90 and 95 % correct": one row a model and level; empty where not wanted.

        ``level``, ``x`` (the largest at which so much is correct), ``j``, ``colour``.
        """
        if not self.layers.levels or self.axes.y != "correct" or self.axes.x == "threshold":
            return []
        return [
            {"level": level, "x": best_at_correct(curve.values[self.axes.x], curve.values["correct"], level)}
            | {"j": number, "colour": self.colours[number]}
            for level in LEVELS
            for number, curve in enumerate(self.curves.values())
        ]

    @cached_property
    def domains(self):
        """Ranges of the axes x and y."""
        x, y = self.axes.x, self.axes.y
        up = self._domain(y, self._drawn(y, "y"))
        across = self._drawn(x, "x")
        if self.axes.zoom and x != "threshold" != y:
            # All curves start at one place: left of where they part there is one line, at least for the eye.
            across = np.maximum(across, numbers.parting(self.curves, x, y, PARTED * (up[1] - up[0])))
            rings = [row["x"] for row in self.rings]
            across = np.concatenate([across, [row["x"] for row in self.markers], rings])
        return self._domain(x, across), up

    def _drawn(self, key, field):
        """All that is drawn along an axis."""
        if key == "threshold":
            return np.array([0.0, 1.0])
        drawn = [
            *(numbers.extremes(curve, key) for curve in self.curves.values()),
            [row[field] for row in self.markers],
        ]
        for band in (self.layers.bands or {}).values():
            # A band that leaves the picture would look narrower than it is.
            drawn += [band.curve[key].lower, band.curve[key].upper] if field == "y" and key in band.curve else []
        return np.concatenate(drawn)

    def _domain(self, key, drawn):
        return (0.0, 1.0) if key == "threshold" else numbers.domain(key, drawn, self.axes.zoom)

    @cached_property
    def rings(self):
        """Thresholds to ring: one row a model and label, with its place ``x`` and ``y`` on the curve."""
        rows, names, (x, y) = [], list(self.curves), (self.axes.x, self.axes.y)
        for point in self.layers.points or ():
            number, threshold = names.index(point["model"]), float(point["threshold"])
            at = self.curves[point["model"]].at(threshold)
            across = float(self.scale.place(threshold) if x == "threshold" else at[x])
            row = {"j": number, "threshold": threshold, "x": across, "y": float(at[y]), "label": str(point["label"])}
            rows.append(row | {"colour": self.colours[number]})
        return rows

    @cached_property
    def targets(self):
        """Targets that are a line on this picture: dict of label to (axis, value)."""
        axes = {self.axes.x: "x", self.axes.y: "y"}
        return {
            str(point["label"]): (axes[point["metric"]], float(point["level"]))
            for point in self.layers.points or ()
            if point.get("metric") in axes
        }

    def plane(self, plot, height):
        """The Plane of the main panel on so many pixels."""
        titles = numbers.axis_label(self.axes.x), numbers.axis_label(self.axes.y)
        return Plane(self.look, titles, self.domains, plot, height)

    def places(self, number):
        """Places of a model on the main panel at all knots, shares of its width and height: x and y, shape (n_knots,)."""
        at, x = list(self.curves.values())[number].at(self.thresholds), self.axes.x
        # What is left of a cropped picture is at its edge.
        across = self.scale.place(self.thresholds) if x == "threshold" else pixels_of(at[x], self.domains[0], 1).clip(0)
        return across, 1 - pixels_of(at[self.axes.y], self.domains[1], 1)
