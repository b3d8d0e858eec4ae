"""Predictions that labelling tools export: COCO results, Label Studio's tasks, FiftyOne's labels and samples.

Conventions
-----------
- COCO, without boxes: ``{"image_id": 42, "category_id": 18, "score": 0.9}`` for each picture and class. A category is found by
  the ids of the taxonomy's categories, or by the numbers of the class list.
- Label Studio's JSON: tasks with ``annotations`` (the truth) and ``predictions`` of ``choices`` or ``taxonomy``.
- FiftyOne: ``{"classes": [...], "labels": {id: number or name, or {"label", "confidence"}, or a list of these}}``; samples
  with fields of ``"_cls": "Classification"``, of which ``ground_truth`` is the truth and another one holds the predictions; and
  the same fields as columns of a table (``filepath``, ``ground_truth.label``, ``predictions.label``,
  ``predictions.confidence``). A sample without a classification is answered with nothing. Classes have scores where every
  classification has a confidence.
"""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.readers.columns import as_number
from hierviz.readers.json_text import are_objects, of_kind


def looks_like_coco(value):
    """Whether a JSON value is a list of results."""
    return are_objects(value, "image_id", "category_id", "score")


def coco_records(value, where, reading, notes):
    """Yield a record for every picture, in the order in which they first come.

    Raises
    ------
    PredictionsError
        If results have boxes or masks: they are detections, of which a picture has several.
    """
    pictures: dict = {}
    for number, result in enumerate(value):
        boxes = [key for key in ("bbox", "segmentation", "keypoints") if result.get(key)]
        if boxes:
            raise PredictionsError(
                f"{where}, result {number}: expected classes of whole pictures, got detections ({boxes[0]!r}). "
                "Give the class of each box as a sample of its own."
            )
        entry = {"label": str(result["category_id"]), "score": result["score"]}
        pictures.setdefault(str(result["image_id"]), []).append(entry)
    for picture, entries in pictures.items():
        yield {"sample_id": picture, "scores": entries}


_CHOICES = ("choices", "taxonomy")


def looks_like_tasks(value):
    """Whether a JSON value is a list of tasks."""
    return are_objects(value, "data") and all("annotations" in task or "predictions" in task for task in value)


def task_records(value, where, reading, notes):
    """Yield a record for every task with a prediction; the first annotation that was not cancelled is the truth.

    Raises
    ------
    PredictionsError
        If a task has no prediction, or several.
    """
    for task in value:
        place = f"{where}, task {task.get('id')}"
        said = [prediction for prediction in of_kind(task.get("predictions"), list) if isinstance(prediction, dict)]
        if len(said) != 1:
            raise PredictionsError(
                f"{place}: expected one prediction, got {len(said)}. Export the predictions of one model with the tasks."
            )
        labels = _chosen(said[0], place)
        if not labels:
            raise PredictionsError(f"{place}: expected choices in its prediction, got none. Is it a classification?")
        record = {"sample_id": str(task.get("id", "")), "predicted": labels}
        annotations = [
            one
            for one in of_kind(task.get("annotations"), list)
            if isinstance(one, dict) and not one.get("was_cancelled")
        ]
        if "annotations" in task:
            record["truth"] = _chosen(annotations[0], place) if annotations else []
        data = task["data"] if isinstance(task["data"], dict) else {}
        yield record | {str(key): text for key, text in data.items() if isinstance(text, str) and key not in record}


def _chosen(annotation, where):
    """Names of the classes of an annotation or prediction; of a path in a taxonomy its last step."""
    labels = []
    for result in of_kind(annotation.get("result"), list):
        if not isinstance(result, dict) or result.get("type") not in _CHOICES:
            continue
        for choice in of_kind(of_kind(result.get("value"), dict).get(result["type"]), list):
            path = choice if isinstance(choice, list) else [choice]
            if not path or not all(isinstance(step, str) for step in path):
                raise PredictionsError(f"{where}: expected names of choices, got {str(choice)[:40]!r}. Correct it.")
            labels.append(" > ".join(path))
    return list(dict.fromkeys(labels))


TRUTH = ("ground_truth", "truth", "gt", "true_label")
_CLASSIFICATIONS = ("Classification", "Classifications")


def looks_like_fiftyone(value):
    """Whether a JSON value is one of the two exports."""
    if not isinstance(value, dict):
        return False
    is_labels = isinstance(value.get("labels"), dict) and bool(value["labels"]) and "classes" in value
    return is_labels or are_objects(value.get("samples"), "filepath")


def fiftyone_records(value, where, reading, notes):
    """A record for every sample.

    Raises
    ------
    PredictionsError
        If no field holds classifications, or several could be the predictions.
    """
    if isinstance(value.get("labels"), dict):
        classes = of_kind(value["classes"], list)
        labels = {name: _listed(label) for name, label in value["labels"].items()}
        found = [(name, _entries(of_one, classes, f"{where}, {name!r}"), {}) for name, of_one in labels.items()]
        if any(isinstance(one, dict) and one.get("attributes") for of_one in labels.values() for one in of_one):
            notes.append(f"{where}: attributes of classifications were left out")
        return _records_of(found, where, reading, notes)
    fields = list(
        dict.fromkeys(key for sample in value["samples"] for key, field in sample.items() if _is_field(field))
    )
    truth, predicted = _two_fields(fields, where)
    found = []
    for sample in value["samples"]:
        place, more = f"{where}, {sample['filepath']!r}", {}
        if truth is not None:
            more["truth"] = [_name(label, None, place) for label in _classifications(sample.get(truth))]
        found.append((sample["filepath"], _entries(_classifications(sample.get(predicted)), None, place), more))
    return _records_of(found, where, reading, notes)


def _two_fields(fields, where):
    """The field of the truth, None where there is none, and the only other one."""
    truth = next((key for key in TRUTH if key in fields), None)
    others = [key for key in fields if key != truth]
    if len(others) != 1:
        got = f"{len(others)} ({listed(others)})" if others else "none"
        raise PredictionsError(
            f"{where}: expected one field of classifications that is not the truth, got {got}. Export one model's field."
        )
    return truth, others[0]


_LABEL, _CONFIDENCE, _IDS = ".label", ".confidence", ("filepath", "id", "sample_id")


def looks_like_fiftyone_table(names):
    """Whether there are ids and a column of labels of a field."""
    return any(name in names for name in _IDS) and any(name.endswith(_LABEL) for name in names)


def fiftyone_table_records(samples, where, reading, notes):
    """Records of the rows of a SampleTable, as `fiftyone_records`."""
    columns = samples.read()
    names = columns.names
    truth, field = _two_fields([name.removesuffix(_LABEL) for name in names if name.endswith(_LABEL)], where)
    places = {name: columns.text[place] for place, name in enumerate(names) if place in columns.text}
    key = next(name for name in _IDS if name in names)
    labels, truths = places[field + _LABEL], None if truth is None else places[truth + _LABEL]
    confidences = places.get(field + _CONFIDENCE, [""] * len(columns))
    known = {key, *(f"{name}{end}" for name in (truth, field) for end in (_LABEL, _CONFIDENCE))}
    others = [name for name in places if name not in known]
    found = []
    for row, label in enumerate(labels):
        confidence = as_number(confidences[row]) if confidences[row].strip() else None
        if confidence is None and confidences[row].strip():
            raise PredictionsError(
                f"{columns.place(row)}, column {field + _CONFIDENCE!r}: expected a number, got {confidences[row]!r}. Correct it."
            )
        entries = [{"label": label.strip(), "score": confidence}] if label.strip() else []
        more = {} if truths is None else {"truth": [truths[row].strip()] if truths[row].strip() else []}
        found.append((places[key][row], entries, more | {name: places[name][row] for name in others}))
    return _records_of(found, where, reading, notes)


def _is_field(field):
    return isinstance(field, dict) and field.get("_cls") in _CLASSIFICATIONS


def _classifications(field):
    if not _is_field(field):
        return []
    return of_kind(field.get("classifications"), list) if field.get("_cls") == "Classifications" else [field]


def _listed(label):
    """One classification, several or none as a list."""
    return [] if label is None else label if isinstance(label, list) else [label]


def _entries(labels, classes, where):
    """``label`` and ``score`` of classifications, the score None where there is no confidence."""
    return [{"label": _name(one, classes, where), "score": of_kind(one, dict).get("confidence")} for one in labels]


def _records_of(found, where, reading, notes):
    """Records of samples: (id, entries, the rest of the record), with scores where all classifications have a confidence."""
    scores = [entry["score"] for _, entries, _ in found for entry in entries]
    has_scores = bool(scores) and all(isinstance(score, (int, float)) for score in scores)
    if not has_scores and any(score is not None for score in scores):
        notes.append(f"{where}: not all classifications have a confidence, so that their classes are labels")
    n_empty = sum(not entries for _, entries, _ in found)
    if n_empty and not has_scores:
        have = "1 sample has" if n_empty == 1 else f"{n_empty:,} samples have"
        notes.append(f"{where}: {have} no classification: answered with nothing")
    records = []
    for name, entries, more in found:
        if has_scores:
            said = {"scores": sorted(entries, key=lambda entry: -entry["score"])}
        else:
            said = {"predicted": [entry["label"] for entry in entries] or [reading.taxonomy.names[0]]}
        records.append({"sample_id": name, **said, **more})
    return records


def _name(label, classes, where):
    """The name of a class, by its number in `classes` where it has one."""
    name = label.get("label") if isinstance(label, dict) else label
    if isinstance(name, int) and not isinstance(name, bool) and classes is not None:
        if not 0 <= name < len(classes):
            raise PredictionsError(f"{where}: expected a number below {len(classes)}, got {shown(name)}. Correct it.")
        name = classes[name]
    if not isinstance(name, str):
        raise PredictionsError(f"{where}: expected the name of a class, got {shown(name, 40)}. Correct it.")
    return name
