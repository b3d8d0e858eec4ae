"""The options that name files, and the predictions they stand for."""

from __future__ import annotations

from hierviz.cli.model_flags import add_model_flags
from hierviz.cli.named_files import run_files, values_by_method
from hierviz.cli.output import progress
from hierviz.cli.projection_flags import (
    add_projection_flags,
    asks_for_projection,
    check_projection,
    is_partial,
    projected,
)
from hierviz.cli.taxonomy_flags import add_taxonomy_flags, taxonomy_options
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.predictions.predictions import with_distinct_names
from hierviz.readers.join import IDS
from hierviz.readers.predictions_file import FORMS as PREDICTION_FORMS
from hierviz.readers.taxonomy_file import FORMS

# Of `hierviz.demo.DEMOS`, which need not be imported to print the help.
DEMO_NAMES = ("vehicles", "wikipedia")


def add_input(command, *, several, taxonomy=True, level="--level", required=True):
    """Options of the commands that read predictions; `level` is what the flag of the rank to cut at is called.

    A command with a `taxonomy` of its own need not have any, and one with other sources asks for them itself: `required`.
    """
    if taxonomy:
        command.add_argument(
            "--taxonomy", required=required, metavar="T", help=f"taxonomy in one of these forms: {', '.join(FORMS)}"
        )
        add_taxonomy_flags(command)
    command.add_argument(
        "--predictions",
        required=taxonomy and required,
        metavar="P",
        action="append",
        help="scores or labels: CSV, TSV, Parquet, JSON, .npy, .npz, a folder of Parquet parts"
        + (
            "; several times for several models; NAME=P names the model, and files of one name are its runs"
            if several
            else ""
        ),
    )
    add_predictions_form(command)
    command.add_argument("--truth", metavar="F", help="file of the truth, when it is not in the predictions")
    command.add_argument("--truth-column", metavar="C", help="column of the truth")
    command.add_argument(
        "--classes",
        metavar="[NAME=]F",
        action="append",
        help="node of each score column: one per line, or a CSV with such a column; NAME= for one model",
    )
    command.add_argument(
        "--parametrisation",
        metavar="[NAME=]KEY",
        action="append",
        help=f"how scores become probabilities, NAME= for one model: {', '.join(PARAMETRISATIONS)}",
    )
    add_reading(command)
    add_projection_flags(command, level)


def add_predictions_form(command, several=True):
    """The option `--predictions-form`; where it is for `several` models, one of them can have its own."""
    forms = f"{', '.join(PREDICTION_FORMS)} (docs/formats.md)"
    words = "form of the predictions where it is not recognised"
    if not several:
        return command.add_argument(
            "--predictions-form", choices=tuple(PREDICTION_FORMS), metavar="FORM", help=f"{words}: {forms}"
        )
    return command.add_argument(
        "--predictions-form", metavar="[NAME=]FORM", action="append", help=f"{words}, NAME= for one model: {forms}"
    )


def add_reading(command):
    """Options that say what a file leaves open about its scores and ids; returns the actions."""
    return [
        command.add_argument(
            "--missing",
            metavar="unknown|zero",
            help="what the scores of classes are that a sample does not list: unknown (numbers get bounds), or zero, also of "
            "classes without a column",
        ),
        command.add_argument("--percent", action="store_true", help="scores are percent: they are divided by 100"),
        command.add_argument(
            "--ids",
            choices=IDS,
            metavar="text|number",
            help="how ids of predictions and truth are compared: as they stand (default), or numbers so that 1.0 is 1",
        ),
    ]


def add_app_options(command):
    """Options that say which files the app opens; the app reads the same ones after `streamlit run app.py --`.

    Returns
    -------
    list of argparse.Action
    """
    return [
        add_demo_option(command, "(default without files: vehicles)"),
        command.add_argument(
            "--predictions",
            metavar="P",
            action="append",
            default=[],
            help="scores or labels; may be given several times; NAME=P names the model, and files of one name are its runs",
        ),
        command.add_argument("--nodes", metavar="F", help="attributes of the nodes: node, name, ..."),
        add_predictions_form(command, several=False),
        *add_taxonomy_flags(command),
        *add_reading(command),
        *add_projection_flags(command),
        *add_model_flags(command, required=False),
    ]


def add_demo_option(command, more):
    """The option that names a bundled demo."""
    return command.add_argument(
        "--demo",
        nargs="?",
        const=DEMO_NAMES[0],
        choices=DEMO_NAMES,
        metavar="NAME",
        help=f"a bundled demo {more}: vehicles (drawings; if no name is given) or wikipedia (texts)",
    )


def load_models(options, *, keep_empty_labels=False, read_scores=True):
    """Taxonomy and Predictions that the options of `evaluate` and `curve` name; see `load_predictions` for `read_scores`."""
    from hierviz.readers.node_attributes import load_node_attributes
    from hierviz.readers.predictions_file import load_predictions
    from hierviz.readers.streams import rewindable
    from hierviz.readers.taxonomy_file import load_taxonomy

    check_projection(options)
    # Every prediction file is joined with them anew.
    files = run_files(options.predictions)
    methods = [file.method for file in files]
    parametrisations = values_by_method("--parametrisation", options.parametrisation, methods)
    truth, classes = rewindable(options.truth), values_by_method("--classes", options.classes, methods)
    forms = values_by_method("--predictions-form", options.predictions_form, methods)
    rewound = {path: rewindable(path) for path in dict.fromkeys(classes)}  # a pipe is read once
    taxonomy = load_taxonomy(options.taxonomy, **taxonomy_options(options))
    if getattr(options, "nodes", None):
        taxonomy = load_node_attributes(options.nodes, taxonomy)
    models = [
        load_predictions(
            file.path,
            taxonomy,
            name=file.name,
            truth=truth,
            parametrisation=parametrisation,
            classes=rewound[of_classes],
            truth_column=options.truth_column,
            keep_empty_labels=keep_empty_labels,
            missing=options.missing,
            percent=options.percent,
            ids=options.ids,
            form=form,
            partial=is_partial(options),
            read_scores=read_scores or asks_for_projection(options),
            stage=progress,
        ).replace(run=file.run)
        for file, parametrisation, of_classes, form in zip(files, parametrisations, classes, forms, strict=True)
    ]
    models = projected(options, models)
    return models[0].taxonomy, with_distinct_names(models)
