"""Which files of this machine a visitor may open by their path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import streamlit as st

from hierviz.app.state.host_names import LOCAL_NAMES, has_foreign_names, is_local
from hierviz.app.state.uploads import upload_folders
from hierviz.messages.errors import FileError
from hierviz.opening.options import start_options
from hierviz.readers.shared_file import is_url

# Read with a model of any name.
CONFIGS = ("config.json", "preprocessor_config.json")


def is_local_visit():
    """True when nobody but this machine can reach the server, and this visitor did so without a reverse proxy.

    A reverse proxy on this machine may forward the header Host of a remote visitor and add no header of its own: with another
    host name allowed, which a reverse proxy needs, no visit counts as local.
    """
    is_closed = st.get_option("server.address") in LOCAL_NAMES and not has_foreign_names()
    return is_closed and is_local(st.context.headers)


def allowed_folder():
    """The folder that `--allow-paths` names, as a Path without links, or None."""
    folder = start_options(tuple(sys.argv[1:])).allow_paths
    return None if folder is None else Path(os.path.realpath(folder))


def may_open_paths():
    """True when this visitor may open files by their path."""
    return allowed_folder() is not None or is_local_visit()


def allowed_path(text):
    """A path as the visitor wrote it, with links followed where a folder is set.

    Raises
    ------
    FileError
        If the visitor may not open it. Says nothing about what is there.
    """
    if not may_open_paths():
        raise FileError("path: expected an upload, got a path, which this visitor may not open. Upload the file.")
    if is_url(text):
        raise FileError(
            f"{text!r}: expected a path on this machine, got a URL, which the app does not load. Download the file."
        )
    folder = allowed_folder()
    if folder is None:
        return text
    refusal = FileError(f"{text!r}: expected a path inside {folder}, got one outside it. Choose another.")
    uploads = [Path(os.path.realpath(upload_folder)) for upload_folder in upload_folders()]
    try:
        path = Path(os.path.realpath(folder / text))
        if not path.is_relative_to(folder):
            raise refusal
        linked = [Path(os.path.realpath(link)) for link in _links(path)]
        if not all(target.is_relative_to(folder) for target in linked):
            raise refusal
        if any(_meets(candidate, other) for candidate in (path, *linked) for other in uploads):
            raise FileError(
                f"{text!r}: expected a path outside the uploads of visitors, got one among them. Choose another."
            )
    except (OSError, ValueError):  # NUL, too long, a circle of links
        raise refusal from None
    return str(path)


def companions(path):
    """Files that are read with a file without being named."""
    return [file for file in path.parent.iterdir() if file.name.startswith(path.stem) or file.name in CONFIGS]


def _links(path):
    """The links in a folder, or among the files that are read with a file."""
    if path.is_dir():
        found = (Path(place) / name for place, folders, files in os.walk(path) for name in (*folders, *files))
    elif path.is_file():
        found = companions(path)
    else:
        found = ()
    return (file for file in found if file.is_symlink())


def _meets(path, folder):
    """True when a path lies in a folder, or is that of a folder around it, which would be read as a whole."""
    return path.is_relative_to(folder) or folder.is_relative_to(path)
