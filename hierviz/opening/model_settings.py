"""Settings of an ONNX model: its options, and the keywords of `load_model` and `load_inputs` that they become."""

from __future__ import annotations

from hierviz.messages.errors import ModelError
from hierviz.opening.flags import Option

# Options that are numbers: what separates them, their kind and their form.
_NUMBERS = {
    **{key: (",", float, form) for key, form in (("range", "LOW,HIGH"), ("mean", "A[,B,C]"), ("std", "A[,B,C]"))},
    "size": ("x", int, "HxW in pixels, such as 224x224"),
    "crop": ("x", int, "the side of a square in pixels, or HxW"),
    "resize": ("x", int, "pixels of the shorter side, or HxW"),
}
# By the parameters that errors name, in the order of the help; those after a point are parts of one.
MODEL_OPTIONS = {
    "scores": Option(
        "--scores KIND",
        "what the scores are, where their values are ambiguous; see the end of `hierviz predict --help`",
        label="What the scores are",
    ),
    "outputs": Option(
        "--output NAME",
        "output that holds the scores; repeat it for one head per depth, in the order of the class names",
        several=True,
        label="Output with the scores",
    ),
    "text_column": Option("--text-column C", "column of a table that holds the texts"),
    "columns": Option(
        "--columns C1,C2",
        "columns of a table that make up the only input, in order, or INPUT=COLUMN,... (default: by name)",
    ),
    "ignore": Option(
        "--ignore NAME",
        "column that belongs to no class of the taxonomy, such as other; repeat it for several",
        several=True,
        default=(),
        label="Columns to leave out",
    ),
    "sum_repeated": Option(
        "--sum-repeated",
        "sum the columns of a class that has several (default: refuse)",
        label="Sum the columns of one class",
    ),
    "strict": Option(
        "--strict",
        "stop at a picture that cannot be read (default: leave it out and name it)",
        label="Stop at a picture that cannot be read",
    ),
}
PREPROCESSING = {
    "preset": Option(
        "--preparation NAME",
        "a usual preparation: torchvision, timm, clip, vit, ...; or that of a network by its name, such as resnet50, "
        "google/vit-base-patch16-224 or timm:NAME; the flags below win",
        label="Usual preparation",
    ),
    "layout": Option(
        "--layout NHWC|NCHW", "order of the axes; C is the axis of the colour channels", label="Order of the axes"
    ),
    "size": Option("--size HxW", "height and width in pixels that the model is fed", label="Size of the pictures"),
    "resize": Option(
        "--resize SHORT|HxW",
        "pixels of the shorter side, or height and width, before the middle is cut out (default: stretch to --size)",
        label="How pictures get that size",
    ),
    "crop": Option(
        "--crop SIDE|HxW",
        "side of the middle, or its height and width (default: --size)",
        label="How pictures get that size",
    ),
    "resample": Option(
        "--resample METHOD", "bilinear (default), bicubic, lanczos, nearest, box or hamming", label="Resampling"
    ),
    "pad": Option(
        "--pad GREY",
        "keep the whole picture and its proportions, with borders in this grey level, 0 to 255 (default: 0)",
        type=int,
        bare=0,
        label="Grey level of the borders",
    ),
    "colour": Option(
        "--colour/--color RGB|BGR|GREY", "order of the colour channels", label="Order of the colour channels"
    ),
    "range": Option(
        "--range LOW,HIGH",
        "values that 0 and 255 are mapped to, such as 0,1 or -1,1",
        label="Range of the pixel values",
    ),
    "mean": Option("--mean A[,B,C]", "mean to subtract, in units of the range", label="Subtract mean"),
    "std": Option("--std A[,B,C]", "standard deviation to divide by, in units of the range", label="Divide by std"),
}
LIMITS = {
    "cpu_seconds": Option(
        "--cpu-seconds X", "processor time for loading, and for each batch (default: 60)", type=float
    ),
    "memory_mb": Option("--memory-mb N", "memory (default: 2048, plus four times the model's size)", type=int),
    "batch": Option(
        "--batch N", "rows per batch (default: 64); fewer where memory does not suffice", type=int, default=64
    ),
}


def model_options(options):
    """Keywords of `load_model` out of the flags above; ModelError where one is no number."""
    from hierviz.onnx.process.isolation import Limits

    limits = {key: getattr(options, key) for key in ("cpu_seconds", "memory_mb") if getattr(options, key) is not None}
    said = {
        "scores": options.scores,
        "outputs": options.output,
        "preprocessing": _preprocessing(options),
        "limits": Limits(**limits) if limits else None,
        "only_known": options.only_known or getattr(options, "unseen", None) is not None,
        "ignore": tuple(options.ignore),
        "sum_repeated": options.sum_repeated,
    }
    return {key: value for key, value in said.items() if value}


def reading_options(options):
    """Keywords of `load_inputs` out of the flags."""
    reading = {key: value for key in ("media", "text_column") if (value := getattr(options, key))}
    if options.columns:
        names = [name.strip() for name in options.columns.split(",")]
        by_input: dict[str, list[str]] = {}
        for name in names:
            start, _, column = name.partition("=")
            by_input.setdefault(start.strip() if column else "", []).append(column.strip())
        reading["columns"] = names if "" in by_input else by_input
    return reading


def _preprocessing(options):
    said = {key: value for key in ("layout", "colour", "resample") if (value := getattr(options, key))}
    if options.preparation:
        said["preset"] = options.preparation
    if options.pad is not None:
        said["pad"] = options.pad
    return said | {key: _numbers(key, text) for key in _NUMBERS if (text := getattr(options, key)) is not None}


def _numbers(key, text):
    """The numbers of an option: as many as there are, or two sides, or of `resize` and `crop` one number."""
    separator, kind, form = _NUMBERS[key]
    try:
        numbers = [kind(part) for part in text.lower().split(separator)]
    except ValueError:
        raise ModelError(f"--{key}: expected numbers as {form}, got {text!r}. Correct it.") from None
    if kind is float or len(numbers) == 2:
        return numbers
    if len(numbers) == 1 and key != "size":
        return numbers[0]
    raise ModelError(f"--{key}: expected {form}, got {text!r}. Give both.")
