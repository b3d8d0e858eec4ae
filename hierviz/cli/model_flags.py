"""The flags that say which ONNX model is run on what, and how: the same for `hierviz predict` and `hierviz app`."""

from __future__ import annotations

import re

from hierviz.messages.errors import ModelError

_LISTS = {"range": "LOW,HIGH", "mean": "A[,B,C]", "std": "A[,B,C]"}


def add_model_flags(command, *, required):
    """Add the flags to a parser.

    Parameters
    ----------
    command : argparse.ArgumentParser
    required : bool
        One model and a taxonomy must be named; else there may be none, or several models.

    Returns
    -------
    list of argparse.Action
        In the order of the help.
    """
    # argparse takes "-1,1" for an option, unless it looks like a negative number.
    command._negative_number_matcher = re.compile(r"^-\d[\d.,eE+-]*$|^-\.\d[\d.,eE+-]*$")
    several = {"required": True} if required else {"action": "append", "default": []}
    # The app reads several prediction files, each in its own way.
    named, by_file, of_one = (
        ("", {}, "") if required else ("[NAME=]", {"action": "append"}, "; NAME= for one prediction file")
    )
    actions = [
        command.add_argument(
            "--model", metavar="M.onnx", help="ONNX model; files of its weights lie beside it", **several
        ),
        command.add_argument("--taxonomy", required=required, metavar="T", help="the tree or DAG of classes"),
        command.add_argument(
            "--inputs",
            metavar="I",
            help="pictures (folder, zip), a table (CSV, TSV, Parquet), texts (.txt), an array (.npy), or one per input (.npz)",
        ),
        command.add_argument(
            "--classes",
            metavar=f"{named}F",
            help="class name of each output column: one per line in order, a table with an index or in order, or JSON"
            + of_one,
            **by_file,
        ),
        command.add_argument(
            "--scores",
            metavar="KIND",
            help="what the scores are, where their values are ambiguous; see the end of `hierviz predict --help`",
        ),
        command.add_argument(
            "--parametrisation",
            metavar=f"{named}KEY",
            help="how scores become probabilities of nodes; see the end of `hierviz predict --help`" + of_one,
            **by_file,
        ),
        command.add_argument(
            "--output",
            metavar="NAME",
            action="append",
            help="output that holds the scores; repeat it for one head per depth, in the order of the class names",
        ),
        command.add_argument(
            "--truth",
            metavar="F",
            help="file of the truth; with it the order of the classes and the preprocessing of pictures are checked",
        ),
        command.add_argument("--truth-column", metavar="C", help="column of the truth in that file"),
        command.add_argument(
            "--media", metavar="DIR|ZIP", help="pictures that a table names in its column image or file"
        ),
        command.add_argument("--text-column", metavar="C", help="column of a table that holds the texts"),
        command.add_argument(
            "--columns",
            metavar="C1,C2",
            help="columns of a table that make up the only input, in order, or INPUT=COLUMN,... (default: by name)",
        ),
        command.add_argument(
            "--ignore",
            metavar="NAME",
            action="append",
            default=[],
            help="column that belongs to no class of the taxonomy, such as other; repeat it for several",
        ),
        command.add_argument(
            "--sum-repeated", action="store_true", help="sum the columns of a class that has several (default: refuse)"
        ),
        command.add_argument(
            "--strict",
            action="store_true",
            help="stop at a picture that cannot be read (default: leave it out and name it)",
        ),
    ]
    shape = command.add_argument_group("preprocessing of pictures (overrides what the model declares)")
    actions += [
        shape.add_argument(
            "--layout", metavar="NHWC|NCHW", help="order of the axes; C is the axis of the colour channels"
        ),
        shape.add_argument("--size", metavar="HxW", help="height and width in pixels that the model is fed"),
        shape.add_argument(
            "--resize",
            metavar="SHORT|HxW",
            help="pixels of the shorter side, or height and width, before the middle is cut out (default: stretch to --size)",
        ),
        shape.add_argument(
            "--crop", metavar="SIDE|HxW", help="side of the middle, or its height and width (default: --size)"
        ),
        shape.add_argument(
            "--resample",
            metavar="METHOD",
            help="bilinear (default), bicubic, lanczos, nearest, box or hamming",
        ),
        shape.add_argument(
            "--pad",
            nargs="?",
            const=0,
            type=int,
            metavar="GREY",
            help="keep the whole picture and its proportions, with borders of this grey level, 0 to 255 (default: 0)",
        ),
        shape.add_argument("--colour", "--color", metavar="RGB|BGR|GREY", help="order of the colour channels"),
        shape.add_argument(
            "--range", metavar=_LISTS["range"], help="values that 0 and 255 are mapped to, such as 0,1 or -1,1"
        ),
        shape.add_argument("--mean", metavar=_LISTS["mean"], help="mean to subtract, in units of the range"),
        shape.add_argument(
            "--std", metavar=_LISTS["std"], help="standard deviation to divide by, in units of the range"
        ),
    ]
    limits = command.add_argument_group("limits of the process that runs the model")
    return [
        *actions,
        limits.add_argument(
            "--cpu-seconds",
            type=float,
            metavar="X",
            help="processor time for loading, and for each batch (default: 60)",
        ),
        limits.add_argument(
            "--memory-mb", type=int, metavar="N", help="memory (default: 2048, plus four times the model's size)"
        ),
        limits.add_argument(
            "--batch",
            type=int,
            default=64,
            metavar="N",
            help="rows per batch (default: 64); fewer where memory does not suffice",
        ),
    ]


def model_options(options):
    """Keywords of `load_model` out of the flags; ModelError where one is no number."""
    from hierviz.onnx.process.limits import Limits

    limits = {key: getattr(options, key) for key in ("cpu_seconds", "memory_mb") if getattr(options, key) is not None}
    return {
        "classes": options.classes,
        "parametrisation": options.parametrisation,
        "scores": options.scores,
        "outputs": options.output,
        "preprocessing": _preprocessing(options),
        "limits": Limits(**limits) if limits else None,
        # Of predictions, --missing may be `unknown` too.
        "missing": None if options.missing == "unknown" and options.predictions else options.missing,
        "only_known": options.only_known or getattr(options, "unseen", None) is not None,
        "ignore": tuple(options.ignore),
        "sum_repeated": options.sum_repeated,
    }


def reading_options(options):
    """Keywords of `load_inputs` out of the flags."""
    reading = {key: value for key in ("media", "text_column") if (value := getattr(options, key))}
    if options.columns:
        names = [name.strip() for name in options.columns.split(",")]
        pairs = [name.partition("=")[::2] for name in names]
        reading["columns"] = names if not all(column for _, column in pairs) else _by_input(pairs)
    return reading


def _by_input(pairs):
    columns = {}
    for name, column in pairs:
        columns.setdefault(name.strip(), []).append(column.strip())
    return columns


def _preprocessing(options):
    said = {key: value for key in ("layout", "colour", "resample") if (value := getattr(options, key))}
    if options.pad is not None:
        said["pad"] = options.pad
    for key, form in _LISTS.items():
        if (text := getattr(options, key)) is not None:
            said[key] = _numbers(f"--{key}", text, ",", float, form)
    for key in ("size", "crop", "resize"):
        if (text := getattr(options, key)) is not None:
            said[key] = _pixels(key, text)
    return said or None


def _pixels(key, text):
    """[height, width], or of `resize` and `crop` one number."""
    forms = {"resize": "pixels of the shorter side, or HxW", "crop": "the side of a square in pixels, or HxW"}
    form = forms.get(key, "HxW in pixels, such as 224x224")
    sides = _numbers(f"--{key}", text.lower(), "x", int, form)
    if len(sides) == 1 and key in forms:
        return sides[0]
    if len(sides) != 2:
        raise ModelError(f"--{key}: expected {form}, got {text!r}. Name both.")
    return sides


def _numbers(flag, text, separator, kind, form):
    try:
        return [kind(part) for part in text.split(separator)]
    except ValueError:
        raise ModelError(f"{flag}: expected numbers as {form}, got {text!r}. Correct it.") from None
