"""Opening a session file: which files it still needs, and the page it stands for."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hierviz.app.state.current import session, view_of
from hierviz.app.state.opened import data, startup, startup_files
from hierviz.app.state.server_memory import memory
from hierviz.app.state.session_file import LARGEST, SavedSession, is_session_of
from hierviz.app.state.story import keep_steps
from hierviz.app.state.upload_fields import keep_files
from hierviz.app.state.visits import visit
from hierviz.messages.errors import FileError


def read_session(path):
    """The SavedSession of an uploaded file.

    Raises
    ------
    FileError
        If it is none.
    """
    path = Path(path)
    # What is longer is something else, which need not be read.
    text = path.read_bytes()[: LARGEST + 1] if path.stat().st_size <= LARGEST else b""
    return SavedSession.from_json(text.decode("utf-8", "replace"), path.name)


def open_already(saved):
    """A Dataset of the session's files that this visitor sees anyway; None when there is none.

    Data of other visitors are not looked at: who knows the hash of a file need not have it.
    """
    shown = data()
    if saved.is_demo:
        return shown if shown is not None and shown.key == saved.demo else None
    others = [startup()] if startup_files() else []
    for dataset in (shown, *others):
        if dataset is not None and dataset.files is not None and is_session_of(dataset.files, saved):
            return dataset
    return None


def session_files(saved, paths):
    """The Files of a session, of a path for each part: copies under the names of the session, which name the models."""
    if all(Path(path).name == part.name for part, path in zip(saved.parts, paths, strict=True)):
        return saved.files(paths, _held(paths))
    with contextlib.ExitStack() as opened:
        uploads = keep_files([opened.enter_context(_renamed(*pair)) for pair in zip(paths, saved.parts, strict=True)])
    return saved.files(uploads.paths, (uploads,))


def _renamed(path, part):
    """An open file under the name of a part, as an upload is given."""
    try:
        file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed with the others
    except OSError:
        raise FileError(f"{part.name}: expected a file, got none. Choose it again.") from None
    file.name, file.size = part.name, os.path.getsize(path)
    return file


def show_session(saved, dataset):
    """Let the view and the choices of this session be those of a session file, on a data set."""
    for name, values in saved.memories.items():
        memory(name).update(values)
    key = saved.demo or dataset.key
    view = view_of({**saved.view, "data": key})
    session.view = view if dataset is None else view.cleaned(dataset)
    visit().shows = key
    if saved.story:
        keep_steps(key, saved.story)


def _held(paths):
    """The Uploads of this visit that hold some of these files."""
    kept = [kept.uploads for kept in memory("uploads").values() if kept.uploads is not None]
    return tuple(uploads for uploads in kept if set(map(str, uploads.paths)) & set(map(str, paths)))
