"""Numbers over the steps of the trainings that a command names: `hierviz table` prints, `hierviz chart training` draws them."""

import sys

from hierviz.cli.output import progress
from hierviz.comparison._training_steps import training_steps
from hierviz.messages.errors import FileError, listed
from hierviz.opening.files import files_of
from hierviz.opening.loading import step_readers
from hierviz.opening.named_files import training_step


def trainings_of(chosen, metrics, **how):
    """TrainingSteps of each training among the files of a Judged, by its name: each step is read, judged and let go.

    `metrics` and `how` are as of `hierviz.comparison.training_steps`; empty where no file is a step of one.
    """
    options, files = chosen.options, files_of(chosen.options)
    found = {}
    for one, choice in zip(chosen.predictions, chosen.choices, strict=True):
        name = _training_of(one)
        if name not in files.trainings:
            continue
        steps = step_readers(files, name, progress, last=one)
        given = {key: getattr(options, key) for key in ("resamples", "seed", "threads")}
        found[name] = training_steps(
            steps, options.preset, metrics, name=name, stage=progress, **given, **choice, **how
        )
    return found


def _training_of(predictions):
    """Name of the training that these are a step of, '' where they are none."""
    name, _ = training_step(predictions.name) or ("", 0)
    return name


def draw_training(chosen, charts, look):
    """The chart of the kind training."""
    found = trainings_of(chosen, chosen.options.metric)
    others = [one.name for one in chosen.predictions if _training_of(one) not in found]
    if not found:
        raise FileError(
            "--predictions: expected at least two steps of one training, NAME@STEP=FILE or NAME@=FOLDER, got "
            f"{listed(others, 5)}. Name the steps."
        )
    if others:
        print(f"note: not drawn, since no step of a training: {listed(others, 5)}", file=sys.stderr)
    return charts.training_steps(found, **look)
