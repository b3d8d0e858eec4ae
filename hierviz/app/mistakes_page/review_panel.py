"""A queue of samples for an expert, one at a time: picture or text, ladder, classes with typical cases; a verdict is one key."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np
import streamlit as st

from hierviz.app import state
from hierviz.app.mistakes_page.verdicts import (
    HELP,
    LONGEST_NOTE,
    export_button,
    offered,
    review_files,
    row_of,
    said_of,
)
from hierviz.app.state.escape import escape
from hierviz.app.state.kept_review import can_take_back, review_of, say, take_back
from hierviz.app.widgets import frame, sample
from hierviz.app.widgets.controls import behind_a_press, pick
from hierviz.app.widgets.figure import main_place
from hierviz.app.widgets.living import small_ladder
from hierviz.app.widgets.sample_keys import sample_keys
from hierviz.app.widgets.typical_panel import typical_cases
from hierviz.charts.export import picture_url
from hierviz.diagnosis._review_queue import QUEUES, review_queue
from hierviz.evaluation._review import VERDICTS
from hierviz.messages.errors import HiervizError

# Length of a queue at first and at most; letters of a text, pixels of a picture and of a typical case.
LENGTH, LONGEST, LETTERS, PICTURE, CASE = 50, 500, 1500, 360, 200
KEYS = {"wrong_label": "w", "acceptable": "a", "model_wrong": "m"}
NOTE, UNDO = "n", "u"


class Queue(NamedTuple):
    """Rows of the Predictions in order, and the place that is shown."""

    rows: np.ndarray
    place: int


def draw(asked):
    """Which samples, the one that is shown, and what was said in all: the controls and the export are one row."""
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small", key="review-bar")
    with asked.row if state.is_narrow() else bar, behind_a_press("Queue", "list"):
        bare = {} if state.is_narrow() else {"label_visibility": "collapsed"}
        queue = pick("Samples", QUEUES, ("review", "queue"), width=165, **bare)
        number = state.kept("review", "most", LENGTH, width=100)
        most = int(st.number_input("Number", 1, LONGEST, step=10, **bare, **number))
        seed = 0
        if queue == "random":
            start = state.kept("review", "seed", 0, width=100)
            seed = int(st.number_input("Seed", 0, 2**31, step=1, **bare, **start))
    try:
        rows = asked.computed(
            "review queue", lambda: review_queue(asked.answers, queue, most=most, seed=seed), queue, most, seed
        )
    except HiervizError as error:
        st.info(escape(str(error)), icon=":material/info:")
        rows = np.array([], dtype=int)
    if len(rows):
        _one(asked, _queue(asked, rows), bar)
    elif queue != "labels":
        st.info("No sample is in this queue.", icon=":material/check:")
    with contextlib.nullcontext() if state.is_narrow() else bar:
        export_button(asked)
    review_files(asked)


def _queue(asked, rows):
    """The sample of the view where it is one of the queue, else the first one without a verdict."""
    row = asked.predictions.row(state.view().sample) if state.view().sample else None
    hit = np.flatnonzero(rows == row) if row is not None else ()
    if len(hit):
        return Queue(rows, int(hit[0]))
    is_done = _done(asked, rows)
    return Queue(rows, 0 if is_done.all() else int(np.argmin(is_done)))


def _done(asked, rows):
    """Which rows have a verdict, shape of `rows`."""
    return np.isin(np.asarray(asked.predictions.ids)[rows].astype(str), review_of(asked.data).ids(*VERDICTS))


def _one(asked, queue, bar):
    row = int(queue.rows[queue.place])
    n, done = len(queue.rows), int(_done(asked, queue.rows).sum())
    is_narrow = state.is_narrow()
    with bar:
        st.progress(done / n, text=f"{done:,} of {n:,} reviewed", width=150)
        last = n - 1
        for label, icon, to in (
            ("Previous", "arrow_back", queue.place - 1),
            ("Next", "arrow_forward", queue.place + 1),
        ):
            st.button(
                f":material/{icon}:",
                key=f"{label.lower()}-sample",
                disabled=not 0 <= to <= last,
                help=f"{label} sample. Keys: ← → or k j",
                on_click=_go,
                args=(asked, queue.rows, to),
            )
        st.markdown(f"{queue.place + 1:,} of {n:,}", width="content")
        if not is_narrow:
            _verdicts(asked, queue, row)
    if not is_narrow:
        _note(asked, row)
    judging = {key: f"review-{verdict}" for verdict, key in KEYS.items()} | {UNDO: "review-undo"}
    sample_keys({NOTE: "review-note"}, judging)
    with main_place():
        left, right = frame.side_by_side(0.4, 0.6)
        with left:
            nodes = _sample(asked, row)
            if is_narrow:
                with st.container(horizontal=True, gap="small", key="review-verdicts"):
                    _verdicts(asked, queue, row)
                _note(asked, row)
            if nodes is not None:
                st.markdown("**Typical cases**")
                typical_cases(asked.data, asked.key, row, asked.choice, *nodes, CASE)
        with right:
            small_ladder("review", asked.data, asked.key, asked.choice, row)


def _go(asked, rows, place):
    state.change(sample=asked.predictions.sample_id(int(rows[place])))


def _verdicts(asked, queue, row):
    """A button with its key for each verdict, and one that undoes the last."""
    now, options, name = said_of(asked, row), offered(asked, row), asked.predictions.sample_id(row)

    def given(verdict):
        # While the next sample is being drawn, a key presses the buttons of the one before, too: its verdict is given.
        if _queue(asked, queue.rows).place != queue.place:
            return
        say(asked.data, row_of(asked, row, verdict, said_of(asked, row).note))
        is_open = np.flatnonzero(~_done(asked, queue.rows))
        # The next one without a verdict, from the start again after the end; the last one stays.
        after = is_open[is_open > queue.place]
        to = after[0] if len(after) else is_open[0] if len(is_open) else queue.place
        _go(asked, queue.rows, int(to))

    def undone():
        sample_id = take_back(asked.data)
        if sample_id is not None:
            state.change(sample=sample_id)

    for key, label in VERDICTS.items():
        # A button of its own for each sample: a press that comes late is not one on the next sample, and is left alone.
        with st.container(key=f"review-{key}", width="content"):
            st.button(
                label,
                key=f"say-{key}-{name}",
                shortcut=KEYS[key],
                type="primary" if now.verdict == key else "secondary",
                disabled=key not in options,
                help=HELP if key in options else "This answer is exact, or no class of the taxonomy.",
                on_click=given,
                args=(key,),
            )
    st.button(
        "Undo",
        icon=":material/undo:",
        key="review-undo",
        shortcut=UNDO,
        disabled=not can_take_back(asked.data),
        on_click=undone,
    )


def _note(asked, row):
    now, key = said_of(asked, row), f"review-note-{asked.data.key}-{row}"
    state.session[key] = now.note

    def changed():
        said = said_of(asked, row)
        say(asked.data, row_of(asked, row, said.verdict, state.session[key]))

    with st.container(key="review-note"):
        st.text_input(
            "Note",
            key=key,
            on_change=changed,
            max_chars=LONGEST_NOTE,
            placeholder=f"Note (key {NOTE.upper()}; Enter keeps it)",
            label_visibility="collapsed",
        )


def _sample(asked, row):
    """The sample as large as there is room, and its truth and its answer: returned where both are one class of the taxonomy."""
    predictions, answers = asked.predictions, asked.whole
    picture, text = predictions.picture(row), predictions.text(row)
    if picture:
        st.image(
            picture_url(picture),
            width=240 if state.is_narrow() else PICTURE,
            alt=f"Sample {predictions.sample_id(row)}",
        )
    elif text:
        whole = text if len(text) <= LETTERS else f"{text[:LETTERS]} …"
        with st.container(height=PICTURE if len(text) > 600 else "content", border=True):
            st.markdown(escape(whole))
    place = int(asked.places(np.array([row]))[0])
    st.caption(f"Sample {escape(predictions.sample_id(row))}")
    if not answers.is_single:
        sample.named_classes(asked.taxonomy, "Truth", answers.truth[place])
        sample.named_classes(asked.taxonomy, "Answer", answers.predicted[place])
        return None
    truth, predicted = int(answers.truth[place]), int(answers.predicted[place])
    for word, node in (("Truth", truth), ("Answer", predicted)):
        sample.named_classes(asked.taxonomy, word, node)
    return (truth, predicted) if predicted >= 0 else None
