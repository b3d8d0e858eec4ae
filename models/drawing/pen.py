"""A pen that draws in vehicle coordinates.

Conventions: x to the right (the vehicle faces right), y up, one unit is half the usual length of a vehicle, and wheels,
keel or basket stand at y = 0. The pen turns these into pixels: scale, mirror, tilt, light. Colours are (red, green,
blue) in 0..255, with an optional fourth value for opacity.
"""

import math

from PIL import ImageDraw

TYRE = (36, 37, 42)
STEEL = (150, 156, 164)
IRON = (70, 74, 82)
GLASS = (134, 176, 202)
PAINTS = {
    "red": (204, 52, 46),
    "burgundy": (134, 40, 56),
    "orange": (230, 122, 44),
    "yellow": (240, 188, 52),
    "cream": (238, 224, 190),
    "white": (240, 241, 238),
    "silver": (180, 187, 194),
    "black": (54, 57, 66),
    "navy": (44, 70, 124),
    "blue": (50, 118, 190),
    "sky": (108, 172, 214),
    "teal": (28, 134, 136),
    "green": (60, 134, 76),
    "olive": (116, 124, 64),
    "plum": (122, 70, 132),
}


def mix(first, second, share):
    """The colour `share` of the way (0..1) from `first` to `second`."""
    return tuple(round(a + (b - a) * share) for a, b in zip(first[:3], second[:3]))


def lighter(colour, share):
    return mix(colour, (255, 255, 255), share)


def darker(colour, share):
    return mix(colour, (12, 14, 26), share)


def paint(rng, *names):
    """One of the named paints (all of them when none is named), a little off its usual shade."""
    base = PAINTS[str(rng.choice(names or tuple(PAINTS)))]
    return tuple(int(min(255, max(0, channel + rng.integers(-12, 13)))) for channel in base)


def curve(points, closed=True, steps=6):
    """Points on a Catmull-Rom spline through `points`, a list of (x, y)."""
    n = len(points)
    out = []
    for i in range(n if closed else n - 1):
        a, b, c, d = (points[j % n] if closed else points[min(max(j, 0), n - 1)] for j in range(i - 1, i + 3))
        for k in range(steps):
            t = k / steps
            out.append(
                tuple(
                    0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t * t + (3 * q - p - 3 * r + s) * t**3)
                    for p, q, r, s in zip(a, b, c, d)
                )
            )
    return out if closed else [*out, points[-1]]


def rounded(x0, y0, x1, y1, radius):
    """Outline of a rectangle with rounded corners; a list of (x, y)."""
    radius = min(radius, abs(x1 - x0) / 2, abs(y1 - y0) / 2)
    corners = (
        (x1 - radius, y1 - radius, 0),
        (x0 + radius, y1 - radius, 90),
        (x0 + radius, y0 + radius, 180),
        (x1 - radius, y0 + radius, 270),
    )
    return [
        (x + radius * math.cos(math.radians(start + turn)), y + radius * math.sin(math.radians(start + turn)))
        for x, y, start in corners
        for turn in (0, 30, 60, 90)
    ]


def slice_between(points, low, high):
    """The part of a polygon with low <= y <= high, clipped at one edge after the other."""
    for limit, keep_above in ((low, True), (high, False)):
        kept = []
        for i, (x, y) in enumerate(points):
            px, py = points[i - 1]
            inside, was_inside = (y >= limit) == keep_above, (py >= limit) == keep_above
            if inside != was_inside:
                kept.append((px + (x - px) * (limit - py) / (y - py), limit))
            if inside:
                kept.append((x, y))
        points = kept
        if len(points) < 3:
            return []
    return points


class Pen:
    """Draws on an RGB picture.

    Parameters
    ----------
    picture : PIL.Image
        Drawn upon in place.
    x, y : float
        Pixel where the vehicle's (0, 0) lies.
    scale : float
        Pixels per unit.
    flip : bool
        Face left.
    tilt : float
        Degrees, nose up.
    light : Light or None
        Colours go through `light.on`; None means plain daylight.
    airborne : bool
        True where the vehicle is up in the air: wheels of an aircraft are then drawn in.
    """

    def __init__(self, picture, x, y, scale, flip=False, tilt=0.0, light=None, airborne=False):
        self.draw = ImageDraw.Draw(picture, "RGBA")
        self.x, self.y, self.scale = x, y, scale
        self.side = -1 if flip else 1
        self.cos, self.sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
        self.light, self.airborne = light, airborne
        self.lamps = []

    def at(self, points):
        """Pixels of points in vehicle coordinates."""
        return [
            (
                self.x + self.side * self.scale * (x * self.cos - y * self.sin),
                self.y - self.scale * (x * self.sin + y * self.cos),
            )
            for x, y in points
        ]

    def lit(self, colour):
        return tuple(colour) if self.light is None else (*self.light.on(colour[:3]), *colour[3:])

    def shape(self, points, colour):
        if len(points) > 2:
            self.draw.polygon(self.at(points), fill=self.lit(colour))

    def smooth(self, points, colour):
        self.shape(curve(points), colour)

    def body(self, points, colour, light=0.16, dark=0.22, cuts=(0.3, 0.74)):
        """A shape shaded in three bands: dark below, light above; `cuts` are shares of its height."""
        low, high = min(y for _, y in points), max(y for _, y in points)
        self.shape(points, colour)
        self.shape(slice_between(points, low, low + cuts[0] * (high - low)), darker(colour, dark))
        self.shape(slice_between(points, low + cuts[1] * (high - low), high), lighter(colour, light))

    def band(self, points, low, high, colour):
        """Colour only the part of a shape between two heights."""
        self.shape(slice_between(points, low, high), colour)

    def box(self, x0, y0, x1, y1, colour, radius=0.0):
        corners = rounded(x0, y0, x1, y1, radius) if radius else [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        self.shape(corners, colour)

    def disc(self, x, y, radius, colour, height=None):
        ry = radius if height is None else height
        steps = 16 if radius * self.scale < 16 else 28
        self.shape(
            [
                (x + radius * math.cos(2 * math.pi * k / steps), y + ry * math.sin(2 * math.pi * k / steps))
                for k in range(steps)
            ],
            colour,
        )

    def ring(self, x, y, radius, width, colour):
        self.bar(
            [
                (x + radius * math.cos(2 * math.pi * k / 28), y + radius * math.sin(2 * math.pi * k / 28))
                for k in range(30)
            ],
            width,
            colour,
        )

    def bar(self, points, width, colour):
        """A line of `width` units through `points`, its joints rounded."""
        pixels = max(1, round(width * self.scale))
        self.draw.line(self.at(points), fill=self.lit(colour), width=pixels, joint="curve")

    def glass(self, points, colour=GLASS):
        """A window: lit from inside when lamps are on, else with a light sky edge at its top."""
        if self.light is not None and self.light.lamps:
            self.draw.polygon(self.at(points), fill=(250, 214, 132) if self.light.name == "night" else (248, 222, 176))
            return
        colour = darker(colour, 0.45)
        low, high = min(y for _, y in points), max(y for _, y in points)
        self.shape(points, colour)
        self.shape(slice_between(points, low + 0.55 * (high - low), high), lighter(colour, 0.34))

    def pane(self, x0, y0, x1, y1, radius=0.0):
        self.glass(rounded(x0, y0, x1, y1, radius) if radius else [(x0, y0), (x1, y0), (x1, y1), (x0, y1)])

    def lamp(self, x, y, radius=0.035, colour=(255, 244, 206)):
        """A lamp; the scene adds its glow in the dark."""
        on = self.light is not None and self.light.lamps
        ((px, py),) = self.at([(x, y)])
        r = max(1.6, radius * self.scale)
        self.draw.ellipse((px - r, py - r, px + r, py + r), fill=colour if on else self.lit(colour))
        if on:
            self.lamps.append((px, py, radius * self.scale, colour))

    def arch(self, x, radius, colour):
        """The dark hollow above a wheel."""
        self.shape(
            [
                (x + radius * math.cos(math.pi * k / 12), 0.16 + radius * math.sin(math.pi * k / 12) * 0.86)
                for k in range(13)
            ],
            darker(colour, 0.62),
        )

    def wheel(self, x, radius, rim=(206, 210, 214), y=None, share=0.55):
        """A road wheel standing on the ground."""
        y = radius if y is None else y
        self.disc(x, y, radius, TYRE)
        self.disc(x, y, radius * share, rim)
        self.disc(x, y, radius * share * 0.42, darker(rim, 0.45))

    def spoked(self, x, radius, colour, width=0.05, spokes=10, y=None):
        """A spoked wheel: a ring and straight spokes."""
        y = radius if y is None else y
        for k in range(spokes):
            turn = 2 * math.pi * k / spokes
            self.bar([(x, y), (x + radius * math.cos(turn), y + radius * math.sin(turn))], 0.022, lighter(colour, 0.25))
        self.ring(x, y, radius - width / 2, width, colour)
        self.disc(x, y, 0.16 * radius, colour)
