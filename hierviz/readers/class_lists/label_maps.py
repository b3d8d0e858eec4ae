"""Class names in TensorFlow label maps (``item { id: 1 name: 'person' }``), and in YAML: the ``names:`` of a YOLO data set or the
``class_label`` of a Hugging Face data card."""

from __future__ import annotations

import re

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.messages.extras import require
from hierviz.readers.class_index import in_order
from hierviz.readers.class_lists.json_names import KEYS, class_list_of

_ITEM = re.compile(r"\bitem\s*\{([^{}]*)\}")
# Blanks of one line, and whole words: a file of nothing else is read once.
_COMMENT = re.compile(r"^[^\S\n]*#.*$", re.MULTILINE)
_FIELD = re.compile(r"\b(\w+)\b\s*:\s*(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|(-?\d+))")


def looks_like_pbtxt(text):
    """Whether a text begins with an item of a label map, comments left out."""
    return re.match(r"\s*item\s*\{", _COMMENT.sub("", text[:4096])) is not None


def read_pbtxt_names(text, where):
    """ClassList of a label map, in the order of its ids."""
    text = _COMMENT.sub("", text)
    entries, numbers = [], []
    for number, item in enumerate(_ITEM.findall(text), 1):
        fields = {key: double or single or digits for key, double, single, digits in _FIELD.findall(item)}
        name = fields.get("display_name") or fields.get("name")
        if name is None or "id" not in fields:
            raise PredictionsError(
                f"{where}, item {number}: expected an id and a name, got {', '.join(fields) or 'neither'}. Correct it."
            )
        both = [fields[key] for key in ("name", "display_name") if fields.get(key)]
        entries.append((f"{where}, item {number}", ", ".join(dict.fromkeys(both))))
        numbers.append(fields["id"])
    if not entries:
        raise PredictionsError(
            f"{where}: expected items in braces, each with an id and a name, got none. Is it complete?"
        )
    return in_order(where, entries, numbers, "'id'", may_have_gaps=True)


_KEY = re.compile(rf"^[^\S\n]*(?:-[^\S\n]*)?({'|'.join(KEYS)}):(\s|$)", re.MULTILINE)
# A few anchors can expand to billions of values.
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
    """Lists become dicts where YAML nests settings in them: ``- name: label`` with ``dtype: ...``."""
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) and "dtype" in part for part in value):
        return {str(part.get("name", k)): _plain(part["dtype"]) for k, part in enumerate(value)}
    return value
