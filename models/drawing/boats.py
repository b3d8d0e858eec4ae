"""Boats moved by arms or wind: canoe, rowing boat, dinghy, yacht, tall ship. Keels lie at y = 0."""

from .pen import IRON, PAINTS, curve, darker, lighter, mix, paint

WOOD = (150, 98, 56)
SKIN = (226, 178, 142)


def _rower(pen, x, shirt, hat=None, lean=0.0):
    """A seated person whose hips are at height 0.2."""
    pen.body(
        curve([(x - 0.13, 0.2), (x - 0.12 + lean, 0.5), (x + lean, 0.58), (x + 0.11 + lean, 0.5), (x + 0.13, 0.2)]),
        shirt,
    )
    pen.disc(x + lean * 1.2, 0.68, 0.09, SKIN)
    if hat:
        pen.smooth(
            [
                (x - 0.1 + lean * 1.2, 0.7),
                (x - 0.07 + lean * 1.2, 0.79),
                (x + 0.07 + lean * 1.2, 0.79),
                (x + 0.13 + lean * 1.2, 0.7),
            ],
            hat,
        )


def canoe(pen, rng):
    colour = paint(rng, "red", "green", "orange", "yellow", "burgundy", "teal", "olive")
    shirts = [paint(rng, "navy", "white", "orange", "plum", "sky", "red") for _ in range(2)]
    pair = rng.random() < 0.6
    for x, shirt in zip((-0.44, 0.36) if pair else (-0.1,), shirts):
        _rower(pen, x, shirt, paint(rng, "red", "cream", "black", "yellow"), lean=0.04)
        pen.bar([(x + 0.02, 0.66), (x + 0.3, 0.02)], 0.045, WOOD)
        pen.smooth([(x + 0.25, 0.1), (x + 0.34, 0.08), (x + 0.36, -0.14), (x + 0.28, -0.14)], (206, 168, 104))
        pen.bar([(x, 0.5), (x + 0.12, 0.42)], 0.07, shirt)
    hull = curve(
        [
            (-1.04, 0.46),
            (-0.96, 0.4),
            (-0.7, 0.29),
            (0.0, 0.25),
            (0.7, 0.29),
            (0.96, 0.4),
            (1.04, 0.46),
            (1.0, 0.22),
            (0.8, 0.04),
            (0.4, 0.0),
            (-0.4, 0.0),
            (-0.8, 0.04),
            (-1.0, 0.22),
        ]
    )
    pen.body(hull, colour)
    pen.bar(
        curve([(-1.02, 0.45), (-0.7, 0.29), (0.0, 0.25), (0.7, 0.29), (1.02, 0.45)], closed=False),
        0.04,
        mix(WOOD, (240, 210, 150), 0.5),
    )


def rowing_boat(pen, rng):
    colour = paint(rng, "white", "teal", "navy", "green", "cream", "burgundy", "sky")
    inside = mix(WOOD, (236, 200, 140), 0.3)
    pen.shape([(-0.84, 0.36), (0.9, 0.44), (0.6, 0.3), (-0.7, 0.26)], darker(inside, 0.4))
    if rng.random() < 0.75:
        _rower(
            pen, 0.04, paint(rng, "red", "navy", "white", "yellow", "plum"), paint(rng, "cream", "black"), lean=-0.05
        )
        pen.bar([(0.02, 0.48), (-0.2, 0.42)], 0.07, SKIN)
    hull = curve([(-0.88, 0.36), (-0.5, 0.3), (0.0, 0.29), (0.5, 0.33), (0.98, 0.48)], closed=False) + curve(
        [(0.98, 0.48), (0.84, 0.2), (0.6, 0.03), (0.2, 0.0), (-0.5, 0.0), (-0.76, 0.03)], closed=False
    )
    pen.body(hull, colour)
    for y in (0.12, 0.2):
        pen.band(hull, y, y + 0.02, darker(colour, 0.28))
    pen.bar(curve([(-0.9, 0.37), (-0.5, 0.3), (0.0, 0.29), (0.5, 0.33), (1.0, 0.49)], closed=False), 0.06, WOOD)
    for spread, far in ((-0.62, True), (-0.34, False)):
        oar = darker((216, 176, 112), 0.25 if far else 0)
        pen.bar([(-0.14, 0.46), (spread * 1.45, -0.02)], 0.05, oar)
        pen.smooth(
            [(spread * 1.3, 0.06), (spread * 1.4 + 0.05, 0.04), (spread * 1.62, -0.14), (spread * 1.62 - 0.1, -0.08)],
            oar,
        )


def _hull(pen, colour, boot, left, right, top, sheer=0.06):
    """A sailing hull from stern to bow with a coloured underwater band; returns its outline."""
    outline = curve([(left, top), ((left + right) / 2, top - sheer / 2), (right, top + sheer)], closed=False) + curve(
        [(right, top + sheer), (right - 0.22, 0.1), (right - 0.6, 0.0), (left + 0.2, 0.0), (left + 0.06, 0.08)],
        closed=False,
    )
    pen.body(outline, colour)
    pen.band(outline, 0.0, 0.07, boot)
    pen.bar(
        [(left, top), ((left + right) / 2, top - sheer / 2), (right, top + sheer)],
        0.035,
        mix(WOOD, (255, 230, 180), 0.4),
    )
    return outline


def dinghy(pen, rng):
    colour = paint(rng, "white", "red", "blue", "yellow", "cream", "teal")
    sail = paint(rng, "white", "orange", "red", "sky", "yellow", "white", "white")
    pen.bar([(0.1, 0.2), (0.06, 1.6)], 0.04, (120, 110, 100))
    cloth = (
        [(0.05, 1.58)] + curve([(0.05, 1.58), (-0.3, 1.06), (-0.58, 0.44)], closed=False) + [(-0.58, 0.4), (0.07, 0.36)]
    )
    pen.shape(cloth, sail)
    pen.shape([(0.05, 1.58), (-0.1, 1.3), (-0.2, 0.38), (0.07, 0.36)], lighter(sail, 0.35))
    pen.band(cloth, 0.92, 1.02, darker(sail, 0.12) if rng.random() < 0.5 else paint(rng, "navy", "red", "teal"))
    pen.bar([(-0.6, 0.4), (0.1, 0.35)], 0.04, (120, 110, 100))
    shirt = paint(rng, "red", "navy", "orange", "green")
    pen.body(curve([(-0.46, 0.16), (-0.48, 0.4), (-0.36, 0.48), (-0.26, 0.4), (-0.24, 0.16)]), shirt)
    pen.disc(-0.37, 0.56, 0.075, SKIN)
    _hull(pen, colour, darker(colour, 0.3), -0.66, 0.66, 0.24)
    pen.bar([(-0.66, 0.24), (-0.72, -0.02)], 0.05, WOOD)


def yacht(pen, rng):
    colour = paint(rng, "white", "white", "navy", "cream", "white", "burgundy")
    sail = lighter(paint(rng, "white", "cream"), 0.3)
    jib = sail if rng.random() < 0.6 else paint(rng, "red", "blue", "orange", "teal")
    mast = rng.uniform(1.72, 1.84)
    pen.bar([(0.14, 0.3), (0.14, mast)], 0.035, (150, 150, 154))
    pen.bar([(0.14, mast), (1.02, 0.36)], 0.014, (120, 120, 126))
    pen.bar([(0.14, mast), (-0.94, 0.36)], 0.014, (120, 120, 126))
    main = [(0.1, mast - 0.06)] + curve([(0.1, mast - 0.06), (-0.34, 1.1), (-0.7, 0.5)], closed=False) + [(0.1, 0.46)]
    pen.shape(main, darker(sail, 0.08))
    pen.shape([(0.1, mast - 0.06), (-0.14, 1.2), (-0.3, 0.48), (0.1, 0.46)], sail)
    front = (
        [(0.18, mast - 0.16)] + curve([(0.18, mast - 0.16), (0.34, 0.9), (0.24, 0.42)], closed=False) + [(0.94, 0.42)]
    )
    pen.shape(front, jib)
    pen.band(front, 0.42, 0.56, darker(jib, 0.12))
    for y in (0.8, 1.1):
        pen.band(main, y, y + 0.02, darker(sail, 0.3))
    pen.bar([(-0.76, 0.46), (0.14, 0.42)], 0.045, (150, 150, 154))
    pen.body(curve([(-0.46, 0.26), (-0.42, 0.4), (0.1, 0.42), (0.5, 0.38), (0.66, 0.3), (0.1, 0.24)]), (238, 238, 232))
    for x in (-0.28, -0.04, 0.2):
        pen.pane(x, 0.32, x + 0.14, 0.38, 0.03)
    _hull(pen, colour, paint(rng, "red", "navy", "teal"), -0.98, 1.04, 0.3, 0.08)


def tall_ship(pen, rng):
    colour = paint(rng, "black", "black", "navy", "burgundy", "olive")
    sail = paint(rng, "cream", "white", "white")
    masts = ((-0.56, 1.3), (0.0, 1.52), (0.5, 1.34))
    pen.bar([(0.8, 0.42), (1.18, 0.62)], 0.045, WOOD)
    for (x, top), (stay, height) in zip(masts, ((-0.98, 0.45), (-0.56, 1.1), (0.0, 1.2))):
        pen.bar([(x, 0.3), (x, top + 0.08)], 0.045, WOOD)
        pen.bar([(x, top), (stay, height)], 0.014, (84, 70, 60))
    for tip in ((1.16, 0.61), (0.98, 0.52)):
        pen.shape([(0.5, 1.24 if tip[0] > 1 else 0.96), tip, (0.62, 0.56)], darker(sail, 0.06 if tip[0] > 1 else 0.14))
    for x, top in masts:
        rows = ((0.48, 0.82, 0.25), (0.85, 1.1, 0.21), (1.13, 1.32, 0.16))
        for low, high, half in rows:
            if high > top + 0.03:
                continue
            cloth = (
                curve([(x - half, low), (x - half * 0.86, high)], closed=False, steps=2)
                + [(x + half * 0.86, high)]
                + curve([(x + half * 0.86, high), (x + half * 1.24, (low + high) / 2), (x + half, low)], closed=False)
            )
            pen.shape(cloth, sail)
            pen.band(cloth, low, low + 0.3 * (high - low), darker(sail, 0.14))
            pen.bar([(x - half * 0.96, high), (x + half * 0.96, high)], 0.026, WOOD)
        pen.shape([(x, top + 0.08), (x - 0.18, top + 0.13), (x, top + 0.18)], PAINTS["red"])
    outline = [
        (-1.0, 0.5),
        (-0.7, 0.46),
        (-0.62, 0.34),
        (0.5, 0.32),
        (0.62, 0.4),
        (0.92, 0.46),
        (0.8, 0.2),
        (0.62, 0.02),
        (-0.7, 0.0),
        (-0.9, 0.14),
    ]
    pen.body(outline, colour)
    pen.band(outline, 0.18, 0.27, (222, 190, 116))
    for x in (-0.62, -0.38, -0.14, 0.1, 0.34, 0.56):
        pen.box(x, 0.195, x + 0.09, 0.255, darker(colour, 0.3))
    pen.bar([(-1.0, 0.5), (-0.7, 0.46)], 0.03, (222, 190, 116))
    pen.pane(-0.9, 0.32, -0.78, 0.41)
    pen.bar([(-0.98, 0.5), (-1.0, 0.72)], 0.022, IRON)
