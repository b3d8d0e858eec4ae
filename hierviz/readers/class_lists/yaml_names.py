"""Class names in YAML, as in the ``names:`` of a YOLO data set or the ``class_label`` of a Hugging Face data card."""

from __future__ import annotations

import re

from hierviz.messages.errors import FileError
from hierviz.messages.extras import require
from hierviz.readers.class_lists.json_names import KEYS, class_list_of

_KEY = re.compile(rf"^[^\S\n]*(?:-[^\S\n]*)?({'|'.join(KEYS)}):(\s|$)", re.MULTILINE)
# A few anchors can stand for billions of values.
_ALIAS = re.compile(r"(^|[\s\[{,])[*&][^\s,\]}]+", re.MULTILINE)


def looks_like_yaml(text):
    """Whether a line is one of the keys that hold class names."""
    return _KEY.search(text) is not None


def read_yaml_names(text, where):
    """ClassList of YAML; FileError when it is none."""
    require(where, "files", "yaml")
    import yaml

    # A data card is YAML between lines of ---, with text below.
    card = re.match(r"\s*---\s*\n(.*?)\n---\s*(\n|$)", text, re.DOTALL)
    text = card[1] if card else text
    if _ALIAS.search(text):
        raise FileError(f"{where}: expected YAML without anchors (& and *), got some. Write the names out.")
    try:
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        said = getattr(error, "problem", None) or type(error).__name__
        raise FileError(f"{where}{line}: expected YAML, got an error ({said}). Correct the file.") from None
    return class_list_of(_plain(value), where)


def _plain(value):
    """Lists become dicts where YAML nests settings in them: ``- name: label`` beside ``dtype: ...``."""
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) and "dtype" in part for part in value):
        return {str(part.get("name", k)): _plain(part["dtype"]) for k, part in enumerate(value)}
    return value
