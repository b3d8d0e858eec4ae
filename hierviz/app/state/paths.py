"""Which files a visitor may open by their path: whether a request comes from this machine, by the host names of the server."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import streamlit as st

from hierviz.app.state.uploads import upload_folders
from hierviz.messages.errors import FileError
from hierviz.opening.options import start_options
from hierviz.readers.shared_file import is_url

# Read with a model of any name.
CONFIGS = ("config.json", "preprocessor_config.json")
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
# What a reverse proxy adds to a request that it passes on.
FORWARDED = re.compile(r"forwarded|x-forwarded-.*|x-original-.*|x-real-ip|via|true-client-ip|cf-.*", re.IGNORECASE)
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>\d{1,5}))?", re.IGNORECASE)


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


def require_model_uploads():
    """Raise a FileError where the server runs no models that visitors upload."""
    if start_options(tuple(sys.argv[1:])).no_model_uploads:
        raise FileError(
            "model: expected predictions, as this server runs no uploaded models, got a model. "
            "Run `hierviz predict` on your machine and open its predictions."
        )


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


def split_host(text):
    """Name, in lower case, and port, or None, of a Host header; None for what is none."""
    parts = _HOST.fullmatch(text)
    if not parts:
        return None
    name = (parts["six"] or parts["name"]).lower().rstrip(".")
    return name, int(parts["port"]) if parts["port"] else None


def is_local(headers):
    """True when a request was sent by a browser on this machine, as far as its headers show.

    Parameters
    ----------
    headers : mapping of str to str
    """
    host = split_host({name.lower(): value for name, value in headers.items()}.get("host", ""))
    return host is not None and host[0] in LOCAL_NAMES and not any(map(FORWARDED.fullmatch, headers))


def has_foreign_names():
    """True when the server also answers to names that are not this machine's own, as behind a reverse proxy."""
    return not set(_allowed()) <= set(LOCAL_NAMES)


def _allowed():
    return [name.strip().lower().rstrip(".") for name in st.get_option("server.allowedHosts")] or LOCAL_NAMES


def is_allowed(name):
    return any(
        pattern in ("*", name) or (pattern.startswith("*.") and name.endswith(pattern[1:])) for pattern in _allowed()
    )
