"""How predictions were made, kept with the file: in a Parquet file's metadata, next to a CSV in ``<name>.hierviz.json``.

Conventions
-----------
A record is a JSON object: format, name, parametrisation (of the scores, before they became the probabilities in the file),
classes (node of each score), taxonomy_sha256, detected (what the reader or the model found out, with checksums and
versions) and notes. The file next to a CSV also has its sha256, so that it is not believed about another one.
"""

from __future__ import annotations

import hashlib
import json
import os

from hierviz.messages.errors import LONGEST_MESSAGE, FileError, printable, shortened
from hierviz.messages.new_files import new_text
from hierviz.readers import file_limits
from hierviz.readers.sources import open_source

KEY = b"hierviz"
MOST_BYTES = 64 << 20
# A record that somebody else wrote says no more than this.
MOST_ENTRIES = 200


def run_record(predictions):
    """The record of predictions, None when nothing is known about how they were made.

    Parameters
    ----------
    predictions : Predictions
        With scores.

    Returns
    -------
    dict or None
        JSON types.
    """
    if not predictions.detected:
        return None
    nodes, taxonomy = predictions.scored_nodes, predictions.taxonomy
    return {
        "format": "1",
        "name": predictions.name,
        "parametrisation": predictions.parametrisation,
        "classes": None if nodes is None else [taxonomy.names[node] for node in nodes],
        "taxonomy_sha256": taxonomy.sha256,
        "detected": {str(key): str(value) for key, value in predictions.detected.items()},
        "notes": list(predictions.notes),
    }


def record_path(path):
    """Where the record of a CSV lies."""
    return path.with_name(f"{path.name}.hierviz.json")


def write_beside(record, path):
    """Write the record of a CSV that was just written, or remove one that is not true any more."""
    beside = record_path(path)
    if record is None:
        beside.unlink(missing_ok=True)
        return
    if not path.is_file():  # a pipe, which cannot be read again
        return
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with new_text(beside) as file:
        file.write(json.dumps(record | {"sha256": digest}, indent=1) + "\n")


def read_record(source, schema=None):
    """The record of a prediction file.

    Parameters
    ----------
    source : Source
    schema : pyarrow.Schema, optional
        Of a Parquet file.

    Returns
    -------
    record : dict or None
    notes : list of str
        Why a record that is there was not used.
    """
    if schema is not None:
        text = (schema.metadata or {}).get(KEY)
        return (None, []) if text is None else _parsed(text, f"{source.where}, metadata 'hierviz'")
    beside = record_path(source.path)
    if not os.path.isfile(beside):
        return None, []
    try:
        text = open_source(beside, "JSON").read_text(MOST_BYTES)
        file_limits.require_json(beside.name, text)
        record, notes = _parsed(text, beside.name)
    except FileError as error:
        return None, [f"{beside.name} was not used: {error}"]
    if record is None:
        return None, notes
    with source.open_stored() as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != record.get("sha256"):
            return None, [f"{beside.name} was not used: {source.where} is not the file that it was written with"]
    return record, notes


def record_words(record, taxonomy):
    """What a record says: entries for `Predictions.detected`, and notes.

    Parameters
    ----------
    record : dict or None
        From `read_record`.
    taxonomy : Taxonomy

    Returns
    -------
    detected : dict of str to str
    notes : list of str
    """
    if record is None:
        return {}, []
    detected = {"made by": _line(record.get("name", "a model"))}
    said, notes = record.get("detected"), record.get("notes")
    said = list(said.items())[:MOST_ENTRIES] if isinstance(said, dict) else ()
    detected |= {f"made by, {_line(key)}": _line(value) for key, value in said}
    notes = [_line(note) for note in notes[:MOST_ENTRIES]] if isinstance(notes, list) else []
    there = record.get("taxonomy_sha256")
    if isinstance(there, str) and there != taxonomy.sha256:
        notes.append(
            f"the predictions were made with another taxonomy (hash {there[:8]}…, here {taxonomy.sha256[:8]}…)"
        )
    return detected, notes


def _line(value):
    return shortened(printable(str(value)), LONGEST_MESSAGE)


def _parsed(text, where):
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, [f"{where} was not used: expected JSON, got {' '.join(str(error).split())[:120]}"]
    if not isinstance(record, dict):
        return None, [f"{where} was not used: expected a JSON object, got {type(record).__name__}"]
    return record, []
