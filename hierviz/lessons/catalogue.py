"""The lessons in their order; each is loaded when it is wanted."""

from __future__ import annotations

import importlib
from types import MappingProxyType

from hierviz.messages.errors import PredictionsError, near_miss

LESSON_MODULES = MappingProxyType(
    {
        "flat-metrics": "flat_metrics",
        "sandbox": "sandbox",
        "thresholds": "thresholds",
        "rules": "rules",
        "win": "win_and_entropy",
        "confusion": "confusion_of_paths",
        "parametrisations": "parametrisations",
        "how-sure": "how_sure",
        "two-winners": "two_winners",
        "losses": "losses",
        "training": "training",
    }
)


def lesson(key):
    """A lesson by its key in `LESSON_MODULES`.

    Raises
    ------
    PredictionsError
        If there is none.
    """
    if key not in LESSON_MODULES:
        raise PredictionsError(
            f"lesson: expected one of {', '.join(LESSON_MODULES)}, got {key!r}.{near_miss(str(key), LESSON_MODULES)} Choose "
            "one."
        )
    return importlib.import_module(f"hierviz.lessons.{LESSON_MODULES[key]}").LESSON


def lessons():
    """All lessons in order."""
    return tuple(lesson(key) for key in LESSON_MODULES)
