"""What the registry says of a form of prediction files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PredictionForm:
    """A form of prediction files.

    Parameters
    ----------
    key : str
        As `hierviz.load_predictions` takes it.
    words : str
        What it is, for help and documents.
    endings : tuple of str
        Of usual file names, without ``.gz``.
    recognised : str
        How it is told from others, in words.
    kind : {"json", "table", "lines"}
        What its functions get.
    looks_like : callable
        Of "json" the parsed value, of "table" the names of the columns, of "lines" the first lines.
    read : callable
        Of "json" (value, where, taxonomy) → records, each a dict with ``sample_id``, a list ``scores`` of label and score (or
        a list ``predicted`` of labels) and perhaps ``truth``; of "table" (table, names, columns of samples); of "lines"
        (source, taxonomy).
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable
