"""Colours of effects on two classes: one diverging scale for a sample, from minus its largest effect to plus the same.

Blue speaks for the class of the truth, orange for the other one; where neither is the truth, blue speaks for the first.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.charts._canvas import boxes, legend, texts
from hierviz.charts._text import shorten
from hierviz.charts._value_colours import mixed
from hierviz.charts.theme import SMALL, Palette, palette
from hierviz.diagnosis._sensitivity import odds_text

# How opaque the largest effect is; steps and pixels of the legend.
FULL, STEPS, WIDEST, BAR, HIGH = 0.85, 41, 360, 12, 50


@dataclass(frozen=True)
class EffectScale:
    """The colours of effects.

    Attributes
    ----------
    most : float
        Log-odds of the full colours, > 0.
    first, second : str
        Names of the two classes.
    is_first_blue : bool
    dark : bool
    """

    most: float
    first: str
    second: str
    is_first_blue: bool
    dark: bool

    @property
    def look(self) -> Palette:
        """Of the theme."""
        return palette(self.dark)

    def colour(self, value: float) -> str:
        """The full colour of the side that an effect is on."""
        return self.look.path if (value > 0) == self.is_first_blue else self.look.fp

    def share(self, value: float) -> float:
        """How opaque an effect is, in [0, `FULL`], proportional to its size."""
        return FULL * min(abs(value) / self.most, 1.0)

    def fill(self, value: float) -> str:
        """The colour of an effect on the background of the page."""
        return mixed(self.look.background, self.colour(value), self.share(value))

    def legend(self, width: float) -> Any:
        """A legend of both full colours, for drawings that show the size of an effect by a length."""
        sides = ((self.first, 1.0), (self.second, -1.0))
        items = [{"kind": "box", "label": f"speaks for {name}", "colour": self.colour(value)} for name, value in sides]
        return legend([("log-odds", items)], width, dark=self.dark)

    def layers(self, x: float, y: float, room: float, width: float, height: float) -> list:
        """The legend in `HIGH` pixels from (x, y) on, at most `room` wide, on a canvas of `width` x `height`."""
        wide, look = min(room, WIDEST), self.look
        step = wide / STEPS
        values = np.linspace(-self.most, self.most, STEPS).tolist()
        bar = [
            {"x": x + k * step, "x2": x + (k + 1) * step, "y": y + 18, "y2": y + 18 + BAR, "colour": self.fill(value)}
            for k, value in enumerate(values)
        ]
        ends = [
            {"x": x, "text": shorten(f"speaks for {self.second}", wide / 2 - 6, SMALL), "align": "left"},
            {"x": x + wide, "text": shorten(f"speaks for {self.first}", wide / 2 - 6, SMALL), "align": "right"},
        ]
        words = [one | {"y": y + 8, "colour": look.ink, "size": SMALL} for one in ends]
        end = odds_text(self.most)
        ticks = ((x, f"−{end}", "left"), (x + wide / 2, "0", "center"), (x + wide, f"+{end} log-odds", "right"))
        words += [
            {"x": at, "y": y + 18 + BAR + 10, "text": text, "align": align, "colour": look.muted, "size": SMALL}
            for at, text, align in ticks
        ]
        return [boxes(bar, width, height, radius=0), texts(words, width, height)]


def effect_scale(found, effects, dark):
    """The EffectScale of a Sensitivity or AverageSensitivity that shows some effects."""
    most = float(np.abs(effects).max(initial=0)) or 1.0
    names = [getattr(found, "towards", None), getattr(found, "against", None)]
    if names[0] is None:
        names = [found.taxonomy.title(node) for node in (found.first, found.second)]
    return EffectScale(most, names[0], names[1], found.is_first_true is not False, dark)


def png(pixels):
    """An array of uint8, shape (height, width, 3), as the bytes of a PNG."""
    height, width = pixels.shape[:2]
    lines = np.concatenate([np.zeros((height, 1), np.uint8), np.ascontiguousarray(pixels).reshape(height, -1)], axis=1)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(lines.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
