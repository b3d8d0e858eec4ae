"""Working machines: tractor, excavator, forklift."""

import math

from .pen import IRON, PAINTS, STEEL, TYRE, curve, darker, lighter, paint


def _lugged(pen, x, radius, rim):
    """A tractor wheel: a tyre with lugs and a large coloured rim."""
    for k in range(18):
        turn = 2 * math.pi * k / 18
        pen.bar(
            [
                (x + radius * 0.8 * math.cos(turn), radius + radius * 0.8 * math.sin(turn)),
                (x + radius * 1.03 * math.cos(turn + 0.1), radius + radius * 1.03 * math.sin(turn + 0.1)),
            ],
            0.06,
            TYRE,
        )
    pen.disc(x, radius, radius * 0.93, TYRE)
    pen.disc(x, radius, radius * 0.58, rim)
    pen.disc(x, radius, radius * 0.42, darker(rim, 0.25))
    pen.disc(x, radius, radius * 0.15, lighter(rim, 0.4))


def tractor(pen, rng):
    colour = paint(rng, "green", "red", "blue", "green", "red", "orange", "teal")
    rim = PAINTS[str(rng.choice(["yellow", "cream", "red", "white"]))]
    pen.bar([(0.44, 0.9), (0.44, 1.2), (0.4, 1.26)], 0.06, IRON)
    pen.body([(-0.3, 0.36), (-0.3, 0.84), (0.7, 0.8), (0.82, 0.7), (0.84, 0.42), (0.7, 0.36)], colour)
    pen.box(0.12, 0.26, 0.66, 0.42, IRON)
    for y in (0.52, 0.6, 0.68):
        pen.bar([(0.68, y), (0.83, y)], 0.025, darker(colour, 0.5))
    pen.bar([(0.0, 0.68), (0.6, 0.68)], 0.035, PAINTS["cream"])
    if rng.random() < 0.7:
        pen.glass([(-0.62, 0.8), (-0.54, 1.32), (0.02, 1.32), (0.12, 0.8)])
        for a, b in (((-0.62, 0.76), (-0.54, 1.34)), ((0.12, 0.8), (0.02, 1.34)), ((-0.26, 0.8), (-0.26, 1.34))):
            pen.bar([a, b], 0.045, darker(colour, 0.3))
        pen.body([(-0.66, 1.32), (-0.62, 1.42), (0.06, 1.42), (0.1, 1.32)], colour)
    else:
        pen.body(
            curve([(-0.46, 0.8), (-0.56, 1.14), (-0.46, 1.14), (-0.36, 0.92), (-0.1, 0.88), (-0.1, 0.8)]), (60, 50, 48)
        )
        pen.bar([(0.1, 0.8), (-0.04, 1.06)], 0.045, IRON)
        pen.bar([(-0.14, 1.0), (0.06, 1.12)], 0.05, TYRE)
    pen.body(curve([(-0.96, 0.76), (-0.8, 1.0), (-0.44, 1.02), (-0.1, 0.84), (-0.02, 0.6), (-0.46, 0.6)]), colour)
    _lugged(pen, -0.46, 0.46, rim)
    _lugged(pen, 0.58, 0.25, rim)
    pen.lamp(0.84, 0.62, 0.04)


def excavator(pen, rng):
    colour = paint(rng, "yellow", "orange", "yellow", "yellow", "red", "green", "cream")
    pen.box(-0.86, 0.0, 0.32, 0.3, TYRE, 0.15)
    pen.box(-0.76, 0.07, 0.22, 0.23, (84, 86, 92), 0.08)
    for x in (-0.68, -0.42, -0.14, 0.12):
        pen.disc(x, 0.15, 0.1, (58, 60, 66))
        pen.disc(x, 0.15, 0.045, STEEL)
    pen.box(-0.44, 0.28, -0.08, 0.4, IRON)
    reach, drop = rng.uniform(-0.06, 0.06), rng.uniform(-0.08, 0.1)
    knee, elbow, wrist = (0.34, 1.2), (0.62 + reach, 1.26), (0.9 + reach, 0.56 + drop)
    pen.bar([(-0.02, 0.56), knee, elbow], 0.17, darker(colour, 0.16))
    pen.bar([(-0.02, 0.6), knee, elbow], 0.1, lighter(colour, 0.08))
    pen.bar([(elbow[0] - 0.05, elbow[1] + 0.06), wrist], 0.13, colour)
    pen.bar([(0.14, 0.66), (0.4, 1.04)], 0.05, STEEL)
    pen.bar([(0.38, 1.32), (elbow[0] + 0.06, 1.36), (elbow[0] + 0.14, 1.06)], 0.045, STEEL)
    x, y = wrist
    pen.body(
        curve(
            [
                (x - 0.12, y + 0.04),
                (x + 0.1, y + 0.06),
                (x + 0.16, y - 0.16),
                (x + 0.02, y - 0.34),
                (x - 0.22, y - 0.36),
                (x - 0.1, y - 0.18),
            ]
        ),
        (74, 76, 84),
    )
    for k in (0.0, 0.08, 0.16):
        pen.shape([(x - 0.26 + k, y - 0.34), (x - 0.18 + k, y - 0.34), (x - 0.27 + k, y - 0.43)], STEEL)
    pen.body([(-0.98, 0.4), (-1.0, 0.78), (-0.86, 0.84), (-0.3, 0.84), (0.08, 0.72), (0.08, 0.4)], colour)
    pen.box(-0.96, 0.46, -0.6, 0.54, darker(colour, 0.5))
    for k in (0.6, 0.68, 0.76):
        pen.bar([(-0.94, k), (-0.66, k)], 0.02, darker(colour, 0.35))
    pen.body([(-0.4, 0.42), (-0.4, 1.2), (-0.34, 1.24), (0.0, 1.24), (0.12, 0.86), (0.12, 0.42)], colour, dark=0.1)
    pen.glass([(-0.32, 0.76), (-0.32, 1.15), (-0.05, 1.15), (0.05, 0.86), (0.05, 0.76)])
    pen.bar([(-0.7, 0.84), (-0.7, 1.0)], 0.05, IRON)


def forklift(pen, rng):
    colour = paint(rng, "yellow", "orange", "red", "yellow", "green", "blue")
    lift = rng.choice([0.06, 0.06, 0.3, 0.5])
    if rng.random() < 0.55:
        crate = (190, 142, 88)
        pen.box(0.5, lift + 0.06, 1.1, lift + 0.5, crate)
        for y in (0.08, 0.22, 0.36):
            pen.box(0.5, lift + y, 1.1, lift + y + 0.1, darker(crate, 0.14))
        pen.bar([(0.52, lift + 0.08), (1.08, lift + 0.48)], 0.05, darker(crate, 0.3))
    pen.box(0.38, lift, 1.12, lift + 0.07, (60, 62, 70))
    pen.box(0.36, lift, 0.46, lift + 0.44, IRON)
    pen.box(0.26, 0.08, 0.34, 1.46, (80, 84, 92))
    pen.box(0.37, 0.08, 0.43, 1.46, (54, 57, 64))
    pen.box(0.24, 1.38, 0.45, 1.46, (54, 57, 64))
    pen.bar([(0.35, lift + 0.3), (0.35, 1.36)], 0.025, STEEL)
    pen.bar([(-0.56, 0.6), (-0.44, 1.34), (0.1, 1.34), (0.22, 0.5)], 0.055, (52, 54, 62))
    pen.box(-0.5, 1.32, 0.14, 1.38, (52, 54, 62))
    if rng.random() < 0.7:
        pen.smooth(
            [(-0.36, 0.62), (-0.38, 0.9), (-0.26, 0.98), (-0.12, 0.88), (-0.1, 0.62)],
            paint(rng, "navy", "orange", "teal"),
        )
        pen.bar([(-0.2, 0.88), (0.06, 0.8)], 0.07, (70, 90, 140))
        pen.disc(-0.24, 1.06, 0.1, (226, 178, 142))
        pen.smooth([(-0.36, 1.08), (-0.3, 1.2), (-0.16, 1.2), (-0.1, 1.09)], PAINTS["yellow"])
    pen.body(curve([(-0.44, 0.56), (-0.5, 0.86), (-0.4, 0.88), (-0.32, 0.62)]), (56, 50, 52))
    pen.bar([(0.12, 0.62), (0.02, 0.82)], 0.045, TYRE)
    pen.body(
        curve(
            [
                (-0.94, 0.22),
                (-0.96, 0.52),
                (-0.86, 0.66),
                (-0.5, 0.68),
                (-0.2, 0.62),
                (0.0, 0.56),
                (0.22, 0.6),
                (0.26, 0.18),
                (-0.4, 0.14),
            ],
            steps=3,
        ),
        colour,
    )
    pen.box(-0.34, 0.3, 0.06, 0.38, darker(colour, 0.5))
    pen.box(-0.92, 0.26, -0.8, 0.56, darker(colour, 0.6), 0.03)
    pen.wheel(-0.58, 0.17)
    pen.wheel(0.14, 0.22)
    pen.lamp(-0.46, 1.42, 0.04, (255, 170, 40))
