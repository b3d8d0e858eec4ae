"""SpeciesNet: its JSON of predictions, up to version 4 and of version 5, and the taxonomy that its labels carry, in a list or
in predictions.

A label is ``uuid;class;order;family;genus;species;common name``. In predictions the most specific rank that it names is looked
up, then the common name, then the uuid. SpeciesNet's classes exclude each other, so that the score of "felidae family" is that of
no particular cat: a probability of a node includes those of the listed classes below it.

Up to version 4 a picture has ``classifications``; in version 5 its ``detections`` have ``raw_classifications``, those of category
"0" being the whole picture, and ``processed_classification``, the answer after geofencing and roll-up, which is an attribute.

In the taxonomy of labels, ranks without a name are left out of the path; a species is called "genus species". A label without
ranks (blank, vehicle) is at the top under its common name. ``uuid`` and common name are attributes.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import PredictionsError, TaxonomyError
from hierviz.predictions.name_matching import LooseMatches
from hierviz.readers.class_paths import taxonomy_of_places
from hierviz.readers.json_text import are_objects, of_kind
from hierviz.readers.prediction_forms.detections import (
    Detection,
    by_score,
    confidence_of,
    first_known,
    records_of_picture,
)
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.taxonomy.class_places import Places

N_PARTS = 7
# Category of a "detection".
WHOLE_PICTURE = "0"


def looks_like(value):
    """Whether a JSON value holds predictions with classifications."""
    records = value.get("predictions") if isinstance(value, dict) else None
    return are_objects(records, "filepath") and any("classifications" in record for record in records)


def records(value, where, reading, notes):
    """Yield a record for every picture with classifications.

    Raises
    ------
    PredictionsError
        If a picture failed and has none, or its classes and scores are not equally many.
    """
    names = _Names(reading.taxonomy)
    for record in value["predictions"]:
        classes, scores = classified(record)
        if len(classes) != len(scores) or not classes:
            failures = of_kind(record.get("failures"), list)
            failed = f" (failures: {', '.join(map(str, failures))})" if failures else ""
            raise PredictionsError(
                f"{where}, {record['filepath']!r}: expected classifications with classes and scores, got none{failed}. "
                "Remove the picture, or run it again."
            )
        more = {"prediction": str(record["prediction"])} if "prediction" in record else {}
        yield {"sample_id": record["filepath"], "scores": by_score(names.entries(classes, scores)), **more}


def looks_like_5(value):
    """Whether a JSON value holds predictions with detections that are classified."""
    records = value.get("predictions") if isinstance(value, dict) else None
    return are_objects(records, "filepath") and any(
        "raw_classifications" in of_kind(detection, dict)
        for record in records
        for detection in of_kind(record.get("detections"), list)
    )


def records_5(value, where, reading, notes):
    """Yield a record for every picture, or for every classified detection, of version 5.

    Raises
    ------
    PredictionsError
        If a picture failed, a detection has no confidence, or its classes and scores are not equally many.
    """
    names = _Names(reading.taxonomy)
    for record in value["predictions"]:
        picture = str(record["filepath"])
        failures = ", ".join(map(str, of_kind(record.get("failures"), list)))
        if failures and not record.get("detections"):
            raise PredictionsError(
                f"{where}, {picture!r}: expected detections, got none (failures: {failures}). Remove the picture, or "
                "run it again."
            )
        detections = []
        for number, detection in enumerate(of_kind(record.get("detections"), list)):
            place = f"{where}, {picture!r}, detection {number}"
            detection = of_kind(detection, dict)
            classes, scores = classified(detection, "raw_classifications")
            if len(classes) != len(scores):
                raise PredictionsError(
                    f"{place}: expected as many classes as scores in 'raw_classifications', got {len(classes)} and "
                    f"{len(scores)}. Is it cut off?"
                )
            if not classes:
                continue
            is_whole = str(detection.get("category")) == WHOLE_PICTURE
            confidence = 0.0 if is_whole and "conf" not in detection else confidence_of(detection, place)
            processed = of_kind(detection.get("processed_classification"), dict)
            more = {"prediction": str(processed["class"])} if "class" in processed else {}
            more |= {"prediction source": str(processed["source"])} if "source" in processed else {}
            detections.append(Detection(number, confidence, names.entries(classes, scores), more, is_whole))
        yield from records_of_picture(picture, detections, reading) or _nothing(picture, reading)


def _nothing(picture, reading):
    return [] if reading.samples == "detection" else [{"sample_id": picture, "scores": []}]


def classified(record, key="classifications"):
    """(labels as text, scores) of a record, as many as are there."""
    found = of_kind(record.get(key), dict)
    return list(map(str, of_kind(found.get("classes"), list))), of_kind(found.get("scores"), list)


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


class _Names:
    """Names of the nodes that labels mean; the label where there is none, which the reader then says."""

    def __init__(self, taxonomy):
        self.taxonomy, self.loose, self.known = taxonomy, LooseMatches(taxonomy), {}

    def entries(self, labels, scores):
        """``label`` and ``score`` of each label."""
        return [{"label": self._name(label), "score": score} for label, score in zip(labels, scores, strict=True)]

    def _name(self, label):
        if label not in self.known:
            told = ranks(label)
            uuid, names, common = (None, [], None) if told is None else told
            self.known[label] = first_known((*names[-1:], common, uuid), self.taxonomy, self.loose) or label
        return self.known[label]


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
    "`predictions` of objects with filepath and classifications, or detections with raw_classifications",
    lambda value: looks_like(value) or looks_like_5(value),
    "json",
)
def read_speciesnet(value, where, detected):
    """Taxonomy of the labels that predictions list."""
    labels = {}
    for record in value["predictions"]:
        labels |= dict.fromkeys(classified(record)[0])
        for detection in of_kind(record.get("detections"), list):
            labels |= dict.fromkeys(classified(of_kind(detection, dict), "raw_classifications")[0])
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
