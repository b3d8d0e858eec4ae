"""The start state of each step, computed and drawn once for all tests."""

from functools import cache

import hierviz as hv


@cache
def first_result(step):
    """The Result of a step before anything is moved."""
    return step.result()


@cache
def drawing(figure):
    """The Vega-Lite of a figure, not to be changed."""
    return hv.charts.to_vega_lite(figure.figure.draw(False, 700))
