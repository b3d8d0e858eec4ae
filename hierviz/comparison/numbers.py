"""The numbers of one evaluated file by column, and why those that are missing are."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.comparison.columns import BLOCKS, BY_DEPTH, SUPPORTED
from hierviz.evaluation.summary import model_summary
from hierviz.messages.notebook_html import Short
from hierviz.metrics.label_entries import PROTEIN_METRICS

# Why a block has a value for other inputs only.
_GRAPH = "it is defined on trees, and this taxonomy is a graph"
_PROTEIN = "it needs the information accretion of the terms"
_NO_AREA = "areas over thresholds need scores, and this file holds labels"


@dataclass(frozen=True, eq=False)
class FileNumbers(Short):
    """All numbers of one file.

    Attributes
    ----------
    name, run : str, str or None
    n_samples : int
        That are judged.
    values : dict of str to float or None
        By key of a Column; infinite values are floats.
    reasons : dict of str to str
        Why a value is None.
    summary : dict
        The entry of ``models`` in the JSON of `hierviz.evaluate`.
    """

    name: str
    run: str | None
    n_samples: int
    values: dict[str, float | None]
    reasons: dict[str, str]
    summary: dict


def file_numbers(model, columns, choice, class_weights=None, stage=lambda name, unit: None, protein=None):
    """FileNumbers of an Evaluation; `choice` is rule, threshold and parameters, the rest as in `hierviz.evaluate`.

    `protein` is a ProteinNumbers, where columns ask for one.
    """
    has_balanced = any(column.is_balanced for column in columns)
    weights = ("equal" if class_weights is None else class_weights) if has_balanced else None
    summary = model_summary(model, stage=stage, class_weights=weights, **choice)
    if protein is not None and summary["labels"] is not None:
        summary["labels"] |= protein.summary()
    why = {}
    for note in summary["notes"]:
        block, colon, reason = note.partition(": null, ")
        if colon and block in BLOCKS:
            why[block] = reason
    values, reasons = {}, {}
    for column in columns:
        block = summary[column.block]
        values[column.key] = None if block is None else _value(block, column)
        if values[column.key] is None:
            reasons[column.key] = why.get(column.block) or _why_none(model, column)
    return FileNumbers(summary["name"], model.predictions.run, summary["n_samples"], values, reasons, summary)


def _value(block, column):
    parts = column.key.split(".")
    value = block.get(column.metric)
    if column.metric == BY_DEPTH and value is not None:
        value = value[parts[2]]["macro_f1_supported" if parts[-1] == SUPPORTED else "macro_f1"]
    return float(value) if isinstance(value, str) else value


def _why_none(model, column):
    if column.metric in PROTEIN_METRICS:
        return _PROTEIN
    if column.block == "labels":
        if not model.predictions.has_scores and column.metric.endswith(("_auc", "_auc_raw")):
            return _NO_AREA
        if not model.taxonomy.is_tree:
            return _GRAPH
    if column.metric == "error_lca_height":
        return "no sample has a wrong leaf"
    if column.metric == "cross_entropy_finite_mean":
        return "no sample has a finite cross entropy"
    return "it is 0/0, which has no value"
