"""`hierviz predict`: look at an ONNX model, run it, write what it says."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from hierviz.cli.output import progress, write_text
from hierviz.errors import ModelError
from hierviz.onnx.score_kind import KINDS
from hierviz.parametrisation import PARAMETRISATIONS

_LISTS = {"range": "LOW,HIGH", "mean": "A[,B,C]", "std": "A[,B,C]"}
_DESCRIPTION = """\
Run an ONNX model and write the probabilities it gives, for the app and `hierviz evaluate`.
What the model does not say about itself is asked: the error names the flag that answers.
--inspect shows what is known and what is still to be said."""


def add_predict(commands):
    """Add the command `predict`."""
    command = commands.add_parser(
        "predict",
        help="run an ONNX model and write its probabilities",
        description=_DESCRIPTION,
        epilog=_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # argparse takes "-1,1" for an option, unless it looks like a negative number.
    command._negative_number_matcher = re.compile(r"^-\d[\d.,eE+-]*$|^-\.\d[\d.,eE+-]*$")
    command.add_argument("--model", required=True, metavar="M.onnx", help="weight files stand beside it")
    command.add_argument("--taxonomy", required=True, metavar="T", help="the tree or graph of classes")
    command.add_argument(
        "--inputs",
        metavar="I",
        help="pictures (folder, zip), a table (CSV, TSV, Parquet), texts (.txt), an array (.npy), or one per input (.npz)",
    )
    command.add_argument(
        "--classes",
        metavar="F",
        help="class name of each output column, in order: one per line, a column of a CSV, or JSON",
    )
    command.add_argument(
        "--scores", metavar="KIND", help="what the scores are, when their numbers do not tell; see below"
    )
    command.add_argument(
        "--parametrisation", metavar="KEY", help="how raw scores become probabilities of nodes; see below"
    )
    command.add_argument(
        "--output",
        metavar="NAME",
        action="append",
        help="output that holds the scores; repeat it for one head per depth, in the order of the class names",
    )
    command.add_argument(
        "--truth",
        metavar="F",
        help="also check the order of the classes and how pictures are prepared, with this truth",
    )
    command.add_argument("--truth-column", metavar="C", help="its column of the truth")
    command.add_argument("--media", metavar="DIR|ZIP", help="pictures that a table names in its column image or file")
    command.add_argument("--text-column", metavar="C", help="column of a table that holds the texts")
    command.add_argument(
        "--columns",
        metavar="C1,C2",
        help="columns of a table that make up the only input, in order, or INPUT=COLUMN,... (without: by name)",
    )
    shape = command.add_argument_group("how pictures are prepared (overrules what the model says)")
    shape.add_argument("--layout", metavar="NHWC|NCHW", help="which axis holds the colours")
    shape.add_argument("--size", metavar="HxW", help="height and width in pixels")
    shape.add_argument("--colour", "--color", metavar="RGB|BGR|GREY", help="order of the colours")
    shape.add_argument("--range", metavar=_LISTS["range"], help="what 0 and 255 become, such as 0,1 or -1,1")
    shape.add_argument("--mean", metavar=_LISTS["mean"], help="subtracted, in units of the range")
    shape.add_argument("--std", metavar=_LISTS["std"], help="divided by, in units of the range")
    limits = command.add_argument_group("limits of the process that runs the model")
    limits.add_argument(
        "--cpu-seconds", type=float, metavar="X", help="processor time for loading, and for each batch (60)"
    )
    limits.add_argument("--memory-mb", type=int, metavar="N", help="memory (2048, and four times the model's size)")
    limits.add_argument("--batch", type=int, default=64, metavar="N", help="rows at a time (64)")
    command.add_argument("--out", metavar="P.parquet", help="Parquet or CSV of probabilities")
    command.add_argument(
        "--inspect", action="store_true", help="only print what is known about the model, and what is not"
    )
    command.add_argument("--json", metavar="FILE|-", help="with --inspect: the same as JSON (- is standard output)")
    command.set_defaults(run=run_predict)


def _epilog():
    """What the values of --scores and --parametrisation mean."""
    lines = [
        "kinds of --scores:",
        *(f"  {key:19} {means}" for key, means in KINDS.items()),
        "",
        "keys of --parametrisation:",
    ]
    lines += [f"  {key:19} {one.sentence}" for key, one in PARAMETRISATIONS.items()]
    return "\n".join(lines)


def run_predict(options):
    """`hierviz predict`."""
    from hierviz.cli.predict_checks import check_predictions, show_orders, truth_of
    from hierviz.onnx import draft_model, load_inputs
    from hierviz.readers import load_taxonomy, load_truth, write_predictions
    from hierviz.readers.predictions_writer import check_target

    taxonomy = load_taxonomy(options.taxonomy)
    given = _model_options(options)
    if options.inspect:
        _inspect(draft_model(options.model, taxonomy, **given), options.json)
        return
    for flag, value in (("--inputs", options.inputs), ("--out", options.out)):
        if not value:
            raise ModelError(
                f"predict: expected {flag}, got nothing. Name it, or use --inspect to only look at the model."
            )
    if options.json:
        raise ModelError("--json: expected --inspect beside it, got none. The predictions go where --out says.")
    check_target(options.out)
    # A mistake in the truth, its ids included, shows before the model runs for an hour.
    truth = load_truth(options.truth, taxonomy, options.truth_column) if options.truth else None
    model = draft_model(options.model, taxonomy, **given)
    is_nameless = any(one.about == "classes" for one in model.questions)
    if truth is None or not is_nameless:
        model.require_answers()
    inputs = load_inputs(options.inputs, model, **_reading(options))
    known = None if truth is None else truth_of(inputs, Path(options.inputs).name, truth)
    if is_nameless:
        show_orders(model, inputs, known)
    model.require_answers()
    predictions = model.predict(inputs, batch_size=options.batch, progress=progress(model.name))
    detected = {**predictions.detected, "inputs": str(options.inputs), "sha256 of inputs": inputs.sha256()}
    write_predictions(predictions.replace(detected=detected), options.out)
    for note in predictions.notes:
        print(f"note: {note}", file=sys.stderr)
    if known is not None:
        check_predictions(model, inputs, predictions, known)
    print(f"wrote {predictions.n_samples} row{'s' * (predictions.n_samples > 1)} to {options.out}", file=sys.stderr)


def _reading(options):
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


def _model_options(options):
    """Keywords of `load_model` out of the flags."""
    from hierviz.onnx.limits import Limits

    limits = {key: getattr(options, key) for key in ("cpu_seconds", "memory_mb") if getattr(options, key) is not None}
    return {
        "classes": options.classes,
        "parametrisation": options.parametrisation,
        "scores": options.scores,
        "outputs": options.output,
        "preprocessing": _preprocessing(options),
        "limits": Limits(**limits) if limits else None,
    }


def _preprocessing(options):
    said = {key: value for key in ("layout", "colour") if (value := getattr(options, key))}
    for key, form in _LISTS.items():
        if (text := getattr(options, key)) is not None:
            said[key] = _numbers(f"--{key}", text, ",", float, form)
    if options.size is not None:
        said["size"] = _numbers("--size", options.size.lower(), "x", int, "HxW")
        if len(said["size"]) != 2:
            raise ModelError(f"--size: expected HxW in pixels, such as 224x224, got {options.size!r}. Name both.")
    return said or None


def _numbers(flag, text, separator, kind, form):
    try:
        return [kind(part) for part in text.split(separator)]
    except ValueError:
        raise ModelError(f"{flag}: expected numbers as {form}, got {text!r}. Correct it.") from None


def _inspect(model, target):
    """Print the account; ModelError when no class of the model is in the taxonomy."""
    from hierviz.onnx.account import account_lines

    columns = model.account["columns"]
    if columns and not any(one["node"] for one in columns):
        # Another taxonomy than the model's: the rest of the account would mislead.
        model.require_answers()
    if target:
        write_text(target, json.dumps(model.account, indent=1, ensure_ascii=False) + "\n")
    else:
        write_text("-", "".join(f"{line}\n" for line in account_lines(model.account)))
