"""Classes in nested dicts and lists, as JSON and Python hold them: names with children, plain names, children by parent.

Functions
---------
walk, is_adjacency, is_name, short
"""

from __future__ import annotations

import json

from hierviz.messages.errors import TaxonomyError, listed, shown
from hierviz.taxonomy.class_places import Places

NAME_KEYS = ("name", "label", "title", "id", "text", "value", "class", "node", "key")
CHILD_KEYS = (
    ("children", "nodes", "subclasses", "subcategories", "child", "items")
    + ("kids", "subclass", "members")
    + ("childs", "sub")
)
# Keys other than name and children that are kept.
MOST_ATTRIBUTES = 100
# Containers in each other: only what contains itself has more.
MOST_NESTED = 10_000


def is_adjacency(value):
    """A flat dict of lists of names in which a child is a key as well."""
    if not isinstance(value, dict) or not value or not all(isinstance(names, list) for names in value.values()):
        return False
    children = [child for names in value.values() for child in names]
    return all(isinstance(child, str) for child in children) and any(child in value for child in children)


def walk(value, where):
    """(shape in words, places in file order, attributes by number of the place, notes)"""
    shape = "nested names"
    places, attributes, left_out = Places(), {}, {}
    waiting = [(value, Places.TOP, None, 0)]
    while waiting:
        part, above, name, level = waiting.pop()
        if level > MOST_NESTED:
            raise TaxonomyError(
                f"{where}: expected nested classes, got some that contain themselves. Remove the cycle."
            )
        if name is not None:
            above = _add(places, above, name, where)
        below = []
        if isinstance(part, (list, tuple)):
            below = [(item, above, None) for item in part]
        elif isinstance(part, dict):
            name_key = next((key for key in NAME_KEYS if is_name(part.get(key))), None)
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
        elif is_name(part):
            _add(places, above, part, where)
        elif part not in (None, ""):
            raise TaxonomyError(
                f"{where}: expected names of classes, got {short(part)}{_inside(places, above)}. Write names as text."
            )
        waiting.extend((*one, level + 1) for one in reversed(below))
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


def is_name(value):
    return (isinstance(value, str) and value != "") or (isinstance(value, int) and not isinstance(value, bool))


def _inside(places, above):
    end, _ = places.end(above, 3)
    return f" below {' > '.join(end)!r}" if end else ""


def short(value):
    words = {dict: "an object", list: "a list"}.get(type(value))
    if words is None:
        return repr(value) if isinstance(value, str) else json.dumps(value, default=shown)
    return f"{words} of {len(value)} entries" if value else f"{words} without entries"
