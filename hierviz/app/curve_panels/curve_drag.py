"""Dragging on the operating curves where plain Vega-Lite cannot: dots along their curves, fingers, keys, a number field.

A component without a drawing of its own. Its program (`curve_drag.js`) finds the chart on the page and sets the chart's
own inputs, so the chart moves by itself and reports to the server as always: once, on release.
"""

from hierviz.app.state.components import component


def drag_bar(places, key):
    """The line with model and threshold above the chart; it makes the chart below draggable.

    Parameters
    ----------
    places : dict
        `charts.curve_drag` of the arguments of the chart.
    key : str
        Of the widget.
    """
    component(__file__, "curve_drag")(key=key, data=places)
