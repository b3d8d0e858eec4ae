"""The probability tree of one sample: where the mass went, where the truth is, where the answer is.

The tree is folded first (`folding.fold`), then drawn from positions in pixels in one of three styles: ``icicle`` (mass),
``node-link`` (routes), ``list`` (long names, deep trees, phones). Colour is the outcome, the truth has an outline, and
every row a thin bar on one scale of p.
"""

from __future__ import annotations

import altair as alt

from hierviz.charts._icicle import icicle, wanted_widths
from hierviz.charts._legend import legend
from hierviz.charts._node_link import node_link
from hierviz.charts._text import count_text, probability_text
from hierviz.charts._tree_list import tree_list
from hierviz.charts.folding import as_nodes, fold
from hierviz.charts.theme import palette
from hierviz.errors import PredictionsError

STYLES = {"icicle": icicle, "node-link": node_link, "list": tree_list}
# Pixels a level below which names have no room and the tree becomes a list; and what of their wish names must get.
NARROWEST = {"icicle": 96, "node-link": 96, "list": 0}
FAIR_SHARE = 0.75
BRIEF = {
    "tp": "right",
    "fp": "wrong",
    "fn": "missed",
    "tn": "on neither path",
    "path": "answer, truth unknown",
    "others": "folded",
}
LONG = BRIEF | {"tp": "right (true positive)", "fp": "wrong (false positive)", "fn": "missed (false negative)"}


def probability_tree(
    taxonomy,
    p,
    *,
    truth=None,
    predicted=None,
    style="icicle",
    dark=False,
    width=1000,
    max_rows=34,
    n_likely=3,
    min_p=0.005,
):
    """Probabilities of one sample over the taxonomy, folded to what matters.

    Parameters
    ----------
    taxonomy : Taxonomy
        A tree.
    p : ndarray of float, shape (n_nodes,)
        Node probabilities; a child above its parent is drawn as it is.
    truth : int or sequence of int, optional
        True node or nodes; None where unknown.
    predicted : int, optional
        Answered node; None where unknown.
    style : {"icicle", "node-link", "list"}
        A tree too deep for `width` becomes a list.
    dark : bool
    width : int
        Pixels of the whole figure.
    max_rows, n_likely, min_p
        See `folding.fold`.

    Returns
    -------
    alt.VConcatChart
        Unconfigured; see `theme.finish`.

    Raises
    ------
    PredictionsError
        If `p` has another length, a node is out of range or the style is unknown.
    TaxonomyError
        If the taxonomy is not a tree.
    """
    if style not in STYLES:
        raise PredictionsError(f"style: expected one of {', '.join(STYLES)}, got {style!r}. Choose one.")
    rows = fold(taxonomy, p, truth=truth, predicted=predicted, max_rows=max_rows, n_likely=n_likely, min_p=min_p)
    rows = rows.to_dict("records")
    width -= 8
    for row in rows:
        row["tag"] = _tag(row["node"], truth, predicted)
        row["p_text"] = probability_text(row["p"])
        row["tip_p"] = f"{row['p']:.6g}"
        row["tip_outcome"] = LONG[row["outcome"]]
        row["tip_hidden"] = f"{row['hidden']:,}" if row["hidden"] else "–"
    levels = max(row["depth"] for row in rows) + 1
    cramped = style == "icicle" and width < FAIR_SHARE * sum(wanted_widths(rows))
    if cramped or width / levels < NARROWEST[style]:
        style = "list"
    look = palette(dark)
    return alt.vconcat(
        legend(_legend_groups(rows, truth, predicted, style, look, width), width, dark=dark),
        STYLES[style](rows, look, width),
        spacing=8,
    )


def probability_tree_table(taxonomy, p, *, truth=None, predicted=None, max_rows=34, n_likely=3, min_p=0.005):
    """Table behind `probability_tree`: DataFrame of `folding.fold`, one row a row of the figure."""
    return fold(taxonomy, p, truth=truth, predicted=predicted, max_rows=max_rows, n_likely=n_likely, min_p=min_p)


def probability_tree_sentence(taxonomy, p, *, truth=None, predicted=None, max_rows=34):
    """One plain sentence on answer and truth of a sample.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)
    truth : int or sequence of int, optional
    predicted : int, optional
    max_rows : int
        As passed to `probability_tree`.

    Returns
    -------
    str
    """
    rows = fold(taxonomy, p, truth=truth, predicted=predicted, max_rows=max_rows)
    shown = int((rows["node"] >= 0).sum())
    scope = (
        ""
        if shown == taxonomy.n_nodes
        else f" The picture shows {shown} of {taxonomy.n_nodes:,} nodes, the rest is folded."
    )

    def named(node):
        return f"{taxonomy.title(node)} (p = {probability_text(float(p[node]))})"

    if predicted is None and truth is None:
        return f"Neither an answer nor the truth is given.{scope}"
    if predicted is None and len(as_nodes(truth)) > 1:
        return f"The true classes are {', '.join(map(named, as_nodes(truth)))}; no answer is given.{scope}"
    if predicted is None:
        return f"The truth is {named(truth)}; no answer is given.{scope}"
    if truth is None:
        return f"The answer is {named(predicted)}; the truth is not known.{scope}"
    truths = as_nodes(truth)
    if len(truths) > 1:
        return f"{_among(taxonomy, truths, predicted, named)}{scope}"
    truth = truths[0]
    if predicted == truth:
        return f"The answer {named(predicted)} is exactly the truth.{scope}"
    if taxonomy.is_ancestor(predicted, truth):
        steps = int(taxonomy.depth[truth] - taxonomy.depth[predicted])
        if predicted == 0:
            return f"No class is named: the answer stays at the root. The truth is {named(truth)}.{scope}"
        return (
            f"The answer {named(predicted)} is right and stops {_levels(steps)} above the truth {named(truth)}.{scope}"
        )
    if taxonomy.is_ancestor(truth, predicted):
        steps = int(taxonomy.depth[predicted] - taxonomy.depth[truth])
        return (
            f"The answer {named(predicted)} goes {_levels(steps)} further than the known truth {named(truth)}.{scope}"
        )
    common = int(taxonomy.lca([truth], [predicted])[0])
    where = "at the root" if common == 0 else f"after {taxonomy.title(common)}"
    return f"The answer is {named(predicted)}, the truth is {named(truth)}; they part {where}.{scope}"


def _among(taxonomy, truths, predicted, named):
    """One answered class beside several true ones, in words."""
    classes = f"the {len(truths)} true classes {', '.join(map(named, truths))}"
    if predicted in truths:
        return f"The answer {named(predicted)} is one of {classes}."
    if predicted == 0:
        return f"No class is named: the answer stays at the root, above {classes}."
    if any(taxonomy.is_ancestor(predicted, one) for one in truths):
        return f"The answer {named(predicted)} is right, and less specific than the truth: {classes}."
    if any(taxonomy.is_ancestor(one, predicted) for one in truths):
        return f"The answer {named(predicted)} goes further than the known truth: {classes}."
    return f"The answer {named(predicted)} is none of {classes}."


def _levels(steps):
    return "one level" if steps == 1 else f"{count_text(steps)} levels"


def _tag(node, truth, predicted):
    truths = as_nodes(truth)
    if node < 0 or node not in (*truths, predicted):
        return ""
    return "truth" if node != predicted else "answer = truth" if node in truths else "answer"


def _legend_groups(rows, truth, predicted, style, look, width):
    present = {row["outcome"] for row in rows}
    words = LONG if width >= 700 else BRIEF
    if predicted is None:
        words = words | {"path": "truth, no answer given"}
    items = [{"kind": "box", "label": words[key], "colour": look.outcome(key)} for key in words if key in present]
    if truth is not None:
        label = "outlined: truth" if len(as_nodes(truth)) == 1 else "outlined: all true classes"
        items.append({"kind": "outline", "label": label, "colour": look.ink})
    note = "wider: more probable" if style == "node-link" else "bar: p from 0 to 1"
    return [(None, [*items, {"kind": "note", "label": note}])]
