"""Truth and pictures for predictions that are already there, for example those of a model run just now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hierviz.messages.errors import FileError, listed
from hierviz.predictions.name_mapping import NameMapping
from hierviz.predictions.predictions import Predictions
from hierviz.readers.outside import TRUTHS, OutsideNames, check_outside
from hierviz.readers.pictures import Pictures
from hierviz.readers.raw_predictions import RawPredictions, join
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy.checks import check_kind


def attach_truth(
    predictions: Predictions,
    truth: Any,
    truth_column: str | None = None,
    classes: Any = None,
    *,
    ids: str | None = None,
    outside_truth: str | None = None,
    mapping: NameMapping | Mapping[str, int] | None = None,
) -> Predictions:
    """Predictions with their truth, joined by sample id, else in order.

    Parameters
    ----------
    predictions : Predictions
    truth : str, path, or sequence
        As `hierviz.load_truth` takes it, or what it gave.
    truth_column : str, optional
        Of a file.
    classes : optional
        What numbers in a file of truths mean, as `hierviz.load_truth` takes it.
    ids : {"text", "number"}, optional
        As `hierviz.load_predictions` takes it.
    outside_truth : {"error", "drop", "nearest"}, optional
        As `hierviz.load_predictions` takes it; a sample that is dropped stays here, without a truth, and no number counts it.
    mapping : NameMapping, or dict of str to int, optional
        As `hierviz.load_predictions` takes it.

    Returns
    -------
    Predictions
        With the truth, its attributes, and notes on what did not meet.

    Raises
    ------
    PredictionsError
        If no id is on both sides, or row counts differ where there are no ids.
    """
    check_kind("attach_truth", predictions, Predictions, "They come first, then the truth.")
    raw = RawPredictions(
        predictions.name,
        "wide",
        predictions.scores,
        predictions.scored_nodes,
        predictions.labels,
        predictions.is_hard,
        predictions.sample_ids,
        attributes=predictions.attributes,
    )
    check_outside(None, outside_truth)
    unknown = OutsideNames(predictions.taxonomy, TRUTHS, outside_truth, mapping)
    truth_of_file = load_truth(truth, predictions.taxonomy, truth_column, classes, unknown)
    joined = join(raw, truth_of_file, ids)
    return predictions.replace(
        labels=joined.labels,
        truth=joined.truth,
        sample_ids=joined.sample_ids,
        attributes=joined.attributes,
        n_without_prediction=joined.n_without_prediction,
        n_without_truth=joined.n_without_truth,
        notes=(*predictions.notes, *truth_of_file.notes, *unknown.notes(truth_of_file.where), *joined.notes),
        outside={**predictions.outside, **({} if unknown.record is None else {TRUTHS: unknown.record})},
        detected={**predictions.detected, **truth_of_file.detected},
    )


def attach_media(predictions: Predictions, path: str | os.PathLike[str]) -> Predictions:
    """Predictions with pictures from a folder or zip, named by the attribute ``image`` or ``file``.

    Parameters
    ----------
    predictions : Predictions
    path : str or path

    Returns
    -------
    Predictions

    Raises
    ------
    FileError
        If no attribute names pictures, or a named picture is not there.
    """
    column = next((name for name in ("image", "file") if name in predictions.attributes), None)
    if column is None:
        raise FileError(
            f"{Path(path).name}: expected a column `image` or `file` that names the picture of each sample, got "
            f"{listed(list(predictions.attributes)) or 'no such column'}. Add it to the predictions or the truth."
        )
    pictures = Pictures.from_path(path)
    known = set(pictures.names)
    missing = [name for name in map(str, predictions.attributes[column]) if name and name not in known]
    if missing:
        raise FileError(
            f"{Path(path).name}: expected the pictures of column {column!r}, got no {listed(missing)}. "
            "Names must be those inside the folder or zip."
        )
    return predictions.replace(media=pictures)
