"""`hierviz evaluate` and `hierviz curve`: the numbers of prediction files."""

import sys

from hierviz.cli.conformal import CONFORMAL, check_conformal, conformal_of_models, named_nodes
from hierviz.cli.judging import (
    JSON,
    MEDIA,
    NODES,
    OF_NUMBERS,
    REVIEW,
    THREADS,
    accretion_of,
    choice_options,
    input_options,
    judged,
    load_models,
    require_one,
)
from hierviz.cli.output import progress, require_places, write_csv, write_json
from hierviz.curves._rule_curve import CURVES, rule_curve
from hierviz.curves._selective_curve import selective_curve
from hierviz.curves._set_curve import set_curve
from hierviz.evaluation._reviewed import review_sentence, reviewed_numbers
from hierviz.evaluation.bounds import curve_bounds_of
from hierviz.evaluation.evaluation import NODE_COLUMNS, Evaluation
from hierviz.evaluation.summary import BOUNDS, CURVE, NO_TRUTH, PATHS, STEPS, evaluate, require_same_samples
from hierviz.messages.errors import FileError
from hierviz.metrics.sets.protein_function import protein_function
from hierviz.opening.flags import Option
from hierviz.predictions.outside_lines import outside_lines
from hierviz.readers.review_file import load_review
from hierviz.taxonomy.checks import check_threads
from hierviz.taxonomy.taxonomy import OUTSIDE_TITLE
from hierviz.thresholds.operating_point import operating_point_notes

SETS = "Predicted sets"
# Of `curve`: those over the parameter of an inference rule, and selective classification.
CLIMBING = "climbing"
OF_RULES = (*CURVES, CLIMBING)
MORE = Option(
    "--more",
    "add the blocks best_leaves, probabilities, random_cuts, levels, lca and selective (docs/metrics.md), also to --per-sample: "
    "they read all probabilities once more",
)
# Rows of a CSV file that are made at a time.
ROWS_AT_ONCE = 10_000


def add_evaluate(command):
    """The options of `evaluate`."""
    command.set_defaults(each_step=True)
    return [
        *choice_options(),
        MEDIA,
        JSON,
        Option("--per-sample FILE.csv", "file for a table with one row per sample: metrics and counts"),
        Option(
            "--verify",
            "recompute every number on up to 2,000 samples with independent code (slow); adds `verify` to each model",
        ),
        *OF_NUMBERS,
        MORE,
        REVIEW,
        *CONFORMAL,
    ]


def add_curve(command):
    """The options of `curve`."""
    command.description = (
        "Write the operating curve of a model as CSV, one row per threshold; for several true classes a sample and for graphs "
        "hP, hR, hF1 and ihF1 of the predicted sets."
    )
    rule = Option(
        "--rule KEY",
        f"curve over the parameter of a rule: {', '.join(OF_RULES)} (default: threshold); darts has λ, information_threshold "
        "bits in place of the threshold, climbing (from the most probable leaf up to p >= θ) θ with coverage and risk",
    )
    csv = Option("--csv FILE|-", "file for the CSV (- is standard output, the default)", default="-")
    return [*input_options(), NODES, rule, csv, THREADS]


def run_evaluate(options):
    """`hierviz evaluate`."""
    if options.per_sample == "-":
        raise FileError("--per-sample: expected a file, got -, which is for the JSON. Name a CSV file.")
    require_places(options, options.json, options.per_sample)
    if options.review is not None and options.cluster is not None:
        raise FileError("--review: expected no --cluster with it, got both. Leave one of them out.")
    check_conformal(options)
    chosen = judged(options)
    accretion, of_accretion = accretion_of(options, chosen.taxonomy)
    require_same_samples(chosen.predictions)
    review = None if options.review is None else load_review(options.review, chosen.predictions[0])
    models = chosen.evaluations()
    report = evaluate(
        models,
        threshold=chosen.thresholds,
        stage=progress,
        class_weights=chosen.class_weights,
        more=options.more,
        **chosen.choice,
    )
    for entry, model in zip(report["models"], models, strict=True):
        if accretion is not None and entry["labels"] is not None:
            name = model.predictions.name
            entry["labels"] |= protein_function(
                model.predictions, accretion, progress=progress(f"F-max and S-min of {name}")
            )
            entry["notes"] += of_accretion
        if chosen.point is not None:
            entry["notes"] += operating_point_notes(chosen.point, entry)
    for entry, model, of_model in (
        zip(report["models"], models, chosen.choices, strict=True) if review is not None else ()
    ):
        entry["review"] = reviewed_numbers(model, review, class_weights=chosen.class_weights, **of_model)
        print(
            review_sentence(entry), *(f"note: {note}" for note in entry["review"]["notes"]), sep="\n", file=sys.stderr
        )
    conformal = conformal_of_models(options, chosen, models) if options.conformal is not None else None
    for entry, (found, reason) in zip(report["models"], conformal or (), strict=conformal is not None):
        entry["conformal"] = None if found is None else found.to_json()
        if reason:
            entry["notes"].append(f"conformal: null, {reason}")
    if options.verify:
        from hierviz.second_opinion.verify import verify

        for entry, model, of_model in zip(report["models"], models, chosen.choices, strict=True):
            on = progress(f"Verifying {model.predictions.name}", "parts")
            entry["verify"] = verify(model, progress=on, **of_model).to_dict()
            print(entry["verify"]["sentence"], file=sys.stderr)
    if options.per_sample:
        nodes = None if conformal is None else [found for found, _ in conformal]
        write_csv(options.per_sample, *per_sample_table(models, chosen.choices, nodes, more=options.more))
    for line in outside_lines([model.predictions for model in models]):
        print(line, file=sys.stderr)
    if not any(entry["n_samples"] for entry in report["models"]):
        print(f"hierviz: {NO_TRUTH}. Give it as --truth.", file=sys.stderr)
    write_json(options.json, report)


def run_curve(options):
    """`hierviz curve`."""
    check_threads(options.threads, "--threads")
    require_places(options, options.csv)
    rule = options.rule or "threshold"
    if rule not in OF_RULES:
        raise FileError(
            f"--rule: expected one of {', '.join(OF_RULES)}, got {rule!r}. These have a curve of their own."
        )
    _, predictions = load_models(options)
    require_one(predictions, "a curve")
    model = Evaluation.from_predictions(predictions[0], progress=progress(predictions[0].name), threads=options.threads)
    name = model.predictions.name
    reason = model.why_no_curve()
    if rule != "threshold":
        if reason:
            raise FileError(f"{name}: expected an operating curve of rule {rule}, got none: {reason}.")
        if rule == CLIMBING:
            paths = model.leaf_paths(progress(f"{PATHS} of {name}")).take(model.rows)
            table = selective_curve(model.taxonomy, model.truth, paths).columns()
        else:
            table = rule_curve(model.taxonomy, model.truth, model.judged_table, rule).columns()
    elif reason and model.why_no_set_curve() is None:
        table = set_curve(model, progress=progress(f"{SETS} of {name}")).columns()
    else:
        table = model.curve_with(progress(f"{CURVE} of {name}", STEPS)).columns()
        if model.predictions.has_unknown:
            table |= curve_bounds_of(model, progress(f"{BOUNDS} of {name}")).columns(table["threshold"])
    write_csv(options.csv, list(table), _rows_of(list(table.values())))


def _rows_of(columns):
    """Rows of some arrays of one length, a block of them in memory at a time."""
    for start in range(0, len(columns[0]), ROWS_AT_ONCE):
        yield from zip(*(column[start : start + ROWS_AT_ONCE].tolist() for column in columns))


def per_sample_table(models, choices, conformal=None, *, more=False):
    """Header and rows of `--per-sample`: one row per model (and run) and sample, nodes by name; `choices` one a model.

    `conformal` has the ConformalNodes of each model, or None; `more` as of `Evaluation.per_sample`.
    """
    tables = [(model, model.per_sample(more=more, **choice)) for model, choice in zip(models, choices, strict=True)]
    for (model, table), found in zip(tables, conformal or ()):
        if found is not None:
            table["conformal"] = named_nodes(model, found)
    columns = list(dict.fromkeys(key for _, table in tables for key in table if key != "row"))
    has_runs = any(model.predictions.run is not None for model in models)
    header = ["model", "run", *columns] if has_runs else ["model", *columns]
    return header, (row for model, table in tables for row in _samples_of(model, table, columns, has_runs))


def _samples_of(model, table, columns, has_runs):
    """Rows of one model, a block of them as text at a time."""
    names = [*model.taxonomy.names, OUTSIDE_TITLE]
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
