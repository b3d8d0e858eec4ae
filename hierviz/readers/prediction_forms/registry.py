"""The forms of prediction files that other tools write: what each is, how it is recognised, and what reads it.

Help, the page *Open files* and ``docs/formats.md`` are written from `PREDICTION_FORMS`. The forms of `predictions_file` itself
(columns of classes, rows of sample and class, lists, labels, arrays) are tried after these.
"""

from __future__ import annotations

from hierviz.readers.prediction_forms import (
    cafa,
    coco_results,
    fiftyone_labels,
    label_studio_tasks,
    level_columns,
    speciesnet,
    timm_results,
)
from hierviz.readers.prediction_forms.form import PredictionForm

_FORMS = (
    PredictionForm(
        "levels",
        "labels with one column per level, as hiclass predicts them; a row may stop early",
        (".csv", ".tsv", ".parquet"),
        "two columns or more called level_1, predicted_1, pred_level_1, ...",
        "table",
        level_columns.looks_like,
        level_columns.read,
    ),
    PredictionForm(
        "timm",
        "results of timm's inference.py: index, label and prob of the best classes",
        (".csv", ".json"),
        "columns filename, label or index, and prob; in JSON objects with these keys",
        "json",
        timm_results.looks_like,
        timm_results.records,
    ),
    PredictionForm(
        "speciesnet",
        "SpeciesNet's JSON (uuid;class;order;family;genus;species;name); a class includes the listed ones below it",
        (".json",),
        "`predictions` of objects with filepath and classifications",
        "json",
        speciesnet.looks_like,
        speciesnet.records,
    ),
    PredictionForm(
        "coco_results",
        "COCO results without boxes: image_id, category_id, score",
        (".json",),
        "a list of objects with these three keys",
        "json",
        coco_results.looks_like,
        coco_results.records,
    ),
    PredictionForm(
        "fiftyone",
        "FiftyOne's labels.json of a classification dataset, or samples.json with fields of classifications",
        (".json",),
        "`classes` and `labels`, or `samples` with filepath",
        "json",
        fiftyone_labels.looks_like,
        fiftyone_labels.records,
    ),
    PredictionForm(
        "label_studio_tasks",
        "Label Studio's JSON export with predictions of choices or taxonomy; annotations are the truth",
        (".json",),
        "a list of tasks with `data` and `predictions`",
        "json",
        label_studio_tasks.looks_like,
        label_studio_tasks.records,
    ),
    PredictionForm(
        "cafa",
        "CAFA: protein, term and score per line; terms not listed have the score 0",
        (".tsv", ".txt"),
        "lines AUTHOR, MODEL, ... or rows of protein, GO:0008150 and a score from 0 to 1",
        "lines",
        cafa.looks_like,
        cafa.read,
    ),
)
PREDICTION_FORMS = {form.key: form for form in _FORMS}
