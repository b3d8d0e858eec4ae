"""Texts for models of text: one per line of a file, or a list."""

from __future__ import annotations

import io

import numpy as np

from hierviz.messages.errors import FileError
from hierviz.readers import limits
from hierviz.readers.labels import text_array
from hierviz.readers.sources import open_source

SUFFIXES = (".txt", ".txt.gz")


def load_texts(path):
    """The lines of a text file, shape (n_texts,) of str.

    Raises
    ------
    FileError
        If the file cannot be read or a line is blank.
    """
    source = open_source(path, "texts, one a line")
    text = source.read_text(limits.TEXTS_BYTES, limits.TEXT_LINES)
    # Only the ends of lines as editors count them: str.splitlines() also cuts at rarer characters inside texts.
    lines = [line.rstrip("\r\n") for line in io.StringIO(text, newline=None)]
    blank = next((number for number, line in enumerate(lines, 1) if not line.strip()), None)
    if blank is not None:
        raise FileError(
            f"{source.where}:{blank}: expected a text, got a blank line. Fill or remove it; texts with line "
            "breaks need a table with a column `text`."
        )
    return text_array(lines)


def texts_at_hand(values):
    """A list or tuple of texts as an array of objects, shape (n_texts,); None when it holds none, or lists.

    An entry of another kind among texts stays what it is: the check of the input names it.
    """
    if not isinstance(values, (list, tuple)) or not any(isinstance(value, str) for value in values):
        return None
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return None
    return np.array(values, dtype=object)
