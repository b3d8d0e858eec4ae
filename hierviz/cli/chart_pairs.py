"""The kinds of `hierviz chart` that compare models sample by sample, and their options."""

from __future__ import annotations

from hierviz.cli.judging import GROUP
from hierviz.diagnosis.many_tests import CORRECTIONS, ManyTests
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import FileError
from hierviz.opening.flags import Option

DEPTH, CORRECT = "depth", "correct"
READING_OPTIONS = (
    Option(
        "--reading KEY",
        "what right means of two models: named (the most probable leaf; default), to_level (--depth), or correct (--correct)",
    ),
    Option("--depth N", "depth to which an answer has to be right, of --reading to_level (default: 1)", type=int),
    Option("--correct X", "share of correct answers of both models, of --reading correct (default: 0.95)", type=float),
)
PAIR_OPTIONS = (
    *READING_OPTIONS,
    GROUP,
    Option("--correction KEY", f"of the tests of difference: {', '.join(CORRECTIONS)} (default: bh)"),
)
# Options by name that only these kinds take.
OF_PAIRS = ("reading", DEPTH, CORRECT, "group", "correction")


def two_methods(chosen):
    """JudgedAnswers of the runs of both methods; a FileError unless there are two."""
    methods: dict[str, list] = {}
    for model, choice in zip(chosen.evaluations().values(), chosen.choices, strict=True):
        methods.setdefault(model.predictions.name, []).append(judged_answers(model, **choice))
    if len(methods) != 2:
        raise FileError(
            f"--predictions: expected two models (or two methods with their runs), got {len(methods)}. Name two files."
        )
    return list(methods.values())


def two_by_two_of(a, b, options):
    """The TwoByTwo that the options ask for."""
    from hierviz.comparison._two_by_two import two_by_two

    reading = options.reading or "named"
    for name, of in ((DEPTH, "to_level"), (CORRECT, "correct")):
        if getattr(options, name) is not None and reading != of:
            raise FileError(f"--{name}: expected --reading {of} with it, got reading {reading}. Leave --{name} out.")
    depth = 1 if options.depth is None else options.depth
    correct = 0.95 if options.correct is None else options.correct
    return two_by_two(a, b, reading, level=depth, correct=correct, group=options.group)


def difference_tree_of(a, b, options):
    """The DifferenceTree that the options ask for."""
    from hierviz.comparison._difference_tree import difference_tree

    metric = None if options.metric is None else options.metric.rpartition(".")[2]
    return difference_tree(a, b, metric, group=options.group, tests=ManyTests(correction=options.correction or "bh"))


def draw_two_by_two(chosen, charts, look):
    """The chart of the kind twobytwo."""
    return charts.two_by_two(two_by_two_of(*two_methods(chosen), chosen.options), **look)


def draw_difference(chosen, charts, look):
    """The chart of the kind difference."""
    return charts.difference_tree(difference_tree_of(*two_methods(chosen), chosen.options), **look)


def draw_together(chosen, charts, look):
    """The chart of the kind together."""
    from hierviz.comparison._right_together import right_together

    methods: dict[str, list] = {}
    for model in chosen.evaluations().values():
        methods.setdefault(model.predictions.name, []).append(model)
    return charts.right_together(right_together(methods), **look)
