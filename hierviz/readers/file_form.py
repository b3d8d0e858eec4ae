"""What the registries of taxonomy and prediction files say of a form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class FileForm:
    """A form of files.

    Parameters
    ----------
    key : str
        As the function that loads such files takes it.
    words : str
        What it is, for help and documents.
    endings : tuple of str
        Of usual file names, without ``.gz``.
    recognised : str
        How it is told from others, in words.
    kind : str
        What its functions get.
    looks_like, read : callable
        Each kind of file says what these take and return.
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable
