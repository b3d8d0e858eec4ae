"""Opening a session file: which files it still needs, and the page it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hierviz.app.state.current import session
from hierviz.app.state.opened import data, startup, startup_files
from hierviz.app.state.page_view import View
from hierviz.app.state.server import server
from hierviz.app.state.server_memory import memory
from hierviz.app.state.session_file import LARGEST, SavedSession, is_session_of
from hierviz.app.state.story import keep_steps
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
    given = [_Renamed(Path(path), part.name) for part, path in zip(saved.parts, paths, strict=True)]
    if all(Path(path).name == part.name for part, path in zip(saved.parts, paths, strict=True)):
        return saved.files(paths, _held(paths))
    with server().shelf.bringing:
        server().shelf.make_room(visit().visitor, sum(Path(path).stat().st_size for path in paths))
        uploads = server().uploads.keep(given, owner=visit().visitor)
    return saved.files(uploads.paths, (uploads,))


def show_session(saved, dataset):
    """Let the view and the choices of this session be those of a session file, on a data set."""
    for name, values in saved.memories.items():
        memory(name).update(values)
    key = saved.demo or dataset.key
    view = View.from_query({**saved.view, "data": key})
    session.view = view if dataset is None else view.cleaned(dataset)
    visit().shows = key
    if saved.story:
        keep_steps(key, saved.story)


def _held(paths):
    """The Uploads of this visit that hold some of these files."""
    kept = [kept.uploads for kept in memory("uploads").values() if kept.uploads is not None]
    return tuple(uploads for uploads in kept if set(map(str, uploads.paths)) & set(map(str, paths)))


@dataclass
class _Renamed:
    """A file under another name, as an upload is given."""

    path: Path
    name: str

    def __post_init__(self):
        if not self.path.is_file():
            raise FileError(f"{self.name}: expected a file, got none. Choose it again.")

    def seek(self, at):
        self._file = open(self.path, "rb")  # noqa: SIM115 - closed at its end
        self._file.seek(at)

    def read(self, n=-1):
        part = self._file.read(n)
        if not part:
            self._file.close()
        return part
