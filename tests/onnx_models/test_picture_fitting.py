"""Pictures at the size of a model, questions to ask first, and the preview of the model input."""

import numpy as np
import pytest

from hierviz.messages.errors import ModelError
from hierviz.onnx.description.input_keys import checked_input
from hierviz.onnx.description.picture_fitting import fitted
from hierviz.onnx.inputs.declared_inputs import find_inputs
from hierviz.onnx.inputs.input_spec import InputSpec
from hierviz.onnx.inputs.model_inputs import ModelInputs, load_inputs

from .one_line import one_line


def test_stretched_cut_and_padded(image):
    picture = np.random.default_rng(0).integers(0, 256, size=(9, 14, 3), dtype=np.uint8)
    stretched = np.asarray(image.fromarray(picture).resize((6, 5), image.Resampling.BILINEAR))
    np.testing.assert_array_equal(fitted(picture, (5, 6)), stretched)
    np.testing.assert_array_equal(fitted(image.fromarray(picture), (5, 6)), stretched)
    # Left as it is: rows (9 - 4) // 2 = 2 to 5, columns (14 - 8) // 2 = 3 to 10.
    np.testing.assert_array_equal(fitted(picture, (4, 8), 0), picture[2:6, 3:11])
    # Two rows and one column more than there are: floor(-2 / 2) = -1 above, floor(-1 / 2) = -1 left.
    padded = fitted(picture, (11, 15), 0, rounding="down")
    np.testing.assert_array_equal(padded[1:10, 1:], picture)
    assert not padded[0].any()
    assert not padded[10].any()
    assert not padded[:, 0].any()
    # torchvision: one row above, floor(1 / 2) = 0 columns left.
    np.testing.assert_array_equal(fitted(picture, (11, 15), 0)[1:10, :14], picture)
    # Half a pixel goes to the even one: rows from round(0.5) = 0, columns from round(1.5) = 2, where transformers has 1.
    np.testing.assert_array_equal(fitted(picture, (8, 11), 0), picture[0:8, 2:13])
    np.testing.assert_array_equal(fitted(picture, (8, 11), 0, rounding="down"), picture[0:8, 1:12])
    # The whole picture, 14 to 6 and 9 to round(9 / 14 * 6) = 4, with one grey row above and below.
    whole = np.asarray(image.fromarray(picture).resize((6, 4), image.Resampling.BILINEAR))
    bordered = fitted(picture, (6, 6), pad=114)
    np.testing.assert_array_equal(bordered[1:5], whole)
    assert (bordered[[0, 5]] == 114).all()
    # The shorter side, 9, becomes 6 and the longer int(6 * 14 / 9) = 9; the middle begins at round(1.5) = 2.
    nearest = np.asarray(image.fromarray(picture).resize((9, 6), image.Resampling.NEAREST))
    np.testing.assert_array_equal(fitted(picture, (6, 6), 6, "nearest"), nearest[:, 2:8])
    pair = np.asarray(image.fromarray(picture).resize((10, 8), image.Resampling.BICUBIC))
    np.testing.assert_array_equal(fitted(picture, (6, 6), (8, 10), "bicubic"), pair[1:7, 2:8])


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        (InputSpec("i", "float32", (None, None, None, None)), ["layout", "size", "range"]),
        (InputSpec("i", "float32", (None, 3, 8, 3)), ["layout", "size", "range"]),
        (InputSpec("i", "float32", (None, 3, None, None), "NCHW"), ["size", "range"]),
        (InputSpec("i", "float16", (None, 3, 8, 8), "NCHW", size=(8, 8)), ["range"]),
        (InputSpec("i", "uint8", (None, 3, 8, 8), "NCHW", size=(8, 8)), []),
        (InputSpec("i", "float32", (None, 16, 8, 64)), []),
        (InputSpec("i", "float32", (None, 4, 8, 8), "NCHW", size=(8, 8)), []),
        (InputSpec("i", "int8", (None, 3, 8, 8), "NCHW", size=(8, 8)), []),
        (InputSpec("i", "float32", (None, 8)), []),
    ],
)
def test_questions(spec, keys):
    assert [key for key, _ in spec.questions] == keys
    for key in keys:
        assert f"{{preprocessing.{key}}}" in spec.why_no_pictures
    takes = spec.dtype == "uint8"
    assert (spec.why_no_pictures == "") == takes
    if not keys and not takes:
        with pytest.raises(ModelError, match="takes pictures") as raised:
            spec.preview(np.zeros((8, 8, 3), np.uint8))
        one_line(raised)


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((None, 3, 8, 8), "NCHW"),
        ((None, 1, None, None), "NCHW"),
        ((None, 8, 8, 3), "NHWC"),
        ((None, None, None, 4), "NHWC"),
        ((None, 3, 8, 3), None),
        ((None, 1, 28, 1), None),
        ((None, None, None, None), None),
        ((None, 8, 8, 8), None),
    ],
)
def test_layout_as_the_axes_show_it(shape, layout):
    notes = []
    spec = find_inputs("m.onnx", [("image", "tensor(float)", shape)], {}, notes)[0]
    assert spec.layout == layout
    said = {"layout": "NHWC", "size": (8, 3), "range": (0.0, 1.0)}
    told = find_inputs("m.onnx", [("image", "tensor(float)", shape)], said, notes)[0]
    assert told.layout == (layout or "NHWC")


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64"])
@pytest.mark.parametrize("colour", ["RGB", "BGR"])
def test_numbers_and_preview(layout, dtype, colour, pictures):
    shape = (None, 5, 6, 3) if layout == "NHWC" else (None, 3, 5, 6)
    more = {} if "int" in dtype else {"range": (-1.0, 1.0), "mean": (0.1, 0.2, 0.3), "std": (0.5, 0.25, 2.0)}
    spec = InputSpec("i", dtype, shape, layout, colour, size=(5, 6), **more)
    fed = spec.from_pictures(pictures)
    seen = pictures[..., ::-1] if colour == "BGR" else pictures
    if more:
        seen = (seen.astype(np.float64) / 255 * 2 - 1 - more["mean"]) / more["std"]
    seen = seen if layout == "NHWC" else seen.transpose(0, 3, 1, 2)
    assert fed.dtype == dtype
    assert fed.flags.c_contiguous
    np.testing.assert_allclose(fed, seen, atol={"float16": 4e-3, "float32": 2e-6}.get(dtype, 1e-12))
    looked = spec.preview(pictures[3])
    assert looked.picture.dtype == np.uint8
    # Half a step of 255 is 0.004 of the range: float16 still tells the values apart.
    np.testing.assert_array_equal(looked.picture, pictures[3])
    assert (looked.dtype, looked.shape) == (dtype, (1, *shape[1:]))
    one = fed[3].astype(np.float64)
    np.testing.assert_allclose([looked.low, looked.high, looked.mean], [one.min(), one.max(), one.mean()])
    assert dtype in looked.words


def test_preview_of_samples(folder, pictures, image):
    grey = InputSpec("i", "float32", (None, 1, 5, 6), "NCHW", range=(0.0, 1.0), size=(5, 6))
    looked = load_inputs(folder, grey).preview([grey], 2)
    expected = np.asarray(image.fromarray(pictures[2]).convert("L"))
    np.testing.assert_array_equal(looked.picture, np.repeat(expected[..., None], 3, axis=2))
    colour = InputSpec("i", "float32", (None, 5, 6, 3), "NHWC", range=(0.0, 1.0), size=(5, 6))
    np.testing.assert_array_equal(ModelInputs.from_values(pictures, [colour]).preview([colour], 4).picture, pictures[4])
    ready = ModelInputs.from_values(pictures.astype(np.float32), [colour])
    assert ready.preview([colour]) is None


def test_words_say_every_step():
    spec = InputSpec("i", "float32", (None, 3, 6, 7), "NCHW", "BGR", (0.0, 1.0), (0.5,), (0.25,), (6, 7), 9, "lanczos")
    assert spec.words == (
        "pictures resized to 9 on the shorter side (lanczos), then a centre crop of 7 x 6 (width x height), BGR, "
        "values 0..255 mapped to 0..1, minus mean [0.5], divided by std [0.25], axes NCHW, float32"
    )


FREE, FIXED = (None, 3, None, None), (None, 3, 8, 8)


@pytest.mark.parametrize(
    ("shape", "said", "size", "resize", "pad"),
    [
        (FREE, {"crop": (6, 5)}, (6, 5), 0, None),
        (FREE, {"crop": (6, 6), "resize": 9}, (6, 6), 9, None),
        (FIXED, {"resize": 9}, (8, 8), 9, None),
        (FIXED, {"resize": 9, "crop": (8, 8), "size": (8, 8)}, (8, 8), 9, None),
        (FIXED, {"pad": 7}, (8, 8), None, 7),
        (FREE, {"resize": (6, 7)}, (6, 7), None, None),
        (FIXED, {"resize": (8, 8)}, (8, 8), None, None),
        (FREE, {"resize": 9}, None, 9, None),
    ],
)
def test_what_is_said_about_the_size(shape, said, size, resize, pad):
    (spec,) = find_inputs("m.onnx", [("image", "tensor(float)", shape)], {"range": (0.0, 1.0)} | said, [])
    assert (spec.size, spec.resize, spec.pad) == (size, resize, pad)


def test_one_number_is_a_square_to_cut_out():
    # torchvision and timm say crop_size=224.
    said = checked_input({"crop": 6, "resize": 9}, lambda *got: ValueError(*got), print)
    (spec,) = find_inputs("m.onnx", [("image", "tensor(float)", FREE)], {"range": (0.0, 1.0)} | said, [])
    assert (spec.size, spec.resize) == ((6, 6), 9)
    with pytest.raises(ValueError, match="or one side of a square"):
        checked_input({"crop": [1, 2, 3]}, lambda *got: ValueError(*got), print)
