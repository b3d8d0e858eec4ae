"""What comes after the vehicle: things in the way, the glow of lamps, rain, and the water it floats on.

Conventions as in scene.py: pixels, y down, drawn in place unless a function returns a picture.
"""

import numpy as np
from PIL import Image, ImageDraw

from .pen import darker, lighter, mix
from .scene import SIZE, cloud


def cover(picture, rng, light, ground, x, baseline, scale):
    """Put something in front of the vehicle: a bush, a post with a board, a bank of cloud or mist."""
    draw = ImageDraw.Draw(picture, "RGBA")
    x += scale * rng.uniform(-0.45, 0.45)
    thing = (
        "cloud"
        if ground == "sky"
        else str(rng.choice(["post", "cloud"] if ground == "water" else ["bush", "bush", "post"]))
    )
    if thing == "cloud":
        y = baseline + (scale * rng.uniform(-0.1, 0.3) if ground == "sky" else -scale * rng.uniform(0.2, 0.4))
        tone = mix(light.cloud, light.sky[-1], 0.15)
        cloud(draw, rng, x, y, scale * rng.uniform(0.52, 0.7), (*tone, 250))
    elif thing == "post":
        wood, board = (
            light.on((104, 88, 76)),
            light.on([(232, 196, 70), (60, 120, 176), (206, 74, 60), (238, 238, 230)][int(rng.integers(4))]),
        )
        half, top = 0.07 * scale, baseline - scale * rng.uniform(1.0, 1.2)
        draw.rectangle((x - half, top, x + half, SIZE), fill=wood)
        draw.rectangle((x, top, x + half, SIZE), fill=darker(wood, 0.25))
        box = (x - 0.36 * scale, top, x + 0.36 * scale, top + 0.52 * scale)
        draw.rounded_rectangle(box, 0.06 * scale, fill=darker(board, 0.35))
        draw.rounded_rectangle([b + d * 0.04 * scale for b, d in zip(box, (1, 1, -1, -1))], 0.04 * scale, fill=board)
        for y in (0.17, 0.33):
            draw.rectangle(
                (x - 0.22 * scale, top + y * scale, x + 0.22 * scale, top + (y + 0.05) * scale),
                fill=darker(board, 0.45),
            )
    else:
        green = mix((58, 112, 62), (96, 128, 58), rng.random())
        foot = baseline + 0.12 * scale
        for shade, shift in ((0.35, 0.05), (0.0, 0.0), (-0.16, -0.06)):
            tone = light.on(darker(green, shade) if shade >= 0 else lighter(green, -shade))
            for dx, dy, r in (
                (-0.36, 0.16, 0.24),
                (-0.14, 0.38, 0.29),
                (0.16, 0.42, 0.27),
                (0.36, 0.18, 0.25),
                (0.0, 0.16, 0.3),
            ):
                px, py = x + (dx + shift) * scale, foot - (dy - shift) * scale
                pr = r * scale * (1 if shade >= 0 else 0.6)
                draw.ellipse((px - pr, py - pr, px + pr, py + pr), fill=tone)


def glow(picture, lamps):
    """Light up the lamps of a pen: (x, y, radius, colour) each, in pixels."""
    draw = ImageDraw.Draw(picture, "RGBA")
    for x, y, radius, colour in lamps:
        for grow, alpha in ((5.0, 26), (3.2, 46), (1.9, 90)):
            r = max(2.0, radius) * grow
            draw.ellipse((x - r, y - r, x + r, y + r), fill=(*colour, alpha))


def rain(picture, rng):
    draw = ImageDraw.Draw(picture, "RGBA")
    for _ in range(26):
        x, y, length = rng.uniform(0, SIZE), rng.uniform(-10, SIZE), rng.uniform(14, 26)
        draw.line([(x, y), (x - 0.35 * length, y + length)], fill=(212, 222, 232, 130), width=3)


def float_on_water(before, after, waterline):
    """Cut the hull at the waterline and let the water mirror what is above it.

    Parameters
    ----------
    before, after : PIL.Image
        The scene without and with the vehicle.
    waterline : float
        Row of the water's edge.
    """
    old, new = np.asarray(before), np.asarray(after).copy()
    row = int(np.clip(waterline, 1, SIZE - 1))
    depth = min(SIZE - row, row)
    above = slice(row - depth, row)
    mirrored = new[above][::-1].astype(np.float32)
    changed = (new[above] != old[above]).any(axis=2)[::-1, :, None]
    water = old[row : row + depth].astype(np.float32)
    strength = 0.34 * np.linspace(1, 0.15, depth)[:, None, None]
    surface = np.where(changed, water + (mirrored - water) * strength, water)
    for k in range(0, depth, 8):
        # Every other pair of final rows moves sideways, as ripples break a mirror image.
        surface[k : k + 4] = np.roll(surface[k : k + 4], 3, axis=1)
    new[row : row + depth] = surface.round().astype(np.uint8)
    new[row + depth :] = old[row + depth :]
    touching = changed[0, :, 0]
    if touching.any():
        # Foam is as bright as the water around it allows: grey at night.
        foam = np.float32([236, 244, 248]) * (old[row, touching].mean() / 200)
        line = new[row : row + 4, touching].astype(np.float32)
        new[row : row + 4, touching] = (line + (foam - line) * 0.5).clip(0, 255).astype(np.uint8)
    return Image.fromarray(new)
