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
    "camtrap_dp/observations.csv": "speciesnet_taxonomy.csv",
    "birdnet.csv": "birds_taxonomy.csv",
    **dict.fromkeys(("bioclip.csv", "bioclip_genus.csv"), "bioclip_taxonomy.csv"),
    **dict.fromkeys(
        ("celltypist_labels.csv", "celltypist_predicted.csv", "celltypist_matrix.csv"), "cells_taxonomy.csv"
    ),
    **dict.fromkeys(("qiime2_labels.tsv", "qiime2_consensus.tsv"), "../taxonomies/qiime2_taxonomy.tsv"),
    **dict.fromkeys(("kraken2.txt", "kaiju.txt"), "../taxonomies/taxdump"),
    "kraken2_names.txt": "../taxonomies/kraken2_report.txt",
}
# Files that are no predictions.
OTHERS = {*TAXONOMIES.values(), "README.md", "taxonomy.csv", "camtrap_dp", "birdnet_truth.csv"}


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
    **dict.fromkeys(("fiftyone_labels.json", "fiftyone_samples.json", "fiftyone_fields.csv"), "fiftyone"),
    "label_studio_tasks.json": "label_studio_tasks",
    "cafa.tsv": "cafa",
    "camtrap_dp/observations.csv": "camtrap_dp",
    "birdnet.csv": "birdnet",
    **dict.fromkeys(("bioclip.csv", "bioclip_genus.csv", "bioclip_classes.csv"), "bioclip"),
    **dict.fromkeys(("celltypist_labels.csv", "celltypist_predicted.csv"), "celltypist"),
    "celltypist_matrix.csv": "celltypist_matrix",
    **dict.fromkeys(("qiime2_labels.tsv", "qiime2_consensus.tsv"), "qiime2_labels"),
    **dict.fromkeys(("kraken2.txt", "kraken2_names.txt"), "kraken2"),
    "kaiju.txt": "kaiju",
    **dict.fromkeys(("spacy_cats.jsonl", "spacy_multilabel.jsonl"), "spacy"),
    "openai_batch.jsonl": "openai_batch",
    "language_model.jsonl": "language_model",
}
