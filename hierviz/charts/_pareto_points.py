"""Charts of the answers to one sample by threshold: the nodes that some threshold answers, and the expected hF1 of sets."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import frame, layer, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts.theme import SMALL, palette
from hierviz.messages.number_text import value_text


def pareto_points(taxonomy, p, nodes, *, threshold=None, dark=None, width=1000):
    """Probability against information of every node.

    Parameters
    ----------
    taxonomy : Taxonomy
    p : ndarray of float, shape (n_nodes,)
    nodes : sequence of int
        Pareto set of the sample.
    threshold : float, optional
        Where a line is drawn.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``node``, ``name``, ``information``, ``p``, ``in_set``; one row a node.
    """
    table = frame(
        {
            "node": np.arange(taxonomy.n_nodes),
            "name": [taxonomy.title(node) for node in range(taxonomy.n_nodes)],
            "information": taxonomy.information,
            "p": np.asarray(p, float),
            "in_set": np.isin(np.arange(taxonomy.n_nodes), nodes),
        }
    )
    return Figure(functools.partial(_drawn, table, threshold), table, dark=dark, width=width)


def _drawn(table, threshold, dark, width):
    look = palette(dark)
    most = alt.Scale(domain=[0, table["information"].max() + 0.7])
    x = alt.X("information:Q", title="information in bits", scale=most)
    y = alt.Y("p:Q", title="probability p", scale=alt.Scale(domain=[0, 1.05]), axis=alt.Axis(titlePadding=12))
    tips = tooltips({"name:N": "Class", "p:Q": ("p", ".3f"), "information:Q": ("information", ".3f")})
    chosen, others = (alt.Chart(rows).encode(x, y) for rows in (table[table["in_set"]], table[~table["in_set"]]))
    names = chosen.mark_text(
        align="left", dx=8, dy=-8, fontSize=SMALL + 1, color=look.ink, fontWeight=600, tooltip=None
    )
    parts = [
        chosen.mark_line(interpolate="step-before", color=look.tp, strokeWidth=1.5, tooltip=None),
        others.mark_point(shape="circle", color=look.muted, size=50).encode(tooltip=tips),
        chosen.mark_point(shape="circle", filled=True, color=look.tp, size=90, opacity=1).encode(tooltip=tips),
        names.encode(text="name:N"),
    ]
    return layer(*parts, *_line(alt.Y, threshold, look)).properties(width=width - 60, height=280)


def _line(channel, threshold, look):
    """The line of a threshold, if there is one."""
    if threshold is None:
        return []
    line = alt.Chart(frame({"threshold": [threshold]})).mark_rule(strokeDash=[5, 4], color=look.ink, tooltip=None)
    return [line.encode(channel("threshold:Q"))]


def set_steps(taxonomy, sets, *, threshold=None, dark=None, width=1000):
    """Expected hF1 over the threshold.

    Parameters
    ----------
    taxonomy : Taxonomy
    sets : ExpectedSets
        From `hierviz.metrics.sets.expected_sets.expected_by_threshold`.
    threshold : float, optional
        Where a line is drawn.
    dark : bool, optional
    width : int
        Pixels.

    Returns
    -------
    Figure
        Its table: ``from``, ``below``, ``set``, ``expected``, ``is_best``, ``label``; one row a set.
    """
    table = _table(taxonomy, sets)
    return Figure(functools.partial(_drawn_steps, table, threshold), table, dark=dark, width=width)


def _drawn_steps(table, threshold, dark, width):
    look = palette(dark)
    width -= 60
    # The best set has its number always, the others where there is room.
    has_room = table["is_best"] | ((table["below"] - table["from"]) * width > 36)
    table["label"] = table["label"].where(has_room, "")
    base, most = alt.Chart(table), max(0.7, float(table["expected"].max()) + 0.12)
    x = alt.X("from:Q", title="threshold τ", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("expected:Q", title="expected hF1", scale=alt.Scale(domain=[0, most]))
    steps = base.mark_rule(strokeWidth=4).encode(
        x,
        y,
        x2=alt.X2("below:Q"),
        color=alt.Color("is_best:N", scale=alt.Scale(domain=[True, False], range=[look.tp, look.path]), legend=None),
        tooltip=tooltips({"set:N": "Set", "expected:Q": ("Expected hF1", ".4f")}),
    )
    words = base.mark_text(dy=-11, fontSize=SMALL, color=look.ink, tooltip=None)
    words = words.encode(alt.X("middle:Q"), alt.Y("expected:Q"), text="label:N")
    return layer(steps, words, *_line(alt.X, threshold, look)).properties(width=width, height=230)


def _table(taxonomy, sets):
    names = ["{" + ", ".join(taxonomy.title(node) for node in sets.nodes(i)) + "}" for i in range(len(sets.expected))]
    low, high = sets.threshold_from.tolist(), sets.threshold_below.tolist()
    best = [i == sets.best for i in range(len(names))]
    return frame(
        {
            "from": low,
            "below": high,
            "middle": [(a + b) / 2 for a, b in zip(low, high)],
            "set": names,
            "expected": sets.expected,
            "is_best": best,
            "label": [
                f"★ {value_text(value)}" if is_best else value_text(value)
                for value, is_best in zip(sets.expected, best)
            ],
        }
    )
