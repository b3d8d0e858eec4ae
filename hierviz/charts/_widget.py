"""Operating curves and examples in a notebook whose threshold Python can read and set."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np

from hierviz.charts._example import ExampleFigure
from hierviz.charts._figure import show
from hierviz.charts._operating_curves import curve_drag, operating_curves
from hierviz.charts.curve_table import checked_curves
from hierviz.charts.export import looks_of, packed
from hierviz.charts.ladder_record import step_at
from hierviz.charts.scripts import LADDER, script_of, text_of
from hierviz.messages.errors import PredictionsError, shown
from hierviz.taxonomy.checks import check_one_of, is_number


def widget(
    curves: Any, threshold: float | None = None, *, dark: bool | None = None, width: int = 1000, **options: Any
) -> Any:
    """Operating curves, or an example, whose threshold can be dragged, read and set.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, OperatingCurve, Predictions, Evaluation, or a list of these two
        As `hierviz.charts.operating_curves` takes them, or what they are made from; or the Figure of
        `hierviz.charts.example`.
    threshold : float, optional
        To start at, in [0, 1], the same for all models; 0.5, of an example its own, if not given.
    dark : bool, optional
        None: the theme of the notebook.
    width : int
        Pixels; where there is less room, a narrow drawing is shown. An example is as wide as its cell.
    **options
        Of `hierviz.charts.operating_curves`.

    Returns
    -------
    CurveWidget, ExampleWidget, or Shown
        A Jupyter widget with the trait ``threshold``: dragging changes it, and setting it moves the handle, of curves to the
        nearest threshold that can be drawn (every thousandth, and where answers change). ``widget.observe(call, "threshold")``
        calls on each change. That of an example also has the traits ``model`` (name), ``rule`` (key), ``lam`` and ``bits``
        (numbers of the rules `darts` and `information_threshold`), and ``answer`` and ``sentence`` for what they show.
        Without the package anywidget what `hierviz.show` gives, without a threshold to set.

    Raises
    ------
    PredictionsError
        If the threshold is not a number from 0 to 1, or as `hierviz.charts.operating_curves`.
    """
    if isinstance(curves, ExampleFigure):
        return _example_widget(curves, threshold, dark, options)
    threshold = 0.5 if threshold is None else threshold
    curves = checked_curves(curves)
    start = _checked(threshold)
    drag = {key: value for key, value in options.items() if key in ("axes", "model", "layers")}
    places = np.array(curve_drag(curves, threshold=start, **drag)["thresholds"])
    drawn = operating_curves(curves, threshold=start, dark=dark, width=width, **options)
    if importlib.util.find_spec("anywidget") is None:
        return show(drawn)
    themes = (False, True) if dark is None else (bool(dark),)
    return _widget_class()(places, start, packed(looks_of(drawn.draw, themes, width) | {"wide": width}))


def _checked(threshold):
    if not is_number(threshold) or not 0 <= threshold <= 1:
        raise PredictionsError(f"threshold: expected a number from 0 to 1, got {shown(threshold)}. Such as 0.5.")
    return float(threshold)


@functools.cache
def _widget_class():
    """Made on first use: anywidget is optional, and the library is bundled once."""
    import anywidget
    import traitlets
    import vl_convert

    class CurveWidget(anywidget.AnyWidget):
        """Operating curves with the trait `threshold`."""

        _esm = vl_convert.javascript_bundle(script_of("figure.js", "widget.js"))
        _css = text_of("figure.css")
        threshold = traitlets.Float(0.5, help="Threshold of the handle, from 0 to 1.").tag(sync=True)
        _figure = traitlets.Unicode().tag(sync=True)

        def __init__(self, places, threshold, figure):
            self._places = places
            super().__init__(threshold=threshold, _figure=figure)

        @traitlets.validate("threshold")
        def _nearest(self, proposal):
            value = _checked(proposal["value"])
            return float(self._places[np.argmin(np.abs(self._places - value))])

        def __repr__(self):
            return f"<hierviz curves at threshold {self.threshold:g}>"

    return CurveWidget


def _example_widget(figure, threshold, dark, options):
    if options:
        raise PredictionsError(
            f"{next(iter(options))}: expected none with the figure of an example, got it. Leave it out."
        )
    values = dict(figure.record["values"])
    if threshold is not None:
        values["threshold"] = _checked(threshold)
    if importlib.util.find_spec("anywidget") is None:
        return show(figure, dark)
    dark = figure.dark if dark is None else dark
    looks = figure.looks((False, True) if dark is None else (bool(dark),))
    return _example_widget_class()(figure.record, values, packed(looks))


@functools.cache
def _example_widget_class():
    """Made on first use, as the other one."""
    import anywidget
    import traitlets
    import vl_convert

    class ExampleWidget(anywidget.AnyWidget):
        """One sample with the traits `model`, `rule`, `threshold`, `lam` and `bits`."""

        _esm = vl_convert.javascript_bundle(script_of(*LADDER, "figure.js", "example_widget.js"))
        _css = text_of("ladder.css") + text_of("figure.css")
        model = traitlets.Unicode(help="Name of the model that is shown.").tag(sync=True)
        rule = traitlets.Unicode(help="Key of the inference rule.").tag(sync=True)
        threshold = traitlets.Float(help="Threshold τ, from 0 to 1.").tag(sync=True)
        lam = traitlets.Float(help="λ of the rule darts, in bits.").tag(sync=True)
        bits = traitlets.Float(help="ζ of the rule information_threshold, in bits.").tag(sync=True)
        _figure = traitlets.Unicode().tag(sync=True)

        def __init__(self, record, values, figure):
            self.record = record
            start = record["start"]
            numbers = {name: float(values[name]) for name in ("threshold", "lam", "bits")}
            key = record["models"][start["model"]]["key"]
            super().__init__(model=key, rule=start["rule"], _figure=figure, **numbers)

        @traitlets.validate("model")
        def _known_model(self, proposal):
            check_one_of("model", proposal["value"], [one["key"] for one in self.record["models"]])
            return proposal["value"]

        @traitlets.validate("rule")
        def _known_rule(self, proposal):
            check_one_of("rule", proposal["value"], [one["key"] for one in self.record["rules"]])
            return proposal["value"]

        @traitlets.validate("threshold")
        def _known_threshold(self, proposal):
            return _checked(proposal["value"])

        @traitlets.validate("lam", "bits")
        def _known_bits(self, proposal):
            if not 0 <= proposal["value"] < float("inf"):
                name = proposal["trait"].name
                raise PredictionsError(f"{name}: expected bits from 0, got {shown(proposal['value'])}. Such as 1.")
            return proposal["value"]

        @property
        def step(self):
            """The row of the record that the drawing shows: dict."""
            number = next(i for i, one in enumerate(self.record["models"]) if one["key"] == self.model)
            parameter = next(one["parameter"] for one in self.record["rules"] if one["key"] == self.rule)
            return step_at(self.record, number, self.rule, getattr(self, parameter or "threshold"))

        @property
        def answer(self):
            """The answer, by name."""
            return self.step["name"]

        @property
        def sentence(self):
            """Why the answer stops there."""
            return self.step["sentence"]

        def __repr__(self):
            return f"<hierviz example {self.record['id']}: {self.sentence}>"

    return ExampleWidget
