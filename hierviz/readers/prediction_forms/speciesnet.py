"""SpeciesNet: its JSON of predictions, and the taxonomy that its labels carry, in a list or in predictions.

A label is ``uuid;class;order;family;genus;species;common name``. In predictions the most specific rank that it names is looked
up, then the common name, then the uuid. SpeciesNet's classes exclude each other, so that the score of "felidae family" is that of
no particular cat: a probability of a node includes those of the listed classes below it.

In the taxonomy of labels, ranks without a name are left out of the path; a species is called "genus species". A label without
ranks (blank, vehicle) is at the top under its common name. ``uuid`` and common name are attributes.
"""

from __future__ import annotations

import re

import numpy as np

from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import find_node
from hierviz.readers.class_paths import Places, taxonomy_of_places
from hierviz.readers.json_text import are_objects, of_kind
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.taxonomy.checks import is_number

N_PARTS = 7


def looks_like(value):
    """Whether a JSON value holds predictions with classifications."""
    records = value.get("predictions") if isinstance(value, dict) else None
    return are_objects(records, "filepath") and any("classifications" in record for record in records)


def records(value, where, taxonomy):
    """Yield a record for every picture with classifications.

    Raises
    ------
    PredictionsError
        If a picture failed and has none, or its classes and scores are not equally many.
    """
    loose, known = LooseMatches(taxonomy), {}
    for record in value["predictions"]:
        classes, scores = classified(record)
        if len(classes) != len(scores) or not classes:
            failures = of_kind(record.get("failures"), list)
            failed = f" (failures: {', '.join(map(str, failures))})" if failures else ""
            raise PredictionsError(
                f"{where}, {record['filepath']!r}: expected classifications with classes and scores, got none{failed}. "
                "Remove the picture, or run it again."
            )
        for label in classes:
            if label not in known:
                known[label] = _name(label, taxonomy, loose)
        entries = [{"label": known[label], "score": score} for label, score in zip(classes, scores, strict=True)]
        entries = _with_classes_below(entries, taxonomy)
        more = {"prediction": str(record["prediction"])} if "prediction" in record else {}
        yield {"sample_id": record["filepath"], "scores": entries, **more}


def classified(record):
    """(labels as text, scores) of a record, as many as are there."""
    found = of_kind(record.get("classifications"), dict)
    return list(map(str, of_kind(found.get("classes"), list))), of_kind(found.get("scores"), list)


def _with_classes_below(entries, taxonomy):
    """Entries of which each includes the scores of those below it, the best first; as they are where a class is unknown."""
    nodes = [taxonomy.index.get(entry["label"]) for entry in entries]
    scores = [entry["score"] for entry in entries]
    if None in nodes or not all(map(is_number, scores)):
        return entries
    above = [set(taxonomy.ancestors(np.array([node]))[0].tolist()) for node in nodes]
    sums = [sum(score for score, path in zip(scores, above, strict=True) if node in path) for node in nodes]
    found = [{"label": entry["label"], "score": value} for entry, value in zip(entries, sums, strict=True)]
    return sorted(found, key=lambda entry: -entry["score"])


def ranks(label):
    """(uuid, names of the ranks from class to species that are there, common name) of a label; None for another text."""
    parts = [part.strip() for part in label.split(";")]
    if len(parts) != N_PARTS:
        return None
    uuid, *steps, genus, species, common = parts
    names = [step for step in (*steps, genus) if step]
    if species:
        names.append(f"{genus} {species}".strip())
    return uuid, names, common


def _name(label, taxonomy, loose):
    """Name of the node that a label means; the label where there is none, which the reader then says."""
    told = ranks(label)
    if told is None:
        return label
    uuid, names, common = told
    for text in (*names[-1:], common, uuid):
        node = find_node(text, taxonomy, loose=loose) if text else None
        if node is not None:
            return taxonomy.names[node]
    return label


_LABEL = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(;[^;]*){6}", re.IGNORECASE)


@taxonomy_form(
    "SpeciesNet's list of labels",
    (".txt",),
    "uuid;class;order;family;genus;species;common name in every line",
    lambda name, lines: all(_LABEL.fullmatch(line.strip()) for line in lines),
)
def read_speciesnet_labels(source, options):
    """Taxonomy of a list of labels."""
    lines = [(f"{source.where}:{k}", line) for k, line in enumerate(source.read_text().split("\n"), 1) if line.strip()]
    return _taxonomy(lines, source.where, {"form": "SpeciesNet labels", **source.detected}, [])


@taxonomy_form(
    "the taxonomy that the labels in SpeciesNet's predictions carry",
    (".json",),
    "`predictions` of objects with filepath and classifications",
    looks_like,
    "json",
)
def read_speciesnet(value, where, detected):
    """Taxonomy of the labels that predictions list."""
    labels = {}
    for record in value["predictions"]:
        labels |= dict.fromkeys(classified(record)[0])
    notes = [
        f"{where}: the taxonomy of the {len(labels)} labels that these predictions list, not of all SpeciesNet knows"
    ]
    return _taxonomy(
        [(where, label) for label in labels], where, {**detected, "shape": "SpeciesNet predictions"}, notes
    )


def _taxonomy(lines, where, detected, notes):
    places, attributes = Places(), {"uuid": {}, "common_name": {}}
    for place, label in lines:
        told = ranks(label.strip())
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
    return taxonomy_of_places(places, where, notes=notes, detected=detected, attributes=attributes)
