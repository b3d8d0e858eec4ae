"""The chart of the operating curves on its page: what it is made of, drawn once and dragged without the server."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels import target_panel, uncertainty
from hierviz.app.state import current, rule_parameters, server_memory
from hierviz.app.state.components import component
from hierviz.app.widgets.figure import below, draw, main_place, written_out
from hierviz.app.widgets.progress import worked_out
from hierviz.charts.curve_axes import axes, set_axes
from hierviz.curves._set_curve import GRID, set_curve, set_operating_curve
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.model_table import BAND_THRESHOLDS
from hierviz.inference.parameters import THRESHOLD
from hierviz.metrics.path import mean_path_metrics
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.uncertainty.repeats import mean_curve, run_bands

# With the strip to drag below it, all is visible without scrolling on a laptop, and on a phone.
HEIGHT, HEIGHT_ON_PHONE = 380, 260


@dataclass(frozen=True)
class CurveChoice:
    """Digest of the data and models of the page, `keys` in the order of their colours; the rest of the choice is in the view.

    `runs` are all runs of a method, by the key of its first one, which is in `models`.
    """

    data_key: str
    taxonomy: Taxonomy
    models: dict
    runs: dict = field(default_factory=dict)
    # Names of all models of the data: the colour of one is the same whichever others are chosen.
    all_names: tuple = ()

    # The inference rule of the handle, and the alternative text of the chart.
    rule: ClassVar[str] = "threshold"
    alt: ClassVar[str] = "Operating curves of the chosen models with a threshold that can be dragged"

    @property
    def keys(self):
        """Keys of the models."""
        return list(self.models)

    @property
    def first(self):
        """The first of the models."""
        return next(iter(self.models.values()))

    def name(self, key):
        """Name of a model by its key."""
        return self.models[key].predictions.name

    @property
    def axes(self):
        """The pair of metrics."""
        return axes()[state.view().axes]

    def curve_of(self, key):
        """The operating curve of a method: of several runs their mean."""
        if key not in self.runs:
            return self.models[key].curve
        return state.computed(
            "mean curve", (self.data_key, key), lambda: mean_curve([run.curve for run in self.runs[key]])
        )

    def computed(self, name, make, *more):
        """`make()` once for the models of the page and what else it depends on."""
        return state.computed(name, (self.data_key, tuple(self.keys), *more), make)

    def worked_out(self, name, what, make, *more, unit=None):
        """As `computed`, of what takes long: see `progress.worked_out`."""
        return worked_out(name, (self.data_key, tuple(self.keys), *more), what, make, unit)

    def ahead(self, name, make, *more):
        """Begin with what `worked_out` will be asked for."""
        server_memory.ahead(name, (self.data_key, tuple(self.keys), *more), make)

    def samples(self):
        """JudgedSamples of every model by key, of a method those of its first run: the samples that all of them judge."""
        return {key: runs[0] for key, runs in self.samples_of_runs().items()}

    def samples_of_runs(self):
        """List of the JudgedSamples of the runs of every method by key: the samples that all of them judge."""

        def made():
            runs = {key: self.runs.get(key, [model]) for key, model in self.models.items()}
            found = iter(judged_samples([run for of in runs.values() for run in of]))
            return {key: [next(found) for _ in of] for key, of in runs.items()}

        return self.computed("judged samples", made)

    def first_samples(self):
        """JudgedSamples of the first model."""
        return next(iter(self.samples().values()))

    def columns(self, find):
        """What `find`, one of `group_columns` and `facet_columns`, finds among the samples."""
        return self.computed(find.__name__, lambda: find(self.first_samples()))

    def curves(self, start):
        """Operating curves by name; None where those of sets were cancelled."""
        curves = {self.name(key): self.curve_of(key) for key in self.keys}
        if self.axes.y != "hf1_samples":
            return curves
        thresholds = charts.knots(curves, *(start.threshold_of(key) for key in self.keys))

        def of_sets(stages):
            return {
                (name := self.name(key)): set_operating_curve(model, thresholds, stages(f"Predicted sets of {name}"))
                for key, model in self.models.items()
            }

        return self.worked_out("set curves", "Curves of predicted sets", of_sets, thresholds.tobytes())

    def threshold(self, view):
        """The threshold of a view: a number, or by name where every model has its own."""
        return {self.name(key): view.threshold_of(key) for key in self.keys} if view.own else view.threshold

    def rules(self):
        """Where the marked rules land: {model: {rule: {metric: value}}}; nothing where it was cancelled."""
        marked, settings = state.view().marked, self.settings

        def landed(stages):
            return {
                (name := self.name(key)): _landed(model, marked, dict(settings), stages(f"Answers of {name}"))
                for key, model in self.models.items()
            }

        return self.worked_out("rules", "Marks of the rules", landed, marked, settings) or {}

    @property
    def settings(self):
        """Name and value of the parameters of all rules but the threshold, for `Evaluation.answers`."""
        values = rule_parameters.rule_settings(self.taxonomy)
        return tuple((name, value) for name, value in values.items() if name != THRESHOLD.name)

    def layers(self):
        """What is shown besides the lines: marks of rules, depths of the answers, bands, and thresholds to ring."""
        tables = {self.name(key): (self.taxonomy, model.judged_table) for key, model in self.models.items()}
        return charts.CurveLayers(self.rules(), tables, bands=self.bands(), points=target_panel.points(self))

    def bands_shown(self):
        """What the bands depend on, for keys of caches."""
        return uncertainty.shown(self)

    def bands(self):
        """Bands by name for the chart, or None."""

        def of_runs(key):
            curves = [run.curve for run in self.runs[key]]
            return state.computed("run bands", (self.data_key, key), lambda: run_bands(curves, BAND_THRESHOLDS))

        return {**(uncertainty.bands(self) or {}), **{self.name(key): of_runs(key) for key in self.runs}} or None

    def intervals(self, now):
        """Intervals by name at the thresholds of a view."""
        return {self.name(key): uncertainty.at(self, key, now.threshold_of(key)) for key in self.keys}

    def comparison(self, model):
        """How a model compares with the others, in words."""
        return uncertainty.comparison(self, model)

    def read_out(self):
        """Keys of the metrics of the read-out."""
        return charts.read_out_keys(self.axes.x, self.axes.y)

    def stops(self, now):
        """Words and thresholds of the buttons that move the handle of the chosen model."""
        return [("majority", 0.5)]


class SetChoice(CurveChoice):
    """As CurveChoice, of the curves of predicted sets: without what belongs to one answer a sample."""

    rule = "threshold_set"
    alt = "Curves of the predicted sets of the chosen models with a threshold that can be dragged"

    @property
    def axes(self):
        """The pair of metrics."""
        pairs = set_axes(self.taxonomy.is_tree)
        return pairs.get(state.view().axes, next(iter(pairs.values())))

    def curves(self, start):
        """SetOperatingCurve by name, exact at all thresholds of the handle; None where they were cancelled."""
        thresholds = np.union1d(GRID, [start.threshold_of(key) for key in self.keys])
        found = {self.name(key): self._curve(key, thresholds) for key in self.keys}
        return None if any(curve is None for curve in found.values()) else found

    def _curve(self, key, thresholds):
        name, asked = self.name(key), (self.data_key, key, thresholds.tobytes())
        return worked_out(
            *("set curve", asked, f"Curve of the predicted sets of {name}"),
            lambda stages: set_curve(self.models[key], thresholds, stages(f"Predicted sets of {name}")),
        )

    def is_ready(self):
        """Compute the curves before the part of the page that runs alone; False where they were cancelled."""
        return self._started() is not None

    def _started(self):
        """The curves of the start of the chart."""
        return self.curves(state.session.get("curve_start") or state.view())

    def layers(self):
        """No marks, as those rules answer with one class; no histogram of depths, as a set has several; no bands and rings."""
        return charts.CurveLayers({}, points=[])

    def bands_shown(self):
        """No bands."""
        return None

    def intervals(self, now):
        """No intervals."""
        return {}

    def comparison(self, model):
        """No comparison: these models are described one by one."""
        return ""

    def stops(self, now):
        """Words and thresholds of the buttons that move the handle of the chosen model."""
        return charts.curve_stops(self._started(), self.name(now.model))

    def read_out(self):
        """Keys of the metrics of the read-out."""
        return charts.read_out_keys(self.axes.x, self.axes.y, self._started())

    def curve_table(self, key):
        """The whole curve of a model as a DataFrame."""
        return self._started()[self.name(key)].to_frame()


def _landed(model, marked, settings, progress):
    by_rule = model.answers_by_rule(marked, progress=progress, **settings)
    return {
        rule: mean_path_metrics(model.taxonomy, model.truth, answers[model.judged]) for rule, answers in by_rule.items()
    }


def first_picture(choice):
    """The lines alone, for the time that what is drawn on them takes."""
    view, dark, width = state.view(), state.is_dark(), state.session.px
    options = {"threshold": choice.threshold(view), "model": choice.name(state.shown_model_of(choice.keys))}
    look = {"among": choice.all_names, "dark": dark, "width": width, "height": HEIGHT}

    def make():
        curves = choice.curves(view)
        axes = replace(choice.axes, zoom="whole" not in view.drawn)
        return written_out(charts.operating_curves(curves, axes=axes, **options, **look))

    asked = (choice.data_key, tuple(choice.keys), view.axes, view.drawn, str(options), dark, width)
    draw(state.computed("first curves", asked, make), key="first-curves", alt=choice.alt)


def curve_chart(choice):
    """Draw the chart with all that belongs to it; returns the View of what is chosen on it."""
    view, dark, width = state.view(), state.is_dark(), state.session.px
    layers = replace(choice.layers(), envelope="envelope" in view.drawn, levels="levels" in view.drawn)
    options = (view.axes, view.drawn, view.marked, choice.settings, bool(view.own))
    options = (*options, choice.bands_shown(), str(layers.points))
    start, key = current.curve_start(f"{options}-{dark}-{width}-{'-'.join(choice.keys)}", choice.keys)
    curves, threshold = choice.curves(start), choice.threshold(start)
    alike = {
        "axes": replace(choice.axes, spread=True if "spread" in view.drawn else None, zoom="whole" not in view.drawn),
        "threshold": threshold,
        "model": choice.name(start.model),
        "layers": layers,
    }
    drawn = (choice.data_key, tuple(choice.keys), options, str(threshold), start.model)
    # The component drags where plain Vega-Lite cannot: it sets the chart's own inputs, so the chart moves and reports by itself.
    places = state.computed("drag", drawn, lambda: charts.curve_drag(curves, **alike))

    height = HEIGHT_ON_PHONE if state.is_narrow() else HEIGHT
    look = {"among": choice.all_names, "dark": dark, "width": width, "height": height}

    def make():
        return written_out(charts.operating_curves(curves, **alike, **look))

    spec = state.computed("curves", (*drawn, dark, width), make)
    with main_place("content"):
        event = draw(spec, key=key, on_select="rerun", selection_mode=charts.selections(curves), alt=choice.alt)
    component(__file__, "curve_drag")(key=f"drag-{key}", data=places)
    now = current.dragged(event, start, choice.keys, choice.rule)
    alike |= {"threshold": choice.threshold(now), "model": choice.name(now.model)}
    moved = charts.operating_curves(curves, **alike, **look, intervals=choice.intervals(now))
    banded = charts.bands_sentence(layers.bands, choice.axes.x, choice.axes.y)
    # What the chosen model does is the title of the picture, and follows the handle there.
    said = " ".join(filter(None, [choice.comparison(now.model), banded]))
    below(moved, name="operating-curves", sentence=said, alt=choice.alt)
    return now
