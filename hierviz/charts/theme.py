"""The whole look: colours for light and dark, fonts, marker shapes, and the last step of every chart.

Figures draw with the colours of `palette(dark)`, unconfigured: their charts can still be layered or concatenated;
`finish` adds background, fonts and axis style. A colour means one thing everywhere: an outcome, or a model by its place
in the list. No meaning hangs on colour alone: truth is outlined, rules have shapes, models are named.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import altair as alt

from hierviz.charts._sketch import made
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.taxonomy.checks import check_kind

FONT = '"Source Sans", "Source Sans Pro", sans-serif'
# A name with a digit or an unknown font without a generic one makes vl-convert guess text widths.
SIZE, SMALL = 13, 11.5
# Percentages as `hierviz.messages.number_text` writes them.
LOCALE = {"number": {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""], "percent": "\u00a0%"}}

# Pixels at the top right of a wide figure, where a page lays the tools of a chart over it: no legend is there.
TOOLS, WIDE = 120, 640


def beside_tools(width):
    """Pixels of a row at the top of a figure of so many: wide ones leave room for the tools of a page."""
    return width - TOOLS if width >= WIDE else width


# What an answer is: its colour as of `Palette.outcome`, and the sign that says it without colour.
ANSWERS = {"exact": ("tp", "✓"), "coarse": ("path", "≈"), "no_answer": ("root", "∅"), "wrong": ("fp", "×")}

RULE_SHAPES = {
    "leaf": "circle",
    "majority": "triangle-up",
    "plurality": "triangle-right",
    "expected_information": "diamond",
    "top_down": "square",
    "threshold": "cross",
    "exclusive": "triangle-down",
    "darts": "triangle-left",
    "information_threshold": "stroke",
    "crm_leaf": "M0,-1L0.951,-0.309L0.588,0.809L-0.588,0.809L-0.951,-0.309Z",  # a pentagon
    "depth_thresholds": "M0,-1L0.3,-0.3L1,0L0.3,0.3L0,1L-0.3,0.3L-1,0L-0.3,-0.3Z",  # a star of four points
    "at_level": "M-1,0.8L0,-0.8L1,0.8L0,0.3Z",  # an arrowhead
    "hf_optimal": "M-1,-0.3L1,-0.3L1,0.3L-1,0.3Z",  # a bar
    "optimal_node": "M-0.3,-1L0.3,-1L0.3,-0.3L1,-0.3L1,0.3L0.3,0.3L0.3,1L-0.3,1L-0.3,0.3L-1,0.3L-1,-0.3L-0.3,-0.3Z",  # a plus
    "crm_nodes": "M0.5,-0.866L1,0L0.5,0.866L-0.5,0.866L-1,0L-0.5,-0.866Z",  # a hexagon
}


class Palette(SimpleNamespace):
    """Colours of one theme, those of `COLOURS`; `tp` ... `others` are outcomes, `on_colour` and `on_grey` the texts on them."""

    def outcome(self, name):
        """Fill of an outcome.

        Correct (``tp``: on the answer's and the true path), wrong (``fp``: on the answer's path only), missed (``fn``: on the
        true path only), ``outside`` (an answer that the taxonomy does not hold), ``tn`` (on neither path), ``path`` (on
        the answer's path, truth unknown), ``root`` (on every path and never counted) or ``others`` (folded).
        """
        return getattr(self, name)

    def text_on(self, outcome):
        """Colour of text on the fill of an outcome."""
        return self.on_grey if outcome in ("tn", "others") else self.on_colour

    def bar_on(self, outcome):
        """Colour of a thin bar on the fill of an outcome."""
        return self.bar_on_grey if outcome in ("tn", "others") else self.bar_on_colour

    def track_on(self, outcome):
        """Colour of what such a bar runs in."""
        return self.track_on_grey if outcome in ("tn", "others") else self.track_on_colour


# What a Palette has, of the light and of the dark theme.
COLOURS: dict[str, tuple[Any, Any]] = {
    "background": ("#ffffff", "#171614"),
    "ink": ("#23262f", "#f1f0ee"),
    "muted": ("#5f6472", "#b0adaa"),
    "grid": ("#e9ebef", "#2d2c2a"),
    "axis": ("#b9bdc7", "#5b5957"),
    "tp": ("#197a5b", "#1c8262"),
    "fp": ("#bf4f1c", "#c4551f"),
    "fn": ("#6a5fb5", "#7468c8"),
    # An answer that the taxonomy does not hold.
    "outside": ("#a3125f", "#c23a86"),
    "tn": ("#c9ced6", "#4a4f59"),
    "path": ("#2b62a8", "#3570b8"),
    "root": ("#6a6f7c", "#6a6f7a"),
    "others": ("#e6e8ec", "#343840"),
    "on_colour": ("#ffffff", "#ffffff"),
    "on_grey": ("#23262f", "#f1f0ee"),
    "bar_on_colour": ("#ffffffe0", "#ffffffd8"),
    "bar_on_grey": ("#6d7280", "#a4a8b1"),
    "track_on_colour": ("#00000038", "#00000048"),
    "track_on_grey": ("#ffffffb0", "#00000048"),
    "link": ("#cdd1da", "#4a4f59"),
    # All pairs are at least 19 (light) and 18 (dark) apart by CIEDE2000, for protanopia, deuteranopia and tritanopia (Machado
    # et al. 2009) too: `tests/charts/test_model_colours.py`.
    "models": (
        ("#0800f8", "#ab9201", "#8c0003", "#04a49e", "#e72c78", "#9176ff", "#6a125f", "#026b53"),
        ("#a1b0ff", "#e8e368", "#fb0000", "#19fde8", "#f295a7", "#8a5ff6", "#a16b8d", "#4b8e62"),
    ),
}
LIGHT, DARK = (Palette(**{name: of[place] for name, of in COLOURS.items()}) for place in (0, 1))


def answer_text(outcome):
    """Sign and words of an outcome of `hierviz.metrics.OUTCOMES`; a dash where the truth is unknown."""
    return f"{ANSWERS[outcome][1]} {OUTCOMES[outcome]}" if outcome else "–"


def answer_signs():
    """What the signs of answers mean, in one line."""
    return ", ".join(map(answer_text, ANSWERS))


def palette(dark=False):
    """The Palette of the light or the dark theme."""
    return DARK if dark else LIGHT


def model_colours(names, dark=False, among=None):
    """Colour of each model by its place in the list: dict of name to colour; colours repeat after the eighth.

    With `among`, a list that holds the names too, by its place there: the same whatever is chosen from it, but for names that
    would then share a colour while another one is free.
    """
    colours = palette(dark).models
    places = {name: i for i, name in enumerate(names if among is None else among)}
    found = {}
    for name in names:
        place = places[name] % len(colours)
        if len(found) < len(colours):
            while colours[place] in found.values():
                place = (place + 1) % len(colours)
        found[name] = colours[place]
    return found


def rule_shape(rule):
    """Marker shape of an inference rule."""
    return RULE_SHAPES.get(rule, "cross")


def rule_label(rule):
    """Name of an inference rule for people."""
    return INFERENCE_RULES[rule].label if rule in INFERENCE_RULES else str(rule).replace("_", " ").capitalize()


def drawn(chart, dark=None):
    """(chart of a figure, or the one given, whether it is dark); PredictionsError where it is neither.

    Charts are Altair's, or a Vega specification (dict).
    """
    chart = made(chart)
    if hasattr(chart, "draw"):
        dark = chart.dark if dark is None else dark
        return chart.draw(dark), bool(dark)
    if isinstance(chart, dict):
        return chart, bool(dark)
    check_kind("chart", chart, alt.TopLevelMixin, "Pass what a function of hierviz.charts returns.")
    return chart, bool(dark)


def finish(chart, dark=None):
    """The chart with background, fonts, axis style and the SVG renderer; the last step before showing or exporting.

    Parameters
    ----------
    chart : Figure, or altair chart
        Of a chart made with the same `dark`.
    dark : bool, optional
        None: as the figure, else light.

    Returns
    -------
    altair chart
        A configured copy; it can no longer be layered or concatenated. A Vega specification stays as it is.
    """
    chart, dark = drawn(chart, dark)
    if isinstance(chart, dict):
        return chart
    # Set on one copy: `properties` and `configure` would each copy every view of the figure again.
    finished = chart.copy(deep=False)
    for name, value in surroundings(dark).items():
        finished[name] = value
    return finished


def surroundings(dark):
    """What `finish` sets: background, padding, renderer and configuration of a whole picture, by name."""
    look = palette(dark)
    config = alt.Config(
        font=FONT,
        axis={
            "labelColor": look.muted,
            "titleColor": look.ink,
            "labelFontSize": 12,
            "titleFontSize": SIZE,
            "titleFontWeight": "normal",
            "gridColor": look.grid,
            "domainColor": look.axis,
            "tickColor": look.axis,
        },
        legend={
            "labelColor": look.ink,
            "titleColor": look.muted,
            "labelFontSize": SIZE,
            "titleFontSize": SIZE - 1,
            "titleFontWeight": "normal",
        },
        title={"color": look.ink, "fontSize": SIZE, "fontWeight": "normal", "anchor": "start"},
        text={"color": look.ink},
        view={"stroke": None},
        concat={"spacing": 8},
        locale=LOCALE,
    )
    return {
        "background": look.background,
        "padding": {"left": 2, "right": 2, "top": 4, "bottom": 4},
        "usermeta": {"embedOptions": {"renderer": "svg", "actions": False}},
        "config": config,
    }
