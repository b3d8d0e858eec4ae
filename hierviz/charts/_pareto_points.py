"""The nodes of one sample by information and probability, with those that some threshold answers joined."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import layer
from hierviz.charts._figure import Figure
from hierviz.charts._rows import frame
from hierviz.charts.theme import SMALL, palette


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
    width -= 60
    x = alt.X(
        "information:Q", title="information in bits", scale=alt.Scale(domain=[0, table["information"].max() + 0.7])
    )
    y = alt.Y("p:Q", title="probability p", scale=alt.Scale(domain=[0, 1.05]), axis=alt.Axis(titlePadding=12))
    chosen = alt.Chart(table[table["in_set"]])
    others = alt.Chart(table[~table["in_set"]])
    tips = [
        alt.Tooltip("name:N", title="Class"),
        alt.Tooltip("p:Q", format=".3f"),
        alt.Tooltip("information:Q", format=".3f"),
    ]
    parts = [
        chosen.mark_line(interpolate="step-before", color=look.tp, strokeWidth=1.5, tooltip=None).encode(x, y),
        others.mark_point(shape="circle", color=look.muted, size=50).encode(x, y, tooltip=tips),
        chosen.mark_point(shape="circle", filled=True, color=look.tp, size=90, opacity=1).encode(x, y, tooltip=tips),
        chosen.mark_text(
            align="left", dx=8, dy=-8, fontSize=SMALL + 1, color=look.ink, fontWeight=600, tooltip=None
        ).encode(x, y, text="name:N"),
    ]
    if threshold is not None:
        line = alt.Chart(frame({"threshold": [threshold]})).mark_rule(strokeDash=[5, 4], color=look.ink, tooltip=None)
        parts.append(line.encode(alt.Y("threshold:Q")))
    return layer(*parts).properties(width=width, height=280)
