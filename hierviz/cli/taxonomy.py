"""`hierviz taxonomy`: the tree with values of its nodes, and the taxonomy in another form."""

from __future__ import annotations

import argparse

from hierviz.cli.judging import ONE_RULE, OUT, input_options, judged_one
from hierviz.cli.output import require_places, write_text
from hierviz.diagnosis._node_table import NODE_COLUMNS, node_table, number_text_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import FileError, near_miss
from hierviz.opening.files import files_of
from hierviz.opening.flags import Option
from hierviz.opening.loading import taxonomy_of
from hierviz.opening.options import TAXONOMY, options_of
from hierviz.readers.taxonomy_writer import FORMS, taxonomy_text, tree_text

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
