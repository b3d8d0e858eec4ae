"""What the registry says of a form of prediction files."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.readers.file_form import FileForm


def of_kind(value, kind):
    """A part of JSON that has to be a list or a dict; an empty one where it is something else."""
    return value if isinstance(value, kind) else kind()


@dataclass(frozen=True)
class PredictionForm(FileForm):
    """A form of prediction files, with a key for `hierviz.load_predictions`.

    Parameters
    ----------
    kind : {"json", "table", "lines"}
        What its functions get.
    looks_like : callable
        Of "json" the parsed value, of "table" the names of the columns, of "lines" the first lines.
    read : callable
        Of "json" (value, where, taxonomy) → records, each a dict with ``sample_id``, a list ``scores`` of label and score (or
        a list ``predicted`` of labels) and perhaps ``truth``; of "table" (table, names, columns of samples); of "lines"
        (source, taxonomy).
    """
