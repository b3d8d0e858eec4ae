"""The tables of a large taxonomy: in a folder, beside each other, in a zip, or in a gzipped tar. None is unpacked to disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from hierviz.messages.errors import FileError
from hierviz.readers.sources import open_source, translated
from hierviz.readers.unpacking import require_deflate

# Of one line, and of all lines of a table.
MOST_CHARACTERS = 1 << 20
MOST_BYTES = 32 << 30


class TableFiles:
    """Files by their name without folder, in small letters, each to be read line by line as often as wanted.

    Parameters
    ----------
    path : Path
        A folder, an archive, or one of the files, beside which the others lie.
    """

    def __init__(self, path):
        self.path, self.where, self.inside = Path(path), Path(path).name, {}
        with translated(self.where, path=path):
            if self.path.is_dir():
                self.kind = "folder"
                files = [entry for entry in sorted(self.path.iterdir()) if entry.is_file()]
                self.inside = {file.name.lower().removesuffix(".gz"): file for file in files}
            elif zipfile.is_zipfile(self.path):
                self.kind = "zip"
                with zipfile.ZipFile(self.path) as archive:
                    self.inside = {PurePosixPath(name).name.lower(): name for name in archive.namelist()}
            elif _is_tar(self.path):
                self.kind = "tar"
                # A tar has no list of its files: those of a dump are known.
                self.inside = dict.fromkeys(("nodes.dmp", "names.dmp", "merged.dmp", "taxon.tsv", "taxon.txt"))
            else:
                self.kind = "folder"
                files = [entry for entry in sorted(self.path.parent.iterdir()) if entry.is_file()]
                self.inside = {file.name.lower().removesuffix(".gz"): file for file in files}

    def has(self, name):
        """Whether there is a file of this name; in a tar, whether there may be one."""
        return name in self.inside

    @contextmanager
    def lines(self, name):
        """The lines of a file, as an iterator of str without line ends; FileError when there is none, or one is too long."""
        with translated(f"{self.where}, {name}"), self._open(name) as file:
            text = io.TextIOWrapper(file, "utf-8-sig", newline="\n")
            try:
                yield self._checked(text, name)
            finally:
                # Thrown away, it would close the file, which is looked at once more.
                text.detach()

    def _checked(self, text, name):
        number = left = 0
        while line := text.readline(MOST_CHARACTERS):
            number, left = number + 1, left + len(line)
            if len(line) >= MOST_CHARACTERS or left > MOST_BYTES:
                raise FileError(
                    f"{self.where}, {name}:{number}: expected shorter lines of text, got more. Is it a dump?"
                )
            yield line.rstrip("\r\n")

    @contextmanager
    def _open(self, name):
        if not self.has(name):
            raise FileError(
                f"{self.where}: expected {name} beside the other tables, got none. Put them into one folder."
            )
        if self.kind == "folder":
            with open_source(self.inside[name], "a table").open(MOST_BYTES) as file:
                yield file
        elif self.kind == "zip":
            with zipfile.ZipFile(self.path) as archive:
                require_deflate(self.where, [archive.getinfo(self.inside[name])])
                with archive.open(self.inside[name]) as file:
                    yield file
        else:
            with tarfile.open(self.path, "r:*") as archive:
                for member in archive:
                    if PurePosixPath(member.name).name.lower() == name and member.isfile():
                        yield archive.extractfile(member)
                        return
            raise FileError(f"{self.where}: expected {name} in the archive, got none. Is it the right one?")


def _is_tar(path):
    """Whether a file is a gzipped or plain tar, told by its first block."""
    import gzip

    with open(path, "rb") as file:
        head = file.read(512)
        if head.startswith(b"\x1f\x8b"):
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as packed:
                head = packed.read(512)
    return head[257:262] == b"ustar"
