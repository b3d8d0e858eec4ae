"""Scores in numpy files: ``.npy`` stays on disk, ``.npz`` brings names and ids along; its other arrays are not read.

Opening them, which inputs of models need as well, is in `numpy_files`.
"""

from __future__ import annotations

import numpy as np

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.parameters import Sentence
from hierviz.predictions.node_names import level_nodes
from hierviz.readers.columns import unfit_keys
from hierviz.readers.labels import is_all_nodes, named_nodes, read_labels, text_array
from hierviz.readers.numpy_files import open_npy, open_npz
from hierviz.readers.prediction_forms.levels import NAMES_OF_LEVEL as LEVEL_NAMES
from hierviz.readers.prediction_forms.levels import joined_levels, level_keys
from hierviz.readers.raw_predictions import RawPredictions
from hierviz.readers.truth_file import TRUTH_IN_PREDICTIONS, Truth, truths_of

NAME_ARRAYS = ("leaf", "node", "names", "classes")
ID_ARRAYS = ("sample_id", "ids", "id")


def read_npy(source, reading):
    """Scores of a ``.npy`` file, which stay on disk and are read in blocks (a gzipped one is unpacked first).

    Labels with one column a level, as hiclass predicts them, are an array of text.

    Parameters
    ----------
    source : Source
    reading : Reading

    Returns
    -------
    RawPredictions

    Raises
    ------
    FileError
        If the file is cut off or holds objects.
    PredictionsError
        If the array is not a table of real numbers.
    """
    scores = open_npy(source)
    if len(scores.shape) == 2 and scores.dtype.kind in "US":
        return _level_labels(source, np.asarray(scores[:]), reading)
    _require_table(source.where, scores.shape, scores.dtype)
    detected = {"form": "array of scores (.npy)", **source.detected}
    detected |= {"rows": f"{scores.shape[0]:,}", "columns of scores": f"{scores.shape[1]:,}", "type": str(scores.dtype)}
    return RawPredictions(
        source.where, "npy", scores, _checked_classes(source.where, scores.shape, reading.classes), detected=detected
    )


def _level_labels(source, cells, reading):
    """RawPredictions of labels with one column a level."""
    if cells.dtype.kind == "S":
        cells = np.char.decode(cells, "utf-8", "replace")
    labels = level_nodes(cells, reading.taxonomy, source.where, reading.answers)
    labels = labels if reading.answers is None else reading.answers.settle(labels)
    empty = np.flatnonzero(labels.lengths == 0)
    if len(empty):
        raise PredictionsError(
            f"{source.where}, row {empty[0]}: expected a class at the first level, got none. Write the name of the root."
        )
    detected = {"form": "labels with one column a level (.npy)", **source.detected, "rows": f"{len(cells):,}"}
    return RawPredictions(source.where, "npy", labels=labels, is_hard=True, detected=detected)


def read_npz(source, reading):
    """Scores of an ``.npz`` file: one array of two axes, names of its columns, sample ids.

    Returns
    -------
    RawPredictions
        Text arrays of one value per sample are attributes.

    Raises
    ------
    FileError, PredictionsError
        As `read_npy`; also when several arrays could be the scores.
    """
    with open_npz(source) as npz:
        return _of_npz(source, npz, reading)


def _of_npz(source, npz, reading):
    where, arrays, taxonomy, classes = source.where, npz.headers, reading.taxonomy, reading.classes
    tables = [key for key, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "fiu"]
    if not tables:
        # An array of objects may be the one: why it is not read is what to say.
        for key in [key for key, array in arrays.items() if array.dtype.hasobject][:1]:
            npz[key]
    levels = level_keys(arrays) if classes is None else []
    if len(tables) != 1 and not levels:
        shapes = ", ".join(f"{key!r} {array.shape} {array.dtype}" for key, array in list(arrays.items())[:5])
        raise PredictionsError(
            f"{where}: expected one array of numbers with two axes (samples, classes), got {len(tables)} ({shapes}). "
            "Save the scores of one model in a file."
        )
    n_rows, n_scores = arrays[tables[0]].shape
    _require_table(where, (n_rows, n_scores), arrays[tables[0]].dtype)
    notes = []
    if levels:
        scores, nodes = joined_levels(npz, levels, taxonomy, where, _as_text, notes)
        n_scores = scores.shape[1]
    else:
        scores, nodes = npz.stored(tables[0]), _checked_classes(where, (n_rows, n_scores), classes)
    texts = {key: _as_text(npz[key]) for key, array in arrays.items() if _may_be_text(key, array, n_rows, n_scores)}
    is_text = {key for key, text in texts.items() if arrays[key].dtype.kind in "US" and text is not None}
    names = next((key for key in NAME_ARRAYS if key in is_text and len(texts[key]) == n_scores), None)
    ids = next((key for key in ID_ARRAYS if texts.get(key) is not None), None)
    if ids is not None and len(texts[ids]) != n_rows:
        raise PredictionsError(
            f"{where}: expected {n_rows} sample ids in {ids!r}, got {len(texts[ids])}. Align the rows."
        )
    if names is None and nodes is None:
        wrong = [key for key in NAME_ARRAYS if key in is_text and key != ids]
        if wrong:
            raise PredictionsError(
                f"{where}: expected {n_scores} names in {wrong[0]!r} (one per column of {tables[0]!r}), "
                f"got {len(texts[wrong[0]])}. Is a class missing?"
            )
        others = [k for k in is_text if k != ids and len(texts[k]) == n_scores and is_all_nodes(texts[k], taxonomy)]
        names = others[0] if len(others) == 1 and n_scores != n_rows else None
    if nodes is None and names is not None:
        nodes = named_nodes(texts[names], taxonomy, f"{where}, array {names!r}", notes)
    truth = _truth(arrays, texts, is_text, n_rows, reading, where, notes)
    used = {
        *(levels or tables[:1]),
        names,
        ids,
        *TRUTH_IN_PREDICTIONS,
        *(key + end for key in levels for end in LEVEL_NAMES),
    }
    attributes = {key: text_array(texts[key]) for key in texts if key in is_text - used and len(texts[key]) == n_rows}
    ignored = [key for key in arrays if key not in used and key not in attributes]
    if ignored:
        notes.append(f"{where}: arrays {listed(ignored)} were not used")
    if names is not None and classes is not None:
        notes.append(Sentence(f"{where}: {{classes}} was used in place of the names in {names!r}"))
    detected = {
        "form": "arrays (.npz)",
        **source.detected,
        "array of scores": ", ".join(levels or tables),
        "array of names": "none" if names is None else names,
        "id column": "none (rows in order)" if ids is None else ids,
        "rows": f"{n_rows:,}",
        "columns of scores": f"{n_scores:,}",
        "type": str(scores.dtype),
    }
    ids = None if ids is None else _unique(texts[ids], f"{where}, array {ids!r}")
    return RawPredictions(where, "npz", scores, nodes, None, False, ids, truth, attributes, detected, tuple(notes))


def _may_be_text(key, header, n_rows, n_scores):
    """True for an array of one axis that may be names, ids, the truth or an attribute."""
    if header.ndim != 1:
        return False
    is_called = key in (*NAME_ARRAYS, *ID_ARRAYS, *TRUTH_IN_PREDICTIONS)
    return is_called or (header.dtype.kind in "US" and header.shape[0] in (n_rows, n_scores))


def _require_table(where, shape, dtype):
    if len(shape) != 2:
        raise PredictionsError(f"{where}: expected two axes (samples, classes), got shape {tuple(shape)}. Reshape it.")
    if dtype.kind not in "fiu":
        raise PredictionsError(
            f"{where}: expected real numbers, got values of type {dtype}. Convert them with astype(float)."
        )
    if 0 in shape:
        raise PredictionsError(f"{where}: expected samples and classes, got shape {tuple(shape)}. Is the array empty?")


def _checked_classes(where, shape, classes):
    if classes is not None and len(classes) != shape[1]:
        raise PredictionsError(
            f"{where}: expected {len(classes)} columns (one per entry of {{classes}}), got {shape[1]}. Is a class missing?"
        )
    return classes


def _as_text(array):
    """Values as a list of str, None where an array is neither text nor whole numbers."""
    if array.dtype.kind == "S":
        return [value.decode("utf-8", "replace") for value in array.tolist()]
    if array.dtype.kind in "Uiu":
        return [str(value) for value in array.tolist()]
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        return [str(int(value)) for value in array.tolist()]
    return None


def _unique(ids, where):
    for row, first in unfit_keys(enumerate(ids)):
        raise PredictionsError(
            f"{where}: expected every sample id once, got {ids[row]!r} in rows {first} and {row}. Remove one of the rows."
        )
    return text_array(ids)


def _truth(arrays, texts, is_text, n_rows, reading, where, notes):
    key = next((key for key in TRUTH_IN_PREDICTIONS if key in arrays), None)
    if key is None:
        return None
    if (key not in is_text and not (reading.numbers and texts.get(key) is not None)) or len(texts[key]) != n_rows:
        raise PredictionsError(
            f"{where}, array {key!r}: expected {n_rows} names of true nodes, got {arrays[key].dtype} "
            f"of shape {arrays[key].shape}. Save names as text, or say what numbers mean ({{classes}})."
        )
    labels, _, _ = read_labels(
        texts[key],
        reading.taxonomy,
        lambda row: f"{where}, array {key!r}, row {row}",
        what="truth",
        numbers=reading.numbers,
        where=f"{where}, array {key!r}",
        notes=notes,
        unknown=reading.truths,
    )
    nodes, outside = truths_of(labels, reading.truths)
    return Truth(nodes, where=where, outside=outside)
