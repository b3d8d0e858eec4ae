"""What can be chosen on the operating curves besides their axes: ways to draw, panels, rules to mark. Plain words."""

from __future__ import annotations

# Options of the drawing: label and help.
DRAWN = {
    "levels": ("Lines at 90 and 95 % correct", "How specific a model can be with 90 and with 95 % correct answers."),
    "envelope": (
        "Envelope in place of raw points",
        "The best value at each recall or a higher one; AP and AC are the areas under it. The raw points stay behind it, pale.",
    ),
    "whole": ("Whole range of the axes", "Axes from 0 to 1, not cropped to what is drawn."),
    "spread": (
        "Spread thresholds near 1",
        "Spaces 0.9, 0.99, 0.999 … evenly: for models whose probabilities are mostly close to 1.",
    ),
    "bands": (
        "Bands and intervals",
        "Bootstrap intervals of curves and numbers: see Uncertainty below the chart.",
    ),
}
# Those that predicted sets have.
OF_SETS = ("whole", "spread")
# Panels below the chart.
PANELS = {
    "target": "Threshold by target",
    "guarantee": "Guarantee",
    "uncertainty": "Uncertainty",
    "models": "Model comparison",
    "rules": "Rules",
    "export": "Export",
}
# What panels were called in links of former versions.
FORMER_PANELS = {"goal": "target", "take": "export"}
# Rules that are marked unless others are chosen.
MARKED = ("leaf", "majority", "plurality", "expected_information")
