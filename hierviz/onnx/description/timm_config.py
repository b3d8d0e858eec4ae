"""How timm says that pictures are prepared: the ``pretrained_cfg`` of a model, also in its ``config.json`` next to the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hierviz.messages.errors import HiervizError, ModelError
from hierviz.onnx.description.file import json_object
from hierviz.onnx.description.input_keys import Preset
from hierviz.onnx.description.picture_fitting import RESAMPLING

FILE, KEY = "config.json", "pretrained_cfg"
MOST_BYTES = 8 << 20
# timm fills borders with the mean of the pixels, which is a grey of about this level.
_BORDER = 124


def timm_preprocessing(path: Path) -> dict[str, Any]:
    """What timm's ``config.json`` next to a model says, by key of `INPUT_KEYS`, unchecked; empty where there is none.

    Raises
    ------
    ModelError
        If it has a ``pretrained_cfg`` that is none.
    """
    file = path.with_name(FILE)
    described: Any = None
    with suppress(HiervizError):  # that it is no JSON is said where class names are looked for
        described = json_object(file, MOST_BYTES).get(KEY) if file.is_file() else None
    return {} if not isinstance(described, Mapping) else preset_of_timm(described, FILE).preprocessing()


def preset_of_timm(described: Mapping[str, Any], where: str) -> Preset:
    """The preparation that a ``pretrained_cfg`` of timm states.

    Raises
    ------
    ModelError
        If a value is of another kind than timm writes.
    """
    size: Any = described.get("input_size")
    share = described.get("crop_pct")
    mode, resample = described.get("crop_mode") or "center", described.get("interpolation") or "bilinear"
    mean, std = (described.get(key) for key in ("mean", "std"))
    is_right = (
        isinstance(size, Sequence)
        and len(size) == 3
        and all(isinstance(side, int) for side in size)
        and (share is None or (isinstance(share, (int, float)) and 0 < share <= 1))
        and mode in ("center", "squash", "border")
        and resample in RESAMPLING
    )
    if not is_right:
        raise ModelError(
            f"{where}: expected input_size of three numbers, crop_pct, crop_mode and interpolation as timm writes them, got "
            f"{size!r}, {share!r}, {mode!r} and {resample!r}. Correct or remove it."
        )
    share = 0.875 if share is None else float(share)
    made = Preset(where, share if mode == "center" else None, resample, side=int(size[1]))
    if mean is not None and std is not None:
        made = replace(made, mean=tuple(mean), std=tuple(std))
    return replace(made, pad=_BORDER) if mode == "border" else made
