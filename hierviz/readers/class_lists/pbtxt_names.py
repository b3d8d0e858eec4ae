"""Class names in a TensorFlow label map: ``item { id: 1 name: 'person' }``."""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError
from hierviz.readers.class_lists.class_list import in_order

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
