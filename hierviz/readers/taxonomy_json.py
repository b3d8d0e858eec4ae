"""Taxonomies in JSON.

Nested nodes (``{"name": ..., "children": [...]}`` and the usual spellings, anytree's exporter among them), nested plain
dicts and lists, a dict of children by parent, and a list of records with a parent.
"""

import json
import re

from hierviz.messages.errors import TaxonomyError
from hierviz.readers import file_limits
from hierviz.readers.class_paths import taxonomy_of_places
from hierviz.readers.json_text import parsed
from hierviz.readers.sources import translated
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.taxonomy.nested_names import NAME_KEYS, is_adjacency, is_name, short, walk
from hierviz.taxonomy.taxonomy import Taxonomy

_REPEATED = "expected every key of an object once, got {} again. Rename or merge the two."
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
    if is_adjacency(value):
        edges = [(str(parent), str(child)) for parent, children in value.items() for child in children]
        detected["shape"] = "children by parent"
        return Taxonomy.from_edges(edges, where=source.where, detected=detected)
    shape, places, attributes, notes = walk(value, source.where)
    if not len(places):
        raise TaxonomyError(f"{source.where}: expected a tree of classes, got {short(value)}. Is the file complete?")
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


def _of_records(records, where, detected):
    key = next(key for key in PARENT_KEYS if any(key in record for record in records))
    parents = {str(record[key]) for record in records if record.get(key) not in (None, "")}
    names = [name for name in ("id", *NAME_KEYS) if all(is_name(record.get(name)) for record in records)]
    if not names:
        raise TaxonomyError(
            f"{where}: expected a name in every record, got none of {', '.join(NAME_KEYS)}. Name every node."
        )
    name = max(names, key=lambda candidate: len(parents.intersection(str(record[candidate]) for record in records)))
    edges = [(None if record.get(key) in (None, "") else str(record[key]), str(record[name])) for record in records]
    title = next((other for other in names if other != name and other in ("name", "title", "label")), None)
    titles = {str(record[name]): str(record[title]) for record in records} if title else None
    return Taxonomy.from_edges(edges, titles=titles, where=where, detected={**detected, "direction": f"{key}, {name}"})
