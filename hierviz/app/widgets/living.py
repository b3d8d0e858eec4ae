"""The living example: one sample whose threshold, rule and model are changed in the browser, which hears of it first."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state import rule_parameters
from hierviz.app.widgets import what_if
from hierviz.app.widgets.controls import offered_rules
from hierviz.app.widgets.figure import main_place
from hierviz.charts.export import packed, picture_url
from hierviz.charts.ladder_module import module_name
from hierviz.charts.ladder_record import LadderSettings, ladder_record, started
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.charts.scripts import text_of
from hierviz.reports.view_file import SeenLadder


def component_script(name):
    """The program of a part of a page that the module of the server draws, a file of this folder."""
    return "".join(Path(__file__).with_name(one).read_text("utf-8") for one in ("mounting.js", name))


@functools.cache
def _component():
    return st.components.v2.component(
        "hierviz_living", html='<div class="living"></div>', css=text_of("ladder.css"), js=component_script("living.js")
    )


@functools.cache
def _packed_spec():
    return packed(ladder_spec())


def living(data, key, choice, samples, asks=False, held=None):
    """Draw the living example of a data set.

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
    asks : bool
        Whether it asks before it shows; its bars can be dragged then.
    held : dict of str to dict of str to str, optional
        Which class holds the truth of each sample (id) by each model (key) with a stated probability, in one sentence.
    """
    held = held or {}
    rules = tuple(offered_rules(data, data.models[key].why_no_mistakes() is not None))
    settings = LadderSettings.of(choice, rules, asks)
    of = (data.digest, key, str(settings), *held.get(samples[0], {}).values())

    changed = {sample: what_if.changes(data.digest, key, sample) if asks else () for sample in samples.values()}

    def record(sample):
        model = data.models[key]

        def picture():
            return picture_url(model.predictions.picture(model.predictions.row(sample)))

        if changed[sample]:
            return packed(what_if.changed_record(model, sample, settings, changed[sample], picture()))
        more = {"shown": key, "colours": data.colour_places, "held": held.get(sample)}
        # Where the handle is and which rule is shown is where a drawing of all of them starts.
        drawn = replace(settings, rule=rules[0], threshold=0.5) if settings.rule in rules else settings
        found = state.computed(
            "ladder of all thresholds",
            (data.digest, key, str(drawn), *held.get(sample, {}).values(), sample),
            lambda: ladder_record(data.models, sample, drawn, picture=picture(), **more),
        )
        return packed(started(found, settings))

    records = {
        sample: state.computed("ladder", (*of, sample, changed[sample]), lambda sample=sample: record(sample))
        for sample in samples.values()
    }

    def chosen(told):
        shown = told["key"] if told["key"] in data.models else key
        state.change(model=shown, sample=told["sample"])
        take_rule(told | {"key": shown})
        if "change" in told:
            what_if.take(told["change"], data.digest, shown, told["sample"])

    mount("living", samples, records, (*of, changed[samples[0]]), chosen, asks)


# Of the sample in a record: what is shown elsewhere on the page.
ABOVE = ("text_wide", "text_narrow", "facts_wide", "facts_narrow")


def small_ladder(name, data, key, choice, row):
    """The ladder of a sample next to its picture, whose threshold changes nothing but the drawing.

    It has no other sample to step to: the buttons that lead there are for the whole page, and the drawing would keep the press.

    Parameters
    ----------
    name : str
        Of the widget.
    data, key, choice
        As of `living`.
    row : int
        Row of the sample.
    """
    model = data.models[key]
    sample = model.predictions.sample_id(int(row))
    settings = LadderSettings.of(choice, tuple(offered_rules(data, model.why_no_mistakes() is not None)), False)
    of = (data.digest, key, str(settings))

    def record():
        made = ladder_record({key: model}, sample, settings, shown=key, curve=False)
        made["sample"][0] |= {field: [] for field in ABOVE}
        return packed(made)

    records = {sample: state.computed("small ladder", (*of, sample), record)}
    mount(f"{name}-ladder", {0: sample}, records, of, lambda told: None, share=0.6)


def take_rule(told):
    """Take over the rule that was chosen in the browser, and the value of its number."""
    state.change(rule=told["rule"])
    if told["parameter"] == "threshold":
        state.session.view = state.view().with_threshold(round(float(told["value"]), 12), told["key"])
    elif told["parameter"]:
        rule_parameters.change_parameter(told["parameter"], round(float(told["value"]), 3))


def mount(key, samples, records, of, chosen, asks=False, *, share=None):
    """Draw records in the browser.

    Parameters
    ----------
    key : str
        Of the widget.
    samples : dict of int to str
        As of `living`.
    records : dict of str to str
        Packed records, by id.
    of : tuple
        What the records are made of besides their samples: other values are other records.
    chosen : callable
        Called with a dict: ``sample``, ``key`` of the model, ``rule``, ``parameter`` and ``value``; ``change`` is there where a
        bar was dragged: ``node`` and ``p``, or None for none.
    asks : bool
        Whether the records ask, and `chosen` takes a change.
    share : float, optional
        Of the height of the window, where it is one of several, which are in a place together; else it is the main picture.
    """

    state.see(key, lambda: SeenLadder(key, records[samples[0]]))

    def take():
        told = st.session_state[key].chosen
        if told:
            chosen(told)

    with main_place() if share is None else contextlib.nullcontext():
        _component()(
            key=key,
            data={
                "module": module_name(),
                "spec": _packed_spec(),
                "samples": {str(step): sample for step, sample in samples.items()},
                "records": records,
                "of": " ".join(map(str, of)),
                "dark": state.is_dark(),
                "can": {"change": True, "keys": True} if asks else {},
                "share": share,
            },
            on_chosen_change=take,
        )
