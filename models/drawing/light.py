"""Five kinds of light: the colours of their skies and what they do to everything else."""

from dataclasses import dataclass, replace

import numpy as np

from .pen import mix

LIGHTS = ("day", "dusk", "night", "fog", "rain")
SHARES = (0.46, 0.16, 0.13, 0.13, 0.12)


@dataclass(frozen=True)
class Light:
    """Light of one picture.

    Attributes
    ----------
    name : str
        One of LIGHTS.
    sky : tuple of colours
        From the top of the sky to the horizon.
    filter : tuple of float
        Share of red, green and blue that objects send back.
    haze : colour
    haze_share : float
        How much of an object's colour is lost to the haze, 0..1.
    lamps : bool
        Whether lamps and windows are lit.
    cloud : tuple of float
        Colour and opacity of clouds.
    """

    name: str
    sky: tuple
    filter: tuple
    haze: tuple
    haze_share: float
    lamps: bool
    cloud: tuple

    def on(self, colour):
        """What `colour` looks like in this light."""
        return mix([channel * share for channel, share in zip(colour, self.filter)], self.haze, self.haze_share)

    def from_afar(self):
        """The same light with more air in between."""
        return replace(self, haze=self.sky[-1], haze_share=min(0.85, self.haze_share + 0.16))


def choose_light(rng):
    """Draw the light of one picture; the skies of a kind differ a little from picture to picture."""
    name = str(rng.choice(LIGHTS, p=SHARES))
    t = float(rng.random())
    if name == "day":
        sky = (mix((64, 138, 208), (92, 168, 226), t), mix((150, 204, 236), (186, 222, 240), t), (222, 238, 244))
        return Light(name, sky, (1.0, 1.0, 1.0), sky[1], 0.02, False, (255, 255, 255, 235))
    if name == "dusk":
        sky = (mix((58, 56, 112), (96, 66, 124), t), mix((176, 92, 116), (226, 118, 96), t), (252, 190, 118))
        return Light(name, sky, (0.84, 0.66, 0.66), (150, 70, 84), 0.1, t > 0.35, (252, 166, 132, 170))
    if name == "night":
        sky = (mix((8, 12, 34), (16, 20, 50), t), (24, 34, 72), mix((44, 54, 96), (60, 60, 104), t))
        return Light(name, sky, (0.38, 0.43, 0.58), (16, 22, 50), 0.1, True, (52, 62, 98, 160))
    if name == "fog":
        sky = (mix((190, 198, 204), (206, 208, 206), t), (208, 213, 215), (214, 217, 217))
        return Light(name, sky, (0.96, 0.97, 0.98), (208, 212, 214), 0.42 + 0.16 * t, False, (220, 223, 224, 150))
    sky = (mix((84, 96, 112), (104, 112, 124), t), (128, 140, 152), (164, 172, 178))
    return Light(name, sky, (0.74, 0.77, 0.8), (124, 134, 144), 0.14, t > 0.7, (106, 116, 128, 230))


def gradient(colours, width, height):
    """Vertical gradient through evenly spaced colours; uint8, (height, width, 3)."""
    rows = np.linspace(0, len(colours) - 1, height)
    column = np.stack([np.interp(rows, np.arange(len(colours)), [c[k] for c in colours]) for k in range(3)], axis=1)
    return np.broadcast_to(column[:, None].round().astype(np.uint8), (height, width, 3))
