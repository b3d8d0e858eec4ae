"""The flag of each parameter that an error or a note names."""

from __future__ import annotations

from hierviz.parameters import said

# As `hierviz predict` has them; `evaluate`, `curve` and `app` call theirs the same.
FLAGS = {
    "classes": "--classes",
    "scores": "--scores",
    "parametrisation": "--parametrisation",
    "outputs": "--output",
    "missing": "--missing",
    "unseen": "--unseen",
    "only_known": "--only-known",
    "truth_column": "--truth-column",
    "media": "--media",
    "text_column": "--text-column",
    "columns": "--columns",
    "columns_by_input": "--columns INPUT=COLUMN,...",
    "strict": "--strict",
    "model": "--model",
    "preprocessing.layout": "--layout",
    "preprocessing.size": "--size",
    "preprocessing.colour": "--colour",
    "preprocessing.range": "--range",
    "preprocessing.mean": "--mean",
    "preprocessing.std": "--std",
    "limits.cpu_seconds": "--cpu-seconds",
    "limits.memory_mb": "--memory-mb",
}


def flag(name, value=None):
    """Words for `parameters.named`: the flag, with the value where one is meant."""
    return FLAGS[name] if value is None else f"{FLAGS[name]} {value}"


def with_flags(value):
    """A note, or notes in lists and dicts, with flags for parameters."""
    return said(value, flag)
