"""Operating curves as lines: few enough points to draw, close enough to show no difference.

All lines come as a DataFrame with ``model`` (its number), ``part``, ``order``, ``x`` and ``y``, in the units of the axes. What is
computed from millions of points is kept as long as the curve or table it comes from.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from hierviz.charts._compose import frame
from hierviz.curves.envelopes import envelope
from hierviz.taxonomy.node_lists import distinct

_KEPT: WeakKeyDictionary = WeakKeyDictionary()
# Of one curve or table.
MOST = 24


def simplify(x, y, tolerance=0.1):
    """Points of a polyline to keep so that no point of it is further than `tolerance` from the kept polyline [1]_.

    Parameters
    ----------
    x, y : ndarray of float, shape (n_points,)
        In the unit of `tolerance`, normally pixels of the largest size the curve is drawn at. Finite.
    tolerance : float
        Largest distance of a left-out point to the segment that replaces it, >= 0.

    Returns
    -------
    ndarray of int, shape (n_kept,)
        Ascending; first and last point always.

    References
    ----------
    .. [1] D. Douglas, T. Peucker, Algorithms for the reduction of the number of points required to represent a
       digitized line or its caricature, Cartographica 1973.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    keep = np.zeros(len(x), dtype=bool)
    keep[[0, -1] if len(x) else []] = True
    first, last = np.array([0]), np.array([len(x) - 1])
    # All segments that are not yet close enough at once: one at a time takes longer than all else of a picture.
    while len(first := first[between := last - first > 1]):
        last = last[between]
        lengths = last - first - 1
        starts = np.cumsum(lengths) - lengths
        inside = np.arange(lengths.sum()) + np.repeat(first + 1 - starts, lengths)
        ends = (np.repeat(of[end], lengths) for end in (first, last) for of in (x, y))
        squared = _squared_distance(x[inside], y[inside], *ends)
        largest = np.maximum.reduceat(squared, starts)
        peaks = np.flatnonzero(squared == np.repeat(largest, lengths))
        is_far = largest > tolerance * tolerance
        middle = inside[peaks[np.searchsorted(peaks, starts[is_far])]]
        keep[middle] = True
        first, last = np.append(first[is_far], middle), np.append(middle, last[is_far])
    return np.flatnonzero(keep)


def _squared_distance(x, y, x0, y0, x1, y1):
    """Squared distance of points to segments from (x0, y0) to (x1, y1), one a point: to the segment, not to its line."""
    dx, dy = x1 - x0, y1 - y0
    length = dx * dx + dy * dy
    u, v = x - x0, y - y0
    along = np.clip((u * dx + v * dy) / np.where(length > 0, length, 1.0), 0, 1)
    u, v = u - along * dx, v - along * dy
    return u * u + v * v


# Pixels of the largest picture that shows no difference.
FINEST = (1000, 600)
# Pixels that a line may be off.
TOLERANCE = 0.1
# Points of one model in one figure; Altair refuses tables above 5,000 rows outside Streamlit.
MOST_POINTS, MOST_ROWS = 2000, 4500
# Above so many points columns are thinned first: zigzags inside one cost nothing to leave out.
MANY = 10_000
# Of which so many are looked at together: what is made of all of millions takes much memory.
POINTS_AT_ONCE = 1 << 18


def polylines(curves, x, y, x_domain, y_domain):
    """One metric against another: the raw points, in two parts that meet, "high" (threshold >= 0.5) and "low"."""

    def pieces(curve):
        switch = int(curve.place(0.5))
        parts = [("high", slice(0, switch + 1)), ("low", slice(switch, None))]
        parts = parts[: 2 if switch < curve.n_points - 1 else 1]
        return ((part, curve.values[x][places], curve.values[y][places]) for part, places in parts)

    return _lines(curves, ("raw", x, y), pieces, x_domain, y_domain)


def envelopes(curves, x, y, x_domain, y_domain):
    """The non-increasing envelopes that AP and AC integrate, as steps from 0 on; part "envelope"."""

    def pieces(curve):
        at, height = envelope(curve.values[x], curve.values[y])
        # The height at a point holds from the point before it.
        corners = np.append(0.0, np.repeat(at, 2)[:-1])
        return [("envelope", corners, np.repeat(height, 2))]

    return _lines(curves, ("envelope", x, y), pieces, x_domain, y_domain)


def against_threshold(curves, key, y_domain, scale, size=(FINEST[0], FINEST[1] / 4)):
    """One metric as a step function of the threshold, ``x`` = its place on the axis; parts "low" and "high" meet at 0.5."""

    def pieces(curve):
        # Each value but the last holds from the threshold at its place up.
        rising, levels = curve.threshold[::-1], curve.values[key][-2::-1]
        for part, low, high in (("low", 0.0, 0.5), ("high", 0.5, 1.0)):
            inside = between(curve, low, high)
            here, level = rising[inside], levels[inside]
            if len(here) > MANY:
                where = _columns(here, level, lambda x, y: (pixels_of(scale.place(x), (0, 1), size[0]), y))
                here, level = here[where], level[where]
            threshold = np.concatenate([[low], np.repeat(here, 2), [high]])
            level = np.repeat(np.append(curve.at(low)[key], level), 2)
            if part == "low":
                # What holds at 0.5 itself belongs to the part above: the parts meet there.
                threshold, level = np.append(threshold, 0.5), np.append(level, curve.at(0.5)[key])
            yield part, scale.place(threshold), level

    return _lines(curves, ("threshold", key, scale), pieces, (0, 1), y_domain, size)


def between(curve, low, high):
    """Where the thresholds of a curve that lie strictly between two numbers are, seen from the smallest on: a slice."""
    rising = curve.threshold[::-1]
    return slice(np.searchsorted(rising, low, side="right"), np.searchsorted(rising, high))


def whole_lines(curves, x, y, x_domain, y_domain):
    """One metric against another: the raw points in one part, "line"."""
    return _lines(
        curves, ("whole", x, y), lambda curve: [("line", curve.values[x], curve.values[y])], x_domain, y_domain
    )


def plain_lines(points, x_domain, y_domain):
    """Lines of points at hand, in their order: `points` is a list of (x, y), finite; part "line"."""
    return _table([_thinned([("line", x, y)], x_domain, y_domain, FINEST) for x, y in points])


def tables(lines):
    """`lines` as tables that are small enough for Altair; every model is in one table only."""
    sizes = lines.groupby("model", sort=True).size()
    if sizes.sum() <= MOST_ROWS:
        return [lines]
    number = (sizes.cumsum() - sizes) // (MOST_ROWS - MOST_POINTS)
    return [lines[lines["model"].isin(number.index[number == table])] for table in number.unique()]


def _lines(curves, key, pieces, x_domain, y_domain, size=FINEST):
    """All simplified `pieces` (of a curve: part, x, y of each) as one table; kept with each curve under `key`."""
    key = (*key, tuple(map(float, x_domain)), tuple(map(float, y_domain)), size)

    def lines(curve):
        return kept(curve, key, lambda: _thinned(pieces(curve), x_domain, y_domain, size))

    return _table(list(map(lines, curves.values())))


def _table(models):
    """The simplified lines of each model in one table."""
    lines = [(number, *line) for number, of in enumerate(models) for line in of]
    numbers, parts, x, y = zip(*lines, strict=True)
    lengths = list(map(len, x))
    columns = {"model": np.repeat(numbers, lengths), "part": np.repeat(np.array(parts, dtype=object), lengths)}
    columns |= {"order": np.concatenate(list(map(np.arange, lengths)))}
    return frame(columns | {"x": np.concatenate(x), "y": np.concatenate(y)})


def _thinned(pieces, x_domain, y_domain, size):
    """Simplified pieces; a jagged model of more than `MOST_POINTS` points loses more than a tenth of a pixel."""

    def pixels(x, y):
        return pixels_of(x, x_domain, size[0]), pixels_of(y, y_domain, size[1])

    tolerance, lines = TOLERANCE, []
    for part, x, y in pieces:
        where = _columns(x, y, pixels) if len(x) > MANY else slice(None)
        lines.append((part, np.asarray(x)[where], np.asarray(y)[where]))
    drawn = [pixels(x, y) for _, x, y in lines]
    points = [simplify(x, y, tolerance) for x, y in drawn]
    while sum(map(len, points)) > MOST_POINTS:
        tolerance *= 1.5
        points = [where[simplify(x[where], y[where], tolerance)] for where, (x, y) in zip(points, drawn, strict=True)]
    return [
        (part, np.round(x[where], 6), np.round(y[where], 6)) for (part, x, y), where in zip(lines, points, strict=True)
    ]


def _columns(x, y, pixels):
    """Of the points that follow each other inside one column of pixels the first, lowest, highest and last.

    What is left out is no further than half of `TOLERANCE` from the line through the rest, however often it goes up and down.
    `pixels` gives the places of some x and y.
    """
    starts = range(0, len(x), POINTS_AT_ONCE)
    blocks = [
        start + _ends_of_columns(*pixels(x[start:][:POINTS_AT_ONCE], y[start:][:POINTS_AT_ONCE])) for start in starts
    ]
    found = np.concatenate(blocks)
    # What is left of the parts of a column holds what is left of the whole.
    return found if len(blocks) == 1 else found[_ends_of_columns(*pixels(x[found], y[found]))]


def _ends_of_columns(x, y):
    column = np.floor(x / (TOLERANCE / 2))
    starts = np.flatnonzero(np.diff(column, prepend=np.nan) != 0)
    lengths = np.diff(np.append(starts, len(x)))
    lowest, highest = (np.repeat(extreme.reduceat(y, starts), lengths) for extreme in (np.minimum, np.maximum))
    # Of equal ones the first lowest and the last highest.
    low, high = np.flatnonzero(y == lowest), np.flatnonzero(y == highest)
    low = low[np.searchsorted(low, starts)]
    high = high[np.searchsorted(high, starts + lengths) - 1]
    return distinct(np.concatenate([starts, starts + lengths - 1, low, high]))


def pixels_of(values, limits, size):
    """Places of values between two limits on an axis of so many pixels."""
    low, high = limits
    return (np.asarray(values, dtype=float) - low) / (high - low) * size


def kept(source, key, make):
    """`make()`, or its earlier result for the same `source` (an OperatingCurve or ParetoTable) and `key`."""
    results = _KEPT.setdefault(source, {})
    if key not in results:
        while len(results) >= MOST:
            results.pop(next(iter(results)), None)
        results[key] = make()
    return results[key]
