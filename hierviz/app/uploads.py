"""Uploaded files in a private folder of their own, which goes when nobody holds it any more."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class Uploads:
    """Files that were uploaded together, beside each other under their own names.

    The folder lives as long as this object: in a session, or with a data set that was made of the files.

    Parameters
    ----------
    files : sequence of uploaded files
        With ``name`` and ``getbuffer()``.
    parent : Path
        Private folder of the server.

    Attributes
    ----------
    paths : tuple of Path
    """

    def __init__(self, files, parent):
        folder = Path(tempfile.mkdtemp(dir=parent))
        self._end = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        paths = []
        for file in files:
            path = folder / Path(file.name).name
            path.write_bytes(file.getbuffer())
            paths.append(path)
        self.folder, self.paths = folder, tuple(paths)
