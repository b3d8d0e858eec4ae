"""Colours of models: far apart by CIEDE2000 for every common kind of colour vision, the same whichever others are shown."""

import itertools

import numpy as np
import pytest
from chart_cases import EYES, linear

from hierviz.charts import model_colours
from hierviz.charts.theme import DARK, LIGHT

XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(rgb):
    """CIE Lab of linear RGB, for D65."""
    parts = XYZ @ rgb / [0.95047, 1.0, 1.08883]
    f = np.where(parts > (6 / 29) ** 3, np.cbrt(parts), parts / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    """Colour difference of two Lab colours: Sharma, Wu and Dalal, Color Research & Application 30 (2005) 21."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    light, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = 1 - 0.17 * np.cos(np.radians(h - 30)) + 0.24 * np.cos(np.radians(2 * h))
    t += 0.32 * np.cos(np.radians(3 * h + 6)) - 0.20 * np.cos(np.radians(4 * h - 63))
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c, 1 + 0.015 * c * t
    r = -2 * np.sqrt(c**7 / (c**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((h - 275) / 25) ** 2))))
    return np.sqrt((dl / s_l) ** 2 + (dc / s_c) ** 2 + (dh / s_h) ** 2 + r * dc / s_c * dh / s_h)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # From the table of test data of Sharma et al.
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
        ((50, -0.0010, 2.4900), (50, 0.0012, -2.4900), 4.7461),
    ],
)
def test_the_difference_of_colours_is_that_of_its_authors(one, other, expected):
    assert ciede2000(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("look", "least"), [(LIGHT, 19), (DARK, 18)], ids=["light", "dark"])
def test_all_pairs_are_far_apart_for_all_eyes(look, least):
    assert len(set(look.models)) == 8
    for kind, matrix in EYES.items():
        seen = [lab(np.clip(np.array(matrix) @ linear(colour), 0, 1)) for colour in look.models]
        apart = {pair: ciede2000(*(seen[k] for k in pair)) for pair in itertools.combinations(range(8), 2)}
        assert min(apart.values()) >= least, (kind, min(apart, key=apart.get))


def test_a_model_has_its_colour_whichever_others_are_shown():
    names = [f"model {i}" for i in range(8)]
    every = model_colours(names)
    for shown in (names[2:5], names[::3], names[7:]):
        assert model_colours(shown, among=names) == {name: every[name] for name in shown}
