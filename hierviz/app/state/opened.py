"""What is open: the demo, the files named at the start, and what visitors opened since."""

from __future__ import annotations

import contextlib
import functools
import sys
from dataclasses import replace

import streamlit as st

from hierviz.app.state import dataset as datasets
from hierviz.app.state.current import publish, session, view
from hierviz.app.state.server_memory import memory, server
from hierviz.app.state.stages import SharedOpening, Stages
from hierviz.app.state.upload_fields import empty_uploaders
from hierviz.app.state.visits import give_back_memory, keep_little_memory, visit
from hierviz.messages.errors import HiervizError, ModelError
from hierviz.opening.model_settings import model_options
from hierviz.opening.options import run_options, start_files, start_options
from hierviz.reports.view import DEMO, NAME_OF_DEMO, WIKIPEDIA, View, own_thresholds

FIRST_OF_DEMO = ("flat-softmax", "conditional-sigmoid", "multi-label", "soft-max-margin")
# Demos that are open. A spinner, even for what is there, costs every visit a moment.
_open_demos: set[str] = set()
WAITING = {DEMO: "Running the demo's models on its pictures …", WIKIPEDIA: "Reading the demo of texts …"}


@st.cache_resource(show_spinner=False)
def demo(key):
    """A bundled demo by its key."""
    dataset = datasets.open_demo(key)
    _open_demos.add(key)
    server().lasting.add(dataset.digest)
    return dataset


def _open_startup(files, stage):
    """(the data set or None, whether a model is left for the visitor to be asked about)."""
    try:
        # A model without inputs has nothing to be opened yet.
        if files.inputs or not files.model:
            return _named(files, stage), False
    except ModelError:
        if not files.model:
            raise
    rest = replace(files, model=(), inputs=None)
    return (_named(rest, stage) if rest.predictions else None), True


_opening = SharedOpening(_open_startup)
# Of the arguments of the start: what a visitor chose where they leave a question open.
_chosen: dict[tuple[str, ...], dict] = {}


def _startup(files):
    """`_open_startup` once for all visitors, who see its progress; (None, False) where it was cancelled."""
    if _opening.is_done:
        return _opening(files) or (None, False)
    if session.get("left_startup"):
        return None, False
    with Stages("cancel-startup", cancel_startup, after=0) as stages:
        return _opening(files, stages.show) or (None, False)


def cancel_startup():
    """Show the demo and stop opening the files of the command line, unless another visitor waits for them."""
    _opening.cancel()
    session.view, session.left_startup = View(), True


def startup_cancelled():
    """Whether opening the files of the command line was cancelled by this visitor, or by the only one."""
    return startup_files() is not None and (_opening.was_cancelled or session.get("left_startup", False))


def restart_startup():
    """Open them after all."""
    if _opening.was_cancelled:
        _opening.clear()
    session.pop("left_startup", None)
    session.pop("view", None)


def restart_startup_with(**choices):
    """Open them with other keywords of Files, for all visitors, where they could not be opened."""
    arguments = tuple(sys.argv[1:])
    _chosen[arguments] = _chosen.get(arguments, {}) | choices
    _opening.clear()
    session.pop("view", None)


def _named(files, stage=lambda name, unit="rows": None):
    cluster = _startup_options().cluster
    if cluster is not None:
        keep_little_memory()
    dataset = datasets.open_files(files, stage, cluster=cluster)
    server().lasting.add(dataset.digest)
    # Every visitor sees these files without a link: their key need not be secret, and links outlive the server.
    return replace(dataset, key=datasets.digest(files))


def _startup_options():
    return start_options(tuple(sys.argv[1:]))


def startup_limits():
    """(keywords of `load_model`, of `Model.predict`) that hold for all models of this server, as its start says."""
    options = _startup_options()
    limits = model_options(options).get("limits")
    return {"limits": limits} if limits else {}, run_options(options)


def startup_files():
    """Files named on the command line that started the app, with what was chosen since, or None."""
    arguments = tuple(sys.argv[1:])
    files, chosen = _files_of(arguments), _chosen.get(arguments)
    return replace(files, **chosen) if chosen else files


@functools.lru_cache(maxsize=8)
def _files_of(arguments):
    """The Files that arguments of the start name, or None: asked for many times in a run of a page."""
    return start_files(start_options(arguments))


def startup_demo():
    """Key of the demo that was asked for on the command line, or None."""
    name = _startup_options().demo
    return next((key for key, called in NAME_OF_DEMO.items() if called == name), None)


def startup():
    """The data set of `startup_files`; None where a model of theirs leaves a question open and nothing else was named."""
    return _startup(startup_files())[0]


def begin():
    """Begin to open the files of the command line while the server starts; errors are shown to the first visitor."""
    with contextlib.suppress(HiervizError):
        if startup_files() is not None:
            _opening.begin(startup_files())


def prepare():
    """Open the demo, where the first visitor will see it; errors are shown to that visitor."""
    with contextlib.suppress(HiervizError):
        if startup_files() is None:
            demo(startup_demo() or DEMO)


def asked_files():
    """`startup_files` when a model of theirs could not be opened without an answer, else None."""
    files = startup_files()
    return files if files is not None and files.model and _startup(files)[1] else None


def show_data(key, **changes):
    """Show another data set: of the former one's view only the threshold stays."""
    session.view = View(data=key, threshold=view().threshold, **changes)


def put(data):
    """Keep an opened data set and show it.

    Raises
    ------
    FileError
        When there is no room for it.
    """
    server().put(data, visit().visitor)
    show_data(data.key, thresholds=own_thresholds(data.thresholds))
    visit().shows = data.key


def open_and_put(files, find=None):
    """Open files with their progress, keep their Dataset and show it; returns it."""
    with Stages("cancel-open", cancel_open, after=0) as stages:
        dataset = datasets.open_files(files, stages, find=find)
        put(dataset)
    return dataset


def open_elsewhere(digest):
    """A data set of uploads of the same content, which need not be read and evaluated again; None when there is none."""
    dataset = server().with_digest(digest)
    # Files that were named by their path may change where they are.
    return dataset if dataset is not None and dataset.held else None


def may_close():
    """True when this visitor opened what the view shows."""
    return server().is_of(view().data, visit().visitor)


def close():
    """Close what the view shows, for everybody, with the files it was read from; then show the demo."""
    gone = server().close(view().data, visit().visitor)
    show_data(DEMO)
    if gone is None:
        return
    finished = memory("run").get("finished")
    if finished is not None and any(finished.source is source for source in gone.sources.values()):
        memory("run").clear()
    empty_uploaders(gone.held)
    del gone, finished
    give_back_memory()


def data():
    """The Dataset of the view, or None when its key is not known here (a link from another machine, say)."""
    key = visit().shows = view().data
    if key in NAME_OF_DEMO:
        with contextlib.nullcontext() if key in _open_demos else st.spinner(WAITING[key]):
            return demo(key)
    if is_startup():
        return startup()
    dataset = server().get(key)
    if dataset is not None:
        visit().seen.add(key)
    return dataset


def shown_models(dataset):
    """Keys of the methods on the curves, each that of its first run: those of the URL, else all of a few, else a selection."""
    chosen = list(dict.fromkeys(dataset.method_of(name) for name in view().models if name in dataset.models))
    if chosen:
        return chosen
    if dataset.key == DEMO:
        return [name for name in FIRST_OF_DEMO if name in dataset.models] or list(dataset.models)[:4]
    return list(dataset.methods)[:6]


def request_reopen():
    """Remember that the files of the open data set are to be read again."""
    session.reopen_requested = True


def may_reopen():
    """True when the open data set can be read again: nothing but files named here went into it."""
    dataset = data()
    return dataset is not None and dataset.files is not None


def reopen():
    """Read the files of the open data set again, as they are now, when that was asked for."""
    if not session.pop("reopen_requested", False) or not may_reopen():
        return
    dataset = data()
    if dataset.files == startup_files():
        _opening.clear()
        if (read_again := startup()) is not None:
            session.view = replace(view(), data=read_again.key)
    else:
        put(datasets.open_files(dataset.files))
    publish()


def is_startup():
    """True when the view shows the files that were named when the app was started."""
    return bool(startup_files()) and startup() is not None and startup().key == view().data


def request_open():
    """Remember that Open was pressed: an upload that ends meanwhile reruns the page and would lose the press."""
    session.open_requested = True


def open_requested(done=False):
    """True until an opening that was asked for is done."""
    if done:
        session.open_requested = False
    return session.get("open_requested", False)


def cancel_open():
    """End an opening that is under way; what was open before stays."""
    session.open_requested = False
    session.open_was_cancelled = True


def open_cancelled():
    """True once after an opening was cancelled."""
    return session.pop("open_was_cancelled", False)
