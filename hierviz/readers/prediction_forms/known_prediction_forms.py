"""The forms of prediction files that other tools write: what each is, how it is recognised, and what reads it.

Help, the page *Open files* and ``docs/formats.md`` are written from `PREDICTION_FORMS`. The forms of `predictions_file` itself
(columns of classes, rows of sample and class, lists, labels, arrays) are tried after these.
"""

from __future__ import annotations

from hierviz.readers.prediction_forms import cafa, detections, labelling_tools, levels, speciesnet, timm_results
from hierviz.readers.taxonomy_forms import FileForm

_FORMS = (
    FileForm(
        "levels",
        "labels with one column per level, as hiclass predicts them; a row may stop early",
        (".csv", ".tsv", ".parquet"),
        "two columns or more called level_1, predicted_1, pred_level_1, ...",
        "table",
        levels.looks_like,
        levels.read,
    ),
    FileForm(
        "timm",
        "results of timm's inference.py: index, label and prob of the best classes",
        (".csv", ".json"),
        "columns filename, label or index, and prob; in JSON objects with these keys",
        "json",
        timm_results.looks_like,
        timm_results.records,
        looks_like_table=timm_results.looks_like_table,
        read_table=timm_results.table_records,
    ),
    FileForm(
        "speciesnet",
        "SpeciesNet's JSON (uuid;class;order;family;genus;species;name); a class includes the listed ones below it",
        (".json",),
        "`predictions` of objects with filepath and classifications",
        "json",
        speciesnet.looks_like,
        speciesnet.records,
        scores="exclusive",
    ),
    FileForm(
        "speciesnet_5",
        "SpeciesNet 5's JSON: the classes of the best classified detection of each picture; a class includes the listed ones "
        "below it",
        (".json",),
        "`predictions` of objects with filepath, and detections with raw_classifications",
        "json",
        speciesnet.looks_like_5,
        speciesnet.records_5,
        scores="exclusive",
        has_detections=True,
    ),
    FileForm(
        "megadetector",
        "MegaDetector's batch JSON with classifications: those of the best classified detection of each picture; classes not "
        "listed have the score 0, and a picture without a detection is answered with nothing",
        (".json",),
        "`images` of objects with file, and detection_categories",
        "json",
        detections.looks_like_megadetector,
        detections.megadetector_records,
        scores="exclusive",
        missing="zero",
        has_detections=True,
    ),
    FileForm(
        "coco_results",
        "COCO results without boxes: image_id, category_id, score",
        (".json",),
        "a list of objects with these three keys",
        "json",
        labelling_tools.looks_like_coco,
        labelling_tools.coco_records,
    ),
    FileForm(
        "fiftyone",
        "FiftyOne's labels.json of a classification dataset, or samples.json with fields of classifications",
        (".json",),
        "`classes` and `labels`, or `samples` with filepath",
        "json",
        labelling_tools.looks_like_fiftyone,
        labelling_tools.fiftyone_records,
    ),
    FileForm(
        "label_studio_tasks",
        "Label Studio's JSON export with predictions of choices or taxonomy; annotations are the truth",
        (".json",),
        "a list of tasks with `data` and `predictions`",
        "json",
        labelling_tools.looks_like_tasks,
        labelling_tools.task_records,
    ),
    FileForm(
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
