"""Names of the models written at their curves, where there is room."""

from __future__ import annotations

import numpy as np

from hierviz.charts._text import shorten, text_width

HALF, SIZE = 9, 12
# Pixels around a place on a curve that no other curve may come into.
ALONE = 15
# Corner of the name that touches the curve, with its distance: right of the end first, then below, then above.
SPOTS = (("left", 12, 0), ("right", -8, 12), ("left", 8, -12), ("right", -10, 2), ("left", 10, 14))


def direct_labels(figure, plot, height):
    """Rows x, y, text, colour, align, dx, dy of the names that can stand beside their curve, clear of everything else.

    The end of a curve is tried first, then places along it; a name that finds none is left to the legend.
    """
    x_low, x_high = figure.x_domain
    y_low, y_high = figure.y_domain
    lines = [(across * plot, down * height) for across, down in map(figure.places, range(len(figure.curves)))]
    spots = [
        ((row["x"] - x_low) / (x_high - x_low) * plot, (y_high - row["y"]) / (y_high - y_low) * height)
        for row in figure.markers
    ]
    all_x = np.concatenate([across for across, _ in lines] + [[spot[0] for spot in spots]])
    all_y = np.concatenate([down for _, down in lines] + [[spot[1] for spot in spots]])
    # Between two knots the curve is drawn as well.
    middle_x = np.concatenate([(across[1:] + across[:-1]) / 2 for across, _ in lines])
    middle_y = np.concatenate([(down[1:] + down[:-1]) / 2 for _, down in lines])
    all_x, all_y = np.concatenate([all_x, middle_x]), np.concatenate([all_y, middle_y])
    taken, rows = [], []
    for number, (name, colour) in enumerate(zip(figure.curves, figure.colours, strict=True)):
        across, down = lines[number]
        others = [np.empty((2, 0)), *(line for place, line in enumerate(lines) if place != number)]
        others = np.concatenate(others, axis=1)
        text = shorten(name, 150, SIZE, bold=True)
        width = text_width(text, SIZE, bold=True)
        for start, (align, dx, dy) in _tries(across, down):
            if (np.hypot(others[0] - across[start], others[1] - down[start]) < ALONE).any():
                continue  # nobody could say whose name it is
            left = across[start] + dx - (width if align == "right" else 0)
            top = down[start] + dy - HALF
            box = left - 3, left + width + 3, top, top + 2 * HALF
            inside = box[0] >= 0 and box[1] <= plot + 10 and box[2] >= 0 and box[3] <= height
            on_line = (all_x > box[0]) & (all_x < box[1]) & (all_y > box[2]) & (all_y < box[3])
            on_name = any(box[0] < b[1] and b[0] < box[1] and box[2] < b[3] and b[2] < box[3] for b in taken)
            if inside and not on_name and not on_line.any():
                taken.append(box)
                rows.append(
                    {
                        "x": float(across[start] / plot * (x_high - x_low) + x_low),
                        "y": float(y_high - down[start] / height * (y_high - y_low)),
                        "text": text,
                        "colour": colour,
                        "align": align,
                        "dx": dx,
                        "dy": dy,
                    }
                )
                break
    return rows


def _tries(across, down):
    """(place on the curve, spot), the end of the curve first, then from there to its start in steps of its length."""
    yield 0, SPOTS[0]
    length = np.concatenate([[0], np.cumsum(np.hypot(np.diff(across), np.diff(down)))])
    for share in np.linspace(0.02, 0.9, 45):
        start = int(np.searchsorted(length, share * length[-1]))
        yield from ((start, spot) for spot in SPOTS[1:])
