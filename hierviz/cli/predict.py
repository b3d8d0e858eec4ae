"""`hierviz predict`: inspect an ONNX model, run it, write its predictions."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from hierviz.cli.model_flags import add_model_flags, model_options, reading_options
from hierviz.cli.output import progress, require_no_input, require_unread, write_text
from hierviz.cli.parameter_flags import flag, with_flags
from hierviz.cli.taxonomy_flags import add_taxonomy_flags, taxonomy_options
from hierviz.messages.errors import ModelError
from hierviz.onnx.scores.score_kind import KINDS
from hierviz.predictions.parametrisation import PARAMETRISATIONS

_DESCRIPTION = """\
Run an ONNX model and write its probabilities, for the app and `hierviz evaluate`.
If information about the model is missing, the error names the flag that gives it.
--inspect shows what is known and what is missing."""


def add_predict(commands):
    """Add the command `predict`."""
    command = commands.add_parser(
        "predict",
        help="run an ONNX model and write its probabilities",
        description=_DESCRIPTION,
        epilog=_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_flags(command, required=True)
    add_taxonomy_flags(command)
    command.add_argument(
        "--nodes", metavar="F", help="names of the nodes, by which classes are found too: node, name, ..."
    )
    command.add_argument(
        "--missing", metavar="zero", help="the model knows some of the classes only: the others have probability 0"
    )
    command.add_argument(
        "--only-known", action="store_true", help="the same, but only the known classes and their ancestors are written"
    )
    command.add_argument("--out", metavar="P.parquet", help="Parquet or CSV of probabilities")
    command.add_argument(
        "--inspect",
        action="store_true",
        help="print what is known about the model and what is missing, without running it",
    )
    command.add_argument("--json", metavar="FILE|-", help="with --inspect: the same as JSON (- is standard output)")
    command.set_defaults(run=run_predict, predictions=None)


def _epilog():
    """What the values of --scores and --parametrisation mean."""
    lines = [
        "kinds of --scores:",
        *(f"  {key:19} {means}" for key, means in KINDS.items()),
        "",
        "keys of --parametrisation:",
    ]
    lines += [f"  {key:19} {parametrisation.sentence}" for key, parametrisation in PARAMETRISATIONS.items()]
    return "\n".join(lines)


def run_predict(options):
    """`hierviz predict`."""
    from hierviz.cli.predict_checks import check_predictions, show_orders, truth_of
    from hierviz.onnx.inputs.model_inputs import MOST_NAMED, load_inputs, without_unreadable
    from hierviz.onnx.model import draft_model
    from hierviz.readers.node_attributes import load_node_attributes
    from hierviz.readers.predictions_writer import check_target, write_predictions
    from hierviz.readers.taxonomy_file import load_taxonomy
    from hierviz.readers.truth_file import load_truth

    require_no_input(options, options.out, options.json)
    taxonomy = load_taxonomy(options.taxonomy, **taxonomy_options(options))
    if options.nodes:
        taxonomy = load_node_attributes(options.nodes, taxonomy)
    given = model_options(options)
    if options.inspect:
        _inspect(draft_model(options.model, taxonomy, **given), options.json)
        return
    for needed, value in (("--inputs", options.inputs), ("--out", options.out)):
        if not value:
            raise ModelError(
                f"predict: expected {needed}, got nothing. Name it, or use --inspect to only look at the model."
            )
    if options.json:
        raise ModelError("--json: expected --inspect beside it, got none. The predictions go where --out says.")
    check_target(options.out)
    # A mistake in the truth, its ids included, shows before the model runs for an hour.
    model = draft_model(options.model, taxonomy, **given)
    numbers = options.classes or model.class_numbers
    truth = load_truth(options.truth, taxonomy, options.truth_column, numbers) if options.truth else None
    is_nameless = any(question.about == "classes" for question in model.questions)
    if truth is None or not is_nameless:
        model.require_answers()
    inputs = load_inputs(options.inputs, model, **reading_options(options))
    known = None if truth is None else truth_of(inputs, Path(options.inputs).name, truth)
    if is_nameless:
        show_orders(model, inputs, known)
    model.require_answers()
    unreadable, n = {}, len(inputs)
    predictions = model.predict(
        inputs,
        batch_size=options.batch,
        progress=progress(model.name),
        strict=options.strict,
        unreadable=unreadable,
    )
    names = () if inputs.pictures is None else inputs.pictures.names
    inputs, kept = without_unreadable(inputs, unreadable)
    known = None if known is None else known.take(kept)
    written = model.known.judged(predictions)
    detected = {**predictions.detected, "inputs": str(options.inputs), "sha256 of inputs": inputs.sha256()}
    require_unread(options.out)
    write_predictions(written.replace(detected=detected), options.out)
    for note in written.notes:
        print(f"note: {with_flags(note)}", file=sys.stderr)
    if len(unreadable) > MOST_NAMED:
        for row in sorted(unreadable):
            print(f"left out: {names[row]}: {with_flags(unreadable[row])}", file=sys.stderr)
    if known is not None:
        check_predictions(model, inputs, predictions, known)
    rows = f"wrote {predictions.n_samples} row{'s' * (predictions.n_samples > 1)} to {options.out}"
    left_out = f"; {len(unreadable)} of {n} pictures left out" if unreadable else ""
    print(f"{rows}{left_out}", file=sys.stderr)


def _inspect(model, target):
    """Print the account; ModelError when no class of the model is in the taxonomy."""
    from hierviz.onnx.account import account_lines

    columns = model.account["columns"]
    if columns and not any(column["node"] for column in columns):
        # Another taxonomy than the model's: the rest of the account would mislead.
        model.require_answers()
    if target:
        questions = [
            question | {"flags": [flag(key) for key in question["keywords"]]} for question in model.account["questions"]
        ]
        account = with_flags(model.account | {"questions": questions})
        write_text(target, json.dumps(account, indent=1, ensure_ascii=False) + "\n")
    else:
        write_text("-", "".join(f"{line}\n" for line in account_lines(model.account, flag)))
