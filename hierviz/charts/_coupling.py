"""What the panels of the operating curves share in the browser: the threshold and the chosen model.

Two point selections, which Streamlit reports on release: ``chosen`` on the rectangles of the strip and, with several models,
``model`` on the curves. Both are bound to inputs, which the keyboard reaches. Everything else follows from two
expressions, ``threshold`` and ``picked`` (the number of the model). Where every model has a threshold of its own, each has
a slider, and ``chosen`` is that of the chosen model.
"""

from __future__ import annotations

import json

import altair as alt
from altair.utils.schemapi import debug_mode

from hierviz.charts import curve_table as numbers


class Coupling:
    """Start values and expressions of one figure.

    Parameters
    ----------
    names : list of str
        Of the models.
    thresholds : list of float
        Threshold of every model at the start, all the same where it is shared.
    picked : int
        Number of the chosen model.
    is_shared : bool
    """

    def __init__(self, names, thresholds, picked, is_shared):
        self.names, self.thresholds, self.picked, self.is_shared = names, thresholds, picked, is_shared
        self.start = thresholds[picked]

    def threshold_selection(self):
        """The selection to add to the strip's rectangles."""
        bind = alt.binding_range(min=0, max=1, step=1 / 1000, name="threshold τ ")
        on = "pointerdown, pointermove[event.buttons === 1]"
        return _selection("chosen", "threshold", self.start, bind=bind, on=on)

    def model_selection(self):
        """The selection to add to the curves; None for one model."""
        if len(self.names) == 1:
            return None
        bind = alt.binding_select(options=list(range(len(self.names))), labels=self.names, name="model ")
        return _selection("model", "model", self.picked, bind=bind)

    def parameters(self, is_still=False):
        """Parameters of the whole figure; a still one has no selection of the threshold."""
        several = len(self.names) > 1
        chosen = repr(self.start) if is_still else f"isArray(chosen.threshold) ? chosen.threshold[0] : {self.start!r}"
        parameters = [
            alt.param(name="threshold", expr=chosen),
            alt.param(name="picked", expr=f"isArray(model.model) ? model.model[0] : {self.picked}" if several else "0"),
        ]
        if not self.is_shared:
            parameters += [
                alt.param(
                    name=f"threshold_{j}",
                    value=threshold,
                    bind=alt.binding_range(min=0, max=1, step=1 / 1000, name=f"τ of {name} "),
                )
                for j, (name, threshold) in enumerate(zip(self.names, self.thresholds, strict=True))
            ]
        return parameters

    def knot(self, table):
        """The row of the knot table that is at the threshold of the chosen model."""
        made = self.near(table)
        return made if self.is_shared else made.transform_filter("datum.row === picked")

    def near(self, table):
        """The row of the knot table at the shared threshold, or one a model (``row``, its number) at its own.

        Found by its key: a filter would look at all rows of the table at every step of a drag. The first steps of all panels
        are the same, so that the browser does them once.
        """
        if self.is_shared:
            rows, threshold = [{"row": 0}], "threshold"
        else:
            rows = [{"row": j} for j in range(len(self.names))]
            own = ", ".join(f"threshold_{j}" for j in range(len(self.names)))
            threshold = f"datum.row === picked ? threshold : [{own}][datum.row]"
        fields = [column for column in table.columns if column != "threshold"]
        made = alt.Chart(alt.InlineData(values=rows)).transform_calculate(threshold=threshold)
        # Altair would write out and validate the whole table twice here; `to_dict` validates the chart.
        with debug_mode(False):
            made = made.transform_lookup(
                lookup="threshold", from_=alt.LookupData(data=table, key="threshold", fields=fields)
            )
        return made.transform_filter("isValid(datum.at)")

    def at_threshold(self, table, colours, y, x=None):
        """One row a model at its threshold: ``j``, ``model`` (its name), ``colour``, ``y``, ``x``, and the knot."""
        columns = {key: [numbers.column(key, j) for j in range(len(self.names))] for key in (x, y) if key}
        made = self.near(table).transform_fold(columns[y], as_=["field", "y"])
        made = made.transform_calculate(j=f"indexof({json.dumps(columns[y])}, datum.field)")
        made = self.own_rows(made)
        looked = {"model": f"{json.dumps(self.names)}[datum.j]", "colour": f"{json.dumps(colours)}[datum.j]"}
        if x == "threshold":
            looked["x"] = "datum.at"
        elif x:
            looked["x"] = f"datum[{json.dumps(columns[x])}[datum.j]]"
        return made.transform_calculate(**looked)

    def own_rows(self, made):
        """Of rows made from `near` that are about the model ``j``, those at its own threshold."""
        return made if self.is_shared else made.transform_filter("datum.row === datum.j")


def _selection(name, field, start, **keywords):
    """A selection of one value of a field, which is never empty."""
    never = {"empty": False, "toggle": False, "clear": False}
    return alt.selection_point(name=name, fields=[field], value=[{field: start}], **never, **keywords)


def by_model(colours):
    """Colour of a polyline by the number of its model; one line a model."""
    return alt.Color("model:N", legend=None, scale={"domain": list(range(len(colours))), "range": colours})


# What marks at the threshold are known by, so that the browser moves them and does not draw them again at every step: the
# model of a row, or nothing where there is one mark.
ROW, ONE = alt.Key("j:N"), alt.Key("none:N")
