"""What stands behind and under a vehicle: sky, land, ground.

Conventions: pixels of a square picture of SIZE, y down. Every painter draws in place and takes its random numbers from
the generator it is given.
"""

import math

import numpy as np
from PIL import Image, ImageDraw

from .light import gradient
from .pen import darker, lighter, mix

SIZE = 256
GROUNDS = ("road", "rail", "field", "yard", "water", "sky")


def paint_background(rng, light, ground):
    """Sky, distance and ground.

    Returns
    -------
    picture : PIL.Image
    baseline : float
        Row on which a vehicle stands; for `sky` the row at which its middle hangs.
    """
    if ground == "sky":
        horizon = int(SIZE * (rng.uniform(0.84, 0.94) if rng.random() < 0.6 else 1.3))
    else:
        horizon = int(SIZE * rng.uniform(0.56, 0.66))
    rows = min(horizon, SIZE)
    pixels = np.empty((SIZE, SIZE, 3), np.uint8)
    pixels[:rows] = gradient(light.sky, SIZE, rows)
    pixels[rows:] = light.sky[-1]
    picture = Image.fromarray(pixels)
    draw = ImageDraw.Draw(picture, "RGBA")
    _heaven(draw, rng, light, rows)
    if horizon < SIZE:
        _distance(draw, rng, light, horizon, ground)
        _GROUND[ground](draw, rng, light, horizon)
    if ground == "sky":
        return picture, SIZE * rng.uniform(0.44, 0.54)
    return picture, SIZE * rng.uniform(0.8, 0.86)


def _heaven(draw, rng, light, horizon):
    if light.name == "night":
        for _ in range(int(rng.integers(14, 26))):
            x, y, r = rng.uniform(0, SIZE), rng.uniform(0, horizon * 0.8), rng.uniform(1.2, 2.2)
            draw.ellipse((x - r, y - r, x + r, y + r), fill=(230, 234, 255, int(rng.integers(120, 240))))
        if rng.random() < 0.5:
            x, y, r = rng.uniform(30, SIZE - 30), rng.uniform(24, 70), rng.uniform(12, 17)
            draw.ellipse((x - 1.5 * r, y - 1.5 * r, x + 1.5 * r, y + 1.5 * r), fill=(240, 236, 210, 26))
            draw.ellipse((x - r, y - r, x + r, y + r), fill=(246, 240, 214))
            draw.ellipse((x - r * 0.4, y - r * 1.1, x + r * 1.4, y + r * 0.7), fill=(*light.sky[0], 255))
    elif light.name == "dusk" or (light.name == "day" and rng.random() < 0.3):
        low = light.name == "dusk"
        x, r = rng.uniform(30, SIZE - 30), rng.uniform(14, 20)
        y = horizon - rng.uniform(6, 46) if low else rng.uniform(26, 60)
        for grow, alpha in ((2.4, 30), (1.6, 50), (1.0, 255)):
            draw.ellipse(
                (x - r * grow, y - r * grow, x + r * grow, y + r * grow),
                fill=(*((255, 222, 150) if low else (255, 246, 206)), alpha),
            )
    for _ in range(int(rng.integers(0, 4)) + (light.name == "rain")):
        cloud(draw, rng, rng.uniform(0, SIZE), rng.uniform(16, horizon * 0.62), rng.uniform(18, 34), light.cloud)


def cloud(draw, rng, x, y, size, colour):
    """A heap of discs on a flat foot, `size` pixels high or so, shaded below."""
    *tone, alpha = colour
    puffs = [
        (x + size * dx, y - size * dy, size * r)
        for dx, dy, r in (
            (-1.1, 0.0, 0.34),
            (-0.55, 0.2, 0.5),
            (0.1, 0.34, 0.62),
            (0.75, 0.14, 0.48),
            (1.25, -0.02, 0.3),
        )
    ]
    drop = rng.uniform(-0.1, 0.1) * size
    for lower, shade in ((0.1 * size, mix(tone, (120, 140, 176), 0.18)), (0.0, tuple(tone))):
        for k, (px, py, r) in enumerate(puffs):
            py += drop * (k % 2) + lower
            draw.ellipse((px - r, py - r, px + r, py + r), fill=(*shade, alpha))
    draw.rounded_rectangle(
        (x - 1.4 * size, y + 0.05 * size, x + 1.5 * size, y + 0.36 * size),
        0.15 * size,
        fill=(*mix(tone, (120, 140, 176), 0.18), alpha),
    )


def _distance(draw, rng, light, horizon, ground):
    """Hills, woods or a town along the horizon."""
    air = light.sky[-1]
    kind = rng.choice(["hills", "town", "woods", "plain"] if ground != "water" else ["hills", "plain", "plain", "town"])
    if kind in ("hills", "woods"):
        for layer, share in ((0, 0.55), (1, 0.3)):
            height, phase, waves = rng.uniform(14, 34) - 8 * layer, rng.uniform(0, 6.3), rng.uniform(0.7, 1.6)
            crest = [
                (x, horizon + 2 - height * (0.55 + 0.45 * math.sin(phase + waves * 6.3 * x / SIZE)))
                for x in range(0, SIZE + 9, 8)
            ]
            tone = mix(light.on((86, 138, 96) if layer else (96, 130, 138)), air, share)
            draw.polygon([(0, horizon + 3), *crest, (SIZE, horizon + 3)], fill=tone)
    if kind == "woods":
        x = -8.0
        while x < SIZE:
            r = rng.uniform(9, 17)
            draw.ellipse(
                (x - r, horizon - 1.3 * r, x + r, horizon + r),
                fill=mix(light.on((58, 108, 70)), air, rng.uniform(0.12, 0.28)),
            )
            x += rng.uniform(9, 17)
    if kind == "town":
        x = -4.0
        while x < SIZE:
            width, height = rng.uniform(14, 30), rng.uniform(10, 46)
            tone = mix(light.on(mix((128, 124, 134), (170, 140, 122), rng.random())), air, rng.uniform(0.25, 0.45))
            draw.rectangle((x, horizon - height, x + width, horizon + 2), fill=tone)
            if light.lamps:
                for wy in range(int(horizon - height + 5), int(horizon - 4), 9):
                    for wx in range(int(x + 4), int(x + width - 4), 8):
                        if rng.random() < 0.4:
                            draw.rectangle((wx, wy, wx + 3, wy + 4), fill=(250, 206, 120, 230))
            x += width + rng.uniform(-2, 5)


def _plane(draw, light, horizon, near, far):
    """Ground in a few flat bands, paler towards the horizon."""
    for k in range(8):
        top = horizon + (SIZE - horizon) * (k / 8) ** 1.4
        tone = mix(light.on(mix(far, near, k / 7)), light.sky[-1], 0.24 * (1 - k / 7))
        draw.rectangle((0, top, SIZE, SIZE), fill=tone)


GRASS = ((112, 152, 78), (150, 174, 104))


def _road(draw, rng, light, horizon):
    _plane(draw, light, horizon, *GRASS)
    top = SIZE * 0.72
    asphalt = mix((84, 87, 95), (112, 110, 112), rng.random())
    draw.rectangle((0, top - 5, SIZE, top), fill=light.on((176, 168, 150)))
    draw.rectangle((0, top, SIZE, SIZE), fill=light.on(asphalt))
    draw.rectangle((0, top + 5, SIZE, top + 8), fill=light.on((214, 214, 206)))
    start = rng.uniform(-40, 0)
    for k in range(7):
        x = start + 52 * k
        draw.polygon(
            [(x, SIZE - 14), (x + 28, SIZE - 14), (x + 26, SIZE - 8), (x - 3, SIZE - 8)], fill=light.on((232, 230, 214))
        )


def _rail(draw, rng, light, horizon):
    _plane(draw, light, horizon, *GRASS)
    draw.polygon([(0, SIZE * 0.76), (SIZE, SIZE * 0.76), (SIZE, SIZE), (0, SIZE)], fill=light.on((150, 138, 124)))
    draw.rectangle((0, SIZE * 0.93, SIZE, SIZE), fill=light.on((128, 118, 106)))
    start = rng.uniform(-24, 0)
    for k in range(13):
        x = start + 23 * k
        draw.polygon(
            [(x + 4, SIZE * 0.79), (x + 14, SIZE * 0.79), (x + 12, SIZE * 0.91), (x, SIZE * 0.91)],
            fill=light.on((96, 74, 60)),
        )
    for y in (0.81, 0.88):
        draw.rectangle((0, SIZE * y, SIZE, SIZE * y + 4), fill=light.on((186, 186, 190)))
        draw.rectangle((0, SIZE * y + 4, SIZE, SIZE * y + 7), fill=light.on((92, 78, 70)))


def _field(draw, rng, light, horizon):
    crop = [
        GRASS,
        ((196, 170, 84), (222, 200, 124)),
        ((132, 112, 76), (160, 146, 104)),
        ((92, 142, 70), (140, 172, 98)),
    ][int(rng.integers(4))]
    _plane(draw, light, horizon, *crop)
    vanish = rng.uniform(0.2, 0.8) * SIZE
    for k in range(-9, 10):
        foot = vanish + 62 * k
        draw.polygon(
            [(vanish + 4 * k, horizon), (foot - 5, SIZE), (foot + 5, SIZE)], fill=(*light.on(darker(crop[0], 0.3)), 70)
        )


def _yard(draw, rng, light, horizon):
    floor = mix((196, 182, 150), (168, 166, 162), rng.random())
    _plane(draw, light, horizon, floor, lighter(floor, 0.15))
    x = rng.uniform(-30, 30)
    while x < SIZE and rng.random() < 0.8:
        width, height = rng.uniform(50, 90), rng.uniform(16, 30)
        wall = [(178, 92, 76), (112, 132, 150), (188, 168, 120), (124, 142, 108)][int(rng.integers(4))]
        tone = mix(light.on(wall), light.sky[-1], 0.22)
        draw.rectangle((x, horizon - height, x + width, horizon + 4), fill=tone)
        draw.polygon(
            [(x - 4, horizon - height), (x + width / 2, horizon - height - 12), (x + width + 4, horizon - height)],
            fill=darker(tone, 0.25),
        )
        draw.rectangle(
            (x + width * 0.36, horizon - height * 0.6, x + width * 0.62, horizon + 4), fill=darker(tone, 0.4)
        )
        x += width + rng.uniform(14, 60)
    for _ in range(3):
        x, y = rng.uniform(0, SIZE), rng.uniform(SIZE * 0.78, SIZE * 0.97)
        draw.ellipse((x - 26, y - 4, x + 26, y + 4), fill=(*light.on(darker(floor, 0.3)), 80))


def _water(draw, rng, light, horizon):
    deep = mix((34, 92, 138), (40, 122, 138), rng.random())
    near, far = mix(light.on(deep), light.sky[0], 0.12), mix(light.on(lighter(deep, 0.2)), light.sky[-1], 0.42)
    for k in range(10):
        top = horizon + (SIZE - horizon) * (k / 10) ** 1.3
        draw.rectangle((0, top, SIZE, SIZE), fill=mix(far, near, k / 9))
    for _ in range(16):
        depth = rng.random() ** 0.8
        x, y, length = rng.uniform(-10, SIZE), horizon + 4 + (SIZE - horizon - 8) * depth, 8 + 22 * depth
        draw.rounded_rectangle(
            (x, y, x + length, y + 1 + 2.4 * depth), 1, fill=(*lighter(mix(far, near, depth), 0.45), 110)
        )


def _low_land(draw, rng, light, horizon):
    _plane(draw, light, horizon, (126, 160, 96), (150, 176, 124))


_GROUND = {"road": _road, "rail": _rail, "field": _field, "yard": _yard, "water": _water, "sky": _low_land}
