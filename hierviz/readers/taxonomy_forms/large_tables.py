"""What large taxonomies share: their tables, and the part of them that some classes need, themselves and what is above them.

Tables are in a folder, in a zip, or in a gzipped tar. None is unpacked to disk.

Conventions
-----------
Rows are numbers in arrays: nothing is kept of a row that is not needed but its id and that of its parent, 16 bytes.
"""

import io
import re
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import numpy as np

from hierviz.messages.errors import FileError, TaxonomyError, listed
from hierviz.predictions.name_matching import normal
from hierviz.readers import file_limits
from hierviz.readers.file_limits import require_deflate
from hierviz.readers.sources import open_source, translated

# Of one line, and of all lines of a table.
MOST_CHARACTERS = 1 << 20
MOST_BYTES = 32 << 30


class TableFiles:
    """Files by their name without folder, in small letters, each to be read line by line as often as wanted.

    Parameters
    ----------
    path : Path
        A folder, an archive, or one of the files, with the others in the same folder.
    """

    def __init__(self, path):
        self.path, self.where, self.inside = Path(path), Path(path).name, {}
        with translated(self.where, path=path):
            folder = self.path if self.path.is_dir() else self.path.parent
            if zipfile.is_zipfile(self.path):
                self.kind = "zip"
                with zipfile.ZipFile(self.path) as archive:
                    self.inside = {PurePosixPath(name).name.lower(): name for name in archive.namelist()}
            elif folder != self.path and tarfile.is_tarfile(self.path):
                self.kind = "tar"
                # A tar has no list of its files: those of a dump are known.
                self.inside = dict.fromkeys(("nodes.dmp", "names.dmp", "merged.dmp", "taxon.tsv", "taxon.txt"))
            else:
                self.kind = "folder"
                files = [entry for entry in sorted(folder.iterdir()) if entry.is_file()]
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
                # Thrown away, it would close the file, which is checked once more.
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
                f"{self.where}: expected {name} next to the other tables, got none. Put them into one folder."
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


class WantedNames:
    """The names of the classes that a taxonomy is needed for: as written, and by what they mean.

    Parameters
    ----------
    names : sequence of str
        A cell of synonyms is wanted once.
    """

    def __init__(self, names):
        self.names = list(dict.fromkeys(names))
        self.by_text, self.by_key = {}, {}
        for k, name in enumerate(self.names):
            for part in dict.fromkeys([name, *name.split(",")]):
                if part.strip():
                    self.by_text.setdefault(part.strip(), k)
                    self.by_key.setdefault(normal(part), k)
        # Place of each name -> (grade, ids): grade 0 is an exact one.
        self._found = {}

    def offer(self, text, key, grade):
        """A row of the taxonomy is called `text`; `grade` is 0 for its own name or id, 1 for another name."""
        place = self.by_text.get(text)
        if place is None:
            place, grade = self.by_key.get(normal(text)), grade + 2
        if place is not None:
            best, keys = self._found.get(place, (9, {}))
            if grade < best:
                self._found[place] = (grade, {key: None})
            elif grade == best:
                keys[key] = None

    def chosen(self, where, what):
        """What the row of each id is wanted as: dict of id to list of names; TaxonomyError when one is none or several."""
        unknown = [name for k, name in enumerate(self.names) if k not in self._found]
        if unknown:
            raise TaxonomyError(
                f"{where}: expected every class among the names of the taxonomy, got {len(unknown)} of {len(self.names)} that "
                f"are not: {listed(unknown)}. Check the spelling, or leave them out of {{taxonomy_classes}}."
            )
        for k, (_, keys) in self._found.items():
            if len(keys) > 1:
                raise TaxonomyError(
                    f"{where}: expected one class called {self.names[k]!r}, got {len(keys)} ({what} "
                    f"{', '.join(map(str, list(keys)[:5]))}). Give its {what} in {{taxonomy_classes}}."
                )
        chosen = {}
        for k, (_, keys) in self._found.items():
            chosen.setdefault(next(iter(keys)), []).append(self.names[k])
        return chosen


def aliases(wanted, names):
    """Other names by which classes were wanted: dict of id to text."""
    others = {key: "; ".join(name for name in as_wanted if name != names[key]) for key, as_wanted in wanted.items()}
    return {key: text for key, text in others.items() if text}


def require_moderate(n_classes, where):
    """Raise a TaxonomyError when a whole taxonomy is too large to be read."""
    if n_classes > file_limits.CLASSES:
        raise TaxonomyError(
            f"{where}: expected at most {file_limits.CLASSES:,} classes, got {n_classes:,}. Name those that are needed in "
            "{taxonomy_classes}: they are read with what is above them."
        )


def with_ancestors(ids, parents, wanted, where):
    """Ids of some rows and of all that is above them.

    Parameters
    ----------
    ids, parents : ndarray of int64, shape (n_rows,)
        A top is its own parent, or has one that is no row.
    wanted : ndarray of int64
        Ids.
    where : str

    Returns
    -------
    set of int

    Raises
    ------
    TaxonomyError
        If parents lead round in a circle.
    """
    order = np.argsort(ids, kind="stable")
    in_order = ids[order]
    needed, new, steps = set(), np.unique(wanted), 0
    while len(new):
        needed.update(new.tolist())
        place = np.minimum(np.searchsorted(in_order, new), max(len(ids) - 1, 0))
        rows = order[place[in_order[place] == new]]
        above = np.unique(parents[rows])
        new = np.array([number for number in above.tolist() if number not in needed], dtype=np.int64)
        steps += 1
        if steps > 1_000:
            raise TaxonomyError(f"{where}: expected at most 1,000 levels, got more. Are the parents right?")
    return needed


def text_key(text):
    """A number of 64 bits for an id that is text; two ids with the same one are separated when rows are read again."""
    return int(text) if re.fullmatch(r"\d{1,18}", text) else hash(text) | (-1 << 63)
