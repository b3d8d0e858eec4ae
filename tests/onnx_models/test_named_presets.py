"""Preparations of pictures by the name of a network, and timm's config.json next to a model."""

import json

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.onnx.description.metadata import declared
from hierviz.onnx.description.timm_config import preset_of_timm
from hierviz.onnx.inputs.declared_inputs import find_inputs
from hierviz.onnx.inputs.named_presets import NAMED, preset_named, with_preset
from hierviz.opening.model_settings import model_options

IMAGENET = [0.485, 0.456, 0.406]
FREE, FIXED = [("x", "tensor(float)", (None, 3, None, None))], [("x", "tensor(float)", (1, 3, 192, 192))]


@pytest.mark.parametrize(
    ("name", "size", "resize", "resample", "mean"),
    [
        # https://docs.pytorch.org/vision/stable/models.html
        ("resnet50", 224, 232, "bilinear", IMAGENET),
        ("ResNet50_Weights.IMAGENET1K_V1", 224, 256, "bilinear", IMAGENET),
        ("torchvision:efficientnet_b1", 240, 255, "bilinear", IMAGENET),
        ("Swin_T_Weights.DEFAULT", 224, 232, "bicubic", IMAGENET),
        ("inception_v3", 299, 342, "bilinear", IMAGENET),
        # preprocessor_config.json of these checkpoints
        ("google/vit-base-patch16-224", 224, None, "bilinear", [0.5] * 3),
        ("google/vit-large-patch32-384", 384, None, "bilinear", [0.5] * 3),
        ("facebook/convnext-tiny-224", 224, 256, "bicubic", IMAGENET),
        ("facebook/convnext-base-384", 384, None, "bicubic", IMAGENET),
        ("openai/clip-vit-base-patch32", 224, 224, "bicubic", [0.48145466, 0.4578275, 0.40821073]),
        ("facebook/dinov2-base", 224, 256, "bicubic", IMAGENET),
        ("timm", 224, 256, "bicubic", IMAGENET),
    ],
)
def test_names(name, size, resize, resample, mean):
    made = with_preset(name, FREE)
    assert made["size"] == [size, size]
    assert (made.get("resize"), made["resample"], made["mean"]) == (resize, resample, mean)
    assert made["range"] == [0.0, 1.0]


def test_the_size_of_the_model_and_what_the_caller_says_win():
    assert with_preset("resnet50 V1", FIXED)["resize"] == round(256 * 192 / 224)
    made = with_preset({"preset": "resnet50", "mean": [0.5], "resample": "bicubic"}, FREE)
    assert (made["mean"], made["resample"], made["std"]) == ([0.5], "bicubic", [0.229, 0.224, 0.225])
    made = with_preset({"preset": "resnet50", "resize": 300, "crop": [288, 288]}, FREE)
    assert (made["resize"], made["crop"], "size" in made) == (300, [288, 288], False)
    assert with_preset(None, FREE) is None
    assert with_preset({"range": [0, 1]}, FREE) == {"range": [0, 1]}


@pytest.mark.parametrize("name", ["resnet51", "google/unknown", "resnet50 V7"])
def test_an_unknown_name(name):
    with pytest.raises(hv.ModelError, match=r"preparation: expected the name of a usual preparation, got "):
        preset_named(name)


def test_every_name_says_its_steps():
    assert len({one.words() + one.where for one in NAMED.values()}) == len(NAMED)


def test_the_flag():
    options = cli.parser().parse_args(
        ["predict", "--model", "m", "--taxonomy", "t", "--preparation", "resnet50", "--resample", "nearest"]
    )
    assert model_options(options)["preprocessing"] == {"preset": "resnet50", "resample": "nearest"}


TIMM = {"input_size": [3, 288, 288], "interpolation": "bicubic", "crop_pct": 0.95, "crop_mode": "center"}
TIMM |= {"mean": IMAGENET, "std": [0.229, 0.224, 0.225], "num_classes": 3}


@pytest.mark.parametrize(
    ("config", "size", "resize", "pad"),
    [
        (TIMM, 288, 303, None),
        (TIMM | {"crop_mode": "squash"}, 288, None, None),
        (TIMM | {"crop_mode": "border"}, 288, None, 124),
    ],
)
def test_what_timm_writes(config, size, resize, pad, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"architecture": "x", "pretrained_cfg": config}))
    said, origin = declared(tmp_path / "m.onnx", {}, [], None)
    (spec,) = find_inputs("m.onnx", FREE, said["input"], [])
    assert spec.size == (size, size)
    assert (spec.resize, spec.pad, spec.resample) == (resize, pad, "bicubic")
    np.testing.assert_allclose(spec.mean, IMAGENET)
    assert origin["input.size"] == "config.json"


@pytest.mark.parametrize(
    "change", [{"crop_pct": 2}, {"input_size": [3, 288]}, {"interpolation": "random"}, {"crop_mode": 3}]
)
def test_what_timm_does_not_write(change):
    with pytest.raises(hv.ModelError, match=r"config\.json: expected input_size of three numbers"):
        preset_of_timm(TIMM | change, "config.json")
