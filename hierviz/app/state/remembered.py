"""Files that were opened by their path on this machine, remembered for the next time; never uploads, never content."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import fields
from pathlib import Path

from hierviz.app.state.dataset import Files
from hierviz.app.state.paths import is_local_visit
from hierviz.new_files import new_text

MOST = 8
LARGEST = 1_000_000  # bytes
# Of `Files`: what is said by texts alone. What was said about a model is asked again.
_SINGLE: tuple[str, ...] = (
    *(
        "taxonomy",
        "truth",
        "truth_column",
        "missing",
        "percent",
        "ids",
        "classes",
        "parametrisation",
        "inputs",
        "nodes",
        "media",
    ),
    *("taxonomy_form", "taxonomy_separator", "taxonomy_direction", "predictions_form"),
)
_SEVERAL = ("predictions", "model", "names", "parametrisations", "classes_of")


def place():
    """Path of the list: in the folder that the system has for such things."""
    folder = os.environ.get("XDG_STATE_HOME", "")
    base = Path(folder) if folder and Path(folder).is_absolute() else Path.home() / ".local" / "state"
    return base / "hierviz" / "opened.json"


def may_remember():
    """True when the server is this visitor's own: nobody else can reach it."""
    return is_local_visit()


def remember(files):
    """Put files that were opened by path at the head of the list; a list that cannot be written is left as it is."""
    if not may_remember() or files.held or files.projection or files.thresholds:
        return
    entry = {name: getattr(files, name) for name in _SINGLE if getattr(files, name)}
    entry |= {name: list(getattr(files, name)) for name in _SEVERAL if any(getattr(files, name))}
    with contextlib.suppress(OSError):
        for name in ("taxonomy", "truth", "classes", "inputs", "nodes", "media"):
            if name in entry:
                entry[name] = os.path.abspath(entry[name])
        for name in ("predictions", "model", "classes_of"):
            if name in entry:
                entry[name] = [path and os.path.abspath(path) for path in entry[name]]
    _write([entry, *(other for other in _entries() if other != entry)][:MOST])


def remembered():
    """The Files of the list, the last opened first, of which all files are still there."""
    if not may_remember():
        return []
    found = [Files(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}) for entry in _entries()]
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


def _is_entry(entry):
    if not isinstance(entry, dict) or not set(entry) <= set(_SINGLE) | set(_SEVERAL) <= {f.name for f in fields(Files)}:
        return False
    is_text = all(isinstance(entry[name], str | bool) for name in set(entry) & set(_SINGLE))
    lists = [entry[name] for name in set(entry) & set(_SEVERAL)]
    is_list = all(isinstance(one, list) and all(part is None or isinstance(part, str) for part in one) for one in lists)
    paths = [path for name in ("predictions", "model") for path in entry.get(name, ())]
    return is_text and is_list and "taxonomy" in entry and bool(paths) and None not in paths


def _write(entries):
    with contextlib.suppress(OSError, ValueError):
        place().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_text(place()) as file:
            json.dump(entries, file, indent=1)
