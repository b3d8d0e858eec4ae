"""The hierarchy of Open Images: ``{"LabelName": "/m/0bl9f", "Subcategory": [...], "Part": [...]}``."""

from __future__ import annotations

from hierviz.messages.errors import TaxonomyError, listed
from hierviz.readers.prediction_forms.form import of_kind
from hierviz.taxonomy.taxonomy import Taxonomy


def looks_like(value):
    """Whether a JSON value is a node of such a hierarchy."""
    return isinstance(value, dict) and isinstance(value.get("LabelName"), str)


def read(value, where, detected):
    """Taxonomy of the subcategories, a graph where a class stands at several places; parts are no subcategories."""
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
