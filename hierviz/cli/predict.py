"""`hierviz predict`: look at an ONNX model, run it, write what it says."""

from __future__ import annotations

import json
import re
import sys

from hierviz.cli.output import progress, write_text
from hierviz.errors import ModelError
from hierviz.onnx.score_kind import KINDS
from hierviz.parametrisation import PARAMETRISATIONS

_LISTS = {"range": "LOW,HIGH", "mean": "A[,B,C]", "std": "A[,B,C]"}


def add_predict(commands):
    """Add the command `predict`."""
    command = commands.add_parser("predict", help="run an ONNX model and write its probabilities")
    # argparse takes "-1,1" for an option, unless it looks like a negative number.
    command._negative_number_matcher = re.compile(r"^-\d[\d.,eE+-]*$|^-\.\d[\d.,eE+-]*$")
    command.add_argument("--model", required=True, metavar="M.onnx")
    command.add_argument("--taxonomy", required=True, metavar="T")
    command.add_argument(
        "--inputs",
        metavar="I",
        help="pictures (folder or zip), a table (CSV, TSV, Parquet), texts (.txt), .npy or .npz",
    )
    command.add_argument(
        "--classes", metavar="F", help="node of each output column: one per line, or a CSV with such a column"
    )
    command.add_argument("--parametrisation", metavar="KEY", help=f"one of {', '.join(PARAMETRISATIONS)}")
    command.add_argument(
        "--scores", metavar="KIND", help=f"what the scores are, when the numbers do not tell: {', '.join(KINDS)}"
    )
    command.add_argument(
        "--output", metavar="NAME", action="append", help="output that holds the scores; once per head, in class order"
    )
    command.add_argument("--truth", metavar="F", help="only to check the order of the classes and the preprocessing")
    command.add_argument("--truth-column", metavar="C", help="column of the truth")
    command.add_argument("--media", metavar="DIR|ZIP", help="pictures that a table of inputs names")
    command.add_argument("--text-column", metavar="C", help="column of a table that holds the texts")
    command.add_argument("--columns", metavar="C1,C2", help="columns of a table that make up the only input, in order")
    shape = command.add_argument_group("how pictures are prepared (overrules what the model says)")
    shape.add_argument("--layout", metavar="NHWC|NCHW", help="which axis holds the colours")
    shape.add_argument("--size", metavar="HxW", help="height and width in pixels")
    shape.add_argument("--colour", metavar="RGB|BGR|GREY", help="order of the colours")
    shape.add_argument("--range", metavar=_LISTS["range"], help="what 0 and 255 become, such as 0,1 or -1,1")
    shape.add_argument("--mean", metavar=_LISTS["mean"], help="subtracted, in units of the range")
    shape.add_argument("--std", metavar=_LISTS["std"], help="divided by, in units of the range")
    limits = command.add_argument_group("limits of the process that runs the model")
    limits.add_argument(
        "--cpu-seconds", type=float, metavar="X", help="processor time for loading, and for each batch (60)"
    )
    limits.add_argument("--memory-mb", type=int, metavar="N", help="memory (2048 and four times the model's size)")
    limits.add_argument("--batch", type=int, default=64, metavar="N", help="rows at a time (64)")
    command.add_argument("--out", metavar="P.parquet", help="Parquet or CSV of probabilities")
    command.add_argument(
        "--inspect", action="store_true", help="only print what is known about the model, and what is not"
    )
    command.add_argument("--json", metavar="FILE|-", help="with --inspect: the same as JSON (- is standard output)")
    command.set_defaults(run=run_predict)


def run_predict(options):
    """`hierviz predict`."""
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
    check_target(options.out)
    reading = {key: value for key in ("media", "text_column") if (value := getattr(options, key))}
    if options.columns:
        reading["columns"] = [name.strip() for name in options.columns.split(",")]
    if options.truth:
        load_truth(
            options.truth, taxonomy, options.truth_column
        )  # a mistake in it shows before the model runs for an hour
    model = draft_model(options.model, taxonomy, **given)
    if options.truth and any(one.about == "classes" for one in model.questions):
        from hierviz.cli.predict_checks import show_orders

        show_orders(model, load_inputs(options.inputs, model, **reading), options.truth, options.truth_column)
    model.require_answers()
    inputs = load_inputs(options.inputs, model, **reading)
    predictions = model.predict(inputs, batch_size=options.batch, progress=progress(model.name))
    detected = {**predictions.detected, "inputs": str(options.inputs), "sha256 of inputs": inputs.sha256()}
    write_predictions(predictions.replace(detected=detected), options.out)
    for note in predictions.notes:
        print(f"note: {note}", file=sys.stderr)
    if options.truth:
        from hierviz.cli.predict_checks import check_predictions

        check_predictions(model, inputs, predictions, options.truth, options.truth_column)
    print(f"wrote {predictions.n_samples} rows to {options.out}", file=sys.stderr)


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
    return said or None


def _numbers(flag, text, separator, kind, form):
    try:
        return [kind(part) for part in text.split(separator)]
    except ValueError:
        raise ModelError(f"{flag}: expected numbers as {form}, got {text!r}. Write them without blanks.") from None


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
