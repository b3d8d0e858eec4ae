"""`hierviz taxonomy`: the tree with values of its nodes, and the taxonomy in another form."""

from __future__ import annotations

import argparse

from hierviz.cli.files import add_input, load_models
from hierviz.cli.output import require_places, write_text
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.cli.taxonomy_flags import add_taxonomy_flags, taxonomy_options
from hierviz.diagnosis._node_table import NODE_COLUMNS, node_table, number_text_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import FileError, near_miss
from hierviz.readers.taxonomy_writer import FORMS, taxonomy_text, tree_text

OF_CLASSES = tuple(key for key in NODE_COLUMNS if key != "ece")


def add_taxonomy(commands):
    """Add the command `taxonomy`."""
    command = commands.add_parser(
        "taxonomy", help="print the tree, with values of its classes, or write another form of it"
    )
    command.add_argument("taxonomy", metavar="T", help="taxonomy of any form that hierviz reads")
    add_taxonomy_flags(command)
    command.add_argument("--depth", type=int, metavar="N", help="deepest level that is printed (default: all)")
    command.add_argument(
        "--values",
        metavar="KEY,...",
        help=f"numbers behind each class, with --predictions: {', '.join(OF_CLASSES)}",
    )
    command.add_argument("--to", choices=tuple(FORMS), metavar="FORM", help=f"write another form: {', '.join(FORMS)}")
    command.add_argument(
        "--out", default="-", metavar="FILE|-", help="file to write (- is standard output, the default)"
    )
    add_input(command, several=False, taxonomy=False)
    command.add_argument("--rule", metavar="KEY", help=f"one of {', '.join(INFERENCE_RULES)} (default: majority)")
    command.add_argument(
        "--threshold", type=float, metavar="X", help="of the rules `threshold` and `threshold_set` (default: 0.5)"
    )
    add_rule_flags(command)
    command.set_defaults(run=run_taxonomy)


def run_taxonomy(options: argparse.Namespace):
    """`hierviz taxonomy`."""
    from hierviz.readers.taxonomy_file import load_taxonomy

    require_places(options, options.out)
    keys = [] if options.values is None else [key.strip() for key in options.values.split(",") if key.strip()]
    unknown = [key for key in keys if key not in OF_CLASSES]
    if unknown:
        raise FileError(
            f"--values: expected some of {', '.join(OF_CLASSES)}, got {unknown[0]!r}."
            f"{near_miss(unknown[0], OF_CLASSES)} Name some."
        )
    if bool(keys) != bool(options.predictions):
        raise FileError("--values: expected with --predictions, and the other way round, got one of them. Name both.")
    if options.to is not None and (keys or options.depth is not None):
        raise FileError(
            "--to: expected without --values and --depth, which are of the printed tree, got both. Leave one out."
        )
    if options.to is not None:
        write_text(options.out, taxonomy_text(load_taxonomy(options.taxonomy, **taxonomy_options(options)), options.to))
        return
    if not keys:
        write_text(
            options.out, tree_text(load_taxonomy(options.taxonomy, **taxonomy_options(options)), depth=options.depth)
        )
        return
    rule = "majority" if options.rule is None else options.rule
    check_rule_flags(options, rule)
    taxonomy, predictions = load_models(options)
    if len(predictions) != 1:
        raise FileError(f"--predictions: expected one file, got {len(predictions)}. Run the command once per model.")
    threshold = 0.5 if options.threshold is None else options.threshold
    answers = judged_answers(
        Evaluation.from_predictions(predictions[0]), rule, threshold, **chosen_parameters(options, taxonomy)
    )
    table = node_table(answers)
    for key in keys:
        if key in table.reasons:
            raise FileError(f"--values: expected numbers of this input, got {key}: {table.reasons[key]}. Leave it out.")
    values = {
        NODE_COLUMNS[key].label.lower(): [number_text_of(key, value) for value in getattr(table, key).tolist()]
        for key in keys
    }
    write_text(options.out, tree_text(taxonomy, depth=options.depth, values=values))
