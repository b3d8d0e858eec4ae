"""Session files: a page as a small JSON file that is opened again with the same files, on this server or another.

It holds the view (all fields of the link), choices that no link carries, and name and SHA-256 of each file of data; no data,
no path. A session file is checked like a link: what is not understood has its default.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from hierviz._version import version
from hierviz.app.state.current import session, view_of
from hierviz.app.state.file_content import content_hash
from hierviz.app.state.opened import data, startup, startup_files
from hierviz.app.state.server_memory import memory
from hierviz.app.state.story import keep_steps
from hierviz.app.state.upload_fields import keep_files
from hierviz.app.state.visits import visit
from hierviz.messages.errors import FileError
from hierviz.opening.files import ROLES, SEVERAL, SINGLE, Files, checked_reading
from hierviz.reports.story_step import StoryStep, story_from, texts
from hierviz.reports.view import CHOICES, DEMO, NAME_OF_DEMO
from hierviz.reports.view_pages import PAGES

FORMAT = 1
LARGEST = 2_000_000  # bytes of a session file
# To which of the prediction files their own class names belong.
PLACES = "classes_of_places"


@dataclass(frozen=True)
class SessionPart:
    """One file of data: its role, name, and SHA-256 as 64 hexadecimal digits; of a folder that of what lies in it."""

    role: str
    name: str
    sha256: str


@dataclass(frozen=True)
class SavedSession(StoryStep):
    """A view with the files that it needs, and the story of the data.

    Attributes
    ----------
    title : str
        Of the data.
    memories : dict of str to dict
        Choices that no link carries.
    parts : tuple of SessionPart
        Empty for the demo.
    demo : str
        Key of a demo; empty for files.
    reading : dict
        Fields of `Files` that say how the files are read.
    story : tuple of StoryStep
    """

    title: str = ""
    memories: dict = field(default_factory=dict)
    parts: tuple[SessionPart, ...] = ()
    demo: str = ""
    reading: dict = field(default_factory=dict)
    story: tuple[StoryStep, ...] = ()

    def to_json(self):
        """The session file as text."""
        data = (
            {"demo": self.demo == DEMO or self.demo}
            if self.is_demo
            else {"title": self.title, "files": [vars(part) for part in self.parts], "reading": self.reading}
        )
        made = {
            "hierviz_session": FORMAT,
            "hierviz": version(),
            **self.to_dict(),
            "data": data,
            "choices": self.memories,
        }
        made |= {"story": [step.to_dict() for step in self.story]} if self.story else {}
        return json.dumps(made, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text, name="session"):
        """Read a session file.

        Raises
        ------
        FileError
            If it is none.
        """
        try:
            found = json.loads(text)
            data, choices = found["data"], found.get("choices", {})
            demo = DEMO if data.get("demo") is True else data.get("demo", "")
            parts = () if demo in NAME_OF_DEMO else tuple(map(_part, data["files"]))
            if found["hierviz_session"] != FORMAT or (demo not in NAME_OF_DEMO and not parts):
                raise ValueError
            return cls(
                found["page"] if found["page"] in PAGES else "overview",
                texts(found["view"]),
                title=str(data.get("title", "")),
                memories={key: value for key in CHOICES if isinstance(value := choices.get(key), dict)},
                parts=parts,
                demo=demo if demo in NAME_OF_DEMO else "",
                reading=_reading(data.get("reading", {})),
                story=story_from(found.get("story")),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FileError(
                f"{name}: expected a session file of hierviz (format {FORMAT}), got something else. Save one with Save."
            ) from None

    @property
    def is_demo(self):
        """Whether it is a demo that everybody can open."""
        return bool(self.demo)

    def files(self, paths, held=()):
        """The Files to open, of a path for each part in order."""
        by_role: dict = {}
        for part, path in zip(self.parts, paths, strict=True):
            by_role.setdefault(part.role, []).append(str(path))
        named = {role: tuple(found) if role in SEVERAL else found[0] for role, found in by_role.items()}
        reading = {name: tuple(value) if name in SINGLE else value for name, value in self.reading.items()}
        n, places = len(named.get("predictions", ())), reading.pop(PLACES, [])
        classes = dict(zip(places, named.pop("classes_of", ())))
        if classes:
            named["classes_of"] = tuple(classes.get(place) for place in range(n))
        reading = {name: value for name, value in reading.items() if name not in SINGLE or len(value) == n}
        return Files(**named, **reading, held=held)


def why_no_session(dataset):
    """Why the data of a page have no session file, as a sentence; empty where they have one."""
    if dataset.key in NAME_OF_DEMO or dataset.files is not None:
        return ""
    return "Predictions of a model that was run on the page Model are not in a file: save them there and open them with the data."


def session_of(dataset, page, view, memories, story=()):
    """The SavedSession of a page.

    Parameters
    ----------
    dataset : Dataset
    page : str
    view : View
    story : sequence of StoryStep
    memories : dict of str to dict
        All of the session; plain values of `CHOICES` are kept.

    Raises
    ------
    FileError
        If a file of the data is no longer there.
    """
    kept = {name: plain for name in CHOICES if (plain := _plain(memories.get(name, {})))}
    fields = texts(view.to_query())
    saved = SavedSession(page, fields, title=dataset.title, memories=kept, story=tuple(story))
    if dataset.key in NAME_OF_DEMO:
        return replace(saved, demo=dataset.key)
    parts = [SessionPart(role, Path(path).name, sha256(path)) for role, path in dataset.files.named_paths]
    return replace(saved, parts=tuple(parts), reading=reading_of(dataset.files))


def reading_of(files):
    """How Files are read, as a session file holds it."""
    places = [place for place, path in enumerate(files.classes_of) if path]
    return files.said | ({PLACES: places} if places else {})


def is_session_of(files, saved):
    """Whether Files have the content of a session and are read in the same way."""
    if reading_of(files) != saved.reading:
        return False
    try:
        now = [(role, sha256(path)) for role, path in files.named_paths]
    except FileError:
        return False
    asked = [(part.role, part.sha256) for part in saved.parts]
    # Readings of single files go by their order.
    is_by_order = any(name in saved.reading for name in (*SINGLE, PLACES))
    return now == asked or (not is_by_order and sorted(now) == sorted(asked))


def matched(parts, paths):
    """Which of some files is which part, by content.

    Parameters
    ----------
    parts : sequence of SessionPart
    paths : sequence of path

    Returns
    -------
    found : list of path or None
        One a part.
    problems : list of str
        A sentence for every part that is missing or has changed.
    """
    hashes = {path: sha256(path) for path in dict.fromkeys(map(str, paths))}
    by_hash = {content: path for path, content in reversed(hashes.items())}
    found = [by_hash.get(part.sha256) for part in parts]
    problems = []
    for part in [part for part, path in zip(parts, found, strict=True) if path is None]:
        other = next((content for given, content in hashes.items() if Path(given).name == part.name), None)
        words = f"{part.name} ({ROLES[part.role]}): expected the file of the session"
        problems.append(
            f"{words}, got none. Add it."
            if other is None
            else f"{words} (SHA-256 {part.sha256[:12]}…), got another content ({other[:12]}…). Choose the file that the session "
            "was saved with."
        )
    return found, problems


def sha256(path):
    """SHA-256 of a file, or of the names and files of a folder, as 64 hexadecimal digits.

    Raises
    ------
    FileError
        If it cannot be read.
    """
    try:
        if os.path.isdir(path):
            members = sorted(found for found in Path(path).rglob("*") if found.is_file())
            lines = "".join(f"{found.relative_to(path)} {sha256(found)}\n" for found in members)
            return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
        return content_hash(path, kind=hashlib.sha256).hex()
    except (OSError, ValueError):
        raise FileError(f"{Path(path).name}: expected a file that can be read, got none. Open it again.") from None


def _part(part):
    """A SessionPart; ValueError where it is none."""
    role, name, content = (part[key] for key in ("role", "name", "sha256"))
    if role not in ROLES or not isinstance(name, str) or not re.fullmatch("[0-9a-f]{64}", content):
        raise ValueError
    # A name is shown, and given to a copy of the file; it is no path.
    return SessionPart(role, re.split(r"[/\\]", name)[-1][:255], content)


def _reading(found):
    reading, places = checked_reading(found), found.get(PLACES)
    if isinstance(places, list) and all(type(place) is int and 0 <= place < 10_000 for place in places):
        reading[PLACES] = places
    return reading


def _plain(values):
    """Entries of a memory that JSON can hold."""

    def is_plain(value):
        return all(
            isinstance(part, str | int | float | None) for part in (value if isinstance(value, list) else [value])
        )

    return {key: value for key, value in values.items() if isinstance(key, str) and is_plain(value)}


# Opening a session file: which files it still needs, and the page that it shows.


def read_session(path):
    """The SavedSession of an uploaded file.

    Raises
    ------
    FileError
        If it is none.
    """
    # What is longer is something else, which need not be read.
    text = path.read_bytes() if path.stat().st_size <= LARGEST else b""
    return SavedSession.from_json(text.decode("utf-8", "replace"), path.name)


def open_already(saved):
    """A Dataset of the session's files that this visitor sees anyway; None when there is none.

    Data of other visitors are not searched: whoever knows the hash of a file need not have it.
    """
    seen = [data(), startup() if startup_files() else None]
    of_files = [dataset for dataset in seen if dataset is not None and dataset.files is not None]
    return next((dataset for dataset in of_files if is_session_of(dataset.files, saved)), None)


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
