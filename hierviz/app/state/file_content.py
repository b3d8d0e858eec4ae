"""Hashes of the files that a user chose: known content is not read again, and the same file chosen twice is reported."""

from __future__ import annotations

import hashlib
import os
import threading
from concurrent.futures import CancelledError, Future
from pathlib import Path

# Fields of `Files` that hold paths, in the order that keys in links are made in; and those that no link of before knows.
PATHS = ("taxonomy", "truth", "classes", "inputs", "nodes", "media", "predictions", "model", "classes_of") + (
    "taxonomy_classes",
    "mapping",
)
_LATER = ("predictions_forms",)
# Digests of files that were read, by path and what changes when the file does: a large one is read once.
_HASHES: dict = {}
MOST_HASHES, BYTES_AT_ONCE = 256, 1 << 24


def digest(files, progress=None):
    """Content hash of everything the user chose, 16 hexadecimal digits; `progress` is called with megabytes (done, in all)."""
    tell = None if progress is None else _bytes_told(files, progress)
    state = hashlib.blake2b(
        repr([(k, v) for k, v in vars(files).items() if k not in (*PATHS, "held") and (v or k not in _LATER)]).encode(),
        digest_size=8,
    )
    # With lengths in front, no two choices of files make the same bytes: the same file may be a truth or predictions.
    for role in PATHS:
        value = getattr(files, role)
        paths = value if isinstance(value, tuple) else (value,) if value else ()
        state.update(f"{role} {len(paths)}\n".encode())
        for path in paths:
            if not path:
                state.update(b"none\n")
                continue
            members = _members(path)
            state.update(f"{len(members)}\n".encode())
            for member in members:
                name, content = os.fsencode(member.name), _content(member, tell) or b""
                state.update(f"{len(name)} {len(content)}\n".encode() + name + content)
    return state.hexdigest()


class Hashing:
    """`digest` and `same_content` of files, made in a thread while a `with` block reads them: hashing leaves Python to others.

    Where the block ends early, so does the hashing.
    """

    def __init__(self, files):
        self._made, self._is_over = Future(), False
        threading.Thread(target=self._work, args=(files,), name="hierviz-hash", daemon=True).start()

    def result(self):
        """(digest, sentences), once they are made."""
        return self._made.result()

    def _work(self, files):
        try:
            self._made.set_result((digest(files, self._told), same_content(files.predictions)))
        except BaseException as error:
            self._made.set_exception(error)

    def _told(self, *_):
        if self._is_over:
            raise CancelledError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_over = True


def _bytes_told(files, progress):
    """A function that is called with the bytes of each part that was read of all files."""
    paths = [member for path in files.paths for member in _members(path) if os.path.isfile(member)]
    total, done = sum(map(os.path.getsize, paths)), 0

    def tell(n_bytes):
        nonlocal done
        done = min(done + n_bytes, total)
        progress(done // 10**6, max(1, total // 10**6))

    return tell


def _members(path):
    return sorted(Path(path).rglob("*")) if os.path.isdir(path) else [Path(path)]


def _content(path, tell=None):
    """Digest of a file; None if it cannot be read, which its reader reports."""
    try:
        return content_hash(path, tell) if os.path.isfile(path) else None
    except (OSError, ValueError):
        return None


def content_hash(path, tell=None, kind=hashlib.blake2b):
    """Hash of a file as bytes, made once; `tell` is called with the bytes of each part that was read."""
    key = str(path), kind.__name__, stamp(path)
    if key not in _HASHES:
        while len(_HASHES) >= MOST_HASHES:
            _HASHES.pop(next(iter(_HASHES)), None)
        digest, part = kind(), bytearray(BYTES_AT_ONCE)
        with open(path, "rb") as file:
            while n_bytes := file.readinto(part):
                digest.update(memoryview(part)[:n_bytes])
                if tell is not None:
                    tell(n_bytes)
        _HASHES[key] = digest.digest()
    return _HASHES[key]


def same_content(paths):
    """A sentence for every file that is, byte for byte, another one of them."""
    first_of, notes = {}, []
    for place, path in enumerate(paths):
        content = _content(path)
        first = place if content is None else first_of.setdefault(content, place)
        if first != place:
            notes.append(
                f"Prediction file {place + 1} ({Path(path).name}) has the same content as file {first + 1} "
                f"({Path(paths[first]).name}): the two models are the same."
            )
    return tuple(notes)


def stamp(path):
    """A value that changes with a file; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
