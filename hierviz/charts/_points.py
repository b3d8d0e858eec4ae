"""Points by two numbers: nodes that some threshold answers, expected hF1 of sets by threshold, and samples."""

from __future__ import annotations

import functools

import altair as alt
import numpy as np

from hierviz.charts._compose import STILL, frame, layer, tooltips
from hierviz.charts._figure import Figure
from hierviz.charts.theme import SMALL, palette
from hierviz.messages.errors import PredictionsError
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
    every = np.arange(taxonomy.n_nodes)
    columns = {"node": every, "name": list(map(taxonomy.title, every.tolist())), "information": taxonomy.information}
    table = frame(columns | {"p": np.asarray(p, float), "in_set": np.isin(every, nodes)})
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
    table = _table_of_sets(taxonomy, sets)
    return Figure(functools.partial(_drawn_steps, table, threshold), table, dark=dark, width=width)


def _drawn_steps(table, threshold, dark, width):
    look = palette(dark)
    width -= 60
    # The best set has its number always, the others where there is room.
    has_room = table["is_best"] | ((table["below"] - table["from"]) * width > 36)
    base = alt.Chart(table.assign(label=table["label"].where(has_room, "")))
    most = max(0.7, float(table["expected"].max()) + 0.12)
    x = alt.X("from:Q", title="threshold τ", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("expected:Q", title="expected hF1", scale=alt.Scale(domain=[0, most]))
    colour = alt.Color("is_best:N", legend=None, scale={"domain": [True, False], "range": [look.tp, look.path]})
    tips = tooltips({"set:N": "Set", "expected:Q": ("Expected hF1", ".4f")})
    steps = base.mark_rule(strokeWidth=4).encode(x, y, x2=alt.X2("below:Q"), color=colour, tooltip=tips)
    words = base.mark_text(dy=-11, fontSize=SMALL, color=look.ink, tooltip=None)
    words = words.encode(alt.X("middle:Q"), alt.Y("expected:Q"), text="label:N")
    return layer(steps, words, *_line(alt.X, threshold, look)).properties(width=width, height=230)


def _table_of_sets(taxonomy, sets):
    names = ["{" + ", ".join(taxonomy.title(node) for node in sets.nodes(i)) + "}" for i in range(len(sets.expected))]
    low, high, is_best = sets.threshold_from, sets.threshold_below, np.arange(len(names)) == sets.best
    labels = [("★ " if best else "") + value_text(value) for value, best in zip(sets.expected, is_best, strict=True)]
    columns = {"from": low, "below": high, "middle": (low + high) / 2, "set": names, "expected": sets.expected}
    return frame(columns | {"is_best": is_best, "label": labels})


# More samples are counted in cells, so many a side.
MOST_DOTS, CELLS = 2000, 40
# Samples of the table.
LISTED = 100
# Dots at one place lie in a heap; they are moved apart by up to so much of an axis.
APART = 0.008


def sample_scatter(found, *, dark=None, width=560):
    """Scatter of a SampleDisagreement.

    Parameters
    ----------
    found : SampleDisagreement
        Of `hierviz.comparison.disagreement`.
    dark : bool, optional
    width : int
        Pixels; the figure is square, at most 520.

    Returns
    -------
    Figure
        Its table: the `LISTED` samples that differ most. With dots, a click selects ``sample`` (the id); equal dots are
        moved apart a little.

    Raises
    ------
    PredictionsError
        If no sample has both numbers.
    """
    places = found.known
    finite = places[np.isfinite(found.x[places]) & np.isfinite(found.y[places])]
    if not len(finite):
        raise PredictionsError("scatter: expected a sample with both numbers, got none. Choose other metrics.")
    draw = functools.partial(_drawn_samples, found, finite)
    return Figure(draw, lambda: found.to_frame(LISTED), found.sentence, dark, width)


def _drawn_samples(found, finite, dark, width):
    look = palette(dark)
    side = min(width - 70, 520)
    x, y = found.x[finite], found.y[finite]
    low, high = float(min(x.min(), y.min(), 0)), float(max(x.max(), y.max(), 1e-9))
    is_same_scale = found.x is found.y or (low >= 0 and high <= 1)
    spans = [(low, high)] * 2 if is_same_scale else [(float(v.min()), float(v.max()) or 1.0) for v in (x, y)]
    axes = [
        kind(f"{field}:Q", scale={"domain": span, "nice": False}, axis={"title": label, "tickCount": 5})
        for kind, field, span, label in zip((alt.X, alt.Y), ("x", "y"), spans, found.labels)
    ]
    layers = []
    if is_same_scale:
        diagonal = alt.Chart(frame({"x": [low, high], "y": [low, high]}))
        layers.append(diagonal.mark_line(color=look.axis, strokeDash=[4, 4], **STILL).encode(*axes))
    if len(finite) <= MOST_DOTS:
        rng = np.random.default_rng(0)
        shifts = [APART * (b - a) * rng.uniform(-1, 1, len(finite)) for a, b in spans]
        moved = {key: np.clip(v + s, *span) for key, v, s, span in zip("xy", (x, y), shifts, spans)}
        rows = moved | {"sample": found.sample_ids[finite].astype(str), "one": x, "other": y}
        titles = dict(zip(("one:Q", "other:Q"), ((label, ".4f") for label in found.labels)))
        dots = alt.Chart(frame(rows)).mark_circle(size=46, opacity=0.55, color=look.path, cursor="pointer")
        chosen = alt.selection_point(name="sample", fields=["sample"], on="click", empty=False)
        layers.append(dots.encode(*axes, tooltip=tooltips({"sample:N": "Sample"} | titles)).add_params(chosen))
    else:
        layers.insert(0, _cells(x, y, spans, axes, look, found.labels))
    return layer(*layers).properties(width=side, height=side)


def _cells(x, y, spans, axes, look, labels):
    """Counts in cells, the colour by their logarithm."""
    wide = [(low, high) if high > low else (low, low + 1) for low, high in spans]
    counts, at_x, at_y = np.histogram2d(x, y, bins=CELLS, range=wide)
    i, j = np.nonzero(counts)
    rows = {"x": at_x[i], "x2": at_x[i + 1], "y": at_y[j], "y2": at_y[j + 1], "n": counts[i, j].astype(int)}
    scale, legend = {"type": "log", "range": [look.grid, look.path]}, {"orient": "bottom", "format": ",d"}
    colour = alt.Color("n:Q", title="Samples", scale=scale, legend=legend)
    fields = {"x:Q": (f"{labels[0]} from", ".3f"), "x2:Q": ("to", ".3f"), "y:Q": (f"{labels[1]} from", ".3f")}
    tips = tooltips(fields | {"y2:Q": ("to", ".3f"), "n:Q": ("Samples", ",d")})
    of_cells = {"x2": alt.X2("x2:Q"), "y2": alt.Y2("y2:Q"), "color": colour}
    return alt.Chart(frame(rows)).mark_rect().encode(*axes, **of_cells, tooltip=tips)
