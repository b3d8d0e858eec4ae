"""What a file is that was meant to be a model or a picture, told by its first bytes.

The table of first bytes is the one by which `sources` looks at tables, texts and arrays.
"""

from __future__ import annotations

from hierviz.readers.sources import HEAD_BYTES, _kind


def known_kind(start, path):
    """What a file is, in words that fit after "got"; None when its first bytes do not tell.

    Parameters
    ----------
    start : bytes
        The beginning of the file, or all of it.
    path : Path
        Its name alone tells some pickles.
    """
    if not start:
        return "an empty file"
    if start.startswith(b"\x1f\x8b"):
        return "a gzip file"
    kind, words, _ = _kind(start[:HEAD_BYTES], path)
    return None if kind == "text" else words
