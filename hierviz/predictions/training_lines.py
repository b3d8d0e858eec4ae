"""What a model that is one step of a training says of the other steps.

Functions
---------
of_training, training_lines
"""

from __future__ import annotations

from collections.abc import Sequence

from hierviz.messages.number_text import step_text
from hierviz.predictions.predictions import Predictions

# Among what was detected in the files.
_KEY = "training"
_MOST = 3


def of_training(last: Predictions, steps: Sequence[tuple[float, str]]) -> Predictions:
    """The last step of a training with all its steps, ascending, and the names of their files among what was detected."""
    said = [f"{step_text(step)} ({name})" for step, name in steps]
    named = said if len(said) <= _MOST else [*said[: _MOST - 1], "…", said[-1]]
    words = f"{len(said)} steps, {', '.join(named)}; this is the last one"
    return last.replace(detected={**last.detected, _KEY: words})


def training_lines(models: Sequence[Predictions]) -> list[str]:
    """A sentence for each model that is the last step of a training, for a page that shows no other step."""
    return [
        f"{model.name}: {model.detected[_KEY]}. All numbers and examples of this model are of this step"
        for model in models
        if _KEY in model.detected
    ]
