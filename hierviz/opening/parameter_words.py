"""Names of parameters in errors and notes: flags on the command line, labels of fields on a page."""

from __future__ import annotations

from hierviz.messages.parameters import PARAMETERS, said
from hierviz.opening.files import OPTIONS, PROJECTION
from hierviz.opening.model_settings import LIMITS, MODEL_OPTIONS, PREPROCESSING
from hierviz.predictions.parametrisation import PARAMETRISATIONS

_ALL = {**OPTIONS, **PROJECTION, **MODEL_OPTIONS, **PREPROCESSING, **LIMITS}
_OF = {name: _ALL.get(name.rpartition(".")[2]) for name in PARAMETERS}
FLAGS = {name: option.usage.split()[0].split("/")[0] for name, option in _OF.items() if option is not None}
FLAGS["columns_by_input"] = f"{FLAGS['columns']} INPUT=COLUMN,..."
LABELS = {name: option.label for name, option in _OF.items() if option is not None and option.label}
# Parameters without a field: options of `hierviz app`.
AT_START = tuple(name for name in PARAMETERS if name not in LABELS)


def flag(name, value=None):
    """Words for `parameters.named`: the flag, with the value where one is meant."""
    return FLAGS[name] if value is None else f"{FLAGS[name]} {value}"


def with_flags(value):
    """A note, or notes in lists and dicts, with flags for parameters."""
    return said(value, flag)


def field(name, value=None):
    """Words for `parameters.named`: the field, with the value where one is meant."""
    if name in AT_START:
        return f"{FLAGS[name]} (when the app is started)"
    label = f"'{LABELS[name]}'"
    return label if value is None else f"{label}: {' | '.join(choice(name, part) for part in value.split(' | '))}"


def choice(name, value):
    """A value of a parameter as the field offers it."""
    if name == "parametrisation":
        return PARAMETRISATIONS[value].label
    return value.replace("_", " ").capitalize() if name == "scores" else value
