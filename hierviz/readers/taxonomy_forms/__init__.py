"""Taxonomies in the forms of other tools, one family a file.

`FileForm` is what is said of a form, of predictions too; `taxonomy_form` says it of the function that reads the form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


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
        archive). Of predictions: "json", "objects" (an iterable of JSON objects), "table" (a SampleTable) or "lines" (a Source).
    looks_like : callable
        Of "text" (name of the file, its first lines), of "json" the value, of "objects" the first of them, of "large" (name,
        names of files), of "table" the names of the columns, of "lines" the first lines.
    read : callable
        Of a taxonomy: (source, options), (value, where, detected), or (files, wanted, where). Of predictions: (what it gets,
        where, reading, notes, which it may add to) → RawPredictions, or records as `sample_records` takes them.
    scores : {"", "exclusive", "independent", "by sum"}
        Of predictions that list classes and scores: they are taken as they are; the classes exclude each other, so that a class
        has the scores of those below it too; each is a yes or no of its own, and a class at least as probable as those below;
        or the second where the scores of every sample sum to 1, else the third.
    missing : {"unknown", "zero"}, optional
        What the scores of classes are that a sample does not list, unless it is said.
    counts_absent : bool
        Samples of the truth that are not in the predictions are answered with nothing.
    has_detections : bool
        A picture may have several detections, which may be samples of their own.
    looks_like_table, read_table : callable, optional
        Of a form in JSON that is also written as a table: the same of "table".
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable
    scores: str = ""
    missing: str | None = None
    counts_absent: bool = False
    has_detections: bool = False
    looks_like_table: Callable | None = None
    read_table: Callable | None = None

    @property
    def of_tables(self):
        """The form of kind "table", None where it has none."""
        if self.kind == "table" or self.looks_like_table is None:
            return self if self.kind == "table" else None
        return replace(self, kind="table", looks_like=self.looks_like_table, read=self.read_table)


def taxonomy_form(words: str, endings: tuple, recognised: str, looks_like: Callable, kind: str = "text") -> Callable:
    """Decorator of a function ``read_KEY``, which then has its FileForm as ``form``; the arguments are as there."""

    def decorate(read):
        read.form = FileForm(read.__name__.removeprefix("read_"), words, endings, recognised, kind, looks_like, read)
        return read

    return decorate
