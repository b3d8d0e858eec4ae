"""Where a model of the app comes from: its file, what was said about it, and what it was run on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hierviz.messages.errors import HiervizError
from hierviz.onnx.model import draft_model


@dataclass(frozen=True, eq=False)
class ModelSource:
    """An ONNX file and the answers to what it leaves open.

    Parameters
    ----------
    path : Path
    given : mapping
        Keywords of `load_model`.
    inputs : ModelInputs, optional
        What it was run on.
    held : tuple
        Objects that keep uploaded files in place.
    files : Files, optional
        Of the start of the app, where they name this model: its inputs are not read yet.
    """

    path: Path
    given: Mapping = field(default_factory=dict)
    inputs: object = None
    held: tuple = ()
    files: object = None

    @property
    def key(self):
        """Changes whenever the files or the answers do."""
        stamps = [
            (file.name, file.stat().st_mtime_ns, file.stat().st_size)
            for file in [self.path, *_beside(self.path)]
            if file.is_file()
        ]
        return f"{self.path}-{stamps}-{sorted(self.given.items())!r}"

    def saying(self, answers):
        """The same with more answers: key of `load_model`, or ``preprocessing.`` and one of its keys, to value."""
        given = dict(self.given)
        for key, value in answers.items():
            word, _, part = key.partition(".")
            given[word] = {**(given.get(word) or {}), part: value} if part else value
        return replace(self, given=given)

    def draft(self, taxonomy):
        """The model, for which questions may be open, or the error that says why there is none."""
        try:
            return draft_model(self.path, taxonomy, **self.given)
        except HiervizError as error:
            return error.with_traceback(None)


def _beside(path):
    """Files beside a model that may change what is known about it."""
    try:
        return sorted(
            file
            for file in path.parent.iterdir()
            if file.name.startswith(path.stem) or file.name in ("config.json", "preprocessor_config.json")
        )
    except OSError:
        return []


def model_files(paths):
    """The ONNX files among several, as text."""
    return tuple(str(path) for path in paths if str(path).lower().endswith(".onnx"))
