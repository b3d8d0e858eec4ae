"""What the page of operating curves shows where samples have several true classes, or the taxonomy is a graph: predicted sets."""

from __future__ import annotations

import numpy as np

from hierviz import charts
from hierviz.app import state
from hierviz.app.curve_panels.curve_chart import CurveChoice
from hierviz.app.widgets.progress import worked_out
from hierviz.charts.curve_axes import set_axes
from hierviz.curves._set_curve import GRID, set_curve


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
        found = {}
        for key, model in self.models.items():
            name = self.name(key)

            def make(stages, model=model, name=name):
                return set_curve(model, thresholds, stages(f"Predicted sets of {name}"))

            asked = (self.data_key, key, thresholds.tobytes())
            found[name] = worked_out("set curve", asked, f"Curve of the predicted sets of {name}", make)
        return None if any(curve is None for curve in found.values()) else found

    def is_ready(self):
        """Compute the curves before the part of the page that runs alone; False where they were cancelled."""
        return self._started() is not None

    def _started(self):
        """The curves of the start of the chart."""
        return self.curves(state.session.get("curve_start") or state.view())

    def rules(self):
        """No marks: those rules answer with one class."""
        return {}

    def answers(self):
        """No histogram of depths: a set has several."""
        return None

    def points(self):
        """No thresholds to ring."""
        return []

    def bands_shown(self):
        """No bands."""
        return None

    def bands(self):
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
