"""Prediction files by method: ``NAME=FILE``, folders and patterns of runs, values for single methods, steps of a training.

Conventions
-----------
``NAME@STEP`` is a step of the training NAME, such as ``flat@12`` or ``flat@0.5``: the same model at different times. Where what
follows the last @ is no number, it is part of a name. ``NAME@=FOLDER`` reads the steps from the names of the files.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hierviz.messages.errors import FileError, listed, near_miss, shown
from hierviz.messages.number_text import step_text
from hierviz.readers.picture_names import natural_key

# Suffixes of runs in a folder; a folder of .parquet files is one file in parts, unless each is a step.
SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".npy", ".npz")
_KNOWN = (*SUFFIXES, ".txt", ".parquet", ".pq", ".gz")
_PATTERN = re.compile(r"[*?\[]")
_STEP = re.compile(
    r"(?P<training>.*\S)\s*@\s*(?P<step>[+-]?\d+(\.\d+)?(e[+-]?\d+)?)", re.ASCII | re.IGNORECASE | re.DOTALL
)
_EPOCH = re.compile(
    r"(?P<training>.*?)[\s_.,:(-]*(?<![A-Za-z])(?:epoch|ep|step|iter|iteration|checkpoint|ckpt)[\s_.=#-]*(?P<step>\d+)\)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class RunFile:
    """One file of predictions.

    Attributes
    ----------
    path : str
    name : str or None
        The method, where it is not named after the file; of a step of a training with its step, ``flat@12``.
    run : str or None
        Which run of the method, where it has several files or was named.
    """

    path: str
    name: str | None = None
    run: str | None = None

    @property
    def method(self) -> str:
        """What options call the method: its name, or the file's without suffixes; the training of a step."""
        step = training_step(self.name)
        return step[0] if step else self.name or stem(self.path)

    @property
    def step(self) -> float | None:
        """The step of the training, None of a file that is none."""
        step = training_step(self.name)
        return step[1] if step else None


def training_step(name: str | None) -> tuple[str, float] | None:
    """(training, step) of a name ``TRAINING@STEP``, None of another name."""
    match = _STEP.fullmatch(name.strip()) if name else None
    return (match["training"].strip(), float(match["step"])) if match else None


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
        ``NAME@STEP=path`` is a step of a training, ``NAME@=folder`` (or a pattern) one step a file.

    Returns
    -------
    list of RunFile
        Files of one name are runs of one method: their `run` is the file's name, made distinct.

    Raises
    ------
    FileError
        If a name is empty, a folder or pattern holds no file, a training has two files of one step or one without a step, or the
        name of a file does not say its step.
    """
    return with_runs([file for text in texts for file in _files_of(text)])


def with_runs(files: Sequence[RunFile]) -> list[RunFile]:
    """The same files, those of one name as runs of one method: their `run` is the file's name, made distinct.

    A training has one file a step, and none without a step, or it is a FileError.
    """
    files = [_named_by_step(file) for file in files]
    _require_one_a_step(files)
    _require_no_runs_of_trainings(files)
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


def _named_by_step(file):
    """A step of a training under its name as it is written everywhere: ``flat@1`` for ``flat @ 1.0``."""
    step = training_step(file.name)
    return file if step is None else RunFile(file.path, f"{step[0]}@{step_text(step[1])}", file.run)


def _require_one_a_step(files):
    paths_of: dict[str, list[str]] = {}
    for file in files:
        if file.step is not None:
            paths_of.setdefault(file.name, []).append(file.path)
    for name, paths in paths_of.items():
        if len(paths) > 1:
            raise FileError(
                f"{name}: expected one file for a step of a training, got {listed(paths, 2)}. Leave one out, or give it "
                "another step."
            )


def _require_no_runs_of_trainings(files):
    """A training is one run: what has its name without a step, or with what is no number, would be taken for another model."""
    steps = {file.method: file for file in files if file.step is not None}
    for file in files:
        if file.step is not None or file.name is None:
            continue
        training, _, said = file.name.rpartition("@")
        training = training.strip()
        if training in steps:
            raise FileError(
                f"{file.name}: expected a number as the step of {training}, as in {steps[training].name}, got {shown(said)}. "
                "Correct it, or give the file another name."
            )
        if file.name in steps:
            first = steps[file.name]
            raise FileError(
                f"{file.name}: expected steps of a training or runs of a method under one name, got both: {shown(file.path)} has "
                f"no step, and {shown(first.path)} is {first.name}. Name it {file.name}@STEP, or give it another name."
            )


def _files_of(text):
    """The files of one ``--predictions``, without their runs."""
    name, path = _split(text)
    if name is not None and name.endswith("@") and name.strip("@ "):
        return _steps_in(name[:-1].strip(), path)
    found = _runs_in(path) if os.path.isdir(path) else []
    if _PATTERN.search(path) and not os.path.exists(path) and "://" not in path:
        found = sorted(glob.glob(path), key=natural_key)
        if not found:
            raise FileError(f"--predictions {path}: expected files that match, got none. Check the path.")
    # A pattern may span folders: each file is a run of its own.
    folders = [os.path.basename(os.path.dirname(os.path.abspath(file))) for file in found]
    files = [RunFile(file, name or folder) for file, folder in zip(found, folders, strict=True)]
    return files or [RunFile(path, name)]


def _steps_in(training, path):
    """The files of ``TRAINING@=path``, a folder or a pattern, in the order of their steps."""
    is_folder = os.path.isdir(path)
    paths = _in_folder(path) if is_folder else sorted(glob.glob(path), key=natural_key)
    if not paths:
        what = "prediction files in the folder" if is_folder else "a folder, or files that match"
        raise FileError(f"--predictions {training}@={path}: expected {what}, got none. Check the path.")
    steps = steps_in_names(paths)
    return [
        RunFile(file, f"{training}@{step_text(step)}")
        for step, file in sorted(zip(steps, paths, strict=True), key=lambda pair: pair[0])
    ]


def steps_in_names(paths: Sequence[str]) -> list[float]:
    """The step that the name of each file says: its only number, or the only one that is not the same in all names.

    Raises
    ------
    FileError
        If a name has no number, or several could be the step.
    """
    numbers = [_NUMBER.findall(stem(path)) for path in paths]
    for path, found in zip(paths, numbers, strict=True):
        if not found:
            raise FileError(
                f"{path}: expected the step as a number in the file name, as in epoch_12.npz, got none. Rename the file, leave "
                "it out (a pattern such as NAME@='FOLDER/epoch*' reads some files of a folder), or name it: NAME@STEP=FILE."
            )
    n = len(numbers[0])
    places = [0] if all(len(found) == 1 for found in numbers) else []
    if not places and all(len(found) == n for found in numbers):
        places = [place for place in range(n) if len({float(found[place]) for found in numbers}) > 1]
    if len(places) != 1:
        path, found = next(pair for pair in zip(paths, numbers, strict=True) if len(pair[1]) > 1)
        raise FileError(
            f"{path}: expected one number in the file name that says the step, got {listed(found, 5)}. Rename the files, or "
            "name each: NAME@STEP=FILE."
        )
    return [float(found[places[0]]) for found in numbers]


def steps_of_stems(stems: Sequence[str]) -> dict[str, str]:
    """``flat@3`` for ``flat_epoch3``, by name of a file: of those that differ only in the number of an epoch, step or checkpoint.

    Only what has at least two steps, and one file each.
    """
    found: dict[str, dict[float, list[str]]] = {}
    for name in stems:
        if match := _EPOCH.fullmatch(name):
            found.setdefault(match["training"] or "model", {}).setdefault(float(match["step"]), []).append(name)
    return {
        names[0]: f"{training}@{step_text(step)}"
        for training, steps in found.items()
        if len(steps) > 1 and all(len(names) == 1 for names in steps.values())
        for step, names in steps.items()
    }


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
    paths = _in_folder(folder)
    return [] if any(map(_is_parquet, paths)) else paths


def _is_parquet(path):
    return path.lower().endswith((".parquet", ".pq"))


def _in_folder(folder):
    """Prediction files in a folder, in the order of the numbers in their names."""
    names = [entry.name for entry in os.scandir(folder) if entry.is_file() and not entry.name.startswith((".", "_"))]
    names = [name for name in names if _is_parquet(name) or name.lower().removesuffix(".gz").endswith(SUFFIXES)]
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
