"""Tram, steam locomotive, diesel locomotive, high-speed train. Rails lie at y = 0."""

import math

from .pen import IRON, PAINTS, STEEL, TYRE, curve, darker, lighter, mix, paint


def _bogie(pen, x, radius=0.1, reach=0.14):
    pen.box(x - reach - 0.12, 0.1, x + reach + 0.12, 0.2, (48, 50, 56), 0.03)
    for wheel in (x - reach, x + reach):
        pen.disc(wheel, radius, radius, TYRE)
        pen.disc(wheel, radius, radius * 0.5, (112, 116, 122))


def tram(pen, rng):
    colour = paint(rng, "red", "cream", "green", "yellow", "blue", "burgundy", "orange")
    top = PAINTS["cream"] if rng.random() < 0.6 else lighter(colour, 0.55)
    pen.bar([(-1.9, 1.32), (1.9, 1.32)], 0.02, (60, 62, 70))
    pen.bar([(-0.16, 0.96), (0.1, 1.12), (-0.16, 1.3)], 0.035, IRON)
    pen.bar([(-0.32, 1.31), (0.02, 1.31)], 0.04, IRON)
    for x in (-0.55, 0.55):
        _bogie(pen, x)
    ends = [(-1.0, 0.16), (-1.06, 0.4), (-1.0, 0.82), (-0.9, 0.92), (0.9, 0.92), (1.0, 0.82), (1.06, 0.4), (1.0, 0.16)]
    pen.body(ends, colour, cuts=(0.16, 0.95))
    pen.band(ends, 0.46, 0.86, top)
    pen.box(-0.86, 0.92, 0.86, 0.98, darker(top, 0.35), 0.03)
    for x in (-0.62, -0.36, -0.1, 0.16, 0.4):
        pen.pane(x, 0.5, x + 0.2, 0.8, 0.02)
    for x in (-0.9, 0.68):
        pen.box(x - 0.01, 0.18, x + 0.23, 0.82, darker(colour, 0.35))
        pen.pane(x + 0.01, 0.3, x + 0.1, 0.78)
        pen.pane(x + 0.12, 0.3, x + 0.21, 0.78)
    pen.glass([(0.94, 0.5), (0.94, 0.8), (0.99, 0.8), (1.04, 0.5)])
    pen.lamp(1.03, 0.34, 0.04)
    pen.lamp(-1.03, 0.34, 0.03, (226, 56, 44))


def steam_locomotive(pen, rng):
    colour = paint(rng, "black", "black", "green", "navy", "burgundy", "black")
    red = PAINTS["red"] if rng.random() < 0.7 else darker(colour, 0.2)
    smoke = lighter(IRON, rng.uniform(0.5, 0.85))
    for k in range(5):
        pen.disc(0.6 - 0.24 * k, 1.26 + 0.07 * k, 0.12 + 0.03 * k, (*smoke, 205 - 28 * k))
    pen.box(-0.98, 0.26, 0.86, 0.38, red)
    boiler = [(-0.5, 0.44), (-0.5, 0.86), (0.78, 0.86), (0.84, 0.8), (0.84, 0.5), (0.78, 0.44)]
    pen.body(boiler, colour, light=0.3, cuts=(0.34, 0.72))
    for x in (-0.2, 0.2):
        pen.bar([(x, 0.45), (x, 0.86)], 0.03, (196, 164, 84))
    pen.body([(0.5, 0.86), (0.46, 1.16), (0.74, 1.16), (0.7, 0.86)], darker(colour, 0.2))
    pen.box(0.43, 1.12, 0.77, 1.18, IRON)
    pen.body(curve([(0.04, 0.84), (0.05, 0.98), (0.14, 1.02), (0.24, 0.98), (0.25, 0.84)]), (206, 168, 78))
    pen.body(curve([(-0.3, 0.84), (-0.29, 0.94), (-0.22, 0.97), (-0.15, 0.94), (-0.14, 0.84)]), colour)
    pen.body([(-0.98, 0.36), (-0.98, 1.1), (-0.48, 1.1), (-0.48, 0.36)], colour, light=0.1)
    pen.pane(-0.84, 0.72, -0.6, 0.98, 0.03)
    pen.body([(-1.06, 1.08), (-0.94, 1.18), (-0.5, 1.18), (-0.4, 1.08)], darker(red, 0.2), dark=0)
    pen.shape([(0.84, 0.28), (0.84, 0.42), (1.06, 0.06), (0.84, 0.06)], red)
    for x in (0.94, 0.99):
        pen.bar([(0.84, 0.3), (x, 0.07)], 0.02, darker(red, 0.5))
    for x in (-0.66, -0.2, 0.26):
        pen.disc(x, 0.23, 0.23, darker(red, 0.35))
        pen.ring(x, 0.23, 0.205, 0.05, TYRE)
        for turn in range(0, 360, 45):
            pen.bar(
                [(x, 0.23), (x + 0.19 * math.cos(math.radians(turn)), 0.23 + 0.19 * math.sin(math.radians(turn)))],
                0.028,
                lighter(red, 0.2),
            )
        pen.disc(x, 0.23, 0.06, IRON)
    pen.disc(0.66, 0.13, 0.13, TYRE)
    pen.disc(0.66, 0.13, 0.07, lighter(red, 0.1))
    pen.bar([(-0.66, 0.16), (0.26, 0.16)], 0.055, (206, 210, 214))
    pen.box(0.5, 0.24, 0.8, 0.4, IRON, 0.03)
    pen.bar([(0.26, 0.16), (0.56, 0.32)], 0.04, (206, 210, 214))
    pen.lamp(0.86, 0.9, 0.06)


def diesel_locomotive(pen, rng):
    colour = paint(rng, "red", "green", "blue", "orange", "navy", "burgundy", "yellow", "teal")
    stripe = PAINTS[str(rng.choice(["yellow", "white", "cream"]))]
    for x in (-0.6, 0.6):
        _bogie(pen, x, 0.11, 0.17)
    pen.box(-0.3, 0.08, 0.3, 0.2, (66, 70, 76), 0.03)
    pen.box(-1.06, 0.19, 1.06, 0.28, (44, 46, 52))
    hood = [(-1.0, 0.28), (-1.0, 0.74), (-0.94, 0.78), (0.3, 0.78), (0.3, 0.28)]
    pen.body(hood, colour)
    nose = [(0.62, 0.28), (0.62, 0.64), (0.96, 0.62), (1.02, 0.56), (1.02, 0.28)]
    pen.body(nose, colour)
    cab = [(0.26, 0.28), (0.24, 0.98), (0.3, 1.04), (0.62, 1.04), (0.7, 0.98), (0.72, 0.28)]
    pen.body(cab, colour, cuts=(0.2, 0.86))
    for outline in (hood, nose, cab):
        pen.band(outline, 0.4, 0.47, stripe)
    pen.pane(0.32, 0.68, 0.46, 0.92, 0.02)
    pen.glass([(0.52, 0.68), (0.52, 0.92), (0.65, 0.92), (0.68, 0.68)])
    for x in (-0.9, -0.72, -0.54):
        pen.box(x, 0.52, x + 0.13, 0.7, darker(colour, 0.5))
        for y in (0.56, 0.62, 0.68):
            pen.bar([(x, y), (x + 0.13, y)], 0.014, lighter(colour, 0.1))
    pen.box(-0.62, 0.78, -0.38, 0.86, IRON)
    pen.disc(-0.08, 0.8, 0.09, IRON, 0.05)
    pen.bar([(-1.02, 0.4), (-1.02, 0.52), (-0.24, 0.52), (0.2, 0.52)], 0.018, (226, 226, 220))
    for x in (-0.24, 0.0, 0.2):
        pen.bar([(x, 0.28), (x, 0.52)], 0.018, (226, 226, 220))
    pen.lamp(0.99, 0.5, 0.045)
    pen.lamp(0.47, 1.07, 0.035)
    pen.lamp(-1.04, 0.34, 0.03, (226, 56, 44))


def high_speed_train(pen, rng):
    base = PAINTS["white"] if rng.random() < 0.6 else paint(rng, "silver", "sky", "cream")
    stripe = paint(rng, "red", "blue", "teal", "orange", "navy", "green")
    tail = -1.9 if rng.random() < 0.75 else -1.08
    for x in (-1.5, -0.72, 0.3):
        if x > tail:
            _bogie(pen, x, 0.085, 0.12)
    shell = (
        [(tail, 0.14), (tail, 0.8)]
        + curve([(0.1, 0.8), (0.4, 0.77), (0.72, 0.6), (0.98, 0.4), (1.08, 0.26), (1.02, 0.15)], closed=False)
        + [(0.9, 0.12)]
    )
    pen.body(shell, base, cuts=(0.14, 0.9))
    pen.band(shell, 0.3, 0.4, stripe)
    pen.band(shell, 0.12, 0.2, mix(stripe, (60, 62, 70), 0.5))
    x = tail + 0.1
    while x < 0.1:
        pen.pane(x, 0.5, x + 0.17, 0.66, 0.03)
        x += 0.24
    pen.glass([(0.38, 0.56), (0.38, 0.7), (0.52, 0.68), (0.76, 0.53), (0.7, 0.5)])
    pen.bar([(-0.92, 0.16), (-0.92, 0.79)], 0.035, darker(base, 0.4))
    pen.box(-0.04, 0.28, 0.16, 0.72, lighter(stripe, 0.15), 0.03)
    pen.pane(0.0, 0.52, 0.12, 0.68)
    pen.lamp(1.0, 0.31, 0.04)
    if rng.random() < 0.6:
        pen.bar([(-0.5, 0.82), (-0.34, 0.94), (-0.5, 1.04)], 0.03, STEEL)
        pen.bar([(-0.62, 1.05), (-0.38, 1.05)], 0.03, STEEL)
