"""Classes of data sets and labelling tools: COCO and iNaturalist, Open Images, FiftyOne, and the interface of Label Studio.

COCO: JSON with ``categories``, each with an id, a name and a ``supercategory`` or its biological ranks. Ranks are the levels
where a category has two or more of them, or has one and no supercategory; a category without one of them is below the rank
before it. A rank that is no level is said.
"""

import re
from xml.etree import ElementTree

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.class_paths import taxonomy_of_places
from hierviz.readers.json_text import of_kind
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_tables import BIOLOGICAL_RANKS
from hierviz.taxonomy.class_places import Places
from hierviz.taxonomy.taxonomy import Taxonomy

# Nested nodes and records with a parent are read by `taxonomy_json`.
_OF_OTHERS = ("children", "subcategories", "nodes", "items", "parent", "parent_id", "parentId")
_KEPT = ("id", "common_name", "synset", "synonyms", "image_count", "frequency")


def looks_like_coco(value):
    """Whether a JSON value has a list of categories with names, or is one with supercategories."""
    records = _categories(value)
    needed = {"supercategory", "id"} if isinstance(value, dict) else {"supercategory"}
    return bool(records) and all(
        isinstance(record, dict)
        and isinstance(record.get("name"), str)
        and not needed.isdisjoint(record)
        and not any(key in record for key in _OF_OTHERS)
        for record in records
    )


def _categories(value):
    records = value.get("categories") if isinstance(value, dict) else value
    return records if isinstance(records, list) else []


@taxonomy_form(
    "categories of COCO or iNaturalist, with supercategories or ranks",
    (".json",),
    "a list `categories` of objects with id and name, or a list of objects with a supercategory",
    looks_like_coco,
    "json",
)
def read_coco(value, where, detected):
    """Taxonomy of categories; one without a supercategory is below the root.

    Raises
    ------
    TaxonomyError
        If a name is repeated below one parent, or there are no categories.
    """
    records = _categories(value)
    if not looks_like_coco(value):
        raise TaxonomyError(f"{where}: expected a list of categories with id and name, got none. Is it the right file?")
    ranks = [rank for rank in BIOLOGICAL_RANKS if any(_rank(record, rank) for record in records)]
    if len(ranks) > 1 or (ranks and not any(record.get("supercategory") for record in records)):
        return _of_ranks(records, ranks, where, detected)
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
    detected = {**detected, "shape": "categories with supercategories"}
    notes = [f"{where}: the rank {rank!r} was left out: the supercategories are the levels" for rank in ranks]
    kept = _kept(records, names)
    return Taxonomy.from_edges(edges, attributes=kept, where=where, detected=detected, notes=notes)


def _kept(records, ids):
    """Attributes of categories, by their ids."""
    there = {key: [_plain(record.get(key)) for record in records] for key in _KEPT if any(key in r for r in records)}
    return {key: {k: v for k, v in zip(ids, values, strict=True) if v is not None} for key, values in there.items()}


def _above(record, name):
    parent = str(record.get("supercategory") or "").strip()
    return None if parent in ("", "none", "None", name) else parent


def _plain(value):
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


def _rank(record, rank):
    """The name that a category has at a rank; an empty text where it has none."""
    value = next((value for key, value in record.items() if key.casefold() == rank), None)
    return value.strip() if isinstance(value, str) else ""


def _of_ranks(records, ranks, where, detected):
    places, found = Places(), {}
    lacking = dict.fromkeys(ranks, 0)
    for record in records:
        number, name = Places.TOP, record["name"].strip()
        for rank in ranks:
            value = _rank(record, rank)
            lacking[rank] += not value
            # A species is often the category itself.
            if value and value != name:
                number = places.add(number, value)
        above, number = number, places.add(number, name)
        if number in found:
            below = repr(places.names[above]) if above != Places.TOP else "the root"
            raise TaxonomyError(f"{where}: expected every category once, got {name!r} again below {below}. Remove one.")
        found[number] = record
    notes = [
        f"{where}: {n} of {len(records)} categories have no {rank} and are below the rank before it"
        for rank, n in lacking.items()
        if n
    ]
    detected = {**detected, "shape": "categories with ranks", "levels": " > ".join((*ranks, "name"))}
    kept = _kept(records, found)
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes=kept)


@taxonomy_form(
    "the hierarchy of Open Images",
    (".json",),
    "an object with `LabelName`",
    lambda value: isinstance(value, dict) and isinstance(value.get("LabelName"), str),
    "json",
)
def read_open_images(value, where, detected):
    """Taxonomy of the subcategories, a graph where a class is at several places; parts are no subcategories."""
    edges, parts, waiting = [(None, _label(value, where))], {}, [value]
    while waiting:
        part = waiting.pop()
        name, below = _label(part, where), part.get("Subcategory", [])
        if not isinstance(below, list):
            raise TaxonomyError(
                f"{where}, {name!r}: expected a list as 'Subcategory', got {type(below).__name__}. Correct it."
            )
        edges += [(name, _label(child, where)) for child in below]
        for child in of_kind(part.get("Part"), list):
            parts[_label(child, where)] = None
        waiting.extend(reversed(below))
    edges = list(dict.fromkeys(edges))
    inside = {child for _, child in edges}
    lost = [name for name in parts if name not in inside]
    notes = (
        [f"{where}: {len(lost)} classes that are only parts of others were left out: {listed(lost)}"] if lost else []
    )
    return Taxonomy.from_edges(edges, where=where, notes=notes, detected={**detected, "shape": "Open Images"})


def _label(node, where):
    if not isinstance(node, dict) or not isinstance(node.get("LabelName"), str) or not node["LabelName"].strip():
        raise TaxonomyError(f"{where}: expected an object with 'LabelName', got {str(node)[:40]!r}. Correct it.")
    return node["LabelName"].strip()


_OF_FIFTYONE = ("description", "can_select", "deprecated")


def _looks_like_fiftyone(value):
    root = value.get("root") if isinstance(value, dict) else None
    return isinstance(root, dict) and isinstance(root.get("name"), str) and isinstance(root.get("values"), list)


@taxonomy_form(
    "a taxonomy of FiftyOne (1.22): nested values; description, can_select and deprecated are attributes",
    (".json",),
    "an object with `root`, which has a name and a list `values`",
    _looks_like_fiftyone,
    "json",
)
def read_fiftyone_taxonomy(value, where, detected):
    """Taxonomy of the root and its nested values, which are objects with a name, or names.

    Raises
    ------
    TaxonomyError
        If a value has no name, or is repeated below one parent.
    """
    places, attributes, waiting = Places(), {key: {} for key in _OF_FIFTYONE}, [(value["root"], Places.TOP)]
    while waiting:
        part, above = waiting.pop()
        part = {"name": part} if isinstance(part, str) else part
        name = part.get("name") if isinstance(part, dict) else None
        if not isinstance(name, str) or not name.strip() or places.has(above, name.strip()):
            inside = "" if above == Places.TOP else f" below {places.names[above]!r}"
            got = f"{name!r} again" if isinstance(name, str) and name.strip() else "none"
            raise TaxonomyError(f"{where}: expected a name of its own for every value{inside}, got {got}. Correct it.")
        number = places.add(above, name.strip())
        for key in _OF_FIFTYONE:
            if isinstance(part.get(key), (str, bool)):
                attributes[key][number] = str(part[key])
        waiting.extend((child, number) for child in reversed(of_kind(part.get("values"), list)))
    deprecated = [places.names[number] for number, said in attributes["deprecated"].items() if said == "True"]
    are = "is deprecated and was" if len(deprecated) == 1 else "are deprecated and were"
    count = f"1 class {are}" if len(deprecated) == 1 else f"{len(deprecated):,} classes {are}"
    notes = [f"{where}: {count} kept: {listed(deprecated)}"] if deprecated else []
    detected = {**detected, "shape": "FiftyOne taxonomy"}
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes=attributes)


_START = re.compile(r"<(View|Taxonomy|Choices)[\s>]")


@taxonomy_form(
    "the labelling interface of Label Studio",
    (".xml",),
    "`<View>`, `<Taxonomy>` or `<Choices>` with `<Choice>`",
    lambda name, lines: _START.search("\n".join(lines)) is not None and any("<Choice" in line for line in lines),
)
def read_label_studio(source, options):
    """Taxonomy of the choices of the first ``<Taxonomy>``, else of the first ``<Choices>``.

    Raises
    ------
    TaxonomyError
        If it is no XML, holds no choices, or a choice has no value or is repeated at one place.
    """
    where, text = source.where, source.read_text()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise TaxonomyError(f"{where}: expected an interface without DOCTYPE, got one. Remove it.")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        line, column = error.position
        raise TaxonomyError(
            f"{where}:{line}: expected XML, got an error in column {column + 1}. Correct the file."
        ) from None
    tops = [*root.iter("Taxonomy"), *root.iter("Choices")]
    if not tops:
        raise TaxonomyError(f"{where}: expected <Taxonomy> or <Choices>, got neither. Is it a labelling interface?")
    places, aliases = Places(), {}
    waiting = [(choice, Places.TOP) for choice in reversed(tops[0].findall("Choice"))]
    while waiting:
        choice, above = waiting.pop()
        value = (choice.get("value") or "").strip()
        if not value or places.has(above, value):
            got = f"{value!r} again" if value else "none"
            raise TaxonomyError(f"{where}: expected a value of its own for every <Choice>, got {got}. Correct it.")
        number = places.add(above, value)
        if choice.get("alias"):
            aliases[number] = choice.get("alias")
        waiting.extend((child, number) for child in reversed(choice.findall("Choice")))
    if not len(places):
        raise TaxonomyError(f"{where}: expected <Choice> inside <{tops[0].tag}>, got none. Is the file complete?")
    notes = [f"{where}: the first of {len(tops)} lists of choices was read"] if len(tops) > 1 else []
    detected = {"form": "Label Studio interface", **source.detected, "name": tops[0].get("name", "")}
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes={"alias": aliases})
