"""`hierviz diagnose`: where a model goes wrong, as JSON and as tables."""

from __future__ import annotations

import json

from hierviz.cli.diagnosis_blocks import DiagnosisBlocks
from hierviz.cli.files import add_input, load_models
from hierviz.cli.output import progress, require_places, write_csv, write_text
from hierviz.cli.parameter_flags import with_flags
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.diagnosis.confusions import GROUPINGS
from hierviz.diagnosis.many_tests import CORRECTIONS
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.severity import SEVERITIES
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, inference_rule
from hierviz.messages.errors import FileError

# Tables by the flag that names their file.
TABLES = {
    "node_table": "every node: support, recall, precision, win, stops",
    "confusions": "true class, predicted class, count, cost",
    "matrix": "cells of the confusion matrix with the nodes of --open open",
    "mistakes": "samples, the worst first",
    "class_table": "precision, recall, F and the most frequent confusion of each class",
    "slices": "subtrees and attribute values, tested against the rest",
    "reliability": "bins of probabilities and outcomes",
    "label_errors": "samples whose truth is doubtful",
}


def add_diagnose(commands):
    """Add the command `diagnose`."""
    command = commands.add_parser(
        "diagnose", help="find where a model goes wrong: nodes, confusions, slices, calibration"
    )
    add_input(command, several=False, level="--cut-level")  # --level is that of confusions
    command.add_argument(
        "--nodes", metavar="F", help="names of the nodes, by which classes are found too: node, name, ..."
    )
    command.add_argument("--rule", metavar="KEY", help=f"one of {', '.join(INFERENCE_RULES)} (default: majority)")
    command.add_argument(
        "--threshold", type=float, metavar="X", help="of the rules `threshold` and `threshold_set` (default: 0.5)"
    )
    for name, what in TABLES.items():
        command.add_argument(f"--{name.replace('_', '-')}", metavar="FILE.csv", help=f"file for a table: {what}")
    command.add_argument(
        "--by", choices=tuple(GROUPINGS), default="classes", help="how confusions are grouped (default: classes)"
    )
    command.add_argument(
        "--level", type=int, metavar="N", help="depth of the classes of confusions (default: as deep as they are)"
    )
    command.add_argument(
        "--severity",
        metavar="KEY",
        help=f"cost of confusions and order of mistakes: {', '.join(SEVERITIES)}",
    )
    command.add_argument(
        "--loss",
        metavar="KEY",
        help=f"loss of slices: wrong, {', '.join(SEVERITIES)} (default: wrong)",
    )
    command.add_argument(
        "--group", metavar="C", help="column of samples that belong together: they are permuted as a whole"
    )
    command.add_argument(
        "--correction",
        choices=tuple(CORRECTIONS),
        default="bh",
        help="of many tests: Benjamini-Hochberg (default) or Benjamini-Yekutieli",
    )
    command.add_argument(
        "--q", type=float, default=0.05, metavar="X", help="false discovery rate of flags (default: 0.05)"
    )
    several = {
        "--attribute": ("C", None, "column whose values are slices (default: all)"),
        "--open": ("NODE", [], "node whose children the matrix shows"),
        "--means-by": (
            "BY",
            [],
            "depth, n_labels, an attribute or a number of the nodes: means of --metric in each part",
        ),
        "--calibrate": ("NODE", [], "node whose calibration is looked at beside that of the depths"),
        "--flips": ("ID", [], "sample whose answers at all thresholds are written"),
    }
    for name, (metavar, default, what) in several.items():
        command.add_argument(
            name, metavar=metavar, action="append", default=default, help=f"{what}; may be given several times"
        )
    command.add_argument("--metric", metavar="KEY", help="metric of --means-by (default: the first that the input has)")
    command.add_argument(
        "--beta", type=float, default=1.0, metavar="X", help="weight of recall in the F of classes (default: 1)"
    )
    command.add_argument(
        "--most", type=int, default=20, metavar="N", help="rows of each table in the JSON (default: 20)"
    )
    command.add_argument(
        "--json", default="-", metavar="FILE|-", help="file for the JSON (- is standard output, the default)"
    )
    add_rule_flags(command)
    command.set_defaults(run=run_diagnose)


def run_diagnose(options):
    """`hierviz diagnose`."""
    files = {name: getattr(options, name) for name in TABLES}
    for name, path in files.items():
        if path == "-":
            raise FileError(
                f"--{name.replace('_', '-')}: expected a file, got -, which is for the JSON. Name a CSV file."
            )
    if options.most < 0:
        raise FileError(f"--most: expected a whole number from 0 up, got {options.most}. Choose one.")
    require_places(options, options.json, *files.values())
    rule = "majority" if options.rule is None else options.rule
    check_rule_flags(options, rule)
    if options.threshold is not None and THRESHOLD.name not in inference_rule(rule).parameters:
        raise FileError(
            f"--threshold: expected --rule threshold or --rule threshold_set with it, got rule {rule}. Choose one of them, or "
            "leave --threshold out."
        )
    taxonomy, predictions = load_models(options)
    if len(predictions) != 1:
        raise FileError(
            f"--predictions: expected one file for a diagnosis, got {len(predictions)}. Run the command once per model."
        )
    threshold = 0.5 if options.threshold is None else options.threshold
    choice = {"rule": rule, "threshold": threshold, **chosen_parameters(options, taxonomy)}
    evaluation = Evaluation.from_predictions(predictions[0], progress=progress(predictions[0].name))
    if not evaluation.n_judged:
        raise FileError(
            f"{predictions[0].name}: expected samples with a known truth, got none. Name a file of the truth with --truth, or "
            "its column with --truth-column."
        )
    blocks = DiagnosisBlocks(evaluation, choice, options)
    # Everything is worked out before anything is written.
    tables = {path: blocks.table(name) for name, path in files.items() if path is not None}
    report = json.dumps(with_flags(blocks.report()), indent=1, ensure_ascii=False)
    for path, table in tables.items():
        write_csv(path, *table)
    write_text(options.json, f"{report}\n")
