"""`hierviz evaluate` and `hierviz curve`: the numbers of prediction files."""

from __future__ import annotations

import json
import sys

from hierviz.cli.files import add_input, load_models
from hierviz.cli.named_files import run_files, values_by_method
from hierviz.cli.output import progress, require_places, write_csv, write_text
from hierviz.cli.parameter_flags import with_flags
from hierviz.cli.protein_flags import accretion_of, add_protein_flags, add_protein_numbers, check_protein_flags
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.cluster.connection import connected, local_workers
from hierviz.cluster.running import evaluation_on
from hierviz.curves._rule_curve import CURVES, rule_curve
from hierviz.curves._set_curve import set_curve
from hierviz.evaluation.bounds import curve_bounds_of
from hierviz.evaluation.evaluation import NODE_COLUMNS, Evaluation
from hierviz.evaluation.summary import BOUNDS, CURVE, NO_TRUTH, STEPS, evaluate, require_same_samples
from hierviz.inference.registry import INFERENCE_RULES, rule_and_threshold
from hierviz.messages.errors import FileError
from hierviz.taxonomy.checks import check_threads
from hierviz.thresholds.operating_point import RULE, operating_point_notes

SETS = "Predicted sets"
# Rows of a CSV file that are made at a time.
ROWS_AT_ONCE = 10_000


def add_evaluate(commands):
    """Add the command `evaluate`."""
    command = commands.add_parser("evaluate", help="write all metrics of one or several models as JSON")
    add_choice(command)
    add_operating_point(command)
    command.add_argument("--media", metavar="DIR|ZIP", help="pictures named by the column `image` or `file`")
    command.add_argument(
        "--json", default="-", metavar="FILE|-", help="file for the JSON (- is standard output, the default)"
    )
    command.add_argument(
        "--per-sample", metavar="FILE.csv", help="file for a table with one row per sample: metrics and counts"
    )
    command.add_argument(
        "--verify",
        action="store_true",
        help="recompute every number of up to 2,000 samples along an independent way (slow), as `verify` of each model",
    )
    add_threads(command)
    add_cluster(command)
    add_protein_flags(command)
    add_rule_flags(command)
    command.set_defaults(run=run_evaluate)


def add_choice(command, *, has_rules=False, required=True):
    """Options of `evaluate`, `table` and `report`: the files, and by which rule and threshold they are judged.

    With `has_rules` each model can have a rule of its own.
    """
    add_input(command, several=True, required=required)
    rules = f"one of {', '.join(INFERENCE_RULES)} (default: majority, or threshold where --threshold is given)"
    if has_rules:
        command.add_argument("--rule", metavar="[NAME=]KEY", action="append", help=f"NAME= for one model: {rules}")
    else:
        command.add_argument("--rule", metavar="KEY", help=rules)
    command.add_argument(
        "--threshold",
        metavar="[NAME=]X",
        action="append",
        help="threshold of the rules `threshold` and `threshold_set` and of the block `labels` (default: 0.5), NAME= for one "
        "model",
    )
    command.add_argument(
        "--keep-empty-labels",
        action="store_true",
        help="count an empty label as a predicted label outside the taxonomy",
    )
    command.add_argument(
        "--class-weights",
        metavar="equal|F",
        help="add the numbers of the curve as means over classes of the same weight, or of those in a table: node, weight",
    )
    command.add_argument("--nodes", metavar="F", help="CSV of node attributes: node, name, train_count, ...")


def add_curve(commands):
    """Add the command `curve`."""
    command = commands.add_parser(
        "curve",
        help="write the operating curve of a model as CSV, one row per threshold",
        description="Write the operating curve of a model as CSV, one row per threshold; for several true classes a sample and "
        "for graphs hP, hR, hF1 and ihF1 of the predicted sets.",
    )
    add_input(command, several=False)
    command.add_argument(
        "--nodes", metavar="F", help="names of the nodes, by which classes are found too: node, name, ..."
    )
    command.add_argument(
        "--rule",
        metavar="KEY",
        help=f"curve over the parameter of a rule: {', '.join(CURVES)} (default: threshold); darts has λ, "
        "information_threshold bits in place of the threshold",
    )
    command.add_argument(
        "--csv", default="-", metavar="FILE|-", help="file for the CSV (- is standard output, the default)"
    )
    add_threads(command)
    command.set_defaults(run=run_curve)


def add_threads(command):
    """The option `--threads`."""
    command.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads that work on large files, with numba installed (all processors)",
    )


def add_operating_point(command):
    """The option `--operating-point`."""
    command.add_argument(
        "--operating-point",
        metavar="F.json",
        help="rule and threshold from a file exported by the app; notes compare its values and guarantee with those measured",
    )


def add_cluster(command):
    """The option `--cluster`."""
    command.add_argument(
        "--cluster",
        metavar="local[:N]|tcp://HOST:PORT",
        help="evaluate on Dask: N worker processes on this machine, or a cluster (docs/cluster.md)",
    )


def run_evaluate(options):
    """`hierviz evaluate`."""
    if options.per_sample == "-":
        raise FileError("--per-sample: expected a file, got -, which is for the JSON. Name a CSV file.")
    check_protein_flags(options)
    require_places(options, options.json, options.per_sample)
    rule = rule_of(options) if options.operating_point is None or options.rule is not None else RULE
    check_rule_flags(options, rule)
    thresholds = thresholds_of(options)
    is_here = options.cluster is None
    check_threads(options.threads, "--threads")
    if not is_here:
        local_workers(options.cluster)  # said before an hour of reading
    taxonomy, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels, read_scores=is_here)
    accretion, of_accretion = accretion_of(options, taxonomy)
    point = operating_point_of(options, taxonomy)
    if options.media:
        from hierviz.readers.attach import attach_media

        predictions = [attach_media(predictions_of_model, options.media) for predictions_of_model in predictions]
    require_same_samples(predictions)
    if point is not None:
        thresholds = [point.threshold] * len(predictions)
    choice = {"rule": rule} | chosen_parameters(options, taxonomy)
    if is_here:
        models = [
            Evaluation.from_predictions(
                predictions_of_model,
                progress=progress(predictions_of_model.name),
                threshold=threshold,
                threads=options.threads,
            )
            for predictions_of_model, threshold in zip(predictions, thresholds, strict=True)
        ]
    else:
        with connected(options.cluster) as client:
            models = [
                evaluation_on(
                    client, predictions_of_model, progress(predictions_of_model.name), threshold=threshold, **choice
                )
                for predictions_of_model, threshold in zip(predictions, thresholds, strict=True)
            ]
    weights = class_weights_of(options, taxonomy)
    report = evaluate(models, threshold=thresholds, stage=progress, class_weights=weights, **choice)
    if accretion is not None:
        add_protein_numbers(report, models, accretion, of_accretion)
    if point is not None:
        for entry in report["models"]:
            entry["notes"] += operating_point_notes(point, entry)
    if options.verify:
        from hierviz.second_opinion.verify import verify

        for entry, model, threshold in zip(report["models"], models, thresholds, strict=True):
            on = progress(f"Verifying {model.predictions.name}", "parts")
            entry["verify"] = verify(model, threshold=threshold, progress=on, **choice).to_dict()
            print(entry["verify"]["sentence"], file=sys.stderr)
    if options.per_sample:
        write_csv(
            options.per_sample,
            *per_sample_table(models, [choice | {"threshold": threshold} for threshold in thresholds]),
        )
    if not any(entry["n_samples"] for entry in report["models"]):
        print(f"hierviz: {NO_TRUTH}. Give it as --truth.", file=sys.stderr)
    write_text(options.json, json.dumps(with_flags(report), indent=1, ensure_ascii=False) + "\n")


def run_curve(options):
    """`hierviz curve`."""
    check_threads(options.threads, "--threads")
    require_places(options, options.csv)
    rule = options.rule or "threshold"
    if rule not in CURVES:
        raise FileError(f"--rule: expected one of {', '.join(CURVES)}, got {rule!r}. These have a curve of their own.")
    _, predictions = load_models(options)
    if len(predictions) != 1:
        raise FileError(
            f"--predictions: expected one file for a curve, got {len(predictions)}. Run the command once per model."
        )
    model = Evaluation.from_predictions(predictions[0], progress=progress(predictions[0].name), threads=options.threads)
    name = model.predictions.name
    if rule != "threshold":
        if model.why_no_curve():
            raise FileError(f"{name}: expected an operating curve of rule {rule}, got none: {model.why_no_curve()}.")
        table = rule_curve(model.taxonomy, model.truth, model.judged_table, rule).columns()
        write_csv(options.csv, list(table), _rows_of(list(table.values())))
        return
    if model.why_no_curve() and model.why_no_set_curve() is None:
        table = set_curve(model, progress=progress(f"{SETS} of {name}")).columns()
        write_csv(options.csv, list(table), _rows_of(list(table.values())))
        return
    table = model.curve_with(progress(f"{CURVE} of {name}", STEPS)).columns()
    bounds = curve_bounds_of(model, progress(f"{BOUNDS} of {name}")) if model.predictions.has_unknown else None
    if bounds is not None:
        table |= bounds.columns(table["threshold"])
    write_csv(options.csv, list(table), _rows_of(list(table.values())))


def _rows_of(columns):
    """Rows of some arrays of one length, a block of them in memory at a time."""
    for start in range(0, len(columns[0]), ROWS_AT_ONCE):
        yield from zip(*(column[start : start + ROWS_AT_ONCE].tolist() for column in columns))


def thresholds_of(options):
    """The threshold of each file of predictions: list of float, 0.5 where none is given."""
    methods = [file.method for file in run_files(options.predictions)]
    given = values_by_method("--threshold", options.threshold, methods, float)
    return [0.5 if threshold is None else threshold for threshold in given]


def rule_of(options):
    """The rule of all files of predictions: majority where none is given, or that of the threshold where one is."""
    return rule_and_threshold(options.rule, options.threshold)[0]


def rules_of(options):
    """As `rule_of`, for each file of predictions where the command has one for each: list of str."""
    methods = [file.method for file in run_files(options.predictions)]
    given = values_by_method("--rule", options.rule, methods)
    thresholds = values_by_method("--threshold", options.threshold, methods, float)
    return [rule_and_threshold(rule, of_file)[0] for rule, of_file in zip(given, thresholds, strict=True)]


def class_weights_of(options, taxonomy):
    """What `--class-weights` says: None, "equal", or the weight of each node."""
    if options.class_weights in (None, "equal"):
        return options.class_weights
    from hierviz.readers.class_weights_file import load_class_weights

    return load_class_weights(options.class_weights, taxonomy)


def operating_point_of(options, taxonomy):
    """The point of --operating-point, or None; it stands for rule and threshold, and for one taxonomy."""
    if options.operating_point is None:
        return None
    if options.rule is not None or options.threshold is not None:
        raise FileError(
            "--operating-point: expected neither --rule nor --threshold beside it, got one of them. Leave it out."
        )
    from hierviz.readers.operating_point_file import load_operating_point

    return load_operating_point(options.operating_point, taxonomy)


def per_sample_table(models, choices):
    """Header and rows of `--per-sample`: one row per model (and run) and sample, nodes by name; `choices` one a model."""
    tables = [(model, model.per_sample(**choice)) for model, choice in zip(models, choices, strict=True)]
    columns = list(dict.fromkeys(key for _, table in tables for key in table if key != "row"))
    has_runs = any(model.predictions.run is not None for model in models)
    header = ["model", "run", *columns] if has_runs else ["model", *columns]
    return header, (row for model, table in tables for row in _samples_of(model, table, columns, has_runs))


def _samples_of(model, table, columns, has_runs):
    """Rows of one model, a block of them as text at a time."""
    names = model.taxonomy.names
    called = (model.predictions.name, model.predictions.run or "")[: 1 + has_runs]
    for start in range(0, len(table["row"]), ROWS_AT_ONCE):
        rows, shown = slice(start, start + ROWS_AT_ONCE), []
        n = len(table["row"][rows])
        for key in columns:
            values = table.get(key)
            if values is None:
                shown.append([""] * n)
            elif key in NODE_COLUMNS:
                shown.append([names[node] for node in values[rows].tolist()])
            else:
                shown.append(["Infinity" if value == float("inf") else value for value in values[rows].tolist()])
        yield from ((*called, *row) for row in zip(*shown))
