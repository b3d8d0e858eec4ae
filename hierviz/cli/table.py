"""`hierviz table`: the table that a paper would print, from prediction files."""

from __future__ import annotations

import argparse
import json

from hierviz.cli.evaluate import (
    add_choice,
    add_cluster,
    add_operating_point,
    add_threads,
    class_weights_of,
    operating_point_of,
    rules_of,
    thresholds_of,
)
from hierviz.cli.files import load_models
from hierviz.cli.output import progress, require_places, write_text
from hierviz.cli.parameter_flags import with_flags
from hierviz.cli.protein_flags import accretion_of, add_protein_flags, check_protein_flags
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.cluster.connection import connected, local_workers
from hierviz.cluster.running import evaluation_on
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.comparison.table import compare
from hierviz.evaluation.summary import require_same_samples
from hierviz.messages.errors import FileError
from hierviz.taxonomy.checks import check_threads
from hierviz.thresholds.operating_point import RULE, operating_point_notes

FORMATS = {
    "md": lambda found: found.to_markdown(),
    "csv": lambda found: found.to_csv(),
    "latex": lambda found: found.to_latex(),
    "json": lambda found: json.dumps(with_flags(found.to_dict()), indent=1, ensure_ascii=False) + "\n",
}


def add_table(commands):
    """Add the command `table`."""
    command = commands.add_parser(
        "table",
        help="compare methods in a table: numbers, intervals, ranks, the best constant answer",
        description="Compare methods by any numbers of `evaluate`: values with spread over runs, intervals, ranks, the best "
        "constant answer, and how far the metrics agree.",
    )
    add_choice(command, has_rules=True)
    command.add_argument("--preset", metavar="KEY", help=f"columns of a published table, or all: {', '.join(PRESETS)}")
    command.add_argument(
        "--metrics",
        metavar="block.key,...",
        action="append",
        help="columns, after those of --preset, such as curve.ac,labels.macro_f1_by_depth.2 (docs/metrics.md)",
    )
    command.add_argument("--format", choices=tuple(FORMATS), default="md", help="form of the table (default: md)")
    command.add_argument(
        "--out", default="-", metavar="FILE|-", help="file for the table (- is standard output, the default)"
    )
    command.add_argument(
        "--confidence", type=float, default=0.95, metavar="X", help="level of the intervals (default: 0.95)"
    )
    command.add_argument(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="bootstrap resamples; 0 for no intervals (default: 1000)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the resamples (default: 0)")
    command.add_argument(
        "--group", metavar="C", help="column of samples that belong together: they are resampled as a whole"
    )
    add_operating_point(command)
    # Of `evaluate`; said here why it is no flag of tables.
    command.add_argument("--media", help=argparse.SUPPRESS)
    add_threads(command)
    add_cluster(command)
    add_protein_flags(command)
    add_rule_flags(command)
    command.set_defaults(run=run_table)


def run_table(options):
    """`hierviz table`."""
    if options.media is not None:
        raise FileError(
            "--media: expected none for a table, got one. No number depends on pictures: hierviz evaluate --media checks them, "
            "hierviz app shows them."
        )
    check_protein_flags(options)
    require_places(options, options.out)
    rules = rules_of(options)
    check_rule_flags(options, *([RULE] if options.operating_point is not None and options.rule is None else rules))
    check_threads(options.threads, "--threads")
    is_here = options.cluster is None
    if not is_here:
        local_workers(options.cluster)  # said before an hour of reading
    thresholds = thresholds_of(options)
    taxonomy, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels, read_scores=is_here)
    accretion, of_accretion = accretion_of(options, taxonomy)
    point = operating_point_of(options, taxonomy)
    if point is not None:
        rules, thresholds = [RULE] * len(predictions), [point.threshold] * len(predictions)
    require_same_samples(predictions)
    metrics = None if options.metrics is None else ",".join(options.metrics)
    columns_of(taxonomy, options.preset, metrics)  # said before the work
    parameters = chosen_parameters(options, taxonomy)
    models = predictions if is_here else _on_cluster(options.cluster, predictions, rules, thresholds, parameters)
    found = compare(
        models,
        options.preset,
        metrics,
        rule=rules,
        threshold=thresholds,
        level=options.confidence,
        resamples=options.resamples,
        seed=options.seed,
        group=options.group,
        class_weights=class_weights_of(options, taxonomy),
        accretion=accretion,
        threads=options.threads,
        stage=progress,
        **parameters,
    )
    if point is not None:
        for file in found.files:
            found.notes.extend(f"{file.name}: {note}" for note in operating_point_notes(point, file.summary))
    found.notes.extend(of_accretion)
    write_text(options.out, FORMATS[options.format](found))


def _on_cluster(address, predictions, rules, thresholds, parameters):
    """An Evaluation of each of the predictions, made on a Dask cluster."""
    with connected(address) as client:
        return [
            evaluation_on(client, model, progress(model.name), rule=rule, threshold=threshold, **parameters)
            for model, rule, threshold in zip(predictions, rules, thresholds, strict=True)
        ]
