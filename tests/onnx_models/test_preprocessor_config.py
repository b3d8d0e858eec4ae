"""The preprocessor_config.json of transformers beside a model: its steps by hand, and what is not understood."""

import json

import numpy as np
import pytest

from hierviz.messages.errors import ModelError
from hierviz.onnx.description.metadata import declared
from hierviz.onnx.inputs.declared_inputs import find_inputs
from hierviz.onnx.model import load_model

from .one_line import one_line

CLIP = {
    "crop_size": {"height": 6, "width": 6},
    "do_center_crop": True,
    "do_convert_rgb": True,
    "do_normalize": True,
    "do_rescale": True,
    "do_resize": True,
    "image_mean": [0.5, 0.4, 0.3],
    "image_std": [0.2, 0.25, 0.5],
    "image_processor_type": "CLIPImageProcessor",
    "resample": 3,
    "rescale_factor": 0.00392156862745098,
    "size": {"shortest_edge": 8},
}


@pytest.fixture
def spec_of(tmp_path):
    """(config, shape, ...) -> (InputSpec, notes)"""

    def make(config, shape=(None, 3, None, None), kind="tensor(float)", own=None, preprocessing=None):
        (tmp_path / "preprocessor_config.json").write_text(config if isinstance(config, str) else json.dumps(config))
        notes = []
        metadata = {} if own is None else {"hierviz.input": json.dumps(own)}
        said, _ = declared(tmp_path / "m.onnx", metadata, notes, preprocessing)
        return find_inputs("m.onnx", [("image", kind, shape)], said.get("input", {}), notes)[0], notes

    return make


def by_hand(image, picture, resample=3):
    """Shorter side to 8 with proportions, the middle 6 x 6, 0..1, mean and std of `CLIP`."""
    height, width = picture.shape[:2]
    short = min(height, width)
    size = (int(8 * width / short), int(8 * height / short))
    small = np.asarray(image.fromarray(picture).resize(size, resample), dtype=np.float64)
    top, left = (size[1] - 6) // 2, (size[0] - 6) // 2
    return (small[top : top + 6, left : left + 6] / 255 - [0.5, 0.4, 0.3]) / [0.2, 0.25, 0.5]


def test_shorter_side_and_middle(build, metadata, taxonomy, image, tmp_path, expected):
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(CLIP))
    own = {key: value for key, value in metadata.items() if key != "input"}
    model = load_model(build(metadata=own, shape=("n", 3, 6, 6), dtype="float32", channels_first=True), taxonomy)
    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(3)
    pictures = [rng.integers(0, 256, size=(*size, 3), dtype=np.uint8) for size in ((16, 31), (33, 9), (8, 8), (5, 7))]
    for number, picture in enumerate(pictures):
        image.fromarray(picture).save(folder / f"{number}.png")
    seen = np.stack([by_hand(image, picture) for picture in pictures])
    fed = model.inputs[0].from_pictures(np.stack([model.inputs[0].fitted(one) for one in pictures]))
    np.testing.assert_allclose(fed, seen.transpose(0, 3, 1, 2), atol=2e-6)
    np.testing.assert_allclose(model.predict(folder).scores, expected(seen), rtol=1e-4, atol=1e-5)
    assert not any("preprocessor_config" in note or "assumed" in note for note in model.notes)
    assert "8 on the shorter side (bicubic), then a centre crop of 6 x 6" in model.inputs[0].words


@pytest.mark.parametrize(
    ("config", "size", "resize"),
    [
        ({"size": {"height": 6, "width": 7}}, (6, 7), None),
        ({"size": 8}, (8, 8), None),
        ({"image_size": 8}, (8, 8), None),
        ({"image_size": [8, 9]}, (8, 9), None),
        ({"size": 8, "crop_size": 6, "do_center_crop": True}, (6, 6), 8),
        ({"size": {"shortest_edge": 8}, "crop_size": 6}, (8, 8), 8),
        (
            {"size": {"height": 9, "width": 9}, "crop_size": {"height": 6, "width": 7}, "do_center_crop": True},
            (6, 7),
            (9, 9),
        ),
        ({"size": {"shortest_edge": 8}, "do_center_crop": True}, (8, 8), 8),
        ({"do_resize": False, "crop_size": 6, "do_center_crop": True}, (6, 6), 0),
        # ConvNeXt: 224 of int(224 / 0.875) = 256; stretched from 384 on.
        ({"size": {"shortest_edge": 224}, "crop_pct": 0.875}, (224, 224), 256),
        ({"size": 384, "crop_pct": 0.875}, (384, 384), None),
        ({"size": 8, "default_to_square": False}, (8, 8), 8),
    ],
)
def test_sizes(spec_of, config, size, resize):
    spec, _ = spec_of(config)
    assert (spec.size, spec.resize) == (size, resize)


@pytest.mark.parametrize(
    ("config", "spread", "mean", "std"),
    [
        ({"size": 8}, (0, 1), None, None),
        ({"do_rescale": False}, (0, 255), None, None),
        ({"do_rescale": True, "rescale_factor": 2 / 255}, (0, 2), None, None),
        ({"rescale_factor": 1 / 127.5, "rescale_offset": True}, (-1, 1), None, None),
        ({"image_mean": [0.5], "image_std": [0.25, 0.5, 0.5]}, (0, 1), (0.5,), (0.25, 0.5, 0.5)),
        ({"image_mean": [0.5], "image_std": [0.5], "do_normalize": False}, (0, 1), None, None),
        ({"do_rescale": False, "image_mean": [123, 117, 104]}, (0, 255), (123, 117, 104), None),
    ],
)
def test_scaling(spec_of, config, spread, mean, std):
    spec, _ = spec_of({"size": 8, **config})
    assert (spec.range, spec.mean, spec.std) == (spread, mean, std)


def test_colour_and_notes(spec_of):
    spec, notes = spec_of({"size": 8, "do_flip_channel_order": True, "do_pad": False, "do_reduce_labels": True, "x": 1})
    assert spec.colour == "BGR"
    assert notes == ["preprocessor_config.json: not understood and not used: 'do_reduce_labels', 'x'"]
    spec, notes = spec_of({"size": {"shortest_edge": 8, "longest_edge": 16}})
    assert "'longest_edge'" in notes[0]
    assert "without cropping" in notes[1]
    spec, notes = spec_of({"size": {"longest_edge": 16}})
    assert [key for key, _ in spec.questions] == ["size"]
    assert "not understood" in notes[0]
    _, notes = spec_of({"sampling_rate": 16000})
    assert notes == ["preprocessor_config.json has no settings for pictures and was not used"]


def test_the_model_itself_wins_and_the_caller_over_all(spec_of):
    own = {"range": [-1, 1], "colour": "BGR", "size": [6, 6]}
    spec, notes = spec_of(CLIP, own=own)
    # Mean and std belong to another range, the resizing to another size.
    assert (spec.range, spec.mean, spec.std, spec.colour) == ((-1, 1), None, None, "BGR")
    assert (spec.size, spec.resize, spec.resample) == ((6, 6), None, "bicubic")
    text = "; ".join(notes)
    for words in ("'mean', 'std' not used", "'resize' not used", 'declares colour "RGB"'):
        assert words in text
    spec, notes = spec_of(
        CLIP, own=own, preprocessing={"colour": "rgb", "range": (0, 255), "mean": np.array([1, 2, 3])}
    )
    assert (spec.range, spec.mean, spec.colour) == ((0, 255), (1, 2, 3), "RGB")
    assert "the user [0.0, 255.0]: the user's value was used" in "; ".join(notes)
    spec, notes = spec_of(CLIP, preprocessing={"size": (7, 7)})
    assert (spec.size, spec.resize) == ((7, 7), None)
    assert "because the user gave a size" in "; ".join(notes)


def test_what_the_graph_fixes_wins(spec_of):
    spec, notes = spec_of(CLIP, shape=(None, 3, 10, 10))
    assert (spec.size, spec.resize) == ((10, 10), None)
    assert "the shape was used, pictures are stretched to that shape" in "; ".join(notes)
    spec, notes = spec_of(CLIP, shape=(None, 3, 6, 6), kind="tensor(uint8)")
    assert (spec.range, spec.mean) == (None, None)
    assert "without range, mean and std" in "; ".join(notes)
    spec, _ = spec_of(CLIP, shape=(None, 5))
    assert spec.questions == ()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{", "expected JSON"),
        ("[1]", "expected a JSON object"),
        ({"size": "big"}, "'size': expected pixels"),
        ({"size": {"shortest_edge": -8}}, "'size': expected pixels"),
        ({"size": 8, "do_center_crop": True, "crop_size": [1, 2, 3]}, "'crop_size': expected pixels"),
        ({"size": 8, "resample": 9}, "'resample': expected a number from 0 to 5"),
        ({"size": 8, "rescale_factor": 0}, "'rescale_factor': expected a number above 0"),
        ({"size": 8, "image_mean": [1, 2]}, "'mean': expected 1 or 3 numbers"),
        ({"size": 8, "image_mean": [0], "image_std": [0]}, "'std': expected 1 or 3 numbers above 0"),
        ({"size": 8, "crop_pct": 3}, "'crop_pct': expected a share"),
    ],
)
def test_broken_configs(spec_of, config, words):
    with pytest.raises(ModelError, match=f"preprocessor_config.json.*{words}") as raised:
        spec_of(config)
    one_line(raised)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"colours": "RGB"}, "Did you mean 'colour'"),
        ({"range": (1, 0)}, r"preprocessing, 'range': expected \[low, high\]"),
        ({"resample": "cubic"}, "NEAREST or LANCZOS"),
        ({"resize": -1}, "'resize': expected pixels"),
        ({"resize": float("inf")}, "'resize': expected pixels"),
        ({"columns": ["a", "a"]}, "different names"),
        ([1], "preprocessing: expected an object"),
    ],
)
def test_broken_requests(spec_of, given, words):
    with pytest.raises(ModelError, match=words) as raised:
        spec_of(CLIP, preprocessing=given)
    one_line(raised)


def test_channels_come_first_where_the_graph_does_not_say(spec_of):
    """An export of optimum leaves all four axes open; the processors of transformers give channels first."""
    spec, notes = spec_of(CLIP, shape=(None,) * 4)
    assert (spec.layout, spec.why_no_pictures, notes) == ("NCHW", "", [])
    assert spec_of(CLIP | {"data_format": "channels_last"}, shape=(None,) * 4)[0].layout == "NHWC"
    spec, notes = spec_of(CLIP, shape=(None,) * 4, preprocessing={"layout": "NHWC"})
    assert (spec.layout, [note for note in notes if "layout" in note]) == ("NHWC", [])
