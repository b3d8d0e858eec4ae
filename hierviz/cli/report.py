"""`hierviz report`: one HTML file with numbers, curves, examples and mistakes, to share."""

import shlex
import sys
from dataclasses import replace

from hierviz.cli.conformal import CONFORMAL, check_conformal, conformal_of_models
from hierviz.cli.judging import (
    CONFIDENCE_MAP,
    GROUP,
    REVIEW_OF_VIEWS,
    SEED,
    THREADS,
    Judged,
    check_rule_flags,
    choice_options,
    chosen_parameters,
    judged,
    load_models,
    thresholds_of,
)
from hierviz.cli.output import progress, require_places, require_unread
from hierviz.cli.sensitivity import sensitivities_of_report
from hierviz.evaluation.summary import require_same_samples
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import FileError
from hierviz.opening.flags import Option, repeated
from hierviz.opening.options import DEMO, options_of, with_flags, without_folder
from hierviz.readers.review_file import load_review
from hierviz.taxonomy.checks import check_threads


def add_report(command):
    """The options of `report`."""
    command.description = (
        "Write one HTML file that opens in a browser without a network: numbers, operating curves with a threshold to drag, "
        "examples, a confusion matrix and the taxonomy that open and close, and the numbers of `evaluate` as JSON."
    )
    pictures = "maximum size in MB of all pictures of samples: they are reduced, then left out with a note (default: 5)"
    return [
        *choice_options(required=False),
        DEMO,
        *options_of(("model", "inputs", "media"), several=("model",)),
        Option("--out F.html", "file to write", required=True),
        Option("--title T", "title of the page"),
        Option(
            "--note TEXT",
            "note of the author; may be given several times, one paragraph each",
            several=True,
            default=(),
        ),
        Option("--look-at NAME", "model of the examples, the matrix and the taxonomy (default: the first)"),
        Option("--worst N", "samples with the worst answers (default: 6)", type=int, default=6),
        repeated("--sample ID", "id of a sample to show"),
        Option("--random N", "samples drawn at random (default: 3)", type=int, default=3),
        SEED,
        Option(
            "--sensitivity N",
            "where the model looks, for the first N samples shown; with --model, or --demo vehicles (default: 0)",
            type=int,
            default=0,
        ),
        Option("--max-mb N", pictures, type=float, default=5.0),
        CONFIDENCE_MAP,
        replace(GROUP, help="of --confidence-map: column of the groups that samples belong to; a group is in one fold"),
        REVIEW_OF_VIEWS,
        *CONFORMAL,
        repeated("--view LINK", "link of a page of the app (Copy link) to start the report with"),
        Option(
            "--story F|demo", "session file whose story starts the report, or demo for the story of the vehicle demo"
        ),
        Option(
            "--folders", "include the folders of files, not only their names, in the command that reproduces the report"
        ),
        THREADS,
    ]


def run_report(options):
    """`hierviz report`."""
    from hierviz.reports.report_file import TITLE, ReportRun, report
    from hierviz.reports.report_samples import ReportSamples

    require_places(options, options.out)
    check_conformal(options)
    chosen = _judged(options)
    predictions = chosen.predictions
    require_same_samples(predictions)
    conformal = ()
    if options.conformal is not None:
        evaluations = chosen.evaluations()
        conformal = tuple(found for found, _ in conformal_of_models(options, chosen, evaluations))
    samples = ReportSamples(options.worst, options.random, options.seed, options.sample, options.max_mb)
    samples = replace(samples, confidence_map=options.confidence_map or "none", group=options.group)
    if options.group is not None and options.confidence_map is None:
        raise FileError("--group: expected --confidence-map with it, got none. Add it, or leave the groups out.")
    if options.sensitivity < 0:
        raise FileError(f"--sensitivity: expected a number of samples from 0, got {options.sensitivity}. Give one.")
    if options.sensitivity:
        samples = replace(samples, sensitivities=tuple(sensitivities_of_report(options, chosen, samples)))
    if options.review is not None:
        if not options.view and not options.story:
            raise FileError(
                "--review: expected --view or --story with it, whose samples it chooses, got neither. Add one."
            )
        samples = replace(samples, review=load_review(options.review, predictions[0]))
    words = options.arguments if options.folders else map(without_folder, options.arguments)
    made = report(
        evaluations if conformal else predictions,
        chosen.rules[0],
        chosen.thresholds,
        title=TITLE if options.title is None else options.title,
        notes="\n\n".join(options.note),
        model=options.look_at,
        samples=samples,
        run=ReportRun(shlex.join(["hierviz", *words]), with_flags, progress, options.threads, conformal),
        class_weights=chosen.class_weights,
        story=(*_views(options, predictions), *_story(options, predictions)),
        **chosen.parameters,
    )
    require_unread(options.out)
    made.write(options.out)
    if made.left_out:
        print(f"note: {made.left_out}", file=sys.stderr)


def _views(options, predictions):
    """The steps that ``--view`` names."""
    from hierviz.reports.story_step import step_from_link

    has_truth = bool(predictions[0].has_truth.any())
    return [step_from_link(link, has_truth) for link in options.view]


def _story(options, predictions):
    """The steps that ``--story`` names."""
    import json

    from hierviz.evaluation.evaluation import Evaluation
    from hierviz.reports.of_the_demo import demo_story
    from hierviz.reports.story_step import model_keys, story_from

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
        steps = story_from(found["story"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        steps = ()
    if not steps:
        raise FileError(f"{options.story}: expected a session file with a story, got none. Save one with Save.")
    return steps


def _judged(options):
    """The Judged of files, of models that are run here, or of the demo."""
    given = [name for name in ("demo", "model", "predictions") if getattr(options, name)]
    if len(given) != 1:
        raise FileError(
            "report: expected one of --predictions, --model and --demo, got "
            f"{' and '.join(f'--{name}' for name in given) or 'none'}. Choose one."
        )
    if options.predictions and options.taxonomy:
        return judged(options)
    rule = rule_and_threshold(options.rule, options.threshold)[0]
    check_rule_flags(options, rule)
    check_threads(options.threads, "--threads")
    taxonomy, predictions = _run(options)
    thresholds = thresholds_of(options, [found.name for found in predictions])
    parameters = chosen_parameters(options, taxonomy)
    return Judged(options, taxonomy, predictions, [rule] * len(predictions), thresholds, parameters)


def _run(options):
    """Taxonomy and Predictions of models that are run here."""
    if not options.demo and not options.taxonomy:
        raise FileError("report: expected --taxonomy, got nothing. Name the file of the tree of classes.")
    if options.model:
        if not options.inputs:
            raise FileError(
                "report: expected --inputs with --model, got none. Name pictures, a table, texts or an array."
            )
        return load_models(options)
    if options.taxonomy:
        raise FileError("--taxonomy: expected none with --demo, got one. Leave one of them out.")
    from hierviz.demo import load_demo, load_wikipedia

    if options.demo == "wikipedia":
        return load_wikipedia(progress)
    return load_demo(progress=progress("Running the models of the demo"))
