"""A picture next to the heat map of effects over it; of several pictures their means, with dots where the interval excludes 0."""

from __future__ import annotations

import base64

import altair as alt
import numpy as np

from hierviz.charts._canvas import hover, places, texts
from hierviz.charts._compose import OWN_COLOUR, STILL, frame, layer
from hierviz.charts._effect_notes import LINE, note_lines
from hierviz.charts._effects_scale import HIGH, effect_scale, png
from hierviz.charts.theme import SIZE
from hierviz.diagnosis.hidden_parts import grid_of, on_grid

# Pixels: the longest side of a picture here, between the two, the line of their titles with the tools of a page. What is left of
# the contrast below the map.
LARGEST, GAP, TITLE, CONTRAST = 416, 20, 34, 0.45
GREY = np.array([0.299, 0.587, 0.114])


def effect_map(found, dark, width, height=None):
    """The drawing of a Sensitivity or AverageSensitivity of pictures; as large as it fits where a `height` is given."""
    pixels, (down, across) = found.parts.content, grid_of(found.parts)
    cells = getattr(found, "cells", None)
    ends = None if cells is None else cells[1:]
    cells = on_grid(found.parts, found.effect[None])[0] if cells is None else cells[0]
    scale = effect_scale(found, cells, dark)
    look, is_mean = scale.look, ends is not None
    notes = note_lines(found, width, dark=dark)
    room = LARGEST if height is None else height - TITLE - HIGH - LINE * len(notes) - 18
    high, wide = _size(pixels.shape, len(down) - 1, len(across) - 1, min(max(room, 64), (width - GAP) / 2))
    start = wide + GAP
    is_narrow = wide < 240
    legend_y = TITLE + high + 10
    height = legend_y + HIGH + LINE * len(notes) + 8
    titles = ("Mean of the pictures" if is_mean else "As the model sees it", "Effect of hiding each place")
    words = [
        {"x": x, "y": TITLE - 13, "text": text, "colour": look.muted, "size": SIZE - 1, "limit": wide}
        for x, text in zip((0, start), titles, strict=True)
    ]
    y, x = (np.rint(edges / edges[-1] * side) for edges, side in ((down, high), (across, wide)))
    rows, hovers, dots = [], [], []
    for i, j in np.ndindex(*cells.shape):
        value = float(cells[i, j])
        place = {"x": start + x[j], "x2": start + x[j + 1], "y": TITLE + y[i], "y2": TITLE + y[i + 1]}
        rows.append(place | {"colour": scale.colour(value), "opacity": scale.share(value)})
        told = {"tip_effect": f"{value:+.3f} log-odds", "tip_for": scale.first if value > 0 else scale.second}
        if is_mean:
            lower, upper = (float(end[i, j]) for end in ends)
            told["tip_interval"] = f"{lower:+.3f} to {upper:+.3f}"
            if lower > 0 or upper < 0:
                middle = {"x": (place["x"] + place["x2"]) / 2, "y": (place["y"] + place["y2"]) / 2}
                dots.append(middle | {"colour": look.ink})
        hovers.append(place | told)
    pictures = [
        {"x": 0, "url": _url(pixels, high, wide)},
        {"x": start, "url": _url(_pale(pixels, look.background), high, wide)},
    ]
    pictures = [one | {"x2": one["x"] + wide, "y": TITLE, "y2": TITLE + high} for one in pictures]
    at = {"x": (0 if is_narrow else start), "room": (2 * wide + GAP if is_narrow else wide)}
    tips = {"tip_effect": "Hiding it takes", "tip_for": "It speaks for"}
    drawn = [
        texts(words, width, height),
        *(_image(one, wide, high, width, height) for one in pictures),
        _map(rows, width, height),
        *([_dots(dots, width, height)] if dots else []),
        *scale.layers(at["x"], legend_y, at["room"], width, height),
        texts([one | {"y": one["y"] + legend_y + HIGH} for one in notes], width, height),
        hover(hovers, width, height, tips | ({"tip_interval": "Interval of the mean"} if is_mean else {})),
    ]
    return layer(*drawn).properties(width=width, height=height)


def _size(shape, n_rows, n_columns, side):
    """Height and width in pixels, in the picture's proportions; as many pixels for every cell where that fits."""
    factor = side / max(shape[:2])
    high, wide = shape[0] * factor, shape[1] * factor
    return (max(n, n * int(length / n)) for n, length in ((n_rows, high), (n_columns, wide)))


def _image(row, wide, high, width, height):
    channels = places(width, height)
    mark = alt.Chart(frame([row])).mark_image(
        width=wide, height=high, align="left", baseline="top", aspect=False, **STILL
    )
    return mark.encode(channels["x"], channels["y"], url=alt.Url("url:N"))


def _map(rows, width, height):
    opacity = alt.Opacity("opacity:Q", scale=None, legend=None)
    mark = alt.Chart(frame(rows)).mark_rect(strokeWidth=0, **STILL)
    return mark.encode(**places(width, height, 0, "xy"), color=OWN_COLOUR, opacity=opacity)


def _dots(rows, width, height):
    mark = alt.Chart(frame(rows)).mark_circle(size=7, opacity=0.9, **STILL)
    return mark.encode(**places(width, height), color=OWN_COLOUR)


def _pale(pixels, background):
    """The picture in greys with little contrast, near the background of the page: the colours above it are read."""
    ground = np.array([int(background[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    grey = (pixels @ GREY)[..., None]
    return np.rint(ground + CONTRAST * (grey - ground)).astype(np.uint8)


def _url(pixels, high, wide):
    """The picture as its own address, with whole pixels for each of its own: a browser would blur them."""
    factor = max(1, -(-max(high, wide) // max(pixels.shape[:2])))
    step = max(1, max(pixels.shape[:2]) // (2 * max(high, wide)))
    shown = np.repeat(np.repeat(pixels[::step, ::step], factor, axis=0), factor, axis=1)
    return "data:image/png;base64," + base64.b64encode(png(shown)).decode()
