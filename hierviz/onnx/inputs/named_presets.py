"""Preparations of pictures by the name of a network: torchvision's weights, checkpoints of Hugging Face, models of timm.

Conventions
-----------
- torchvision [1]_: ``resnet50`` (its default weights), ``resnet50 V1`` or ``ResNet50_Weights.IMAGENET1K_V1``; the table below has
  the pixels of the shorter side, of the middle, and the resampling that its documentation states for each.
- Hugging Face: ``google/vit-base-patch16-224`` and the like, by the family at the start of the name and the size at its end.
- timm: ``timm:NAME``, as the installed package timm describes it. A ``config.json`` of timm next to a model is read without it.

References
----------
.. [1] https://docs.pytorch.org/vision/stable/models.html, "The inference transforms are available at ...".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hierviz.messages.errors import ModelError, near_miss
from hierviz.messages.extras import require
from hierviz.onnx.description.input_keys import CLIP_MEAN, CLIP_STD, PRESETS, USUAL_SIDE, Preset
from hierviz.onnx.description.timm_config import preset_of_timm
from hierviz.onnx.inputs.declared_inputs import layout_of

HALF = (0.5, 0.5, 0.5)
# Name, version of the weights, shorter side, middle, resampling.
_TORCHVISION = """
alexnet V1 256 224 bilinear
convnext_tiny V1 236 224 bilinear
convnext_small V1 230 224 bilinear
convnext_base V1 232 224 bilinear
convnext_large V1 232 224 bilinear
densenet121 V1 256 224 bilinear
densenet161 V1 256 224 bilinear
densenet169 V1 256 224 bilinear
densenet201 V1 256 224 bilinear
efficientnet_b0 V1 256 224 bicubic
efficientnet_b1 V1 256 240 bicubic
efficientnet_b1 V2 255 240 bilinear
efficientnet_b2 V1 288 288 bicubic
efficientnet_b3 V1 320 300 bicubic
efficientnet_b4 V1 384 380 bicubic
efficientnet_b5 V1 456 456 bicubic
efficientnet_b6 V1 528 528 bicubic
efficientnet_b7 V1 600 600 bicubic
efficientnet_v2_s V1 384 384 bilinear
efficientnet_v2_m V1 480 480 bilinear
efficientnet_v2_l V1 480 480 bicubic
googlenet V1 256 224 bilinear
inception_v3 V1 342 299 bilinear
maxvit_t V1 224 224 bicubic
mnasnet1_0 V1 256 224 bilinear
mobilenet_v2 V1 256 224 bilinear
mobilenet_v2 V2 232 224 bilinear
mobilenet_v3_small V1 256 224 bilinear
mobilenet_v3_large V1 256 224 bilinear
mobilenet_v3_large V2 232 224 bilinear
regnet_y_400mf V1 256 224 bilinear
regnet_y_400mf V2 232 224 bilinear
resnet18 V1 256 224 bilinear
resnet34 V1 256 224 bilinear
resnet50 V1 256 224 bilinear
resnet50 V2 232 224 bilinear
resnet101 V1 256 224 bilinear
resnet101 V2 232 224 bilinear
resnet152 V1 256 224 bilinear
resnet152 V2 232 224 bilinear
resnext50_32x4d V1 256 224 bilinear
resnext50_32x4d V2 232 224 bilinear
shufflenet_v2_x1_0 V1 256 224 bilinear
squeezenet1_0 V1 256 224 bilinear
swin_t V1 232 224 bicubic
swin_s V1 246 224 bicubic
swin_b V1 238 224 bicubic
swin_v2_t V1 260 256 bicubic
swin_v2_s V1 260 256 bicubic
swin_v2_b V1 272 256 bicubic
vgg11 V1 256 224 bilinear
vgg13 V1 256 224 bilinear
vgg16 V1 256 224 bilinear
vgg19 V1 256 224 bilinear
vit_b_16 V1 256 224 bilinear
vit_b_32 V1 256 224 bilinear
vit_l_16 V1 242 224 bilinear
wide_resnet50_2 V1 256 224 bilinear
wide_resnet50_2 V2 232 224 bilinear
"""


def _torchvision():
    found = {}
    for line in _TORCHVISION.strip().splitlines():
        name, version, shorter, side, resample = line.split()
        made = Preset("torchvision", None, resample, side=int(side), shorter=int(shorter))
        found[f"{name} {version}"] = replace(made, where=f"torchvision: {name}, weights IMAGENET1K_{version}")
    return found


# Start of the name of a checkpoint: how its processor prepares pictures of 224 pixels.
_HUGGING_FACE = {
    "google/vit-": Preset("Hugging Face: ViT", None, "bilinear", mean=HALF, std=HALF),
    "facebook/deit-": Preset("Hugging Face: DeiT", 224 / 256, "bicubic"),
    "facebook/convnext-": Preset("Hugging Face: ConvNeXt", 0.875, "bicubic"),
    "facebook/dinov2-": Preset("Hugging Face: DINOv2", 224 / 256, "bicubic"),
    "microsoft/swin-": Preset("Hugging Face: Swin", None, "bicubic"),
    "microsoft/resnet-": Preset("Hugging Face: ResNet", 0.875, "bicubic"),
    "openai/clip-vit-": Preset("Hugging Face: CLIP", 1.0, "bicubic", mean=CLIP_MEAN, std=CLIP_STD),
    "laion/CLIP-ViT-": Preset("Hugging Face: OpenCLIP", 1.0, "bicubic", mean=CLIP_MEAN, std=CLIP_STD),
}
# From this size on ConvNeXt cuts nothing off.
_WHOLE_FROM = {"facebook/convnext-": 384}
NAMED: dict[str, Preset] = {**PRESETS, **_torchvision(), **{f"{start}…": one for start, one in _HUGGING_FACE.items()}}


def preset_named(name: str) -> Preset:
    """The preparation of a name; a ModelError where it is not known."""
    text = str(name).strip()
    if text in NAMED:
        return NAMED[text]
    if text.lower().startswith("timm:"):
        return _of_timm(text[5:])
    for start, preset in _HUGGING_FACE.items():
        if text.lower().startswith(start.lower()):
            size = re.search(r"-(\d{3})(?!\d)(?!.*-\d{3}(?!\d))", text)
            side = int(size[1]) if size else USUAL_SIDE
            is_whole = side >= _WHOLE_FROM.get(start, side + 1)
            return replace(preset, side=side, share=None if is_whole else preset.share, where=f"Hugging Face: {text}")
    plain = re.sub(r"^torchvision(\.models)?[:./]", "", text, flags=re.IGNORECASE)
    weights = re.fullmatch(r"(\w+?)_weights\.(imagenet1k_)?(\w+)", plain, flags=re.IGNORECASE)
    arch, version = (weights[1], weights[3].upper()) if weights else (plain, "DEFAULT")
    arch = arch.lower()
    versions = {key: one for key, one in NAMED.items() if _folded(key.rpartition(" ")[0]) == _folded(arch)}
    if version == "DEFAULT" and versions:
        return versions[max(versions)]
    found = next((one for key, one in versions.items() if key.endswith(f" {version}")), None)
    if found is None:
        near = near_miss(text, list(NAMED))
        raise ModelError(
            f"preparation: expected the name of a usual preparation, got {text!r}.{near} Names are {', '.join(PRESETS)}; "
            "networks of torchvision (resnet50), checkpoints of Hugging Face (google/vit-base-patch16-224), or timm:NAME."
        )
    return found


def _folded(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _of_timm(name):
    """As the installed timm describes a pretrained model."""
    require(f"timm:{name}", "onnx", "timm")
    import timm

    try:
        described = timm.get_pretrained_cfg(name, allow_unregistered=False)
    except Exception as error:  # timm raises RuntimeError and others for unknown names
        raise ModelError(
            f"preparation: expected a model of timm, got {name!r} ({str(error)[:80]}). Check its name."
        ) from None
    if described is None:
        raise ModelError(
            f"preparation: expected a model of timm, got {name!r}. Check its name, such as resnet50.a1_in1k."
        )
    return preset_of_timm(vars(described), f"timm: {name}")


def with_preset(preprocessing: Mapping[str, Any] | str | None, signatures: Sequence[Any]) -> dict[str, Any] | None:
    """The preprocessing that a caller says, a named preparation in it written out; other keys of the caller win.

    Parameters
    ----------
    preprocessing : dict or str, optional
        By key of `INPUT_KEYS` and ``preset``, or the name alone.
    signatures : sequence of (name, type, shape)
        Of the inputs of the model, whose size counts where it is fixed.

    Raises
    ------
    ModelError
        If the name is not known.
    """
    said = {"preset": preprocessing} if isinstance(preprocessing, str) else preprocessing
    if not isinstance(said, Mapping) or said.get("preset") is None:
        return said  # type: ignore[return-value]
    preset = preset_named(said["preset"])
    own = {key: value for key, value in said.items() if key != "preset" and value is not None}
    shapes = [shape for _, _, shape in signatures if len(shape) == 4]
    layout = layout_of(tuple(shapes[0])) if len(shapes) == 1 else None
    fixed = None if layout is None else [shapes[0][layout.index(side)] for side in "HW"]
    size = own.get("size") or own.get("crop") or (fixed if fixed and None not in fixed else None)
    size = (size, size) if isinstance(size, int) else size
    made = preset.preprocessing(size)
    if "crop" in own or "resize" in own or "pad" in own:
        made = {key: value for key, value in made.items() if key not in ("resize", "pad", "size")}
    return made | own
