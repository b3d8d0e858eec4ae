"""The open data with one temperature for each model, fitted on a part of the samples and judged on the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hierviz.app.state.dataset import new_key
from hierviz.evaluation.common_samples import common_rows
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import PredictionsError
from hierviz.uncertainty.resamples import split_samples
from hierviz.uncertainty.temperature import at_temperature, fit_temperature


def at_temperatures(data, share=0.5, seed=0, stage=lambda name, unit="rows": None):
    """A Dataset of the same models, each at its own temperature, without the truths that the temperatures were fitted on.

    Parameters
    ----------
    data : Dataset
        With one true class a sample.
    share : float
        Of the samples that all models judge: those that are fitted on. All models have the same.
    seed : int
        Of their draw.
    stage : callable
        As in `hierviz.app.state.dataset.open_files`.

    Returns
    -------
    Dataset
        `calibration` says the temperatures, and which models have none and why.

    Raises
    ------
    PredictionsError
        If samples have several true classes, are too few to part, or no model can have a temperature.
    """
    if not all(model.predictions.has_single_truth for model in data.models.values()):
        raise PredictionsError("temperature: expected one true class a sample, got several or none. Fit nothing.")
    rows_of = common_rows(list(data.models.values()))
    fitted_on, judged_on = split_samples(len(rows_of[0]), share, seed=seed)
    models, told, without = {}, [], []
    for (key, model), rows in zip(data.models.items(), rows_of, strict=True):
        predictions = model.predictions
        truth = np.full(predictions.n_samples, -1, dtype=np.asarray(predictions.truth).dtype)
        truth[rows[judged_on]] = np.asarray(predictions.truth)[rows[judged_on]]
        stage(f"Fitting the temperature of {predictions.name}")
        try:
            found = fit_temperature(predictions, rows[fitted_on])
        except PredictionsError as error:
            without.append(str(error))
        else:
            predictions = at_temperature(predictions, found.value)
            told.append(f"{predictions.name} {found.value:.3g}")
        progress = stage(f"Evaluating {predictions.name}")
        models[key] = Evaluation.from_predictions(predictions.replace(truth=truth), progress, threshold=0.5)
    if not told:
        raise PredictionsError(f"temperature: expected logits or probabilities of all leaves, got none. {without[0]}")
    sentence = (
        f"One temperature for each model, fitted on {len(fitted_on):,} samples (seed {seed}): {', '.join(told)}. All numbers "
        f"are of the {len(judged_on):,} other samples."
        + "".join(f" Without a temperature: {reason}" for reason in without)
    )
    return replace(
        data,
        key=new_key(),
        title=f"{data.title}, at fitted temperatures",
        models=models,
        sources={},
        files=None,
        digest=new_key(),
        calibration=sentence,
        before=data.key,
    )
