"""Taxonomies in the forms of other tools, one family a file.

`FileForm` is what is said of a form, of predictions too; `taxonomy_form` says it of the function that reads the form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class FileForm:
    """A form of files.

    Parameters
    ----------
    key : str
        As `hierviz.load_taxonomy` and `hierviz.load_predictions` take it.
    words : str
        What it is, for help and documents.
    endings : tuple of str
        Of usual file names, without ``.gz``.
    recognised : str
        How it is recognised, in words.
    kind : str
        What its functions get. Of a taxonomy: "text" (a Source), "json" (a parsed value) or "large" (the files of a folder or
        archive). Of predictions: "json", "table" or "lines".
    looks_like : callable
        Of "text" (name of the file, its first lines), of "json" the value, of "large" (name, names of files), of "table" the
        names of the columns, of "lines" the first lines.
    read : callable
        Of a taxonomy: (source, options), (value, where, detected), or (files, wanted, where). Of predictions: of "json" (value,
        where, taxonomy) → records, each a dict with ``sample_id``, a list ``scores`` of label and score (or a list
        ``predicted`` of labels) and perhaps ``truth``; of "table" (table, names, columns of samples); of "lines" (source,
        taxonomy).
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable


def taxonomy_form(words: str, endings: tuple, recognised: str, looks_like: Callable, kind: str = "text") -> Callable:
    """Decorator of a function ``read_KEY``, which then has its FileForm as ``form``; the arguments are as there."""

    def decorate(read):
        read.form = FileForm(read.__name__.removeprefix("read_"), words, endings, recognised, kind, looks_like, read)
        return read

    return decorate
