"""How a chart was made, so that a notebook can draw it in its own theme and width."""

from __future__ import annotations

import functools
import inspect
import weakref

from hierviz.charts._packed import NARROW, figure_of

# By the number of the chart, which is free again once the chart is gone.
_RECIPES: dict = {}


def remembered(builder):
    """A builder whose charts can be drawn anew; others are returned as they are."""
    if not inspect.isfunction(builder) or not {"dark", "width"} <= set(inspect.signature(builder).parameters):
        return builder

    @functools.wraps(builder)
    def build(*given, **named):
        chart = builder(*given, **named)
        key = id(chart)
        reference = weakref.ref(chart, lambda _: _RECIPES.pop(key, None))
        _RECIPES[key] = reference, functools.partial(builder, *given, **named)
        return chart

    return build


def looks(chart, dark=None):
    """A chart in both themes and two widths, as far as it is known how it was made.

    Parameters
    ----------
    chart : altair chart
        Unconfigured, as a builder returned it, or any other.
    dark : bool, optional
        The only theme. None: both, unless the builder was given one.

    Returns
    -------
    dict
        ``data``, ``specs`` and ``wide``, see `figure_of`.
    """
    reference, recipe = _RECIPES.get(id(chart), (None, None))
    if recipe is None or reference() is not chart:
        return figure_of({f"{'dark' if dark else 'light'}-wide": lambda: chart})
    wide = recipe.keywords.get("width", inspect.signature(recipe.func).parameters["width"].default)
    fixed = recipe.keywords.get("dark", dark) if dark is None else dark
    themes = (False, True) if fixed is None else (bool(fixed),)
    return looks_of(recipe, themes, wide)


def looks_of(draw, themes=(False, True), wide=1000):
    """The same of a function of `dark` and `width`."""
    sizes = {"wide": wide} | ({"narrow": NARROW} if wide > NARROW else {})
    return figure_of(
        {
            f"{'dark' if dark else 'light'}-{name}": functools.partial(draw, dark=dark, width=width)
            for dark in themes
            for name, width in sizes.items()
        }
    )
