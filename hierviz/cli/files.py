"""The commands about files themselves: `hierviz doctor`, which finds and fixes all faults of them, and `hierviz taxonomy`, which
prints the tree with values of its nodes or writes another form of it.
"""

from __future__ import annotations

import argparse
import os
import textwrap

from hierviz.cli.judging import ONE_RULE, OUT, input_options, judged_one
from hierviz.cli.output import require_places, write_json, write_text
from hierviz.diagnosis._node_table import NODE_COLUMNS, node_table, number_text_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import FileError, near_miss
from hierviz.messages.parameters import said
from hierviz.opening.files import files_of
from hierviz.opening.flags import Option
from hierviz.opening.loading import examined, taxonomy_of
from hierviz.opening.options import READING, TAXONOMY, flag, options_of
from hierviz.readers.taxonomy_writer import FORMS, taxonomy_text, tree_text

_WIDTH = 120


def add_doctor(command):
    """The options of `doctor`."""
    command.description = (
        "Find all faults of taxonomy, class list, predictions and truth (docs/doctor.md), and fix those whose meaning is "
        "certain. Exits with 2 when there is an error."
    )
    names = ("predictions", "predictions_form", "truth", "truth_column", "classes", "nodes", "parametrisation")
    # What lies outside the taxonomy is a finding.
    names = (*names, *(name for name in READING if name not in ("outside", "outside_truth", "mapping")))
    files = options_of(("taxonomy", *TAXONOMY, *names), required=("taxonomy",))
    json_file = Option("--json FILE|-", "file for the findings as JSON (- is standard output)")
    return [*files, json_file, Option("--fix FOLDER", "folder for the fixed files, which keep their names")]


def run_doctor(options):
    """`hierviz doctor`; returns 2 when there is an error among the findings."""
    if options.json is not None:
        require_places(options, options.json)
    if options.fix is not None and os.path.isfile(options.fix):
        raise FileError(f"{options.fix}: expected a folder for the fixed files, got a file. Name a folder.")
    found = examined(files_of(options))
    written = found.write_mended(options.fix) if options.fix is not None else []
    if options.json != "-":
        write_text("-", _text(found, written, options.fix))
    if options.json is not None:
        write_json(options.json, found.to_dict())
    return 2 if found.counts["error"] else 0


def _text(found, written, folder):
    """The findings for people."""
    lines = []
    for one in found:
        words = f"{one.severity:<8} {one.where}: {said(one.message, flag)}"
        lines += textwrap.wrap(words, _WIDTH, subsequent_indent=" " * 9, break_on_hyphens=False, break_long_words=False)
        if one.fix is not None:
            fixed = f"fixed as: {one.fix}" if folder is not None else f"--fix FOLDER fixes it: {one.fix}"
            lines += textwrap.wrap(
                fixed, _WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9, break_on_hyphens=False
            )
    lines.append(f"{found.sentence[:1].upper()}{found.sentence[1:]}.")
    lines += [f"Written: {path}" for path in written]
    return "\n".join(lines) + "\n"


OF_CLASSES = tuple(key for key in NODE_COLUMNS if key != "ece")


def add_taxonomy(command):
    """The options of `taxonomy`."""
    command.add_argument("taxonomy", metavar="T", help="taxonomy of any form that hierviz reads")
    values = f"numbers behind each class, with --predictions: {', '.join(OF_CLASSES)}"
    return [
        *options_of(TAXONOMY),
        Option("--depth N", "deepest level that is printed (default: all)", type=int),
        Option("--values KEY,...", values),
        Option("--to FORM", f"write another form: {', '.join(FORMS)}", choices=FORMS),
        OUT,
        *input_options(taxonomy=False),
        *ONE_RULE,
    ]


def run_taxonomy(options: argparse.Namespace):
    """`hierviz taxonomy`."""
    require_places(options, options.out)
    keys = [] if options.values is None else [key.strip() for key in options.values.split(",") if key.strip()]
    unknown = [key for key in keys if key not in OF_CLASSES]
    if unknown:
        raise FileError(
            f"--values: expected some of {', '.join(OF_CLASSES)}, got {unknown[0]!r}."
            f"{near_miss(unknown[0], OF_CLASSES)} Name some."
        )
    if bool(keys) != bool(options.predictions):
        raise FileError("--values: expected together with --predictions, got only one of them. Give both.")
    if options.to is not None and (keys or options.depth is not None):
        raise FileError(
            "--to: expected no --values or --depth, which apply to the printed tree, got both. Leave one out."
        )
    if not keys:
        taxonomy = taxonomy_of(files_of(options))
        is_tree = options.to is None
        write_text(
            options.out, tree_text(taxonomy, depth=options.depth) if is_tree else taxonomy_text(taxonomy, options.to)
        )
        return
    chosen = judged_one(options, "values of classes")
    (predictions,), (choice,) = chosen.predictions, chosen.choices
    answers = judged_answers(Evaluation.from_predictions(predictions), **choice)
    table = node_table(answers)
    for key in keys:
        if key in table.reasons:
            raise FileError(f"--values: expected numbers of this input, got {key}: {table.reasons[key]}. Leave it out.")
    values = {
        NODE_COLUMNS[key].label.lower(): [number_text_of(key, value) for value in getattr(table, key).tolist()]
        for key in keys
    }
    write_text(options.out, tree_text(chosen.taxonomy, depth=options.depth, values=values))
