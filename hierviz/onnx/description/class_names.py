"""Sources of the names of an ONNX model's output columns: the caller, the model, or a file next to it.

Conventions
-----------
Sources are tried in a fixed order. What hierviz itself defines (the caller's list, ``nodes``) counts as it is; a source that
only may hold class names counts when one of them is a node of the taxonomy.
"""

import os
from pathlib import Path

from hierviz.messages.errors import HiervizError, listed
from hierviz.onnx.description.file import declaration_beside, json_object
from hierviz.onnx.description.preprocessor_config import FILE as PREPROCESSOR
from hierviz.onnx.description.timm_config import timm_preprocessing
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.class_lists.json_names import class_list_of, looks_like_json, names_in_settings, parsed
from hierviz.readers.classes_file import class_entries, entries_of_text, read_class_list
from hierviz.readers.labels import find_node
from hierviz.readers.sources import open_source

# As exporters write them: Ultralytics, timm, Hugging Face, PaddlePaddle, Azure, ...
METADATA_KEYS = (
    *("names", "classes", "class_names", "labels", "label_names", "categories", "id2label", "idx_to_class"),
    *("idx2label", "class_labels", "label_list", "label_map", "class_to_idx", "label2id", "synset", "synsets"),
    *("character", "classlabels"),
)
LABEL_FILES, SETTINGS = (".labels.txt", ".labels.json"), "config.json"
MOST_CHARACTERS = 16 << 20
NO_CLASS = " but name no class"


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
        As the caller gives them.
    notes : list of str
        Grows by lists that were found and not used.

    Returns
    -------
    list of (str, list of (str, str))
        Where the names are from, and each entry with its name in errors and its class name.

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
        # What hierviz defines is there: no search is needed.
        return sources
    unused = []
    for source, names in _foreign(path, taxonomy, session, notes):
        loose = LooseMatches(taxonomy)
        if any(find_node(name, taxonomy, loose=loose) is not None for name in names):
            return [(source, _entries(path, source, names))]
        if numbers_words(names):
            notes.append(f"{source} {numbers_words(names)}")
            continue
        unused.append(f"{source} ({len(names)}: {listed(names[:3])})")
    if unused:
        notes.append(f"class names that are not in the taxonomy were not used: {'; '.join(unused)}")
    return []


def numbers_words(names):
    """Words for class names that are numbers alone, after what holds them; an empty text for others."""
    names = [str(name) for name in names]
    if not names or not all(name.isascii() and name.isdecimal() and len(name) < 19 for name in names):
        return ""
    numbers = [int(name) for name in names]
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] in (0, 1):
        return f"number the {len(names)} columns from {numbers[0]}{NO_CLASS}"
    return f"are numbers ({len(names)}: {', '.join(names[:3])}{', …' if len(names) > 3 else ''}){NO_CLASS}"


def _given(path, classes, taxonomy, notes):
    """(source, entries) of the caller's list or file."""
    if not isinstance(classes, (str, os.PathLike)):
        read = read_class_list(classes, taxonomy)
        notes += read.notes
        return "the list given", _entries(path, "the list given", read.names)
    return Path(classes).name, class_entries(classes, taxonomy, notes)[1]


def used_files(path, source):
    """Files next to the model that were read: its hierviz.json, preprocessor_config.json or timm's settings, and class names."""
    others = [path.with_name(PREPROCESSOR), path.with_name(source or path.name)]
    others += [path.with_name(SETTINGS)] if timm_preprocessing(path) else []
    others = [file for file in others if file.is_file()]
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
    if looks_like_json(text):
        try:
            return class_list_of(parsed(text, "the class names"), "the class names").names
        except HiervizError:
            return []
    names = [part.strip() for part in (text.splitlines() if "\n" in text.strip() else text.split(","))]
    return [name for name in names if name] if len(names) > 1 else []


def _foreign(path, taxonomy, session, notes):
    """(source, names) of the places where other tools leave class names."""
    for key in METADATA_KEYS:
        names = parsed_names(session.metadata.get(key, ""))
        if names:
            yield f"the metadata {key!r}", names
    if session.class_labels:
        yield "the class labels in the graph", list(session.class_labels)
    starts = dict.fromkeys((path.stem, path.name))
    for beside in (*(path.with_name(start + end) for end in LABEL_FILES for start in starts), path.with_name(SETTINGS)):
        if beside.is_file():
            try:
                names = _names_beside(beside, taxonomy, notes)
            except HiervizError as error:
                notes.append(f"class names next to the model were not used: {error}")
                continue
            if names:
                yield beside.name, names


def _names_beside(file, taxonomy, notes):
    """Class names in a file next to the model: settings of transformers, or a class list."""
    if file.name == SETTINGS:
        read = names_in_settings(json_object(file, MOST_CHARACTERS), file.name)
        return [] if read is None else read.names
    text = open_source(file, "class names").read_text(MOST_CHARACTERS)
    return [name for _, name in entries_of_text(text, file.name, taxonomy, notes)]


def _entries(path, source, names):
    return [(f"{path.name}, class names in {source}, entry {k}", str(name)) for k, name in enumerate(names, 1)]
