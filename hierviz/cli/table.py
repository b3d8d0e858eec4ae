"""`hierviz table`: the table that a paper would print, from prediction files."""

import argparse
import json
from dataclasses import replace

from hierviz.cli.conformal import CONFORMAL, check_conformal, conformal_of_models
from hierviz.cli.judging import (
    GROUP,
    OF_NUMBERS,
    OUT,
    RESAMPLES,
    RULE_OF_ALL,
    SEED,
    accretion_of,
    choice_options,
    judged,
)
from hierviz.cli.output import require_places, write_text
from hierviz.cli.trainings import trainings_of
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.evaluation.summary import require_same_samples
from hierviz.messages.errors import FileError
from hierviz.opening.flags import Option
from hierviz.opening.options import with_flags
from hierviz.thresholds.operating_point import operating_point_notes

FORMATS = {
    "md": lambda found, trainings: "\n".join([found.to_markdown(), *(one.to_text() for one in trainings)]),
    "csv": lambda found, _: found.to_csv(),
    "latex": lambda found, _: found.to_latex(),
    "json": lambda found, trainings: (
        json.dumps(
            with_flags(found.to_dict() | ({"trainings": [one.to_dict() for one in trainings]} if trainings else {})),
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    ),
}


def add_table(command):
    """The options of `table`."""
    command.description = (
        "Compare methods by any numbers of `evaluate`: values with spread over runs, intervals, ranks, the best constant answer, "
        "and how far the metrics agree. Of a training (NAME@STEP=FILE or NAME@=FOLDER) the table has the last step; md and json "
        "also have the numbers over its steps."
    )
    rule = replace(
        RULE_OF_ALL, usage="--rule [NAME=]KEY", help=f"{RULE_OF_ALL.help}; NAME= for one model", several=True
    )
    return [
        *choice_options(rule),
        Option("--preset KEY", f"columns of a published table, or all: {', '.join(PRESETS)}"),
        Option(
            "--metrics block.key,...",
            "columns, after those of --preset, such as curve.ac,labels.macro_f1_by_depth.2 (docs/metrics.md)",
            several=True,
        ),
        Option(
            "--format FORM", f"form of the table: {', '.join(FORMATS)} (default: md)", choices=FORMATS, default="md"
        ),
        OUT,
        Option("--confidence X", "level of the intervals (default: 0.95)", type=float, default=0.95),
        RESAMPLES,
        SEED,
        GROUP,
        # A flag of `evaluate`; `run_table` explains why tables have none.
        Option("--media DIR", argparse.SUPPRESS),
        *OF_NUMBERS,
        *CONFORMAL,
    ]


def run_table(options):
    """`hierviz table`."""
    if options.media is not None:
        raise FileError(
            "--media: expected none for a table, got one. No number depends on pictures: hierviz evaluate --media checks them, "
            "hierviz app shows them."
        )
    require_places(options, options.out)
    check_conformal(options)
    options.shows_steps = options.format in ("md", "json") and options.cluster is None
    chosen = judged(options, rule_of_each=True)
    accretion, of_accretion = accretion_of(options, chosen.taxonomy)
    require_same_samples(chosen.predictions)
    metrics = None if options.metrics is None else ",".join(options.metrics)
    columns_of(chosen.taxonomy, options.preset, metrics)  # reported before the work
    models, nodes = None, []
    if options.conformal is not None:
        models = chosen.evaluations()
        nodes = [of_model for of_model, _ in conformal_of_models(options, chosen, models)]
    how = {"level": options.confidence, "accretion": accretion, "group": options.group, "conformal": nodes}
    found = chosen.table(metrics, models, **how)
    if chosen.point is not None:
        for file in found.files:
            found.notes.extend(f"{file.name}: {note}" for note in operating_point_notes(chosen.point, file.summary))
    found.notes.extend(of_accretion)
    trainings = {}
    if options.shows_steps:
        trainings = trainings_of(chosen, metrics, level=options.confidence, group=options.group)
    write_text(options.out, FORMATS[options.format](found, list(trainings.values())))
