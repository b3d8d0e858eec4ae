"""The pages of the app: title, the fields of a link that each uses, what can be chosen there, and what a report shows of it.

A page is declared here once: navigation, copied links, stories, session files and reports read it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page of the app.

    Attributes
    ----------
    title : str
    icon : str
        Name of a Material symbol.
    fields : tuple of str
        Fields of `View` that only some pages use, and this one does; all others hold on every page.
    caption : str
        Of a view of it in a report where the truth is known; empty where a report cannot begin with it.
    section : tuple of str
        Id and heading of the section of a report that holds more of it; empty where there is none.
    is_figure : bool
        Its first picture is what a step of a story is about.
    is_in_menu : bool
    """

    title: str
    icon: str
    fields: tuple[str, ...] = ()
    caption: str = ""
    section: tuple[str, ...] = ()
    is_figure: bool = False
    is_in_menu: bool = True


# Of the page Compare with two models: the second one, what is drawn, what right means, its depth and share, cell and sample, and
# the class that is zoomed into.
PAIR = ("against", "contrast", "reading", "level", "correct", "cell", "both", "zoom")

PAGES = {
    "overview": Page(
        "Overview",
        "dashboard",
        caption="{model}: {correct} of {answers} answers are correct; {answered}.",
        section=("overview", "Overview"),
    ),
    "curves": Page(
        "Operating curves",
        "show_chart",
        ("models", "axes", "drawn", "marked", "panel", "to", "flow", "choices"),
        "Operating curves; {model} at τ = {threshold}.",
        ("curves", "Operating curves"),
        is_figure=True,
    ),
    "compare": Page(
        "Compare",
        "compare_arrows",
        ("models", "comparison", "preset", "by", "metric", "choices", *PAIR),
        "Models side by side, rule {rule}.",
        ("numbers", "All numbers"),
    ),
    "example": Page(
        "Examples",
        "account_tree",
        ("sample", "order", "tree", "ask", "at_step", "focus", "unfold", "choices"),
        "Sample {sample}, {model}: truth {truth}, answer {answer}.",
        ("examples", "Examples"),
        is_figure=True,
    ),
    "mistakes": Page(
        "Mistakes",
        "rule",
        ("sample", "order", "part", "opened", "choices"),
        "{model}: {n_wrong} of {answers} answers are wrong.",
        ("matrix", "Confusion matrix"),
    ),
    "taxonomy": Page(
        "Taxonomy",
        "lan",
        ("aspect", "node_order", "node_rows", "colour", "choices"),
        "{model}: {under}.",
        ("taxonomy", "Taxonomy"),
        is_figure=True,
    ),
    "model": Page("Model", "psychology", ("sample", "tree", "choices")),
    "learn": Page("Learn", "school", ("lesson", "step", "presenter")),
    "story": Page("Story", "slideshow", is_in_menu=False),
    "open": Page("Open files", "folder_open"),
}
# Headings of the sections of a report that hold more of a page.
SECTIONS = {page.section[0]: page.section[1] for page in PAGES.values() if page.section}
# Parameter of an address that names a page that does not exist: see `hierviz.app.middleware`.
NO_PAGE = "no-page"
# Pages that a report can begin with.
IN_REPORTS = tuple(key for key, page in PAGES.items() if page.caption)

# Parts of the page Mistakes.
PARTS = {
    "list": "Ranked list",
    "confusions": "Confusions",
    "matrix": "Confusion matrix",
    "slices": "Slices",
    "labels": "Label errors",
    "review": "Review",
}
# Drawings of the page Examples; the last one runs the model.
TREES = ("ladder", "icicle", "node-link", "list", "looks")
# Parts of the page Taxonomy.
ASPECTS = {
    "table": "Table",
    "icicle": "Icicle",
    "treemap": "Treemap of mistakes",
    "calibration": "Calibration",
    "levels": "Levels",
}
# Parts of the page Compare, and sets of columns of its table, by source.
COMPARISONS = {
    "table": "Table",
    "pair": "A against B",
    "training": "Over the training",
    "ranks": "Ranks",
    "agreement": "Do the metrics agree?",
    "groups": "Where they are weak",
    "classes": "Classes",
    "second": "Second opinion",
}
# What its part with two models draws.
CONTRASTS = {"cells": "Two by two", "tree": "Difference tree", "together": "Right together"}
PRESETS = ("wu", "riehl", "plaud", "valmadre", "kiritchenko", "bertinetto", "all")
# Of the page Operating curves: options of the drawing, with label and help, and those that predicted sets have.
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
    "bands": ("Bands and intervals", "Bootstrap intervals of curves and numbers: see Uncertainty below the chart."),
}
OF_SETS = ("whole", "spread")
# Panels below its chart.
PANELS = {
    "target": "Threshold by target",
    "changes": "From τ to τ",
    "guarantee": "Guarantee",
    "conformal": "Conformal node",
    "uncertainty": "Uncertainty",
    "models": "Model comparison",
    "rules": "Rules",
    "export": "Export",
}
# Rules without a threshold that are marked on the curves of a report, and of the app where marks are asked for.
MARKED = ("leaf", "majority", "plurality", "expected_information")
