"""Label Studio's JSON export: tasks with ``annotations`` (the truth) and ``predictions`` of ``choices`` or ``taxonomy``."""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError
from hierviz.readers.prediction_forms.form import of_kind

_KINDS = ("choices", "taxonomy")


def looks_like(value):
    """Whether a JSON value is a list of tasks."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(task, dict) and "data" in task and ("annotations" in task or "predictions" in task)
            for task in value
        )
    )


def records(value, where, taxonomy):
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
        labels = _labels(said[0], place)
        if not labels:
            raise PredictionsError(f"{place}: expected choices in its prediction, got none. Is it a classification?")
        record = {"sample_id": str(task.get("id", "")), "predicted": labels}
        annotations = [
            one
            for one in of_kind(task.get("annotations"), list)
            if isinstance(one, dict) and not one.get("was_cancelled")
        ]
        if "annotations" in task:
            record["truth"] = _labels(annotations[0], place) if annotations else []
        data = task["data"] if isinstance(task["data"], dict) else {}
        yield record | {str(key): text for key, text in data.items() if isinstance(text, str) and key not in record}


def _labels(annotation, where):
    """Names of the classes of an annotation or prediction; of a path in a taxonomy its last step."""
    labels = []
    for result in of_kind(annotation.get("result"), list):
        if not isinstance(result, dict) or result.get("type") not in _KINDS:
            continue
        for choice in of_kind(of_kind(result.get("value"), dict).get(result["type"]), list):
            path = choice if isinstance(choice, list) else [choice]
            if not path or not all(isinstance(step, str) for step in path):
                raise PredictionsError(f"{where}: expected names of choices, got {str(choice)[:40]!r}. Correct it.")
            labels.append(" > ".join(path))
    return list(dict.fromkeys(labels))
