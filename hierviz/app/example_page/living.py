"""The living example: one sample whose threshold, rule and model are changed in the browser."""

from __future__ import annotations

import functools

import streamlit as st

from hierviz.app import state
from hierviz.app.state import rule_parameters
from hierviz.app.widgets.controls import offered_rules
from hierviz.charts.export import picture_url
from hierviz.charts._figure import text_of
from hierviz.charts.export import packed
from hierviz.charts.ladder_module import module_name
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.charts.ladder_spec import ladder_spec


@functools.cache
def _component():
    html = (text_of_page("living.html")).strip()
    return st.components.v2.component(
        "hierviz_living", html=html, css=text_of("ladder.css"), js=text_of_page("living.js")
    )


@functools.cache
def _packed_spec():
    return packed(ladder_spec())


def text_of_page(name):
    """A file of this folder."""
    from pathlib import Path

    return Path(__file__).with_name(name).read_text("utf-8")


def living(data, key, choice, samples):
    """Draw the living example.

    Parameters
    ----------
    data : Dataset
    key : str
        Of the model that is shown.
    choice : dict
        Rule, threshold and parameters.
    samples : dict of int to str
        Id of the sample, at 0, and of those that come after (1, 2) and before it (-1), which the browser gets before they are
        asked for.
    """
    settings = sorted((name, str(value)) for name, value in choice.items())

    def chosen():
        told = st.session_state["living"].chosen
        if told:
            _take(told, key)

    _component()(
        key="living",
        data={
            "module": module_name(),
            "spec": _packed_spec(),
            "samples": {str(step): sample for step, sample in samples.items()},
            "records": {sample: record_of(data, key, choice, sample) for sample in samples.values()},
            "of": f"{data.digest} {key} {settings}",
            "dark": state.is_dark(),
        },
        on_chosen_change=chosen,
    )


def _take(told, key):
    """Take over what was chosen in the browser."""
    state.change(model=told["key"], rule=told["rule"], sample=told["sample"])
    if told["parameter"] == "threshold":
        state.session.view = state.view().with_threshold(round(float(told["value"]), 12), told["key"])
    elif told["parameter"]:
        rule_parameters.change_parameter(told["parameter"], round(float(told["value"]), 3))


def record_of(data, key, choice, sample):
    """The packed record of a sample, kept for all sessions."""
    settings = {name: value for name, value in choice.items() if name not in ("rule", "threshold")}
    rules = tuple(offered_rules(data, data.models[key].why_no_mistakes() is not None))
    asked = (data.digest, key, sample, choice["rule"], choice.get("threshold"), rules, tuple(sorted(map(str, settings.items()))))
    return state.computed("ladder", asked, lambda: packed(_record(data, key, choice, settings, rules, sample)))


def _record(data, key, choice, settings, rules, sample):
    predictions = data.models[key].predictions
    row = predictions.row(sample)
    return ladder_record(
        data.models,
        sample,
        LadderSettings(choice["rule"], choice.get("threshold", 0.5), rules, settings),
        shown=key,
        picture=picture_url(predictions.picture(row)),
    )
