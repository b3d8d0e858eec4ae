"""The forms of class lists, one reader for all of them, and the node of each column of scores by the names of a list.

Conventions
-----------
A list that says the places of its classes is read by them, never by the order of its lines. Reading it looks no name up: one
that is no node stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hierviz.messages.errors import PredictionsError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers import file_limits
from hierviz.readers.class_index import ClassList
from hierviz.readers.class_lists.json_names import class_list_of, looks_like_json, parsed
from hierviz.readers.class_lists.text_names import (
    TextSource,
    looks_like_pbtxt,
    looks_like_yaml,
    plain_lines,
    read_lines,
    read_npy_names,
    read_numbered_lines,
    read_pbtxt_names,
    read_table_names,
    read_yaml_names,
)
from hierviz.readers.columns import unfit_keys
from hierviz.readers.labels import find_node, unknown_node
from hierviz.readers.picture_names import natural_key
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table

# How each form looks, in words, for documents and help.
CLASS_LIST_FORMS = {
    "lines": "one name per line, in the order of the columns; lines with # are comments",
    "numbered lines": "`0: tench`, `0 tench`, `tench=0`: the numbers say the columns",
    "wnids and words": "`n01440764 tench, Tinca tinca` (Caffe's synset_words.txt)",
    "table": "CSV, TSV or Parquet with a column of names and, in any place, one of numbers (index, idx, id, class_id, ...)",
    "JSON": "a list of names, {index: name}, {name: index}, imagenet_class_index.json (Keras), COCO categories; or settings "
    "that hold them: id2label (Hugging Face), label_names (timm), categories (torchvision), ...",
    "Python literal": "{0: 'tench', 1: 'goldfish'}",
    "YAML": "names: of a YOLO data set, class_label of a Hugging Face data card",
    "label map": "item { id: 1 name: 'person' } (TensorFlow .pbtxt)",
    "array": "scikit-learn's classes_ as .npy",
    "folders": "a folder with one folder per class, in the order of their names (ImageFolder)",
}


def read_class_list(classes, taxonomy):
    """The classes of columns from a file, a folder or memory.

    Parameters
    ----------
    classes : str, path, sequence of str, or mapping
        A file of one of `CLASS_LIST_FORMS`, a folder of folders; or names, ``{0: name}``, ``{name: 0}``, and settings that
        hold them (a model's ``config.id2label``, ``weights.meta``).
    taxonomy : Taxonomy
        Its names distinguish lines from tables.

    Returns
    -------
    ClassList

    Raises
    ------
    FileError
        If the file cannot be read.
    PredictionsError
        If numbers of columns are left out or repeated, or names cannot be distinguished from numbers.
    """
    if isinstance(classes, ClassList):
        return classes
    if not isinstance(classes, (str, os.PathLike)):
        if isinstance(classes, Mapping):
            return class_list_of(dict(classes), "classes")
        return ClassList("classes", tuple((f"classes, entry {k}", str(name)) for k, name in enumerate(classes, 1)))
    if os.path.isdir(classes):
        return _of_folders(Path(classes))
    wanted = "a list of classes, one per line, or a table with a column of them"
    source = open_source(classes, wanted, kinds=("text", "npy", "parquet"))
    if source.kind == "npy":
        return read_npy_names(source)
    if source.kind == "parquet":
        read = read_table_names(source, taxonomy)
        if read is None:
            first = open_table(source, wanted).first
            raise PredictionsError(
                f"{source.where}: expected a column of names, got {', '.join(first)}. Name it 'class'."
            )
        return read
    return class_list_of_text(source.read_text(lines=file_limits.CLASSES), source.where, taxonomy)


def class_list_of_text(text, where, taxonomy):
    """As `read_class_list`, for the text of a file."""
    if looks_like_json(text) or where.lower().removesuffix(".gz").endswith(".json"):
        return class_list_of(parsed(text, where), where)
    if looks_like_pbtxt(text):
        return read_pbtxt_names(text, where)
    lines = plain_lines(text, taxonomy)
    # A line is a name even if it holds a comma or a colon.
    known = sum(find_node(line, taxonomy) is not None for _, line in lines)
    if lines and (known < len(lines) - 1 or known == 0):
        if looks_like_yaml(text):
            return read_yaml_names(text, where)
        content = "".join(f"{line}\n" for _, line in _kept(text, lines))
        found = read_numbered_lines(lines, where, taxonomy) or read_table_names(
            TextSource.from_text(content, where), taxonomy
        )
        if found is not None:
            return found
    return read_lines(lines, where, taxonomy)


def _kept(text, lines):
    """The lines as they are, blank ones in place of comments."""
    numbers = {number for number, _ in lines}
    return [(number, line if number in numbers else "") for number, line in enumerate(text.split("\n"), 1)]


def _of_folders(path):
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_dir() and not entry.name.startswith("."))
    if not names:
        raise PredictionsError(
            f"{path.name}: expected a folder of folders named after the classes, got none. Check it."
        )
    notes = (f"{path.name}: the columns of scores are taken in the order of the {len(names)} folders' names",)
    if names != sorted(names, key=natural_key):
        notes = (f"{notes[0]} (as text: 10 before 2)",)
    return ClassList(path.name, tuple((f"{path.name}/{name}", name) for name in names), (), notes)


def load_classes(classes, taxonomy, notes=None):
    """Node of each column.

    Parameters
    ----------
    classes : str, path, sequence of str, or mapping
        As `read_class_list` takes it: a file of class names, a folder of folders, the names themselves, or names by number.
    taxonomy : Taxonomy
    notes : list of str, optional
        Gets notes about numbers of columns that were used, and about names that were matched by their meaning.

    Returns
    -------
    ndarray of int, shape (n_scores,)

    Raises
    ------
    FileError
        If the file cannot be read.
    PredictionsError
        If a name is not in the taxonomy, fits several nodes or is repeated; names the line. If an index has gaps or
        repeats, or it is unclear which column is the index and which one holds the names.
    """
    return load_class_nodes(classes, taxonomy, notes)[0]


def load_class_nodes(classes, taxonomy, notes=None):
    """As `load_classes`, with what the list calls each class.

    Returns
    -------
    nodes : ndarray of int, shape (n_scores,)
    numbers : dict of int to int
        Node of each number.
    """
    notes = [] if notes is None else notes
    read, nodes, loose = looked_up(classes, taxonomy)
    notes += read.notes
    for entry, first in unfit_keys(enumerate(nodes)):
        place, name = read.entries[entry]
        if first is None:
            raise unknown_node(place, name, taxonomy, " List one node per line, in the order of the columns.")
        before, _ = read.entries[first]
        raise PredictionsError(f"{place}: expected every class once, got {name!r} again ({before}). Remove one.")
    if not nodes:
        raise PredictionsError(f"{read.where}: expected one node name per column of scores, got none. Fill the list.")
    notes += loose.notes(read.where)
    return np.array(nodes, dtype=np.intp), dict(zip(read.numbers, nodes, strict=True))


def class_numbers(classes, taxonomy):
    """Node of each number of a class list: dict of int to int. Classes that are no nodes are left out, as the background."""
    read, nodes, _ = looked_up(classes, taxonomy)
    return {number: node for number, node in zip(read.numbers, nodes, strict=True) if node is not None}


def looked_up(classes, taxonomy):
    """(ClassList, node of each of its names or None, LooseMatches that found them)."""
    read, loose = read_class_list(classes, taxonomy), LooseMatches(taxonomy)
    return read, loose.settle(read.names, [find_node(name, taxonomy, loose=loose) for name in read.names]), loose


def class_entries(path, taxonomy, notes):
    """(name of the file, list of (place, name)): what it holds, in the order of the columns of scores.

    No name is looked up yet: one that is no node stays as it is. `notes` gets one about numbers that were used.
    """
    read = read_class_list(path, taxonomy)
    notes += read.notes
    return read.where, list(read.entries)


def entries_of_text(text, where, taxonomy, notes):
    """As `class_entries`, for the text of such a file: its list of (place, name)."""
    read = class_list_of_text(text, where, taxonomy)
    notes += read.notes
    return list(read.entries)
