"""Prediction files by method: ``NAME=FILE``, folders and patterns of runs, and values for single methods."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hierviz.messages.errors import FileError, listed, near_miss
from hierviz.readers.picture_names import natural_key

# Suffixes of runs in a folder; a folder of .parquet files is one file in parts.
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".npy", ".npz")
_KNOWN = (*SUFFIXES, ".txt", ".parquet", ".pq", ".gz")
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class RunFile:
    """One file of predictions.

    Attributes
    ----------
    path : str
    name : str or None
        The method, where it is not named after the file.
    run : str or None
        Which run of the method, where it has several files or was named.
    """

    path: str
    name: str | None = None
    run: str | None = None

    @property
    def method(self) -> str:
        """What options call the method: its name, or the file's without suffixes."""
        return self.name or stem(self.path)


def stem(path: str) -> str:
    """A file's name without its suffixes (``.csv``, ``.npz.gz``, ...), as `hierviz.load_predictions` names a model."""
    name = os.path.basename(os.path.normpath(path))
    while Path(name).suffix.lower() in _KNOWN:
        name = Path(name).stem
    return name


def run_files(texts: Sequence[str]) -> list[RunFile]:
    """The files that ``--predictions`` name, with method and run.

    Parameters
    ----------
    texts : sequence of str
        Each a path, ``NAME=path``, a folder of files or a pattern such as ``flat/*.npz`` (with or without ``NAME=``). A path
        that exists is never split at ``=``; a folder and a pattern name the method after the folder of the files.

    Returns
    -------
    list of RunFile
        Files of one name are runs of one method: their `run` is the file's name, made distinct.

    Raises
    ------
    FileError
        If a name is empty, or a folder or pattern holds no file.
    """
    return with_runs([file for text in texts for file in _files_of(text)])


def with_runs(files: Sequence[RunFile]) -> list[RunFile]:
    """The same files, those of one name as runs of one method: their `run` is the file's name, made distinct."""
    # A file that is called as a method is another run of it.
    named = {file.name for file in files if file.name is not None}
    files = [RunFile(file.path, file.method) if file.method in named else file for file in files]
    taken: dict[tuple[str, str], int] = {}
    found = []
    for file in files:
        if file.name is None or sum(other.name == file.name for other in files) == 1:
            found.append(file)
            continue
        run = stem(file.path)
        taken[file.name, run] = taken.get((file.name, run), 0) + 1
        times = taken[file.name, run]
        found.append(RunFile(file.path, file.name, run if times == 1 else f"{run} ({times})"))
    return found


def _files_of(text):
    """The files of one ``--predictions``, without their runs."""
    name, path = _split(text)
    found = _runs_in(path) if os.path.isdir(path) else []
    if _PATTERN.search(path) and not os.path.exists(path) and "://" not in path:
        found = sorted(glob.glob(path), key=natural_key)
        if not found:
            raise FileError(f"--predictions {path}: expected files that match, got none. Check the path.")
    # A pattern may span folders: each file is a run of its own.
    folders = [os.path.basename(os.path.dirname(os.path.abspath(file))) for file in found]
    files = [RunFile(file, name or folder) for file, folder in zip(found, folders, strict=True)]
    return files or [RunFile(path, name)]


def _split(text):
    """(name or None, path): split at the first =, but for a path that exists and for URLs."""
    before, equals, after = text.partition("=")
    if not equals or os.path.exists(text) or "://" in before:
        return None, text
    if not before.strip() or not after:
        raise FileError(f"--predictions: expected FILE or NAME=FILE, got {text!r}. Give both sides.")
    return before.strip(), after


def _runs_in(folder):
    """Files of runs in a folder, in the order of their numbers; none where it holds the parts of one file."""
    names = [entry.name for entry in os.scandir(folder) if entry.is_file() and not entry.name.startswith((".", "_"))]
    if any(name.lower().endswith((".parquet", ".pq")) for name in names):
        return []
    names = [name for name in names if name.lower().removesuffix(".gz").endswith(SUFFIXES)]
    return [os.path.join(folder, name) for name in sorted(names, key=natural_key)]


def values_by_method(
    flag: str, texts: Sequence[str] | None, methods: Sequence[str], convert: Callable[[str], Any] = str
) -> list[Any]:
    """The value of an option for each of some files.

    Parameters
    ----------
    flag : str
        For errors.
    texts : sequence of str, or None
        Each a value, which counts for all methods without one of their own, or ``NAME=value``. A path that exists is never
        split.
    methods : sequence of str
        Method of each file.
    convert : callable
        str -> value; raises ValueError.

    Returns
    -------
    list
        One for each file, None where nothing is given.

    Raises
    ------
    FileError
        If a name is no method, or a method (or all) has two values.
    """
    given: dict[str | None, Any] = {}
    for text in texts or ():
        name, value = method_and_value(flag, text, methods)
        if name in given:
            of_what = "all methods" if name is None else f"{name!r}"
            raise FileError(f"{flag}: expected one value for {of_what}, got {value!r} as well. Leave one out.")
        try:
            given[name] = convert(value)
        except ValueError:
            raise FileError(f"{flag}: expected a number, got {value!r}. Correct it.") from None
    return [given.get(method, given.get(None)) for method in methods]


def shared_and_own(
    flag: str, texts: Sequence[str] | None, methods: Sequence[str]
) -> tuple[str | None, tuple[str | None, ...]]:
    """(value without a name, those of single files) of an option as `values_by_method` takes it.

    Returns
    -------
    shared : str or None
    own : tuple of (str or None)
        One for each file, None where it has no value of its own; empty where none has.
    """
    values_by_method(flag, texts, methods)  # says what is wrong
    given = dict(method_and_value(flag, text, methods) for text in texts or ())
    own = tuple(given.get(method) for method in methods)
    return given.get(None), own if any(own) else ()


def method_and_value(flag: str, text: str, methods: Sequence[str]) -> tuple[str | None, str]:
    """(method, value) of ``NAME=value``; (None, value) of a value for all. Errors as of `values_by_method`."""
    # Names of files may hold a = of their own.
    for name in sorted(set(methods), key=len, reverse=True):
        if text.startswith(f"{name}=") and not os.path.exists(text):
            return name, text[len(name) + 1 :]
    before, equals, _ = text.partition("=")
    if equals and not os.path.exists(text) and "://" not in before:
        known = sorted(set(methods))
        raise FileError(
            f"{flag}: expected a value, or NAME=value with one of {listed(known, 5)}, got {text!r}."
            f"{near_miss(before, known)} Correct it."
        )
    return None, text
