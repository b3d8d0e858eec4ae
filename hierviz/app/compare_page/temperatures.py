"""One temperature for each model before models are compared: the offer, and what was done."""

from dataclasses import replace

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.compare_page import confidence_panel
from hierviz.app.state.dataset import new_key
from hierviz.app.state.escape import escape
from hierviz.app.widgets.links import link_to
from hierviz.evaluation.common_samples import common_rows
from hierviz.evaluation.evaluation import Evaluation
from hierviz.messages.errors import HiervizError, PredictionsError
from hierviz.uncertainty.resamples import split_samples
from hierviz.uncertainty.temperature import at_temperature, fit_temperature


def offer(data, choice):
    """A popover with ways to calibrate: of the confidence of the answers, which all pages keep, and temperatures of the data."""
    if not any(model.predictions.has_scores for model in data.models.values()):
        return
    with st.popover("Calibrate first", icon=":material/thermostat:"):
        confidence_panel.draw(data, choice)
        if data.calibration:
            return
        st.markdown("**One temperature for each model**")
        st.markdown(
            "Models may be overconfident or underconfident. One temperature for each model is fitted on a random part of the "
            "samples (logits are divided by it); all numbers are then of the other samples. With scores of leaves it changes "
            "sums over classes, so curves and areas change too."
        )
        kept = state.kept("temperatures", "share", 50.0)
        share = st.number_input("Samples to fit on (%)", 5.0, 95.0, step=5.0, format="%.0f", **kept)
        seed = st.number_input("Seed of the draw", 0, 2**31, step=1, **state.kept("temperatures", "seed", 0))
        memory, asked = state.memory("temperatures"), {"asked": (share / 100, seed)}
        st.button("Fit one temperature per model", type="primary", on_click=memory.update, args=(asked,))


def fit(data):
    """Fit what was requested and show it; before anything else of the page is drawn."""
    asked = state.memory("temperatures").pop("asked", None)
    if asked is None:
        return
    view = state.view()
    try:
        with state.Stages("cancel-temperatures", lambda: None) as stages:
            state.put(at_temperatures(data, *asked, stages))
    except HiervizError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return
    state.change(models=view.models, model=view.model, comparison=view.comparison, preset=view.preset, rule=view.rule)
    st.rerun()


def words(data):
    """What was done, and a link back."""
    if data.calibration:
        st.info(escape(data.calibration), icon=":material/thermostat:")
        link_to("compare", "Back to the scores as they were read", "undo", data=data.before)


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
        `calibration` lists the temperatures, and which models have none and why; these keep their scores.

    Raises
    ------
    PredictionsError
        If samples have several true classes, are too few to part, or no model can have a temperature.
    """
    if not all(model.predictions.has_single_truth for model in data.models.values()):
        raise PredictionsError("temperature: expected one true class a sample, got several or none. Fit nothing.")
    rows_of = common_rows(list(data.models.values()))
    fitted_on, judged_on = split_samples(len(rows_of[0]), share, seed=seed)
    models, fitted, unfitted, without = {}, [], [], []
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
            if found.fits:
                fitted.append(f"{predictions.name} {found.said}")
                predictions = at_temperature(predictions, found.value)
            else:
                unfitted.append(f" {predictions.name}: {found.said}.")
        progress = stage(f"Evaluating {predictions.name}")
        models[key] = Evaluation.from_predictions(predictions.replace(truth=truth), progress, threshold=0.5)
    if not fitted and not unfitted:
        raise PredictionsError(f"temperature: expected logits or probabilities of all leaves, got none. {without[0]}")
    sentence = (
        f"One temperature for each model, fitted on {len(fitted_on):,} samples (seed {seed}): {', '.join(fitted) or 'none'}. "
        f"All numbers are of the {len(judged_on):,} other samples."
        + "".join(unfitted)
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
