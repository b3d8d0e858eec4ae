"""Goods vehicles and buses: pickup, delivery van, the three heavy trucks, city bus, double-decker bus."""

from .pen import IRON, PAINTS, STEEL, TYRE, curve, darker, lighter, mix, paint

CHASSIS = (58, 61, 68)


def pickup(pen, rng):
    colour = paint(rng, "red", "white", "blue", "silver", "black", "olive", "orange", "navy", "burgundy", "teal")
    if rng.random() < 0.45:
        cargo = paint(rng, "cream", "olive", "orange", "green")
        pen.smooth([(-0.9, 0.5), (-0.78, 0.7), (-0.56, 0.66), (-0.36, 0.74), (-0.16, 0.5)], cargo)
    pen.body([(-0.16, 0.5), (-0.12, 0.95), (-0.06, 0.98), (0.22, 0.97), (0.48, 0.6), (0.48, 0.5)], colour, dark=0)
    pen.glass([(-0.06, 0.62), (-0.04, 0.9), (0.18, 0.9), (0.36, 0.62)])
    pen.body(
        curve(
            [
                (-1.0, 0.28),
                (-1.0, 0.6),
                (-0.96, 0.61),
                (-0.2, 0.61),
                (0.4, 0.62),
                (0.9, 0.56),
                (1.0, 0.46),
                (0.99, 0.26),
                (0.5, 0.24),
                (-0.5, 0.24),
            ],
            steps=3,
        ),
        colour,
    )
    pen.bar([(-1.0, 0.6), (-0.18, 0.6)], 0.05, darker(colour, 0.4))
    for x in (-0.14, 0.36):
        pen.bar([(x, 0.3), (x, 0.58)], 0.018, darker(colour, 0.35))
    pen.bar([(-0.06, 0.53), (0.03, 0.53)], 0.025, darker(colour, 0.45))
    for x in (-0.6, 0.62):
        pen.arch(x, 0.29, colour)
        pen.wheel(x, 0.22)
    pen.box(0.88, 0.26, 1.03, 0.34, STEEL, 0.02)
    pen.lamp(0.95, 0.48, 0.045)
    pen.lamp(-0.97, 0.5, 0.035, (226, 56, 44))


def delivery_van(pen, rng):
    colour = paint(rng, "white", "navy", "red", "yellow", "silver", "teal", "orange", "sky")
    roof = rng.uniform(1.04, 1.12)
    body = [
        (-0.96, 0.2),
        (-0.97, roof - 0.06),
        (-0.9, roof),
        (0.34, roof),
        (0.5, roof - 0.06),
        (0.72, 0.68),
        (0.94, 0.56),
        (0.98, 0.42),
        (0.98, 0.2),
    ]
    pen.body(body, colour, cuts=(0.24, 0.86))
    pen.glass([(0.3, 0.68), (0.3, roof - 0.12), (0.46, roof - 0.12), (0.65, 0.68)])
    for x in (-0.36, 0.24, 0.7):
        pen.bar([(x, 0.24), (x, min(roof - 0.06, 0.62 if x > 0.5 else 2))], 0.016, darker(colour, 0.28))
    pen.bar([(-0.32, 0.62), (-0.2, 0.62)], 0.028, darker(colour, 0.45))
    accent = darker(colour, 0.5) if rng.random() < 0.5 else paint(rng, "red", "blue", "green", "orange")
    if rng.random() < 0.6:
        pen.band(body, 0.46, 0.54, accent)
    if rng.random() < 0.5:
        pen.disc(-0.64, 0.78, 0.13, accent)
        pen.disc(-0.64, 0.78, 0.07, lighter(colour, 0.3))
    for x in (-0.58, 0.6):
        pen.arch(x, 0.25, colour)
        pen.wheel(x, 0.19)
    pen.box(0.84, 0.2, 1.0, 0.28, CHASSIS, 0.02)
    pen.lamp(0.93, 0.48, 0.045)
    pen.lamp(-0.94, 0.56, 0.032, (226, 56, 44))


def _truck(pen, rng, colour):
    """Chassis and cab of a heavy truck, the load is left to the caller: it stands on y = 0.36 from x = -1 to 0.4."""
    pen.box(-1.0, 0.26, 0.9, 0.36, CHASSIS)
    pen.body([(0.46, 0.24), (0.46, 1.0), (0.52, 1.06), (0.78, 1.06), (0.86, 1.0), (0.97, 0.62), (0.98, 0.24)], colour)
    pen.glass([(0.62, 0.66), (0.62, 0.95), (0.79, 0.95), (0.89, 0.66)])
    pen.bar([(0.58, 0.3), (0.58, 0.98)], 0.018, darker(colour, 0.35))
    pen.bar([(0.62, 0.56), (0.7, 0.56)], 0.028, darker(colour, 0.5))
    pen.box(0.82, 0.2, 1.01, 0.32, CHASSIS, 0.02)
    pen.lamp(0.95, 0.42, 0.045)
    for x in (-0.72, -0.3, 0.66):
        pen.disc(x, 0.23, 0.25, (30, 31, 36))
        pen.wheel(x, 0.21)
    pen.lamp(-0.98, 0.32, 0.032, (226, 56, 44))


def box_truck(pen, rng):
    colour = paint(rng)
    load = paint(rng, "white", "cream", "silver", "sky", "orange", "white", "yellow")
    _truck(pen, rng, colour)
    pen.body([(-1.0, 0.38), (-1.0, 1.26), (0.4, 1.26), (0.4, 0.38)], load, cuts=(0.12, 0.9))
    for x in (-0.65, -0.3, 0.05):
        pen.bar([(x, 0.42), (x, 1.22)], 0.014, darker(load, 0.2))
    if rng.random() < 0.7:
        mark = paint(rng, "red", "navy", "green", "orange", "teal")
        pen.box(-0.86, 0.66, 0.26, 0.92, mark)
        pen.disc(-0.3, 0.79, 0.2, lighter(mark, 0.7))
        pen.disc(-0.3, 0.79, 0.12, mark)


def tank_truck(pen, rng):
    colour = paint(rng)
    tank = paint(rng, "silver", "white", "silver", "red", "sky", "green", "cream", "orange")
    _truck(pen, rng, colour)
    shell = [
        (-1.0 + 0.07, 0.4),
        (-1.02, 0.52),
        (-1.04, 0.7),
        (-1.02, 0.88),
        (-0.93, 1.02),
        (0.3, 1.02),
        (0.39, 0.88),
        (0.41, 0.7),
        (0.39, 0.52),
        (0.3, 0.4),
    ]
    pen.body(shell, tank, dark=0.34, light=0.1)
    pen.band(shell, 0.82, 0.9, lighter(tank, 0.55))
    pen.band(shell, 0.6, 0.67, paint(rng, "red", "blue", "orange", "green"))
    for x in (-0.66, -0.32, 0.02):
        pen.bar([(x, 0.41), (x, 1.01)], 0.018, darker(tank, 0.28))
    for x in (-0.5, -0.14):
        pen.box(x - 0.08, 1.01, x + 0.08, 1.09, STEEL, 0.02)
    pen.bar([(-0.9, 1.09), (0.26, 1.09)], 0.02, IRON)


def dump_truck(pen, rng):
    colour = paint(rng, "yellow", "orange", "yellow", "red", "blue", "green", "white")
    bed = colour if rng.random() < 0.6 else paint(rng, "silver", "navy", "orange")
    _truck(pen, rng, colour)
    earth = mix((124, 92, 60), (150, 146, 138), rng.random())
    lift = rng.choice([0.0, 0.0, 0.12, 0.3])
    if lift < 0.2:
        pen.body(
            curve([(-0.86, 0.86), (-0.6, 1.06), (-0.34, 1.16), (-0.02, 1.2), (0.22, 1.06), (0.3, 0.9), (-0.3, 0.8)]),
            earth,
        )
    pen.body([(-1.12, 0.92 - lift / 2), (-0.78, 0.4), (0.3, 0.4 + lift), (0.42, 0.96 + lift)], bed)
    pen.body(
        [(0.3, 0.9 + lift), (0.34, 1.18 + lift), (0.86, 1.18 + lift), (0.86, 1.12 + lift), (0.44, 1.06 + lift)], bed
    )
    for share in (0.16, 0.42, 0.68, 0.94):
        top, foot = -1.06 + 1.44 * share, -0.76 + 1.04 * share
        pen.bar(
            [(foot, 0.44 + lift * share), (top, 0.9 + lift * share - (1 - share) * lift / 2)], 0.04, darker(bed, 0.3)
        )
    if lift:
        pen.bar([(-0.1, 0.34), (0.12, 0.44 + lift * 0.8)], 0.05, STEEL)


def _windows(pen, xs, low, high, width):
    for x in xs:
        pen.pane(x, low, x + width, high, 0.02)


def city_bus(pen, rng):
    colour = paint(rng, "blue", "green", "orange", "teal", "white", "yellow", "sky", "red", "burgundy")
    trim = PAINTS["white"] if rng.random() < 0.5 else darker(colour, 0.4)
    body = rounded_front(-1.08, 0.16, 1.08, 0.82)
    pen.body(body, colour, cuts=(0.2, 0.93))
    pen.band(body, 0.3, 0.36, trim)
    _windows(pen, (-1.0, -0.72, -0.44, 0.1, 0.38), 0.45, 0.72, 0.24)
    for x in (-0.16, 0.66):
        pen.box(x - 0.01, 0.18, x + 0.23, 0.74, darker(colour, 0.45))
        pen.pane(x, 0.22, x + 0.1, 0.71)
        pen.pane(x + 0.12, 0.22, x + 0.22, 0.71)
    pen.glass([(0.93, 0.4), (0.93, 0.72), (1.04, 0.72), (1.08, 0.4)])
    pen.box(0.3, 0.755, 0.9, 0.81, (30, 32, 38))
    pen.box(0.4, 0.765, 0.78, 0.8, (255, 190, 70))
    pen.box(-0.8, 0.82, -0.2, 0.88, darker(colour, 0.25), 0.03)
    for x in (-0.64, 0.42):
        pen.disc(x, 0.17, 0.19, (30, 31, 36))
        pen.wheel(x, 0.16)
    pen.lamp(1.06, 0.27, 0.035)
    pen.lamp(-1.06, 0.3, 0.03, (226, 56, 44))


def rounded_front(x0, y0, x1, y1):
    """Outline of a bus: square behind, a slightly raked and rounded front."""
    return [
        (x0, y0),
        (x0, y1 - 0.05),
        (x0 + 0.05, y1),
        (x1 - 0.1, y1),
        (x1 - 0.04, y1 - 0.05),
        (x1, y0 + 0.3),
        (x1, y0),
    ]


def double_decker_bus(pen, rng):
    colour = paint(rng, "red", "red", "red", "green", "blue", "cream", "burgundy", "orange")
    body = rounded_front(-0.98, 0.16, 0.98, 1.3)
    pen.body(body, colour, cuts=(0.14, 0.92))
    pen.band(body, 0.7, 0.84, PAINTS["cream"] if rng.random() < 0.6 else lighter(colour, 0.35))
    if rng.random() < 0.6:
        pen.box(-0.6, 0.71, 0.3, 0.83, paint(rng, "yellow", "white", "navy", "teal"))
    _windows(pen, (-0.92, -0.62, -0.32, -0.02, 0.28, 0.58), 0.9, 1.16, 0.26)
    _windows(pen, (-0.62, -0.32, -0.02, 0.28), 0.42, 0.66, 0.26)
    pen.box(-0.95, 0.2, -0.7, 0.67, darker(colour, 0.55))
    pen.pane(-0.93, 0.24, -0.83, 0.64)
    pen.pane(-0.81, 0.24, -0.72, 0.64)
    pen.glass([(0.62, 0.38), (0.62, 0.66), (0.93, 0.66), (0.97, 0.38)])
    pen.glass([(0.87, 0.9), (0.87, 1.16), (0.93, 1.16), (0.955, 0.9)])
    for x in (-0.52, 0.56):
        pen.disc(x, 0.18, 0.2, TYRE)
        pen.wheel(x, 0.17)
    pen.lamp(0.96, 0.27, 0.036)
    pen.lamp(-0.96, 0.28, 0.03, (226, 56, 44))
