"""Results in the manner of COCO, without boxes: ``{"image_id": 42, "category_id": 18, "score": 0.9}`` for each picture and class.

A category is found by the ids of the taxonomy's categories, or by the numbers of the class list.
"""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError


def looks_like(value):
    """Whether a JSON value is a list of results."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(result, dict) and {"image_id", "category_id", "score"} <= set(result) for result in value)
    )


def records(value, where, taxonomy):
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
