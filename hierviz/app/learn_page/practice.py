"""The ladder of a lesson: it asks about one sample, and opens row by row."""

from __future__ import annotations

import streamlit as st

from hierviz.app import state
from hierviz.app.widgets import what_if
from hierviz.app.widgets.living import mount
from hierviz.charts.export import packed
from hierviz.charts.ladder_record import LadderSettings, ladder_record
from hierviz.lessons import sandbox

# In place of a data set and a model.
LESSON = "lesson"


def practice(lesson):
    """The sample of the sandbox, with the rules of the lesson; nothing where it has none."""
    if not lesson.practice:
        return
    st.subheader("Practice: the ladder asks", anchor=False)
    evaluation = sandbox.practice()
    sample = evaluation.predictions.sample_id(0)
    settings = LadderSettings(lesson.practice[0], rules=tuple(map(str, lesson.practice)), asks=True)
    changed = what_if.changes(LESSON, lesson.key, sample)

    def made():
        if changed:
            return packed(what_if.changed_record(evaluation, sample, settings, changed, None))
        return packed(ladder_record({LESSON: evaluation}, sample, settings, curve=False))

    record = state.computed("ladder", (LESSON, str(settings), changed), made)

    def chosen(told):
        if "change" in told:
            what_if.take(told["change"], LESSON, lesson.key, sample)

    mount(f"practice-{lesson.key}", {0: sample}, {sample: record}, (LESSON, lesson.key, changed), chosen, asks=True)
