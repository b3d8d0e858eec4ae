"""Bicycle, motor scooter, motorcycle."""

from .pen import IRON, STEEL, TYRE, curve, darker, lighter, paint


def bicycle(pen, rng):
    frame = paint(rng, "red", "blue", "teal", "orange", "plum", "green", "navy")
    reach = rng.uniform(0.48, 0.54)
    for x in (-reach, reach):
        pen.spoked(x, 0.41, TYRE, width=0.06, spokes=12)
    crank, saddle = (-0.1, 0.37), (-0.22, 0.86)
    for line in (
        [(-reach, 0.41), crank],
        [(-reach, 0.41), saddle],
        [crank, saddle],
        [crank, (0.37, 0.76)],
        [(-0.2, 0.8), (0.35, 0.84)],
    ):
        pen.bar(line, 0.065, frame)
    pen.bar([(0.31, 1.0), (0.39, 0.74), (reach, 0.41)], 0.06, darker(frame, 0.25))
    pen.bar([saddle, (-0.24, 0.96)], 0.045, STEEL)
    pen.body(curve([(-0.42, 0.96), (-0.38, 1.03), (-0.2, 1.01), (-0.06, 0.98), (-0.16, 0.95)]), (52, 40, 36))
    pen.bar([(0.2, 1.06), (0.32, 1.02), (0.46, 1.05), (0.5, 0.97)], 0.05, IRON)
    pen.disc(*crank, 0.1, IRON)
    pen.bar([(-0.2, 0.24), crank, (0.02, 0.52)], 0.04, STEEL)
    if rng.random() < 0.4:
        pen.body([(0.42, 0.84), (0.78, 0.84), (0.82, 1.06), (0.4, 1.06)], (176, 124, 70))
    if rng.random() < 0.4:
        pen.bar([(-0.82, 0.86), (-0.3, 0.86)], 0.05, IRON)
        pen.box(-0.76, 0.88, -0.44, 1.06, paint(rng, "burgundy", "olive", "blue"), 0.04)
    pen.lamp(0.46, 0.88, 0.045)


def motor_scooter(pen, rng):
    colour = paint(rng, "red", "sky", "cream", "teal", "orange", "white", "green")
    for x in (-0.56, 0.62):
        pen.wheel(x, 0.22, share=0.5)
    pen.bar([(0.62, 0.22), (0.5, 0.52)], 0.07, STEEL)
    pen.body([(-0.3, 0.22), (0.36, 0.22), (0.4, 0.32), (-0.3, 0.34)], darker(colour, 0.15))
    pen.body(
        curve(
            [
                (-0.92, 0.44),
                (-0.86, 0.68),
                (-0.5, 0.76),
                (-0.16, 0.68),
                (-0.12, 0.34),
                (-0.34, 0.24),
                (-0.56, 0.42),
                (-0.78, 0.38),
            ]
        ),
        colour,
    )
    pen.body([(0.28, 0.24), (0.42, 0.24), (0.56, 0.92), (0.44, 0.96)], colour)
    pen.body(
        curve([(0.36, 0.36), (0.46, 0.5), (0.66, 0.5), (0.84, 0.36), (0.74, 0.36), (0.62, 0.42), (0.48, 0.32)]), colour
    )
    pen.smooth([(-0.88, 0.76), (-0.8, 0.86), (-0.4, 0.82), (-0.14, 0.78), (-0.2, 0.7), (-0.6, 0.72)], (58, 44, 42))
    pen.bar([(0.48, 0.92), (0.42, 1.1)], 0.06, STEEL)
    pen.bar([(0.24, 1.12), (0.36, 1.14), (0.5, 1.1)], 0.06, TYRE)
    pen.bar([(0.44, 1.12), (0.4, 1.3)], 0.025, STEEL)
    pen.disc(0.39, 1.32, 0.06, STEEL)
    pen.smooth([(0.4, 0.96), (0.4, 1.1), (0.58, 1.08), (0.6, 0.96)], colour)
    pen.lamp(0.57, 1.02, 0.055)
    pen.lamp(-0.92, 0.58, 0.035, (226, 60, 46))
    if rng.random() < 0.45:
        pen.body(
            [(-1.04, 0.84), (-0.66, 0.84), (-0.66, 1.18), (-1.04, 1.18)], paint(rng, "orange", "navy", "red", "green")
        )


def motorcycle(pen, rng):
    colour = paint(rng, "red", "black", "blue", "orange", "green", "navy", "silver", "yellow")
    for x in (-0.6, 0.64):
        pen.disc(x, 0.34, 0.34, TYRE)
        pen.disc(x, 0.34, 0.22, (126, 132, 140))
        pen.disc(x, 0.34, 0.16, TYRE)
        pen.disc(x, 0.34, 0.09, STEEL)
    pen.bar([(-0.6, 0.34), (-0.1, 0.34)], 0.09, IRON)
    pen.body([(-0.26, 0.2), (0.22, 0.2), (0.3, 0.46), (0.12, 0.64), (-0.16, 0.62), (-0.28, 0.42)], (116, 122, 130))
    for y in (0.34, 0.42, 0.5):
        pen.bar([(-0.16, y), (0.2, y + 0.02)], 0.025, (70, 74, 80))
    pen.bar([(0.16, 0.42), (0.2, 0.18), (-0.2, 0.16), (-0.88, 0.24)], 0.075, (214, 216, 220))
    pen.bar([(0.64, 0.34), (0.38, 0.94)], 0.07, (206, 210, 214))
    pen.body(
        curve([(-0.12, 0.66), (-0.08, 0.8), (0.14, 0.92), (0.36, 0.84), (0.38, 0.68), (0.1, 0.6)]), colour, light=0.34
    )
    pen.body(
        curve([(-0.98, 0.86), (-0.84, 0.92), (-0.58, 0.78), (-0.3, 0.72), (-0.06, 0.76), (-0.1, 0.62), (-0.5, 0.6)]),
        (50, 44, 46),
    )
    pen.smooth([(-0.96, 0.8), (-0.86, 0.68), (-0.5, 0.66), (-0.3, 0.62), (-0.5, 0.56), (-0.84, 0.62)], colour)
    pen.smooth([(0.34, 0.62), (0.6, 0.76), (0.9, 0.64), (0.82, 0.62), (0.62, 0.7), (0.44, 0.6)], colour)
    pen.bar([(0.38, 0.94), (0.32, 1.04), (0.16, 1.06)], 0.05, TYRE)
    if rng.random() < 0.4:
        pen.smooth([(0.36, 0.7), (0.34, 1.0), (0.48, 1.08), (0.62, 0.84), (0.54, 0.7)], lighter(colour, 0.1))
    pen.disc(0.5, 0.84, 0.1, STEEL)
    pen.lamp(0.54, 0.84, 0.07)
    pen.lamp(-0.97, 0.8, 0.035, (226, 60, 46))
