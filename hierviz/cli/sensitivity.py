"""`hierviz chart sensitivity` and `hierviz report --sensitivity`: which parts of a sample move a model between two classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hierviz.cli.judging import Judged, check_rule_flags, chosen_parameters, thresholds_of
from hierviz.cli.output import progress
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.registry import rule_and_threshold
from hierviz.messages.errors import FileError, shown
from hierviz.opening.files import files_of
from hierviz.opening.flags import Option, repeated
from hierviz.opening.loading import is_cut, load_files
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy

MOST = 100
OPTIONS = (
    Option("--between A,B", "two classes (default: those between which the answer was decided)"),
    Option("--fill mean|blur", "what hides a patch of a picture: its mean colour (default) or a blurred copy"),
    Option("--mean-of-samples", "the mean over samples, at least 20: all, or those of --where and --confused"),
    repeated("--where COLUMN=VALUE", "with --mean-of-samples: only samples with this attribute"),
    Option(
        "--confused TRUTH,ANSWER", "with --mean-of-samples: only samples whose truth and answer are at or below these"
    ),
    Option("--most N", f"with --mean-of-samples: drawn at random from more (default: {MOST})", type=int),
)
NAMES = ("model", "inputs", "between", "fill", "mean_of_samples", "where", "confused", "most")


class OfModel(Judged):
    """What the options say: a model, its inputs, and how its answers are chosen.

    Attributes
    ----------
    inputs : ModelInputs
        Of the samples, in their order.
    files : Files
    """

    inputs: Any = None
    files: Any = None


def of_model(options):
    """The OfModel of a command; reports what is wrong with the options first."""
    for flag, value in (("--taxonomy", options.taxonomy), ("--model", options.model), ("--inputs", options.inputs)):
        if not value:
            raise FileError(f"sensitivity: expected {flag}, got none. Name the model, its taxonomy and its inputs.")
    if options.predictions:
        raise FileError("--predictions: expected --model with sensitivity, which is run, got files. Leave them out.")
    files = files_of(options)
    if is_cut(files):
        raise FileError(
            "sensitivity: expected the whole taxonomy, got a part of it. Leave --max-depth and --level out."
        )
    rule, _threshold = rule_and_threshold(options.rule, None)
    check_rule_flags(options, rule)
    taxonomy, predictions, inputs = load_files(files, progress)
    name = predictions[0].name
    rule = rule_and_threshold(options.rule, options.threshold or None)[0]
    made = OfModel(
        options, taxonomy, predictions, [rule], thresholds_of(options, [name]), chosen_parameters(options, taxonomy)
    )
    made.inputs, made.files = inputs[0], files
    return made


def sensitivity_figure(chosen, charts, look):
    """The figure of `hierviz chart sensitivity`."""
    options, (choice,) = chosen.options, chosen.choices
    (evaluation,) = (Evaluation.from_predictions(one, progress(one.name)) for one in chosen.predictions)
    between = None if options.between is None else _two(chosen.taxonomy, "--between", options.between)
    how = {"fill": options.fill or "mean", "between": between}
    looked = AskedModel(chosen.files, chosen.taxonomy, chosen.inputs, evaluation, choice)
    if options.mean_of_samples:
        return charts.sensitivity(_mean(looked, options, how), **look)
    for name in ("where", "confused", "most"):
        if getattr(options, name):
            raise FileError(f"--{name}: expected with --mean-of-samples, got it without. Add --mean-of-samples.")
    return charts.sensitivity(looked.at(_row(evaluation, options.sample, choice), **how), **look)


class AskedModel:
    """A model that is asked about its samples.

    Parameters
    ----------
    files : Files
    taxonomy : Taxonomy
    inputs : ModelInputs
    evaluation : Evaluation
        Of the same samples, in the same order.
    choice : dict
        Rule, threshold and parameters.
    """

    def __init__(self, files, taxonomy: Taxonomy, inputs, evaluation, choice):
        from hierviz.onnx.model import load_model

        self.model = load_model(files.model[0], taxonomy, **files.source_keywords)
        self.inputs, self.evaluation, self.choice = inputs, evaluation, choice
        predictions = evaluation.predictions
        answers = evaluation.answers(**choice)
        self.answers = None if isinstance(answers, NodeLists) else answers
        self.truth = predictions.truth if predictions.has_single_truth and evaluation.n_judged else None

    def at(self, row, **how):
        """The Sensitivity of a row."""
        truth = None if self.truth is None or self.truth[row] < 0 else int(self.truth[row])
        answer = None if self.answers is None else int(self.answers[row])
        told = progress("Sensitivity", "runs")
        return self.model.sensitivity(self.inputs, row, truth=truth, answer=answer, progress=told, **how)


def sensitivities_of_report(options, chosen, samples):
    """A Sensitivity of each of the first ``--sensitivity`` samples that a report shows, of the model it looks at.

    Parameters
    ----------
    options : argparse.Namespace
    chosen : Judged
    samples : ReportSamples
    """
    from hierviz.reports.report_samples import chosen_samples

    names = [one.name for one in chosen.predictions]
    place = names.index(options.look_at) if options.look_at in names else 0
    evaluation = Evaluation.from_predictions(chosen.predictions[place])
    choice = chosen.choices[place]
    rows = [row for _, of_group in chosen_samples(evaluation, samples, **choice) for row in of_group]
    rows = list(dict.fromkeys(rows))[: options.sensitivity]
    looked = AskedModel(*_source(options, chosen.taxonomy, place), evaluation, choice)
    return [looked.at(row) for row in rows]


def _source(options, taxonomy, place):
    """(Files, Taxonomy, ModelInputs) of the model of a report."""
    from hierviz.demo import MODELS, bundle_folder
    from hierviz.onnx.inputs.model_inputs import load_inputs
    from hierviz.onnx.model import load_model
    from hierviz.opening.files import Files

    if options.demo == "vehicles":
        folder = bundle_folder()
        files = Files(
            model=(str(folder / "models" / f"{MODELS[place]}.onnx"),), inputs=str(folder / "assets/demo/pictures.zip")
        )
    elif options.model:
        given = files_of(options)
        files = replace(given, model=(given.model[place],))
    else:
        raise FileError("--sensitivity: expected --model with --inputs, or --demo vehicles, got neither. Add them.")
    if is_cut(files):
        raise FileError(
            "--sensitivity: expected the whole taxonomy, got a part of it. Leave --max-depth and --level out."
        )
    model = load_model(files.model[0], taxonomy, **files.source_keywords)
    return files, taxonomy, load_inputs(files.inputs, model, **files.reading)


def _mean(looked, options, how):
    """The AverageSensitivity of the samples that the options name."""
    from hierviz.diagnosis.sample_filter import SampleFilter, filtered, rows_with

    evaluation, taxonomy = looked.evaluation, looked.model.taxonomy
    pairs = []
    for word in options.where or ():
        column, sign, value = word.partition("=")
        if not sign:
            raise FileError(f"--where: expected COLUMN=VALUE, got {shown(word)}. Write an = between them.")
        pairs.append((column, value))
    if options.confused is None and not evaluation.n_judged:
        rows = np.arange(evaluation.predictions.n_samples)
        rows = rows[rows_with(evaluation.predictions, rows, tuple(pairs), "")]
    else:
        answers = judged_answers(evaluation, **looked.choice)
        ends = (None, None) if options.confused is None else _two(taxonomy, "--confused", options.confused)
        under, answered = (None if one is None else taxonomy.node(one) for one in ends)
        kept = filtered(answers, SampleFilter(under=under, answered=answered, where=tuple(pairs)))
        rows = answers.rows[kept]
    most = MOST if options.most is None else options.most
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(options.seed).permutation(rows)[:most])
    told = progress("Sensitivity", "runs")
    of_all = {"truth": looked.truth, "answers": looked.answers}
    return looked.model.average_sensitivity(looked.inputs, rows, **of_all, progress=told, **how)


def _row(evaluation, sample, choice):
    """The row of a sample, or that of the worst answer."""
    from hierviz.diagnosis.mistakes import worst_rows

    if sample is None:
        return int(worst_rows(evaluation, 1, **choice)[0]) if evaluation.n_judged else 0
    row = evaluation.predictions.row(sample)
    if row is None:
        raise FileError(
            f"--sample: expected the id of a sample, such as {evaluation.predictions.sample_id(0)!r}, got {shown(sample)}. "
            "Correct it."
        )
    return int(row)


def _two(taxonomy, flag, text):
    """Two names of classes with a comma between them; names may have commas of their own."""
    parts = text.split(",")
    splits = [(",".join(parts[:n]).strip(), ",".join(parts[n:]).strip()) for n in range(1, len(parts))]
    known = [pair for pair in splits if all(name in taxonomy.index for name in pair)]
    if known:
        return known[0]
    if len(splits) == 1:
        for name in splits[0]:
            taxonomy.node(name)
    raise FileError(
        f"{flag}: expected two classes of the taxonomy with a comma between them, got {shown(text)}. Correct it."
    )
