"""Pictures with detections, of which some are classified: the samples that they are, and MegaDetector's JSON.

Conventions
-----------
A picture is one sample: it has the classes of its classified detection of the highest confidence, of the whole picture only
where no box is classified. With ``samples="detection"`` each classified detection is a sample, whose id is that of the picture
with ``#`` and the number of the detection, from 0, and whose truth is that of the picture.

MegaDetector
------------
``images`` with ``file`` and ``detections``, each with ``category``, ``conf`` and perhaps ``classifications``, pairs of a key of
``classification_categories`` and a score. A class is found by its name, else by the steps of its entry in
``classification_category_descriptions``, the last first. A picture in which no detection is classified is answered with the
category of its best detection, where the taxonomy has a class of that name, else with nothing. What was not processed
(``failure``) has no prediction.

References
----------
.. [1] https://lila.science/megadetector-output-format
"""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.messages.errors import PredictionsError, listed
from hierviz.predictions.name_matching import LooseMatches
from hierviz.predictions.node_names import find_node
from hierviz.readers.json_text import are_objects, of_kind
from hierviz.taxonomy.checks import is_number

# Key of a record: the picture whose truth it shares.
SHARED = "picture"


@dataclass(frozen=True)
class Detection:
    """A classified detection.

    Parameters
    ----------
    number : int
        Its place among the detections of its picture.
    confidence : float
    scores : list of dict
        Of ``label`` and ``score``.
    more : dict of str to str
        Attributes.
    is_whole : bool
        It is the whole picture rather than a box.
    """

    number: int
    confidence: float
    scores: list
    more: dict
    is_whole: bool = False


def records_of_picture(picture, detections, reading):
    """The records of a picture: one, or one for each of its classified detections; none where there are none.

    Parameters
    ----------
    picture : str
    detections : list of Detection
    reading : Reading
    """
    if reading.samples == "detection":
        return [
            {"sample_id": f"{picture}#{one.number}", "scores": by_score(one.scores), SHARED: picture, **one.more}
            for one in detections
        ]
    best = max(detections, key=lambda one: (not one.is_whole, one.confidence), default=None)
    return [] if best is None else [{"sample_id": picture, "scores": by_score(best.scores), **best.more}]


def by_score(entries):
    """Entries of label and score with the best first; as they are where a score is no number, which the reader then says."""
    are_numbers = all(is_number(entry["score"]) for entry in entries)
    return sorted(entries, key=lambda entry: -entry["score"]) if are_numbers else entries


def first_known(texts, taxonomy, loose):
    """Name of the first node that a text means; None where there is none."""
    nodes = (find_node(text, taxonomy, loose=loose) for text in texts if text and text.strip())
    return next((taxonomy.names[node] for node in nodes if node is not None), None)


def confidence_of(detection, where):
    """The confidence of a detection; PredictionsError where it has none."""
    value = detection.get("conf")
    if not is_number(value):
        raise PredictionsError(f"{where}: expected a number as 'conf', got {str(value)[:40]!r}. Correct it.")
    return float(value)


def looks_like_megadetector(value):
    """Whether a JSON value has images with files, and categories of detections."""
    return (
        isinstance(value, dict)
        and are_objects(value.get("images"), "file")
        and isinstance(value.get("detection_categories"), dict)
    )


def megadetector_records(value, where, reading, notes):
    """Yield a record for every picture, or for every classified detection.

    Raises
    ------
    PredictionsError
        If a detection has no confidence, or a classification is no pair of a known category and a score.
    """
    names = _Categories(value, reading.taxonomy)
    failed, by_category, n_boxes = [], 0, 0
    for image in value["images"]:
        picture = str(image["file"])
        if image.get("failure"):
            failed.append(picture)
            continue
        detections, best = [], None
        for number, detection in enumerate(of_kind(image.get("detections"), list)):
            place = f"{where}, {picture!r}, detection {number}"
            detection = of_kind(detection, dict)
            confidence = confidence_of(detection, place)
            category = names.category(detection.get("category"))
            more = {"category": category, "detection confidence": repr(confidence)}
            pairs = of_kind(detection.get("classifications"), list)
            if pairs:
                scores = [names.entry(pair, place) for pair in pairs]
                detections.append(Detection(number, confidence, scores, more))
            elif best is None or confidence > best.confidence:
                best = Detection(number, confidence, names.entry_of_category(category, confidence), more)
            n_boxes += not pairs
        if detections or reading.samples == "detection":
            yield from records_of_picture(picture, detections, reading)
            continue
        by_category += best is not None and bool(best.scores)
        yield {"sample_id": picture, "scores": best.scores if best else [], **(best.more if best else {})}
    if failed:
        were = "picture was" if len(failed) == 1 else "pictures were"
        notes.append(f"{where}: {len(failed):,} {were} not processed ('failure') and left out: {listed(failed)}")
    if by_category:
        notes.append(
            f"{where}: {by_category:,} pictures without a classified detection are answered with the category of their best one"
        )
    if reading.samples == "detection" and n_boxes:
        notes.append(f"{where}: {n_boxes:,} detections without classifications were left out")


class _Categories:
    """The names of a file's categories, and the classes that they are."""

    def __init__(self, value, taxonomy):
        self.taxonomy, self.loose, self.known = taxonomy, LooseMatches(taxonomy), {}
        self.boxes = of_kind(value.get("detection_categories"), dict)
        self.classes = of_kind(value.get("classification_categories"), dict)
        self.descriptions = of_kind(value.get("classification_category_descriptions"), dict)

    def category(self, key):
        return str(self.boxes.get(str(key), key))

    def entry(self, pair, place):
        """``label`` and ``score`` of a classification."""
        if not isinstance(pair, list) or len(pair) != 2:
            raise PredictionsError(
                f"{place}: expected classifications as pairs of category and score, got {str(pair)[:40]!r}. Correct it."
            )
        key = str(pair[0])
        if key not in self.classes:
            raise PredictionsError(
                f"{place}: expected a key of 'classification_categories' ({len(self.classes)}), got {key!r}. Add it there."
            )
        if key not in self.known:
            name, steps = str(self.classes[key]), str(self.descriptions.get(key, "")).split(";")
            self.known[key] = first_known((name, *reversed(steps)), self.taxonomy, self.loose) or name
        return {"label": self.known[key], "score": pair[1]}

    def entry_of_category(self, category, confidence):
        name = first_known((category,), self.taxonomy, self.loose)
        return [] if name is None else [{"label": name, "score": confidence}]
