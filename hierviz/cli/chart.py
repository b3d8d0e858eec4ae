"""`hierviz chart`: one chart of a paper from prediction files, as a picture or as the table behind it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hierviz.cli.judging import RESAMPLES, SEED, THREADS, Judged, choice_options, judged
from hierviz.cli.output import require_places, require_unread, write_text
from hierviz.comparison.columns import PRESETS, columns_of
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import FileError
from hierviz.metrics.registry import path_keys
from hierviz.opening.flags import Option
from hierviz.taxonomy.checks import check_one_of

SUFFIXES = (".svg", ".png", ".csv", ".json")
MOST_CURVES = 8


class Chosen(Judged):
    """What the options say: models of the files and how they are judged."""

    def evaluations(self):
        """An Evaluation of each file, by name and run."""
        names = [one.name if one.run is None else f"{one.name} {one.run}" for one in self.predictions]
        return dict(zip(names, super().evaluations(), strict=True))


def _frontiers(chosen, charts, look):
    from hierviz.thresholds._rule_frontiers import rule_frontiers

    evaluations = chosen.evaluations()
    if len(evaluations) != 1:
        raise FileError(
            f"--predictions: expected one file for the curves of rules, got {len(evaluations)}. Run the command once per model."
        )
    found = rule_frontiers(next(iter(evaluations.values())))
    is_front = chosen.options.kind == "fronts"
    return charts.rule_frontiers(found, front=is_front, published=not is_front, **look)


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
    return charts.operating_curves(found, **look)


def _rejection(chosen, charts, look):
    from hierviz.curves._rejection_curve import rejection_curve

    found = {
        name: rejection_curve(model.taxonomy, model.truth, model.judged_table)
        for name, model in _with_curves(chosen).items()
    }
    return charts.rejection_curves(found, **look)


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
KINDS = {
    "curves": Kind("operating curves of up to eight files: correct against information recall", _curves),
    "rules": Kind("each rule over all values of its parameter, next to single rules", _frontiers),
    "fronts": Kind("Pareto fronts of the rules", _frontiers),
    "rejection": Kind("share of wrong answers against share of answered samples", _rejection),
    "facets": Kind("operating curves of each part of the samples (--by)", _facets, ("by",)),
    "groups": Kind(
        "a metric by depth, n_labels, train_count or an attribute (--by, --metric)",
        _groups,
        ("by", "metric", "rule", "threshold"),
    ),
    "levels": Kind(
        "models trained at different levels, each tested at every level (--metric)", _levels, ("metric", "rule")
    ),
    "ranks": Kind("rank of each method by metric (--preset, --metric)", _ranks, TABLES),
    "methods": Kind("one number of all methods, with runs and intervals (--metric)", _methods, TABLES),
    "agreement": Kind("Kendall's tau-b of the metrics (--preset, --metric)", _agreement, TABLES),
}


def add_chart(command):
    """The options of `chart`."""
    kinds = "; ".join(f"{name}: {kind.what}" for name, kind in KINDS.items())
    command.description = f"Draw one chart from prediction files, and print what it says. Kinds: {kinds}."
    command.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    suffixes = f"file for the chart; {', '.join(SUFFIXES)} says what (csv: its table)"
    metrics = (
        f"of groups and levels one of {', '.join(path_keys()[:3])}, ...; of tables block.key,... (docs/metrics.md)"
    )
    return [
        *choice_options(),
        Option("--out FILE", suffixes, required=True),
        Option("--by BY", "how samples are grouped: an attribute, depth, train_count, ..."),
        Option("--metric KEY", metrics),
        Option("--preset KEY", f"columns of a published table: {', '.join(PRESETS)}"),
        Option("--dark", "for a dark background"),
        Option("--width PX", "pixels (default: 900)", type=int, default=900),
        RESAMPLES,
        SEED,
        THREADS,
    ]


def run_chart(options):
    """`hierviz chart`."""
    check_one_of("KIND", options.kind, KINDS)
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
    chosen = Chosen(**vars(judged(options)))
    if "preset" in kind.takes:
        columns_of(chosen.taxonomy, options.preset, options.metric)  # reported before the work
    from hierviz import charts

    figure = kind.make(chosen, charts, {"dark": options.dark, "width": options.width})
    _write(options.out, suffix, charts, figure)
    write_text("-", f"{figure.sentence}\n")


def _write(path, suffix, charts, figure):
    from hierviz.messages.new_files import new_file

    if suffix == ".json":
        content = json.dumps(charts.to_vega_lite(figure)).encode()
    elif suffix == ".csv":
        content = charts.to_csv(figure)
    else:
        content = charts.to_svg(figure).encode() if suffix == ".svg" else charts.to_png(figure)
    require_unread(path)
    with new_file(path) as file:
        file.write(content)
