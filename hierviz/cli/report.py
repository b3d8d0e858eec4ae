"""`hierviz report`: one HTML file with numbers, curves, examples and mistakes, to send to somebody."""

from __future__ import annotations

import os
import shlex
import sys

from hierviz.cli.evaluate import add_choice, add_threads, class_weights_of, rule_of, thresholds_of
from hierviz.cli.files import add_demo_option, load_models
from hierviz.cli.named_files import values_by_method
from hierviz.cli.output import progress, require_places, require_unread
from hierviz.cli.parameter_flags import with_flags
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.cli.taxonomy_flags import taxonomy_options
from hierviz.evaluation.summary import require_same_samples
from hierviz.messages.errors import FileError
from hierviz.taxonomy.checks import check_threads


def add_report(commands):
    """Add the command `report`."""
    command = commands.add_parser(
        "report",
        help="write one HTML file with numbers, curves, examples and mistakes, which needs no network",
        description="Write one HTML file that opens in a browser without a network: numbers, operating curves with a threshold "
        "to drag, examples, a confusion matrix and the taxonomy that open and close, and the numbers of `evaluate` as JSON.",
    )
    add_choice(command, required=False)
    add_demo_option(command, "in place of files")
    command.add_argument(
        "--model",
        metavar="M",
        action="append",
        help="ONNX model to run in place of --predictions; several times for several",
    )
    command.add_argument(
        "--inputs", metavar="I", help="inputs of the models: pictures (folder, zip), a table, texts or arrays"
    )
    command.add_argument("--media", metavar="DIR|ZIP", help="pictures named by the column `image` or `file`")
    command.add_argument("--out", required=True, metavar="F.html", help="file to write")
    command.add_argument("--title", metavar="T", help="title of the page")
    command.add_argument(
        "--note",
        metavar="TEXT",
        action="append",
        default=[],
        help="what the author has to say; several times for paragraphs",
    )
    command.add_argument(
        "--look-at", metavar="NAME", help="model of the examples, the matrix and the taxonomy (default: the first)"
    )
    command.add_argument(
        "--worst", type=int, default=6, metavar="N", help="samples with the worst answers (default: 6)"
    )
    command.add_argument(
        "--sample", action="append", default=[], metavar="ID", help="id of a sample to show; several times"
    )
    command.add_argument("--random", type=int, default=3, metavar="N", help="samples drawn at random (default: 3)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draw (default: 0)")
    command.add_argument(
        "--max-mb",
        type=float,
        default=5.0,
        metavar="N",
        help="megabytes of pictures of samples: they are reduced, then left out, and the report says so (default: 5)",
    )
    command.add_argument(
        "--view",
        metavar="LINK",
        action="append",
        default=[],
        help="link of a page of the app (Copy link) that the report begins with; several times for several",
    )
    command.add_argument(
        "--story",
        metavar="F|demo",
        help="session file whose story the report begins with, or demo for the story of the demo of vehicles",
    )
    command.add_argument(
        "--folders",
        action="store_true",
        help="write the folders of files into the command that makes the file again, not their names alone",
    )
    add_threads(command)
    add_rule_flags(command)
    command.set_defaults(run=run_report)


def run_report(options):
    """`hierviz report`."""
    from hierviz.reports.report_file import TITLE, report

    require_places(options, options.out)
    rule = rule_of(options)
    check_rule_flags(options, rule)
    check_threads(options.threads, "--threads")
    taxonomy, predictions = _models(options)
    if options.predictions:
        thresholds = thresholds_of(options)
    else:
        given = values_by_method("--threshold", options.threshold, [found.name for found in predictions], float)
        thresholds = [0.5 if threshold is None else threshold for threshold in given]
    require_same_samples(predictions)
    made = report(
        predictions,
        rule,
        thresholds,
        title=TITLE if options.title is None else options.title,
        notes="\n\n".join(options.note),
        model=options.look_at,
        worst=options.worst,
        samples=options.sample,
        random=options.random,
        seed=options.seed,
        max_mb=options.max_mb,
        command=shlex.join(
            ["hierviz", *(options.arguments if options.folders else map(without_folder, options.arguments))]
        ),
        words=with_flags,
        stage=progress,
        threads=options.threads,
        class_weights=class_weights_of(options, taxonomy),
        story=(*_views(options, predictions), *_story(options, predictions)),
        **chosen_parameters(options, taxonomy),
    )
    require_unread(options.out)
    made.write(options.out)
    if made.left_out:
        print(f"note: {made.left_out}", file=sys.stderr)


def without_folder(word):
    """A word of a command, such as ``A=/home/me/a.csv``, without the folders that are nobody else's business."""
    start, equals, path = word.rpartition("=")
    is_of_here = os.path.isabs(path) or os.path.exists(path) or os.path.isdir(os.path.dirname(path))
    return f"{start}{equals}{os.path.basename(path.rstrip(os.sep)) or path}" if is_of_here else word


def _views(options, predictions):
    """The steps that ``--view`` names."""
    from hierviz.reports.of_a_link import step_from_link

    has_truth = bool(predictions[0].has_truth.any())
    return [step_from_link(link, has_truth) for link in options.view]


def _story(options, predictions):
    """The steps that ``--story`` names."""
    import json

    from hierviz.evaluation.evaluation import Evaluation
    from hierviz.reports.of_the_demo import demo_story
    from hierviz.reports.story_step import model_keys, stories_from

    if options.story is None:
        return ()
    if options.story == "demo":
        if options.demo != "vehicles":
            raise FileError("--story: expected a session file, got demo without --demo. Name a file, or add --demo.")
        keys = model_keys(found.name for found in predictions)
        return demo_story({key: Evaluation.from_predictions(found) for key, found in zip(keys, predictions)})
    try:
        with open(options.story, encoding="utf-8") as file:
            found = json.load(file)
        steps = stories_from(found["story"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        steps = ()
    if not steps:
        raise FileError(f"{options.story}: expected a session file with a story, got none. Save one with Save.")
    return steps


def _models(options):
    """Taxonomy and Predictions: of files, of models that are run here, or of the demo."""
    given = [name for name in ("demo", "model", "predictions") if getattr(options, name)]
    if len(given) != 1:
        raise FileError(
            "report: expected one of --predictions, --model and --demo, got "
            f"{' and '.join(f'--{name}' for name in given) or 'none'}. Choose one."
        )
    if options.demo:
        if options.taxonomy:
            raise FileError("--taxonomy: expected none beside --demo, got one. Leave one of them out.")
        from hierviz.demo import load_demo, load_wikipedia

        if options.demo == "wikipedia":
            return load_wikipedia(progress)
        return load_demo(progress=progress("Running the models of the demo"))
    if not options.taxonomy:
        raise FileError("report: expected --taxonomy, got nothing. Name the file of the tree of classes.")
    if options.model:
        return _run(options)
    taxonomy, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels)
    if options.media:
        from hierviz.readers.attach import attach_media

        predictions = [attach_media(found, options.media) for found in predictions]
    return taxonomy, predictions


def _run(options):
    """Predictions of ONNX models on --inputs."""
    from hierviz.onnx.inputs.model_inputs import load_inputs
    from hierviz.onnx.model import load_model
    from hierviz.predictions.predictions import with_distinct_names
    from hierviz.readers.attach import attach_media, attach_truth
    from hierviz.readers.taxonomy_file import load_taxonomy

    if not options.inputs:
        raise FileError(
            "report: expected --inputs beside --model, got none. Name pictures, a table, texts or an array."
        )
    several = [name for name in ("classes", "parametrisation") if len(getattr(options, name) or ()) > 1]
    if several:
        raise FileError(
            f"--{several[0]}: expected one for all models, got several. Run `hierviz predict` for each model."
        )
    classes, parametrisation = ((getattr(options, name) or [None])[0] for name in ("classes", "parametrisation"))
    taxonomy, predictions = load_taxonomy(options.taxonomy, **taxonomy_options(options)), []
    for path in options.model:
        model = load_model(path, taxonomy, classes=classes, parametrisation=parametrisation)
        found = model.predict(load_inputs(options.inputs, model), progress=progress(model.name))
        found = attach_truth(found, options.truth, options.truth_column) if options.truth else found
        predictions.append(attach_media(found, options.media) if options.media else found)
    return taxonomy, with_distinct_names(predictions)
