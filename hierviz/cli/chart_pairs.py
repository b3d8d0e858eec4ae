"""The kinds of `hierviz chart` that compare models sample by sample, and their options."""

from __future__ import annotations

from hierviz.cli.judging import GROUP, check_rule_flags, chosen_parameters, flag, rule_options
from hierviz.cli.output import SECOND
from hierviz.diagnosis.many_tests import CORRECTIONS, ManyTests
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import FileError
from hierviz.opening.flags import Option
from hierviz.taxonomy.checks import check_one_of

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
TO_OPTIONS = rule_options(SECOND, "of the rule that answers change to, ").values()
CHANGE_OPTIONS = (
    Option("--to X", "threshold that answers change to (changes; the first one is --threshold)", type=float),
    Option("--to-rule KEY", "rule that answers change to (changes; the first one is --rule)"),
    *TO_OPTIONS,
)
OF_CHANGES = ("to", "to_rule", *(option.dest for option in TO_OPTIONS))
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
    options = chosen.options
    reading = options.reading or "named"
    if reading != "to_level":
        given = next((name for name in ("rule", "threshold") if getattr(options, name)), None)
        if given is not None:
            raise FileError(
                f"{flag(given)}: expected --reading to_level with it, got reading {reading}, which chooses its own answers. "
                f"Leave {flag(given)} out."
            )
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


def changes_of(first, second, choice, options):
    """The AnswerChanges that the options ask for: of one model's Evaluation (`second` None), or JudgedAnswers of two."""
    from hierviz.comparison._answer_changes import answer_changes

    if second is not None:
        return answer_changes(first, second)
    if all(getattr(options, name) is None for name in OF_CHANGES):
        raise FileError("--to: expected a threshold, got none. Name one, or --to-rule, or a second model.")
    if not first.predictions.has_scores:
        given = next(name for name in OF_CHANGES if getattr(options, name) is not None)
        raise FileError(
            f"{flag(given)}: expected scores, got labels ({first.predictions.name}), which no rule changes. Name a second file "
            "of labels, or leave it out."
        )
    if options.to is not None and not 0 <= options.to <= 1:
        raise FileError(f"--to: expected a threshold from 0 to 1, got {options.to:g}. Choose one.")
    to_rule = options.to_rule
    if to_rule is not None:
        check_one_of("--to-rule", to_rule, INFERENCE_RULES)
    # A threshold changes the answers of the rules that have one: those of majority are those of a threshold of 0.5.
    first_rule = "threshold" if choice["rule"] == "majority" and to_rule is None else choice["rule"]
    second_rule = to_rule or first_rule
    if options.to is not None and not INFERENCE_RULES[second_rule].needs_threshold:
        raise FileError(f"--to: expected a rule with a threshold, got {second_rule}. Leave one of them out.")
    check_rule_flags(options, second_rule, prefix=SECOND)
    to = chosen_parameters(options, first.taxonomy, SECOND)
    return answer_changes(first, to=options.to, to_rule=to_rule, to_parameters=to, **choice | {"rule": first_rule})


def draw_changes(chosen, charts, look):
    """The chart of the kind changes."""
    options, models = chosen.options, list(chosen.evaluations().values())
    if len(models) == 2:
        for name in OF_CHANGES:
            if getattr(options, name) is not None:
                raise FileError(f"{flag(name)}: expected one file with it, got two. Give each its own --threshold.")
        answers = [judged_answers(model, **choice) for model, choice in zip(models, chosen.choices, strict=True)]
        return charts.answer_changes(changes_of(*answers, None, options), **look)
    return charts.answer_changes(changes_of(chosen.only("changes"), None, chosen.choices[0], options), **look)
