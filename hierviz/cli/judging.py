"""Options that commands share: which files are read, by which rule they are judged; and the predictions they name."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierviz.cli.output import progress
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, inference_rule, rule_and_threshold, rule_parameters
from hierviz.messages.errors import FileError, near_miss
from hierviz.messages.number_text import step_text
from hierviz.opening.files import OF_FILES, OPTIONS, files_of
from hierviz.opening.flags import Option
from hierviz.opening.loading import load_files, with_trainings
from hierviz.opening.named_files import values_by_method
from hierviz.opening.options import CLUSTER, READING, TAXONOMY, options_of, projection_options
from hierviz.predictions.predictions import with_distinct_names
from hierviz.taxonomy.checks import check_threads
from hierviz.uncertainty.confidence_folds import MAPS
from hierviz.uncertainty.resamples import MOST_RESAMPLES

JSON = Option("--json FILE|-", "file for the JSON (- is standard output, the default)", default="-")
OUT = Option("--out FILE|-", "file to write (- is standard output, the default)", default="-")
THREADS = Option("--threads N", "threads for large files, with numba installed (default: all processors)", type=int)
GROUP = Option("--group C", "column of the groups that samples belong to; groups are drawn or permuted as a whole")
CONFIDENCE_MAP = Option(
    "--confidence-map KEY",
    f"how the confidence of the answers is calibrated, on held-out folds: {', '.join(MAPS)}; node probabilities stay as they are",
    choices=tuple(MAPS),
)
RESAMPLES = Option(
    "--resamples N",
    f"bootstrap resamples, up to {MOST_RESAMPLES:,}; 0 for no intervals (default: 1000)",
    type=int,
    default=1000,
)
SEED = Option("--seed N", "seed of random draws (default: 0)", type=int, default=0)
(NODES,) = options_of(["nodes"])
(MEDIA,) = options_of(["media"])
METAVARS = {"number": "X", "choice": "KEY", "costs": "KEY|F.csv", "numbers": "X,X,..."}
RULE_OF_ALL = Option(
    "--rule KEY", f"one of {', '.join(INFERENCE_RULES)} (default: majority, or threshold where --threshold is given)"
)
# Of commands that judge one model.
ONE_RULE = (
    RULE_OF_ALL,
    Option("--threshold X", "of the rules `threshold` and `threshold_set` (default: 0.5)", type=float),
)
REVIEW = Option(
    "--review F",
    "what an expert said of samples, as the page Mistakes exports it: adds the numbers with accepted answers as exact and "
    "without the samples whose label is wrong",
)
REVIEW_OF_VIEWS = Option(
    "--review F", "what an expert said of samples, as the page Mistakes exports it, for views that show samples by it"
)
# Of `evaluate` and `table`.
OF_NUMBERS = (
    Option(
        "--operating-point F.json",
        "rule and threshold from a file exported by the app; notes compare its values and guarantee with those measured",
    ),
    THREADS,
    CLUSTER,
    Option(
        "--annotations F",
        "terms of annotated proteins, as a truth file: adds F-max, weighted F-max and S-min (protein function)",
    ),
    Option("--ia F", "information accretion of each term, term and bits; for the same numbers"),
)


def input_options(*, taxonomy=True, level="--level", required=True):
    """Options of the commands that read predictions; `level` is what the flag of the rank to cut at is called.

    A command with a `taxonomy` of its own need not have any, and one with other sources asks for them itself: `required`.
    """
    names = ("predictions", "predictions_form", "truth", "truth_column", "classes", "parametrisation", *READING)
    names = ("taxonomy", *TAXONOMY, *names) if taxonomy else names
    needed = ("taxonomy", "predictions") if taxonomy and required else ()
    return [*options_of(names, of_files=OF_FILES, required=needed), *projection_options(level)]


def files_read(options):
    """The Files that a command reads: of a training the last step, unless the command takes each step for a model."""
    files = files_of(options)
    return files if getattr(options, "each_step", False) else files.of_last_steps


def load_models(options, *, keep_empty_labels=False, read_scores=True):
    """Taxonomy and Predictions that the options of a command name; see `load_predictions` for `read_scores`.

    A note on standard error says which step of a training is read, where the command does not show the others.
    """
    files = files_read(options)
    shows_all = getattr(options, "each_step", False) or getattr(options, "shows_steps", False)
    for name, steps in () if shows_all else files_of(options).trainings.items():
        note_last_step(name, list(steps))
    taxonomy, models, _ = load_files(files, progress, keep_empty_labels=keep_empty_labels, read_scores=read_scores)
    if not getattr(options, "each_step", False):
        models = with_trainings(files_of(options), models)
    return taxonomy, with_distinct_names(models)


def note_last_step(name, steps):
    """Say on standard error which step of a training is read."""
    print(
        f"note: {name}: the last of {len(steps)} steps, {step_text(steps[-1])}; `hierviz table` and `hierviz chart training` "
        "show all",
        file=sys.stderr,
    )


def choice_options(rule=RULE_OF_ALL, required=True):
    """Options of the commands that judge several files: the files, and by which rule and threshold."""
    return [
        *input_options(required=required),
        rule,
        Option(
            "--threshold [NAME=]X",
            "threshold of the rules `threshold` and `threshold_set` and of the block `labels` (default: 0.5), NAME= for one "
            "model",
            several=True,
        ),
        Option("--keep-empty-labels", "count an empty label as a predicted label outside the taxonomy"),
        Option(
            "--class-weights equal|F",
            "add the numbers of the curve as means over classes, with equal weights or those of a table: node, weight",
        ),
        OPTIONS["nodes"],
    ]


def rule_options(prefix="", words=""):
    """An option for every parameter of a rule but the threshold, which has its own; `prefix` and `words` of a second rule."""
    return {
        name: Option(
            f"{flag(prefix + name)} {METAVARS[parameter.kind]}",
            words + _help(parameter, [f"`{key}`" for key in _rules_with(name)]),
            type=float if parameter.kind == "number" else None,
            dest=prefix + name,
        )
        for name, parameter in _flagged().items()
    }


def add_rule_flags(command, own=()):
    """Add an option for every parameter of a rule, after all others; those of `own` the command has and passes on itself."""
    for name, option in rule_options().items():
        if name in own:
            command.set_defaults(**{name: None})
            continue
        try:
            option.add_to(command)
        except argparse.ArgumentError:
            raise FileError(
                f"{flag(name)}: expected a flag that `evaluate` has not yet, for a parameter of rule "
                f"{', '.join(_rules_with(name))}. Rename the parameter."
            ) from None


@dataclass
class Judged:
    """Predictions of files, and how each of them is judged.

    Attributes
    ----------
    options : argparse.Namespace
    taxonomy : Taxonomy
    predictions : list of Predictions
    rules, thresholds : list
        One for each of the predictions.
    parameters : dict
        Of the rules.
    point : ThresholdPoint or None
        The operating point that sets rule and threshold.
    """

    options: Any
    taxonomy: Any
    predictions: list[Any]
    rules: list[str]
    thresholds: list[float]
    parameters: dict[str, Any]
    point: Any = None

    @property
    def choices(self):
        """Rule, threshold and parameters of each of the predictions, as keywords."""
        both = zip(self.rules, self.thresholds, strict=True)
        return [{"rule": rule, "threshold": threshold, **self.parameters} for rule, threshold in both]

    @property
    def choice(self):
        """Rule of the first, and parameters, as keywords."""
        return {"rule": self.rules[0], **self.parameters}

    @property
    def class_weights(self):
        """What `--class-weights` says: None, "equal", or the weight of each node."""
        given = self.options.class_weights
        if given in (None, "equal"):
            return given
        from hierviz.readers.class_numbers_file import load_class_weights

        return load_class_weights(given, self.taxonomy)

    def evaluations(self):
        """An Evaluation of each of the predictions, made here or on the Dask cluster that is asked for."""
        if getattr(self.options, "cluster", None) is None:
            here, threads = Evaluation.from_predictions, self.options.threads
            return [
                here(model, progress(model.name), threshold=threshold, threads=threads)
                for model, threshold in zip(self.predictions, self.thresholds, strict=True)
            ]
        from hierviz.cluster.connection import connected
        from hierviz.cluster.running import evaluation_on

        asked = {
            "more": getattr(self.options, "more", False),
            "paths": getattr(self.options, "conformal", None) is not None,
        }
        with connected(self.options.cluster) as client:
            return [
                evaluation_on(client, model, progress(model.name), **asked, **choice)
                for model, choice in zip(self.predictions, self.choices, strict=True)
            ]

    def table(self, metrics, models=None, **more):
        """The table of the methods; `models` are their `evaluations`, if made; further keywords as of `hierviz.compare`."""
        from hierviz.comparison.table import compare

        options = self.options
        if models is None:
            models = self.predictions if getattr(options, "cluster", None) is None else self.evaluations()
        return compare(
            models,
            options.preset,
            metrics,
            rule=self.rules,
            threshold=self.thresholds,
            class_weights=self.class_weights,
            stage=progress,
            **{name: getattr(options, name) for name in ("resamples", "seed", "threads")},
            **self.parameters,
            **more,
        )


def judged(options, *, rule_of_each=False):
    """The files of a command, read, with how they are judged; reports what is wrong with the options first.

    With `rule_of_each`, every file can have a rule of its own.
    """
    point = getattr(options, "operating_point", None)
    cluster = getattr(options, "cluster", None)
    if point is not None:
        from hierviz.thresholds.operating_point import RULE

        if options.rule is not None or options.threshold is not None:
            raise FileError(
                "--operating-point: expected neither --rule nor --threshold with it, got one of them. Leave it out."
            )
    rules = rules_of(options, rule_of_each) if point is None else [RULE] * len(files_read(options).predictions)
    check_rule_flags(options, *rules)
    check_threads(options.threads, "--threads")
    if getattr(options, "annotations", None) is not None and options.ia is not None:
        raise FileError("--ia: expected no --annotations with it, got both. Leave one of them out.")
    thresholds = thresholds_of(options)
    if cluster is not None:
        from hierviz.cluster.connection import local_workers

        local_workers(cluster)  # reported before an hour of reading
    taxonomy, predictions = load_models(
        options, keep_empty_labels=options.keep_empty_labels, read_scores=cluster is None
    )
    check_answers_are_open(options, predictions)
    if point is not None:
        from hierviz.readers.operating_point_file import load_operating_point

        point = load_operating_point(point, taxonomy)
        thresholds = [point.threshold] * len(predictions)
    parameters = chosen_parameters(options, taxonomy)
    return Judged(options, taxonomy, predictions, rules, thresholds, parameters, point)


def judged_one(options, what):
    """As `judged`, for the commands that judge one model; `what` is what several files cannot be for."""
    rule, threshold = rule_and_threshold(options.rule, options.threshold)
    check_rule_flags(options, rule)
    if options.threshold is not None:
        require_threshold("--threshold", rule)
    taxonomy, predictions = load_models(options)
    require_one(predictions, what)
    check_answers_are_open(options, predictions)
    return Judged(options, taxonomy, predictions, [rule], [threshold], chosen_parameters(options, taxonomy))


def require_threshold(given, *rules):
    """Raise a FileError unless one of some rules has a threshold; `given` is the flag that says which."""
    if not any(inference_rule(rule).needs_threshold for rule in rules):
        with_one = " or ".join(f"--rule {key}" for key in _rules_with(THRESHOLD.name))
        raise FileError(
            f"{given}: expected {with_one} with it, got rule {' and '.join(dict.fromkeys(rules))}. Choose one of them, or leave "
            f"{given} out."
        )


def require_one(predictions, what):
    """Raise a FileError unless there is one file."""
    if len(predictions) != 1:
        raise FileError(
            f"--predictions: expected one file for {what}, got {len(predictions)}. Run the command once per model."
        )


def thresholds_of(options, methods=None):
    """The threshold of each file of predictions, or of each of some methods: list of float, 0.5 where none is given."""
    methods = _methods(options) if methods is None else methods
    given = values_by_method("--threshold", options.threshold, methods, float)
    return [0.5 if threshold is None else threshold for threshold in given]


def rules_of(options, rule_of_each=False):
    """The rule of each file of predictions, list of str: majority where none is given, or that of the threshold where one is."""
    methods = _methods(options)
    if not rule_of_each:
        return [rule_and_threshold(options.rule, options.threshold)[0]] * len(methods)
    given = values_by_method("--rule", options.rule, methods)
    thresholds = values_by_method("--threshold", options.threshold, methods, float)
    return [rule_and_threshold(rule, of_file)[0] for rule, of_file in zip(given, thresholds, strict=True)]


def _methods(options):
    """The method of each file that is read."""
    return [run.method for run, *_ in files_read(options).readings]


def accretion_of(options, taxonomy):
    """(information accretion of each term or None, notes) that the options ask for."""
    if options.ia is not None:
        from hierviz.readers.class_numbers_file import load_accretion

        return load_accretion(options.ia, taxonomy)
    if options.annotations is None:
        return None, []
    from hierviz.metrics.sets.protein_function import information_accretion
    from hierviz.readers.truth_file import load_truth

    truth = load_truth(options.annotations, taxonomy)
    nodes = truth.nodes if hasattr(truth.nodes, "lengths") else truth.nodes[truth.nodes >= 0]
    bits = information_accretion(taxonomy, nodes)
    n_unknown = int(np.isnan(bits).sum())
    notes = [f"{truth.where}: information accretion from the annotations of {len(nodes)} proteins"]
    if n_unknown:
        notes.append(f"{truth.where}: {n_unknown} of {taxonomy.n_nodes - 1} terms are no protein's; they weigh 0")
    return bits, notes


def check_rule_flags(options, *rules, prefix=""):
    """Raise an error when there is no such rule, or a flag is given that none takes: that would change nothing."""
    entries = [inference_rule(rule) for rule in rules]
    for name in _flagged():
        if getattr(options, prefix + name, None) is not None and not any(name in entry.parameters for entry in entries):
            given = flag(prefix + name)
            raise FileError(
                f"{given}: expected {' or '.join(f'{flag(prefix)}rule {key}' for key in _rules_with(name))} with it, got "
                f"rule {' and '.join(dict.fromkeys(rules))}. Choose that rule, or leave {given} out."
            )


def check_answers_are_open(options, predictions):
    """Raise a FileError when a rule, or a setting of one, is given for files of labels alone: these are the answers."""
    if any(one.has_scores for one in predictions):
        return
    given = next(
        (flag(name) for name in ("rule", "threshold", *_flagged()) if getattr(options, name, None) is not None), None
    )
    if given is not None:
        raise FileError(
            f"{given}: expected scores, of which a rule makes answers, got labels only, which are the answers. Leave {given} out."
        )


def chosen_parameters(options, taxonomy, prefix=""):
    """The parameters that the flags give, as keywords of `evaluate`."""
    given = {name: getattr(options, prefix + name) for name in _flagged()}
    return {
        name: _value(rule_parameters()[name], value, taxonomy, flag(prefix + name))
        for name, value in given.items()
        if value is not None
    }


def flag(name):
    """The flag of an option by its name."""
    return f"--{name.replace('_', '-')}"


def _flagged():
    return {name: parameter for name, parameter in rule_parameters().items() if name != THRESHOLD.name}


def _rules_with(name):
    return [key for key, entry in INFERENCE_RULES.items() if name in entry.parameters]


def _help(parameter, rules):
    of = f"parameter of rule{'s' if len(rules) > 1 else ''} {' and '.join(rules)}"
    choices = " or ".join(parameter.choices)
    what = {
        "number": f"a {'whole ' * parameter.is_whole}number" + (f" in {parameter.unit}" if parameter.unit else ""),
        "choice": choices,
        "numbers": "numbers from 0 to 1 for the depths 1, 2, ..., the last also for all deeper classes",
        "costs": f"{choices}, or a table of costs: predicted,truth,cost of every pair of leaves, or a column for every leaf; "
        "inner classes may be predicted",
    }[parameter.kind]
    default = f"{parameter.default:g}" if parameter.kind == "number" else parameter.default
    return f"{of}: {what} (default: {default})"


def _value(parameter, given, taxonomy, named):
    if parameter.kind != "costs" or given in parameter.choices:
        return given
    from hierviz.readers.costs_file import load_costs
    from hierviz.readers.temporary_files import rewindable

    if not os.path.exists(given):
        raise FileError(
            f"{named}: expected {', '.join(parameter.choices)} or a table of costs, got {given!r}, which "
            f"is no file.{near_miss(given, parameter.choices)} Name one of them."
        )
    return load_costs(rewindable(given), taxonomy)
