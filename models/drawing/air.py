"""Aircraft: airliner, monoplane, biplane, glider, helicopter, hot-air balloon, airship.

Drawn level, from a little in front, so that wings show as slanted slabs. The lowest point lies at y = 0.
"""

import math

from .pen import IRON, PAINTS, STEEL, TYRE, curve, darker, lighter, mix, paint


def _gear(pen, x, top, radius=0.08):
    pen.bar([(x, top), (x, radius)], 0.035, STEEL)
    pen.disc(x, radius, radius, TYRE)
    pen.disc(x, radius, radius * 0.4, STEEL)


def airliner(pen, rng):
    base = PAINTS["white"] if rng.random() < 0.65 else paint(rng, "silver", "sky", "cream", "red")
    livery = paint(rng, "red", "blue", "navy", "orange", "teal", "green", "plum")
    if not pen.airborne:
        for x in (-0.14, 0.68):
            _gear(pen, x, 0.3)
    pen.shape([(0.06, 0.52), (-0.22, 0.76), (-0.34, 0.76), (-0.2, 0.52)], darker(base, 0.3))
    fin = [(-0.96, 0.52), (-1.1, 0.98), (-0.92, 0.98), (-0.6, 0.56)]
    pen.body(fin, livery)
    shell = curve(
        [
            (-1.1, 0.52),
            (-0.8, 0.58),
            (-0.2, 0.6),
            (0.5, 0.6),
            (0.84, 0.54),
            (1.02, 0.42),
            (0.92, 0.32),
            (0.6, 0.26),
            (-0.2, 0.26),
            (-0.7, 0.34),
        ]
    )
    pen.body(shell, base, light=0.1, cuts=(0.28, 0.8))
    pen.band(shell, 0.36, 0.41, livery)
    for k in range(13):
        pen.pane(-0.66 + 0.1 * k, 0.455, -0.61 + 0.1 * k, 0.505)
    pen.glass([(0.76, 0.47), (0.78, 0.54), (0.86, 0.52), (0.93, 0.46)])
    pen.body([(-0.86, 0.46), (-1.14, 0.6), (-1.2, 0.6), (-1.06, 0.44)], darker(base, 0.12))
    pen.shape([(0.2, 0.34), (-0.46, 0.04), (-0.6, 0.05), (-0.24, 0.36)], darker(base, 0.24))
    pen.shape([(0.2, 0.34), (-0.46, 0.04), (-0.52, 0.045), (0.08, 0.35)], lighter(base, 0.3))
    pen.body(
        curve([(-0.22, 0.16), (-0.2, 0.23), (0.06, 0.24), (0.16, 0.17), (0.06, 0.1), (-0.16, 0.1)]),
        lighter(livery, 0.1),
    )
    pen.disc(0.12, 0.17, 0.025, (30, 32, 38), 0.06)


def monoplane(pen, rng):
    colour = paint(rng, "white", "red", "blue", "yellow", "orange", "teal", "cream", "navy")
    trim = paint(rng, "red", "navy", "orange", "black", "white")
    for x in (0.08, 0.72):
        _gear(pen, x, 0.36, 0.1)
    pen.body([(-0.86, 0.5), (-1.06, 0.92), (-0.88, 0.94), (-0.6, 0.56)], trim)
    shell = curve(
        [
            (-1.02, 0.52),
            (-0.6, 0.58),
            (-0.2, 0.64),
            (0.3, 0.64),
            (0.76, 0.56),
            (0.88, 0.44),
            (0.76, 0.32),
            (0.2, 0.28),
            (-0.4, 0.38),
        ]
    )
    pen.body(curve([(-0.3, 0.6), (-0.1, 0.84), (0.22, 0.86), (0.44, 0.62), (0.1, 0.54)]), colour, dark=0)
    pen.glass([(-0.16, 0.62), (-0.04, 0.79), (0.1, 0.8), (0.1, 0.62)])
    pen.glass([(0.14, 0.62), (0.14, 0.8), (0.22, 0.79), (0.36, 0.62)])
    pen.body(shell, colour)
    pen.band(shell, 0.43, 0.49, trim)
    pen.body([(-1.0, 0.5), (-1.18, 0.6), (-0.94, 0.6), (-0.76, 0.5)], lighter(trim, 0.1))
    pen.bar([(0.24, 0.4), (0.0, 0.82)], 0.03, STEEL)
    wing = [(0.4, 0.9), (0.24, 0.82), (-0.62, 0.74), (-0.7, 0.8), (-0.2, 0.9)]
    pen.body(wing, lighter(colour, 0.2))
    pen.shape([(-0.5, 0.755), (-0.62, 0.74), (-0.7, 0.8), (-0.56, 0.83)], trim)
    _propeller(pen, 0.9, 0.44, 0.34)


def _propeller(pen, x, y, radius):
    pen.disc(x + 0.02, y, 0.045, (226, 232, 238, 90), radius)
    pen.bar([(x + 0.02, y - radius), (x + 0.02, y + radius)], 0.035, (70, 56, 46))
    pen.disc(x, y, 0.07, (206, 66, 50))


def biplane(pen, rng):
    colour = paint(rng, "red", "yellow", "blue", "green", "orange", "cream", "burgundy")
    wing = colour if rng.random() < 0.4 else paint(rng, "cream", "yellow", "white", "silver")
    _gear(pen, 0.34, 0.4, 0.14)
    pen.bar([(0.2, 0.44), (0.34, 0.14), (0.5, 0.42)], 0.03, IRON)
    pen.bar([(-0.86, 0.4), (-0.92, 0.24)], 0.03, IRON)
    pen.body(curve([(-0.8, 0.56), (-0.94, 0.86), (-1.06, 0.86), (-1.1, 0.54), (-0.9, 0.48)]), lighter(colour, 0.15))
    shell = curve(
        [(-1.02, 0.52), (-0.5, 0.64), (0.1, 0.72), (0.6, 0.7), (0.72, 0.54), (0.6, 0.38), (0.1, 0.36), (-0.5, 0.42)]
    )
    pen.disc(-0.2, 0.78, 0.09, (120, 84, 54))
    pen.bar([(-0.22, 0.8), (-0.44, 0.84)], 0.04, (230, 226, 214))
    pen.body(shell, colour)
    pen.body([(0.5, 0.4), (0.5, 0.69), (0.68, 0.66), (0.74, 0.54), (0.68, 0.42)], (110, 112, 118))
    pen.shape([(-0.98, 0.5), (-1.16, 0.6), (-0.88, 0.6), (-0.74, 0.5)], darker(wing, 0.14))
    for x in (-0.36, 0.02, 0.42):
        pen.bar([(x, 0.38), (x + 0.1, 1.02)], 0.035, (112, 78, 50))
    pen.bar([(-0.34, 0.4), (0.12, 1.02)], 0.016, (60, 60, 66))
    pen.bar([(0.42, 0.4), (0.1, 1.02)], 0.016, (60, 60, 66))
    for y, shift in ((0.33, 0.0), (1.02, 0.1)):
        slab = [(-0.56 + shift, y), (-0.5 + shift, y + 0.09), (0.54 + shift, y + 0.12), (0.6 + shift, y + 0.05)]
        pen.body(slab, wing)
    if rng.random() < 0.6:
        pen.disc(-0.5, 0.55, 0.1, (240, 240, 236))
        pen.disc(-0.5, 0.55, 0.06, PAINTS["blue"])
    _propeller(pen, 0.78, 0.54, 0.4)


def glider(pen, rng):
    base = PAINTS["white"] if rng.random() < 0.85 else paint(rng, "cream", "silver", "sky")
    tip = paint(rng, "red", "orange", "blue", "red")
    if not pen.airborne:
        pen.disc(0.34, 0.08, 0.08, TYRE)
    far = [(0.3, 0.36), (1.08, 0.74), (1.02, 0.78), (0.06, 0.38)]
    pen.shape(far, darker(base, 0.16))
    pen.shape([(1.08, 0.74), (1.02, 0.78), (0.86, 0.72), (0.94, 0.67)], tip)
    pen.body([(-0.92, 0.32), (-1.0, 0.62), (-0.88, 0.62), (-0.72, 0.34)], base)
    pen.body([(-1.12, 0.6), (-1.1, 0.66), (-0.74, 0.66), (-0.78, 0.6)], tip)
    shell = curve(
        [
            (-1.02, 0.34),
            (-0.5, 0.33),
            (0.0, 0.4),
            (0.36, 0.46),
            (0.66, 0.4),
            (0.86, 0.24),
            (0.7, 0.13),
            (0.34, 0.1),
            (0.0, 0.18),
            (-0.5, 0.29),
        ]
    )
    pen.body(shell, base, dark=0.18)
    pen.glass(curve([(0.24, 0.36), (0.36, 0.45), (0.58, 0.42), (0.76, 0.29), (0.56, 0.25), (0.34, 0.27)]))
    near = [(0.26, 0.34), (-0.92, 0.02), (-1.0, 0.05), (-0.04, 0.36)]
    pen.shape(near, lighter(base, 0.5))
    pen.shape([(0.26, 0.34), (-0.92, 0.02), (-0.96, 0.035), (0.1, 0.35)], darker(base, 0.14))
    pen.shape([(-0.92, 0.02), (-1.0, 0.05), (-0.8, 0.115), (-0.72, 0.075)], tip)


def helicopter(pen, rng):
    colour = paint(rng, "red", "yellow", "blue", "orange", "navy", "green", "white", "olive")
    trim = lighter(colour, 0.65) if rng.random() < 0.6 else darker(colour, 0.5)
    turn = rng.uniform(-0.02, 0.02)
    pen.bar([(0.1, 0.9), (0.1, 1.08)], 0.07, IRON)
    pen.disc(0.1, 1.08, 1.0, (200, 206, 214, 46), 0.045)
    pen.bar([(-0.92, 1.07 + turn), (1.12, 1.09 - turn)], 0.04, (58, 60, 68))
    for x in (-0.08, 0.4):
        pen.bar([(x, 0.3), (x + 0.04, 0.05)], 0.035, IRON)
    pen.bar([(-0.36, 0.05), (0.62, 0.05), (0.74, 0.12)], 0.045, IRON)
    tail = [(-0.2, 0.78), (-1.06, 0.72), (-1.08, 0.64), (-0.2, 0.44)]
    pen.body(tail, colour)
    pen.body([(-0.94, 0.7), (-1.16, 1.0), (-1.06, 1.0), (-0.82, 0.72)], trim)
    pen.shape([(-0.94, 0.66), (-1.08, 0.46), (-1.0, 0.46), (-0.86, 0.66)], trim)
    cabin = curve(
        [
            (-0.38, 0.66),
            (-0.2, 0.86),
            (0.14, 0.92),
            (0.5, 0.84),
            (0.76, 0.58),
            (0.72, 0.36),
            (0.4, 0.26),
            (0.0, 0.26),
            (-0.3, 0.4),
        ]
    )
    pen.body(cabin, colour)
    pen.band(cabin, 0.4, 0.46, trim)
    pen.glass(curve([(0.38, 0.52), (0.38, 0.82), (0.54, 0.78), (0.72, 0.56), (0.7, 0.48)], steps=3))
    pen.pane(0.04, 0.54, 0.3, 0.82, 0.05)
    pen.pane(-0.2, 0.58, -0.03, 0.8, 0.05)
    for angle in (20, 110, 200, 290):
        pen.bar(
            [(-1.08, 0.74), (-1.08 + 0.2 * math.cos(math.radians(angle)), 0.74 + 0.2 * math.sin(math.radians(angle)))],
            0.035,
            (58, 60, 68),
        )
    pen.lamp(0.62, 0.3, 0.04)


def hot_air_balloon(pen, rng):
    first = paint(rng, "red", "blue", "orange", "yellow", "plum", "teal", "green")
    second = paint(rng, "white", "yellow", "cream", "orange", "sky")
    half = {
        0.5: 0.13,
        0.62: 0.23,
        0.76: 0.35,
        0.92: 0.47,
        1.1: 0.58,
        1.22: 0.63,
        1.34: 0.65,
        1.46: 0.635,
        1.58: 0.58,
        1.7: 0.48,
        1.8: 0.35,
        1.87: 0.2,
        1.9: 0.06,
    }
    gores = 8
    for g in range(gores):
        # Gores of equal angle look narrower towards the rim: that is what makes the envelope round.
        left, right = (math.sin(math.pi * (k / gores - 0.5)) for k in (g, g + 1))
        colour = first if g % 2 == 0 else second
        shade = abs(g - 3) / 5
        strip = [(left * x, y) for y, x in half.items()] + [(right * x, y) for y, x in reversed(half.items())]
        pen.shape(strip, darker(colour, 0.26 * shade) if g > 2 else lighter(colour, 0.1 * (3 - shade * 5) / 3))
    if rng.random() < 0.6:
        edge = [(-half[y], y) for y in (1.1, 1.22, 1.34)] + [(half[y], y) for y in (1.34, 1.22, 1.1)]
        pen.shape(edge, paint(rng, "navy", "burgundy", "white", "teal"))
    for x in (-0.12, -0.05, 0.05, 0.12):
        pen.bar([(x, 0.52), (x * 0.9, 0.24)], 0.016, (80, 70, 60))
    pen.shape([(-0.05, 0.36), (0.0, 0.52), (0.05, 0.36)], (255, 190, 70))
    basket = (164, 110, 60)
    for x in (-0.06, 0.05):
        pen.disc(x, 0.28, 0.045, (226, 178, 142))
    pen.body([(-0.15, 0.24), (0.15, 0.24), (0.12, 0.0), (-0.12, 0.0)], basket)
    pen.bar([(-0.15, 0.24), (0.15, 0.24)], 0.04, darker(basket, 0.35))
    pen.bar([(-0.13, 0.12), (0.13, 0.12)], 0.02, darker(basket, 0.3))
    if pen.light is not None and pen.light.lamps:
        pen.lamp(0.0, 0.42, 0.05, (255, 190, 90))


def airship(pen, rng):
    colour = paint(rng, "silver", "white", "silver", "red", "sky", "orange", "cream")
    trim = paint(rng, "red", "navy", "teal", "orange")
    for tip in (1.02, 0.16):
        pen.body([(-0.66, 0.6), (-0.96, tip), (-1.14, tip), (-1.04, 0.6)], trim)
    shell = curve(
        [
            (-1.08, 0.6),
            (-0.8, 0.76),
            (-0.3, 0.92),
            (0.3, 0.94),
            (0.8, 0.8),
            (1.06, 0.58),
            (0.8, 0.38),
            (0.3, 0.24),
            (-0.3, 0.26),
            (-0.8, 0.44),
        ]
    )
    pen.body(shell, colour, light=0.3, cuts=(0.34, 0.7))
    pen.band(shell, 0.2, 0.36, darker(colour, 0.36))
    for bend in (-0.2, 0.16):
        pen.bar(
            curve([(-1.06, 0.6), (-0.2, 0.6 + bend), (0.5, 0.6 + bend), (1.04, 0.58)], closed=False),
            0.014,
            darker(colour, 0.3),
        )
    if rng.random() < 0.6:
        pen.box(-0.44, 0.54, 0.44, 0.68, trim, 0.03)
        for x in (-0.3, -0.1, 0.1, 0.3):
            pen.box(x - 0.06, 0.57, x + 0.06, 0.65, lighter(colour, 0.7), 0.02)
    pen.body([(-0.92, 0.62), (-1.2, 0.66), (-1.2, 0.58), (-0.92, 0.56)], mix(trim, colour, 0.2))
    pen.body(
        curve([(-0.26, 0.26), (0.3, 0.26), (0.36, 0.14), (0.2, 0.04), (-0.2, 0.04), (-0.3, 0.14)], steps=4),
        (96, 102, 112),
    )
    for x in (-0.18, -0.04, 0.1):
        pen.pane(x, 0.12, x + 0.1, 0.2, 0.02)
    pen.glass([(0.23, 0.12), (0.23, 0.2), (0.31, 0.2), (0.33, 0.13)])
    pen.disc(-0.4, 0.18, 0.1, (80, 84, 92), 0.05)
    pen.bar([(-0.5, 0.08), (-0.5, 0.28)], 0.025, (50, 52, 58))
