"""How to prepare inputs, as metadata, files next to a model and callers declare it: the keys and their values, and usual ways.

| key | value |
|---|---|
| layout | ``NHWC`` or ``NCHW`` |
| dtype | numpy's name of the type, only compared with the graph |
| range | [low, high]: what 0 and 255 become |
| colour | ``RGB``, ``BGR`` or ``GREY`` |
| size | [height, width] of what is fed, in pixels |
| mean, std | 1 number, or 3 in the model's order of colours, in units of `range` |
| resize | before the middle of `size` is cut out: n pixels on the shorter side, [height, width], or 0 for as it is |
| crop | [height, width] of the middle that is cut out, or 1 number for a square: as `size`, which it sets when absent |
| pad | instead of both: grey level, 0 to 255, of the borders of a whole picture that keeps its proportions |
| rounding | of the middle: ``even`` (torchvision) or ``down`` (transformers) |
| resample | ``nearest``, ``lanczos``, ``bilinear``, ``bicubic``, ``box`` or ``hamming`` |
| columns | names of a table's columns, in the order in which they make up a row of the input |
"""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.messages.errors import listed, near_miss
from hierviz.onnx.description.picture_fitting import RESAMPLING, ROUNDINGS

_MOST_PIXELS_A_SIDE = 16384


def checked_input(given, wrong, unknown):
    """What is said about an input in the types of `InputSpec`.

    Parameters
    ----------
    given : object
        As it was read: a dict of `INPUT_KEYS`, None for what is not said.
    wrong : callable
        wrong(key, expected, got) makes the error.
    unknown : callable
        Called with words about keys that are not known, if there are any.

    Returns
    -------
    dict
        By key of `INPUT_KEYS`.
    """
    if not isinstance(given, dict):
        raise wrong("input", "an object with " + ", ".join(INPUT_KEYS), given)
    strange = [str(key) for key in given if key not in INPUT_KEYS]
    if strange:
        unknown(f"{listed(strange)}.{near_miss(strange[0], INPUT_KEYS)}")
    made = {key: value for key, value in given.items() if value is not None and key in INPUT_KEYS}
    for key in [key for key in _READ if key in made]:
        expected, read = _READ[key]
        value = read(made[key])
        if value is None:
            raise wrong(f"input.{key}", expected, made[key])
        made[key] = value
    return made


def _one_of(*choices):
    """A choice in any letters, as it is written in `choices`."""
    known = {choice.upper(): choice for choice in choices}
    return lambda value: known.get(str(value).upper().replace("GRAY", "GREY"))


def _numbers(lengths, is_right=lambda values: True, kind=float):
    """Numbers as a tuple, of one of `lengths`."""

    def read(value):
        values = _values(value)
        is_valid = len(values) in lengths and all(_is_number(number) and abs(number) < 1e9 for number in values)
        return tuple(map(kind, values)) if is_valid and is_right(values) else None

    return read


def _are_sides(values):
    return all(map(_is_side, values))


def _crop(value):
    sides = _numbers((1, 2), _are_sides, int)(value)
    return sides and (sides * 2)[:2]


def _resize(value):
    values = _values(value)
    if len(values) == 1:
        return int(values[0]) if _is_side(values[0], 0) else None
    return _numbers((2,), _are_sides, int)(value)


def _columns(value):
    values = _values(value)
    is_valid = values and all(isinstance(name, str) for name in values) and len(set(values)) == len(values)
    return tuple(values) if is_valid else None


def geometry_problem(said):
    """What contradicts itself about the size of pictures, in words that fit after "expected"; an empty text for nothing.

    Parameters
    ----------
    said : dict
        By key of `INPUT_KEYS`, checked.
    """
    size, crop, resize = said.get("size"), said.get("crop"), said.get("resize")
    if None not in (size, crop) and size != crop:
        return (
            f"a crop of the size that the model is fed, {size[0]} x {size[1]} (height x width), got {crop[0]} x {crop[1]}. "
            "Leave {preprocessing.crop} out, or correct {preprocessing.size}."
        )
    if "pad" in said and (crop is not None or resize is not None):
        return (
            "either borders or a crop, got both: with borders nothing is cut off. Leave {preprocessing.pad} out, or "
            "{preprocessing.resize} and {preprocessing.crop}."
        )
    size = size or crop
    if size and resize:
        least = resize if isinstance(resize, tuple) else (resize, resize)
        if least[0] < size[0] or least[1] < size[1]:
            return (
                f"a size to resize to of at least {size[0]} x {size[1]} (height x width), which is cut out of it, got "
                f"{'x'.join(map(str, least))}. Correct {{preprocessing.resize}}."
            )
    return ""


def scaling_problem(spread, mean, std):
    """What is wrong with a mean and std in units of a range, in words that fit after "expected"; an empty text for nothing.

    Parameters
    ----------
    spread : (low, high)
        What 0 and 255 become.
    mean, std : sequence of float, or None
        A mean lies inside the range, or is 0. A std is at least one grey level, `range` / 255, and at most the whole range,
        or is 1.
    """
    low, high = spread
    wide, slack = high - low, 1e-6 * (high - low)
    within = f"the range {low:g} to {high:g} (mean and std are in units of the range)"
    outside = [value for value in mean or () if value != 0 and not low - slack <= value <= high + slack]
    if outside:
        return f"a mean inside {within}, got {', '.join(f'{value:g}' for value in mean)}"
    strange = [value for value in std or () if value != 1 and not wide / 255 - slack <= value <= wide + slack]
    if strange:
        return f"a std from {wide / 255:.3g} to {wide:g} for {within}, got {', '.join(f'{value:g}' for value in std)}"
    return ""


def _values(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_number(value):
    return type(value) in (int, float)


def _is_side(value, least=1):
    return _is_number(value) and least <= value <= _MOST_PIXELS_A_SIDE and value == int(value)


# Key: what is expected in words, and what reads a value (None where it is wrong). A type is only compared with the graph.
_READ = {
    "layout": ("NHWC or NCHW", _one_of("NHWC", "NCHW")),
    "colour": ("RGB or BGR or GREY", _one_of("RGB", "BGR", "GREY")),
    "resample": (" or ".join(map(str.upper, RESAMPLING)), _one_of(*RESAMPLING)),
    "rounding": (" or ".join(map(str.upper, ROUNDINGS)), _one_of(*ROUNDINGS)),
    "range": ("[low, high] with low below high", _numbers((2,), lambda values: values[0] < values[1])),
    "size": ("[height, width] in pixels", _numbers((2,), _are_sides, int)),
    "crop": ("[height, width] in pixels, or one side of a square", _crop),
    "mean": ("1 or 3 numbers", _numbers((1, 3))),
    "std": ("1 or 3 numbers above 0", _numbers((1, 3), lambda values: min(values) > 0)),
    "resize": ("pixels of the shorter side, [height, width] or 0", _resize),
    "pad": (
        "the grey level of the borders, 0 to 255",
        lambda value: int(value) if _is_side(value, 0) and value <= 255 else None,
    ),
    "columns": ("a list of different names of columns", _columns),
}
INPUT_KEYS = (
    *("layout", "dtype", "range", "colour", "size", "mean", "std"),
    *("resize", "crop", "pad", "rounding", "resample", "columns"),
)
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
# A model that takes pictures of any size is fed these, as most are trained.
USUAL_SIDE = 224


def as_keyword(said):
    """`preprocessing` of `load_model`: what is said, by key of `INPUT_KEYS`, in JSON types; None for nothing."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in said.items() if value is not None}


@dataclass(frozen=True)
class Preset:
    """One way to prepare pictures, whatever their size.

    Parameters
    ----------
    where : str
        Where it is usual.
    share : float, optional
        Side of the middle that is cut out, over the shorter side; pictures are stretched when absent.
    resample : str
        One of `picture_fitting.RESAMPLING`.
    range, mean, std : tuple of float
        As in `input_keys`.
    pad : int, optional
        As in `input_keys`; instead of `share`.
    side, shorter : int, optional
        Pixels of the middle that the network was trained for, `USUAL_SIDE` when absent; and of the shorter side before,
        instead of `share`.
    """

    where: str
    share: float | None
    resample: str
    range: tuple = (0.0, 1.0)
    mean: tuple | None = IMAGENET_MEAN
    std: tuple | None = IMAGENET_STD
    pad: int | None = None
    side: int | None = None
    shorter: int | None = None

    def preprocessing(self, size=None):
        """Keyword of `load_model` for pictures of a size, (height, width)."""
        side = self.side or USUAL_SIDE
        size = tuple(size or (side, side))
        said = {"size": size, "resample": self.resample, "range": self.range, "mean": self.mean, "std": self.std}
        resize = None if self.share is None else int(max(size) / self.share)
        if self.shorter is not None:
            resize = round(self.shorter * max(size) / side)
        return as_keyword(said | {"pad": self.pad, "resize": resize})

    def words(self, size=None):
        """The steps in one line."""
        said = self.preprocessing(size)
        height, width = said["size"]
        to = f"{height}" if height == width else f"{width} x {height}"
        if self.pad is not None:
            steps = f"Whole picture padded to {to}"
        elif said.get("resize") is None:
            steps = f"Stretched to {to}"
        else:
            steps = f"Shorter side {said['resize']}, centre crop {to}"
        steps += f" ({self.resample}), {self.range[0]:g} to {self.range[1]:g}".replace("-", "−")
        if self.mean is not None:
            whose = {IMAGENET_MEAN: "ImageNet's ", CLIP_MEAN: "CLIP's "}.get(tuple(self.mean), "")
            steps += f", {whose}mean and std" + ("" if whose else f" {self.mean[0]:g}, {self.std[0]:g}")
        return steps


PRESETS = {
    "torchvision": Preset("torchvision: ResNet, VGG, DenseNet, MobileNet", 0.875, "bilinear"),
    "timm": Preset("timm: ConvNeXt, DeiT, EfficientNet", 0.875, "bicubic"),
    "clip": Preset("CLIP and its fine-tuned descendants", 1.0, "bicubic", mean=CLIP_MEAN, std=CLIP_STD),
    "vit": Preset("Hugging Face: ViT; TensorFlow: MobileNet, Inception", None, "bilinear", (-1.0, 1.0), None, None),
    "imagenet": Preset("Hugging Face: Swin, BEiT and others", None, "bicubic"),
    "plain": Preset(
        "Keras with a Rescaling layer outside, Teachable Machine", None, "bilinear", (0.0, 1.0), None, None
    ),
    "borders": Preset("pictures that must be seen whole", None, "bilinear", (0.0, 1.0), None, None, pad=0),
}
