"""Every number of a model over the steps of its training, with intervals of the same resamples."""

import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.compare_page.table_panel import A_SECOND, AT_ONCE, preset_control
from hierviz.app.state.escape import escape
from hierviz.app.widgets import numbers
from hierviz.app.widgets.figure import figure
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.charts._training_steps import MOST
from hierviz.comparison._training_steps import training_steps
from hierviz.opening.loading import step_readers


def draw(compared, row):
    """Which numbers, in the row of the page; a picture of each, and what it says in words."""
    data = compared.data
    keys = [key for key in compared.keys if key in data.trainings]
    if not keys:
        st.info("None of the chosen methods has several steps of a training.", icon=":material/info:")
        return
    with row:
        preset = preset_control(170)
    names = {key: data.trainings[key] for key in keys}
    n = sum(compared.model(key).n_judged * len(data.files.trainings[names[key]]) for key in keys)
    asked = (data.digest, *keys)
    minutes = max(n / A_SECOND / 60, 1)
    has_intervals = is_wanted(
        "training intervals", asked, n <= AT_ONCE, f"Compute intervals (up to {minutes:,.0f} min)"
    )
    found = {}
    for key, name in names.items():
        where = (*compared.where(key)[:3], preset, has_intervals)
        made = worked_out("training steps", where, f"Steps of {name}", _making(compared, key, preset, has_intervals))
        if made is None:
            return
        found[name] = made
    among = [data.trainings.get(key, compared.name(key)) for key in data.methods]
    figure(charts.training_steps(found, among=among, width=state.session.px), name="training", main=True)
    first = next(iter(found.values()))
    _words(compared, found, first)
    with st.expander("Each number in words", icon=":material/notes:"):
        for column in first.columns:
            said = [one.sentence_of(column.key, name if len(found) > 1 else "") for name, one in found.items()]
            st.markdown("  \n".join(map(escape, said)))
        metrics = tuple(dict.fromkeys(column.metric for column in first.columns))
        numbers.definitions(metrics, "compare-training", "Definitions:")
    compared.caution(*metrics)


def _making(compared, key, preset, has_intervals):
    """What makes the TrainingSteps of a model, given a `state.Stages`."""
    data, training = compared.data, compared.data.trainings[key]
    resamples = {} if has_intervals else {"resamples": 0}

    def make(stages):
        steps = step_readers(data.files, training, stages, last=data.models[key])
        how = {**compared.choice_of(key), **resamples}
        made = training_steps(steps, preset or None, name=training, stage=stages, **how)
        assert made.marks is not None  # they take a moment: computed while the progress is shown
        return made

    return make


def _words(compared, found, first):
    """What the marks of the pictures are."""
    said = []
    if first.resamples is not None:
        said.append(
            f"Band: {100 * first.level:g} % interval of each step over the samples. Filled dots: the best step and those not "
            "clearly different from it, when all pairs of steps are compared on the same samples. Another training may differ "
            "by more."
        )
    if len(first.columns) > MOST:
        said.append(f"The first {MOST} of {len(first.columns)} numbers are drawn; the table has all.")
    others = [compared.name(key) for key in compared.keys if key not in compared.data.trainings]
    if others:
        said.append(f"Without steps: {escape(', '.join(others))}.")
    if said:
        st.caption(" ".join(said))
