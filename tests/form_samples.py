"""The samples of predictions in `tests/files`, and the taxonomy of each."""

from pathlib import Path

FILES = Path(__file__).parent / "files" / "predictions"
# Of the samples that are not about the small tree.
TAXONOMIES = {
    "speciesnet.json": "speciesnet_taxonomy.csv",
    "speciesnet_5.json": "speciesnet_taxonomy.csv",
    "megadetector.json": "speciesnet_taxonomy.csv",
    "coco_results.json": "coco_taxonomy.json",
    "cafa.tsv": "cafa_terms.obo",
}
# Files that are no predictions.
OTHERS = {*TAXONOMIES.values(), "README.md", "taxonomy.csv"}


def taxonomy_of(name):
    """The path of the taxonomy of a sample."""
    return FILES / TAXONOMIES.get(name, "taxonomy.csv")


# The form of another tool that a sample has; tables of labels by level are not of one tool.
FORM_OF = {
    **dict.fromkeys(
        ("timm.json", "timm_columns.csv", "timm_lists.csv", "timm_records.json", "timm_split.json"), "timm"
    ),
    "speciesnet.json": "speciesnet",
    "speciesnet_5.json": "speciesnet_5",
    "megadetector.json": "megadetector",
    "coco_results.json": "coco_results",
    **dict.fromkeys(("fiftyone_labels.json", "fiftyone_samples.json"), "fiftyone"),
    "label_studio_tasks.json": "label_studio_tasks",
    "cafa.tsv": "cafa",
}
