"""FiftyOne: ``labels.json`` of an image classification dataset, and ``samples.json`` of an exported dataset.

``{"classes": [...], "labels": {id: number or name, or {"label", "confidence"}, or a list of these}}``; and samples with fields
of ``"_cls": "Classification"``, of which ``ground_truth`` is the truth and another one holds the predictions.
"""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError, listed, shown
from hierviz.readers.prediction_forms.form import of_kind

TRUTH = ("ground_truth", "truth", "gt", "true_label")
_KINDS = ("Classification", "Classifications")


def looks_like(value):
    """Whether a JSON value is one of the two exports."""
    if not isinstance(value, dict):
        return False
    labels, samples = value.get("labels"), value.get("samples")
    is_labels = isinstance(labels, dict) and bool(labels) and "classes" in value
    is_samples = (
        isinstance(samples, list)
        and bool(samples)
        and all(isinstance(sample, dict) and "filepath" in sample for sample in samples)
    )
    return is_labels or is_samples


def records(value, where, taxonomy):
    """Yield a record for every sample.

    Raises
    ------
    PredictionsError
        If no field holds classifications, or several could be the predictions.
    """
    if isinstance(value.get("labels"), dict):
        classes = of_kind(value["classes"], list)
        for name, label in value["labels"].items():
            yield {"sample_id": name, **_said(label, classes, f"{where}, {name!r}")}
        return
    fields = list(
        dict.fromkeys(key for sample in value["samples"] for key, field in sample.items() if _is_field(field))
    )
    truth = next((key for key in TRUTH if key in fields), None)
    others = [key for key in fields if key != truth]
    if len(others) != 1:
        got = f"{len(others)} ({listed(others)})" if others else "none"
        raise PredictionsError(
            f"{where}: expected one field of classifications beside the ground truth, got {got}. Export one model's field."
        )
    for sample in value["samples"]:
        place = f"{where}, {sample['filepath']!r}"
        more = {}
        if truth is not None:
            said = sample.get(truth)
            more["truth"] = [_name(label, None, place) for label in _classifications(said)] if _is_field(said) else []
        yield {"sample_id": sample["filepath"], **_of_field(sample.get(others[0]), place), **more}


def _is_field(field):
    return isinstance(field, dict) and field.get("_cls") in _KINDS


def _classifications(field):
    return of_kind(field.get("classifications"), list) if field.get("_cls") == "Classifications" else [field]


def _of_field(field, where):
    if not _is_field(field):
        raise PredictionsError(f"{where}: expected a classification, got none. Export only samples that have one.")
    return _said(_classifications(field), None, where)


def _said(label, classes, where):
    """``scores`` or ``predicted`` of one label, or of a list of them."""
    labels = label if isinstance(label, list) else [label]
    entries = []
    for one in labels:
        entries.append({"label": _name(one, classes, where), "score": of_kind(one, dict).get("confidence")})
    if entries and all(isinstance(entry["score"], (int, float)) for entry in entries):
        return {"scores": sorted(entries, key=lambda entry: -entry["score"])}
    return {"predicted": [entry["label"] for entry in entries]}


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
