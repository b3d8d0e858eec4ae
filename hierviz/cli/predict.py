"""`hierviz predict`: look at an ONNX model, run it, write what it says."""

from __future__ import annotations

import sys

from hierviz.cli.output import progress, write_text
from hierviz.errors import ModelError
from hierviz.parametrisation import PARAMETRISATIONS


def add_predict(commands):
    """Add the command `predict`."""
    command = commands.add_parser("predict", help="run an ONNX model and write its probabilities")
    command.add_argument("--model", required=True, metavar="M.onnx")
    command.add_argument("--taxonomy", required=True, metavar="T")
    command.add_argument("--inputs", metavar="I", help="folder or zip of pictures, .npy or .npz")
    command.add_argument(
        "--classes", metavar="F", help="node of each output column: one per line, or a CSV with such a column"
    )
    command.add_argument("--parametrisation", metavar="KEY", help=f"one of {', '.join(PARAMETRISATIONS)}")
    command.add_argument("--out", metavar="P.parquet", help="Parquet or CSV of probabilities")
    command.add_argument("--inspect", action="store_true", help="only print what the model file says")
    command.set_defaults(run=run_predict)


def run_predict(options):
    """`hierviz predict`."""
    from hierviz.onnx import load_inputs, load_model
    from hierviz.readers import load_taxonomy, write_predictions
    from hierviz.readers.predictions_writer import check_target

    taxonomy = load_taxonomy(options.taxonomy)
    model = load_model(options.model, taxonomy, classes=options.classes, parametrisation=options.parametrisation)
    if options.inspect:
        write_text("-", "".join(f"{key}: {value}\n" for key, value in model.account.items()))
        return
    for flag, value in (("--inputs", options.inputs), ("--out", options.out)):
        if not value:
            raise ModelError(
                f"predict: expected {flag}, got nothing. Name it, or use --inspect to only look at the model."
            )
    check_target(options.out)
    inputs = load_inputs(options.inputs, model)
    predictions = model.predict(inputs, progress=progress(model.name))
    write_predictions(predictions, options.out)
    print(f"wrote {predictions.n_samples} rows to {options.out}", file=sys.stderr)
