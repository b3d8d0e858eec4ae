"""The model and threshold that are recommended: the most specific ones with 95 % correct answers; the Overview opens there."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.state.escape import escape
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.progress import worked_out
from hierviz.charts import threshold_text
from hierviz.reports.view import DIGITS_OF_THRESHOLD, View
from hierviz.thresholds.most_specific import cost_text, most_specific, most_specific_text, recommendation_text
from hierviz.uncertainty.resamples import FEWEST

# Share of correct answers of the most specific model.
LEVEL = 0.95
# Fields of a view that say which model and which answers it shows.
CHOICE = ("model", "rule", "threshold", "thresholds", "parameters")


def open_there():
    """Where neither the address nor the visitor chose a model or its answers, show the recommended ones."""
    data, default = state.data(), View()
    if data is None or any(getattr(state.view(), name) != getattr(default, name) for name in CHOICE):
        return
    if not set(CHOICE).isdisjoint(state.session.asked):
        # What the address asks for is what would be shown anyway: it is a choice all the same.
        state.open_with(model=state.shown_model_of(data.models))
    elif (found := recommendation(data)) is not None:
        state.open_with(model=found.key, threshold=threshold_of(found))


def threshold_of(found):
    """The threshold of a MostSpecific as addresses hold it."""
    return round(found.choice.threshold, DIGITS_OF_THRESHOLD)


def curves_of_runs(data):
    """Curves of the runs of every method that has some, by the key of the method; {} where scores are unknown."""
    if any(model.predictions.has_unknown for model in data.models.values()):
        return {}
    usable = {key: runs for key, runs in data.methods.items() if all(run.why_no_curve() is None for run in runs)}
    return {key: [run.curve for run in runs] for key, runs in usable.items()}


def found_in(data):
    """The MostSpecific, or None where no threshold reaches `LEVEL`, in a tuple; () where there are no curves or no result."""
    models = {key: model for key, model in data.models.items() if model.why_no_curve() is None}
    if not models or any(model.predictions.has_unknown for model in data.models.values()):
        return ()

    def made(stages):
        for model in models.values():
            model.curve_with(stages(f"Operating curve of {model.predictions.name}", "steps"))
        return (most_specific(curves_of_runs(data), LEVEL),)

    return worked_out("most specific", data.digest, "Recommended model", made) or ()


def recommendation(data):
    """The MostSpecific that is recommended; None where there is none, or it is of too few samples."""
    (found,) = found_in(data) or (None,)
    return found if found is not None and found.n_samples >= FEWEST else None


def is_shown(data, found, key, choice):
    """Whether a model and the keywords of its answers are the recommended ones; any run of a recommended method is."""
    if found is None or key not in data.runs_of(found.key) or choice["rule"] != "threshold":
        return False
    return choice["threshold"] == threshold_of(found)


def sentence(data):
    """The recommendation in one sentence of Markdown, or why there is none; empty where there are no curves."""
    known = found_in(data)
    if not known:
        return ""
    found, n = known[0], len(curves_of_runs(data))
    if found is None or found.n_samples < FEWEST:
        return most_specific_text(found, "", "", n, LEVEL)
    return recommendation_text(found, name_of(data, found), threshold_text(found.choice.threshold), n, LEVEL, "**{}**")


def name_of(data, found):
    """Name of the recommended method, in Markdown."""
    return escape(data.methods[found.key][0].predictions.name)


def cost(data):
    """What the recommendation costs in specificity."""
    found = recommendation(data)
    if found is not None:
        st.markdown(cost_text(found, "**{}**"))


def on_curves(data):
    """A link to the recommendation on Operating curves, and what shows there how certain it is."""
    found = recommendation(data)
    if found is None:
        return
    shown, view = state.shown_models(data), state.view()
    models = view.models if found.key in shown else (*shown[:7], found.key)
    at = view.with_threshold(found.choice.threshold, found.key)
    fields = {
        "model": found.key,
        "models": models,
        "rule": "threshold",
        "threshold": at.threshold,
        "thresholds": at.thresholds,
    }
    label = f"{name_of(data, found)} at τ = {threshold_text(found.choice.threshold)}"
    clearer = ", and whether it is clearly better than another model" if len(curves_of_runs(data)) > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="most-specific"):
        link_to("curves", label, "my_location", sample="", **fields)
        st.caption(
            "Chosen and measured on the same samples: *Guarantee* and *Uncertainty* on Operating curves show how certain this is "
            f"for new ones{clearer}.",
            width="content",
        )


def back_button(data, key, choice):
    """A button that shows the recommended model and threshold again, where there are some and others are shown."""
    found = recommendation(data)
    if found is None or is_shown(data, found, key, choice):
        return
    fields = {
        "model": found.key,
        "rule": "threshold",
        "threshold": threshold_of(found),
        "thresholds": (),
        "parameters": (),
    }
    st.button("Show the recommended", icon=":material/undo:", on_click=state.change, kwargs=fields)
