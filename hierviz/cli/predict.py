"""`hierviz predict`: inspect an ONNX model, run it, write its predictions."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from hierviz.cli.output import progress, require_no_input, require_unread, write_json, write_text
from hierviz.messages.errors import HiervizError, ModelError
from hierviz.messages.number_text import percent_text
from hierviz.onnx.class_order import check_class_order, near_chance
from hierviz.onnx.input_check import check_inputs
from hierviz.onnx.inputs.model_inputs import MOST_NAMED, load_inputs, without_unreadable
from hierviz.onnx.scores.score_kind import KINDS
from hierviz.opening.files import OPTIONS, PROJECTION, files_of
from hierviz.opening.flags import Option, add_flags
from hierviz.opening.loading import mapping_of, taxonomy_of, truth_of
from hierviz.opening.model_settings import model_options, reading_options
from hierviz.opening.options import TAXONOMY, add_model_options, flag, options_of, run_options, with_flags
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.projection.projected import NodeColumns
from hierviz.readers.outside import TRUTHS, OutsideNames
from hierviz.taxonomy.taxonomy import NodeLists

_MOST_ROWS = 4
_DESCRIPTION = """\
Run an ONNX model and write its probabilities, for the app and `hierviz evaluate`.
If information about the model is missing, the error names the flag that gives it.
--inspect shows what is known and what is missing."""


def add_predict(command):
    """Add the options of `predict`."""
    command.description, command.epilog = _DESCRIPTION, _epilog()
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    names = ("model", "taxonomy", "inputs", "classes", "parametrisation", "media")
    names += ("truth", "truth_column", "outside_truth", "mapping")
    missing = "the model knows only some of the classes: the others get probability 0"
    known = "the same, but only the known classes and their ancestors are written"
    options = [
        *options_of((*names, *TAXONOMY, "nodes"), required=("model", "taxonomy")),
        replace(OPTIONS["missing"], usage="--missing zero", help=missing),
        replace(PROJECTION["only_known"], help=known),
        Option("--out P.parquet", "Parquet or CSV of probabilities"),
        Option("--inspect", "print what is known about the model and what is missing, without running it"),
        Option("--json FILE|-", "with --inspect: the same as JSON (- is standard output)"),
    ]
    add_flags(command, options)
    add_model_options(command)
    return []


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
    from hierviz.onnx.model import draft_model
    from hierviz.readers.predictions_writer import check_target, write_predictions
    from hierviz.readers.truth_file import load_truth

    require_no_input(options, options.out, options.json)
    files = replace(files_of(options), given=model_options(options))
    taxonomy = taxonomy_of(files)
    given = files.source_keywords | ({} if files.missing is None else {"missing": files.missing})
    if options.inspect:
        _inspect(draft_model(options.model, taxonomy, **given), options.json)
        return
    for needed, value in (("--inputs", options.inputs), ("--out", options.out)):
        if not value:
            raise ModelError(
                f"predict: expected {needed}, got nothing. Name it, or use --inspect to check the model only."
            )
    if options.json:
        raise ModelError("--json: expected --inspect with it, got none. The predictions go where --out says.")
    check_target(options.out)
    # A mistake in the truth, its ids included, shows before the model runs for an hour.
    model = draft_model(options.model, taxonomy, **given)
    numbers = options.classes or model.class_numbers
    unknown = OutsideNames(taxonomy, TRUTHS, files.outside_truth, mapping_of(files, taxonomy))
    truth = load_truth(options.truth, taxonomy, options.truth_column, numbers, unknown) if options.truth else None
    is_nameless = any(question.about == "classes" for question in model.questions)
    if truth is None or not is_nameless:
        model.require_answers()
    inputs = load_inputs(options.inputs, model, **reading_options(options))
    known = None if truth is None else truth_of(inputs, Path(options.inputs).name, truth)
    if is_nameless:
        _show_orders(model, inputs, known)
    model.require_answers()
    unreadable, n = {}, len(inputs)
    predictions = model.predict(inputs, progress=progress(model.name), unreadable=unreadable, **run_options(options))
    names = () if inputs.pictures is None else inputs.pictures.names
    inputs, kept = without_unreadable(inputs, unreadable)
    known = None if known is None else known.take(kept)
    written = model.known.judged(predictions)
    detected = {**predictions.detected, "inputs": str(options.inputs), "sha256 of inputs": inputs.sha256()}
    require_unread(options.out)
    write_predictions(written.replace(detected=detected), options.out)
    for note in (*written.notes, *(() if truth is None else unknown.notes(truth.where))):
        print(f"note: {with_flags(note)}", file=sys.stderr)
    if len(unreadable) > MOST_NAMED:
        for row in sorted(unreadable):
            print(f"left out: {names[row]}: {with_flags(unreadable[row])}", file=sys.stderr)
    if known is not None:
        _check_predictions(model, inputs, predictions, known)
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
        write_json(target, model.account | {"questions": questions})
    else:
        write_text("-", "".join(f"{line}\n" for line in account_lines(model.account, flag)))


def _check_predictions(model, inputs, predictions, truth):
    """Print both checks of predictions to standard error, and a warning where one finds something.

    Parameters
    ----------
    model : Model
    inputs : ModelInputs
    predictions : Predictions
        Of `model` for `inputs`.
    truth : ndarray of int, shape (n_samples,), or NodeLists
    """
    taxonomy = model.known.taxonomy
    # Of a model that knows some of the classes, what it gave for these.
    scored = predictions.scores.source if isinstance(predictions.scores, NodeColumns) else predictions
    key, known = scored.parametrisation, model.known.truth(truth)
    # Columns that were summed are in no order any more.
    orders = []
    if not model.known.is_shared:
        orders, warning = check_class_order(taxonomy, known, scored.scores, scored.scored_nodes, parametrisation=key)
        _print_table("order of the classes", orders, "order", "is_chosen")
        _print_warning(warning)
    ways, warning = check_inputs(model, inputs, truth)
    _print_table("preprocessing of the pictures", ways, "variant", "is_declared", len(ways))
    _print_warning(warning)
    if isinstance(truth, NodeLists) or model.known.is_shared:
        return
    leaves = np.where((known >= 0) & taxonomy.is_leaf[known], known, -1)
    orders, _ = check_class_order(taxonomy, leaves, scored.scores, scored.scored_nodes, parametrisation=key)
    chosen = next((row for row in orders if row["is_chosen"]), None)
    if chosen is not None:
        _print_warning(near_chance(chosen["n_right"], chosen["n"], taxonomy.n_leaves))


def _show_orders(model, inputs, truth):
    """Print the accuracy by order of the classes for a model whose columns have no class names, to standard output.

    What is missing is said after it, as the one line on standard error.

    Parameters
    ----------
    model : Model
        With the question about its classes open.
    inputs, truth
        As in `_check_predictions`.
    """
    unreadable = {}
    try:
        scores = model.raw_scores(inputs, unreadable=unreadable)
        _, kept = without_unreadable(inputs, unreadable)
    except HiervizError:
        return  # what is missing is reported in any case
    table, _ = check_class_order(model.taxonomy, truth.take(kept), np.asarray(scores)[kept], None)
    _print_table("accuracy by order of the classes", table, "order", "is_chosen", file=sys.stdout)


def _print_table(title, table, key, chosen, most=_MOST_ROWS, file=None):
    if not table:
        return
    print(f"{title} ({table[0]['n']} samples with known truth, top-1 accuracy):", file=file or sys.stderr)
    shown = table[:most] + [row for row in table[most:] if row[chosen]]
    for row in shown:
        tops = row.get("top_level_wrong")
        more = "" if tops is None else f", {percent_text(tops, 1)} wrong at the top level"
        print(
            f"  {percent_text(row['accuracy'], 1):>7}  {row[key]}{' (used)' if row[chosen] else ''}{more}",
            file=file or sys.stderr,
        )


def _print_warning(text):
    if text is not None:
        print(f"warning: {with_flags(text)}.", file=sys.stderr)
