"""Taxonomies in JSON.

Nested nodes (``{"name": ..., "children": [...]}`` and the usual spellings, anytree's exporter among them), nested plain
dicts and lists, a dict of children by parent, and a list of records with a parent.
"""

import json
import re

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers import file_limits
from hierviz.readers.class_paths import Places, taxonomy_of_places
from hierviz.readers.json_text import parsed
from hierviz.readers.sources import translated
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.taxonomy.taxonomy import Taxonomy

NAME_KEYS = ("name", "label", "title", "id", "text", "value", "class", "node", "key")
CHILD_KEYS = (
    ("children", "nodes", "subclasses", "subcategories", "child", "items")
    + ("kids", "subclass", "members")
    + ("childs", "sub")
)
_REPEATED = "expected every key of an object once, got {} again. Rename or merge the two."
# Keys other than name and children that are kept.
MOST_ATTRIBUTES = 100
PARENT_KEYS = ("parent", "parent_id", "parentId", "parentID", "parent_name")


def read_json(source, form=None):
    """Taxonomy of a JSON file; `form` is a key of `taxonomy_forms.known_taxonomy_forms.TAXONOMY_FORMS` where it is said.

    Raises
    ------
    TaxonomyError
        If it is not JSON (naming line and column), or no tree can be found in it.
    """
    text = source.read_text()
    file_limits.require_json(source.where, text)
    with translated(source.where):
        value = parsed(text, source.where, TaxonomyError, _REPEATED)
    _require_unicode(text, value, source.where)
    detected = {"form": "JSON", **source.detected}
    others = [other for other in TAXONOMY_FORMS.values() if other.kind == "json"]
    said = next((other for other in others if other.key == form or (form is None and other.looks_like(value))), None)
    if said is not None:
        if not said.looks_like(value):
            raise TaxonomyError(f"{source.where}: expected {said.recognised}, got other JSON. Leave the form out.")
        return said.read(value, source.where, detected)
    records = value if isinstance(value, list) else []
    if records and all(isinstance(record, dict) and any(key in record for key in PARENT_KEYS) for record in records):
        return _of_records(records, source.where, {**detected, "shape": "records with a parent"})
    if _is_adjacency(value):
        edges = [(str(parent), str(child)) for parent, children in value.items() for child in children]
        detected["shape"] = "children by parent"
        return Taxonomy.from_edges(edges, where=source.where, detected=detected)
    shape, places, attributes, notes = _walk(value, source.where)
    if not len(places):
        raise TaxonomyError(f"{source.where}: expected a tree of classes, got {_short(value)}. Is the file complete?")
    detected["shape"] = shape
    return taxonomy_of_places(places, source.where, notes=notes, detected=detected, attributes=attributes)


def _require_unicode(text, value, where):
    """Raise a TaxonomyError for an escape such as \\ud800 that is an unpaired surrogate."""
    if re.search(r"\\u[dD][89a-fA-F]", text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = error.object[error.start]
            raise TaxonomyError(
                f"{where}: expected text in Unicode, got an unpaired surrogate ({half!r}). Write the file in UTF-8 again."
            ) from None


def _is_adjacency(value):
    """A flat dict of lists of names in which a child is a key as well."""
    if not isinstance(value, dict) or not value or not all(isinstance(names, list) for names in value.values()):
        return False
    children = [child for names in value.values() for child in names]
    return all(isinstance(child, str) for child in children) and any(child in value for child in children)


def _of_records(records, where, detected):
    key = next(key for key in PARENT_KEYS if any(key in record for record in records))
    parents = {str(record[key]) for record in records if record.get(key) not in (None, "")}
    names = [name for name in ("id", *NAME_KEYS) if all(_is_name(record.get(name)) for record in records)]
    if not names:
        raise TaxonomyError(
            f"{where}: expected a name in every record, got none of {', '.join(NAME_KEYS)}. Name every node."
        )
    name = max(names, key=lambda candidate: len(parents.intersection(str(record[candidate]) for record in records)))
    edges = [(None if record.get(key) in (None, "") else str(record[key]), str(record[name])) for record in records]
    title = next((other for other in names if other != name and other in ("name", "title", "label")), None)
    titles = {str(record[name]): str(record[title]) for record in records} if title else None
    return Taxonomy.from_edges(edges, titles=titles, where=where, detected={**detected, "direction": f"{key}, {name}"})


def _walk(value, where):
    """(shape in words, places in file order, attributes by number of the place, notes)"""
    shape = "nested names"
    places, attributes, left_out = Places(), {}, {}
    waiting = [(value, Places.TOP, None)]
    while waiting:
        part, above, name = waiting.pop()
        if name is not None:
            above = _add(places, above, name, where)
        below = []
        if isinstance(part, list):
            below = [(item, above, None) for item in part]
        elif isinstance(part, dict):
            name_key = next((key for key in NAME_KEYS if _is_name(part.get(key))), None)
            child_key = next((key for key in CHILD_KEYS if isinstance(part.get(key), (list, dict))), None)
            if name_key is not None and (
                child_key is not None or not any(isinstance(x, (list, dict)) for x in part.values())
            ):
                shape = f"nodes with {name_key!r} and {child_key or 'children'!r}" if child_key else shape
                place = _add(places, above, part[name_key], where)
                for key, item in part.items():
                    if (
                        key not in (name_key, child_key, *CHILD_KEYS)
                        and isinstance(item, (str, int, float))
                        and not isinstance(item, bool)
                    ):
                        # Every attribute is kept for every class.
                        if key in attributes or len(attributes) < MOST_ATTRIBUTES:
                            attributes.setdefault(key, {})[place] = item
                        else:
                            left_out[key] = None
                below = [(part[child_key], place, None)] if child_key else []
            elif child_key is not None and len(part) == 1 and above == Places.TOP and isinstance(part[child_key], list):
                below = [(part[child_key], above, None)]
            else:
                below = [(item, above, key) for key, item in part.items()]
        elif _is_name(part):
            _add(places, above, part, where)
        elif part not in (None, ""):
            raise TaxonomyError(
                f"{where}: expected names of classes, got {_short(part)}{_inside(places, above)}. Write names as text."
            )
        waiting.extend(reversed(below))
    notes = []
    if left_out:
        kept = f"{where}: the first {MOST_ATTRIBUTES} attributes of nodes were kept"
        notes.append(f"{kept}, {len(left_out)} more were left out: {listed(left_out)}")
    return shape, places, attributes, notes


def _add(places, above, name, where):
    name = str(name).strip()
    if not name:
        raise TaxonomyError(
            f"{where}: expected the name of a class, got an empty text{_inside(places, above)}. Name every node."
        )
    if places.has(above, name):
        raise TaxonomyError(
            f"{where}: expected children of different names, got {name!r} again{_inside(places, above)}. Rename one."
        )
    return places.add(above, name)


def _is_name(value):
    return (isinstance(value, str) and value != "") or (isinstance(value, int) and not isinstance(value, bool))


def _inside(places, above):
    end, _ = places.end(above, 3)
    return f" below {' > '.join(end)!r}" if end else ""


def _short(value):
    words = {dict: "an object", list: "a list"}.get(type(value))
    if words is None:
        return repr(value) if isinstance(value, str) else json.dumps(value)
    return f"{words} of {len(value)} entries" if value else f"{words} without entries"
