"""How the answer to a sample changed over the steps of a training: a slider over the steps, and a small picture of all."""

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.progress import choice_key, is_wanted, worked_out
from hierviz.charts.theme import answer_text
from hierviz.comparison._answer_steps import answer_steps
from hierviz.inference.registry import inference_rule
from hierviz.messages.number_text import probability_text, step_text
from hierviz.opening.loading import step_readers

# Rows of all steps together that are read unasked.
AT_ONCE = 100_000
# Pixels of the slider.
WIDTH = 720


def training_panel(data, key, row, choice):
    """The steps of the training of a model on a sample; nothing for a model of which there is one step."""
    if key not in data.trainings or not data.taxonomy.is_tree:
        return
    predictions, training = data.models[key].predictions, data.trainings[key]
    n_steps = len(data.files.trainings[training])
    st.subheader("Over the training")
    if predictions.has_scores and inference_rule(choice["rule"]).returns_sets:
        st.markdown("The rule answers with sets of classes. A rule with one answer shows here how it changed.")
        return
    asked = "answers over the training", (data.digest, key, choice_key(choice))
    is_quick = n_steps * predictions.n_samples <= AT_ONCE
    if not is_wanted(*asked, is_quick, f"Read all {n_steps} steps", icon=":material/play_arrow:"):
        return
    found = worked_out(*asked, f"Steps of {training}", _making(data, key, training, choice))
    if found is None:
        return
    sample = predictions.sample_id(row)
    _shown(found.of_sample(sample), training, f"{key}-{sample}")


def _making(data, key, training, choice):
    """What makes the AnswerSteps of a model, given a `state.Stages`."""

    def make(stages):
        steps = step_readers(data.files, training, stages, last=data.models[key])
        return answer_steps(steps, stage=stages, **choice)

    return make


def _shown(found, training, of):
    """The slider, the answer at its step, and the picture."""
    steps = [step_text(step) for step in found.steps]
    now = state.view().at_step
    shown = now if now in steps else steps[-1]
    # A key pressed while the page is drawn would be taken back.
    tied = state.bound("at_step", value=shown, back=lambda text: _named(text, steps), is_left_alone=True)
    width = min(state.main_width(), WIDTH)
    chosen = st.select_slider(f"Step of {escape(training)}", steps, width=width, **tied)
    place = steps.index(chosen)
    p = "" if np.isnan(found.p[place]) else f" · p = {probability_text(float(found.p[place]))}"
    outcome = f" · {answer_text(found.outcome[place])}" if found.outcome[place] else ""
    last = "" if chosen == steps[-1] else f" Above, the last step, {steps[-1]}, is drawn."
    st.markdown(f"Step {chosen}: **{escape(found.title(place))}**{p}{outcome}.{last}")
    if now and now not in steps:
        st.caption(f"The link names step {escape(now)}, of which this training has no file; the last one is chosen.")

    def clicked():
        points = state.session[widget].selection.get("step", [])
        if points:
            state.change(at_step=_named(step_text(points[0]["step"]), steps))

    widget = f"chart-answer-steps-{of}"
    drawn = charts.answer_steps(found, found.steps[place], width=state.main_width())
    figure(drawn, name="answer-steps", select="step", clicked=clicked, key=widget)


def _named(step, steps):
    """A step as the address names it: the last one is the default."""
    return "" if step == steps[-1] else step
