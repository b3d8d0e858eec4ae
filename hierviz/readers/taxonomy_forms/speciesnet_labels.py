"""The taxonomy that SpeciesNet's labels carry: ``uuid;class;order;family;genus;species;common name``, one a line, or those of its
predictions in JSON.

Ranks without a name are left out of the path; a species is called "genus species". A label without ranks (blank, vehicle)
stands at the top under its common name. ``uuid`` and common name are attributes.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import TaxonomyError
from hierviz.readers.class_paths import Places, taxonomy_of_places
from hierviz.readers.prediction_forms import speciesnet

_LABEL = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(;[^;]*){6}", re.IGNORECASE)


def looks_like(name, lines):
    """Whether all lines are labels."""
    return all(_LABEL.fullmatch(line.strip()) for line in lines)


def read(source, options):
    """Taxonomy of a list of labels."""
    lines = [(f"{source.where}:{k}", line) for k, line in enumerate(source.read_text().split("\n"), 1) if line.strip()]
    return _taxonomy(lines, source.where, {"form": "SpeciesNet labels", **source.detected}, [])


def read_json(value, where, detected):
    """Taxonomy of the labels that predictions list."""
    labels = {}
    for record in value["predictions"]:
        labels |= dict.fromkeys(speciesnet.classified(record)[0])
    notes = [
        f"{where}: the taxonomy of the {len(labels)} labels that these predictions list, not of all SpeciesNet knows"
    ]
    return _taxonomy(
        [(where, label) for label in labels], where, {**detected, "shape": "SpeciesNet predictions"}, notes
    )


def _taxonomy(lines, where, detected, notes):
    places, attributes = Places(), {"uuid": {}, "common_name": {}}
    for place, label in lines:
        told = speciesnet.ranks(label.strip())
        if told is None or not (told[1] or told[2]):
            raise TaxonomyError(
                f"{place}: expected uuid;class;order;family;genus;species;common name, got {label.strip()!r:.60}. Correct it."
            )
        uuid, names, common = told
        above = Places.TOP
        for name in names or [common]:
            above = places.add(above, name)
        if uuid:
            attributes["uuid"][above] = uuid
        if common:
            attributes["common_name"][above] = common
    attributes = {key: values for key, values in attributes.items() if values}
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes=attributes)
