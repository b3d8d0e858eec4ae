"""The probability tree of one sample: where the mass went, where the truth is, where the answer is.

The tree is folded first (`folding.fold`), then drawn from positions in pixels in one of three styles: ``icicle`` (heights of
cells are p), ``node-link`` (widths of ribbons are p), ``list`` (lengths of bars are p; long names, deep trees, phones). Colour is
the outcome, and the truth has an outline. A style that has no room for a sample is refused with its reason.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from hierviz.charts._canvas import legend
from hierviz.charts._compose import frame, vconcat
from hierviz.charts._figure import Figure
from hierviz.charts._icicle import OPENED, icicle, icicle_layout, wanted_widths
from hierviz.charts._node_link import node_link, ribbon_scale
from hierviz.charts._tree_list import tree_list
from hierviz.charts.curve_knots import threshold_text
from hierviz.charts.folding import Folding, as_nodes, fold_rows
from hierviz.charts.theme import palette
from hierviz.charts.tree_words import tree_sentence
from hierviz.messages.number_text import probability_text
from hierviz.taxonomy.checks import check_one_of, check_threshold

STYLES = ("icicle", "node-link", "list")
# Pixels a level below which names have no room and the tree becomes a list; and what of their wish names must get.
NARROWEST = {"icicle": 96, "node-link": 96, "list": 0}
FAIR_SHARE = 0.6
NOT_EXCLUSIVE = "its classes do not exclude each other, and together they are too probable to draw to scale"
BRIEF = {
    "tp": "correct",
    "fp": "wrong",
    "fn": "missed",
    "tn": "on neither path",
    "path": "answer, truth unknown",
    "root": "root, never counted",
    "others": "folded",
}
LONG = BRIEF | {"tp": "correct (true positive)", "fp": "wrong (false positive)", "fn": "missed (false negative)"}


def probability_tree(
    taxonomy,
    p,
    *,
    truth=None,
    predicted=None,
    style="icicle",
    dark=None,
    width=1000,
    folding=None,
    bounds=None,
    select=False,
):
    """Probabilities of one sample over the taxonomy, folded to what matters.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : ndarray of float, shape (n_nodes,)
        Node probabilities; a child above its parent is drawn as it is.
    truth : int or sequence of int, optional
        True node or nodes; None or empty where unknown.
    predicted : int or sequence of int, optional
        Answered node or nodes; None or empty where unknown.
    style : {"icicle", "node-link", "list"}
        Where it has no room a list is drawn, whose legend says why.
    dark : bool, optional
    width : int
        Pixels of the whole figure.
    folding : Folding, optional
        Which nodes are shown. The icicle also folds what is too improbable to draw, unless it is always shown.
    bounds : (ndarray of float, ndarray of float), each of shape (n_nodes,), optional
        Lowest and highest probability of each node where only some scores are known.
    select : bool
        Whether a click makes the selection `opened`: the number of the node, or -1 minus that of the parent of folded siblings.

    Returns
    -------
    TreeFigure
        Its table: `folding.fold`, one row a row of the list; the icicle folds more. With `bounds` it has the columns
        ``p_low`` and ``p_high``, empty for folded siblings. Its method `at` shows a threshold too.

    Raises
    ------
    PredictionsError
        If `p` has another length, a node is out of range or the style is unknown.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    check_one_of("style", style, STYLES)
    folded = _Folded(taxonomy, p, truth, predicted, folding or Folding(), bounds)
    return TreeFigure(folded, style, OPENED if select else None, dark, width)


class TreeFigure(Figure):
    """The Figure of a probability tree, which can be drawn in another style without folding the tree again."""

    def __init__(self, folded, style, select, dark, width, threshold=None):
        self._folded, self._style, self._select, self._threshold = folded, style, select, threshold
        super().__init__(self._drawn, folded.table, lambda: tree_sentence(folded, self._fitted(width)), dark, width)

    def styled(self, style):
        """The same tree in another style."""
        return TreeFigure(self._folded, style, self._select, self.dark, self.width, self._threshold)

    def at(self, threshold):
        """The same tree at a threshold τ, from 0 to 1, or at none (None).

        Ribbons of classes that are not more probable are paler, and a line crosses the bars of the list; a PredictionsError
        where it is out of range.
        """
        if threshold is not None:
            check_threshold(threshold)
        return TreeFigure(self._folded, self._style, self._select, self.dark, self.width, threshold)

    def refused(self, width=None):
        """Styles that have no room for the sample in so many pixels, else in the width of the figure: dict of style to why."""
        reasons = {style: self._folded.fitted(style, (width or self.width) - 8)[1] for style in STYLES}
        return {style: why for style, why in reasons.items() if why}

    def _fitted(self, width):
        layout, _ = self._folded.fitted(self._style, width - 8)
        return layout.drawn if layout else self._folded.rows

    def _drawn(self, dark, width):
        folded, style, clicked = self._folded, self._style, self._select
        width -= 8
        layout, why = folded.fitted(style, width)
        drawn = "list" if why else style
        look, rows = palette(dark), layout.drawn if layout else folded.rows
        for row in rows:
            row["tip_hidden"] = f"{row['hidden']:,}" if row["hidden"] else "–"
        groups = _legend_groups(rows, folded.truth, folded.predicted, look, width)
        notes = [*_scale_notes(drawn, layout, folded, self._threshold), *([f"drawn as a list: {why}"] if why else [])]
        groups[0][1].extend({"kind": "note", "label": note} for note in notes)
        if layout:
            picture = icicle(layout, look, width, clicked)
        elif drawn == "node-link":
            picture = node_link(rows, look, width, clicked, whole=folded.whole, threshold=self._threshold)
        else:
            picture = tree_list(rows, look, width, clicked, self._threshold)
        return vconcat(legend(groups, width, dark=dark), picture, spacing=8)


class _Folded:
    """What all styles of the tree of one sample share: rows of `fold` with their texts, and the layout of the icicle."""

    def __init__(self, taxonomy, p, truth, predicted, folding, bounds):
        self.taxonomy, self.p, self.truth, self.predicted = taxonomy, p, truth, predicted
        self.folding, self.bounds, self.top = folding, bounds, folding.top
        self.first = fold_rows(taxonomy, p, truth, predicted, folding)

    @property
    def whole(self):
        """Probability of the first row, 1 where it is unknown or 0."""
        return float(self.p[self.top]) if self.top and self.p[self.top] > 0 else 1.0

    @cached_property
    def rows(self):
        """The rows of the list."""
        return self._with_texts(self.first)

    @cached_property
    def layout(self):
        """The IcicleLayout, or None where it has no room."""
        folding = self.folding
        return icicle_layout(self._within, min_p=folding.min_p, max_rows=folding.max_rows, whole=self.whole)

    def table(self):
        """`fold` as a DataFrame, with bounds where there are any."""
        made = frame(self.first)
        if self.bounds is not None:
            node = made["node"].to_numpy()
            for name, values in zip(("p_low", "p_high"), self.bounds, strict=True):
                made[name] = np.where(node < 0, np.nan, np.asarray(values)[node])
        return made

    def fitted(self, style, width):
        """(layout of an icicle or None, why the style has no room or None)."""
        if style == "list":
            return None, None
        layout = self.layout if style == "icicle" else None
        rows = layout.drawn if layout else self.rows
        levels = max(row["depth"] for row in rows) + 1
        if width < levels * NARROWEST[style]:
            return None, f"{levels} levels side by side need {levels * NARROWEST[style]:,} pixels, there are {width:,}"
        if style == "node-link":
            return None, None if ribbon_scale(rows, self.whole) else NOT_EXCLUSIVE
        if layout is None:
            return None, NOT_EXCLUSIVE
        end = layout.cells_end(width)
        if end < FAIR_SHARE * sum(wanted_widths(rows)):
            return None, f"the names of {levels} levels are too long to fit side by side in {width:,} pixels"
        return layout, None

    def _within(self, **limits):
        folding = replace(self.folding, **limits)
        if folding == self.folding:
            return self._with_texts(self.first)
        return self._with_texts(fold_rows(self.taxonomy, self.p, self.truth, self.predicted, folding))

    def _with_texts(self, rows):
        """Copies of rows with their texts."""
        rows = [dict(row) for row in rows]
        above, keep = rows[0]["depth"], self.folding.keep
        low, high = self.bounds or (self.p, self.p)
        for row in rows:
            node = row["node"]
            # Columns of the drawing are counted from its first row.
            row["depth"] -= above
            row["tag"] = _tag(node, self.truth, self.predicted) or ("found" if node >= 0 and node in keep else "")
            row["p_text"] = probability_text(row["p"])
            row["low"], row["high"] = (float(low[node]), float(high[node])) if node >= 0 else (row["p"], row["p"])
            row["p_said"] = row["p_text"]
            row["tip_p"] = f"{row['p']:.6g}"
            if row["high"] > row["low"]:
                row["p_said"] = f"{probability_text(row['low'])}–{probability_text(row['high'])}"
                row["tip_p"] += f" ({probability_text(row['low'])} to {probability_text(row['high'])} with all scores)"
            row["tip_outcome"] = LONG[row["outcome"]]
            row["opened"] = node if node >= 0 else -1 - rows[row["parent_row"]]["node"]
        return rows


def _tag(node, truth, predicted):
    truths, answers = as_nodes(truth), as_nodes(predicted, "predicted")
    if node < 0 or node not in (*truths, *answers):
        return ""
    return "truth" if node not in answers else "answer = truth" if node in truths else "answer"


def _legend_groups(rows, truth, predicted, look, width):
    present = {row["outcome"] for row in rows}
    words = LONG if width >= 700 else BRIEF
    if not as_nodes(predicted, "predicted"):
        words = words | {"path": "truth, no answer given"}
    items = [{"kind": "box", "label": words[key], "colour": look.outcome(key)} for key in words if key in present]
    truths = as_nodes(truth)
    if truths:
        label = "outlined: truth" if len(truths) == 1 else "outlined: all true classes"
        items.append({"kind": "outline", "label": label, "colour": look.ink})
    return [(None, items)]


def _scale_notes(style, layout, folded, threshold):
    """What the legend says about lengths, heights and widths."""
    whole = "p" if folded.whole == 1 else f"share of p = {probability_text(folded.whole)}"
    if style == "list":
        yield "bar: p, its track from 0 to 1"
    else:
        yield f"{'height' if layout else 'width of a ribbon'}: {whole}"
    if style == "node-link" and threshold is not None:
        yield f"paler: p is not above τ = {threshold_text(threshold)}"
    if layout and layout.overflows:
        yield "classes here do not exclude each other: together they are higher than the class they are in"
    if layout and len(layout.drawn) < len(layout.rows):
        yield "what is thinner than a line and on no path is left out"
    rows = layout.drawn if layout else folded.rows
    if folded.bounds is not None and any(row["high"] > row["low"] for row in rows):
        yield (
            "pale end of a bar: what unlisted scores could add"
            if style == "list"
            else "two numbers: p with none and with all of the unlisted scores"
        )
