"""The flag of each parameter that an error or a note names."""

from __future__ import annotations

import re

from hierviz.inference.registry import rule_parameters
from hierviz.messages.parameters import said

# As `hierviz predict` has them; `evaluate`, `curve` and `app` call theirs the same.
FLAGS = {
    "classes": "--classes",
    "scores": "--scores",
    "parametrisation": "--parametrisation",
    "outputs": "--output",
    "missing": "--missing",
    "ignore": "--ignore",
    "sum_repeated": "--sum-repeated",
    "unseen": "--unseen",
    "only_known": "--only-known",
    "truth": "--truth",
    "truth_column": "--truth-column",
    "ids": "--ids",
    "percent": "--percent",
    "taxonomy_classes": "--taxonomy-classes",
    "media": "--media",
    "text_column": "--text-column",
    "columns": "--columns",
    "columns_by_input": "--columns INPUT=COLUMN,...",
    "strict": "--strict",
    "model": "--model",
    "preprocessing.layout": "--layout",
    "preprocessing.size": "--size",
    "preprocessing.resize": "--resize",
    "preprocessing.crop": "--crop",
    "preprocessing.resample": "--resample",
    "preprocessing.pad": "--pad",
    "preprocessing.colour": "--colour",
    "preprocessing.range": "--range",
    "preprocessing.mean": "--mean",
    "preprocessing.std": "--std",
    "limits.cpu_seconds": "--cpu-seconds",
    "limits.memory_mb": "--memory-mb",
}


# Keywords of functions that errors start with, and the options they come from; those of rules are called the same.
OPTIONS = {
    "rule": ("rule",),
    "by": ("by",),
    "level": ("level",),
    "cost": ("severity",),
    "order": ("severity",),
    "loss": ("loss",),
    "group": ("group",),
    "attributes": ("attribute",),
    "correction": ("correction",),
    "q": ("q",),
    "samples": ("sample",),
    "view": ("view",),
    "worst": ("worst",),
    "random": ("random",),
    "seed": ("seed",),
    "max_mb": ("max_mb",),
    "model": ("look_at",),
    "form": ("predictions_form", "taxonomy_form"),
}


def flag(name, value=None):
    """Words for `parameters.named`: the flag, with the value where one is meant."""
    return FLAGS[name] if value is None else f"{FLAGS[name]} {value}"


def with_flags(value):
    """A note, or notes in lists and dicts, with flags for parameters."""
    return said(value, flag)


def error_line(error, options):
    """An error in the words of the command line, also where it starts with a keyword that an option has given.

    Parameters
    ----------
    error : HiervizError
    options : argparse.Namespace or None
        What was given.
    """
    text = error.said(flag)
    start = re.match(r"([a-z_]+)(?=( '[^']*')?: )", text)
    if start is None:
        return text
    places = [*OPTIONS.get(start[0], ()), *([start[0]] if start[0] in rule_parameters() else [])]
    given = next((place for place in places if getattr(options, place, None) is not None), None)
    return text if given is None else f"--{given.replace('_', '-')}{text[start.end() :]}"
