"""Predictions to a file that `load_predictions` reads back without any option."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
from pathlib import Path

import numpy as np

from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.errors import FileError, PredictionsError
from hierviz.messages.extras import require
from hierviz.messages.new_files import new_file, new_text
from hierviz.predictions.parametrisation import PARAMETRISATIONS
from hierviz.predictions.predictions import Predictions
from hierviz.readers.run_record import KEY, run_record, write_beside
from hierviz.taxonomy.checks import check_kind

_SUFFIXES = (".parquet", ".csv", ".csv.gz")


def write_predictions(predictions: Predictions, path: str | os.PathLike[str]) -> None:
    """Write the probabilities of predictions as a table.

    Columns are ``sample_id``, when there are ids, and the probabilities: of the leaves when the parametrisation is a
    distribution over them, else of all nodes but the root. The root gets a column where it is needed to distinguish
    the two, or where its probability is not 1. The truth is not written.

    How the predictions were made (see `run_record`) goes into the metadata of a Parquet file, or next to a CSV into
    ``<name>.hierviz.json``; `load_predictions` reads it back.

    Parameters
    ----------
    predictions : Predictions
        With scores.
    path : str or path
        ``.parquet``, ``.csv`` or ``.csv.gz``.

    Raises
    ------
    FileError
        If the suffix is another one or the file cannot be written.
    PredictionsError
        If there are only labels, or some scores are unknown.
    """
    check_kind("write_predictions", predictions, Predictions, "They come first, then the path.")
    if not isinstance(path, (str, os.PathLike)):
        raise FileError(
            f"write_predictions: expected a path, got {type(path).__name__}. It comes after the predictions."
        )
    path = Path(path)
    check_target(path)
    if not predictions.has_scores:
        raise PredictionsError(
            f"{predictions.name}: expected scores to write, got labels, which have no probabilities."
        )
    if predictions.has_unknown:
        raise PredictionsError(
            f"{predictions.name}: expected scores of all classes to write, got those of some classes of each sample. "
            "Take the others for 0 with {missing=zero}, or keep the file that they were read from."
        )
    nodes = _written_nodes(predictions)
    names = [predictions.taxonomy.names[node] for node in nodes]
    if predictions.sample_ids is not None:
        names = ["sample_id", *names]
    record = run_record(predictions)
    if path.name.lower().endswith(".parquet"):
        _write_parquet(predictions, path, nodes, names, record)
    else:
        _write_csv(predictions, path, nodes, names)
        write_beside(record, path)


def check_target(path):
    """Raise a FileError unless predictions can be written to `path`: before a model runs for an hour."""
    path = Path(path)
    if not path.name.lower().endswith(_SUFFIXES):
        raise FileError(
            f"{path.name}: expected a name that ends in {', '.join(_SUFFIXES)}, got {path.name!r}. Rename the output."
        )
    if not os.path.isdir(path.parent):
        raise FileError(f"{path}: expected an existing folder to write to, got {str(path.parent)!r}. Create it first.")
    if os.path.isdir(path):
        raise FileError(f"{path}: expected a file to write, got a folder. Name a file in it.")


def _written_nodes(predictions):
    taxonomy, key = predictions.taxonomy, predictions.parametrisation
    if PARAMETRISATIONS[key].is_distribution:
        return taxonomy.leaves
    scores_root = key == "node_probabilities" and predictions.scores.shape[1] == taxonomy.n_nodes
    # In a flat taxonomy the nodes but the root are the leaves, and would be taken for a distribution.
    is_flat = taxonomy.n_leaves == taxonomy.n_nodes - 1
    return np.arange(0 if scores_root or is_flat else 1, taxonomy.n_nodes)


def _blocks(predictions, nodes):
    for rows in predictions.blocks():
        # Sums may exceed 1 by a rounding error, which no probability may.
        yield rows, np.clip(predictions.node_probabilities(rows)[:, nodes], 0, 1)


@contextlib.contextmanager
def _text_of(path):
    if not path.name.lower().endswith(".gz"):
        with new_text(path) as text:
            yield text
        return
    with (
        new_file(path) as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        yield text


def _write_csv(predictions, path, nodes, names):
    with _text_of(path) as text:
        writer = SafeWriter(text)
        writer.writerow(names)
        for rows, p in _blocks(predictions, nodes):
            lists = p.tolist()
            if predictions.sample_ids is not None:
                ids = predictions.sample_ids[rows].tolist()
                lists = ([str(sample_id), *row] for sample_id, row in zip(ids, lists, strict=True))
            writer.writerows(lists)


def _write_parquet(predictions, path, nodes, names, record):
    require(Path(path).name, "files", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    with_ids = predictions.sample_ids is not None
    fields = [pa.field(name, pa.string() if with_ids and k == 0 else pa.float64()) for k, name in enumerate(names)]
    schema = pa.schema(fields, metadata=None if record is None else {KEY: json.dumps(record)})
    with new_file(path) as file, pq.ParquetWriter(file, schema) as writer:
        for rows, p in _blocks(predictions, nodes):
            columns = [pa.array(column) for column in np.ascontiguousarray(p.T)]
            if with_ids:
                columns = [
                    pa.array([str(sample_id) for sample_id in predictions.sample_ids[rows].tolist()], pa.string()),
                    *columns,
                ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
