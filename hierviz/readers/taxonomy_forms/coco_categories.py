"""COCO and iNaturalist: JSON with ``categories``, each with an id, a name and a ``supercategory`` or its biological ranks."""

from __future__ import annotations

from hierviz.errors import TaxonomyError, listed
from hierviz.readers.class_paths import Places, taxonomy_of_places
from hierviz.taxonomy import Taxonomy

RANKS = ("kingdom", "phylum", "class", "order", "family", "genus")
# Nested nodes and records with a parent are read by `taxonomy_json`.
_OF_OTHERS = ("children", "subcategories", "nodes", "items", "parent", "parent_id", "parentId")
_KEPT = ("id", "common_name", "synset", "synonyms", "image_count", "frequency")


def looks_like(value):
    """Whether a JSON value has a list of categories with names, or is one with supercategories."""
    records = _categories(value)
    if any(isinstance(record, dict) and any(key in record for key in _OF_OTHERS) for record in records):
        return False
    return (
        bool(records)
        and all(
            isinstance(record, dict)
            and isinstance(record.get("name"), str)
            and ("supercategory" in record or "id" in record)
            for record in records
        )
        and (isinstance(value, dict) or all("supercategory" in record for record in records))
    )


def _categories(value):
    records = value.get("categories") if isinstance(value, dict) else value
    return records if isinstance(records, list) else []


def read(value, where, detected):
    """Taxonomy of categories; one without a supercategory stands below the root.

    Raises
    ------
    TaxonomyError
        If a name stands there twice below one parent, or there are no categories.
    """
    records = _categories(value)
    if not looks_like(value):
        raise TaxonomyError(f"{where}: expected a list of categories with id and name, got none. Is it the right file?")
    if all(all(isinstance(record.get(rank), str) for rank in RANKS) for record in records):
        return _of_ranks(records, where, detected)
    names = [record["name"].strip() for record in records]
    seen: set = set()
    twice = [name for name in names if name in seen or seen.add(name)]
    if twice or "" in names:
        got = f"{listed(dict.fromkeys(twice))} more than once" if twice else "an empty one"
        raise TaxonomyError(f"{where}: expected a name of its own for every category, got {got}. Rename or remove it.")
    above = [_above(record, name) for record, name in zip(records, names, strict=True)]
    # The supercategories first, in the order in which they come: a root where there is but one of them.
    tops = [parent for parent in dict.fromkeys(above) if parent is not None and parent not in seen]
    edges = [(None, top) for top in tops] + list(zip(above, names, strict=True))
    kept = {
        key: {
            name: _plain(record[key])
            for name, record in zip(names, records, strict=True)
            if _plain(record.get(key)) is not None
        }
        for key in _KEPT
        if any(key in record for record in records)
    }
    detected = {**detected, "shape": "categories with supercategories"}
    return Taxonomy.from_edges(edges, attributes=kept, where=where, detected=detected)


def _above(record, name):
    parent = str(record.get("supercategory") or "").strip()
    return None if parent in ("", "none", "None", name) else parent


def _plain(value):
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


def _of_ranks(records, where, detected):
    places, attributes = Places(), {}
    for record in records:
        number = Places.TOP
        for rank in RANKS:
            number = places.add(number, record[rank].strip())
        name = record["name"].strip()
        if places.has(number, name):
            raise TaxonomyError(
                f"{where}: expected every category once, got {name!r} again below {record['genus']!r}. Remove one."
            )
        number = places.add(number, name)
        for key in _KEPT:
            value = _plain(record.get(key))
            if value is not None:
                attributes.setdefault(key, {})[number] = value
    detected = {**detected, "shape": "categories with ranks", "levels": " > ".join((*RANKS, "name"))}
    return taxonomy_of_places(places, where, detected=detected, attributes=attributes)
