"""One flag for each parameter of the inference rules, as the registry declares it."""

from __future__ import annotations

import argparse
import os

from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, inference_rule, rule_parameters
from hierviz.messages.errors import FileError

METAVARS = {"number": "X", "choice": "KEY", "costs": "KEY|F.csv", "numbers": "X,X,..."}


def add_rule_flags(command):
    """Add a flag for every parameter of a rule, after all others; the threshold has its own, which other numbers use too."""
    for name, parameter in _flagged().items():
        rules = [f"`{key}`" for key in _rules_with(name)]
        try:
            command.add_argument(
                flag(name),
                dest=name,
                type=float if parameter.kind == "number" else str,
                metavar=METAVARS[parameter.kind],
                help=_help(parameter, rules).replace("%", "%%"),
            )
        except argparse.ArgumentError:
            raise FileError(
                f"{flag(name)}: expected a flag that `evaluate` has not yet, for a parameter of rule "
                f"{', '.join(_rules_with(name))}. Rename the parameter."
            ) from None


def check_rule_flags(options, *rules):
    """Raise an error when there is no such rule, or a flag is given that none takes: that would change nothing."""
    entries = [inference_rule(rule) for rule in rules]
    for name in _flagged():
        if getattr(options, name) is not None and not any(name in entry.parameters for entry in entries):
            raise FileError(
                f"{flag(name)}: expected {' or '.join(f'--rule {key}' for key in _rules_with(name))} with it, got rule "
                f"{' and '.join(dict.fromkeys(rules))}. "
                f"Choose that rule, or leave {flag(name)} out."
            )


def chosen_parameters(options, taxonomy):
    """The parameters that the flags give, as keywords of `evaluate`."""
    given = {name: getattr(options, name) for name in _flagged()}
    return {
        name: _value(rule_parameters()[name], value, taxonomy) for name, value in given.items() if value is not None
    }


def flag(name):
    """The flag of a parameter."""
    return f"--{name.replace('_', '-')}"


def _flagged():
    return {name: parameter for name, parameter in rule_parameters().items() if name != THRESHOLD.name}


def _rules_with(name):
    return [key for key, entry in INFERENCE_RULES.items() if name in entry.parameters]


def _help(parameter, rules):
    of = f"parameter of rule{'s' if len(rules) > 1 else ''} {' and '.join(rules)}"
    choices = " or ".join(parameter.choices)
    what = {
        "number": f"a number in {parameter.unit}" if parameter.unit else "a number",
        "choice": choices,
        "numbers": "numbers from 0 to 1 for the depths 1, 2, ..., the last also for all deeper classes",
        "costs": f"{choices}, or a table predicted,truth,cost of every pair of leaves",
    }[parameter.kind]
    default = f"{parameter.default:g}" if parameter.kind == "number" else parameter.default
    return f"{of}: {what} (default: {default})"


def _value(parameter, given, taxonomy):
    if parameter.kind != "costs" or given in parameter.choices:
        return given
    from hierviz.readers.class_numbers_file import load_costs
    from hierviz.readers.streams import rewindable

    if not os.path.exists(given):
        raise FileError(
            f"{flag(parameter.name)}: expected {' or '.join(parameter.choices)} or a table of costs, got {given!r}, which "
            "is no file. Name one of them."
        )
    return load_costs(rewindable(given), taxonomy)
