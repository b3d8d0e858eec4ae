"""What the registry says of a form of taxonomy files."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.readers.file_form import FileForm


@dataclass(frozen=True)
class TaxonomyForm(FileForm):
    """A form of taxonomy files, with a key for `hierviz.load_taxonomy`.

    Parameters
    ----------
    kind : {"text", "json", "table", "large"}
        What its reader gets: a Source, a parsed value, a Source that is a table, or the files of a folder or archive.
    looks_like : callable
        Of "text" and "table" (name of the file, its first lines), of "json" the value, of "large" (name, names of files).
    read : callable
        Of "text" and "table" (source, options), of "json" (value, where, detected), of "large" (files, wanted, where).
    """
