"""Vessels with engines: motorboat, tugboat, ferry, container ship, oil tanker, submarine. Keels lie at y = 0."""

from .pen import IRON, PAINTS, STEEL, TYRE, curve, darker, lighter, paint

ANTIFOULING = (150, 54, 46)


def _funnel(pen, x, y, colour, width=0.16, height=0.3):
    outline = [
        (x - width / 2, y),
        (x - width / 2 - 0.02, y + height),
        (x + width / 2 - 0.02, y + height),
        (x + width / 2, y),
    ]
    pen.body(outline, colour)
    pen.band(outline, y + 0.78 * height, y + height, (40, 42, 48))
    return outline


def motorboat(pen, rng):
    colour = paint(rng, "white", "red", "navy", "yellow", "teal", "black", "orange")
    deck = PAINTS["white"] if rng.random() < 0.5 else mahogany(rng)
    pen.shape(curve([(-1.2, 0.0), (-1.1, 0.14), (-0.92, 0.2), (-0.86, 0.0)]), (236, 244, 248, 190))
    pen.body(curve([(-1.04, 0.12), (-1.06, 0.44), (-0.96, 0.52), (-0.84, 0.46), (-0.88, 0.12)]), (58, 60, 68))
    pen.shape([(0.22, 0.4), (-0.12, 0.74), (-0.2, 0.74), (0.0, 0.4)], (176, 214, 234, 190))
    pen.bar([(0.24, 0.4), (-0.12, 0.74), (-0.22, 0.74)], 0.035, (220, 224, 228))
    if rng.random() < 0.8:
        pen.body(
            curve([(-0.46, 0.36), (-0.46, 0.6), (-0.34, 0.66), (-0.22, 0.58), (-0.2, 0.36)]),
            paint(rng, "red", "orange", "plum", "sky"),
        )
        pen.disc(-0.33, 0.74, 0.085, (226, 178, 142))
        pen.smooth([(-0.42, 0.75), (-0.38, 0.84), (-0.26, 0.83), (-0.22, 0.76)], (70, 48, 36))
    pen.body(curve([(-0.86, 0.36), (-0.8, 0.52), (-0.6, 0.5), (-0.5, 0.36)]), (232, 226, 214))
    upper = curve(
        [(-0.9, 0.4), (-0.4, 0.38), (0.1, 0.42), (0.6, 0.48), (1.08, 0.5), (0.9, 0.34), (0.0, 0.26), (-0.9, 0.26)],
        steps=4,
    )
    pen.body(upper, deck, dark=0.08)
    hull = [(-0.9, 0.3), (-0.2, 0.28), (0.5, 0.34), (1.04, 0.48), (0.76, 0.2), (0.42, 0.04), (0.1, 0.0), (-0.88, 0.0)]
    pen.body(hull, colour, light=0.08)
    pen.bar([(-0.9, 0.2), (0.0, 0.19), (0.84, 0.3)], 0.03, lighter(colour, 0.5))
    pen.smooth([(0.2, -0.03), (0.5, 0.1), (0.66, 0.08), (0.5, -0.04)], (236, 244, 248, 200))


def mahogany(rng):
    return darker((168, 96, 50), rng.uniform(0, 0.2))


def tugboat(pen, rng):
    colour = paint(rng, "black", "red", "navy", "green", "teal", "black")
    house = PAINTS["white"] if rng.random() < 0.6 else paint(rng, "cream", "orange", "yellow")
    stack = paint(rng, "red", "orange", "yellow", "navy")
    for k in range(3):
        pen.disc(-0.34 - 0.16 * k, 1.24 + 0.08 * k, 0.07 + 0.025 * k, (150, 150, 156, 150 - 36 * k))
    _funnel(pen, -0.24, 0.66, stack, 0.24, 0.48)
    pen.bar([(0.1, 1.1), (0.1, 1.46)], 0.03, IRON)
    pen.body([(-0.46, 0.4), (-0.46, 0.74), (0.5, 0.74), (0.56, 0.44)], house)
    for x in (-0.36, -0.12, 0.12, 0.36):
        pen.disc(x, 0.6, 0.055, (74, 104, 128))
    pen.body([(-0.06, 0.74), (-0.06, 1.08), (0.46, 1.08), (0.42, 0.74)], house, dark=0.1)
    pen.pane(-0.01, 0.85, 0.15, 1.0)
    pen.pane(0.2, 0.85, 0.4, 1.0)
    pen.box(-0.12, 1.06, 0.54, 1.13, stack)
    hull = [
        (-0.9, 0.4),
        (-0.2, 0.36),
        (0.5, 0.46),
        (0.96, 0.66),
        (0.86, 0.3),
        (0.7, 0.04),
        (0.4, 0.0),
        (-0.7, 0.0),
        (-0.88, 0.14),
    ]
    pen.body(hull, colour)
    pen.band(hull, 0, 0.09, ANTIFOULING)
    pen.bar([(-0.9, 0.38), (-0.2, 0.34), (0.5, 0.44), (0.95, 0.64)], 0.05, PAINTS["cream"])
    for x, y in ((-0.66, 0.24), (-0.3, 0.22), (0.08, 0.24), (0.44, 0.3), (0.84, 0.46)):
        pen.disc(x, y, 0.085, (26, 27, 30))
        pen.disc(x, y, 0.04, darker(colour, 0.1))
    pen.box(-0.8, 0.4, -0.62, 0.54, STEEL, 0.02)
    pen.lamp(0.1, 1.3, 0.04)
    pen.lamp(0.1, 1.44, 0.03)


def ferry(pen, rng):
    colour = paint(rng, "white", "navy", "white", "blue", "red", "teal")
    stack = paint(rng, "red", "blue", "navy", "orange", "yellow")
    _funnel(pen, -0.46, 0.96, stack, 0.26, 0.34)
    pen.bar([(0.36, 1.0), (0.36, 1.32)], 0.025, IRON)
    white = (240, 241, 236)
    pen.body([(-0.66, 0.8), (-0.66, 1.0), (0.52, 1.0), (0.6, 0.8)], white, dark=0.08)
    pen.body([(-0.84, 0.6), (-0.84, 0.82), (0.66, 0.82), (0.74, 0.6)], white, dark=0.08)
    pen.body([(-1.0, 0.4), (-1.0, 0.62), (0.8, 0.62), (0.88, 0.4)], white, dark=0.08)
    pen.body([(0.26, 0.98), (0.26, 1.14), (0.5, 1.14), (0.56, 0.98)], white, dark=0.0)
    pen.pane(0.3, 1.03, 0.52, 1.11)
    for left, right, y in ((-0.58, 0.42, 0.88), (-0.76, 0.56, 0.68), (-0.9, 0.7, 0.47)):
        pen.bar([(left - 0.12, y - 0.07), (right + 0.16, y - 0.07)], 0.02, (150, 160, 170))
        x = left
        while x < right:
            pen.pane(x, y, x + 0.1, y + 0.08)
            x += 0.16
    for x in (-0.3, 0.0):
        pen.box(x, 0.82, x + 0.2, 0.88, (232, 110, 40), 0.03)
    hull = [(-1.06, 0.42), (0.9, 0.42), (1.1, 0.5), (0.98, 0.24), (0.88, 0.02), (-0.96, 0.0), (-1.06, 0.12)]
    pen.body(hull, colour, light=0.05)
    pen.band(hull, 0.26, 0.32, stack)
    pen.band(hull, 0, 0.08, ANTIFOULING)
    pen.box(-1.06, 0.14, -0.9, 0.4, darker(colour, 0.45))
    pen.lamp(0.36, 1.3, 0.03)


def _bridge(pen, x0, x1, base, top, stack):
    """The white house at the stern of a cargo ship."""
    white = (238, 238, 232)
    _funnel(pen, x0 + 0.06, top - 0.16, stack, 0.17, 0.3)
    pen.body([(x0, base), (x0, top - 0.16), (x1, top - 0.16), (x1, base)], white, dark=0.1)
    pen.body([(x0 + 0.14, top - 0.16), (x0 + 0.1, top), (x1 + 0.08, top), (x1 + 0.04, top - 0.16)], white, dark=0)
    pen.pane(x0 + 0.14, top - 0.12, x1 + 0.05, top - 0.04)
    y = base + 0.07
    while y < top - 0.24:
        for x in (x0 + 0.06, x0 + 0.17, x0 + 0.28):
            if x + 0.06 < x1:
                pen.pane(x, y, x + 0.06, y + 0.06)
        y += 0.13
    pen.bar([(x1 - 0.08, top), (x1 - 0.08, top + 0.16)], 0.022, IRON)
    pen.lamp(x1 - 0.08, top + 0.14, 0.028)


def _cargo_hull(pen, colour, top):
    hull = [
        (-1.08, top + 0.02),
        (0.74, top),
        (0.82, top + 0.1),
        (1.12, top + 0.13),
        (1.0, 0.12),
        (1.04, 0.04),
        (0.92, 0.0),
        (-0.94, 0.0),
        (-1.02, 0.14),
    ]
    pen.body(hull, colour, cuts=(0.3, 0.82))
    pen.band(hull, 0, 0.11, ANTIFOULING)
    pen.bar([(0.93, top), (0.98, top - 0.06)], 0.03, (30, 30, 34))


def container_ship(pen, rng):
    colour = paint(rng, "navy", "black", "green", "red", "blue", "burgundy", "teal")
    _bridge(pen, -0.94, -0.62, 0.36, 1.0, paint(rng, "red", "blue", "yellow", "orange"))
    for column in range(7):
        x = -0.54 + 0.19 * column
        for row in range(int(rng.integers(2, 5)) if column < 6 else int(rng.integers(1, 3))):
            crate = paint(rng, "red", "orange", "blue", "green", "teal", "yellow", "burgundy", "white", "sky")
            y = 0.38 + 0.145 * row
            pen.box(x, y, x + 0.18, y + 0.135, crate)
            pen.box(x, y, x + 0.18, y + 0.04, darker(crate, 0.25))
            pen.bar([(x + 0.09, y), (x + 0.09, y + 0.13)], 0.012, darker(crate, 0.3))
    _cargo_hull(pen, colour, 0.4)
    if rng.random() < 0.5:
        pen.box(-0.4, 0.2, 0.3, 0.29, lighter(colour, 0.75))


def oil_tanker(pen, rng):
    colour = paint(rng, "black", "burgundy", "navy", "red", "green", "black", "orange")
    _bridge(pen, -0.94, -0.6, 0.36, 0.98, paint(rng, "red", "navy", "yellow", "orange"))
    for y, tone in ((0.46, 0.0), (0.51, 0.25)):
        pen.bar([(-0.6, y), (0.78, y)], 0.03, darker((196, 120, 76), tone))
    for x in (-0.4, -0.16, 0.26, 0.5):
        pen.box(x, 0.38, x + 0.05, 0.52, (140, 92, 66))
    pen.box(-0.02, 0.38, 0.16, 0.62, (176, 104, 70))
    pen.bar([(0.07, 0.4), (0.07, 0.86)], 0.035, IRON)
    pen.bar([(0.07, 0.82), (0.34, 0.66)], 0.03, IRON)
    pen.bar([(0.86, 0.44), (0.86, 0.76)], 0.03, IRON)
    _cargo_hull(pen, colour, 0.38)
    if rng.random() < 0.5:
        pen.box(-0.3, 0.2, 0.4, 0.27, lighter(colour, 0.7))


def submarine(pen, rng):
    colour = paint(rng, "black", "silver", "navy", "yellow", "teal", "black", "olive")
    pen.bar([(0.16, 0.9), (0.16, 1.16), (0.24, 1.16)], 0.04, IRON)
    pen.bar([(0.04, 0.9), (0.04, 1.06)], 0.025, STEEL)
    tower = [(-0.16, 0.44), (-0.1, 0.86), (-0.04, 0.9), (0.24, 0.9), (0.32, 0.84), (0.38, 0.44)]
    pen.shape([(-0.98, 0.2), (-1.06, 0.62), (-0.9, 0.62), (-0.7, 0.3)], darker(colour, 0.2))
    pen.body(tower, colour)
    pen.shape([(-0.2, 0.64), (-0.2, 0.7), (0.06, 0.7), (0.02, 0.64)], darker(colour, 0.35))
    hull = curve(
        [
            (-1.08, 0.24),
            (-0.8, 0.38),
            (-0.3, 0.5),
            (0.4, 0.52),
            (0.86, 0.46),
            (1.06, 0.28),
            (0.92, 0.1),
            (0.5, 0.0),
            (-0.4, 0.0),
            (-0.86, 0.1),
        ]
    )
    pen.body(hull, colour, light=0.26, cuts=(0.34, 0.76))
    pen.bar([(-0.5, 0.5), (-0.24, 0.5)], 0.03, darker(colour, 0.4))
    for x in (-0.24, 0.06, 0.36, 0.64):
        pen.disc(x, 0.3, 0.06, lighter(colour, 0.35))
        pen.disc(x, 0.3, 0.038, (58, 84, 104))
    pen.shape([(-0.86, 0.22), (-1.06, 0.16), (-1.06, 0.1), (-0.8, 0.14)], darker(colour, 0.35))
    pen.disc(-1.1, 0.22, 0.03, TYRE, 0.14)
