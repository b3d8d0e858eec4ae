"""What the registry says of a form of taxonomy files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class TaxonomyForm:
    """A form of taxonomy files.

    Parameters
    ----------
    key : str
        As `hierviz.load_taxonomy` takes it.
    words : str
        What it is, for help and documents.
    endings : tuple of str
        Of usual file names, without ``.gz``.
    recognised : str
        How it is told from others, in words.
    kind : {"text", "json", "table", "large"}
        What its reader gets: a Source, a parsed value, a Source that is a table, or the files of a folder or archive.
    looks_like : callable
        Of "text" and "table" (name of the file, its first lines), of "json" the value, of "large" (name, names of files).
    read : callable
        Of "text" and "table" (source, options), of "json" (value, where, detected), of "large" (files, wanted, where).
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable
