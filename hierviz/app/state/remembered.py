"""Recently opened files of this machine, by path; never uploads, never content."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from hierviz.app.state.paths import is_local_visit
from hierviz.new_files import new_text
from hierviz.opening.files import ROLES, SEVERAL, Files, checked_reading

MOST = 8
LARGEST = 1_000_000  # bytes


def place():
    """Path of the list, in the folder of the system for such data."""
    folder = os.environ.get("XDG_STATE_HOME", "")
    base = Path(folder) if folder and Path(folder).is_absolute() else Path.home() / ".local" / "state"
    return base / "hierviz" / "opened.json"


def may_remember():
    """True when the server is this visitor's own: nobody else can reach it."""
    return is_local_visit()


def remember(files):
    """Put files that were opened by path at the head of the list; a list that cannot be written is left as it is."""
    if not may_remember() or files.held:
        return
    with contextlib.suppress(OSError):
        files = files.with_paths(os.path.abspath)
    # Answers about a model are asked for again.
    entry = {name: value for name in ROLES if any(value := getattr(files, name) or ())} | files.said
    entry = json.loads(json.dumps(entry))
    _write([entry, *(other for other in _entries() if other != entry)][:MOST])


def remembered():
    """The Files of the list, the last opened first, whose files all still exist."""
    if not may_remember():
        return []
    found = [_files(entry) for entry in _entries()]
    return [files for files in found if all(os.path.exists(path) for path in files.paths)]


def forget_remembered():
    """Remove the list."""
    if may_remember():
        with contextlib.suppress(OSError):
            place().unlink()


def _entries():
    try:
        if place().stat().st_size > LARGEST:
            return []
        found = json.loads(place().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return [entry for entry in found if _is_entry(entry)][:MOST] if isinstance(found, list) else []


def _files(entry):
    """The Files of an entry that `_is_entry`."""
    said = {**checked_reading(entry), **{name: entry[name] for name in set(entry) & set(ROLES)}}
    return Files(**{name: tuple(value) if isinstance(value, list) else value for name, value in said.items()})


def _is_entry(entry):
    if not isinstance(entry, dict) or "taxonomy" not in entry:
        return False
    paths = {name: entry[name] for name in set(entry) & set(ROLES)}
    if any(isinstance(value, list) != (name in SEVERAL) for name, value in paths.items()):
        return False
    texts = [text for value in paths.values() for text in (value if isinstance(value, list) else [value])]
    needed = [*entry.get("predictions", ()), *entry.get("model", ())]
    known = {name: value for name, value in entry.items() if name not in ROLES}
    return (
        all(text is None or isinstance(text, str) for text in texts)
        and bool(needed)
        and None not in needed
        and checked_reading(entry) == known
    )


def _write(entries):
    with contextlib.suppress(OSError, ValueError):
        place().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_text(place()) as file:
            json.dump(entries, file, indent=1)
