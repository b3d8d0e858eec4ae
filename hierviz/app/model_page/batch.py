"""A batch of samples: run the model with progress and Cancel, save the predictions, add them to the open data."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from hierviz.app import state
from hierviz.app.model_page import checks as model_checks
from hierviz.app.state.dataset import has_same_samples, with_model
from hierviz.app.state.escape import escape, in_form_words, sentence
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.links import link_to
from hierviz.app.widgets.model_samples import Samples
from hierviz.app.widgets.table import download
from hierviz.app.widgets.table import draw as draw_table
from hierviz.messages.errors import HiervizError
from hierviz.onnx.description.open_question import OpenQuestion
from hierviz.onnx.inputs.model_inputs import MOST_NAMED, without_unreadable
from hierviz.opening.files import Files
from hierviz.opening.loading import run_model, with_media
from hierviz.opening.options import LABELS
from hierviz.readers.predictions_writer import write_predictions

KINDS = {
    "picture": "Pictures: a zip, or .npy or .npz",
    "text": "Texts: .txt with one a line, or a table",
    "row": "A table (CSV, TSV, Parquet), .npy or .npz",
    "array": "Arrays: .npy or .npz",
}


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished run.

    Parameters
    ----------
    key : str
        Of the source that was run.
    predictions : Predictions
    source : ModelSource
        With its inputs.
    on_data : bool
        True for the samples of the open data.
    checks : Checks, str or None
    left_out : tuple of (str, str)
        Pictures that could not be read, with the reason.
    """

    key: str
    predictions: object
    source: object
    on_data: bool
    checks: object
    left_out: tuple = ()


def run(source, model, kind, from_data, data):
    """The section; parameters and errors as of `single_sample.ask`, with the open Dataset."""
    memory = state.memory("run")
    st.markdown(
        "Run the model on all samples, then compare it with others on the other pages or download its predictions."
    )
    chosen = _choose(model, kind, from_data, source)
    if chosen is None:
        return
    if kind == "picture":
        said = state.startup_limits()[1]["strict"]
        st.toggle(LABELS["strict"], **state.kept("run", "strict", said))
        st.caption("Otherwise unreadable pictures are left out and listed below.")
    wanted = {"wanted": source.key, "stopped": None}
    st.button("Run", type="primary", icon=":material/play_arrow:", key="run", on_click=memory.update, args=(wanted,))
    place = st.empty()
    if memory.pop("wanted", None) == source.key:
        memory.pop("finished", None)
        try:
            with place.container(), state.Stages("cancel-run", lambda: None, after=0) as stages:
                memory["finished"] = _run(source, model, chosen, stages, memory)
        except HiervizError as error:
            memory["stopped"] = None
            if isinstance(error, OpenQuestion):
                place.info("Answer the question above, then press Run again.", icon=":material/arrow_upward:")
                raise
            place.error(escape(in_form_words(error)), icon=":material/error:")
            return
    if memory.get("stopped"):
        place.info(f"Cancelled after {memory['stopped']}. No predictions are kept.", icon=":material/cancel:")
    finished = memory.get("finished")
    if finished is not None and finished.key == source.key:
        _show(finished, data)


def _choose(model, kind, from_data, source):
    """(Samples of the open data or None, Files); None when nothing is chosen yet."""
    way = "file"
    if from_data is not None:
        words = "The open data's {:,} samples" if from_data.is_open_data else "The {:,} inputs chosen with the model"
        ways = {"data": words.format(len(from_data)), "file": "Files"}
        start = "data" if from_data.is_meant else "file"
        way = pick("Run on", ways, ("run", f"from-{from_data.is_meant}"), start, segmented=True)
    if way == "data" and from_data.is_open_data:
        return from_data, Files()
    if way == "data":
        return None, source.files
    left, right = st.columns(2, gap="large")
    with left:
        inputs = state.kept_upload("run_inputs", KINDS[kind])
    with right:
        truth = state.kept_upload("run_truth", "Truth (optional): columns sample_id and truth")
        label = f"{LABELS['media']} (optional): a zip, named by a column image or file"
        media = None if kind == "picture" else state.kept_upload("run_media", label)
    if inputs is None:
        st.caption("Choose the inputs first.")
        return None
    held = tuple(upload for upload in (inputs, truth, media) if upload is not None)
    truth, media = (upload and str(upload.paths[0]) for upload in (truth, media))
    return None, Files(inputs=str(inputs.paths[0]), truth=truth, media=media, held=held)


def _run(source, model, chosen, stages, memory):
    memory["stopped"], show = "no row", stages("Running")

    def progress(done, total):
        memory["stopped"] = f"{done:,} of {total:,} rows"
        # A press of any button ends the script here and the model's process.
        show(done, total)

    (samples, files), unreadable = chosen, {}
    how = {**state.startup_limits()[1], "progress": progress, "unreadable": unreadable}
    how["strict"] = memory.get("strict", how["strict"])
    if samples is not None:
        predictions = model.predict(samples.inputs, truth=samples.truth, sample_ids=samples.ids, **how)
        inputs = samples.inputs
    else:
        predictions, inputs = run_model(model, files, how)
        predictions = with_media(predictions, files)
    truth = predictions.truth  # by the nodes of the whole taxonomy, which the checks and single samples expect
    if model.known.only_known:
        predictions = model.known.judged(predictions)
    left_out = tuple((inputs.pictures.names[row], unreadable[row]) for row in sorted(unreadable))
    key = files.inputs if samples is None else samples.key
    samples = Samples(without_unreadable(inputs, unreadable)[0], truth, key, predictions.ids)
    stages("Evaluating")
    checks = None if samples.truth is None else model_checks.attempt(model, samples)
    memory["stopped"] = None
    held = source.held if files is source.files else (*source.held, *files.held)
    source, key = replace(source, inputs=samples.inputs, held=held), source.key
    return Finished(key, predictions, source, files.inputs is None, checks, left_out)


def _show(finished, data):
    predictions = finished.predictions
    st.success(f"Ran on {predictions.n_samples:,} samples, {predictions.truth_words}.", icon=":material/check_circle:")
    for note in predictions.notes:
        st.markdown(f":material/info: {escape(sentence(note))}")
    if len(finished.left_out) > MOST_NAMED:
        with st.expander(f"{len(finished.left_out):,} pictures left out"):
            draw_table(pd.DataFrame(finished.left_out, columns=["picture", "reason"]), key="left-out")
    memory = state.memory("run")
    is_there = finished.on_data and any(source.key == finished.key for source in data.sources.values())
    if is_there and memory.get("sent") is not predictions:
        st.markdown("The other pages show these predictions already.")
    with st.container(horizontal=True):
        if not is_there:
            send = {"on_click": memory.update, "args": ({"send": True},), "disabled": memory.get("sent") is predictions}
            st.button("Add to the open data", type="primary", icon=":material/send:", key="send", **send)
        name = f"{finished.source.path.stem}.predictions.parquet"
        download("Predictions as Parquet", lambda: _parquet(predictions), name, "get-predictions")
    if memory.pop("send", False):
        with st.spinner("Evaluating …"):
            joined, key = with_model(data, _with_truth(predictions, data), finished.source)
        memory |= {"sent": predictions, "sent_as": joined.models[key].predictions.name}
        state.put(joined)
        state.change(model=key)
        st.rerun()
    if memory.get("sent") is predictions:
        st.markdown(
            f"**{escape(memory['sent_as'])}** is now a model of the open data “{escape(data.title)}”. See it on:"
        )
        with st.container(horizontal=True):
            for page, label in (("overview", "Overview"), ("curves", "Operating curves"), ("example", "Examples")):
                link_to(page, label)
    if finished.checks is not None:
        st.subheader("Checks against the truth")
        model_checks.show(finished.checks)
        if isinstance(finished.checks, model_checks.Checks) and finished.checks.warnings:
            st.markdown("Correct class names and preprocessing in the section **Details**.")


def _with_truth(predictions, data):
    """The predictions with the truth and pictures of the open data, where they are about the same samples."""
    if not has_same_samples(data, predictions):
        return predictions
    first = data.first.predictions
    order = np.array([first.row_of[sample_id] for sample_id in map(str, predictions.ids)])
    truth, media = predictions.truth, predictions.media
    attributes = {key: np.asarray(attribute)[order] for key, attribute in first.attributes.items()}
    return predictions.replace(
        truth=first.truth.take(order) if truth is None and first.truth is not None else truth,
        media=first.media if media is None else media,
        attributes=attributes | dict(predictions.attributes),
    )


def _parquet(predictions):
    with tempfile.TemporaryDirectory(prefix="hierviz-") as folder:
        path = Path(folder) / "predictions.parquet"
        write_predictions(predictions, path)
        return path.read_bytes()
