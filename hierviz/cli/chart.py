"""`hierviz chart`: one chart of a paper from prediction files, as a picture or as the table behind it."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hierviz.cli import sensitivity
from hierviz.cli.chart_pairs import (
    CHANGE_OPTIONS,
    OF_CHANGES,
    OF_PAIRS,
    PAIR_OPTIONS,
    draw_changes,
    draw_difference,
    draw_together,
    draw_two_by_two,
)
from hierviz.cli.judging import (
    MEDIA,
    RESAMPLES,
    SEED,
    THREADS,
    Judged,
    choice_options,
    flag,
    judged,
    require_one,
    require_threshold,
)
from hierviz.cli.output import require_places, require_unread, write_text
from hierviz.cli.trainings import draw_training
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import FileError, shown
from hierviz.metrics.registry import path_keys
from hierviz.opening.flags import Option
from hierviz.opening.options import options_of
from hierviz.taxonomy.checks import check_one_of, check_whole
from hierviz.uncertainty.resamples import MOST_RESAMPLES

SUFFIXES, OF_SLIDES = (".svg", ".png", ".csv", ".json", ".html"), (".svg", ".png")
MOST_CURVES, WIDTH = 8, 900
# Models that the last line of a slide names, and lines of a matrix that can be read on one.
MOST_NAMES, LINES_OF_SLIDE = 3, 18
# Classes on each side of a flow.
LINES_OF_FLOW = 24


class Chosen(Judged):
    """What the options say: models of the files and how they are judged."""

    def evaluations(self):
        """An Evaluation of each file, by name and run."""
        names = [one.name if one.run is None else f"{one.name} {one.run}" for one in self.predictions]
        return dict(zip(names, super().evaluations(), strict=True))

    def only(self, what):
        """The Evaluation of the only file; `what` is what several cannot be for."""
        require_one(self.predictions, what)
        return next(iter(self.evaluations().values()))


def _example(chosen, charts, look):
    from hierviz.diagnosis.mistakes import worst_rows

    evaluations, sample, choice = chosen.evaluations(), chosen.options.sample, chosen.choices[0]
    if sample is None:
        first = next(iter(evaluations.values()))
        row = int(worst_rows(first, 1, **choice)[0]) if first.n_judged else 0
        sample = first.predictions.sample_id(row)
    return charts.example(evaluations, sample, **choice, **look)


def _icicle(chosen, charts, look):
    from hierviz.diagnosis._node_table import node_table, usable_columns

    table = node_table(chosen.only("a taxonomy"), **chosen.choices[0])
    value = chosen.options.metric or "correct"
    check_one_of("--metric", value, usable_columns(table))
    return charts.subtree_icicle(table, value=value, **look)


def _matrix(chosen, charts, look):
    from hierviz.charts._matrix_lines import lines_at_first, matrix_lines
    from hierviz.diagnosis.confusion_matrix import matrix
    from hierviz.diagnosis.folded_matrix import folded_matrix, opened_to_fill

    evaluation, choice, width = chosen.only("a confusion matrix"), chosen.choices[0], look["width"]
    most = min(lines_at_first(width), LINES_OF_SLIDE) if chosen.options.slide else lines_at_first(width)
    opened = opened_to_fill(matrix(evaluation, **choice), most)
    found = folded_matrix(matrix(evaluation, open_nodes=opened, **choice), matrix_lines(width))
    return charts.matrix(found, **look)


def _flow(chosen, charts, look):
    from hierviz.diagnosis._mistake_flow import mistake_flow
    from hierviz.diagnosis.confusion_matrix import matrix
    from hierviz.diagnosis.folded_matrix import opened_to_fill

    evaluation, choice = chosen.only("a flow of mistakes"), chosen.choices[0]
    most = LINES_OF_SLIDE if chosen.options.slide else LINES_OF_FLOW
    opened = opened_to_fill(matrix(evaluation, **choice), most)
    return charts.mistake_flow(mistake_flow(evaluation, open_nodes=opened, most=most, **choice), **look)


def _frontiers(chosen, charts, look):
    from hierviz.thresholds._rule_frontiers import rule_frontiers

    found = rule_frontiers(chosen.only("the curves of rules"))
    is_front = chosen.options.kind == "fronts"
    return charts.rule_frontiers(found, front=is_front, published=not is_front, **look)


def _decisions(chosen, charts, look):
    from hierviz.thresholds._decisions import decisions

    model, options = chosen.only("rules by metrics"), chosen.options
    metrics = None if options.metric is None else tuple(options.metric.split(","))
    return charts.decisions(
        decisions(model, metrics, n_resamples=options.resamples or 1000, seed=options.seed or 0), **look
    )


def _with_curves(chosen):
    """Evaluations by name, all of which have an operating curve."""
    found = chosen.evaluations()
    for name, model in found.items():
        reason = model.why_no_curve()
        if reason:
            raise FileError(f"{name}: expected an operating curve, got none: {reason}.")
    return found


def _curves(chosen, charts, look):
    found = {name: model.curve for name, model in _with_curves(chosen).items()}
    if len(found) > MOST_CURVES:
        raise FileError(
            f"--predictions: expected at most {MOST_CURVES} files for curves, got {len(found)}. Choose some."
        )
    return charts.operating_curves(found, threshold=_threshold_of_curves(chosen, found), **look)


def _threshold_of_curves(chosen, names):
    """Threshold of the curves: one of all, or that of each."""
    shared = len(set(chosen.thresholds)) == 1
    return chosen.thresholds[0] if shared else dict(zip(names, chosen.thresholds, strict=True))


def _rejection(chosen, charts, look):
    from hierviz.curves._rejection_curve import rejection_curve

    found = {
        name: rejection_curve(model.taxonomy, model.truth, model.judged_table)
        for name, model in _with_curves(chosen).items()
    }
    return charts.rejection_curves(found, **look)


def _selective(chosen, charts, look):
    from hierviz.curves._selective_curve import selective_curve

    found = {
        name: selective_curve(model.taxonomy, model.truth, model.leaf_paths().take(model.rows))
        for name, model in _with_curves(chosen).items()
    }
    return charts.selective_curves(found, **look)


def _facets(chosen, charts, look):
    from hierviz.evaluation.common_samples import curves_by

    by = chosen.options.by
    found = curves_by(list(chosen.evaluations().values()), by)
    return charts.facet_curves(found, by or "", **look)


def _groups(chosen, charts, look):
    from hierviz.diagnosis._means_by import means_by

    by, metric = chosen.options.by or "depth", chosen.options.metric
    runs: dict[str, list[Any]] = {}
    for model, threshold in zip(chosen.evaluations().values(), chosen.thresholds, strict=True):
        answers = judged_answers(model, **(chosen.choice | {"threshold": threshold}))
        runs.setdefault(model.predictions.name, []).append(answers)
    found = {name: means_by(of_method, by, metric=metric) for name, of_method in runs.items()}
    return charts.means_by(found, **look)


def _levels(chosen, charts, look):
    from hierviz.diagnosis._level_matrix import level_matrix

    rule = {} if chosen.options.rule is None else chosen.choice
    found = level_matrix(chosen.predictions, chosen.options.metric or "exact", **rule)
    return charts.level_matrix(found, **look)


def _departures(chosen, charts, look):
    from hierviz.diagnosis._departures import departures

    models = zip(chosen.evaluations().items(), chosen.choices, strict=True)
    return charts.departures({name: departures(model, **choice) for (name, model), choice in models}, **look)


def _ranks(chosen, charts, look):
    return charts.rank_matrix(chosen.table(chosen.options.metric), **look)


def _methods(chosen, charts, look):
    return charts.method_intervals(chosen.table(chosen.options.metric), **look)


def _agreement(chosen, charts, look):
    return charts.agreement_matrix(chosen.table(chosen.options.metric).agreement, **look)


@dataclass(frozen=True)
class Kind:
    """One kind of chart: what it shows, what makes it, and which options it takes."""

    what: str
    make: Callable
    takes: tuple[str, ...] = ()


TABLES = ("metric", "preset", "rule", "threshold", "class_weights")
ONE_RULE = ("rule", "threshold")
KINDS = {
    "example": Kind(
        "why the answer of each file to one sample is what it is (--sample)", _example, ("sample", "media", *ONE_RULE)
    ),
    "curves": Kind(
        "operating curves of up to eight files: correct against information recall", _curves, ("threshold",)
    ),
    "icicle": Kind("the taxonomy, coloured by a number of each class (--metric)", _icicle, ("metric", *ONE_RULE)),
    "matrix": Kind("confusion matrix with as many levels open as fit", _matrix, ONE_RULE),
    "flow": Kind(
        "wrong and coarse answers as ribbons from the classes of the truth to those of the answer", _flow, ONE_RULE
    ),
    "rules": Kind("each rule over all values of its parameter, next to single rules", _frontiers),
    "fronts": Kind("Pareto fronts of the rules", _frontiers),
    "decisions": Kind(
        "which rule for which metric, with the rule that is optimal in theory (--metric KEY,...)",
        _decisions,
        ("metric",),
    ),
    "rejection": Kind("share of wrong answers against share of answered samples", _rejection),
    "selective": Kind(
        "share of wrong answers against the coverage of climbing from the most probable leaf, with hAURC", _selective
    ),
    "facets": Kind("operating curves of each part of the samples (--by)", _facets, ("by",)),
    "groups": Kind(
        "a metric by depth, n_labels, train_count or an attribute (--by, --metric)",
        _groups,
        ("by", "metric", "rule", "threshold"),
    ),
    "levels": Kind(
        "models trained at different levels, each tested at every level (--metric)", _levels, ("metric", "rule")
    ),
    "departures": Kind(
        "at each level, how many of the answers that are right until there are right, stop, or go wrong",
        _departures,
        ONE_RULE,
    ),
    "ranks": Kind("rank of each method by metric (--preset, --metric)", _ranks, TABLES),
    "methods": Kind("one number of all methods, with runs and intervals (--metric)", _methods, TABLES),
    "training": Kind(
        "numbers over the steps of a training, NAME@STEP=FILE or NAME@=FOLDER (--preset, --metric)",
        draw_training,
        ("metric", "preset", "rule", "threshold"),
    ),
    "sensitivity": Kind(
        "which parts of a sample move an ONNX model between two classes (--model, --inputs, --sample)",
        sensitivity.sensitivity_figure,
        ("sample", "media", *sensitivity.NAMES, *ONE_RULE),
    ),
    "agreement": Kind("Kendall's tau-b of the metrics (--preset, --metric)", _agreement, TABLES),
    "twobytwo": Kind(
        "samples that two models have right and wrong, crossed (--reading)",
        draw_two_by_two,
        ("reading", "depth", "correct", "group", *ONE_RULE),
    ),
    "difference": Kind(
        "where in the taxonomy the second of two models is clearly better or worse than the first (--metric)",
        draw_difference,
        ("metric", "group", "correction", *ONE_RULE),
    ),
    "changes": Kind(
        "answers that change from one threshold to another (--to), from one rule to another (--to-rule), or between two files",
        draw_changes,
        (*OF_CHANGES, *ONE_RULE),
    ),
    "together": Kind("which models are right on the same samples", draw_together),
}

# Their intervals are of resamples with a seed.
OF_DRAWS = [name for name, kind in KINDS.items() if "preset" in kind.takes]


def add_chart(command):
    """The options of `chart`."""
    kinds = "; ".join(f"{name}: {kind.what}" for name, kind in KINDS.items())
    command.description = f"Draw one chart from prediction files, and print what it says. Kinds: {kinds}."
    command.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    suffixes = f"file for the chart; {', '.join(SUFFIXES)} says what (csv: its table, html: a page that works offline)"
    metrics = (
        f"of groups and levels one of {', '.join(path_keys()[:3])}, ...; of tables block.key,... (docs/metrics.md); of an "
        "icicle correct, recall, support, ...; of difference a number with a value per sample; of decisions one or more of "
        "info_f1, depth_f1, info_dist, depth_dist, exact, hf1_samples"
    )
    return [
        *choice_options(required=False),
        *options_of(("model", "inputs")),
        *sensitivity.OPTIONS,
        Option("--out FILE", suffixes, required=True),
        Option("--by BY", "how samples are grouped: an attribute, depth, train_count, ..."),
        Option("--metric KEY", metrics),
        Option("--preset KEY", f"columns of a published table: {', '.join(PRESETS)}"),
        Option("--sample ID", "sample of the kinds example and sensitivity (default: the worst answer)"),
        *PAIR_OPTIONS,
        *CHANGE_OPTIONS,
        MEDIA,
        Option("--dark", "for a dark background"),
        Option("--width PX", f"pixels (default: {WIDTH})", type=int),
        Option(
            "--slide", "a slide of 1920 x 1080 pixels, svg or png: what the chart says, the chart, and of what it is"
        ),
        Option("--data-name TEXT", "of a slide: what the data are called (default: the name of the taxonomy file)"),
        Option("--date DAY", "of a slide, YYYY-MM-DD (default: today, or that of SOURCE_DATE_EPOCH)"),
        replace(RESAMPLES, help=f"{RESAMPLES.help}, of the kinds {', '.join(OF_DRAWS)}"),
        replace(SEED, help=f"{SEED.help}, of the same kinds"),
        THREADS,
    ]


def run_chart(options):
    """`hierviz chart`."""
    check_one_of("KIND", options.kind, KINDS)
    suffix = os.path.splitext(options.out)[1].lower()
    suffixes = OF_SLIDES if options.slide else SUFFIXES
    if suffix not in suffixes:
        raise FileError(f"--out: expected a file that ends in {', '.join(suffixes)}, got {options.out!r}. Choose one.")
    _check_look(options)
    kind = KINDS[options.kind]
    for name in ("by", "sample", "media", *sensitivity.NAMES, *OF_PAIRS, *OF_CHANGES, *TABLES):
        value = getattr(options, name)
        is_given = value is not None and value is not False and value != []
        if is_given and name not in kind.takes:
            those = ", ".join(key for key, one in KINDS.items() if name in one.takes)
            raise FileError(f"{flag(name)}: expected with {those}, got it with {options.kind}. Leave it out.")
    if options.kind == "example" and options.rule is None:
        # The same answers as by majority at 0.5, and a line to drag.
        options.rule = "threshold"
    check_whole("--seed", options.seed, 0)
    if options.resamples != 0:
        check_whole("--resamples", options.resamples, 2, MOST_RESAMPLES)
    require_places(options, options.out)
    if "model" in kind.takes:
        chosen = sensitivity.of_model(options)
    else:
        for name in ("taxonomy", "predictions"):
            if not getattr(options, name):
                raise FileError(f"chart: expected --{name}, got none. Name the file.")
        options.shows_steps = options.kind == "training"
        chosen = Chosen(**vars(judged(options)))
        # Numbers of tables are those of label sets, too, and curves have the line.
        if options.threshold and set(ONE_RULE) <= set(kind.takes) and "preset" not in kind.takes:
            require_threshold("--threshold", *chosen.rules, *filter(None, [options.to_rule]))
    if "preset" in kind.takes:
        columns_of(chosen.taxonomy, options.preset, options.metric)  # reported before the work
    from hierviz import charts

    figure = kind.make(chosen, charts, {"dark": options.dark or None, "width": options.width or WIDTH})
    _write(options, suffix, charts, figure, _said(chosen, kind) if options.slide else None)
    write_text("-", f"{figure.sentence}\n")


def _check_look(options):
    """Refuse a width that is none, and what only slides have."""
    if options.width is not None and (options.slide or not 300 <= options.width <= 5000):
        wanted = "none for a slide" if options.slide else "a number from 300 to 5000"
        raise FileError(
            f"--width: expected {wanted}, got {options.width}. {'Leave it out' if options.slide else 'Choose one'}."
        )
    for name in ("data_name", "date"):
        if getattr(options, name) is not None and not options.slide:
            raise FileError(f"{flag(name)}: expected with --slide, got it without. Add --slide.")
    try:
        datetime.date.fromisoformat(options.date or "2000-01-01")
    except ValueError:
        raise FileError(f"--date: expected a day as in 2026-01-31, got {shown(options.date)}. Correct it.") from None


def _said(chosen, kind):
    """What the last line of a slide says, as keywords of `hierviz.charts.slide`."""
    options = chosen.options
    names = list(dict.fromkeys(one.name for one in chosen.predictions))
    said = {"data": options.data_name or Path(options.taxonomy).name, "date": options.date}
    said["model"] = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} models"
    if "threshold" not in kind.takes or not any(one.has_scores for one in chosen.predictions):
        return said
    rule = chosen.rules[0] if "rule" in kind.takes else "threshold"
    is_one = "threshold" in INFERENCE_RULES[rule].parameters and len(set(chosen.thresholds)) == 1
    return said | {"rule": rule, "threshold": chosen.thresholds[0] if is_one else None}


def _write(options, suffix, charts, figure, said):
    from hierviz.messages.new_files import new_file

    require_unread(options.out)
    if said is not None:
        charts.slide(figure, dark=options.dark, **said).write(options.out)
        return
    if suffix == ".json":
        content = json.dumps(charts.to_vega_lite(figure)).encode()
    elif suffix == ".csv":
        content = charts.to_csv(figure)
    elif suffix == ".html":
        content = charts.show(figure).html.encode()
    else:
        content = charts.to_svg(figure).encode() if suffix == ".svg" else charts.to_png(figure)
    with new_file(options.out) as file:
        file.write(content)
