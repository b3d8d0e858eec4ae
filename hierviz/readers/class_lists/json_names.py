"""Class names in JSON, Python literals and YAML: a list, or an object from number to name or from name to number, also inside
the settings of the usual libraries.

Conventions
-----------
Settings are searched for the keys of `KEYS`. Objects of a list (COCO ``categories``) have a name and perhaps an id; the
pair ``["n01440764", "tench"]`` (Keras) is one class with two names.
"""

import ast
import json
import re

from hierviz.messages.errors import FileError, PredictionsError, listed, shown
from hierviz.readers import file_limits
from hierviz.readers.class_index import ClassList, in_order, numbered_names, whole
from hierviz.readers.json_text import require_single_keys
from hierviz.readers.sources import translated

# Where settings name classes, the one to use first.
KEYS = (
    ("id2label", "idx_to_class", "idx2label", "index_to_class", "id_to_label", "idx2class", "index2label", "id2class")
    + (
        "label_names",
        "class_names",
        "categories",
        "classes",
        "names",
        "labels",
        "class_labels",
        "label_list",
        "character",
    )
    + ("label2id", "class_to_idx", "label2idx", "class2idx", "label_map", "labelmap", "class_indices", "nodes")
)
NAME_KEYS = ("name", "label", "class", "class_name", "title", "display_name", "wnid", "synset", "value")
ID_KEYS = ("id", "category_id", "class_id", "label_id")
PLACE_KEYS = ("index", "idx", "column", "position", "class_index", "label_index", "trainId", "train_id")
_DEEPEST = 6
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_PLAIN = re.compile(r"(?:[\s\d,:\[\](){}.]|None|True|False)*")


def looks_like_json(text):
    """Whether a text begins as JSON or a Python literal does."""
    return text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", "(")


def parsed(text, where):
    """The value of JSON or of a Python literal without operators; FileError when it is neither."""
    file_limits.require_json(where, text)
    once = require_single_keys(where, PredictionsError, "expected every key once, got {} again. Remove one.")
    with translated(where):
        try:
            return json.loads(text.lstrip("\ufeff"), object_pairs_hook=once)
        except ValueError as error:
            said = error
    # Python's own parser is only shown what cannot exhaust it: no operators, nothing nested deeply.
    around = _QUOTED.sub("", text)
    if _PLAIN.fullmatch(around) and sum(map(around.count, "[({")) <= len(around) // 2 and _depth(around) <= _DEEPEST:
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    raise FileError(
        f"{where}: expected a JSON list of class names, or an object from column number to name, got an error "
        f"({getattr(said, 'msg', said)}). Correct the file."
    )


def _depth(text):
    """How deep brackets are nested."""
    deepest = depth = 0
    for sign in text:
        depth += (sign in "[({") - (sign in "])}")
        deepest = max(deepest, depth)
    return deepest


def class_list_of(value, where):
    """ClassList of a parsed value.

    Raises
    ------
    PredictionsError
        If it holds no class names, names and numbers cannot be distinguished, or numbers are left out or repeated.
    """
    key, value = _found(value)
    where = where if key is None else f"{where}, {key!r}"
    if isinstance(value, (list, tuple)):
        return _of_list(list(value), where)
    if isinstance(value, dict) and value:
        return _of_object(value, where)
    raise PredictionsError(
        f"{where}: expected a JSON list of class names, or an object from column number to name, got something else. "
        "Write one of them, or a text file with one name a line."
    )


def _found(value):
    """(key or None, list or object of classes), searched from the outside in."""
    level = [(None, value)]
    for _ in range(_DEEPEST):
        for wanted in KEYS:
            for _, part in level:
                if isinstance(part, dict) and isinstance(part.get(wanted), (dict, list, tuple)) and part[wanted]:
                    # {"labels": {"names": [...]}}: what is inside says more.
                    inside = part[wanted]
                    deeper = _found(inside) if isinstance(inside, dict) and not _is_classes(inside) else (None, inside)
                    return (deeper[0] or wanted, deeper[1])
        if any(_is_classes(part) for _, part in level[:1]):
            break
        level = [
            (key, inside)
            for _, part in level
            if isinstance(part, dict)
            for key, inside in part.items()
            if isinstance(inside, dict)
        ]
    return None, value


def _is_classes(value):
    """Whether an object goes from numbers, or to numbers."""
    if not isinstance(value, dict) or not value:
        return False
    return all(whole(key) is not None for key in value) or all(
        isinstance(number, (int, str)) and not isinstance(number, bool) and whole(number) is not None
        for number in value.values()
    )


def names_in_settings(value, where):
    """ClassList of an object that holds one under a key of `KEYS`, as a model's settings do; None for others."""
    return class_list_of(value, where) if _found(value)[0] is not None else None


def _of_list(items, where):
    if items and all(isinstance(item, dict) for item in items):
        return _of_records(items, where)
    if items and all(isinstance(item, (list, tuple)) and len(item) == 2 for item in items):
        firsts, seconds = zip(*items, strict=True)
        for which, numbers, names in (("first", firsts, seconds), ("second", seconds, firsts)):
            if all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
                return in_order(where, entries_of(where, names), numbers, f"the {which} of each pair")
    return ClassList(where, entries_of(where, items))


def _of_records(records, where):
    name = next(
        (key for key in NAME_KEYS if all(isinstance(_simple(record.get(key)), str) for record in records)), None
    )
    if name is None:
        raise PredictionsError(
            f"{where}: expected a name in every object, got none of {', '.join(NAME_KEYS)} in all. Name every class."
        )
    more = next((key for key in ("wnid", "synset") if key != name and all(key in record for record in records)), None)
    names = [record[name] if more is None else [record[more], record[name]] for record in records]
    entries = entries_of(where, names)
    for keys, may_have_gaps in ((PLACE_KEYS, False), (ID_KEYS, True)):
        key = next((key for key in keys if all(whole(record.get(key, "")) is not None for record in records)), None)
        if key is not None:
            numbers = [record[key] for record in records]
            return in_order(where, entries, numbers, f"{key!r}", may_have_gaps=may_have_gaps)
    return ClassList(where, entries)


def _simple(value):
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _of_object(value, where):
    sides = list(value.values())
    has_objects, has_lists = (all(isinstance(side, kind) for side in sides) for kind in (dict, (list, tuple)))
    is_numbered = all(whole(key) is not None for key in value)
    is_placed = has_objects and all(any(key in side for key in (*PLACE_KEYS, *ID_KEYS)) for side in sides)
    if (has_objects or has_lists) and not (is_numbered or is_placed):
        raise PredictionsError(
            f"{where}: expected an object from column number to class name, got {'objects' if has_objects else 'lists'} by "
            f"{listed(list(value), 3)}. List the names in the order of the columns."
        )
    if has_objects and is_numbered:  # {"0": {"name": "tench"}}
        return _of_records([{**side, "index": key} for key, side in value.items()], where)
    if has_objects:  # {"tench": {"index": 0}}
        records = [{"name": key, **{k: v for k, v in side.items() if k != "name"}} for key, side in value.items()]
        return _of_records(records, where)
    if has_lists:
        return in_order(where, entries_of(where, sides), list(value), "the key of each name")
    notes = []
    names = numbered_names(value, where, notes)
    first = 1 if notes else 0
    return ClassList(where, entries_of(where, names), tuple(range(first, first + len(names))), tuple(notes))


def entries_of(where, names):
    """Entries of names; several names of one class become synonyms."""
    entries = []
    for number, name in enumerate(names, 1):
        if isinstance(name, (list, tuple)) and len(name) > 1 and all(isinstance(part, str) for part in name):
            name = ", ".join(part.strip() for part in name if part.strip())
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise PredictionsError(
                f"{where}, entry {number}: expected a class name, got {shown(str(name), 40)}. Write it as text."
            )
        entries.append((f"{where}, entry {number}", str(name)))
    return tuple(entries)
