"""Which parts of a sample move the model between two classes: on demand, with progress, kept for each sample."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import streamlit as st

from hierviz import charts
from hierviz.app import state
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.widgets import frame
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.figure import figure, main_place
from hierviz.app.widgets.model_samples import kind_of
from hierviz.app.widgets.progress import is_wanted, worked_out
from hierviz.diagnosis._average_sensitivity import FEWEST
from hierviz.diagnosis._deciding_pair import pairs_to_compare
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import fixed_text, probability_text
from hierviz.onnx.inputs.model_inputs import ModelInputs

LOOKS, LABEL = "looks", "Where it looks"
# Samples of a mean at most, drawn by chance from more; work of the last sample that is not asked about again, in seconds.
MOST, QUICK = 100, 2.0
FILLS = {"mean": "Hidden by the mean colour", "blur": "Hidden by blur"}
EXPLAINED = (
    "Hides one part of the sample after the other (patches of a picture, words and sentences of a text, columns of a row), runs "
    "the model on each, and shows how much the log-odds between two classes change."
)


def with_row(sample_set, row, feed, changed):
    """(inputs, row) of a sample as it is, or as it was changed: then after the others, whose medians columns are set to."""
    if changed is None and sample_set is not None:
        return sample_set.inputs, row
    now = feed if changed is None else changed
    if sample_set is None or sample_set.inputs.arrays is None or any(array.ndim > 2 for array in now.values()):
        return ModelInputs(now), 0
    arrays = sample_set.inputs.arrays
    whole = {
        name: np.concatenate([np.asarray(arrays[name]), array.reshape(1, *arrays[name].shape[1:])])
        for name, array in now.items()
    }
    return ModelInputs(whole, attributes={}), len(sample_set)


def panel(looked, row, p, answer, truth, several=None, width=None, preview=None):
    """Controls, the button that starts it, and the drawing.

    Parameters
    ----------
    looked : Looked
    row : int
        Of its inputs.
    p : ndarray of float, shape (n_nodes,)
    answer, truth : int or None
    several : (sequence of int, list, list), optional
        Rows of the inputs that the filters leave, and of all inputs the truth and the answer, -1 where not known: what a mean
        is taken over.
    width : int, optional
        Pixels; those of the page by default.
    preview : callable, optional
        Draws the sample until the model is run, where the page does not show it and it can be drawn.

    Returns
    -------
    Sensitivity, AverageSensitivity or None
        What is shown.
    """
    taxonomy = looked.model.taxonomy
    answer = int(np.argmax(np.where(taxonomy.is_leaf, p, -1))) if answer is None else answer
    try:
        pairs = pairs_to_compare(taxonomy, p, answer, truth)
    except HiervizError as error:
        st.error(escape(in_form_words(error)), icon=":material/error:")
        return None
    by_key = {f"{pair.first}-{pair.second}": pair for pair in pairs}
    rows = () if several is None else several[0]
    with st.container(horizontal=True, vertical_alignment="bottom", key="looks-controls"):
        of, bare = "sample", {"label_visibility": "collapsed"}
        if len(rows) >= FEWEST:
            n = min(len(rows), MOST)
            of = pick(
                "Samples", {"sample": "This sample", "mean": f"Mean of {n:,}"}, ("looks", "of"), segmented=True, **bare
            )
        own = {"own": "Each sample's two classes"} if of == "mean" else {}
        named = {key: _named(taxonomy, pair) for key, pair in by_key.items()}
        between = pick("Between", own | named, ("looks", "between"), width=330, **bare)
        fill = "mean"
        if kind_of(looked.model) == "picture":
            fill = pick("Hidden by", FILLS, ("looks", "fill"), **bare)
    pair = by_key.get(between)
    if of == "sample":
        asked = (*looked.key, row, between, fill, truth, answer)
    else:
        given = np.stack([np.asarray(values)[list(rows)] for values in several[1:]])
        asked = (*looked.key, "mean", tuple(rows), between, fill, given.tobytes())
    which = (looked.key, of)
    if not is_wanted("sensitivity", asked, _is_quick(which), None):
        with _beside(preview):
            if pair is not None and of == "sample":
                _question(taxonomy, pair, p)
            button = {"icon": ":material/play_arrow:", "key": "run-looks", "type": "primary"}
            is_wanted("sensitivity", asked, False, "Run the model", EXPLAINED, **button)
        return None
    try:
        found = _found(looked, row, pair, several, of, fill, truth, answer, asked)
    except HiervizError as error:
        st.error(escape(in_form_words(error)), icon=":material/error:")
        return None
    if found is None:
        return None
    figure(charts.sensitivity(found, width=width or state.main_width()), name="where-it-looks", main=True)
    if of == "sample":
        p_first, p_second = (probability_text(float(p[node])) for node in (found.first, found.second))
        st.caption(
            f"Compared: {escape(pair.why)}. The whole sample: p = {p_first} for {escape(taxonomy.title(found.first))}, "
            f"{p_second} for {escape(taxonomy.title(found.second))}; log-odds {fixed_text(found.log_odds, 2)}."
        )
    return found


def _is_quick(which):
    """Whether the last run of a kind took so little that the next one is made at once."""
    return state.memory("seconds of looks").get(which, QUICK) < QUICK


def _beside(preview):
    """The place next to a sample that is drawn; the page itself without one."""
    if preview is None:
        return contextlib.nullcontext()
    with main_place("content"):
        # On a phone the button comes first.
        left, right = reversed(frame.side_by_side(0.58, 0.42)) if state.is_narrow() else frame.side_by_side(0.42, 0.58)
    with left:
        preview()
    return right


def _question(taxonomy, pair, p):
    """The two classes that the model is asked about, with their p."""
    first, second = (
        f"**{escape(taxonomy.title(node))}** (p = {probability_text(float(p[node]))})"
        for node in (pair.first, pair.second)
    )
    st.markdown(
        f"#### What moves the model from {escape(taxonomy.title(pair.second))} to {escape(taxonomy.title(pair.first))}?"
    )
    st.markdown(f"Compared: {first} against {second}, {escape(pair.why)}.")


def _found(looked, row, pair, several, of, fill, truth, answer, asked):
    """The Sensitivity or AverageSensitivity; None where it was cancelled."""
    spent, which = state.memory("seconds of looks"), (looked.key, of)
    between = None if pair is None else (pair.first, pair.second)
    begun = time.monotonic()
    if of == "sample":

        def make(told):
            return looked.model.sensitivity(
                looked.inputs, row, between, truth=truth, answer=answer, fill=fill, progress=told
            )
    else:
        rows, truths, answers = several
        drawn = np.sort(np.random.default_rng(0).permutation(np.asarray(rows))[:MOST])

        def make(told):
            return looked.model.average_sensitivity(
                looked.inputs, drawn, between, truth=truths, answers=answers, fill=fill, progress=told
            )

    is_new = state.known("sensitivity", asked) is None
    found = worked_out("sensitivity", asked, LABEL, make, "runs")
    if is_new and found is not None:
        spent[which] = time.monotonic() - begun
    return found


def _named(taxonomy, pair):
    return f"{taxonomy.title(pair.first)} against {taxonomy.title(pair.second)}"
