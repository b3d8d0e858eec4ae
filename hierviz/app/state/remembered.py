"""Recently opened files of this machine, by path; never uploads, never content."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from hierviz.app.state.paths import is_local_visit
from hierviz.messages.new_files import new_text
from hierviz.opening.files import files_from

MOST = 8
LARGEST = 1_000_000  # bytes


def place():
    """Path of the list, in the folder of the system for such data."""
    folder = os.environ.get("XDG_STATE_HOME", "")
    base = Path(folder) if folder and Path(folder).is_absolute() else Path.home() / ".local" / "state"
    return base / "hierviz" / "opened.json"


def remember(files):
    """Put files that were opened by path at the head of the list; a list that cannot be written is left as it is."""
    if not is_local_visit() or files.held:
        return
    with contextlib.suppress(OSError):
        files = files.with_paths(os.path.abspath)
    entry = files.to_json()
    _write([entry, *(other for other in _entries() if other != entry)][:MOST])


def remembered():
    """The Files of the list, the last opened first, whose files all still exist."""
    if not is_local_visit():
        return []
    found = [files_from(entry) for entry in _entries()]
    return [files for files in found if all(map(os.path.exists, files.paths))]


def forget_remembered():
    """Remove the list."""
    if is_local_visit():
        with contextlib.suppress(OSError):
            place().unlink()


def _entries():
    try:
        if place().stat().st_size > LARGEST:
            return []
        found = json.loads(place().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return [entry for entry in found if files_from(entry) is not None][:MOST] if isinstance(found, list) else []


def _write(entries):
    with contextlib.suppress(OSError, ValueError):
        place().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_text(place()) as file:
            json.dump(entries, file, indent=1)
