"""Sedan, hatchback, station wagon, SUV, convertible: one body, five outlines."""

from .pen import IRON, PAINTS, TYRE, curve, darker, lighter, paint


def _car(pen, colour, lower, cabin, windows, wheels, radius, belt):
    """Body, cabin and wheels; `belt` is the height of the line along the flank."""
    front, back = max(x for x, _ in lower), min(x for x, _ in lower)
    if cabin:
        pen.body(cabin, colour, dark=0.0)
    for outline in windows:
        pen.glass(outline)
    pen.body(lower, colour)
    pen.bar([(back + 0.06, belt), (front - 0.08, belt)], 0.02, darker(colour, 0.3))
    for x in wheels:
        pen.arch(x, radius * 1.28, colour)
        pen.wheel(x, radius)
    pen.box(back - 0.01, 0.2, back + 0.1, 0.27, (92, 96, 102), 0.02)
    pen.box(front - 0.1, 0.2, front + 0.01, 0.27, (92, 96, 102), 0.02)
    pen.lamp(front - 0.05, belt + 0.0, 0.045)
    pen.lamp(back + 0.045, belt + 0.02, 0.038, (226, 56, 44))


def _doors(pen, colour, xs, low, high):
    for x in xs:
        pen.bar([(x, low), (x, high)], 0.016, darker(colour, 0.3))
        pen.bar([(x - 0.14, high - 0.05), (x - 0.07, high - 0.05)], 0.022, darker(colour, 0.45))


def sedan(pen, rng):
    colour = paint(rng)
    roof = rng.uniform(0.78, 0.83)
    lower = curve(
        [
            (-0.98, 0.2),
            (-0.99, 0.42),
            (-0.94, 0.53),
            (-0.6, 0.56),
            (0.0, 0.56),
            (0.46, 0.55),
            (0.9, 0.46),
            (0.99, 0.36),
            (0.98, 0.2),
            (0.5, 0.16),
            (-0.5, 0.16),
        ]
    )
    cabin = curve([(-0.66, 0.54), (-0.36, roof - 0.02), (-0.1, roof), (0.16, roof - 0.02), (0.5, 0.54), (0.0, 0.5)])
    windows = [
        [(-0.54, 0.56), (-0.32, roof - 0.07), (-0.1, roof - 0.05), (-0.1, 0.56)],
        [(-0.05, 0.56), (-0.05, roof - 0.05), (0.13, roof - 0.07), (0.38, 0.56)],
    ]
    _car(pen, colour, lower, cabin, windows, (-0.58, 0.6), 0.18, 0.42)
    _doors(pen, colour, (-0.08, 0.34), 0.22, 0.53)
    if rng.random() < 0.12:
        pen.box(-0.22, roof, 0.08, roof + 0.09, PAINTS["yellow"], 0.03)


def hatchback(pen, rng):
    colour = paint(rng)
    roof = rng.uniform(0.88, 0.94)
    lower = curve(
        [
            (-0.74, 0.2),
            (-0.78, 0.42),
            (-0.74, 0.58),
            (-0.4, 0.6),
            (0.1, 0.6),
            (0.44, 0.59),
            (0.74, 0.5),
            (0.81, 0.38),
            (0.8, 0.2),
            (0.4, 0.16),
            (-0.4, 0.16),
        ]
    )
    cabin = curve(
        [
            (-0.75, 0.56),
            (-0.64, roof - 0.05),
            (-0.4, roof),
            (0.06, roof - 0.01),
            (0.24, roof - 0.09),
            (0.5, 0.58),
            (-0.1, 0.52),
        ]
    )
    windows = [
        [(-0.64, 0.6), (-0.55, roof - 0.08), (-0.24, roof - 0.06), (-0.24, 0.6)],
        [(-0.18, 0.6), (-0.18, roof - 0.06), (0.1, roof - 0.08), (0.36, 0.6)],
    ]
    _car(pen, colour, lower, cabin, windows, (-0.47, 0.49), 0.2, 0.44)
    _doors(pen, colour, (-0.21, 0.27), 0.22, 0.57)


def station_wagon(pen, rng):
    colour = paint(rng)
    roof = rng.uniform(0.82, 0.87)
    lower = curve(
        [
            (-0.98, 0.2),
            (-1.0, 0.42),
            (-0.97, 0.55),
            (-0.6, 0.57),
            (0.0, 0.57),
            (0.46, 0.56),
            (0.9, 0.47),
            (0.99, 0.36),
            (0.98, 0.2),
            (0.5, 0.16),
            (-0.5, 0.16),
        ]
    )
    cabin = [
        (-0.98, 0.54),
        (-0.9, roof - 0.04),
        (-0.82, roof),
        (-0.2, roof + 0.01),
        (0.1, roof - 0.01),
        (0.2, roof - 0.06),
        (0.5, 0.54),
    ]
    windows = [
        [(-0.9, 0.57), (-0.83, roof - 0.07), (-0.56, roof - 0.06), (-0.56, 0.57)],
        [(-0.51, 0.57), (-0.51, roof - 0.06), (-0.1, roof - 0.06), (-0.1, 0.57)],
        [(-0.05, 0.57), (-0.05, roof - 0.06), (0.1, roof - 0.07), (0.37, 0.57)],
    ]
    _car(pen, colour, lower, cabin, windows, (-0.58, 0.6), 0.18, 0.43)
    _doors(pen, colour, (-0.52, -0.08, 0.34), 0.22, 0.54)
    pen.bar([(-0.84, roof + 0.05), (0.06, roof + 0.05)], 0.025, IRON)
    if rng.random() < 0.3:
        pen.box(-0.7, 0.26, 0.3, 0.36, (166, 112, 62))


def suv(pen, rng):
    colour = paint(rng)
    roof = rng.uniform(1.0, 1.06)
    lower = [(-0.84, 0.28), (-0.86, 0.64), (-0.4, 0.68), (0.4, 0.68), (0.86, 0.64), (0.9, 0.56), (0.9, 0.28)]
    cabin = [(-0.86, 0.62), (-0.82, roof - 0.04), (-0.76, roof), (0.16, roof), (0.26, roof - 0.05), (0.44, 0.64)]
    windows = [
        [(-0.78, 0.68), (-0.75, roof - 0.08), (-0.48, roof - 0.08), (-0.48, 0.68)],
        [(-0.42, 0.68), (-0.42, roof - 0.08), (-0.1, roof - 0.08), (-0.1, 0.68)],
        [(-0.04, 0.68), (-0.04, roof - 0.08), (0.18, roof - 0.08), (0.34, 0.68)],
    ]
    if rng.random() < 0.7:
        pen.box(-1.0, 0.42, -0.84, 0.86, TYRE, 0.06)
    _car(pen, colour, lower, cabin, windows, (-0.52, 0.54), 0.25, 0.54)
    _doors(pen, colour, (-0.45, -0.07, 0.28), 0.34, 0.66)
    pen.bar([(-0.3, 0.28), (0.3, 0.28)], 0.07, (60, 62, 68))
    pen.bar([(-0.74, roof + 0.07), (0.18, roof + 0.07)], 0.035, TYRE)
    for x in (-0.66, -0.28, 0.1):
        pen.bar([(x, roof), (x, roof + 0.07)], 0.035, TYRE)
    if rng.random() < 0.35:
        pen.box(-0.58, roof + 0.08, -0.04, roof + 0.18, (120, 84, 54), 0.03)


def convertible(pen, rng):
    colour = paint(rng, "red", "yellow", "blue", "white", "silver", "teal", "burgundy", "sky", "black")
    seat = paint(rng, "cream", "burgundy", "orange", "black")
    for x in (-0.3, 0.02):
        pen.body(curve([(x - 0.16, 0.48), (x - 0.16, 0.72), (x - 0.05, 0.74), (x, 0.48)]), seat)
    if rng.random() < 0.75:
        shirt = paint(rng, "red", "navy", "white", "green", "plum")
        pen.smooth([(-0.1, 0.46), (-0.1, 0.66), (0.0, 0.72), (0.1, 0.64), (0.14, 0.46)], shirt)
        pen.disc(0.02, 0.79, 0.085, (226, 178, 142))
        pen.smooth([(-0.08, 0.78), (-0.06, 0.89), (0.06, 0.89), (0.1, 0.83), (0.0, 0.83)], (70, 48, 36))
    pen.bar([(0.44, 0.5), (0.24, 0.78)], 0.05, (206, 210, 214))
    pen.shape([(0.42, 0.5), (0.24, 0.76), (0.18, 0.76), (0.3, 0.5)], (190, 220, 234, 130))
    pen.body(curve([(-0.84, 0.5), (-0.74, 0.62), (-0.5, 0.62), (-0.42, 0.5)]), darker(seat, 0.45))
    lower = curve(
        [
            (-0.98, 0.2),
            (-1.0, 0.4),
            (-0.94, 0.52),
            (-0.5, 0.52),
            (0.0, 0.49),
            (0.42, 0.53),
            (0.88, 0.44),
            (1.0, 0.34),
            (0.98, 0.2),
            (0.5, 0.14),
            (-0.5, 0.14),
        ]
    )
    _car(pen, colour, lower, None, [], (-0.58, 0.6), 0.19, 0.39)
    _doors(pen, colour, (-0.36, 0.26), 0.2, 0.48)
    pen.bar([(-0.5, 0.525), (0.36, 0.525)], 0.03, lighter(colour, 0.5))
