"""Perturbed pictures: unchanged at strength 0, more change with more strength, same size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierviz.messages.errors import FileError
from hierviz.onnx.perturbation import PERTURBATIONS, blurred, darker, moved, smaller

from .one_line import one_line

pytest.importorskip("PIL")
PICTURE = np.random.default_rng(5).integers(0, 256, size=(24, 37, 3), dtype=np.uint8)


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.floats(0, 1), st.integers(0, 99))
def test_size_kept_and_nothing_at_zero(height, width, strength, seed):
    picture = np.random.default_rng(seed).integers(0, 256, size=(height, width, 3), dtype=np.uint8)
    kept = picture.copy()
    for name, (perturb, words) in PERTURBATIONS.items():
        made = perturb(picture, strength)
        assert (made.shape, made.dtype) == (picture.shape, np.uint8), name
        np.testing.assert_array_equal(perturb(picture, 0), picture)
        np.testing.assert_array_equal(perturb(picture, strength), made)
        made[:] = 7  # the picture itself is never touched
        np.testing.assert_array_equal(picture, kept)
        assert words


def test_darker():
    means = [darker(PICTURE, strength).mean() for strength in (0, 0.25, 0.5, 0.75, 1)]
    assert (np.diff(means) < 0).all()
    assert darker(np.full((2, 2, 3), 200, np.uint8), 1)[0, 0, 0] == 10  # a twentieth of the light
    assert darker(np.full((2, 2, 3), 200, np.uint8), 0.5)[0, 0, 0] == 105


def test_smaller():
    # A black square that fills the middle half of a white picture of 100 x 100.
    picture = np.full((100, 100, 3), 255, np.uint8)
    picture[25:75, 25:75] = 0
    dark = [int((smaller(picture, strength) < 128).all(axis=2).sum()) for strength in (0, 0.4, 0.8, 1)]
    # Sides 1, 0.66, 0.32, 0.15 of the square's 50 pixels; the reduction blurs a pixel at its rim.
    for count, side in zip(dark, (50, 33, 16, 7.5), strict=True):
        assert abs(count**0.5 - side) <= 1.5
    assert (smaller(picture, 1)[0] == 255).all()  # the border takes the colour of the edge
    ramp = np.repeat(np.arange(100, dtype=np.uint8)[None, :, None], 60, axis=0).repeat(3, axis=2)
    assert abs(int(smaller(ramp, 1)[0, 0, 0]) - 49.5) <= 1


def test_blurred():
    spread = [blurred(PICTURE, strength).std() for strength in (0, 0.2, 0.5, 1)]
    assert (np.diff(spread) < 0).all()
    np.testing.assert_allclose(blurred(PICTURE, 1).mean(), PICTURE.mean(), rtol=0.05)
    flat = np.full((20, 20, 3), 90, np.uint8)
    np.testing.assert_array_equal(blurred(flat, 1), flat)


def test_moved():
    made = moved(PICTURE, 0.5)  # a quarter of 24 and of 37: 6 down, 9 to the right
    np.testing.assert_array_equal(made[6:, 9:], PICTURE[:-6, :-9])
    np.testing.assert_array_equal(made[:6, 9:], np.repeat(PICTURE[:1, :-9], 6, axis=0))
    np.testing.assert_array_equal(made[6:, :9], np.repeat(PICTURE[:-6, :1], 9, axis=1))


@pytest.mark.parametrize(
    ("picture", "strength", "words"),
    [
        (PICTURE[..., 0], 0.5, "expected uint8 of shape"),
        (PICTURE / 255, 0.5, "expected uint8 of shape"),
        (PICTURE[:0], 0.5, "expected uint8 of shape"),
        (PICTURE, 1.5, "from 0 to 1, got 1.5"),
        (PICTURE, float("nan"), "from 0 to 1, got nan"),
    ],
)
def test_refused(picture, strength, words):
    for perturb, _ in PERTURBATIONS.values():
        with pytest.raises(FileError, match=words) as raised:
            perturb(picture, strength)
        one_line(raised)
