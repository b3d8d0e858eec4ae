"""The model of the page Model: one of the open data, or a file of the visitor with a taxonomy."""

from __future__ import annotations

from os.path import basename as file_name
from pathlib import Path

import streamlit as st

from hierviz.app import state
from hierviz.app.state.dataset import ModelSource, model_files
from hierviz.app.state.escape import escape, in_form_words
from hierviz.app.state.file_content import stamp
from hierviz.app.state.opened import asked_files
from hierviz.app.widgets.controls import pick
from hierviz.messages.errors import HiervizError
from hierviz.opening.loading import taxonomy_of
from hierviz.opening.options import LABELS
from hierviz.readers.taxonomy_file import load_taxonomy

COMPANIONS = (
    "The .onnx file and, if present, its weights (.onnx.data), a list of its classes (.labels.txt, .hierviz.json, "
    "config.json) and preprocessor_config.json: choose all of them together."
)

STEPS = """
1. Choose a model above: a classifier of pictures, tables or texts in an **.onnx** file.
2. hierviz reads the metadata of the file and asks for what is missing.
3. Run the model on a single sample or a batch, and compare it with others on the other pages.

The model runs in a separate process with limited time and memory, which ends with the run.
"""


def choose(data, title_row):
    """The model of the page.

    Parameters
    ----------
    data : Dataset
        The open one.
    title_row : container
        Where it is chosen; the fields of a visitor's own model are below.

    Returns
    -------
    source : ModelSource or None
    taxonomy : Taxonomy or None
    key : str or None
        Of the model in the data set; None for a file of the visitor's.
    """
    memory, asked = state.memory("model"), asked_files()
    if memory.setdefault("data", data.key) != data.key:
        # Other data were opened since: their taxonomy is the default again.
        memory |= {"data": data.key, "taxonomy_way": "open"}
    offered = memory.get("offered")
    ways = {
        "offered": "From Open files",
        "start": "From the command line",
        "data": "Open data",
        "own": "My own ONNX model",
    }
    there = {"offered": offered, "start": asked, "data": data.sources}
    ways = {key: label for key, label in ways.items() if there.get(key, True)}
    if "data" not in ways and asked is None and offered is None:
        why = "contain predictions but no model"
        if data.files is not None and data.files.model:
            why = "are judged on a part of the taxonomy, but this page runs models on the whole taxonomy only"
        st.markdown(f"The open data {why}. Upload an ONNX model or give its path:")
    way = next(iter(ways))
    if len(ways) > 1:
        with title_row:
            way = pick("Which model?", ways, ("model", "way"), way, segmented=True, label_visibility="collapsed")
    if way in ("start", "offered"):
        return _named(offered if way == "offered" else asked, way, title_row)
    if way == "data":
        names = {key: data.models[key].predictions.name for key in data.sources}
        now = state.shown_model_of(names)
        with title_row:
            _select(names, width=230, **state.bound("model", value=now))
        return data.sources[now], data.taxonomy, now
    left, right = st.columns(2, gap="large")
    with left:
        held, paths = _files("own_model", LABELS["model"], COMPANIONS, memory, several=True)
    with right:
        taxonomy = _taxonomy(data, memory)
    model_paths = model_files(paths)
    if paths and not model_paths:
        st.error("model: expected a file that ends in .onnx, got none. Choose one.", icon=":material/error:")
        return None, taxonomy, None
    if not model_paths:
        st.markdown(STEPS)
    if not model_paths or taxonomy is None:
        return None, taxonomy, None
    path = model_paths[0]
    if len(model_paths) > 1:
        path = st.selectbox("Which of the files?", model_paths, format_func=file_name, width=300)
    return ModelSource(Path(path), state.startup_limits()[0], held=(held,)), taxonomy, None


def _select(words, **widget):
    return st.selectbox("Model", list(words), format_func=words.get, label_visibility="collapsed", **widget)


def _named(files, way, title_row):
    """As `choose`, for a model that the start of the app or the form for files names, with all that was chosen there."""
    path = files.model[0]
    if len(files.model) > 1:
        names = {model: file_name(model) for model in files.model}
        with title_row:
            path = _select(names, width=230, **state.kept("model", f"named-{way}", path))
    named = {"taxonomy": files.taxonomy, "class names": files.classes, "inputs": files.inputs, "truth": files.truth}
    words = ", ".join(f"{what} {file_name(file)}" for what, file in named.items() if file)
    where = "as chosen on Open files" if way == "offered" else "as given on the command line"
    st.caption(f"{escape(file_name(path))} with {escape(words)}, {where}.")
    form = (files.taxonomy, files.nodes)
    taxonomy = state.answered(("taxonomy", *form, *(stamp(file) for file in form if file)), lambda: taxonomy_of(files))
    return ModelSource(Path(path), files.source_keywords, held=files.held, files=files), taxonomy, None


def _taxonomy(data, memory):
    ways = {"open": f"Open data ({data.taxonomy.n_leaves:,} leaf classes)", "other": "Another taxonomy"}
    way = pick("Taxonomy of the model", ways, ("model", "taxonomy_way"), "open", segmented=True)
    if way == "open":
        return data.taxonomy
    _, paths = _files("own_taxonomy", "Taxonomy", "An edge list (parent, child), levels, paths or nested JSON.", memory)
    if not paths:
        return None
    try:
        path = str(paths[0])
        return state.answered(("taxonomy", path, stamp(path)), lambda: load_taxonomy(path))
    except HiervizError as error:
        st.error(escape(in_form_words(error, is_of_path=True)), icon=":material/error:")
        return None


def _files(slot, label, help, memory, *, several=False):
    """(what keeps them, paths) of files by upload, or by path where that is allowed."""
    # The files of a model share a folder.
    upload = state.kept_upload(slot, label, several=several, together=several, help=help)
    if upload is not None:
        return upload, upload.paths
    if not state.may_open_paths():
        return None, ()
    text = st.text_input(
        f"{label}: or a path on this machine",
        placeholder="/folder/model.onnx" if several else "/folder/file",
        **state.kept("model", f"{slot}_path", ""),
    )
    text = text.strip().strip("'\"")
    try:
        return None, (state.allowed_path(text),) if text else ()
    except HiervizError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return None, ()


def offer(files):
    """Show the model of the form for files next, with everything that was chosen with it.

    Parameters
    ----------
    files : Files
    """
    memory = state.memory("model")
    memory |= {"way": "offered", "offered": files, "section": "ask", "data": state.view().data}
