"""`hierviz chart`: one chart of a paper from prediction files, as a picture or as the table behind it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hierviz.cli.evaluate import add_choice, add_threads, class_weights_of, rule_of, thresholds_of
from hierviz.cli.files import load_models
from hierviz.cli.output import progress, require_places, require_unread, write_text
from hierviz.cli.rule_flags import add_rule_flags, check_rule_flags, chosen_parameters
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import FileError, near_miss
from hierviz.metrics.registry import path_keys
from hierviz.taxonomy.checks import check_threads

SUFFIXES = (".svg", ".png", ".csv", ".json")
MOST_CURVES = 8


@dataclass
class Chosen:
    """What the options say: models of the files and how they are judged."""

    options: Any
    predictions: list[Any]
    thresholds: list[float]
    choice: dict[str, Any]

    def evaluations(self):
        """An Evaluation of each file, by name and run."""
        found = {}
        for model, threshold in zip(self.predictions, self.thresholds, strict=True):
            name = model.name if model.run is None else f"{model.name} {model.run}"
            found[name] = Evaluation.from_predictions(
                model, progress(name), threshold=threshold, threads=self.options.threads
            )
        return found

    def table(self):
        """The table of the methods."""
        from hierviz.comparison.table import compare

        options = self.options
        return compare(
            self.predictions,
            options.preset,
            options.metric,
            threshold=self.thresholds,
            resamples=options.resamples,
            seed=options.seed,
            class_weights=class_weights_of(options, self.predictions[0].taxonomy),
            threads=options.threads,
            stage=progress,
            **self.choice,
        )


def _frontiers(chosen, charts, look):
    from hierviz.thresholds._rule_frontiers import rule_frontiers

    evaluations = chosen.evaluations()
    if len(evaluations) != 1:
        raise FileError(
            f"--predictions: expected one file for the curves of rules, got {len(evaluations)}. Run the command once per model."
        )
    found = rule_frontiers(next(iter(evaluations.values())))
    is_front = chosen.options.kind == "fronts"
    chart = charts.rule_frontiers(found, front=is_front, published=not is_front, **look)
    return chart, charts.rule_frontiers_table(found), charts.rule_frontiers_sentence(found)


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
    return (
        charts.operating_curves(found, **look),
        charts.operating_curves_table(found),
        charts.operating_curves_sentence(found),
    )


def _rejection(chosen, charts, look):
    from hierviz.curves._rejection_curve import rejection_curve

    found = {
        name: rejection_curve(model.taxonomy, model.truth, model.judged_table)
        for name, model in _with_curves(chosen).items()
    }
    return (
        charts.rejection_curves(found, **look),
        charts.rejection_curves_table(found),
        charts.rejection_curves_sentence(found),
    )


def _facets(chosen, charts, look):
    from hierviz.evaluation._curves_by import curves_by

    by = chosen.options.by
    found = curves_by(list(chosen.evaluations().values()), by)
    return (
        charts.facet_curves(found, by or "", **look),
        charts.facet_curves_table(found),
        charts.facet_curves_sentence(found, by or ""),
    )


def _groups(chosen, charts, look):
    from hierviz.diagnosis._means_by import means_by

    by, metric = chosen.options.by or "depth", chosen.options.metric
    runs: dict[str, list[Any]] = {}
    for model, threshold in zip(chosen.evaluations().values(), chosen.thresholds, strict=True):
        answers = judged_answers(model, **(chosen.choice | {"threshold": threshold}))
        runs.setdefault(model.predictions.name, []).append(answers)
    found = {name: means_by(of_method, by, metric=metric) for name, of_method in runs.items()}
    return charts.means_by(found, **look), charts.means_by_table(found), charts.means_by_sentence(found)


def _levels(chosen, charts, look):
    from hierviz.diagnosis._level_matrix import level_matrix

    rule = {} if chosen.options.rule is None else chosen.choice
    found = level_matrix(chosen.predictions, chosen.options.metric or "exact", **rule)
    return charts.level_matrix(found, **look), charts.level_matrix_table(found), charts.level_matrix_sentence(found)


def _ranks(chosen, charts, look):
    found = chosen.table()
    return charts.rank_matrix(found, **look), charts.rank_matrix_table(found), charts.rank_matrix_sentence(found)


def _methods(chosen, charts, look):
    found = chosen.table()
    return (
        charts.method_intervals(found, **look),
        charts.method_intervals_table(found),
        charts.method_intervals_sentence(found),
    )


def _agreement(chosen, charts, look):
    found = chosen.table().agreement
    return charts.agreement_matrix(found, **look), charts.agreement_matrix_table(found), found.sentence


@dataclass(frozen=True)
class Kind:
    """One kind of chart: what it shows, what makes it, and which options it takes."""

    what: str
    make: Callable
    takes: tuple[str, ...] = ()


TABLES = ("metric", "preset", "rule", "threshold", "class_weights")
KINDS = {
    "curves": Kind("operating curves of up to eight files: correct against information recall", _curves),
    "rules": Kind("all values of the number of each rule, beside single rules", _frontiers),
    "fronts": Kind("Pareto fronts of the rules", _frontiers),
    "rejection": Kind("share of wrong answers against share of samples that get one", _rejection),
    "facets": Kind("operating curves of each part of the samples (--by)", _facets, ("by",)),
    "groups": Kind(
        "a metric by depth, n_labels, train_count or an attribute (--by, --metric)",
        _groups,
        ("by", "metric", "rule", "threshold"),
    ),
    "levels": Kind("models trained at different levels tested at each (--metric)", _levels, ("metric", "rule")),
    "ranks": Kind("rank of each method by metric (--preset, --metric)", _ranks, TABLES),
    "methods": Kind("one number of all methods, with runs and intervals (--metric)", _methods, TABLES),
    "agreement": Kind("Kendall's tau-b of the metrics (--preset, --metric)", _agreement, TABLES),
}


def add_chart(commands):
    """Add the command `chart`."""
    command = commands.add_parser(
        "chart",
        help="draw one chart of a paper: rules, rejection, groups, ranks, ...",
        description="Draw one chart from prediction files, and print what it says. Kinds: "
        + "; ".join(f"{name}: {kind.what}" for name, kind in KINDS.items()).replace("%", "%%")
        + ".",
    )
    command.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    add_choice(command)
    command.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help=f"file for the chart; {', '.join(SUFFIXES)} says what (csv: its table)",
    )
    command.add_argument("--by", metavar="BY", help="what divides the samples: an attribute, depth, train_count, ...")
    command.add_argument(
        "--metric",
        metavar="KEY",
        help=f"of groups and levels one of {', '.join(path_keys()[:3])}, ...; of tables block.key,... (docs/metrics.md)",
    )
    command.add_argument("--preset", metavar="KEY", help=f"columns of a published table: {', '.join(PRESETS)}")
    command.add_argument("--dark", action="store_true", help="for a dark background")
    command.add_argument("--width", type=int, default=900, metavar="PX", help="pixels (default: 900)")
    command.add_argument("--resamples", type=int, default=1000, metavar="N", help="of intervals (default: 1000)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the resamples (default: 0)")
    add_threads(command)
    add_rule_flags(command)
    command.set_defaults(run=run_chart)


def run_chart(options):
    """`hierviz chart`."""
    if options.kind not in KINDS:
        raise FileError(
            f"KIND: expected one of {', '.join(KINDS)}, got {options.kind!r}.{near_miss(options.kind, KINDS)} Choose one."
        )
    suffix = os.path.splitext(options.out)[1].lower()
    if suffix not in SUFFIXES:
        raise FileError(f"--out: expected a file that ends in {', '.join(SUFFIXES)}, got {options.out!r}. Choose one.")
    if not 300 <= options.width <= 5000:
        raise FileError(f"--width: expected a number from 300 to 5000, got {options.width}. Choose one.")
    kind = KINDS[options.kind]
    for name in ("by", *TABLES):
        if getattr(options, name) is not None and name not in kind.takes:
            those = ", ".join(key for key, one in KINDS.items() if name in one.takes)
            raise FileError(
                f"--{name.replace('_', '-')}: expected with {those}, got it with {options.kind}. Leave it out."
            )
    require_places(options, options.out)
    rule = rule_of(options)
    check_rule_flags(options, rule)
    check_threads(options.threads, "--threads")
    thresholds = thresholds_of(options)
    taxonomy, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels)
    if "preset" in kind.takes:
        columns_of(taxonomy, options.preset, options.metric)  # said before the work
    chosen = Chosen(options, predictions, thresholds, {"rule": rule} | chosen_parameters(options, taxonomy))
    from hierviz import charts

    chart, table, sentence = kind.make(chosen, charts, {"dark": options.dark, "width": options.width})
    _write(options.out, suffix, charts, chart, table, options.dark)
    write_text("-", f"{sentence}\n")


def _write(path, suffix, charts, chart, table, dark):
    from hierviz.new_files import new_file

    if suffix == ".json":
        content = json.dumps(charts.to_vega_lite(chart, dark)).encode()
    elif suffix == ".csv":
        content = charts.to_csv(table)
    else:
        content = charts.to_svg(chart, dark).encode() if suffix == ".svg" else charts.to_png(chart, dark)
    require_unread(path)
    with new_file(path) as file:
        file.write(content)
