"""Files that are read in place of those a visitor chose: mended ones, and class names that were typed beside an error."""

from __future__ import annotations

import os
from dataclasses import replace

from hierviz.app.state.server_memory import memory
from hierviz.app.state.upload_fields import keep_content

CLASSES = "class-names.txt"


def replaced(files):
    """Files with what is read in place of them, as long as they are the same as when it was made."""
    kept = memory("replaced files")
    for place, (stamp, _) in list(kept.items()):
        if stamp != _stamp(place):
            del kept[place]
    typed = kept.get(files.predictions)
    changed = files.with_paths(lambda path: str(kept[path][1].paths[0]) if path in kept else path)
    if typed is not None:
        changed = replace(changed, classes=str(typed[1].paths[0]), classes_of=())
    return replace(changed, held=(*files.held, *(uploads for _, uploads in kept.values())))


def names_replaced():
    """Names of the files that are read in place of others."""
    return [uploads.paths[0].name for _, uploads in memory("replaced files").values()]


def read_instead(content):
    """Read other content in place of files.

    Parameters
    ----------
    content : dict of str to (str, bytes)
        Path, or the paths of the predictions whose class names these are -> name and content of the file.
    """
    kept = memory("replaced files")
    for place, (name, data) in content.items():
        kept[place] = (_stamp(place), keep_content(name, data))


def read_as_chosen():
    """Read the files that were chosen again."""
    memory("replaced files").clear()


def _stamp(place):
    """What changes when a file, or one of several, is another one."""
    if isinstance(place, tuple):
        return tuple(map(_stamp, place))
    try:
        status = os.stat(place)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
