"""`hierviz diagnose`: where a model goes wrong, as JSON and as tables."""

import argparse
import json
from dataclasses import replace

from hierviz.cli.chart_pairs import CHANGE_OPTIONS, OF_CHANGES, READING_OPTIONS
from hierviz.cli.diagnosis_blocks import DiagnosisBlocks
from hierviz.cli.judging import (
    CONFIDENCE_MAP,
    GROUP,
    JSON,
    NODES,
    ONE_RULE,
    flag,
    input_options,
    judged_one,
    load_models,
)
from hierviz.cli.output import progress, require_places, write_csv, write_text
from hierviz.diagnosis.confusions import GROUPINGS
from hierviz.diagnosis.many_tests import CORRECTIONS
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.severity import SEVERITIES
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import FileError
from hierviz.opening.flags import Option, repeated
from hierviz.opening.options import with_flags

# Tables by the flag that names their file.
TABLES = {
    "node_table": "every node: support, recall, precision, win, stops",
    "confusions": "true class, predicted class, count, cost",
    "matrix": "cells of the confusion matrix with the nodes of --open open",
    "mistakes": "samples, the worst first",
    "departures": "levels: answers that are right, stop, or go wrong there",
    "class_table": "precision, recall, F and the most frequent confusion of each class",
    "slices": "subtrees and attribute values, tested against the rest",
    "reliability": "bins of probabilities and outcomes",
    "overconfidence": "subtrees: what the model says of its most probable leaf, and how often that is right",
    "label_errors": "samples whose truth is doubtful",
}
# Those of two models, with --against.
OF_PAIRS = {
    "two_by_two": "samples that both models have right and wrong, crossed",
    "difference_tree": "every class: both models, their difference, its test",
}
# That of two thresholds or rules, with --to or --to-rule.
CHANGES = {"changes": "samples whose answer changes, by the threshold at which it does"}

OPTIONS = (
    *(Option(f"{flag(name)} FILE.csv", f"file for a table: {what}") for name, what in TABLES.items()),
    Option(
        "--against FILE",
        "predictions of a second model: where it is better or worse, in the block `against`",
        several=True,
    ),
    *(Option(f"{flag(name)} FILE.csv", f"file for a table, with --against: {what}") for name, what in OF_PAIRS.items()),
    *READING_OPTIONS,
    *CHANGE_OPTIONS,
    *(
        Option(f"--{name} FILE.csv", f"file for a table, with --to or --to-rule: {what}")
        for name, what in CHANGES.items()
    ),
    Option(
        "--by KEY",
        f"how confusions are grouped: {', '.join(GROUPINGS)} (default: classes)",
        choices=GROUPINGS,
        default="classes",
    ),
    Option("--level N", "depth of the classes of confusions (default: as deep as they are)", type=int),
    Option("--severity KEY", f"cost of confusions and order of mistakes: {', '.join(SEVERITIES)}"),
    Option("--loss KEY", f"loss of slices: wrong, {', '.join(SEVERITIES)} (default: wrong)"),
    GROUP,
    Option(
        "--correction KEY",
        "of many tests: bh, Benjamini-Hochberg (default), or by, Benjamini-Yekutieli",
        choices=CORRECTIONS,
        default="bh",
    ),
    Option("--q X", "false discovery rate of flags (default: 0.05)", type=float, default=0.05),
    replace(repeated("--attribute C", "column whose values are slices (default: all)"), default=None),
    repeated("--open NODE", "node whose children the matrix shows"),
    repeated("--means-by BY", "depth, n_labels, an attribute or a number of the nodes: means of --metric in each part"),
    repeated("--calibrate NODE", "node whose calibration is shown next to that of the depths"),
    CONFIDENCE_MAP,
    repeated("--flips ID", "sample whose answers at all thresholds are written"),
    Option("--metric KEY", "metric of --means-by and --against (default: the first that the input has)"),
    Option(
        "--beta X",
        "weight of recall in the F of classes, and in the one that rule hf_optimal maximises (default: 1)",
        type=float,
        default=1.0,
        dest="class_beta",
    ),
    Option("--most N", "rows of each table in the JSON (default: 20)", type=int, default=20),
    JSON,
)


# Parameters of rules whose flag means the same for a table of this command: it has the flag, and passes its value on.
OWN_PARAMETERS = ("beta",)


def add_diagnose(command):
    """The options of `diagnose`."""
    # --level is that of confusions.
    return [*input_options(level="--cut-level"), NODES, *ONE_RULE, *OPTIONS]


def run_diagnose(options):
    """`hierviz diagnose`."""
    files = {name: getattr(options, name) for name in (*TABLES, *OF_PAIRS, *CHANGES)}
    for name, path in files.items():
        if path == "-":
            raise FileError(f"{flag(name)}: expected a file, got -, which is for the JSON. Name a CSV file.")
    if options.most < 0:
        raise FileError(f"--most: expected a whole number from 0 up, got {options.most}. Choose one.")
    require_places(options, options.json, *files.values())
    for name in (*OF_PAIRS, "reading", "depth", "correct"):
        if getattr(options, name) is not None and options.against is None:
            raise FileError(f"{flag(name)}: expected --against with it, got none. Name a second model.")
    if options.metric is not None and not options.means_by and options.against is None:
        raise FileError("--metric: expected --means-by or --against with it, got none. Leave it out, or add one.")
    for name in CHANGES:
        if getattr(options, name) is not None and all(getattr(options, one) is None for one in OF_CHANGES):
            raise FileError(f"--{name}: expected --to or --to-rule with it, got none. Name a threshold or a rule.")
    if options.rule in INFERENCE_RULES and "beta" in INFERENCE_RULES[options.rule].parameters:
        options.beta = options.class_beta
    chosen = judged_one(options, "a diagnosis")
    (predictions,), (choice,) = chosen.predictions, chosen.choices
    evaluation = _judged(predictions)
    blocks = DiagnosisBlocks(evaluation, choice, options, _second(options))
    # Everything is computed before anything is written.
    tables = {path: blocks.table(name) for name, path in files.items() if path is not None}
    report = json.dumps(with_flags(blocks.report()), indent=1, ensure_ascii=False)
    for path, table in tables.items():
        write_csv(path, *table)
    write_text(options.json, f"{report}\n")


def _second(options):
    """Evaluation of the model of --against; None without one."""
    if options.against is None:
        return None
    _, (predictions, *others) = load_models(argparse.Namespace(**vars(options) | {"predictions": options.against}))
    if others:
        raise FileError(f"--against: expected one file, got {len(others) + 1}. Run the command once per model.")
    return _judged(predictions)


def _judged(predictions):
    """Evaluation of a model; a FileError where no truth is known."""
    evaluation = Evaluation.from_predictions(predictions, progress=progress(predictions.name))
    if not evaluation.n_judged:
        raise FileError(
            f"{predictions.name}: expected samples with a known truth, got none. Name a file of the truth with --truth, or "
            "its column with --truth-column."
        )
    return evaluation
