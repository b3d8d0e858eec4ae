"""Truths in the forms of other tools: human observations of Camtrap DP, and lineages of features of QIIME 2."""

from __future__ import annotations

from hierviz.readers.labels import read_labels
from hierviz.readers.prediction_forms import camtrap_dp
from hierviz.readers.prediction_forms.sequences import lineages_of_features


def labelled_samples(columns, source, taxonomy, notes, unknown=None):
    """What a table says of samples in the form of another tool.

    Parameters
    ----------
    columns : Columns
    source : Source
    taxonomy : Taxonomy
    notes : list of str
    unknown : OutsideNames, optional
        As in `read_labels`.

    Returns
    -------
    (form, ids, labels) or None
        Words, list of str, and NodeLists as `read_labels` gives them; None for a plain table.

    Raises
    ------
    PredictionsError
        If a class is not in the taxonomy.
    """
    if camtrap_dp.looks_like(columns.names):
        form, (ids, cells) = (
            "human observations of Camtrap DP",
            camtrap_dp.truths_by_sample(columns, source, taxonomy, notes),
        )
    elif (features := lineages_of_features(columns, taxonomy)) is not None:
        form, ids, cells = "lineages of features (QIIME 2)", features[0], [[name] for name in features[1]]
    else:
        return None
    labels, _, _ = read_labels(
        cells,
        taxonomy,
        lambda row: f"{columns.where}, {ids[row]!r}",
        what="truth",
        where=columns.where,
        notes=notes,
        unknown=unknown,
    )
    return form, ids, labels
