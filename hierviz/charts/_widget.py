"""Operating curves in a notebook whose threshold Python can read and set."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np

from hierviz.charts._figure import show, text_of
from hierviz.charts._operating_curves import curve_drag, operating_curves
from hierviz.charts.curve_table import checked_curves
from hierviz.charts.export import looks_of, packed
from hierviz.messages.errors import PredictionsError, shown
from hierviz.taxonomy.checks import is_number


def widget(curves: Any, threshold: float = 0.5, *, dark: bool | None = None, width: int = 1000, **options: Any) -> Any:
    """Operating curves whose threshold can be dragged, read and set.

    Parameters
    ----------
    curves : dict of str to OperatingCurve, OperatingCurve, Predictions, Evaluation, or a list of these two
        As `hierviz.charts.operating_curves` takes them, or what they are made from.
    threshold : float
        To start at, in [0, 1], the same for all models.
    dark : bool, optional
        None: the theme of the notebook.
    width : int
        Pixels; where there is less room, a narrow drawing is shown.
    **options
        Of `hierviz.charts.operating_curves`.

    Returns
    -------
    CurveWidget, or Shown
        A Jupyter widget with the trait ``threshold``: dragging changes it, and setting it moves the handle to the nearest
        threshold that can be drawn (every thousandth, and where answers change). ``widget.observe(call, "threshold")``
        calls on each change. Without the package anywidget what `hierviz.show` gives, without a threshold to set.

    Raises
    ------
    PredictionsError
        If the threshold is not a number from 0 to 1, or as `hierviz.charts.operating_curves`.
    """
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

        _esm = vl_convert.javascript_bundle(text_of("figure.js") + text_of("widget.js"))
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
