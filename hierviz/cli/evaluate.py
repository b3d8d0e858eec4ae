"""`hierviz evaluate` and `hierviz curve`: the numbers of prediction files."""

from __future__ import annotations

import json

import numpy as np

from hierviz.cli.files import add_input, load_models
from hierviz.cli.output import progress, write_csv, write_text
from hierviz.errors import FileError
from hierviz.evaluation import NODE_COLUMNS, Evaluation
from hierviz.inference import INFERENCE_RULES
from hierviz.summary import evaluate, require_same_samples


def add_evaluate(commands):
    """Add the command `evaluate`."""
    command = commands.add_parser("evaluate", help="every metric of one or several models, as JSON")
    add_input(command, several=True)
    command.add_argument(
        "--rule", default="majority", metavar="KEY", help=f"one of {', '.join(INFERENCE_RULES)} (majority)"
    )
    command.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="X",
        help="threshold of the rules `threshold` and `threshold_set` and of the block `labels` (0.5)",
    )
    command.add_argument(
        "--bits", type=float, default=1.0, metavar="Z", help="of rule `information_threshold`, in bits (1)"
    )
    command.add_argument("--lam", type=float, default=1.0, metavar="L", help="lambda of rule `darts`, in bits (1)")
    command.add_argument(
        "--keep-empty-labels", action="store_true", help="an empty label is a predicted node of its own"
    )
    command.add_argument("--nodes", metavar="F", help="CSV of node attributes: node, name, train_count, ...")
    command.add_argument("--media", metavar="DIR|ZIP", help="pictures named by the column `image` or `file`")
    command.add_argument("--json", default="-", metavar="FILE|-", help="where the JSON goes (- is standard output)")
    command.add_argument("--per-sample", metavar="FILE.csv", help="one row per sample with its metrics and counts")
    command.set_defaults(run=run_evaluate)


def add_curve(commands):
    """Add the command `curve`."""
    command = commands.add_parser("curve", help="the operating curve of a model: one row per threshold")
    add_input(command, several=False)
    command.add_argument("--csv", default="-", metavar="FILE|-", help="where the CSV goes (- is standard output)")
    command.set_defaults(run=run_curve)


def run_evaluate(options):
    """`hierviz evaluate`."""
    if options.per_sample == "-":
        raise FileError("--per-sample: expected a file, got -, which is for the JSON. Name a CSV file.")
    _, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels)
    if options.media:
        from hierviz.readers import attach_media

        predictions = [attach_media(one, options.media) for one in predictions]
    require_same_samples(predictions)
    models = [Evaluation.of(one, progress=progress(one.name)) for one in predictions]
    choice = {name: getattr(options, name) for name in ("rule", "threshold", "bits", "lam")}
    found = evaluate(models, **choice)
    if options.per_sample:
        write_csv(options.per_sample, *per_sample_table(models, choice))
    write_text(options.json, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def run_curve(options):
    """`hierviz curve`."""
    _, predictions = load_models(options)
    if len(predictions) != 1:
        raise FileError(
            f"--predictions: expected one file for a curve, got {len(predictions)}. Run the command once per model."
        )
    model = Evaluation.of(predictions[0], progress=progress(predictions[0].name))
    curve = model.curve
    # The first point holds for every threshold from the first breakpoint up.
    table = {"threshold": np.append(1.0, curve.threshold), **curve.values}
    if len(curve.threshold) and curve.threshold[0] > 1:
        table["threshold"][0] = curve.threshold[0]
    write_csv(options.csv, list(table), zip(*(column.tolist() for column in table.values())))


def per_sample_table(models, choice):
    """Header and rows of `--per-sample`: one row per model and sample, nodes by name."""
    tables = [(model, model.per_sample(**choice)) for model in models]
    columns = list(dict.fromkeys(key for _, table in tables for key in table if key != "row"))
    rows = []
    for model, table in tables:
        n = len(table["row"])
        shown = []
        for key in columns:
            values = table.get(key)
            if values is None:
                shown.append([""] * n)
            elif key in NODE_COLUMNS:
                shown.append([model.taxonomy.names[node] for node in values.tolist()])
            else:
                shown.append(["Infinity" if value == float("inf") else value for value in values.tolist()])
        rows += [(model.predictions.name, *row) for row in zip(*shown)]
    return ["model", *columns], rows
