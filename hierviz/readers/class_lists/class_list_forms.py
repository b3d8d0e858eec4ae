"""The forms of class lists, and one reader for all of them.

Conventions
-----------
A list that says the places of its classes is read by them, never by the order of its lines. Names are not looked up here: one
that is no node stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hierviz.messages.errors import PredictionsError
from hierviz.readers import file_limits
from hierviz.readers.class_index import ClassList
from hierviz.readers.class_lists.json_names import class_list_of, looks_like_json, read_json_names
from hierviz.readers.class_lists.label_maps import looks_like_pbtxt, looks_like_yaml, read_pbtxt_names, read_yaml_names
from hierviz.readers.class_lists.line_names import plain_lines, read_lines, read_numbered_lines
from hierviz.readers.class_lists.table_names import TextSource, read_npy_names, read_table_names
from hierviz.readers.labels import find_node
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
        return read_json_names(text, where)
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
