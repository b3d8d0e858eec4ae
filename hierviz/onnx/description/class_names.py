"""Where the names of an ONNX model's output columns stand: with the caller, in the model, or in a file beside it.

Conventions
-----------
Sources are tried in a fixed order. What hierviz itself defines (the caller's list, ``nodes``) counts as it is; a source that
only may hold class names counts when one of them is a node of the taxonomy.
"""

from __future__ import annotations

import ast
import json
import os
import re
from contextlib import suppress
from pathlib import Path

from hierviz.errors import FileError, HiervizError, PredictionsError, listed
from hierviz.onnx.description.file import declaration_beside
from hierviz.onnx.description.preprocessor_config import FILE as PREPROCESSOR
from hierviz.readers.class_index import numbered_names
from hierviz.readers.classes_file import class_entries, entries_of_text
from hierviz.readers.labels import find_node
from hierviz.readers.sources import open_source

METADATA_KEYS = ("names", "classes", "class_names", "labels")
LABEL_FILES = (".labels.txt", ".labels.json")
MOST_CHARACTERS = 16 << 20
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_PLAIN = re.compile(r"[\s\d,:\[\](){}]*")


def name_sources(path, taxonomy, session, said, origin, classes, notes):
    """Lists of class names, the one to use first.

    Parameters
    ----------
    path : Path
    taxonomy : Taxonomy
    session : Session
    said, origin : dict
        From `metadata.declared`.
    classes : sequence of str, or path, optional
        As the caller says.
    notes : list of str
        Grows by lists that were found and not used.

    Returns
    -------
    list of (str, list of (str, str))
        Where the names stand, and what errors call each entry with its name.

    Raises
    ------
    FileError
        If the caller's file cannot be read.
    """
    sources = []
    if classes is not None:
        sources.append(_given(path, classes, taxonomy, notes))
    if said.get("nodes"):
        sources.append((origin["nodes"], _entries(path, origin["nodes"], said["nodes"])))
    if sources:
        # What hierviz defines is there: nothing else needs to be looked for.
        return sources
    unused = []
    for source, names in _foreign(path, taxonomy, session, notes):
        if any(find_node(name, taxonomy) is not None for name in names):
            return [(source, _entries(path, source, names))]
        unused.append(f"{source} ({len(names)}: {listed(names[:3])})")
    if unused:
        notes.append(f"class names that are not in the taxonomy were not used: {'; '.join(unused)}")
    return []


def _given(path, classes, taxonomy, notes):
    """(source, entries) of the caller's list or file."""
    if not isinstance(classes, (str, os.PathLike)):
        names = numbered_names(classes, "classes", notes) if isinstance(classes, dict) else classes
        return "the list given", _entries(path, "the list given", names)
    file = Path(classes)
    if file.suffix.lower() != ".json":
        return file.name, class_entries(file, taxonomy, notes)[1]
    return file.name, _entries(path, file.name, names_of_json(file, notes))


def names_of_json(file, notes):
    """Class names of a JSON file that the user chose: a list, or an object from column number to name.

    Raises
    ------
    FileError
        If it holds something else.
    PredictionsError
        If column numbers are left out or stand there twice.
    """
    text = open_source(file, "class names").read_text(MOST_CHARACTERS)
    try:
        value = json.loads(text, object_pairs_hook=_once(file.name))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value:
        return numbered_names(value, file.name, notes)
    names = parsed_names(text)
    if not names:
        raise FileError(
            f"{file.name}: expected a JSON list of class names, or an object from column number to name, got something else. "
            "Write one of them, or a text file with one name a line."
        )
    return names


def _once(where):
    """Hook of `json.loads` that refuses a key that stands there twice: the first one would be lost."""

    def hook(pairs):
        seen = {}
        for key, value in pairs:
            if key in seen:
                raise PredictionsError(f"{where}: expected every key once, got {key!r} again. Remove one.")
            seen[key] = value
        return seen

    return hook


def used_files(path, source):
    """Files beside the model that were read: its hierviz.json, preprocessor_config.json and the class names' own."""
    others = [file for file in (path.with_name(PREPROCESSOR), path.with_name(source or path.name)) if file.is_file()]
    return [file for file in dict.fromkeys((declaration_beside(path), *others)) if file not in (None, path)]


def parsed_names(text):
    """Class names out of a text of unknown form: JSON, a Python literal, or one name a line or between commas.

    A mapping may go from numbers to names or the other way round.

    Returns
    -------
    list of str
        Empty when there are none.
    """
    if len(text) > MOST_CHARACTERS:
        return []
    value = None
    try:
        value = json.loads(text, object_pairs_hook=_once("the class names"))
    except PredictionsError:
        return []
    except (ValueError, RecursionError):
        # Python's own parser is only shown what cannot exhaust it: no operators, nothing nested deeply.
        around = _QUOTED.sub("", text)
        if _PLAIN.fullmatch(around) and sum(map(around.count, "[({")) <= 2:
            with suppress(ValueError, SyntaxError):
                value = ast.literal_eval(text.strip())
    if isinstance(value, (dict, list, tuple)):
        return _listed_names(value)
    if text.lstrip()[:1] in ("[", "{", "("):
        return []
    names = [part.strip() for part in (text.splitlines() if "\n" in text.strip() else text.split(","))]
    return [name for name in names if name] if len(names) > 1 else []


def _listed_names(value):
    """Names of a list, or of a mapping in the order of its numbers; empty when there are none."""
    if isinstance(value, dict):
        try:
            return numbered_names(value, "", [])
        except PredictionsError:
            return []
    fine = all(isinstance(name, (str, int)) and not isinstance(name, bool) for name in value)
    return [str(name) for name in value] if fine else []


def _foreign(path, taxonomy, session, notes):
    """(source, names) of the places where other tools leave class names."""
    for key in METADATA_KEYS:
        names = parsed_names(session.metadata.get(key, ""))
        if names:
            yield f"the metadata {key!r}", names
    if session.class_labels:
        yield "the class labels in the graph", list(session.class_labels)
    for end in LABEL_FILES:
        for start in dict.fromkeys((path.stem, path.name)):
            beside = path.with_name(start + end)
            if os.path.isfile(beside):
                names = _of_file(beside, taxonomy, notes)
                if names:
                    yield beside.name, names
    config = path.with_name("config.json")
    if config.is_file():
        names = _of_config(config, notes)
        if names:
            yield config.name, names


def _of_file(beside, taxonomy, notes):
    try:
        text = open_source(beside, "class names").read_text(MOST_CHARACTERS)
        if beside.suffix != ".txt":
            return parsed_names(text)
        return [name for _, name in entries_of_text(text, beside.name, taxonomy, notes)]
    except HiervizError as error:
        notes.append(f"class names beside the model were not used: {error}")
        return []


def _of_config(config, notes):
    try:
        said = json.loads(open_source(config, "JSON").read_text(MOST_CHARACTERS))
    except (HiervizError, ValueError, RecursionError) as error:
        notes.append(f"{config.name} beside the model was not used: {str(error).splitlines()[0]}")
        return []
    said = said.get("id2label") if isinstance(said, dict) else None
    return _listed_names(said) if isinstance(said, (dict, list)) else []


def _entries(path, source, names):
    return [(f"{path.name}, class names in {source}, entry {k}", str(name)) for k, name in enumerate(names, 1)]
