"""`hierviz table`: the table that a paper would print, from prediction files."""

from __future__ import annotations

import json

from hierviz.checks import check_threads
from hierviz.cli.evaluate import add_choice, add_threads, class_weights_of, thresholds_of
from hierviz.cli.files import load_models
from hierviz.cli.output import progress, require_places, write_text
from hierviz.cli.parameter_flags import with_flags
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.comparison.table import table
from hierviz.evaluation.summary import require_same_samples

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
    add_choice(command)
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
    add_threads(command)
    add_rule_flags(command)
    command.set_defaults(run=run_table)


def run_table(options):
    """`hierviz table`."""
    require_places(options.out)
    rule = "majority" if options.rule is None else options.rule
    check_rule_flags(options, rule)
    check_threads(options.threads, "--threads")
    thresholds = thresholds_of(options)
    taxonomy, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels)
    require_same_samples(predictions)
    metrics = None if options.metrics is None else ",".join(options.metrics)
    columns_of(taxonomy, options.preset, metrics)  # said before the work
    found = table(
        predictions,
        options.preset,
        metrics,
        rule=rule,
        threshold=thresholds,
        level=options.confidence,
        resamples=options.resamples,
        seed=options.seed,
        group=options.group,
        class_weights=class_weights_of(options, taxonomy),
        threads=options.threads,
        stage=progress,
        **chosen_parameters(options, taxonomy),
    )
    write_text(options.out, FORMATS[options.format](found))
