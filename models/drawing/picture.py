"""One picture from one seed: choose the conditions, paint the scene, draw the vehicle, spoil the view."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from .foreground import cover, float_on_water, glow, rain
from .light import choose_light
from .pen import IRON, Pen
from .scene import SIZE, paint_background
from .world import KINDS, PARENT, ROOT, realm, unusual_grounds

PIXELS = 64


@dataclass(frozen=True)
class Conditions:
    """What a picture shows and what makes it hard; `truth` is the drawn kind or, in bad pictures, a node above it."""

    truth: str
    drawn_as: str
    light: str
    setting: str
    unusual_setting: bool
    far: bool
    occluded: bool
    blurred: bool


def draw_picture(kind, seed, index, difficulty):
    """Draw picture number `index` of a series.

    Parameters
    ----------
    kind : str
        A leaf of the taxonomy.
    seed, index : int
        Together they seed the picture's own generator, so that any picture can be drawn alone.
    difficulty : float
        0: every vehicle near, free, sharp and where it belongs. The archive is drawn with 0.6, the field with 1.4.

    Returns
    -------
    image : PIL.Image
        RGB, 64x64.
    conditions : Conditions
    """
    rng = np.random.default_rng((seed, index))
    light = choose_light(rng)
    unusual, far, occluded, blurred = (bool(rng.random() < difficulty * share) for share in (0.16, 0.20, 0.18, 0.15))
    grounds = unusual_grounds(kind) if unusual else KINDS[kind].grounds
    ground = str(rng.choice(grounds))
    picture = _paint(kind, rng, light, ground, far, occluded)
    picture = picture.resize((PIXELS, PIXELS), Image.Resampling.LANCZOS)
    if blurred:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(1.2, 2.2)))
    # Steps of three grey levels cannot be seen and save a quarter of the PNG files.
    picture = picture.point([round(level / 3) * 3 for level in range(256)] * 3)
    flaws = far + blurred + occluded + (light.name in ("night", "fog"))
    return picture, Conditions(_expert(kind, flaws, rng), kind, light.name, ground, unusual, far, occluded, blurred)


def _paint(kind, rng, light, ground, far, occluded):
    height = KINDS[kind].height
    picture, baseline = paint_background(rng, light, ground)
    before = picture.copy()
    scale = SIZE * min(rng.uniform(0.2, 0.3) if far else rng.uniform(0.35, 0.43), 0.82 / height)
    x = SIZE * (0.5 + rng.uniform(-0.15, 0.15) * (1 if far else 0.25))
    flip = bool(rng.random() < 0.5)
    steepest = {"sky": 7.0, "water": 2.5}.get(ground, 1.5)
    if ground == "sky":
        baseline += scale * height / 2 + (SIZE * rng.uniform(-0.15, 0.1) if far else 0)
    elif far:
        baseline -= 0.04 * SIZE
    in_light = light.from_afar() if far else light
    pen = Pen(picture, x, baseline, scale, flip, rng.uniform(-steepest, steepest), in_light, airborne=ground == "sky")
    afloat = realm(kind) == "watercraft"
    if ground not in ("sky", "water"):
        pen.disc(0, 0.0, 1.08, (14, 16, 26, 60), 0.085)
        pen.disc(0, 0.0, 0.92, (14, 16, 26, 70), 0.05)
    if ground == "sky" and realm(kind) != "aircraft":
        _sling(pen, height)
    KINDS[kind].draw(pen, rng)
    if ground == "water":
        picture = float_on_water(before, picture, baseline - scale * (0.05 if afloat else 0.14))
    glow(picture, pen.lamps)
    if occluded:
        middle = baseline - scale * height / 2 if ground == "sky" else baseline
        cover(picture, rng, in_light, ground, x, middle, 1.15 * scale)
    if light.name == "rain":
        rain(picture, rng)
    return picture


def _sling(pen, height):
    """A crane's rope, hook and slings: what is neither bird nor balloon must hang on something."""
    top = height + 0.28
    pen.bar([(0, top), (0, top + 4)], 0.03, IRON)
    for x in (-0.62, 0.62):
        pen.bar([(0, top), (x, 0.3 * height)], 0.03, IRON)
    pen.box(-0.07, top - 0.04, 0.07, top + 0.12, (226, 170, 50), 0.03)


def _expert(kind, flaws, rng):
    """The label an expert dares to give: the more flaws a picture has, the more often a coarser node."""
    luck, parent = rng.random(), PARENT[kind]
    if flaws >= 3 and luck < 0.6:
        # "It is a vehicle" is no label: the submarine, right below watercraft, climbs one step only.
        return parent if luck < 0.3 or PARENT[parent] == ROOT else PARENT[parent]
    if flaws == 2 and luck < 0.2:
        return parent
    return kind
