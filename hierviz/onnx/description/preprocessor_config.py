"""The ``preprocessor_config.json`` that transformers writes next to a model of pictures, in the keys of hierviz.

Conventions
-----------
The steps are those of transformers' image processors: resize, cut out the middle, multiply by `rescale_factor`, then subtract
`image_mean` and divide by `image_std`. What is not understood becomes a note.
"""

import json

from hierviz.messages.errors import ModelError, listed
from hierviz.onnx.description.file import json_object
from hierviz.onnx.description.picture_fitting import RESAMPLING

FILE = "preprocessor_config.json"
MOST_BYTES = 1 << 20

_KEYS = (
    *("do_resize", "size", "image_size", "resample", "default_to_square", "crop_pct", "do_center_crop", "crop_size"),
    *("do_rescale", "rescale_factor", "rescale_offset", "do_normalize", "image_mean", "image_std"),
    "do_flip_channel_order",
)
# These say who wrote the file or how its arrays are passed around.
_SILENT = (
    *("_valid_processor_keys", "feature_extractor_type", "image_processor_type", "processor_class", "_processor_class"),
    *("do_convert_rgb", "data_format", "input_data_format", "return_tensors", "device", "disable_grouping"),
)
# ConvNeXt cuts a margin off below this size and not from it on.
_NO_MARGIN_FROM = 384


def load_preprocessor_config(path, notes):
    """What the file says about inputs.

    Parameters
    ----------
    path : Path
    notes : list of str
        Grows by what was assumed or not understood.

    Returns
    -------
    dict
        By key of `input_keys.INPUT_KEYS`, values unchecked; empty when it is not about pictures.

    Raises
    ------
    ModelError
        If it is no JSON object or a value of another kind.
    FileError
        If it cannot be read.
    """
    config = {key: value for key, value in json_object(path, MOST_BYTES).items() if value is not None}
    if not any(key in config for key in _KEYS):
        notes.append(f"{path.name} has no settings for pictures and was not used")
        return {}
    # A step that is switched off needs no understanding.
    strange = [key for key, value in config.items() if key not in (*_KEYS, *_SILENT) and value is not False]
    if strange:
        notes.append(f"{path.name}: not understood and not used: {listed(strange)}")
    geometry = _geometry(config, path.name, notes)
    if "resize" in geometry and not str(config.get("image_processor_type", "")).endswith("Fast"):
        # Those that are called fast leave it to torchvision.
        geometry["rounding"] = "down"
    return {"layout": _layout(config), **geometry, **_scaling(config, path.name, notes)}


def _layout(config):
    """Channels first unless the file says otherwise: the default of transformers."""
    return "NHWC" if config.get("data_format") in ("channels_last", "ChannelDimension.LAST") else "NCHW"


def _geometry(config, where, notes):
    size = config.get("size", config.get("image_size"))
    cuts = config.get("do_center_crop", False)
    shorter, both = _sides(size, where, "size", notes, config)
    crop = _pair(config.get("crop_size"), where) or both or (shorter and (shorter, shorter)) if cuts else None
    margin = config.get("crop_pct")
    made = {}
    if not config.get("do_resize", True):
        if crop:
            return {"size": list(crop), "resize": 0}
        notes.append(f"{where} does not resize: pictures of another size than the model's are stretched to that size")
        return {}
    if "resample" in config:
        if type(config["resample"]) is not int or not 0 <= config["resample"] < len(RESAMPLING):
            raise _wrong(where, "resample", "a number from 0 to 5", config["resample"])
        made["resample"] = RESAMPLING[config["resample"]]
    if shorter and margin is not None and not cuts:
        if type(margin) not in (int, float) or not 0 < margin <= 1:
            raise _wrong(where, "crop_pct", "a share above 0, at most 1", margin)
        crop = (shorter, shorter)
        shorter, both = (int(shorter / margin), None) if shorter < _NO_MARGIN_FROM else (None, crop)
    if both:
        return made | {"size": list(crop or both)} | ({"resize": list(both)} if crop and crop != both else {})
    if shorter:
        if not crop:
            crop = (shorter, shorter)
            notes.append(
                f"{where} keeps the aspect ratio without cropping: a centre crop of {shorter} x {shorter} is used, "
                "so that all pictures have one size"
            )
        return made | {"size": list(crop), "resize": shorter}
    return made | ({"size": list(crop)} if crop else {})


def _scaling(config, where, notes):
    made = {"colour": "BGR" if config.get("do_flip_channel_order") else "RGB", "range": [0.0, 255.0]}
    if config.get("do_rescale", True):
        factor = config.get("rescale_factor", 1 / 255)
        if type(factor) not in (int, float) or not 0 < factor < 1e6:
            raise _wrong(where, "rescale_factor", "a number above 0", factor)
        low = -1.0 if config.get("rescale_offset") else 0.0
        # 255 * 0.00392156862745098 is meant to be 1.
        made["range"] = [low, round(255 * factor + low, 9)]
    if config.get("do_normalize", "image_mean" in config):
        for key, ours in (("image_mean", "mean"), ("image_std", "std")):
            if key in config:
                made[ours] = config[key]
            else:
                notes.append(f"{where} normalises without {key}: {'0' if ours == 'mean' else '1'} was used")
    return made


def _sides(size, where, key, notes, config):
    """(pixels of the shorter side, None), (None, (height, width)) or (None, None)."""
    if isinstance(size, dict) and "shortest_edge" in size:
        others = [name for name in size if name != "shortest_edge"]
        if others:
            notes.append(f"{where}: not understood and not used: {listed(others)} in {key}")
        size, is_shorter = size["shortest_edge"], True
    else:
        # Before sizes were spelt out, a number meant the shorter side where something is cut off afterwards.
        is_shorter = config.get("do_center_crop", False) or "crop_pct" in config
        is_shorter = not config.get("default_to_square", not is_shorter)
    if isinstance(size, dict) and not {"height", "width"} <= set(size):
        notes.append(f"{where}: not understood and not used: {key} {json.dumps(size)[:60]}")
        return None, None
    both = _pair(size, where, key)
    if both and is_shorter and not isinstance(size, (list, dict)):
        return both[0], None
    return None, both


def _pair(value, where, key="crop_size"):
    """(height, width) of one number, two, or an object; None for nothing."""
    if value is None:
        return None
    if isinstance(value, dict):
        edge = value.get("shortest_edge")
        values = [value.get("height", edge), value.get("width", edge)]
    else:
        values = list(value) if isinstance(value, list) else [value]
        values = values * 2 if len(values) == 1 else values
    if len(values) != 2 or any(type(value) is not int or value < 1 for value in values):
        raise _wrong(where, key, "pixels, as a number or with height and width", value)
    return tuple(values)


def _wrong(where, key, expected, got):
    text = json.dumps(got, ensure_ascii=False)
    return ModelError(f"{where}, {key!r}: expected {expected}, got {text[:60]}. Correct or remove it.")
